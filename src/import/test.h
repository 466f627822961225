/* The predicate of an import: it runs a script and compares what the property writes with the file. retrace.c and
 * guess.c know nothing else of the property, as the shrinker knows only the predicate in shrink/shrink.h. */
#ifndef SONDE_IMPORT_TEST_H
#define SONDE_IMPORT_TEST_H

#include "case/aim.h"
#include "tape/script.h"

/* How a run ended. */
struct sonde_import_end {
    bool has_failed;
    bool was_misused; /* the property misuses sonde: no further run makes sense */
    /* the run died, or drew as many choices as a case may: it cost as much time as thousands of other runs */
    bool was_costly;
};

/* How the search runs the property. */
struct sonde_import_test {
    struct sonde_aim *aim; /* the target with which each run is compared, and the bytes that the last run wrote */
    /* Runs the property. Draws get the values of the script, as far as it has any. Other draws get values from
     * `guide`, or the simplest values if `guide` is NULL. `actual` becomes the tape of the run. */
    struct sonde_import_end (*run)(void *user, const struct sonde_tape *script, struct sonde_guide *guide,
                                   struct sonde_tape *actual);
    /* Returns whether to stop; called between runs. NULL: no other limit than the search's. */
    bool (*enough)(void *user);
    void *user;
};

#endif
