/* What a run did not test, although its verdicts look good: counted over all properties, with what that does to its status. */
#ifndef SONDE_CLI_STRICT_H
#define SONDE_CLI_STRICT_H

#include <sonde/extend.h>

/* A listener. Lives as long as the run tells it of events. */
struct sonde_strict {
    struct sonde_reporter base;
    bool is_on; /* --strict */
    size_t
        n_stored; /* failures that cannot be read, that no longer lead to their input, or for which there was no time */
    size_t n_empty;       /* properties that hold, but test less than they seem to */
    size_t n_regressions; /* that were run */
    size_t n_unjudged;    /* of these, not judged */
    char why[512];        /* of the first property that has one: what they need */
};

struct sonde_strict sonde_strict_begin(bool is_on);
/* Returns whether the status is to be SONDE_USAGE, after a message: no regression could be judged; or, with --strict, a stored
 * failure could not be replayed, or a property tests less than it seems to. A stored failure that needs another build is not
 * among these: a cache that two builds share would fail one of them forever. */
bool sonde_strict_is_broken(const struct sonde_strict *s);

#endif
