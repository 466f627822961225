/* A snapshot: what is to be kept of a search while it runs. The worker writes it between two cases when asked to, and
 * the supervisor saves it to the store. Writer and reader of the format are both here.
 *
 * Hand-over: only the side that has the turn may touch the bytes. NONE and ASKED are the worker's turn, READY is the
 * supervisor's. The worker stores READY with release after the last byte; the supervisor loads it with acquire before
 * the first. The supervisor returns the turn by NONE in the same way. If a worker dies, the state stays as it is:
 * unfinished bytes are never READY. */
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
    /* The new tapes. Each has: why (a byte), when (4 bytes), how many keys (a byte), the keys (4 bytes each), the
     * token, a NUL. */
    struct sonde_bytes tapes;
    struct sonde_bytes learned;            /* by the guide */
    struct sonde_bytes known;              /* keys of all that has been shown, 4 bytes each */
    const struct sonde_coverage *coverage; /* knows names for keys; NULL: keys are not needed, and there are none */
};

/* A key is a hash of something that a tape shows, and is the same in other processes. It represents a location in the
 * code of a build with a rough count, or a rough level of a utility. It also says whether a valid input showed it. */
enum { SONDE_SNAPSHOT_KEYS = 14 }; /* at most this number per tape, sampled from all that it owns */

void sonde_snapshot_clear(struct sonde_snapshot *snapshot);
/* Writes what is new in the saved corpus since the last time, and what the guide has learned. `is_sparse`: hardly any
 * input is valid, so inputs that pass most assumes are worth keeping, too. */
void sonde_snapshot_take(struct sonde_snapshot *snapshot, struct sonde_saved *saved, const struct sonde_labels *labels,
                         struct sonde_guide *guide, bool is_sparse);

/* One tape of a snapshot; borrows its string. */
struct sonde_snapshot_tape {
    const char *why; /* static */
    uint32_t order;  /* number in the order in which they were found */
    uint8_t n_keys;
    uint32_t keys[SONDE_SNAPSHOT_KEYS];
    const char *text;
};
/* Returns a reader of the tapes. Call it only between READY and sonde_snapshot_release; otherwise the worker writes
 * them. Ends the process by sonde_die_overwritten if one of the three byte strings is outside of the heap. */
struct sonde_reader sonde_snapshot_tapes(const struct sonde_snapshot *snapshot);
/* Reads the next tape. Returns false at the end, or if the bytes are damaged. */
bool sonde_snapshot_next(struct sonde_reader *reader, struct sonde_snapshot_tape *tape);

/* ---- The turn. */
/* Returns whether there is something to read; for the supervisor. */
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
/* Returns the turn after all has been read; for the supervisor. */
static inline void sonde_snapshot_release(struct sonde_snapshot *snapshot)
{
    sonde_assert(sonde_snapshot_is_ready(snapshot));
    atomic_store_explicit(&snapshot->state, SONDE_SNAPSHOT_NONE, memory_order_release);
}

#endif
