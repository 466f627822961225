/* Exchanges tapes between searches that run side by side, so that each learns from the others. Each has an outbox: a
 * ring in shared memory with the last tapes that it found worth keeping. Each reads the outboxes of the others now and
 * then.
 *
 * Only tapes are exchanged, and as copies, because everything else that a search knows belongs to its worker alone.
 * Each search runs a received tape to learn what the tape is worth to it. One process writes an outbox, any number of
 * processes read it, and none of them waits. A reader that was too slow detects that records were overwritten, and
 * continues with those that are left. A writer that dies leaves the records that it had finished.
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
/* Frees an outbox, which no other process may be reading. */
void sonde_outbox_free(struct sonde_outbox *outbox);
/* Appends a copy of the tape. A tape that is too large is not appended; then returns false. */
bool sonde_outbox_put(struct sonde_outbox *outbox, const struct sonde_tape *tape);

/* The position of one reader in one outbox. */
struct sonde_inbox {
    const struct sonde_outbox *from;
    uint64_t at; /* position of the next record to read */
    /* how often records were overwritten or damaged before this reader got them; each time may be several tapes */
    uint64_t missed;
};

/* Moves the reader to the end (skip), or back to the oldest record that is still there (rewind). */
void sonde_inbox_skip(struct sonde_inbox *inbox);
void sonde_inbox_rewind(struct sonde_inbox *inbox);
/* Returns whether all tapes have been read. The sender may be writing meanwhile, so the result may already be
 * outdated. */
bool sonde_inbox_is_empty(const struct sonde_inbox *inbox);
/* Returns whether the next tape might overwrite one that has not been read. */
bool sonde_inbox_is_full(const struct sonde_inbox *inbox);
/* Copies the next tape; returns false if there is none. */
bool sonde_inbox_take(struct sonde_inbox *inbox, struct sonde_tape *tape);

/* One search's part of the exchange: when a tape is worth sending, and when to read other outboxes. A search reads its
 * own outbox, too. If its worker died while writing shared data (a tear), it learns again from the tapes it had
 * sent. */
struct sonde_sharing {
    struct sonde_outbox *outbox; /* the tapes that this search sends; NULL: sharing is off */
    /* the first inbox reads this search's own outbox, the others read the outboxes of other jobs */
    struct sonde_inbox *inboxes;
    unsigned n_inboxes, next_inbox;
    uint32_t look_in; /* number of cases before the inboxes are checked again; used only if there are inboxes */
    uint64_t sent;
};

/* Returns the reasons to send a case to other jobs: those for which the guide keeps tapes, and passing more assumes
 * than before. */
uint32_t sonde_sharing_reasons(const struct sonde_guide *guide);
/* Sets up sharing. `is_on` is false for a single job: nothing is sent, and there is no cost. Before
 * sonde_sharing_connect is called, only the search's own outbox is read. */
void sonde_sharing_init(struct sonde_sharing *sharing, bool is_on);
/* Frees the outbox and the inboxes. */
void sonde_sharing_clear(struct sonde_sharing *sharing);
/* Lets the search read the outboxes of the other searches; `all` may contain `sharing` itself. */
void sonde_sharing_connect(struct sonde_sharing *sharing, struct sonde_sharing *const *all, unsigned n);
/* Lets the search read an outbox with tapes from outside of the run, which is borrowed; called after
 * sonde_sharing_connect. */
void sonde_sharing_listen(struct sonde_sharing *sharing, const struct sonde_outbox *post);
/* Returns whether all tapes of that outbox have been read. */
bool sonde_sharing_has_read(const struct sonde_sharing *sharing, const struct sonde_outbox *post);
/* Sends a copy of the tape if one of `reasons` is among `wanted` (sonde_sharing_reasons), unless too many tapes were
 * sent. Computes the shapes of the tape then. */
void sonde_sharing_offer(struct sonde_sharing *sharing, struct sonde_tape *tape, const struct sonde_stats *stats,
                         uint32_t reasons, uint32_t wanted);
/* Copies the next tape from one of the other jobs, each in turn; returns false if there is none. Sets when to check
 * again. */
bool sonde_sharing_receive(struct sonde_sharing *sharing, struct sonde_tape *tape);
/* Makes the search receive all tapes that are still in the outboxes again, after a tear. */
void sonde_sharing_rewind(struct sonde_sharing *sharing);

#endif
