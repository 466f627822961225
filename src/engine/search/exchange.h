/* How searches that run side by side learn from each other. Each has an outbox: a ring in shared memory with the last
 * tapes that it found worth keeping. Each reads the outboxes of the others now and then.
 *
 * Tapes are exchanged, as copies, because the corpus of a search belongs to its worker alone. Tables never are: a
 * search finds out by running a tape what the tape is worth to it. One process writes an outbox, any number read it,
 * and none of them waits. A reader that the writer has overtaken detects that, and continues with what is left. A
 * writer that dies in the middle leaves what it had finished.
 *
 * Positions only grow; a record is at position % RING:
 *
 *     tail <= head <= reserved     [tail, head) can be read, [head, reserved) is being written
 *     a reader at position p has lost it once reserved - p exceeds the ring */
#ifndef SONDE_ENGINE_EXCHANGE_H
#define SONDE_ENGINE_EXCHANGE_H

#include <sonde/extend.h>

struct sonde_outbox;

/* Creates an outbox in the heap of the sender, where every job can read it. Its pages are touched only as it fills. */
struct sonde_outbox *sonde_outbox_create(void);
void sonde_outbox_free(struct sonde_outbox *outbox);
/* Appends a copy of the tape; returns false if it is too large, and left out. */
bool sonde_outbox_put(struct sonde_outbox *outbox, const struct sonde_tape *tape);

/* The position of one reader in one outbox. */
struct sonde_inbox {
    const struct sonde_outbox *from;
    uint64_t at;     /* bytes of the ring that are read */
    uint64_t missed; /* tapes that were lost before they could be read: at least this number */
};

/* Moves to the end, or back to the oldest record that is still there. */
void sonde_inbox_skip(struct sonde_inbox *inbox);
void sonde_inbox_rewind(struct sonde_inbox *inbox);
/* Returns whether all was read; only a snapshot, since the sender may be writing. */
bool sonde_inbox_is_empty(const struct sonde_inbox *inbox);
/* Returns whether the next tape might overwrite one that has not been read. */
bool sonde_inbox_is_full(const struct sonde_inbox *inbox);
/* Copies the next tape; returns false if there is none. */
bool sonde_inbox_take(struct sonde_inbox *inbox, struct sonde_tape *tape);

/* Sharing between searches that run side by side: when a tape is worth sending, and when to read the others' outboxes.
 * It reads its own outbox, too: after a tear it learns again from what it had sent. */

struct sonde_sharing {
    struct sonde_outbox *outbox; /* what was found worth keeping, for other jobs and for itself; NULL: sharing is off */
    struct sonde_inbox *inboxes; /* the first reads its own outbox; then the outboxes of other jobs */
    unsigned n_inboxes, next_inbox;
    uint32_t look_in; /* cases before the next check for tapes; used only if there are inboxes */
    uint64_t sent;
};

/* Returns the reasons for which a case is worth sending to other jobs: whatever the guide keeps tapes for, and getting
 * further. */
uint32_t sonde_sharing_reasons(const struct sonde_guide *guide);
/* Sets up sharing. `is_on` is false for a single job: nothing is sent, and there is no cost. Until
 * sonde_sharing_connect, it reads only its own outbox. */
void sonde_sharing_init(struct sonde_sharing *sharing, bool is_on);
void sonde_sharing_clear(struct sonde_sharing *sharing);
/* Connects it to the outboxes of the others; `all` may contain itself. */
void sonde_sharing_connect(struct sonde_sharing *sharing, struct sonde_sharing *const *all, unsigned n);
/* Connects it to an outbox with tapes from outside of the run; call it after sonde_sharing_connect. */
void sonde_sharing_listen(struct sonde_sharing *sharing, const struct sonde_outbox *post);
/* Returns whether all tapes of that outbox have been read. */
bool sonde_sharing_has_read(const struct sonde_sharing *sharing, const struct sonde_outbox *post);
/* Sends the tape if it is worth sending. */
void sonde_sharing_offer(struct sonde_sharing *sharing, struct sonde_tape *tape, const struct sonde_stats *stats,
                         uint32_t reasons, uint32_t wanted);
/* Copies the next tape from one of the other jobs, each in turn; returns false if there is none. Sets when to check
 * again. */
bool sonde_sharing_receive(struct sonde_sharing *sharing, struct sonde_tape *tape);
/* Makes all tapes that are still there come again, after a tear. */
void sonde_sharing_rewind(struct sonde_sharing *sharing);

#endif
