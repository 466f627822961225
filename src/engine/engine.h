/* The engine: runs one property through its phases (examples, search, shrink, confirm) and tells listeners.
 *
 * Only the engine composes. It holds interfaces and no policy: which guide to use is an option, what to print is a
 * listener's affair, how user code is called is exec's.
 *
 * sonde_engine_run, in order: a heap that workers can share; the options of the property merged with those that
 * were given; the search and the store; the event PROPERTY_BEGIN; what is known beforehand; the search
 * (supervise.h); what was found; the numbers and the verdict; PROPERTY_END; then everything goes with
 * the heap. Nothing is left in the process but what reporters keep, so it may be called again and again. */
#ifndef SONDE_ENGINE_ENGINE_H
#define SONDE_ENGINE_ENGINE_H

#include "engine/search/options.h"

/* Runs one property. The report that listeners get at the end is borrowed; `result` receives a copy of
 * the essence. Not reentrant: signal handlers, descriptors and `at_risk` are of the process. Returns
 * the status that the program should end with. `property`, `options` and `reporters` are borrowed for
 * the call; `result` may be NULL. */
enum sonde_status sonde_engine_run(const sonde_property *property, const struct sonde_options *options,
                                   struct sonde_reporter *const *reporters, size_t n_reporters, sonde_result *result);

#endif
