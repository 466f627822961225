/* What the functions of a program call, as far as their machine code says: whether a search sees what it tests, and whether a property
 * may come to a sonde_fail. */
#ifndef SONDE_ENGINE_CALLEES_H
#define SONDE_ENGINE_CALLEES_H

#include "engine/search/search.h"

/* Whether a search is blind: a program with instrumented code, whose property calls only functions without. Writes the names of some functions that the property calls and that are not instrumented, with commas. False: it is not blind, or that
 * cannot be told. */
bool sonde_blind_find(const struct sonde_search *s, sonde_property_fn *run, char *out, size_t size);

/* Returns whether a condition never holds: it is written where nothing should come, `default: sonde_check(t, false);`. */
bool sonde_fails_is_never(const char *text);
/* A sonde_fail is a check that shows only when it fails, so that one that was not reached may yet check. Returns false only if every sonde_fail (and sonde_check(t, false)) of the program is in functions that the property cannot come to. */
bool sonde_fails_may_run(const struct sonde_options *options, sonde_property_fn *run);

#endif
