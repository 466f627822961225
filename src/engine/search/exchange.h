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

#endif
