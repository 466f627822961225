/* Finds out what the functions of a program call, as far as their machine code shows it. The calls decide whether a
 * search sees the code it tests, and whether a property may reach a sonde_fail. */
#ifndef SONDE_ENGINE_CALLEES_H
#define SONDE_ENGINE_CALLEES_H

#include "engine/search/search.h"

/* Returns whether a search is blind: the program has instrumented code, but the property calls only uninstrumented
 * functions. Writes the names of some of those functions, separated by commas. Returns false also if the calls cannot
 * be determined. */
bool sonde_blind_find(const struct sonde_search *s, sonde_property_fn *run, char *out, size_t size);

/* Returns whether a condition never holds. Such a check marks code that should not be reached: `default: sonde_check(t,
 * false);`. */
bool sonde_fails_is_never(const char *text);
/* Returns false only if the property cannot reach any sonde_fail (or sonde_check(t, false)) of the program. A
 * sonde_fail is recorded only when it fails, so the property may have one that was not reached. */
bool sonde_fails_may_run(const struct sonde_options *options, sonde_property_fn *run);

#endif
