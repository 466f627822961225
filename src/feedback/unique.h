/* A count of different things: exact up to 2^20, then estimated (HyperLogLog), in bounded memory.
 *
 * Things are identified by 64-bit hashes whose bits are well mixed. A set is used in one of two modes. If callers never
 * ask whether a thing is new, its hash is only logged, and repeats are removed later. A log is written in order, so it
 * costs a few nanoseconds, where a large table costs a cache miss. If callers ask, the set keeps a table; the first
 * such call turns the log into a table. */
#ifndef SONDE_FEEDBACK_UNIQUE_H
#define SONDE_FEEDBACK_UNIQUE_H

#include "base/check.h"
#include "base/limit.h"

#include <stddef.h>
#include <stdint.h>

enum {
    /* Fewer hashes than this are counted exactly. The log and the table have at most 18 MB each. A log is then replaced
     * by 256 kB, and a table forgets, so a run of days needs no more memory than its first minutes. */
    SONDE_UNIQUE_EXACT = SONDE_LIMIT(1 << 20, 1 << 12),
    SONDE_UNIQUE_PART_BITS = 8,
    SONDE_UNIQUE_PARTS = 1 << SONDE_UNIQUE_PART_BITS, /* number of parts of the log */
    SONDE_UNIQUE_STAGE = SONDE_LIMIT(4096, 64)        /* number of hashes that are distributed to the parts together */
};

struct sonde_unique_chunk;

/* A part of the log. The log is split by the high bits of the hash, so that repeats can be removed a part at a time,
 * in the cache. */
struct sonde_unique_part {
    struct sonde_unique_chunk *first, *current; /* chunks after `current` are spare */
    uint32_t before;                            /* number of hashes in the chunks before `current` */
    uint32_t distinct;                          /* this many hashes at the beginning are known to be distinct */
};

/* A set of hashes. */
struct sonde_unique {
    uint64_t *at, *end; /* free room for hashes that are not yet in a part; both NULL if nothing is logged */
    uint64_t *stage;
    struct {
        uint64_t *at, *end; /* free room in the current chunk of the part */
    } tails[SONDE_UNIQUE_PARTS];
    struct sonde_unique_part parts[SONDE_UNIQUE_PARTS];
    uint64_t logged, distinct; /* number of hashes before and after repeats were removed */
    uint64_t *scratch;
    unsigned scratch_bits;

    uint64_t *slots; /* the table: open addressing by the high bits; 0 is free. Beside registers: recent hashes */
    unsigned bits;
    uint32_t n;

    uint8_t *registers; /* registers of HyperLogLog, which count once there are too many hashes */

    volatile uint32_t busy; /* nonzero while the set is rearranged: if the process dies then, the set is unusable */
    uint64_t about;         /* the count when the log was last distributed to the parts */
    uint64_t lost;          /* approximate number of hashes that had to be discarded */
};

/* Initialises an empty set. */
void sonde_unique_init(struct sonde_unique *set);
/* Frees the memory. */
void sonde_unique_clear(struct sonde_unique *set);
/* Adds a hash; returns whether it is new. Once the count is an estimate, older hashes are forgotten, so they may count
 * as new again. */
bool sonde_unique_add(struct sonde_unique *set, uint64_t hash);

/* Adds a hash when there is no room to log it quickly; called by sonde_unique_add_later. */
void sonde_unique_log_slowly(struct sonde_unique *set, uint64_t hash);
/* Adds a hash like sonde_unique_add, but does not report whether it was new; costs a few ns. */
static inline void sonde_unique_add_later(struct sonde_unique *set, uint64_t hash)
{
    if (set->at != set->end) *set->at++ = hash;
    else sonde_unique_log_slowly(set, hash);
}

/* Asserts that a log is no longer used beside a table or registers. Asserts that counts match the content, and that
 * every hash in the table is found. */
SONDE_CHECKER(sonde_unique_check, struct sonde_unique);

/* Makes a set usable after the death of a process that may have been writing it. Returns false if it was being
 * rearranged: from then on only its size is known, and the count is an estimate. */
bool sonde_unique_recover(struct sonde_unique *set);

/* Adds the hashes of another set. */
void sonde_unique_merge(struct sonde_unique *set, const struct sonde_unique *other);
/* Returns the count, exact unless *estimated. Removes repeats from the log, so it is too slow for every case. */
uint64_t sonde_unique_count(struct sonde_unique *set, bool *estimated);
/* Returns the count like sonde_unique_count, in a process that may die meanwhile. */
uint64_t sonde_unique_count_guarded(struct sonde_unique *set, bool *estimated);
/* Returns an approximate count without removing repeats; cheap enough for a progress line. */
uint64_t sonde_unique_about(const struct sonde_unique *set);

#endif
