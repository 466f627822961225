/* How hard a subject is, found by running a probe of it: which faults it gets, and how likely each is under uniform draws.
 *
 * A fault is made by a *witness*: a random valid input, and atoms that hold in it, added until the fault is about as
 * rare as wanted. So every fault can be reached. Its probability is then counted again, by another random stream: the
 * stream that chose a fault overstates it. All decisions are made by counting, so they are the same on every
 * machine. */
#ifndef BENCH_ZOO_CALIBRATE_H
#define BENCH_ZOO_CALIBRATE_H

#include "zoo/grammar.h"
#include "zoo/stub/source.h"

enum { ZOO_LEAST_CANARIES = 4 };

enum zoo_how {
    ZOO_COUNTED, /* p was counted, at least 20 times */
    ZOO_SPLIT,   /* by splitting: right within a factor of two or so */
    ZOO_PRODUCT  /* as a product of shares along its atoms: the order of magnitude */
};
extern const char *const zoo_how_names[];

struct zoo_fault {
    struct zoo_bug bug;
    double p; /* from 10^-7 to 10^-2 */
    enum zoo_how how;
};

/* Facts about a number. */
struct zoo_verdict {
    const char *dropped; /* why there is no subject of either form; NULL: there may be. Static */
    double p_valid, draws;
    bool has_one;
    struct zoo_fault one;
    unsigned n_canaries; /* 0: too few for a subject with canaries */
    struct zoo_fault canaries[ZOO_BUGS];
};

typedef void zoo_probe(struct zoo_source *source);

struct zoo_verdict zoo_calibrate(const struct zoo_subject *z, zoo_probe *probe);

/* The largest d with 10^d <= 1/p. */
int zoo_decade(double p);

#endif
