/* Programs with threads and one bug each, after the classic patterns: each is right in all schedules but some. */
#ifndef BENCH_THREADS_PROGRAMS_H
#define BENCH_THREADS_PROGRAMS_H

#include <sonde.h>

struct program {
    const char *name;
    void (*run)(sonde *t, void *unused);
    int switches; /* from threads that could have continued, in the shortest schedule that shows the bug */
};

extern const struct program programs[];
extern const struct program right_programs[]; /* without a bug; both end with a name of NULL */

#endif
