/* Recorded rows, read again. */
#ifndef BENCH_ZOO_RECORD_H
#define BENCH_ZOO_RECORD_H

#include "zoo/grammar.h"

/* A record as text: one row per line. Lines that are not whole, as a killed run leaves them, are left out. */
struct zoo_record {
    char *text;
    char **lines;
    size_t n;
    bool is_cut; /* the last line has no end */
};

/* 0, or a negative errno; the record is then empty. */
int zoo_record_read(struct zoo_record *record, const char *path);
void zoo_record_clear(struct zoo_record *record);
/* The row that begins so, without its newline; NULL if there is none. */
const char *zoo_record_find(const struct zoo_record *record, const char *beginning);

enum { ZOO_TAGS = 32, ZOO_TAG = 40 };

/* One row, as far as tables look at it. */
struct zoo_row {
    uint64_t number, seed, limit, tests, valid, payloads, shapes, cost, tests_to_failure;
    char form[8], guide[32], build[8], library[24], options[256];
    bool found, is_exhausted;
    double cpu_s;
    unsigned n_bugs;
    double p[ZOO_BUGS];
    bool is_counted[ZOO_BUGS];
    uint64_t first[ZOO_BUGS];
    char tags[ZOO_TAGS][ZOO_TAG]; /* "type tree", "precondition order", ... */
    unsigned n_tags;
    char bug_tags[ZOO_BUGS][2][ZOO_TAG]; /* "bug value", "written nested" */
};

/* Returns false if it is not a row of the zoo. */
bool zoo_row_read(const char *line, struct zoo_row *row);

/* Tests that it took to meet a fault. False: it was not met, and *tests is how many there were; all that were allowed, if it had nothing
 * left to try. */
bool zoo_row_tests(const struct zoo_row *row, unsigned bug, double *tests);

#endif
