/* Common code of the benchmark suites: options, one search per row, tables and JSON lines.
 *
 * A suite is a program that runs rows. A row is one search: one property, one guide, one seed, always from nothing, so
 * that rows do not depend on each other. With --json each is printed as it ends, one object per line and nothing else;
 * without, the rows of all seeds become one line of a table: medians with their range, and searches that found nothing
 * counted as larger than any that did. Guides behind the first are compared with it by ranks (lib/stats.h). */
#ifndef BENCH_LIB_BENCH_H
#define BENCH_LIB_BENCH_H

#include "lib/stats.h"

#include <sonde/extend.h>

enum { BENCH_SEEDS_MAX = 1000, BENCH_GUIDES_MAX = 16, BENCH_MORE_MAX = 24 };

/* A switch that one suite has and others do not, or an option with a value. */
struct bench_flag {
    const char *name; /* with its dashes */
    bool *set;
    const char *help;
    const char **value; /* if not NULL, it takes one, which goes here */
};

struct bench_row {
    const char *row;
    const char *guide;
    uint64_t seed;
    uint64_t tests, valid, discarded, unique_valid;
    bool unique_estimated;
    uint64_t shapes, skeletons, traces; /* of valid inputs, about; traces of instrumented code */
    double cpu_s;
    double peak_kb;      /* of the process, up to the end of this row */
    const char *stopped; /* tests, time, found or exhausted */
    bool searches;       /* for a failure: `found` and `tests_to_failure` apply */
    bool found;
    uint64_t tests_to_failure; /* if found */
    struct {
        const char *name;
        double value;
    } more[BENCH_MORE_MAX];
    unsigned n_more;
    const char *json; /* further fields as they are to be printed, or NULL */
};

struct sonde_search;

/* Fill in the first part, then call bench_start. */
struct bench {
    const char *suite;
    const char *const *columns;     /* of the table: names of fields; ends with NULL */
    const struct bench_flag *flags; /* ends with a NULL name; may be NULL */
    const char *guides;             /* default of --guide, comma-separated */
    const char *const *others;      /* what --guide may name besides guides; ends with NULL; may be NULL */
    uint64_t tests, full_tests;     /* default of --tests, and with --full */
    double seconds;                 /* default of --seconds; 0: no bound */
    uint64_t first_seed, last_seed; /* default of --seeds */

    /* Runs each case, in the place of sonde_search_execute, which it calls; may be NULL. */
    void (*execute)(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script);

    const char *only, *guide_options; /* may be NULL */
    bool json, full, stats;
    struct bench_row rows[BENCH_SEEDS_MAX]; /* of the line of the table in the making */
    unsigned n_rows;
    /* Of the first guide on the row in the making, with which the others are compared: tests to the failure, and per different valid
     * input, which count where neither of two guides found any. */
    struct bench_cost first[2][BENCH_SEEDS_MAX];
    unsigned n_first;
    char first_row[64];
    bool has_header, has_match;
};

/* Reads the options; ends the program on a wrong one. */
void bench_start(struct bench *b, int argc, char **argv);
/* The status of the program. */
int bench_end(struct bench *b);

/* Is this row asked for? */
bool bench_wants(struct bench *b, const char *row);
/* The name of the i-th guide asked for; NULL behind the last. */
const char *bench_guide(const struct bench *b, unsigned i);

/* One search to the first failure or to the bounds of --tests and --seconds. No shrinking. */
struct bench_row bench_search(const struct bench *b, const char *row, const char *guide, uint64_t seed,
                              const sonde_property *property);
/* The same in a worker process; its time counts, with its start and end. */
struct bench_row bench_search_in_worker(const struct bench *b, const char *row, const char *guide, uint64_t seed,
                                        const sonde_property *property);
/* Adds a number of the suite's own to a row. */
void bench_more(struct bench_row *row, const char *name, double value);
void bench_print_json(FILE *out, const struct bench *b, const struct bench_row *row);
/* A row is complete. */
void bench_report(struct bench *b, const struct bench_row *row);
/* All seeds of a line of the table are. */
void bench_line(struct bench *b);

/* All of that: one property with every guide and seed asked for. */
void bench_property(struct bench *b, const char *row, const sonde_property *property);

/* The median, and the k-th smallest; sort the array. */
double bench_median(double *values, unsigned n);

#endif
