/* Finds out what the functions of a program call, as far as their machine code shows it. The calls decide whether a
 * search sees the code it tests, and whether a property may reach a sonde_fail. */
#ifndef SONDE_ENGINE_CALLEES_H
#define SONDE_ENGINE_CALLEES_H

#include "engine/search/search.h"

/* Functions that a test calls and that its build does not cover. Each list names up to three functions, and the library
 * of a function that is in one: "parse (libp.so), add". An empty list means that there are none, or that calls cannot
 * be determined. */
struct sonde_outside {
    bool is_blind;       /* no case reached instrumented code beyond the test, which calls the functions in `unseen` */
    char unseen[330];    /* functions without instrumentation, if the program has any */
    char unwatched[330]; /* functions without AddressSanitizer, if the program has it */
};

/* Fills `outside` from the machine code of the functions that cases reached. `run` is the property's function. All is
 * empty if the program has neither counters nor AddressSanitizer. */
void sonde_outside_find(const struct sonde_search *s, sonde_property_fn *run, struct sonde_outside *outside);

/* Returns whether a condition never holds. Such a check marks code that should not be reached: `default: sonde_check(t,
 * false);`. */
bool sonde_fails_is_never(const char *text);
/* Returns false only if the property cannot reach any sonde_fail (or sonde_check(t, false)) of the program. A
 * sonde_fail is recorded only when it fails, so the property may have one that was not reached. */
bool sonde_fails_may_run(const struct sonde_options *options, sonde_property_fn *run);

#endif
