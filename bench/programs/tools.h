/* The arms of the suite: a program under test driven by a tool for so many CPU seconds. */
#ifndef BENCH_PROGRAMS_TOOLS_H
#define BENCH_PROGRAMS_TOOLS_H

#include "measure.h"
#include "seeds.h"

struct tool_row {
    const char *program, *arm;
    uint64_t seed;
    double seconds;
    const char *folder;         /* of what was built: build/programs */
    const char *data;           /* dictionaries and seeds: bench/programs/data; NULL: none */
    const char *inputs;         /* file of seeds; NULL: none */
    bool to_failure;            /* end at the first failure */
    bool has_failed;            /* it did */
    struct seeds seeds;         /* of an arm that starts from seeds: how they were selected, */
    struct measure_counts made; /* and the search that made them */
};

/* An arm that is a guide with settings, in the place of one that has a guide's name. */
struct tool_arm {
    const char *name, *guide;
    const char *options;     /* for --guide-options; NULL: none */
    const char *told_by;     /* for --characteristic; NULL: not given */
    bool is_black;           /* in code without instrumentation, and measured by doing the same search again */
    bool has_seeds;          /* starts from seeds that RLCheck made in code without instrumentation, */
    enum sonde_filter_by by; /* and this filter selected */
    bool has_feedback;       /* coverage is a feedback of the property's own */
    bool has_grammar;        /* draws from the program's grammar instead of by its generator */
    bool is_light;           /* runs are counted and nothing else: what a test costs */
    bool is_plain;           /* in code without instrumentation */
    unsigned workers;        /* a fleet: so many, each with its part of the time; 0: one search */
    bool is_linked;          /* of a fleet: they share a directory, */
    bool has_habits;         /* and differ as workers of a fleet do; else each is as one that is alone */
};

enum tool_end {
    TOOL_DONE,
    TOOL_ABSENT, /* there is no such guide or tool here */
    TOOL_BROKEN
};

/* Arms besides the guides of sonde; ends with NULL. */
extern const char *const tool_names[];

/* The arm of that name, which is a guide's own if the table has none. */
struct tool_arm tool_arm(const char *name);
/* Its options on the command line, each with a space before it; the environment has the rest. */
void tool_words(const struct tool_arm *arm, char *words, size_t size);

/* Runs it; `counted` is what was measured, in memory that measure_unmap gives back. The output of the tool and of the
 * program is in `logs` of the row's directory. */
enum tool_end tool_run(struct tool_row *row, struct measure **counted);
/* The path of that log. */
void tool_log(const struct tool_row *row, char *path, size_t size);

#endif
