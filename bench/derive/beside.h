/* A generator by hand and a derived one, beside each other: the same faults, guides and seeds. */
#ifndef BENCH_DERIVE_BESIDE_H
#define BENCH_DERIVE_BESIDE_H

#include "lib/bench.h"

enum { BESIDE_MAX = 4096 };

struct beside {
    struct bench *bench;
    const char *subject, *guide;
    struct bench_cost hand[BESIDE_MAX], derived[BESIDE_MAX]; /* tests to failure */
    size_t n;
};

/* The searches of one fault, with every seed; what they cost stays in `b`. With --json a line for each. */
void beside_fault(struct beside *b, const char *fault, const sonde_property *hand, const sonde_property *derived);
/* Prints a line for the subject: the geometric means, and the geometric mean of the ratios. Then begins again. */
void beside_end(struct beside *b);

/* A generator that leaves its value where `n_records` finds it. */
struct beside_draw {
    void (*draw)(sonde *t);
    unsigned long (*n_records)(void);
};
/* So many values, guide uniform; prints how many records they were. Instructions are counted in beside_draw_one. */
void beside_draw(struct bench *b, const struct beside_draw *draw);
void beside_draw_one(sonde *t, void (*draw)(sonde *t));

#endif
