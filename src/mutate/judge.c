/* See judge.h. next_step is the whole machine: each result of a trial leads to the next trial, or to the end. */
#include "mutate/judge.h"

#include "base/die.h"
#include "base/mem.h"
#include "program/mutants.h"
#include "tape/text.h"

#include <string.h>

enum {
    INPUTS = 100, /* inputs that are tried per mutant and property: within 50, 98 % of the killable are killed */
    CASES = 100,  /* cases of the short search */
    COMPARED = 40 /* inputs that are compared for the effect of a survivor, over all properties */
};

/* Starts the next trial of a slot. */
static void start(struct sonde_judging *j, struct sonde_judge_slot *s, enum sonde_judge_step step)
{
    struct sonde_trial_order order = {.of = &j->of[s->property], .mutant = s->r->number};
    bool is_again = step == SONDE_JUDGE_CONFIRMING || step == SONDE_JUDGE_PLAIN;
    s->step = step;
    order.kind = step == SONDE_JUDGE_COMPARING ? SONDE_TRIAL_EFFECT
                 : is_again && !s->in_series   ? SONDE_TRIAL_ONE
                                               : SONDE_TRIAL_KILL;
    order.is_plain = step == SONDE_JUDGE_PLAIN;
    order.inputs = step == SONDE_JUDGE_COMPARING ? COMPARED - s->r->compared : j->is_long ? 0 : INPUTS;
    order.cases = j->is_long ? s->r->long_cases : CASES;
    if (order.kind == SONDE_TRIAL_ONE)
        order.script = s->kill.input >= 0 ? &order.of->bank.inputs[s->kill.input].tape : &s->kill.tape;
    int error = sonde_trial_start(&s->trial, &order, j->bell);
    if (error < 0) sonde_die(SONDE_INTERNAL, "cannot start a process for a mutant: %s", strerror(-error));
}

bool sonde_judge_can(const struct sonde_judging *j, uint32_t property, uint32_t mutant)
{
    const struct sonde_bank *bank = &j->of[property].bank;
    return !j->is_refused[property] && bank->n_sites && bank->have[sonde_mutants_site_of(mutant)];
}

/* Sets s->property to the first property from `from` on that can judge the mutant; returns false if there is none. */
static bool find_property(const struct sonde_judging *j, struct sonde_judge_slot *s, uint32_t from)
{
    for (s->property = from; s->property < j->m->n_properties; s->property++)
        if (sonde_judge_can(j, s->property, s->r->number)) return true;
    return false;
}

static void forget_kill(struct sonde_judge_slot *s)
{
    if (s->has_kill) sonde_trial_result_clear(&s->kill);
    s->has_kill = s->in_series = false;
}

static void set_token(struct sonde_judging *j, struct sonde_mutant_result *r, uint32_t property,
                      const struct sonde_tape *tape)
{
    sonde_free(r->token);
    r->token = sonde_tape_to_text(tape, &j->of[property].labels);
    r->shown_by = property;
}

static void set_message(struct sonde_mutant_result *r, const struct sonde_claim *claim)
{
    char text[1024];
    sonde_free(r->message);
    r->message = sonde_strdup(sonde_claim_describe(claim, text, sizeof text));
}

/* Returns whether it is known which input failed. */
static bool is_known(const struct sonde_trial_result *t)
{
    return t->input >= 0 || t->has_tape;
}

/* Describes the first kill of a mutant, confirmed or not. */
static void show_kill(struct sonde_judging *j, struct sonde_judge_slot *s)
{
    struct sonde_mutant_result *r = s->r;
    const struct sonde_trial_result *k = &s->kill;
    r->killer = s->property;
    r->tape = k->input;
    set_message(r, &k->claim);
    if (is_known(k))
        set_token(j, r, s->property, k->input >= 0 ? &j->of[s->property].bank.inputs[k->input].tape : &k->tape);
}

