/* See account.h. A case is counted first, because stopping depends on the counts alone. Then it is compared with
 * earlier cases (judged), and then guides learn, which need the judgement. Sharing comes last, because what a guide
 * wants may change while it learns.
 *
 * Runs in the worker after each case, in the heap of the search; in the supervisor for cases whose worker died and for
 * examples. The only user code that is called here is `update` of the property's feedback. */
#include "engine/search/account.h"

#include "guide/guides.h"
#include "observe/observation.h"

#include <string.h>

/* ---- Counting */

/* Records the failure of the last case. `when`: see sonde_search_keep_finding; NULL for a case of the search. */
static void add_failure(struct sonde_search *s, const char *when)
{
    if (s->n_found == SONDE_FOUND_MAX) return;
    /* The number of cases that this worker has run: only these can have left state that the failure needs. */
    unsigned long long own = atomic_load(&s->t->started) - s->worker_began;
    s->found[s->n_found] = sonde_found_create(s->t, s->stats.tests, own);
    s->found[s->n_found]->when = when;
    s->news++;
    /* Release: the supervisor that reads the new count finds a complete entry. */
    atomic_store_explicit(&s->n_found, s->n_found + 1, memory_order_release);
    s->pace.quota = 0;
}

static void keep_failure(struct sonde_search *s)
{
    struct sonde_found *known = sonde_search_known(s, &s->t->claim);
    if (!known) {
        add_failure(s, NULL);
        return;
    }
    sonde_found_again(known, s->t);
    if (s->options->known_in) sonde_found_sample(known, s->t);
}

/* Returns whether the case counts for cover checks. These are about the distribution of the generator itself, and a
 * guide that searches draws from another one. */
static bool is_independent(const struct sonde_search *s, const struct sonde_guide *author)
{
    return author == s->sampler || (author && author->ops == &sonde_guide_uniform);
}

/* Weighs a valid input for the cover checks of an exhausted space: each input once, by its probability. If there are
 * too many inputs to tell apart, the checks are judged by a sample, as in a space that is not exhausted. */
static void weigh(struct sonde_search *s)
{
    /* The maximum number of valid cases to weigh before the first cover check is reached. There may be no cover check,
     * so weighing must cost little. */
    enum { MOST_BEFORE = 4096 };
    if (!s->tally.has_cover && s->stats.valid > MOST_BEFORE) {
        s->tally.is_inexact = true;
        return;
    }
    double p = sonde_uniform_probability(&s->t->tape);
    if (!sonde_unique_add(&s->weighed, sonde_case_hash(s->t))) return;
    sonde_tally_weigh(&s->tally, s->t, s->weighed.registers ? -1 : p * s->t->weighted_p);
}

static void count_valid(struct sonde_search *s, const struct sonde_guide *author)
{
    s->stats.valid++;
    bool independent = is_independent(s, author), had_cover = s->tally.has_cover || s->tally.may_cover;
    if (s->t->n_hits) sonde_tally_valid(&s->tally, s->t, independent);
    else s->tally.independent += independent;
    /* Inputs before the first known cover check were not weighed. */
    if (s->tally.has_cover && !had_cover && s->stats.valid > 1) s->tally.is_inexact = true;
    if ((s->tally.has_cover || had_cover) && !s->tally.is_inexact) weigh(s);
}

/* Records a misuse, with the tape, so that the report can show what had been drawn when it happened. */
static void keep_misuse(struct sonde_search *s)
{
    const sonde *t = s->t;
    memcpy(s->misuse, t->claim.message, sizeof s->misuse);
    if (t->claim.kind != SONDE_CLAIM_MISUSE) return; /* the misuse was in worker_setup, so nothing was drawn */
    sonde_tape_copy(&s->misused, &t->tape);
    memcpy(s->misuse_frames, t->claim.frames, sizeof s->misuse_frames);
    s->n_misuse_frames = t->claim.n_frames;
    s->misused_at = s->stats.tests;
}

void sonde_search_count_other(struct sonde_search *s)
{
    const sonde *t = s->t;
    switch (t->verdict) {
    case SONDE_VALID: break;
    case SONDE_DISCARDED:
        s->stats.discarded++;
        sonde_tally_reject(&s->tally, &t->rejection);
        break;
    case SONDE_FAILED: keep_failure(s); break;
    case SONDE_OVERRUN:
        s->stats.overruns++;
        s->overrun = t->overrun;
        break;
    case SONDE_MISUSE:
        keep_misuse(s);
        s->pace.quota = 0;
        break;
    }
}

void sonde_search_keep_finding(struct sonde_search *s, const char *when)
{
    if (s->t->verdict == SONDE_FAILED && !sonde_search_known(s, &s->t->claim)) add_failure(s, when);
    if (s->t->verdict == SONDE_MISUSE && !s->misuse[0]) sonde_search_count_other(s);
}

/* Offers the input to the sample that may run again. Both valid and discarded inputs are offered, since a rerun must
 * repeat either verdict. */
static void sample_input(struct sonde_search *s)
{
    sonde *t = s->t;
    bool is_valid = t->verdict == SONDE_VALID;
    /* The key is compared before anything is copied: nearly all inputs of a long run are beyond the end of the
     * sample. */
    uint64_t key = sonde_sample_key(sonde_case_hash(t), s->options->seed, is_valid);
    if (key >= s->rerun.sample.end || (!is_valid && t->verdict != SONDE_DISCARDED)) return;
    sonde_tape_end(&t->tape);
    struct sonde_sampled input = {.key = key, .test = s->stats.tests, .verdict = t->verdict, .tape = t->tape};
    sonde_sample_add(&s->rerun.sample, &input);
}

