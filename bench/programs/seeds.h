/* Seeds as in Kummer's thesis (section 4.3): of the tapes that a search wrote, those that a filter selects. They are
 * files, so that the search that made them and the one that starts from them can be different programs: the first in
 * code without instrumentation, the second in instrumented code. */
#ifndef BENCH_PROGRAMS_SEEDS_H
#define BENCH_PROGRAMS_SEEDS_H

#include "corpus/filter.h"

struct seeds {
    enum sonde_filter_by by;
    uint32_t size; /* how many to select; `generator` has no size */
    uint64_t seed;
    /* The result. */
    uint64_t offered, selected;
    double cpu; /* seconds */
};

/* Reads tapes from a file, a token on each line, and writes the selected ones to another. `generator` selects all: which
 * tapes take a new branch of the generator has been decided while they were made. Returns false, after an error message, if
 * a file cannot be read or written. */
bool seeds_select(struct seeds *seeds, const char *from, const char *to);

#endif
