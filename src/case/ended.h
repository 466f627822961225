/* Inputs that were run, by the hash of their choices: so that a case is not run once more.
 *
 * A property that draws the same does the same. So a case that has drawn all that an earlier one drew before it ended will draw
 * no more: it is that case again. This is known with the answer to its last draw, before the code under test has
 * run for it, and another answer can be given instead (draw.c). Where every answer to a draw would end so, what was drawn before it
 * leads to nothing new either, and is entered, too.
 *
 * Of two hashes that fall on one place the later stays. What is forgotten costs a case, no more. */
#ifndef SONDE_CASE_ENDED_H
#define SONDE_CASE_ENDED_H

#include <stdbool.h>
#include <stdint.h>

enum { SONDE_ENDED_BITS = 16 };

struct sonde_ended {
    uint32_t hashes[1 << SONDE_ENDED_BITS]; /* 0: none */
};

static inline void sonde_ended_add(struct sonde_ended *e, uint64_t hash)
{
    e->hashes[hash >> (64 - SONDE_ENDED_BITS)] = (uint32_t)hash;
}

static inline bool sonde_ended_has(const struct sonde_ended *e, uint64_t hash)
{
    return e->hashes[hash >> (64 - SONDE_ENDED_BITS)] == (uint32_t)hash;
}

#endif