static void count(struct sonde_search *s, const struct sonde_guide *author)
{
    sonde *t = s->t;
    /* When the quota reaches 0, the loop checks limits and clock again (stop.c). */
    s->pace.quota -= s->pace.quota > 0;
    s->stats.tests++;
    s->stats.choices += t->tape.n_choices;
    s->has_characteristic |= t->characteristic != 0;
    sample_input(s);
    sonde_reached_commit(&t->reached, t->verdict == SONDE_VALID || t->verdict == SONDE_FAILED);
    if (t->verdict == SONDE_VALID) count_valid(s, author);
    else sonde_search_count_other(s);
    sonde_assert(s->stats.valid + s->stats.discarded + s->stats.overruns <= s->stats.tests);
}

/* ---- Learning */

/* Returns SONDE_REACHED_CHANGE if the case came as near to changed code as any before, else 0. */
static uint32_t note_vicinity(struct sonde_search *s)
{
    if (!s->vicinity) return 0;
    enum sonde_nearness near = sonde_vicinity_case(s->vicinity, s->coverage, s->t->verdict, s->seen);
    return near >= SONDE_NEAR_CALLER && near == s->vicinity->best ? SONDE_REACHED_CHANGE : 0;
}

/* Lets every guide learn from the case; returns the reasons for interest. noinline: keeps the loop small for guides
 * without learn(). */
static __attribute__((noinline)) uint32_t teach(struct sonde_search *s, uint32_t reasons, uint64_t identity,
                                                struct sonde_guide *author, uint32_t change)
{
    const struct sonde_guide_ops *ops = s->guide->ops;
    sonde *t = s->t;
    if (s->guide->wants & SONDE_WANT_SHAPES) sonde_tape_end(&t->tape);
    struct sonde_observation seen = sonde_observation_of(t, s->seen, identity);
    if (s->judge.state) reasons |= sonde_judge_state(&s->judge, s->property->feedback, t, &seen);
    struct sonde_run run = {.tape = &t->tape, .observation = &seen, .interest = {.reasons = reasons}, .author = author};
    if (reasons & SONDE_SAVED_REASONS) sonde_saved_offer(&s->saved, &run);
    run.interest.reasons |= change;
    s->news += (reasons & SONDE_NEW_STATE) != 0;
    if (ops->learn) ops->learn(s->guide, &run);
    if (s->relief) s->relief->ops->learn(s->relief, &run);
    return reasons;
}

static void share(struct sonde_search *s, uint32_t reasons)
{
    if (s->t->verdict != SONDE_VALID && s->t->verdict != SONDE_DISCARDED) return;
    sonde_sharing_offer(&s->sharing, &s->t->tape, &s->stats, reasons, sonde_sharing_reasons(s->guide));
}

/* Records the input, so that it is not run again. Failed cases are not recorded: whether they fail each time is of
 * interest. */
static void note_end(struct sonde_search *s)
{
    if (!s->ended) s->ended = sonde_calloc(1, sizeof *s->ended);
    if (s->t->verdict <= SONDE_DISCARDED)
        sonde_ended_note(s->ended, sonde_case_hash(s->t), s->t->verdict == SONDE_VALID);
    s->ended->is_changed = false;
}

uint32_t sonde_search_account(struct sonde_search *s, struct sonde_guide *author)
{
    uint64_t identity = sonde_observation_identity(s->t, s->seen, s->identity_by);
    count(s, author);
    if (s->ended || s->guide->wants & SONDE_WANT_NEW_INPUTS) note_end(s);
    uint32_t reasons = sonde_judge_case(&s->judge, s->t, s->seen, identity, s->guide->wants);
    uint32_t change = note_vicinity(s);
    if (s->guide->ops->learn || s->relief) reasons |= teach(s, reasons, identity, author, change);
    if (s->judge.traces.kinds) s->news += sonde_judge_is_news(&s->judge, s->t, s->seen, identity, reasons);
    if (s->notebook) sonde_notebook_case(s->notebook, s->t, s->seen, reasons, s->stats.tests);
    if (s->arrivals) sonde_arrivals_case(s->arrivals, s->coverage, s->t, s->seen, s->stats.tests);
    if (reasons && author && s->sharing.outbox) share(s, reasons);
    return reasons;
}

void sonde_search_count(struct sonde_search *s)
{
    uint32_t reasons = sonde_search_account(s, NULL);
    if (reasons && s->sharing.outbox) share(s, reasons);
}

/* The worker died while sonde was at work. So everything that it may have been writing is replaced or marked as
 * inexact, and only the count of cases continues. */
void sonde_search_count_torn(struct sonde_search *s)
{
    sonde_search_renew_guides(s);
    s->is_torn = true;
    sonde_sample_abandon(&s->rerun.sample);
    s->tally.is_inexact = true;
    sonde_judge_recover(&s->judge);
    s->unstable_places = s->unstable_valid_places = 0;
    if (s->notebook) sonde_notebook_recover(s->notebook);
    sonde_sharing_rewind(&s->sharing); /* the search learns again from the tapes that were sent */
    count(s, NULL);
    sonde_judge_case(&s->judge, s->t, NULL, sonde_case_identity(s->t), s->guide->wants);
}
