/* Counts, over all properties, what a run did not test, and decides whether that makes its exit status an error. */
#ifndef SONDE_CLI_STRICT_H
#define SONDE_CLI_STRICT_H

#include <sonde/extend.h>

/* A reporter that only counts. It must live until the last event of the run. */
struct sonde_strict {
    struct sonde_reporter base;
    bool is_on; /* --strict */
    /* Number of stored failures that are unreadable, no longer produce their input, or were not reached in time. */
    size_t n_stored;
    size_t n_weak;        /* number of properties that passed, but test less than they seem to */
    size_t n_regressions; /* number of tapes of --regressions that were run */
    size_t n_unjudged;    /* number of tapes of --regressions that this build could not judge */
    char why[512];        /* what the unjudged tapes need, as the first property with such tapes reports it */
};

/* Returns a reporter with all counts at 0; pass its `base` to the run. */
struct sonde_strict sonde_strict_begin(bool is_on);
/* Returns whether the status must be SONDE_USAGE, after printing why. One reason is that no regression could be
 * judged. With --strict there are two more: a stored failure could not be replayed, or a property tests less than
 * it seems to. A stored failure that needs another build does not count: if two builds shared a store, one would
 * always fail. */
bool sonde_strict_is_broken(const struct sonde_strict *s);

#endif