static void record_kill(struct sonde_judging *j, struct sonde_judge_slot *s)
{
    struct sonde_mutant_result *r = s->r;
    const struct sonde_claim *claim = &s->kill.claim;
    struct sonde_mutant_kill *kill = &r->kills[s->property];
    kill->kind = s->kill.kill;
    if (kill->kind == SONDE_KILL_CHECK && claim->file[0])
        kill->check = sonde_mutation_check_at(j->m, claim->file, claim->line, claim->condition);
    if (r->fate != SONDE_FATE_KILLED) {
        show_kill(j, s);
        r->in_series = s->in_series && claim->kind != SONDE_CLAIM_LEAK;
    }
    r->fate = SONDE_FATE_KILLED;
}

/* Ends the judgement of a mutant that no property is left for. This is where a survivor is decided. */
static void decide(const struct sonde_judging *j, struct sonde_judge_slot *s)
{
    struct sonde_mutant_result *r = s->r;
    r->searches += j->is_long;
    if (r->fate == SONDE_FATE_KILLED) return;
    if (s->is_unconfirmed) r->fate = SONDE_FATE_NOT_CONFIRMED;
    else if (s->valid || j->is_long) r->fate = SONDE_FATE_SURVIVED;
    else r->fate = SONDE_FATE_NOT_TRIED;
}

static void end(struct sonde_judging *j, struct sonde_judge_slot *s)
{
    forget_kill(s);
    s->r = NULL;
    j->n_judged++;
}

/* Starts the next comparison with the original, or ends the mutant. */
static void compare_next(struct sonde_judging *j, struct sonde_judge_slot *s, uint32_t from)
{
    if (s->r->compared < COMPARED && find_property(j, s, from)) start(j, s, SONDE_JUDGE_COMPARING);
    else end(j, s);
}

static void try_next(struct sonde_judging *j, struct sonde_judge_slot *s, uint32_t from)
{
    bool is_killed = s->r->fate == SONDE_FATE_KILLED;
    bool is_over = j->is_long ? is_killed || s->is_unconfirmed : is_killed && !j->has_matrix;
    forget_kill(s);
    if (!is_over && find_property(j, s, from)) {
        start(j, s, SONDE_JUDGE_TRYING);
        return;
    }
    decide(j, s);
    if (s->r->fate == SONDE_FATE_SURVIVED && !j->is_long) compare_next(j, s, 0);
    else end(j, s);
}

void sonde_judge_begin(struct sonde_judging *j, struct sonde_judge_slot *s, struct sonde_mutant_result *r)
{
    *s = (struct sonde_judge_slot){.r = r};
    if (r->reached) {
        try_next(j, s, 0);
        return;
    }
    r->fate = SONDE_FATE_NEVER_REACHED;
    end(j, s);
}

/* A trial without the mutant failed as well: the property is wrong, not the mutant. */
static void refuse(struct sonde_judging *j, uint32_t property, const struct sonde_trial_result *t)
{
    struct sonde_mutation_property *p = &j->m->properties[property];
    char text[1024];
    if (p->refusal) return;
    p->refusal = sonde_strdup(sonde_claim_describe(&t->claim, text, sizeof text));
    if (t->has_tape) p->token = sonde_tape_to_text(&t->tape, &j->of[property].labels);
}

static void record_effect(struct sonde_judging *j, struct sonde_judge_slot *s, const struct sonde_trial_result *t)
{
    struct sonde_mutant_result *r = s->r;
    /* The input to show is the one with the most telling effect, of the first property that has one. */
    bool is_first = !r->token || (!r->observed && t->observed) || (!r->observed && !r->other_way && t->other_way)
                    || (!r->observed && !r->other_way && !r->differed && t->differed);
    r->compared += t->compared;
    r->differed += t->differed;
    r->other_way += t->other_way;
    r->observed += t->observed;
    r->used += t->used;
    if (t->leaked > r->leaked) r->leaked = t->leaked;
    r->far += t->far;
    j->m->sees_code |= t->sees_code;
    const struct sonde_bank *bank = &j->of[s->property].bank;
    if (is_first && t->shows >= 0) set_token(j, r, s->property, &bank->inputs[t->shows].tape);
    if (t->difference[0] && !r->message) r->message = sonde_strdup(t->difference);
    bool leaves = r->mutant->hints & (SONDE_MUTANT_STORES_ | SONDE_MUTANT_IGNORED_);
    r->effect = r->observed                                  ? SONDE_EFFECT_OBSERVED
                : r->leaked                                  ? SONDE_EFFECT_LEAK
                : r->other_way                               ? SONDE_EFFECT_WAY
                : r->used || (r->differed && leaves)         ? SONDE_EFFECT_VALUE
                : r->mutant->hints & SONDE_MUTANT_UNWATCHED_ ? SONDE_EFFECT_UNKNOWN
                : r->differed                                ? SONDE_EFFECT_LOST
                                                             : SONDE_EFFECT_NONE;
}

