/* How searches that run side by side learn from each other: each has an outbox, a ring in shared memory of the last tapes
 * that it found worth keeping, and reads those of the others now and then.
 *
 * Tapes cross over, as copies, because the corpus of a search is its worker's alone; never tables: what a tape is worth to another search, that search finds out by running it. One process
 * writes an outbox, any number read it, and nobody waits: a reader that was overtaken by the writer sees that, and goes
 * on with what is still there. A writer that dies in the middle leaves what it had finished.
 *
 * Positions only grow; a record lies at position % RING:
 *
 *     tail <= head <= reserved     [tail, head) can be read, [head, reserved) is being written
 *     a reader at position p has lost it once reserved - p exceeds the ring */
#ifndef SONDE_ENGINE_EXCHANGE_H
#define SONDE_ENGINE_EXCHANGE_H

#include <sonde/extend.h>

struct sonde_outbox;

/* In the heap of the sender, where every job can read it. Its pages are touched only as it fills. */
struct sonde_outbox *sonde_outbox_create(void);
void sonde_outbox_free(struct sonde_outbox *outbox);
/* Puts a copy of the tape there; false if it is too large, and left out. */
bool sonde_outbox_put(struct sonde_outbox *outbox, const struct sonde_tape *tape);

/* One reader's place in one outbox. */
struct sonde_inbox {
    const struct sonde_outbox *from;
    uint64_t at;     /* bytes of the ring that are read */
    uint64_t missed; /* tapes or more that were gone before they were read */
};

/* Reads on from the end, or once more from the beginning, as far as that is still there. */
void sonde_inbox_skip(struct sonde_inbox *inbox);
void sonde_inbox_rewind(struct sonde_inbox *inbox);
/* Answers for now: the sender may be writing. */
bool sonde_inbox_is_empty(const struct sonde_inbox *inbox);
/* Whether another tape might be written over one that has not been read. */
bool sonde_inbox_is_full(const struct sonde_inbox *inbox);
/* The next tape, copied; false if there is none. */
bool sonde_inbox_take(struct sonde_inbox *inbox, struct sonde_tape *tape);

/* What a search shares with those that run beside it, by exchange.h: when a tape is worth sending, and when to look for others'.
 * Its own outbox is one that it reads, too: after a tear it learns again from what it had sent. */

struct sonde_sharing {
    struct sonde_outbox *outbox; /* what was found worth keeping, for others and for itself; NULL: nothing is */
    struct sonde_inbox *inboxes; /* the first is its own outbox; then those of other jobs */
    unsigned n_inboxes, next_inbox;
    uint32_t look_in; /* cases before it looks whether there is something; looked at only where there are inboxes */
    uint64_t sent;
};

/* What makes a run worth sending to the other jobs: whatever the guide keeps tapes for, and getting further. */
uint32_t sonde_sharing_reasons(const struct sonde_guide *guide);
/* `is_on` is false for a single job: nothing is sent, and nothing costs anything. Alone it is connected
 * to itself. */
void sonde_sharing_init(struct sonde_sharing *sharing, bool is_on);
void sonde_sharing_clear(struct sonde_sharing *sharing);
/* From now on it reads what the others send; `all` may have itself among them. */
void sonde_sharing_connect(struct sonde_sharing *sharing, struct sonde_sharing *const *all, unsigned n);
/* And what comes to this outbox, from outside of the run. After sonde_sharing_connect. */
void sonde_sharing_listen(struct sonde_sharing *sharing, const struct sonde_outbox *post);
/* Whether it has read all that came there. */
bool sonde_sharing_has_read(const struct sonde_sharing *sharing, const struct sonde_outbox *post);
/* Sends the tape if it is worth it. */
void sonde_sharing_offer(struct sonde_sharing *sharing, struct sonde_tape *tape, const struct sonde_stats *stats,
                         uint32_t reasons, uint32_t wanted);
/* The next tape from one of the other jobs, each in its turn; false if there is none. Says when to look again. */
bool sonde_sharing_receive(struct sonde_sharing *sharing, struct sonde_tape *tape);
/* After a tear: all that is still there comes again. */
void sonde_sharing_rewind(struct sonde_sharing *sharing);

#endif
