/* The shrinker: it turns a failing tape into the smallest one found that still fails in the same way.
 *
 * The shrinker knows only tapes and a predicate, so plain arrays and a C function are enough to test it. It only moves
 * down the shortlex order: the predicate reports the tape that its run recorded, which must be smaller than the best so
 * far.
 *
 * Example: a sort that loses one of two equal keys fails on [7, 3, 9, 3].
 *   - `simplest` tries the empty input, which passes;
 *   - `shorten` tries the first 0 and the first 2 elements, which pass;
 *   - `delete items` removes 9 and then 7, and both inputs still fail: [3, 3];
 *   - `lower equal` lowers both values at once, since lowering only one would pass: [0, 0].
 * No pass finds a smaller input. */
#ifndef SONDE_SHRINK_SHRINK_H
#define SONDE_SHRINK_SHRINK_H

#include "tape/script.h"

/* The predicate: all that the shrinker knows of the property. */
struct sonde_shrink_test {
    /* Runs the property on a script; draws that the script lacks get 0. Returns true if the property fails with the
     * same identity, and then fills `actual` with the tape of that run. For other runs it may fill `actual` as well,
     * or leave it without choices. Filling it saves calls, because the shrinker then recognises candidates that repeat
     * the run. */
    bool (*fails)(void *user, const struct sonde_tape *script, struct sonde_tape *actual);
    /* Reports whether a precondition ended the last run; called after `fails` returned false. May be NULL: then the
     * shrinker assumes that preconditions may exist. */
    bool (*discarded)(void *user);
    /* Returns the number of pairs of unequal numbers that the code compared in the last run, and sets *hints to them,
     * the latest last. Called after `fails` returned false. The pairs are only guesses. May be NULL: then none are
     * known. */
    size_t (*compared)(void *user, const struct sonde_hint **hints);
    /* Reports whether to stop; called between calls of `fails`. May be NULL. */
    bool (*enough)(void *user);
    /* Called with each improvement. May be NULL. */
    void (*better)(void *user, const struct sonde_tape *best);
    void *user;
    uint64_t max_calls; /* maximum number of calls of `fails`; 0: no limit */
};

/* The result of shrinking. */
struct sonde_shrink_result {
    uint64_t calls; /* number of calls of `fails` */
    uint64_t saved; /* number of candidates not run because their outcome was known */
    bool stopped;   /* max_calls or `enough` ended shrinking before the passes had tried everything */
    bool complete;  /* shrinking was not stopped, and every candidate of every pass on the final tape was run */
};

/* Shrinks `best`, a tape on which `fails` returns true, in place to the smallest failing tape found. Returns
 * what it cost. */
struct sonde_shrink_result sonde_shrink(struct sonde_tape *best, const struct sonde_shrink_test *test);

/* Finds drawn values of a failing tape that may not matter. failing[] has one entry per choice. failing[i] is the
 * number of other values tried for choice i, all else being equal, if all of them fail too; else 0. Tries all values
 * of a choice that has at most 17, and four others of a larger one. Obeys the test's bounds; choices that were not
 * tried get 0. Returns how many entries are above 0. */
size_t sonde_shrink_free_choices(const struct sonde_tape *best, const struct sonde_shrink_test *test, uint8_t *failing);

#endif
