/* The engine: runs one property through its phases (examples, search, shrink, confirm) and tells listeners.
 *
 * Only the engine composes. It holds interfaces and no policy: which guide to use is an option, what to print is a
 * listener's affair, how user code is called is exec's. */
#ifndef SONDE_ENGINE_ENGINE_H
#define SONDE_ENGINE_ENGINE_H

#include <sonde/extend.h>

/* What the options table fills in. Zero does not mean default here: call sonde_options_default first. */
struct sonde_options {
    uint64_t seed; /* 0: a fresh one */
    bool seed_given;
    uint64_t tests; /* valid cases */
    bool tests_given;
    double seconds;
    bool seconds_given;
    const char *guide;
    bool guide_given;
    const char *guide_options;
    uint64_t max_choices;  /* per case */
    uint64_t memory;       /* bytes that a guide may remember with */
    uint64_t max_discards; /* give up after so many per valid case */
    double shrink_seconds;
    uint64_t shrink_calls;
    bool shrink;
    const char *replay; /* token, or @file */
    const char *program;
    const char *const *words; /* from --dict; ends with NULL; may be NULL */
    bool show_all;            /* --verbose: show every case */
};

void sonde_options_default(struct sonde_options *options);

/* Runs one property. The report that listeners get at the end is borrowed; `result` receives a copy of the essence. */
enum sonde_status sonde_engine_run(const sonde_property *property, const struct sonde_options *options,
                                   struct sonde_reporter *const *reporters, size_t n_reporters, sonde_result *result);

/* Tells all. */
void sonde_tell(struct sonde_reporter *const *reporters, size_t n_reporters, const struct sonde_event *event);

#endif
