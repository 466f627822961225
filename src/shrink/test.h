/* What the shrinker is given and what it answers: the predicate, by which alone it knows the property, and the result.
 * Passes see these two, never the driver that calls them. */
#ifndef SONDE_SHRINK_TEST_H
#define SONDE_SHRINK_TEST_H

#include "tape/script.h"

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

struct sonde_shrink_result {
    uint64_t calls; /* of `fails` */
    uint64_t saved; /* candidates answered from memory */
    bool stopped;   /* by max_calls or `enough`, before the passes had nothing more to do */
    bool complete;  /* not stopped, and no limit kept a pass from trying all that it tries on the tape that came out */
};

#endif
