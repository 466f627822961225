/* The predicate of an import: how a script is run and compared with the file. It is all that retrace and guess know of
 * the property, as the predicate in shrink/shrink.h is for the shrinker. */
#ifndef SONDE_IMPORT_TEST_H
#define SONDE_IMPORT_TEST_H

#include "case/aim.h"
#include "tape/script.h"

/* How a run ended. */
struct sonde_import_end {
    bool has_failed;
    bool was_misused; /* the property misuses sonde: no further run makes sense */
    bool was_costly;  /* it died, or drew as much as a case may: such a run costs as much as thousands of others */
};

/* How the search runs the property. */
struct sonde_import_test {
    struct sonde_aim *aim; /* the target that each run is compared with, and what the last run wrote */
    /* Runs the property. Draws that the script has get its values. The others get values from `guide`, or the
     * simplest ones if it is NULL. `actual` becomes the tape of the run. */
    struct sonde_import_end (*run)(void *user, const struct sonde_tape *script, struct sonde_guide *guide,
                                   struct sonde_tape *actual);
    /* Reports whether to stop; called between runs. May be NULL. */
    bool (*enough)(void *user);
    void *user;
};

#endif
