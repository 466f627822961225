/* The predicate of an import: how a script is run and compared with the file. retrace and guess know the property by
 * this alone, as the shrinker knows it by shrink/test.h. */
#ifndef SONDE_IMPORT_TEST_H
#define SONDE_IMPORT_TEST_H

#include "case/aim.h"
#include "tape/script.h"

/* How a run ended. */
struct sonde_import_end {
    bool has_failed;
    bool was_misused; /* the property misuses sonde: no further run makes sense */
    bool was_costly;  /* it died, or drew as much as a case may: that costs as much as thousands of others */
};

struct sonde_import_test {
    struct sonde_aim *aim; /* what each run is compared with, and what the last one wrote */
    /* Runs the property: draws that the script has are answered by it, the others by `guide`, or by the simplest value
     * if that is NULL. `actual` becomes the tape of the run. */
    struct sonde_import_end (*run)(void *user, const struct sonde_tape *script, struct sonde_guide *guide,
                                   struct sonde_tape *actual);
    /* Asked between runs: time to stop? May be NULL. */
    bool (*enough)(void *user);
    void *user;
};

#endif
