/* The search loop. One turn: the guide plans, the case runs, the verdict is added up, everyone learns. Nothing here
 * prefers one guide to another, and no clock decides anything but when to stop. */
#include "engine/search.h"

#include "base/hash.h"
#include "base/mem.h"
#include "exec/exec.h"
#include "guide/guides.h"

#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double sonde_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double sonde_cpu(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static struct sonde_guide *make_guide(struct sonde_search *s, const struct sonde_guide_ops *ops, uint64_t stream)
{
    const struct sonde_options *o = s->options;
    struct sonde_guide_setup *setup = &s->setups[stream - 1];
    *setup = (struct sonde_guide_setup){.seed = o->seed,
                                        .stream = stream,
                                        .words = o->words ? o->words : s->property->words,
                                        .numbers = s->property->numbers,
                                        .n_numbers = s->property->n_numbers,
                                        .tests = o->tests,
                                        .memory = (size_t)o->memory,
                                        .options = o->guide_options};
    return ops->create(setup);
}

void sonde_search_init(struct sonde_search *s, const sonde_property *property, const struct sonde_options *options)
{
    memset(s, 0, sizeof *s);
    s->property = property;
    s->options = options;
    sonde_labels_init(&s->labels);
    uint32_t choices = (uint32_t)options->max_choices;
    s->t = sonde_case_create(
        &s->labels, (struct sonde_limits){.choices = choices, .spans = choices, .bytes = 1u << 24, .memory = 1u << 30});
    s->guide = make_guide(s, sonde_guide_find(options->guide), 1);
    s->sampler = make_guide(s, &sonde_guide_uniform, 2);
    s->simplest = make_guide(s, &sonde_guide_simplest, 3);
    sonde_tape_init(&s->script);
    sonde_tape_init(&s->before);
    sonde_unique_init(&s->unique);
    sonde_novelty_init(&s->novelty);
    s->coverage = sonde_coverage_create();
    s->started = sonde_now();
    s->cpu_started = sonde_cpu();
    s->clock_every = 1;
}

void sonde_search_clear(struct sonde_search *s)
{
    for (uint32_t i = 0; i < s->n_found; i++) {
        sonde_tape_clear(&s->found[i]->tape);
        sonde_free(s->found[i]);
    }
    sonde_case_free(s->t);
    s->guide->ops->destroy(s->guide);
    s->sampler->ops->destroy(s->sampler);
    s->simplest->ops->destroy(s->simplest);
    sonde_tape_clear(&s->script);
    sonde_tape_clear(&s->before);
    sonde_unique_clear(&s->unique);
    sonde_novelty_clear(&s->novelty);
    sonde_coverage_free(s->coverage);
    sonde_tally_clear(&s->tally);
    sonde_labels_clear(&s->labels);
}

/* Runs one case and looks at what the code under test did in it. */
static void run_case(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    sonde_coverage_begin(s->coverage);
    sonde_exec_inline(s->t, s->property, guide, script);
    s->seen = sonde_coverage_end(s->coverage);
}

/* ---- What a case showed */

/* A claim is known by its place. */
uint64_t sonde_claim_identity(const struct sonde_claim *claim)
{
    uint64_t hash = sonde_hash_text((uint64_t)claim->kind, claim->file ? claim->file : "");
    hash = sonde_hash_add(hash, (uint64_t)claim->line);
    return sonde_mix(hash) | 1;
}

static void keep_failure(struct sonde_search *s)
{
    sonde *t = s->t;
    uint64_t identity = sonde_claim_identity(&t->claim);
    for (uint32_t i = 0; i < s->n_found; i++) {
        struct sonde_found *f = s->found[i];
        if (f->identity != identity) continue;
        f->hits++;
        if (sonde_tape_compare(&t->tape, &f->tape) >= 0) return;
        sonde_tape_copy(&f->tape, &t->tape); /* a smaller one has less to shrink */
        f->claim = t->claim;
        return;
    }
    if (s->n_found == SONDE_FOUND_MAX) return;
    struct sonde_found *f = sonde_calloc(1, sizeof *f);
    sonde_tape_end(&t->tape);
    sonde_tape_copy(&f->tape, &t->tape);
    f->identity = identity;
    f->claim = t->claim;
    f->test = s->stats.tests;
    f->hits = 1;
    f->size = sonde_tape_size(&t->tape);
    if (s->n_found == 0) s->found_at = sonde_now();
    s->found[s->n_found++] = f;
    s->quota = 0;
}

static uint32_t settle_valid(struct sonde_search *s, uint64_t identity, bool independent)
{
    s->stats.valid++;
    if (s->t->n_hits) sonde_tally_valid(&s->tally, s->t, independent);
    if (!(s->guide->ops->wants & SONDE_NEW_VALID)) {
        sonde_unique_add_later(&s->unique, identity);
        return 0;
    }
    return sonde_unique_add(&s->unique, identity) ? SONDE_NEW_VALID : 0;
}

