/* Interest: why a run is worth remembering. A run leaves an observation (observe/observation.h), and this turns it into reasons:
 * an input that is new, code that is, a utility that rose, a way further through the assumes, a state of the property's own
 * feedback that changed. What it compares with, all that was seen before, is its own; what is judged is no longer new.
 *
 * The reasons, and what each is compared with:
 *
 *     NEW_VALID             identities of valid inputs            unique.h
 *     NEW_COVERAGE          features of all runs                  novelty.h
 *     NEW_VALID_COVERAGE    features of valid runs                novelty.h
 *     NEW_TARGET            the best of each utility              best.h
 *     NEW_DEPTH             the most assumes that were passed
 *     NEW_STATE             the state of the property's own feedback, before and after `update`
 *
 * NEW_COMPARISON and NEW_PLACE come from novelty.h, too. Whether an input is new is asked only for guides that
 * want to know: a log of identities is cheaper than a table (unique.h). */
#ifndef SONDE_FEEDBACK_JUDGE_H
#define SONDE_FEEDBACK_JUDGE_H

#include "case/case.h"
#include "feedback/best.h"
#include "feedback/levels.h"
#include "feedback/novelty.h"
#include "feedback/species.h"
#include "feedback/unique.h"

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
