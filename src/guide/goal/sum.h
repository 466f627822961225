/* Solves one linear equation with bounded unknowns, modulo 2^w: by[0] * x[0] + by[1] * x[1] + ... = need. A pure
 * function: no case is run.
 *
 * It is a search by branch and bound, from the largest factor to the smallest. Of each unknown it tries only values for
 * which the other unknowns can still make up the rest. So digits are found at once, and bits that each have a weight.
 *
 * Example: eight digits are each within 0 .. 9, with the factors 10000000 .. 1, and need is 31337421. The first digit
 * must be 3, because the others make up 9999999 at most. */
#ifndef SONDE_GUIDE_GOAL_SUM_H
#define SONDE_GUIDE_GOAL_SUM_H

#include <sonde/extend.h>

/* Returns the low bytes of a number, sign-extended. */
int64_t sonde_wrap(uint64_t value, uint8_t bytes);

enum { SONDE_SUM_TERMS = 512 };

struct sonde_sum {
    uint32_t n;
    uint8_t bytes;                                    /* width of the sides */
    int64_t by[SONDE_SUM_TERMS];                      /* factors */
    int64_t lo[SONDE_SUM_TERMS], hi[SONDE_SUM_TERMS]; /* bounds; lo <= 0 <= hi */
    /* Effects of the values of a term, if not NULL: x[i] adds effects[i][x[i] - 1], or nothing if it is 0. Then by[i]
     * is the largest effect, and lo[i] is 0. */
    const int64_t *effects[SONDE_SUM_TERMS];
    bool (*accepts)(const void *of, const int64_t *x); /* what else must hold of a solution; NULL: nothing */
    const void *of;
};

/* Fills x[0..n) with a solution; returns false if none was found. Values near 0 come first, or random ones if `rng` is
 * not NULL. Adds the work done to *work, in units of about 10 ns. */
bool sonde_sum_solve(const struct sonde_sum *sum, int64_t need, struct sonde_rng *rng, int64_t *x, uint64_t *work);

#endif