/* Returns whether a trial shows the same kill. In a series a check has to fail at the same input: a flaky property
 * fails somewhere, too. Damaged memory may be noticed sooner or later. */
static bool is_same_kill(const struct sonde_judge_slot *s, const struct sonde_trial_result *t)
{
    if (t->kill == SONDE_KILL_NONE) return false;
    return !s->in_series || s->kill.kill != SONDE_KILL_CHECK || t->runs == s->kill.runs;
}

/* Evaluates the trial that should confirm a kill. Returns whether another trial was started. */
static bool confirm(struct sonde_judging *j, struct sonde_judge_slot *s, bool is_killed)
{
    if (is_killed && s->kill.input < 0) {
        start(j, s, SONDE_JUDGE_PLAIN);
        return true;
    }
    if (!is_killed && !s->in_series) {
        s->in_series = true;
        start(j, s, SONDE_JUDGE_CONFIRMING);
        return true;
    }
    if (is_killed) record_kill(j, s);
    else if (s->r->killer == UINT32_MAX) show_kill(j, s);
    s->is_unconfirmed |= !is_killed;
    return false;
}

/* Goes from the result of a trial to the next one. */
static void next_step(struct sonde_judging *j, struct sonde_judge_slot *s, struct sonde_trial_result *t)
{
    bool is_killed = t->kill != SONDE_KILL_NONE;
    switch (s->step) {
    case SONDE_JUDGE_TRYING:
        s->r->runs += t->runs;
        s->r->discarded += t->discarded;
        s->valid += t->valid;
        if (!is_killed) break;
        s->kill = *t;
        s->has_kill = true;
        /* Leaks are asked for after all cases; and if memory was damaged, the input may be unknown. */
        s->in_series = t->claim.kind == SONDE_CLAIM_LEAK || !is_known(t);
        start(j, s, SONDE_JUDGE_CONFIRMING);
        return;
    case SONDE_JUDGE_CONFIRMING:
        is_killed = is_same_kill(s, t);
        sonde_trial_result_clear(t);
        if (confirm(j, s, is_killed)) return;
        try_next(j, s, s->property + 1);
        return;
    case SONDE_JUDGE_PLAIN:
        if (is_killed) refuse(j, s->property, t);
        else record_kill(j, s);
        break;
    case SONDE_JUDGE_COMPARING:
        record_effect(j, s, t);
        sonde_trial_result_clear(t);
        compare_next(j, s, s->property + 1);
        return;
    }
    sonde_trial_result_clear(t);
    try_next(j, s, s->property + 1);
}

bool sonde_judge_poll(struct sonde_judging *j, struct sonde_judge_slot *s)
{
    struct sonde_trial_result t;
    if (!sonde_trial_poll(&s->trial, &t)) return false;
    next_step(j, s, &t);
    return true;
}

void sonde_judge_stop(struct sonde_judging *j, struct sonde_judge_slot *s)
{
    struct sonde_mutant_result *r = s->r;
    sonde_trial_stop(&s->trial);
    forget_kill(s);
    s->r = NULL;
    if (j->is_long) return;
    for (uint32_t p = 0; p < j->m->n_properties; p++)
        r->kills[p] = (struct sonde_mutant_kill){.kind = SONDE_KILL_NONE, .check = UINT32_MAX};
    r->fate = SONDE_FATE_NOT_JUDGED;
}
