/* Whether a property may come to a sonde_fail: a check that shows only when it fails, so that one that was not reached may yet check. */
#ifndef SONDE_ENGINE_FAILS_H
#define SONDE_ENGINE_FAILS_H

#include "engine/search/options.h"

/* Returns whether a condition never holds: it is written where nothing should come, `default: sonde_check(t, false);`. */
bool sonde_fails_is_never(const char *text);
/* Returns false only if every sonde_fail (and sonde_check(t, false)) of the program is in functions that the property cannot come to. */
bool sonde_fails_may_run(const struct sonde_options *options, sonde_property_fn *run);

#endif
