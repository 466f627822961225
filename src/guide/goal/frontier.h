/* The frontier: what comparisons of the code under test have not done yet.
 *
 * A goal is a comparison and an outcome (==, <, >) that no valid case has shown. A comparison is known by three
 * numbers:
 * - its id;
 * - its number among the comparisons of that id in the case; above 0 only the last one counts, where a loop ended;
 * - its streak: how many comparisons directly before it had equal sides.
 * The streak is needed because compilers merge nested conditions. Then later comparisons are made whether the first
 * ones hold or not, and each is easily equal alone, but not after the others.
 *
 * For the same reason, a comparison whose sides were equal is a goal again in other contexts. A context is how the
 * sides of the comparison directly before it differ. Example: if (x > 100 && y == 7) needs x greater.
 *
 * Each goal keeps two tapes: the nearest one, by the difference of the sides, and a random one of all that came by. The
 * second is needed because the nearest may be stuck at the end of a range.
 *
 * Signed and unsigned outcomes (base/compared.h) are separate goals where they differ. A compiler turns even
 * x >= 5 && x <= 9 into x - 5 below 5.
 *
 * Example: a loop compares a string with "open" and stops at the first difference. Cases show (id, 0) with both sides
 * unequal. Once a case shows ==, that case goes on to (id, 1), which is the next goal. */
#ifndef SONDE_GUIDE_GOAL_FRONTIER_H
#define SONDE_GUIDE_GOAL_FRONTIER_H

#include "base/compared.h"
#include "base/map.h"

struct sonde_goal {
    uint32_t id;
    uint16_t nth;
    uint8_t streak; /* and the context */
    uint8_t bytes, kind;
    uint8_t seen;                    /* outcomes of valid cases */
    bool is_near;                    /* in a function of --goal */
    bool varies;                     /* cases had different sides here */
    uint64_t a, b;                   /* the sides of the first case */
    uint8_t ends;                    /* a case ended its loop here with equal sides */
    uint8_t tries[SONDE_OUTCOMES];   /* attacks on each outcome */
    uint32_t spent[SONDE_OUTCOMES];  /* cases of these attacks, fewer after one came nearer */
    uint8_t refused[SONDE_OUTCOMES]; /* discarded cases of attacks that had the outcome */
    uint8_t again;                   /* tries that were given back */
    double distance;                 /* of the nearest */
    uint64_t met;
    struct sonde_kept *nearest, *other; /* NULL: none, or the goal has no outcome left */
};

struct sonde_frontier {
    struct sonde_corpus *corpus;
    struct sonde_goal *goals; /* in the order of discovery */
    uint32_t n, cap, max;
    struct sonde_map places; /* index + 1 of a goal, by its three numbers */
    /* Where each comparison of the last case is in its log, by id and number: index + 1. */
    uint16_t *index;
    const struct sonde_comparison *log;
    uint32_t n_log;
    struct sonde_kept *of_case; /* the tape of the case that is learned, once a goal keeps it; else NULL */
    double tries;               /* attacks on one outcome */
    bool is_early; /* no case was valid yet: discarded cases count as valid ones do, and assumes are goals */
};

/* Makes an empty frontier of at most `max` goals. `tries` is the number of attacks on an equality. */
void sonde_frontier_init(struct sonde_frontier *frontier, struct sonde_corpus *corpus, uint32_t max, double tries);
void sonde_frontier_clear(struct sonde_frontier *frontier);
/* Ends the early time at the first valid case: forgets all goals. */
void sonde_frontier_restart(struct sonde_frontier *frontier);

/* Reads the log of a case, for sonde_frontier_find. Borrows it until the next call. */
void sonde_frontier_read(struct sonde_frontier *frontier, const struct sonde_coverage_view *seen);
/* Returns a comparison of the case that was read; NULL if it was not made. */
const struct sonde_comparison *sonde_frontier_find(const struct sonde_frontier *frontier, uint32_t id, uint16_t nth);
/* Reports whether a comparison, a member of the log, comes after what the goal asks for: its streak or context. */
bool sonde_frontier_is_on_path(const struct sonde_frontier *frontier, const struct sonde_goal *goal,
                               const struct sonde_comparison *c);
/* Enters the comparisons of the valid case that was read. Returns whether a goal is new or has a new outcome. */
bool sonde_frontier_learn(struct sonde_frontier *frontier, const struct sonde_run *run, struct sonde_rng *rng);

/* Returns the goal to attack next and its outcome, and counts the attack; UINT32_MAX if there is none. */
uint32_t sonde_frontier_pick(struct sonde_frontier *frontier, uint8_t *want, uint64_t *work);

/* Returns the index of an outcome in the arrays of a goal. */
static inline unsigned sonde_outcome_index(uint8_t outcome)
{
    return (unsigned)__builtin_ctz(outcome);
}
/* Returns the first side minus the second, as a double; is_signed: the sides are signed numbers. */
double sonde_difference(const struct sonde_comparison *c, bool is_signed);
/* Returns a number that is small compared with the sides of a comparison of doubles, and that changes them. */
double sonde_fraction(const struct sonde_comparison *c);

#endif
