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

#include "tape/script.h"

/* The predicate, by which alone the shrinker knows the property. */
struct sonde_shrink_test {
    /* Runs the property on a script, missing parts answered by 0. True if it fails with the same identity. `actual`
     * then holds the tape of that run; of other runs too if they are known, which saves calls (the shrinker can then
     * tell which candidates would only repeat them), else it is left without choices. */
    bool (*fails)(void *user, const struct sonde_tape *script, struct sonde_tape *actual);
    /* Asked after a call that answered false: did a precondition end that run? May be NULL: then it may have. */
    bool (*discarded)(void *user);
    /* Asked after a call that answered false: pairs of unequal numbers that the code compared in that run, the latest last.
     * They are guesses only. May be NULL: then none are known. */
    size_t (*compared)(void *user, const struct sonde_hint **hints);
    /* Asked between calls: time to stop? May be NULL. */
    bool (*enough)(void *user);
    /* Told of each improvement. May be NULL. */
    void (*better)(void *user, const struct sonde_tape *best);
    void *user;
    uint64_t max_calls; /* 0: no bound */
};

/* What came of it. */
struct sonde_shrink_result {
    uint64_t calls; /* of `fails` */
    uint64_t saved; /* candidates answered from memory */
    bool stopped;   /* by max_calls or `enough`, before the passes had nothing more to do */
    bool complete;  /* not stopped, and no limit kept a pass from trying all that it tries on the tape that came out */
};

/* `best` comes in as a tape on which the predicate holds and goes out as the smallest found. */
struct sonde_shrink_result sonde_shrink(struct sonde_tape *best, const struct sonde_shrink_test *test);

/* Which drawn values of a failing tape may not matter: failing[i] is how many other values of choice i fail too, all else
 * being equal, if all that were tried do; else 0. One entry per choice; returns how many are above 0. Tries all values of a
 * choice that has at most 17, four others of a larger one, and obeys the test's bounds; what was not asked is 0. */
size_t sonde_shrink_free_choices(const struct sonde_tape *best, const struct sonde_shrink_test *test, uint8_t *failing);

#endif
