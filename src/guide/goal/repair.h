/* Repair: runs an input again with the value that it lacked.
 *
 * Many preconditions compare a drawn value with a computed one: a length, a checksum, a hash. No search hits that value
 * by chance, but the discarded case has computed it. Repair learns, for each location that compares, which numbers of
 * the input make up one side. It changes numbers of one discarded input and fits how the difference of the sides moves
 * (slope.h). From then on, each input that is discarded at that location is run again, with those numbers set so that
 * the sides are equal. So a valid input costs two cases, however improbable it is.
 *
 * Two inputs need not have the same draws. A number is found again by the label of its draw and by a position. The
 * position counts from the first draw of that label, from the last one, or with the comparisons at the location. For
 * bytes of a string, it also counts from either end. Repair uses the way that has succeeded most often.
 *
 * If a repaired input is discarded at a later location, it is repaired again. A location is left alone if other cases
 * are valid more often than cases of its repairs. It is also left alone after a few sessions of probing without result.
 *
 * Only equalities are repaired. A comparison after which some case continued with unequal sides asks for something
 * else, such as an order. Equal sides would do there, but they make inputs alike.
 *
 * Example: assume(crc8(v, 4) == check). Of a discarded input, `check` is changed three times, and the difference of the
 * sides changes as much each time. The next input has v = 1 2 3 4 and check = 77. It is discarded, because the CRC is
 * 227, and run again with check = 227. */
#ifndef SONDE_GUIDE_GOAL_REPAIR_H
#define SONDE_GUIDE_GOAL_REPAIR_H

#include "guide/goal/branches.h"
#include "guide/goal/slope.h"
#include "guide/goal/numbers.h"
#include "guide/seen.h"

enum { SONDE_REPAIR_PLACES = 16, SONDE_REPAIR_WAYS = 6, SONDE_REPAIR_SIGNS = 2 };

/* A number as it is found in other inputs. */
struct sonde_repair_number {
    uint32_t site; /* of the choice */
    enum sonde_number_part part;
    uint32_t first, last; /* number of choices of that site before and after it */
    uint32_t left, right; /* SYMBOL: number of symbols before and after it */
    struct sonde_slope slope;
};

/* Numbers that make up one side, in descending order of their shifts. */
struct sonde_repair_side {
    struct sonde_repair_number numbers[SONDE_SLOPE_PARTS];
    uint32_t n;
};

enum sonde_repair_state { SONDE_REPAIR_UNKNOWN, SONDE_REPAIR_KNOWN };

/* A location that compares. */
struct sonde_repair_place {
    uint64_t place;
    enum sonde_repair_state state;
    bool is_loose;            /* cases continued with unequal sides, so the comparison is not an equality */
    uint64_t met, next;       /* discarded inputs; at how many of them the next session of probing begins */
    uint32_t sessions;        /* of probing, so far */
    uint32_t asked, unsolved; /* inputs since it was last judged; those that could not be repaired */
    uint32_t nth;             /* of the comparison that was probed */
    struct sonde_repair_side side;
    double tries[SONDE_REPAIR_WAYS], hits[SONDE_REPAIR_WAYS]; /* by way to find the numbers; old ones fade */
    double cost, won; /* cases of chains of repairs with one here, and valid inputs; old ones fade */
};

/* A comparison of a case. */
struct sonde_repair_compared {
    uint64_t place, apart; /* apart: first side minus second side */
    uint32_t nth;
    uint8_t bytes;
};

struct sonde_repair {
    struct sonde_repair_place places[SONDE_REPAIR_PLACES];
    uint32_t n;
    struct sonde_rng rng;
    struct sonde_tape script; /* the next case */
    /* The purpose of the next case. */
    enum sonde_repair_job {
        SONDE_REPAIR_IDLE,
        SONDE_REPAIR_PROBE,
        SONDE_REPAIR_CONFIRM,
        SONDE_REPAIR_MEND,
        SONDE_REPAIR_BRANCH
    } job;
    bool is_running;                    /* the case was planned, and nothing was learned from it yet */
    struct sonde_repair_place *at;      /* that is probed or repaired */
    struct sonde_repair_compared wants; /* the comparison of the input that is probed or repaired */
    uint32_t way, chain;                /* chain: repairs of this input so far */
    uint32_t visited;                   /* places of the chain, as bits */
    /* A session of probing. */
    struct sonde_tape base;
    struct sonde_number *numbers; /* most promising first */
    uint32_t n_numbers, number, n_probes, budget;
    struct sonde_slope_probe probes[SONDE_SLOPE_PROBES];
    uint64_t values[SONDE_SLOPE_PROBES]; /* that were probed */
    struct sonde_repair_side sides[SONDE_REPAIR_SIGNS];
    const struct sonde_repair_side *side; /* of these, that is being confirmed */
    struct sonde_seen seen;               /* repaired inputs; allocated with the first place that is known */
    double cases, valid;                  /* cases of guides, and how many of them were valid; old ones fade */
    uint64_t n_probed, n_mended, n_hit;   /* for --stats */
    struct sonde_branches branches;
    bool is_branch; /* the last case repaired a branch */
};

/* Initialises an empty repair; sonde_repair_clear frees it. */
void sonde_repair_init(struct sonde_repair *repair, uint64_t seed, uint64_t stream);
void sonde_repair_clear(struct sonde_repair *repair);
/* Learns from a case and may plan the next one. `is_own`: sonde_repair_plan wrote the case. */
void sonde_repair_learn(struct sonde_repair *repair, const struct sonde_run *run, bool is_own);
/* Reports whether a case is planned. A case from which nothing was learned has ended its process: it is given up. */
static inline bool sonde_repair_is_due(const struct sonde_repair *repair)
{
    return repair->job != SONDE_REPAIR_IDLE && !repair->is_running;
}
/* Returns what the planned case asks of its run: comparisons, to see whether a branch was repaired. */
static inline uint32_t sonde_repair_wants(const struct sonde_repair *repair)
{
    return repair->job == SONDE_REPAIR_BRANCH ? SONDE_NEW_COMPARISON : 0;
}
/* Writes the planned case. */
void sonde_repair_plan(struct sonde_repair *repair, struct sonde_tape *script);

#endif
