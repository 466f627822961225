/* The arms of the suite: a program under test driven by a tool for so many CPU seconds. */
#ifndef BENCH_PROGRAMS_TOOLS_H
#define BENCH_PROGRAMS_TOOLS_H

#include "measure.h"

struct tool_row {
    const char *program, *arm;
    uint64_t seed;
    double seconds;
    const char *folder; /* of what was built: build/programs */
    const char *data;   /* dictionaries and seeds: bench/programs/data */
    bool to_failure;    /* end at the first failure */
};

enum tool_end {
    TOOL_DONE,
    TOOL_ABSENT, /* there is no such guide or tool here */
    TOOL_BROKEN
};

/* What arms there are besides the guides of sonde; ends with NULL. */
extern const char *const tool_names[];

/* Runs it; `counted` is what was measured, in memory that measure_unmap gives back. What the tool and the program printed is
 * in FOLDER/logs. */
enum tool_end tool_run(const struct tool_row *row, struct measure **counted);
/* The path of that log. */
void tool_log(const struct tool_row *row, char *path, size_t size);

#endif
