/* Known bugs of the programs, and how long a guide takes to one. */
#ifndef BENCH_PROGRAMS_BUGS_H
#define BENCH_PROGRAMS_BUGS_H

#include "lib/bench.h"

struct bug {
    const char *name;
    const char *program; /* a build that has it, and the property that shows it */
    const char *says;    /* part of the failure's message */
    /* false: the fault lies in a scanner, parser or printer; true: in the code behind them. */
    bool is_semantic;
};

/* Ends with a NULL name. */
extern const struct bug bugs[];

/* Runs one search to the first failure, in the given directory. Returns false if there is no such guide. */
bool bug_search(const struct bench *b, const struct bug *bug, const char *guide, uint64_t seed, const char *folder,
                struct bench_row *row);

#endif
