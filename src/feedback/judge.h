/* Turns the observation of a run (observe/observation.h) into interest. That is the reasons to remember the run, such
 * as a new input, new code, or a utility that rose. The judge owns the record of everything seen before, and compares
 * each run with it. Judging adds the run to that record, so a second judgement of the same run finds nothing new.
 *
 * The reasons, and what each is compared with:
 *
 *     NEW_VALID             identities of valid inputs            unique.h
 *     NEW_COVERAGE          features of all runs                  novelty.h
 *     NEW_VALID_COVERAGE    features of valid runs                novelty.h
 *     NEW_TARGET            the best of each utility
 *     NEW_DEPTH             the most assumes that were passed
 *     NEW_STATE             the state of the property's feedback, before and after `update`
 *
 * NEW_COMPARISON and NEW_PLACE come from novelty.h, too. A guide learns whether an input is new only if it asks. If no
 * guide asks, a log of identities suffices, which is cheaper than a table (unique.h). */
#ifndef SONDE_FEEDBACK_JUDGE_H
#define SONDE_FEEDBACK_JUDGE_H

#include "case/case.h"
#include "feedback/novelty.h"
#include "feedback/species.h"
#include "feedback/unique.h"
#include "observe/coverage.h"
#include "tape/label.h"

/* The best value of each utility, by name. There is one for each name that the property's source uses. */
struct sonde_bests {
    struct sonde_target_best *targets;
    uint32_t *ids; /* ids[i] is the label of the utility targets[i] */
    uint32_t n, cap_targets, cap_ids;
};

/* Frees the memory. */
void sonde_bests_clear(struct sonde_bests *bests);
/* Returns whether one of the utilities rose above its best; the first value under a name counts as a rise. Names come
 * from `labels`, which must know the names and outlive `bests`. */
bool sonde_bests_raise(struct sonde_bests *bests, const struct sonde_labels *labels,
                       const struct sonde_target_value *targets, size_t n);
/* Adds the bests of another job; `labels` belongs to this job; label ids are the same in both jobs. */
void sonde_bests_merge(struct sonde_bests *bests, const struct sonde_bests *other, const struct sonde_labels *labels);

/* Valid inputs can differ on several levels. A search may make many inputs that differ on one level and hardly any that
 * differ on another, so distinct inputs are counted on each:
 * - shape: which spans and draws there are, in what order, and how long, whatever their values;
 * - skeleton: shape, and the values of constructors (non-numeric draws with few possible values);
 * - trace: the path in instrumented code, with counts;
 * - payload: everything (counted by unique.h, not here).
 *
 * Counts are estimates (registers.h) in a fixed number of bytes. Long runs are sampled: drawing a number takes a
 * nanosecond or two, and hashing it takes as long again. */
enum sonde_level { SONDE_LEVEL_SHAPE, SONDE_LEVEL_SKELETON, SONDE_LEVEL_TRACE, SONDE_LEVELS };

enum {
    SONDE_LEVEL_BITS = 14,      /* 2^14 registers per level: 16 kB, with a standard error of 0.8 % */
    SONDE_LEVELS_ALL = 1 << 17, /* the first valid inputs all count, up to this number */
    SONDE_LEVELS_ONE_IN = 8     /* after these, one in this many valid inputs counts */
};

/* The counts of distinct inputs on each level. */
struct sonde_levels {
    uint64_t n; /* valid inputs */
    uint8_t registers[SONDE_LEVELS][1 << SONDE_LEVEL_BITS];
};

/* Adds a valid input unconditionally; sonde_levels_add samples. */
void sonde_levels_add_now(struct sonde_levels *levels, const struct sonde_tape *tape,
                          const struct sonde_coverage_view *seen);
/* Adds a valid input; `seen` is NULL if the code is not instrumented. */
static inline void sonde_levels_add(struct sonde_levels *levels, const struct sonde_tape *tape,
                                    const struct sonde_coverage_view *seen)
{
    if (levels->n++ < SONDE_LEVELS_ALL || levels->n % SONDE_LEVELS_ONE_IN == 0)
        sonde_levels_add_now(levels, tape, seen);
}

/* Adds the counts of another search. */
void sonde_levels_merge(struct sonde_levels *levels, const struct sonde_levels *other);
/* Returns how many inputs were distinct on a level; in a long run, among the sample. */
uint64_t sonde_levels_count(const struct sonde_levels *levels, enum sonde_level level);

/* The judge of a search. Only the process that runs the search writes it. traces and niches are empty unless
 * is_watched was set. */
struct sonde_judge {
    struct sonde_unique unique; /* valid inputs */
    struct sonde_levels levels; /* number of distinct valid inputs on each level */
    struct sonde_novelty novelty;
    struct sonde_bests bests;
    uint32_t deepest;                    /* largest number of assumes that a case passed */
    void *state;                         /* state of the property's feedback; NULL: no state */
    struct sonde_species traces, niches; /* observations for the outlook; empty unless it was requested */
};

/* Initialises a judge. `own`: the property's feedback, or NULL. `is_watched`: the outlook was requested. */
void sonde_judge_init(struct sonde_judge *judge, const struct sonde_feedback *own, bool is_watched);
/* Frees the memory. */
void sonde_judge_clear(struct sonde_judge *judge);

/* Returns reasons (enum sonde_reason) for the case that was just run, without the property's feedback. `seen` may be
 * NULL. `wants` is what the guide asks for; if it does not ask whether a valid input is new, valid inputs are only
 * counted. Inline, because nearly all cases show nothing but another valid input. */
static inline uint32_t sonde_judge_case(struct sonde_judge *j, const sonde *t, const struct sonde_coverage_view *seen,
                                        uint64_t identity, uint32_t wants)
{
    uint32_t reasons = 0;
    if (t->verdict == SONDE_VALID) {
        sonde_levels_add(&j->levels, &t->tape, seen);
        if (!(wants & SONDE_NEW_VALID)) sonde_unique_add_later(&j->unique, identity);
        else if (sonde_unique_add(&j->unique, identity)) reasons |= SONDE_NEW_VALID;
    }
    if (t->n_targets && sonde_bests_raise(&j->bests, t->labels, t->targets, t->n_targets)) reasons |= SONDE_NEW_TARGET;
    if (t->assumes_passed > j->deepest) {
        j->deepest = t->assumes_passed;
        reasons |= SONDE_NEW_DEPTH;
    }
    if (seen) reasons |= sonde_novelty_judge(&j->novelty, seen, t->verdict);
    return reasons;
}

/* Updates the property's feedback, which must have a state; returns SONDE_NEW_STATE or 0. The judge does not keep
 * `own`, because a worker started by exec has a different copy of the property. */
uint32_t sonde_judge_state(struct sonde_judge *judge, const struct sonde_feedback *own, const sonde *t,
                           const struct sonde_observation *observation);
/* Returns whether this run showed something new, for the outlook: new code, a new path or a better utility. Without
 * instrumented code, valid inputs count as new while the next one still has a chance to be new. */
bool sonde_judge_is_news(struct sonde_judge *judge, const sonde *t, const struct sonde_coverage_view *seen,
                         uint64_t identity, uint32_t reasons);

/* Makes the judge usable after the death of a process that may have been writing it. Discards data that cannot be
 * trusted, so some known things will count as new again. */
void sonde_judge_recover(struct sonde_judge *judge);

#endif
