/* Rows of suites, read again from the JSON lines that they print: what a search cost, for programs that compare. */
#ifndef BENCH_LIB_RESULTS_H
#define BENCH_LIB_RESULTS_H

#include "lib/stats.h"

#include <stdint.h>
#include <stdio.h>

struct bench_result {
    char suite[32], row[64], guide[32];
    uint64_t seed;
    /* Tests to the failure, censored if none was found; in suites without failures the tests per different valid input, or per accepted
     * one. */
    struct bench_cost cost;
};

struct bench_results {
    struct bench_result *all;
    size_t n, cap;
};

/* Adds the rows of a file; lines that are none are passed over. */
void bench_results_read(struct bench_results *results, FILE *in);
void bench_results_clear(struct bench_results *results);

/* A field of a row, as text: without quotes, or up to the next comma; "" if there is none. Returns out. */
const char *bench_field(const char *line, const char *name, char *out, size_t size);

#endif
