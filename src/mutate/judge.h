/* Judges one mutant: the trials that it gets, one after the other, and its fate.
 *
 *     trying ---------> confirming -----> plain (only for an input of a search) ------------> killed
 *       | no kill           | no kill again: not confirmed       | fails as well: the property is refused
 *       v                   v                                    v
 *     next property <-------+------------------------------------+
 *       | none left, and nothing killed it
 *       v
 *     comparing, property after property ---> survived, with its effect
 *
 * A kill is confirmed by its input alone. If that does not kill the mutant, all cases of the trial are run again in the
 * same order. Earlier cases may have damaged memory, or left a state behind.
 *
 * A survivor may get a second judgement later: a long search by each property, which replaces inputs and short search.
 * Its first kill ends it. */
#ifndef SONDE_MUTATE_JUDGE_H
#define SONDE_MUTATE_JUDGE_H

#include "mutate/trial.h"

/* The judges, which all slots share. */
struct sonde_judging {
    struct sonde_mutation *m;
    struct sonde_judge_of *of; /* [n_properties] */
    bool *is_refused;          /* [n_properties] which properties are not used; constant during a batch */
    bool has_matrix;
    atomic_uint *bell;
    bool is_long;      /* the second judgement: survivors get long searches */
    uint32_t n_judged; /* number of mutants that this run has judged */
};

/* The trial that a slot runs now. */
enum sonde_judge_step { SONDE_JUDGE_TRYING, SONDE_JUDGE_CONFIRMING, SONDE_JUDGE_PLAIN, SONDE_JUDGE_COMPARING };

/* A slot: one mutant at a time. All zeros at first. */
struct sonde_judge_slot {
    struct sonde_trial_slot trial;
    struct sonde_mutant_result *r; /* NULL: idle */
    enum sonde_judge_step step;
    uint32_t property;
    struct sonde_trial_result kill; /* the kill to confirm, if has_kill */
    bool has_kill;
    bool in_series; /* all cases of the trial confirm the kill, not its input alone */
    uint32_t valid; /* number of valid cases with the mutant, over all properties */
    bool is_unconfirmed;
};

/* Returns whether inputs of a property reach a mutant. */
bool sonde_judge_can(const struct sonde_judging *j, uint32_t property, uint32_t mutant);
/* Begins to judge a mutant; a survivor, if j->is_long. The slot is idle afterwards if no trial is needed. */
void sonde_judge_begin(struct sonde_judging *j, struct sonde_judge_slot *slot, struct sonde_mutant_result *r);
/* Returns whether a trial has ended; then starts the next one, or ends the mutant. Enforces limits, so call it
 * often. */
bool sonde_judge_poll(struct sonde_judging *j, struct sonde_judge_slot *slot);
/* Ends the trial of a mutant, which is then not judged, or a survivor without a long search as before. */
void sonde_judge_stop(struct sonde_judging *j, struct sonde_judge_slot *slot);

#endif
