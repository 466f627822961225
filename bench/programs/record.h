/* Rows that were run, a JSON object each, in a file that grows: a row in it is not run again, unless the
 * library or the programs have changed since. */
#ifndef BENCH_PROGRAMS_RECORD_H
#define BENCH_PROGRAMS_RECORD_H

#include "lib/bench.h"
#include "measure.h"

/* A recorded row: what the table shows, and the points over time. */
struct record {
    struct bench_row row;
    double seconds;
    char names[2][64]; /* of the row and of the arm */
    struct measure_counts series[MEASURE_SERIES];
    uint32_t n_series;
    char json[1 << 14]; /* of the row: the commit and the points */
};

/* Whether the file has it; `found` is filled in if it is not NULL. */
bool record_find(const char *path, const struct bench_row *row, double seconds, struct record *found);
/* Adds a row in one write, so that several processes may. */
void record_add(const char *path, const struct bench *b, struct bench_row *row, double seconds,
                const struct measure *counted);

#endif
