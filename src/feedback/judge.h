/* Interest: why a run is worth remembering. A run leaves an observation (observe/observation.h), and this turns it into reasons:
 * an input that is new, code that is, a utility that rose, a way further through the assumes, a state of the property's own
 * feedback that changed. What it compares with, all that was seen before, is its own; what is judged is no longer new.
 *
 * The reasons, and what each is compared with:
 *
 *     NEW_VALID             identities of valid inputs            unique.h
 *     NEW_COVERAGE          features of all runs                  novelty.h
 *     NEW_VALID_COVERAGE    features of valid runs                novelty.h
 *     NEW_TARGET            the best of each utility
 *     NEW_DEPTH             the most assumes that were passed
 *     NEW_STATE             the state of the property's own feedback, before and after `update`
 *
 * NEW_COMPARISON and NEW_PLACE come from novelty.h, too. Whether an input is new is asked only for guides that
 * want to know: a log of identities is cheaper than a table (unique.h). */
#ifndef SONDE_FEEDBACK_JUDGE_H
#define SONDE_FEEDBACK_JUDGE_H

#include "case/case.h"
#include "feedback/novelty.h"
#include "feedback/species.h"
#include "feedback/unique.h"
#include "observe/coverage.h"
#include "tape/label.h"

/* The best that each utility came to, by name. As many as the source of the property names. */
struct sonde_bests {
    struct sonde_target_best *targets;
    uint32_t *ids; /* beside targets: their labels */
    uint32_t n, cap_targets, cap_ids;
};

void sonde_bests_clear(struct sonde_bests *bests);
/* True if one of the utilities rose above its best; the first of a name does. Names come from `labels`, which must know them
 * and outlive this. */
bool sonde_bests_raise(struct sonde_bests *bests, const struct sonde_labels *labels,
                       const struct sonde_target_value *targets, size_t n);
/* Of another job; `labels` are those of this one, ids are the same in both. */
void sonde_bests_merge(struct sonde_bests *bests, const struct sonde_bests *other, const struct sonde_labels *labels);

/* Valid inputs are different in more than one way, and a search that makes ever more of one sort may lack all others. So
 * they are counted on several levels, each apart:
 *   shape      which spans and draws there are, in what order, and how long, whatever their values
 *   skeleton   ... and which constructors: the answers of draws with few answers that are no numbers
 *   trace      the way through instrumented code, with counts
 *   payload    everything (unique.h counts that, not this)
 * Counts are estimates (registers.h) in a fixed number of bytes. In long runs a sample has to do: drawing a number takes a
 * nanosecond or two, and looking at it again as much. */
enum sonde_level { SONDE_LEVEL_SHAPE, SONDE_LEVEL_SKELETON, SONDE_LEVEL_TRACE, SONDE_LEVELS };

enum {
    SONDE_LEVEL_BITS = 14,      /* of the registers of a level, 16 kB: a standard error of 0.8 % */
    SONDE_LEVELS_ALL = 1 << 17, /* valid inputs up to which each is looked at; from then on one in */
    SONDE_LEVELS_ONE_IN = 8
};

struct sonde_levels {
    uint64_t n; /* valid inputs */
    uint8_t registers[SONDE_LEVELS][1 << SONDE_LEVEL_BITS];
};

void sonde_levels_look(struct sonde_levels *levels, const struct sonde_tape *tape,
                       const struct sonde_coverage_view *seen);
/* A valid input; `seen` is NULL where the code is not instrumented. */
static inline void sonde_levels_add(struct sonde_levels *levels, const struct sonde_tape *tape,
                                    const struct sonde_coverage_view *seen)
{
    if (levels->n++ < SONDE_LEVELS_ALL || levels->n % SONDE_LEVELS_ONE_IN == 0) sonde_levels_look(levels, tape, seen);
}

void sonde_levels_merge(struct sonde_levels *levels, const struct sonde_levels *other);
/* How many were different; of a long run, among those that were looked at. */
uint64_t sonde_levels_count(const struct sonde_levels *levels, enum sonde_level level);

/* Only the process that runs the search writes it. traces and niches are empty unless is_watched was
 * set. */
struct sonde_judge {
    struct sonde_unique unique; /* valid inputs */
    struct sonde_levels levels; /* the same, by what they have in common */
    struct sonde_novelty novelty;
    struct sonde_bests bests;
    uint32_t deepest;                    /* most assumes passed */
    void *state;                         /* of the property's own feedback; NULL: it has none */
    struct sonde_species traces, niches; /* for the outlook, where somebody wants to know it */
};

/* `own`: the property's own feedback, or NULL. `is_watched`: somebody wants to know the outlook. */
void sonde_judge_init(struct sonde_judge *judge, const struct sonde_feedback *own, bool is_watched);
void sonde_judge_clear(struct sonde_judge *judge);

/* Judges the case that was just run, but for the property's own feedback: reasons (enum sonde_reason). `seen` may be NULL.
 * `wants`: what the guide wants to know by now; where it does not ask whether a valid input is new, they are only counted.
 * Inline: nearly all cases show nothing but another valid input. */
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

/* The property's own feedback, where there is a state: SONDE_NEW_STATE, or 0. It is not kept here, because a worker that was
 * executed anew has its own version of the property. */
uint32_t sonde_judge_state(struct sonde_judge *judge, const struct sonde_feedback *own, const sonde *t,
                           const struct sonde_observation *observation);
/* For those who watch: whether there was news in this run, whose reasons are known by now: code, or a way through it;
 * utilities. Where no code can be watched, valid inputs, as long as there is a chance that the next one is new. */
bool sonde_judge_is_news(struct sonde_judge *judge, const sonde *t, const struct sonde_coverage_view *seen,
                         uint64_t identity, uint32_t reasons);

/* After the death of a process that may have been at work here: forgets what cannot be trusted. What was seen is new again. */
void sonde_judge_recover(struct sonde_judge *judge);

#endif
