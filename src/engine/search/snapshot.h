/* What is to be kept of a search while it goes on: the worker writes it down when it is asked to, between two cases, and the
 * supervisor brings it to the store. Writer and reader of the format are both here.
 *
 * Hand-over: whoever has the turn may touch the bytes. NONE and ASKED are the worker's turn, READY is the supervisor's; the worker
 * stores READY with release after the last byte, the supervisor loads it with acquire before the first, and gives the turn back
 * by NONE in the same way. A worker that dies leaves it as it is: what it had not finished is never READY. */
#ifndef SONDE_ENGINE_SNAPSHOT_H
#define SONDE_ENGINE_SNAPSHOT_H

#include "base/bytes.h"
#include "base/check.h"
#include "corpus/harvest.h"
#include "observe/coverage.h"
#include "tape/label.h"

#include <stdatomic.h>

enum sonde_snapshot_state { SONDE_SNAPSHOT_NONE, SONDE_SNAPSHOT_ASKED, SONDE_SNAPSHOT_READY };
struct sonde_snapshot {
    atomic_int state;
    struct sonde_bytes
        tapes; /* those that are new: why (a byte), when (4 bytes), how many keys (a byte), the keys (4 bytes each);
                                 the text of the tape; a NUL */
    struct sonde_bytes learned;            /* by the guide */
    struct sonde_bytes known;              /* keys of all that has been shown, 4 bytes each */
    const struct sonde_coverage *coverage; /* knows names for keys; NULL: nobody asks for keys, and there are none */
};

/* A key is a hash of something that a tape shows, which other processes give the same name: a place in the code of a build with a
 * rough count, or about how high a utility is; and whether a valid input showed it. */
enum { SONDE_SNAPSHOT_KEYS = 14 }; /* of one tape at most, from all over what it owns */

void sonde_snapshot_clear(struct sonde_snapshot *snapshot);
/* Writes down what is new in the harvest since the last time, and what the guide has learned. `is_sparse`: hardly any input is
 * valid, so that the way through most assumes is worth keeping, too. */
void sonde_snapshot_take(struct sonde_snapshot *snapshot, struct sonde_harvest *harvest,
                         const struct sonde_labels *labels, struct sonde_guide *guide, bool is_sparse);

/* One tape of a snapshot; borrows its text. */
struct sonde_snapshot_tape {
    const char *why; /* static */
    uint32_t order;  /* in which they were found */
    uint8_t n_keys;
    uint32_t keys[SONDE_SNAPSHOT_KEYS];
    const char *text;
};
/* Only when it is ready, and before it is taken in: the worker writes it otherwise. Checks where all three byte strings lie, and ends
 * the process by sonde_die_overwritten if one lies outside of the heap. */
struct sonde_reader sonde_snapshot_tapes(const struct sonde_snapshot *snapshot);
/* Returns false at the end, or where the bytes are damaged. */
bool sonde_snapshot_next(struct sonde_reader *reader, struct sonde_snapshot_tape *tape);

/* ---- The turn. */
/* The supervisor's: whether there is something to read. */
static inline bool sonde_snapshot_is_ready(const struct sonde_snapshot *snapshot)
{
    return atomic_load_explicit(&snapshot->state, memory_order_acquire) == SONDE_SNAPSHOT_READY;
}
/* The worker's: whether it is asked to write. */
static inline bool sonde_snapshot_is_asked(const struct sonde_snapshot *snapshot)
{
    return atomic_load_explicit(&snapshot->state, memory_order_acquire) == SONDE_SNAPSHOT_ASKED;
}
/* The supervisor's: asks, unless it has asked already or there is something to read. Between a look and a plain store the worker
 * might become ready, and what it has written down would be asked for again and lost. */
static inline void sonde_snapshot_ask(struct sonde_snapshot *snapshot)
{
    int none = SONDE_SNAPSHOT_NONE;
    atomic_compare_exchange_strong(&snapshot->state, &none, SONDE_SNAPSHOT_ASKED);
}
/* The worker's: all is written down. */
static inline void sonde_snapshot_give(struct sonde_snapshot *snapshot)
{
    sonde_assert(sonde_snapshot_is_asked(snapshot));
    atomic_store_explicit(&snapshot->state, SONDE_SNAPSHOT_READY, memory_order_release);
}
/* The supervisor's: all has been read. */
static inline void sonde_snapshot_take_in(struct sonde_snapshot *snapshot)
{
    sonde_assert(sonde_snapshot_is_ready(snapshot));
    atomic_store_explicit(&snapshot->state, SONDE_SNAPSHOT_NONE, memory_order_release);
}

#endif