/* Adds up one case; answers why it is of interest. */
static uint32_t settle(struct sonde_search *s, uint64_t identity, bool independent)
{
    sonde *t = s->t;
    uint32_t reasons = 0;
    s->quota -= s->quota > 0;
    s->stats.tests++;
    s->stats.choices += t->tape.n_choices;
    switch (t->verdict) {
    case SONDE_VALID: reasons |= settle_valid(s, identity, independent); break;
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
        memcpy(s->misuse, t->claim.message, sizeof s->misuse);
        s->quota = 0;
        break;
    }
    if (t->n_targets && sonde_tally_targets(&s->tally, t)) reasons |= SONDE_NEW_TARGET;
    if (t->assumes_passed > s->deepest) {
        s->deepest = t->assumes_passed;
        reasons |= SONDE_NEW_DEPTH;
    }
    if (s->seen) reasons |= sonde_novelty_judge(&s->novelty, s->seen, t->verdict);
    return reasons;
}

/* Everyone learns from every case. */
static void teach(struct sonde_search *s, uint32_t reasons, uint64_t identity, struct sonde_guide *author)
{
    const struct sonde_guide_ops *ops = s->guide->ops;
    if (!ops->learn) return;
    sonde *t = s->t;
    if (ops->wants & SONDE_WANT_SHAPES) sonde_tape_end(&t->tape);
    struct sonde_observation seen = {.verdict = t->verdict,
                                     .assumes_passed = t->assumes_passed,
                                     .assume_distance = -1,
                                     .targets = t->targets,
                                     .n_targets = t->n_targets,
                                     .identity = identity,
                                     .cost = t->tape.n_choices + (s->seen ? s->seen->executed : 0),
                                     .coverage = s->seen};
    struct sonde_run run = {.tape = &t->tape, .observation = &seen, .interest = {.reasons = reasons}, .author = author};
    ops->learn(s->guide, &run);
}

/* Answers why the case is of interest. */
static uint32_t account(struct sonde_search *s, struct sonde_guide *author)
{
    uint64_t identity = sonde_case_identity(s->t);
    bool independent = author == s->sampler || (author && author->ops == &sonde_guide_uniform);
    uint32_t reasons = settle(s, identity, independent);
    teach(s, reasons, identity, author);
    return reasons;
}

void sonde_search_example(struct sonde_search *s, const struct sonde_tape *script)
{
    run_case(s, s->simplest, script);
    account(s, NULL);
}

bool sonde_search_fails(struct sonde_search *s, const struct sonde_tape *script, uint64_t identity)
{
    run_case(s, s->simplest, script);
    return s->t->verdict == SONDE_FAILED && (!identity || sonde_claim_identity(&s->t->claim) == identity);
}

/* ---- When to stop */

/* How many valid cases make a verdict of "passed" mean something when time is short. */
static uint64_t enough_valid(const struct sonde_options *o)
{
    return o->tests && o->tests < 100 ? o->tests : 100;
}

static bool stop(struct sonde_search *s, enum sonde_stop why)
{
    s->stopped = why;
    return true;
}

static bool stop_by_clock(struct sonde_search *s)
{
    double now = sonde_now();
    double spent = now - s->clock_last;
    s->clock_last = now;
    if (spent < 0.0005 && s->clock_every < 4096) s->clock_every *= 2;
    else if (spent > 0.002 && s->clock_every > 1) s->clock_every /= 2;
    sonde_case_refresh(s->t);
    if (s->progress && now - s->told_last > 0.1) {
        s->told_last = now;
        s->progress(s, s->user);
    }
    if (s->n_found && !s->options->keep_going && now - s->found_at > 2) return stop(s, SONDE_STOP_FOUND);
    if (s->options->seconds > 0 && now - s->started > s->options->seconds)
        return stop(s, s->stats.valid < enough_valid(s->options) ? SONDE_STOP_GAVE_UP : SONDE_STOP_TIME);
    return false;
}

static bool stop_by_count(struct sonde_search *s)
{
    const struct sonde_options *o = s->options;
    const struct sonde_stats *n = &s->stats;
    if (s->misuse[0]) return stop(s, SONDE_STOP_ERROR);
    if (s->interrupted && *s->interrupted) return stop(s, SONDE_STOP_INTERRUPTED);
    if (s->n_found && (o->fail_fast || (!o->keep_going && n->tests >= 10 * s->found[0]->test)))
        return stop(s, SONDE_STOP_FOUND);
    if (o->tests && n->valid >= o->tests) return stop(s, SONDE_STOP_TESTS);
    if (o->runs && n->tests >= o->runs) return stop(s, SONDE_STOP_TESTS);
    if (o->max_discards && n->tests - n->valid > o->max_discards * (o->tests ? o->tests : n->valid + 100))
        return stop(s, SONDE_STOP_GAVE_UP);
    return false;
}

