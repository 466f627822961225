/* A plot over CPU seconds as SVG: a line for each arm, the median of its seeds, with a dot where the inputs that it started from had
 * been run. */
#ifndef BENCH_PROGRAMS_PLOT_H
#define BENCH_PROGRAMS_PLOT_H

#include "record.h"

enum { PLOT_ARMS = 16 };

struct plot_arm {
    const char *name;
    const struct record *records; /* of its seeds */
    unsigned n;
};

enum plot_of { PLOT_SEM_VALID, PLOT_SEM_ALL, PLOT_UNIQUE_VALID, PLOT_DIVERSE_VALID };

/* Returns 0, or -1 if the file cannot be written. */
int plot_write(const char *path, const char *title, enum plot_of what, const struct plot_arm *arms, unsigned n);

#endif
