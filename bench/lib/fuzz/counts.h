/* Counts of a fuzz target. With BENCH_STATE in the environment they are in that file, mapped: AFL++ runs the target in one
 * process after the other and ends them at any time. */
#ifndef BENCH_LIB_FUZZ_COUNTS_H
#define BENCH_LIB_FUZZ_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct bench_counts {
    uint64_t limit; /* tests; 0: none */
    uint64_t tests, valid;
    int64_t process; /* the last one that ran a test */
    bool has_failed;
};

static inline bool bench_counts_are_over(const volatile struct bench_counts *c)
{
    return c->has_failed || (c->limit && c->tests >= c->limit);
}

#endif
