/* The engine: runs one property through its phases (examples, search, shrink, confirm) and sends events to listeners.
 *
 * Only the engine connects the parts of sonde. It decides nothing itself: the guide is an option, listeners decide
 * what to print, and exec decides how user code is called.
 *
 * sonde_engine_run, in order: it creates a heap that workers can share, and merges the options of the property with
 * the given ones. It opens the search and the store, and sends PROPERTY_BEGIN. Then it runs the known inputs, the
 * search (supervise.h), and the failures that were found. It computes the numbers and the verdict, and sends
 * PROPERTY_END. Then everything is freed with the heap. Nothing is left in the process except what reporters keep, so
 * it may be called again and again. */
#ifndef SONDE_ENGINE_ENGINE_H
#define SONDE_ENGINE_ENGINE_H

#include "engine/search/options.h"

/* Runs one property and returns the status that the program should exit with. `property`, `options` and `reporters` are
 * borrowed for the call. The report that listeners get at the end is borrowed; `result`, which may be NULL, receives a
 * copy of its main values. Not reentrant: signal handlers, descriptors and `at_risk` belong to the process. */
enum sonde_status sonde_engine_run(const sonde_property *property, const struct sonde_options *options,
                                   struct sonde_reporter *const *reporters, size_t n_reporters, sonde_result *result);

/* Runs tapes for another run, which compares what they lead to (--against; exec/exec.h). Serves over standard input
 * until that run ends, and returns the exit status. The run names one of the n properties. */
enum sonde_status sonde_serve(const sonde_property *properties, size_t n, const struct sonde_options *options);
/* Counts the changed lines by what reached them: `by` has bits of enum sonde_reached_by for each counter. Lines that
 * were never reached are listed; sonde_changed_clear frees the list. */
void sonde_changed_measure(const struct sonde_changed_code *code, const uint8_t *by, struct sonde_changed *out);
void sonde_changed_clear(struct sonde_changed *changed);

#endif
