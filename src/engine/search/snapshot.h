/* A snapshot: the tapes and learned data to be stored while a search is running. The worker writes it between two
 * cases when asked to, and the supervisor saves it to the store. snapshot.c both writes and reads the format.
 *
 * Hand-over: only the side that has the turn may touch the bytes. In the states NONE and ASKED it is the worker's
 * turn, in READY the supervisor's. The worker stores READY with release after it has written the last byte; the
 * supervisor loads the state with acquire before it reads. The supervisor returns the turn by storing NONE in the same
 * way. If a worker dies, the state stays as it is: unfinished bytes are never READY. */
#ifndef SONDE_ENGINE_SNAPSHOT_H
#define SONDE_ENGINE_SNAPSHOT_H

#include "base/bytes.h"
#include "base/check.h"
#include "corpus/harvest.h"
#include "observe/coverage.h"
#include "tape/label.h"

#include <stdatomic.h>

/* The state of the hand-over; see above. */
enum sonde_snapshot_state { SONDE_SNAPSHOT_NONE, SONDE_SNAPSHOT_ASKED, SONDE_SNAPSHOT_READY };
/* The snapshot of one search. */
struct sonde_snapshot {
    atomic_int state;
    /* The new tapes. Each has: why (a byte), when (4 bytes), how many keys (a byte), the keys (4 bytes each), the
     * token, a NUL. */
    struct sonde_bytes tapes;
    struct sonde_bytes learned; /* the data that the guide has learned */
    struct sonde_bytes known;   /* keys of everything that tapes of the search have shown, 4 bytes each */
    /* names the features from which keys are made; NULL: no keys are needed or made */
    const struct sonde_coverage *coverage;
};

/* A key is a hash of something that a tape shows, and is the same in other processes. It represents a location in the
 * code of a build with a rough count, or a rough level of a utility. Keys of valid and of other inputs differ. */
enum { SONDE_SNAPSHOT_KEYS = 14 }; /* maximum number of keys per tape: a sample of all keys that the tape owns */

void sonde_snapshot_clear(struct sonde_snapshot *snapshot);
/* Writes the tapes of the saved corpus that are new since the last snapshot, and what the guide has learned.
 * `is_sparse`: hardly any input is valid, so inputs that pass most assumes are worth keeping, too. */
void sonde_snapshot_take(struct sonde_snapshot *snapshot, struct sonde_saved *saved, const struct sonde_labels *labels,
                         struct sonde_guide *guide, bool is_sparse);

/* One tape of a snapshot; borrows its string. */
struct sonde_snapshot_tape {
    const char *why; /* static */
    uint32_t order;  /* number of this tape in the order in which tapes were found */
    uint8_t n_keys;
    uint32_t keys[SONDE_SNAPSHOT_KEYS];
    const char *text;
};
/* Returns a reader of the tapes. Call it only between READY and sonde_snapshot_release; otherwise the worker writes
 * them. Ends the process by sonde_die_overwritten if `tapes`, `learned` or `known` is outside of the heap. */
struct sonde_reader sonde_snapshot_tapes(const struct sonde_snapshot *snapshot);
/* Reads the next tape. Returns false at the end, or if the bytes are damaged. */
bool sonde_snapshot_next(struct sonde_reader *reader, struct sonde_snapshot_tape *tape);

/* ---- The turn. */
/* Returns whether there is a complete snapshot to read; for the supervisor. */
static inline bool sonde_snapshot_is_ready(const struct sonde_snapshot *snapshot)
{
    return atomic_load_explicit(&snapshot->state, memory_order_acquire) == SONDE_SNAPSHOT_READY;
}
/* Returns whether a snapshot is requested; for the worker. */
static inline bool sonde_snapshot_is_asked(const struct sonde_snapshot *snapshot)
{
    return atomic_load_explicit(&snapshot->state, memory_order_acquire) == SONDE_SNAPSHOT_ASKED;
}
/* Requests a snapshot, unless one is requested or ready already; for the supervisor. Compare-and-exchange: with a check
 * and a plain store, the worker might become ready in between, and its snapshot would be lost. */
static inline void sonde_snapshot_ask(struct sonde_snapshot *snapshot)
{
    int none = SONDE_SNAPSHOT_NONE;
    atomic_compare_exchange_strong(&snapshot->state, &none, SONDE_SNAPSHOT_ASKED);
}
/* Marks the snapshot as complete; for the worker. */
static inline void sonde_snapshot_publish(struct sonde_snapshot *snapshot)
{
    sonde_assert(sonde_snapshot_is_asked(snapshot));
    atomic_store_explicit(&snapshot->state, SONDE_SNAPSHOT_READY, memory_order_release);
}
/* Gives the turn back to the worker after all bytes have been read; for the supervisor. */
static inline void sonde_snapshot_release(struct sonde_snapshot *snapshot)
{
    sonde_assert(sonde_snapshot_is_ready(snapshot));
    atomic_store_explicit(&snapshot->state, SONDE_SNAPSHOT_NONE, memory_order_release);
}

#endif
