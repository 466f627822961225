/* Changes inputs to find out what decides about a branch: which draws move its comparison, and whether any input takes
 * it.
 *
 * One draw at a time is set to values near its own, and to the ends of its range. A line through two runs shows another
 * value to try. Then all draws that moved the comparison are set to their ends together. An input that an assume
 * discards runs again with the assume lifted. A lifted case runs code on inputs that it does not promise to handle. So
 * it needs a worker, which no other case uses afterwards, and its failures are not findings. */
#ifndef SONDE_BLOCKERS_PROBE_H
#define SONDE_BLOCKERS_PROBE_H

#include "base/compared.h"
#include "blockers/branches.h"
#include "engine/workers/single.h"

enum {
    SONDE_PROBE_BASE = 64, /* maximum number of times that a comparison is followed in one run */
    SONDE_PROBE_MOVERS = 8 /* maximum number of draws that are named */
};

/* The smallest distance between the sides of a comparison so far. */
struct sonde_approach {
    uint64_t gap;
    uint64_t sides[2];
};

/* A comparison, added up over all inputs of the search that were run again. */
struct sonde_probed {
    uint32_t id;
    unsigned seen;     /* enum sonde_outcome_bits */
    uint64_t n;        /* how often it was made */
    uint64_t first[2]; /* sides of the first time */
    bool is_same[2];   /* the side always had that value */
    uint8_t bytes;     /* width of a side; 0: doubles */
    bool is_switch;
    struct sonde_approach nearest[2]; /* [0]: as signed numbers; [1]: as unsigned numbers */
    uint32_t sample;                  /* index of the input that came nearest as signed numbers */
    uint32_t other;                   /* index of the first input that made the comparison */
};

/* Results of the runs for one branch. */
struct sonde_evidence {
    const struct sonde_probed *site;
    const struct sonde_branch *branch;
    struct sonde_comparison base[SONDE_PROBE_BASE]; /* the comparisons in the run of the unchanged input */
    uint32_t n_base;
    uint64_t base_gap;  /* smallest distance in that run */
    int64_t difference; /* of the sides there */
    unsigned seen;      /* outcomes in any run */
    bool is_taken, is_guarded;
    struct sonde_rejection guard;
    char *token; /* of a valid input that takes the branch */
    uint32_t movers[SONDE_PROBE_MOVERS];
    uint32_t n_movers;
    uint32_t n_probes;                /* changed inputs that were run */
    uint32_t n_discarded;             /* of these, discarded by an assume that was not lifted */
    bool lacks;                       /* the draw is a string whose alphabet lacks the compared character */
    bool is_copied;                   /* in all runs that moved it, a side was the value that had been set */
    bool has_sign;                    /* a draw that moved it may be negative */
    bool is_unsigned;                 /* a draw that moved it has an unsigned type */
    struct sonde_approach nearest[2]; /* of any run, as in struct sonde_probed */
};

struct sonde_prober {
    struct sonde_single *single;
    struct sonde_coverage *coverage; /* has the log of comparisons */
    uint32_t n_runs;                 /* all runs so far */
    unsigned n_hangs;                /* cases with lifted assumes that hung */
    bool is_dirty; /* a lifted case has run in the worker, and may have left what no other case expects */
};

/* The distance of no comparison yet. */
#define SONDE_APPROACH_NONE                                                                                            \
    {                                                                                                                  \
        {.gap = UINT64_MAX},                                                                                           \
        {                                                                                                              \
            .gap = UINT64_MAX                                                                                          \
        }                                                                                                              \
    }
/* Notes a comparison that came nearer. Returns whether it did as signed numbers. */
bool sonde_approach(struct sonde_approach nearest[2], const struct sonde_comparison *comparison);

/* Runs a script. Returns what the code did, or NULL if the case was discarded or ended by a limit of sonde. */
const struct sonde_coverage_view *sonde_probe_run(struct sonde_prober *prober, const struct sonde_tape *script,
                                                  bool lifts);
/* Collects evidence about a branch. `site`, `branch` and `seen` are set, `is_copied` is true, `nearest` is
 * SONDE_APPROACH_NONE; the caller frees `token`. */
void sonde_probe_branch(struct sonde_prober *prober, struct sonde_evidence *evidence);

#endif
