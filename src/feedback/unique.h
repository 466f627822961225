/* How many different things were seen: exactly up to 2^22, then estimated (HyperLogLog), in bounded memory.
 *
 * Things are told apart by 64-bit hashes whose bits are well mixed. A set is used in one of two ways. Where nobody asks
 * whether a thing is new, it is only logged, and repeats are sorted out later: a log is written in order, so it costs a
 * few nanoseconds, where a large table costs a cache miss. Where somebody asks, the set keeps a table; asking once
 * turns a log into one. */
#ifndef SONDE_FEEDBACK_UNIQUE_H
#define SONDE_FEEDBACK_UNIQUE_H

#include "base/check.h"

#include <stddef.h>
#include <stdint.h>

enum { SONDE_UNIQUE_EXACT = 1 << 22, SONDE_UNIQUE_PART_BITS = 8, SONDE_UNIQUE_PARTS = 1 << SONDE_UNIQUE_PART_BITS };

struct sonde_unique_chunk;

/* The log is split by the high bits of the hash, so that repeats can be sorted out a part at a time, in the cache. */
struct sonde_unique_part {
    struct sonde_unique_chunk *first, *current; /* those behind `current` are spare */
    uint32_t before;                            /* hashes in the chunks before `current` */
    uint32_t distinct;                          /* the first so many are known to be different from each other */
};

struct sonde_unique {
    uint64_t *at, *end; /* room for hashes that are not yet in a part; both NULL if nothing is to be logged */
    uint64_t *stage;
    struct {
        uint64_t *at, *end; /* room in the current chunk */
    } tails[SONDE_UNIQUE_PARTS];
    struct sonde_unique_part parts[SONDE_UNIQUE_PARTS];
    uint64_t logged, distinct; /* sums over all that was deduped: how many went in, how many were new */
    uint64_t *scratch;
    unsigned scratch_bits;

    uint64_t *slots; /* the table: open addressing by the high bits; 0 is free */
    unsigned bits;
    uint32_t n;

    uint8_t *registers; /* once there are too many to tell apart */

    volatile uint32_t busy; /* not 0 while it is rearranged: whoever finds it so after a crash cannot trust it */
    uint64_t about;         /* how many there were when the log was last put in order */
    uint64_t lost;          /* how many it held, about, when it had to be given up */
};

void sonde_unique_init(struct sonde_unique *set);
void sonde_unique_clear(struct sonde_unique *set);
/* True if it is new; a guess with a bias towards no once the count is estimated. */
bool sonde_unique_add(struct sonde_unique *set, uint64_t hash);

/* Like sonde_unique_add, but does not report whether the hash was new; costs a few ns. */
void sonde_unique_log_slowly(struct sonde_unique *set, uint64_t hash);
static inline void sonde_unique_add_later(struct sonde_unique *set, uint64_t hash)
{
    if (set->at != set->end) *set->at++ = hash;
    else sonde_unique_log_slowly(set, hash);
}

/* It is a log, a table or registers, never two of them; its counts are those of what it holds; whatever is in the table is
 * found there. */
SONDE_CHECKER(sonde_unique_check, struct sonde_unique);

/* After the death of a process that may have been at it: makes it usable again. Where it was being rearranged, only its
 * size is known from then on, and the count is an estimate. False if that was so. */
bool sonde_unique_recover(struct sonde_unique *set);

/* Adds what another set holds. */
void sonde_unique_merge(struct sonde_unique *set, const struct sonde_unique *other);
/* Exact unless *estimated. Works through what waits in the log, so it is not for every case. */
uint64_t sonde_unique_count(struct sonde_unique *set, bool *estimated);
/* The same by a process that may die at it. */
uint64_t sonde_unique_settle(struct sonde_unique *set, bool *estimated);
/* The count as far as it is known without work: for a progress line. */
uint64_t sonde_unique_about(const struct sonde_unique *set);

#endif
