/* The shrinker: from a failing tape to the smallest one that still fails in the same way.
 *
 * It knows tapes and a predicate, nothing else, so it can be tested with plain arrays and a C function. It moves down
 * the shortlex order only: the predicate reports the tape that its run really recorded, and that one must be smaller
 * than the best so far.
 *
 * Example: a sort that loses one of two equal keys fails on [7, 3, 9, 3]. `simplest` tries the empty input, which
 * holds; `shorten` tries the first 0 and 2 elements, which hold; `delete items` takes out 9 and then 7, which
 * fail: [3, 3]; `lower equal` lowers both at once, since one alone would hold: [0, 0]. No pass finds a smaller one. */
#ifndef SONDE_SHRINK_SHRINK_H
#define SONDE_SHRINK_SHRINK_H

#include "shrink/test.h"

/* `best` comes in as a tape on which the predicate holds and goes out as the smallest found. */
struct sonde_shrink_result sonde_shrink(struct sonde_tape *best, const struct sonde_shrink_test *test);

/* Which drawn values of a failing tape may not matter: failing[i] is how many other values of choice i fail too, all else
 * being equal, if all that were tried do; else 0. One entry per choice; returns how many are above 0. Tries all values of a
 * choice that has at most 17, four others of a larger one, and obeys the test's bounds; what was not asked is 0. */
size_t sonde_shrink_free_choices(const struct sonde_tape *best, const struct sonde_shrink_test *test, uint8_t *failing);

#endif