static void least(uint64_t *quota, uint64_t left)
{
    if (left < *quota) *quota = left;
}

/* No bound can be met before so many more cases: until then the loop need not look. */
static void set_quota(struct sonde_search *s)
{
    const struct sonde_options *o = s->options;
    s->quota = s->clock_every;
    if (o->tests) least(&s->quota, o->tests - s->stats.valid);
    if (o->runs) least(&s->quota, o->runs - s->stats.tests);
    if (s->n_found && !o->keep_going) least(&s->quota, 10 * s->found[0]->test - s->stats.tests);
}

/* A failure or a misuse sets the quota to 0, so that it is looked at at once. */
static bool should_stop(struct sonde_search *s)
{
    if (s->quota > 0) return false;
    if (stop_by_count(s) || stop_by_clock(s)) return true;
    set_quota(s);
    return false;
}

/* ---- Is the property deterministic? A valid case is run again now and then: the same answers must lead to the same
 * draws. */

static const char *difference(const struct sonde_choice *a, const struct sonde_choice *b)
{
    if (a->label != b->label || a->kind != b->kind) return "another draw came in its place";
    if (a->max != b->max || (a->kind != SONDE_KIND_BLOB && a->kind != SONDE_KIND_DOUBLE && a->base != b->base))
        return "its range was another one";
    return NULL;
}

static void compare_runs(struct sonde_search *s)
{
    const struct sonde_tape *a = &s->before, *b = &s->t->tape;
    for (uint32_t i = 0; i < a->n_choices || i < b->n_choices; i++) {
        const char *what = i >= b->n_choices   ? "the second run ended before it"
                           : i >= a->n_choices ? "the first run had ended before it"
                                               : difference(&a->choices[i], &b->choices[i]);
        if (!what) continue;
        const struct sonde_choice *c = i < a->n_choices ? &a->choices[i] : &b->choices[i];
        snprintf(s->warning, sizeof s->warning,
                 "the property is not deterministic: with the same answers, draw %u (\"%s\") differed: %s. Look for "
                 "clocks, addresses, uninitialised memory, or state left by earlier cases",
                 i + 1, sonde_label_text(&s->labels, c->label), what);
        return;
    }
}

static void check_determinism(struct sonde_search *s)
{
    sonde_tape_end(&s->t->tape);
    sonde_tape_copy(&s->before, &s->t->tape);
    run_case(s, s->simplest, &s->before);
    if (s->t->verdict == SONDE_FAILED) return; /* the shrinker will tell whether that is flaky */
    compare_runs(s);
}

static bool is_time_to_check(uint64_t valid)
{
    return valid == 4 || valid == 64 || (valid & 0x1fff) == 1024;
}

/* ---- Is its coverage? What is new is looked at twice, as long as that costs little: features that differ between two
 * runs of one tape (a hash seeded by an address, a cache, a timer) would make every run look new. */

enum { REPLAY_SHARE = 64 };

static void check_stability(struct sonde_search *s)
{
    size_t n = s->seen->n_features;
    struct sonde_feature *first = sonde_malloc(n * sizeof *first);
    memcpy(first, s->seen->features, n * sizeof *first);
    enum sonde_verdict verdict = s->t->verdict;
    sonde_tape_copy(&s->before, &s->t->tape);
    run_case(s, s->simplest, &s->before);
    s->replays++;
    if (s->t->verdict == verdict) sonde_coverage_compare(s->coverage, first, n);
    sonde_free(first);
}

static bool is_time_to_compare(const struct sonde_search *s, uint32_t reasons)
{
    return s->seen && reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE)
           && s->replays * REPLAY_SHARE < s->stats.tests;
}

/* ---- The loop */

static struct sonde_guide *author_of_next(const struct sonde_search *s)
{
    bool samples = s->tally.has_cover && s->stats.tests % 4 == 3 && s->guide->ops != &sonde_guide_enumerate;
    return samples ? s->sampler : s->guide;
}

void sonde_search_run(struct sonde_search *s)
{
    s->clock_last = s->told_last = sonde_now();
    sonde_coverage_reset(s->coverage);
    while (!should_stop(s)) {
        struct sonde_guide *author = author_of_next(s);
        enum sonde_plan plan = author->ops->start ? author->ops->start(author, &s->script) : SONDE_PLAN_FRESH;
        if (plan == SONDE_PLAN_DONE) {
            s->exhausted = true;
            stop(s, SONDE_STOP_EXHAUSTED);
            break;
        }
        run_case(s, author, plan == SONDE_PLAN_SCRIPT ? &s->script : NULL);
        uint32_t reasons = account(s, author);
        if (is_time_to_compare(s, reasons)) check_stability(s);
        else if (s->t->verdict == SONDE_VALID && is_time_to_check(s->stats.valid) && !s->warning[0]) check_determinism(s);
    }
}
