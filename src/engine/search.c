/* The search loop. One turn: the guide plans, the case runs, the verdict is added up, everyone learns. Nothing here
 * prefers one guide to another, and no clock decides anything but when to stop. */
#include "engine/search.h"

#include "base/hash.h"
#include "base/mem.h"
#include "exec/exec.h"
#include "exec/forked.h"
#include "exec/sanitizer.h"
#include "guide/guides.h"
#include "guide/plain/uniform.h"
#include "observe/observation.h"
#include "tape/text.h"

#include <string.h>

/* Cases that the bounds allow, as far as that is known. */
static uint64_t budget_of(const struct sonde_search *s)
{
    return s->tests && (!s->runs || s->tests < s->runs) ? s->tests : s->runs;
}

/* What a guide borrows must be there in spawned workers, too: copies in shared memory, which live as long as it does. */
static const char *const *shared_words(const char *const *words)
{
    size_t n = 0;
    while (words && words[n]) n++;
    if (!n) return NULL;
    const char **copy = sonde_calloc(n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++) copy[i] = sonde_strdup(words[i]);
    return copy;
}

static void share_setup(struct sonde_guide_setup *setup)
{
    setup->words = shared_words(setup->words);
    if (setup->options) setup->options = sonde_strdup(setup->options);
    if (!setup->n_numbers) return;
    int64_t *numbers = sonde_calloc(setup->n_numbers, sizeof *numbers);
    memcpy(numbers, setup->numbers, setup->n_numbers * sizeof *numbers);
    setup->numbers = numbers;
}

static struct sonde_guide *create_guide(const struct sonde_guide_ops *ops, const struct sonde_guide_setup *setup)
{
    struct sonde_guide *guide = ops->create(setup);
    guide->wants |= ops->wants;
    return guide;
}

static struct sonde_guide *make_guide(struct sonde_search *s, const struct sonde_guide_ops *ops, uint64_t stream)
{
    const struct sonde_options *o = s->options;
    struct sonde_guide_setup *setup = &s->setups[stream - 1];
    *setup = (struct sonde_guide_setup){.seed = o->seed,
                                        .stream = stream + 4 * (uint64_t)s->job,
                                        .words = o->words ? o->words : s->property->words,
                                        .numbers = s->property->numbers,
                                        .n_numbers = s->property->n_numbers,
                                        .tests = budget_of(s),
                                        .memory = (size_t)o->memory,
                                        .options = o->guide_options,
                                        .seed_tests = o->seed_tests,
                                        .seed_seconds = o->seed_seconds};
    if (o->spawn) share_setup(setup);
    return create_guide(ops, setup);
}

void sonde_search_execute(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    bool compares =
        s->guide->wants & SONDE_NEW_COMPARISON || s->judge.state; /* a feedback of the user's may look at them */
    sonde_coverage_begin(s->coverage, compares);
    sonde_exec_inline(s->t, s->property, guide, script);
    s->seen = sonde_coverage_end(s->coverage);
}

unsigned sonde_search_jobs(const struct sonde_options *o)
{
    uint64_t n = o->isolation == SONDE_ISOLATE_NONE ? 1 : o->jobs;
    if (o->tests && o->tests < n) n = o->tests;
    if (o->runs && o->runs < n) n = o->runs;
    return n ? (unsigned)n : 1;
}

/* The part of a bound that falls to one of the searches. */
static uint64_t share(uint64_t bound, unsigned jobs, unsigned job)
{
    return bound / jobs + (job < bound % jobs);
}

enum {
    HARVEST_PART = 8, /* of the memory that the guide may use */
    FIRST_LOOK = 1000 /* valid cases before it is looked whether inputs repeat */
};

static bool is_watched(const struct sonde_search *s)
{
    return s->options->watched || s->options->flat_seconds > 0;
}

/* What makes a run worth telling the other jobs: whatever the guide keeps tapes for, and getting further. */
static uint32_t shared_reasons(const struct sonde_search *s)
{
    const uint32_t kept = SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE | SONDE_NEW_COMPARISON | SONDE_NEW_TARGET
                          | SONDE_NEW_STATE | SONDE_NEW_VALID;
    const uint32_t wanted = s->guide->ops->learn ? (s->guide->wants | s->guide->ops->wants) & kept : 0;
    return wanted ? wanted | SONDE_NEW_DEPTH : 0;
}

void sonde_search_connect(struct sonde_search *s, struct sonde_search *const *all, unsigned n)
{
    if (!s->outbox) return;
    sonde_free(s->inboxes);
    s->inboxes = sonde_calloc(n, sizeof *s->inboxes);
    s->n_inboxes = 1;
    s->inboxes[0].from = s->outbox;
    sonde_inbox_skip(&s->inboxes[0]);
    for (unsigned i = 0; i < n; i++)
        if (all[i] != s && all[i]->outbox) s->inboxes[s->n_inboxes++].from = all[i]->outbox;
    s->look_in = 1;
}

void sonde_search_init(struct sonde_search *s, const sonde_property *property, const struct sonde_options *options,
                       unsigned job)
{
    memset(s, 0, sizeof *s);
    s->job = job;
    s->execute = sonde_search_execute;
    s->own = *property;
    s->property = options->spawn ? &s->own : property;
    s->options = options;
    s->by_trace = strcmp(options->characteristic, "trace") == 0;
    s->tests = share(options->tests, sonde_search_jobs(options), job);
    s->runs = share(options->runs, sonde_search_jobs(options), job);
    sonde_labels_init(&s->labels);
    uint32_t choices = (uint32_t)options->max_choices;
    s->t = sonde_case_create(&s->labels, (struct sonde_limits){.choices = choices,
                                                               .spans = choices,
                                                               .bytes = 1u << 24,
                                                               .memory = 1u << 30,
                                                               .guards = options->guard});
    s->guide = make_guide(s, sonde_guide_find(options->guide), 1);
    s->sampler = make_guide(s, &sonde_guide_uniform, 2);
    s->simplest = make_guide(s, &sonde_guide_simplest, 3);
    sonde_tape_init(&s->script);
    sonde_tape_init(&s->before);
    sonde_tape_init(&s->misused);
    sonde_unique_init(&s->weighed);
    sonde_sample_init(&s->sample);
    s->look_at = FIRST_LOOK;
    sonde_judge_init(&s->judge, property->feedback, is_watched(s));
    sonde_harvest_init(&s->harvest, (size_t)options->memory / HARVEST_PART);
    s->coverage = sonde_coverage_create();
    s->started = s->news_at = sonde_clock_now();
    s->cpu_started = sonde_clock_cpu();
    s->clock_every = 1;
    if (options->isolation != SONDE_ISOLATE_NONE && shared_reasons(s)) {
        s->outbox = sonde_outbox_create();
        sonde_search_connect(s, &s, 1);
    }
    s->may_be_replaced = options->isolation == SONDE_ISOLATE_WORKER;
    s->seeks_leaks = sonde_leaks_can_be_found();
    s->checks_each_leak = s->seeks_leaks && options->isolation == SONDE_ISOLATE_CASE;
    if (s->seeks_leaks && !s->checks_each_leak) {
        if (!s->may_be_replaced) sonde_leaks_grew(); /* what the program lost before */
        s->leak_every = SONDE_CASE_RING - 2;
        s->leak_left = s->leak_every;
    }
}

void sonde_found_free(struct sonde_found *f)
{
    for (uint32_t k = 0; k < f->n_earlier; k++) sonde_tape_clear(&f->earlier[k]);
    sonde_free(f->earlier);
    sonde_free(f->regression);
    sonde_tape_clear(&f->tape);
    sonde_tape_clear(&f->smaller);
    sonde_free(f);
}

void sonde_search_clear(struct sonde_search *s)
{
    for (uint32_t i = 0; i < s->n_found; i++) sonde_found_free(s->found[i]);
    sonde_outbox_free(s->outbox);
    sonde_free(s->inboxes);
    sonde_case_free(s->t);
    s->guide->ops->destroy(s->guide);
    s->sampler->ops->destroy(s->sampler);
    if (s->relief) s->relief->ops->destroy(s->relief);
    s->simplest->ops->destroy(s->simplest);
    sonde_tape_clear(&s->script);
    sonde_tape_clear(&s->misused);
    sonde_tape_clear(&s->before);
    sonde_unique_clear(&s->weighed);
    sonde_sample_clear(&s->sample);
    sonde_judge_clear(&s->judge);
    sonde_harvest_clear(&s->harvest);
    sonde_bytes_clear(&s->snapshot.tapes);
    sonde_bytes_clear(&s->snapshot.learned);
    sonde_coverage_free(s->coverage);
    sonde_tally_clear(&s->tally);
    sonde_labels_clear(&s->labels);
}

/* Runs one case and looks at what the code under test did in it. */
static void run_case(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    s->seen = NULL; /* of a case that dies in a process of its own */
    s->execute(s, guide, script);
}

/* ---- What a case showed */

/* A claim is known by its place, a death by its kind and the functions it happened in. */
uint64_t sonde_claim_identity(const struct sonde_claim *claim)
{
    if (claim->functions) return claim->functions | 1;
    uint64_t hash = sonde_hash_text((uint64_t)claim->kind, claim->file ? claim->file : "");
    hash = sonde_hash_add(hash, (uint64_t)claim->line);
    return sonde_mix(hash) | 1;
}

uint64_t sonde_claim_brief(const struct sonde_claim *claim)
{
    return claim->innermost ? claim->innermost | 1 : sonde_claim_identity(claim);
}

bool sonde_claim_same(const struct sonde_claim *a, const struct sonde_claim *b)
{
    if (a->kind != SONDE_CLAIM_HANG || b->kind != SONDE_CLAIM_HANG)
        return sonde_claim_identity(a) == sonde_claim_identity(b);
    uint32_t n = a->n_way < b->n_way ? a->n_way : b->n_way;
    return n == 0 || a->way[n - 1] == b->way[n - 1];
}

static void keep_earlier(struct sonde_search *s, struct sonde_found *f)
{
    uint32_t n = 0;
    unsigned long long own = atomic_load(&s->t->started) - s->worker_began;
    while (n + 1 < SONDE_CASE_RING && n + 1 < own && sonde_case_earlier(s->t, n + 1)) n++;
    f->earlier = sonde_calloc(n, sizeof *f->earlier);
    f->n_earlier = n;
    for (uint32_t i = 0; i < n; i++) {
        struct sonde_tape *tape = sonde_case_earlier(s->t, n - i);
        sonde_tape_end(tape);
        sonde_tape_copy(&f->earlier[i], tape);
    }
}

static void keep_failure(struct sonde_search *s)
{
    sonde *t = s->t;
    uint64_t identity = sonde_claim_identity(&t->claim);
    for (uint32_t i = 0; i < s->n_found; i++) {
        struct sonde_found *f = s->found[i];
        if (!sonde_claim_same(&f->claim, &t->claim)) continue;
        f->hits++;
        /* A smaller one has less to shrink. The first stays as it is: others may be reading it. */
        const struct sonde_tape *best = f->smaller.n_spans ? &f->smaller : &f->tape;
        if (sonde_tape_compare(&t->tape, best) >= 0) return;
        sonde_tape_end(&t->tape);
        sonde_tape_copy(&f->smaller, &t->tape);
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
    keep_earlier(s, f);
    s->news++;
    s->found[s->n_found] = f;
    atomic_store_explicit(&s->n_found, s->n_found + 1, memory_order_release);
    s->quota = 0;
}

static bool is_independent(const struct sonde_search *s, const struct sonde_guide *author)
{
    return author == s->sampler || (author && author->ops == &sonde_guide_uniform);
}

/* For the claims of an exhausted space: each input once, by its probability. Where there are so many that they cannot be told
 * apart, the space is not exhausted either. */
static void weigh(struct sonde_search *s)
{
    double p = sonde_uniform_probability(&s->t->tape);
    if (!sonde_unique_add(&s->weighed, sonde_case_hash(s->t))) return;
    sonde_tally_weigh(&s->tally, s->t, s->weighed.registers ? -1 : p * s->t->weighted_p);
}

static void settle_valid(struct sonde_search *s, const struct sonde_guide *author)
{
    s->stats.valid++;
    if (s->t->n_hits) sonde_tally_valid(&s->tally, s->t, is_independent(s, author));
    if (s->tally.has_cover && !s->tally.is_inexact) weigh(s);
}

static void keep_misuse(struct sonde_search *s)
{
    const sonde *t = s->t;
    memcpy(s->misuse, t->claim.message, sizeof s->misuse);
    if (t->claim.kind != SONDE_CLAIM_MISUSE) return; /* of a set-up: nothing was drawn */
    sonde_tape_copy(&s->misused, &t->tape);
    memcpy(s->misuse_frames, t->claim.frames, sizeof s->misuse_frames);
    s->n_misuse_frames = t->claim.n_frames;
    s->misused_at = s->stats.tests;
}

static void settle_other(struct sonde_search *s)
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
        s->quota = 0;
        break;
    }
}

/* An input that may have to be run again. */
static void sample_input(struct sonde_search *s)
{
    sonde *t = s->t;
    bool is_valid = t->verdict == SONDE_VALID;
    uint64_t key = sonde_sample_key(sonde_case_hash(t), s->options->seed, is_valid);
    if (key >= s->sample.end || (!is_valid && t->verdict != SONDE_DISCARDED)) return;
    sonde_tape_end(&t->tape);
    struct sonde_sampled input = {.key = key, .test = s->stats.tests, .verdict = t->verdict, .tape = t->tape};
    sonde_sample_add(&s->sample, &input);
}

/* Adds up one case. */
static void settle(struct sonde_search *s, const struct sonde_guide *author)
{
    sonde *t = s->t;
    s->quota -= s->quota > 0;
    s->stats.tests++;
    s->stats.choices += t->tape.n_choices;
    s->has_characteristic |= t->characteristic != 0;
    sample_input(s);
    if (t->verdict == SONDE_VALID) settle_valid(s, author);
    else settle_other(s);
}

/* Everyone learns from every case. Out of line, for the guides that do not. */
static __attribute__((noinline)) uint32_t teach(struct sonde_search *s, uint32_t reasons, uint64_t identity,
                                                struct sonde_guide *author)
{
    const struct sonde_guide_ops *ops = s->guide->ops;
    sonde *t = s->t;
    if (s->guide->wants & SONDE_WANT_SHAPES) sonde_tape_end(&t->tape);
    struct sonde_observation seen = sonde_observation_of(t, s->seen, identity);
    if (s->judge.state) reasons |= sonde_judge_state(&s->judge, s->property->feedback, t, &seen);
    struct sonde_run run = {.tape = &t->tape, .observation = &seen, .interest = {.reasons = reasons}, .author = author};
    if (reasons & SONDE_HARVESTED) sonde_harvest_offer(&s->harvest, &run);
    s->news += (reasons & SONDE_NEW_STATE) != 0;
    if (ops->learn) ops->learn(s->guide, &run);
    if (s->relief) s->relief->ops->learn(s->relief, &run);
    return reasons;
}

/* ---- Between jobs */

/* While nearly everything is discarded, each valid input is worth telling of. A property whose every run is news must
 * not spend its time on telling. */
static void publish(struct sonde_search *s, uint32_t reasons)
{
    enum { RARE = 16, SHARE = 8, AT_FIRST = 256 };
    if (s->stats.valid * RARE > s->stats.tests) reasons &= ~(uint32_t)SONDE_NEW_VALID;
    if (!(reasons & shared_reasons(s)) || s->published * SHARE > s->stats.tests + AT_FIRST) return;
    if (s->t->verdict != SONDE_VALID && s->t->verdict != SONDE_DISCARDED) return;
    bool knows_its_own = sonde_inbox_is_empty(&s->inboxes[0]);
    sonde_tape_end(&s->t->tape);
    sonde_outbox_put(s->outbox, &s->t->tape);
    s->published++;
    if (knows_its_own) sonde_inbox_skip(&s->inboxes[0]);
}

/* The next tape from one of the other jobs, each in its turn. */
static bool receive(struct sonde_search *s)
{
    for (unsigned i = 0; i < s->n_inboxes; i++) {
        s->next_inbox = (s->next_inbox + 1) % s->n_inboxes;
        if (sonde_inbox_take(&s->inboxes[s->next_inbox], &s->before)) return true;
    }
    return false;
}

/* Answers why the case is of interest. */
static uint32_t account(struct sonde_search *s, struct sonde_guide *author)
{
    uint64_t identity = sonde_observation_identity(s->t, s->seen, s->by_trace);
    settle(s, author);
    uint32_t reasons = sonde_judge_case(&s->judge, s->t, s->seen, identity, s->guide->wants);
    if (s->guide->ops->learn || s->relief) reasons |= teach(s, reasons, identity, author);
    if (s->judge.traces.kinds) s->news += sonde_judge_is_news(&s->judge, s->t, s->seen, identity, reasons);
    if (reasons && author && s->outbox) publish(s, reasons);
    return reasons;
}

void sonde_search_count(struct sonde_search *s)
{
    uint32_t reasons = account(s, NULL);
    if (reasons && s->outbox) publish(s, reasons);
}

/* ---- What other runs left, and what this one leaves */

static void recall(struct sonde_search *s)
{
    const struct sonde_bytes *learned = s->legacy ? &s->legacy->learned : NULL;
    if (learned && learned->n && s->guide->ops->load) s->guide->ops->load(s->guide, learned->data, learned->n);
}

void sonde_search_inherit(struct sonde_search *s, const struct sonde_legacy *legacy)
{
    s->legacy = legacy;
    recall(s);
}

/* Runs the next tape that an earlier run left. It comes on top of the budget: the search itself must not shrink the more
 * there is to remember. */
static void run_inherited(struct sonde_search *s)
{
    run_case(s, s->simplest, &s->legacy->tapes[s->n_inherited++]);
    if (s->tests && s->t->verdict == SONDE_VALID) s->tests++;
    if (s->runs) s->runs++;
}

/* The way through most assumes is worth keeping only where valid inputs are hard to come by. */
static bool is_worth_it(const struct sonde_search *s, const struct sonde_harvested *tape)
{
    enum { SPARSE = 50 };
    return !tape->is_written && (tape->what != SONDE_FOR_DEPTH || s->stats.valid * SPARSE < s->stats.tests);
}

void sonde_search_take_snapshot(struct sonde_search *s)
{
    struct sonde_bytes *tapes = &s->snapshot.tapes;
    tapes->n = s->snapshot.learned.n = 0;
    for (uint32_t i = 0; i < SONDE_HARVEST_MAX; i++) {
        struct sonde_harvested *h = s->harvest.slots[i];
        if (!h || !is_worth_it(s, h)) continue;
        char *text = sonde_tape_to_text(&h->tape, &s->labels);
        uint8_t what = (uint8_t)h->what;
        sonde_bytes_add(tapes, &what, 1);
        sonde_bytes_add_u32(tapes, (uint32_t)h->order);
        sonde_bytes_add(tapes, text, strlen(text) + 1);
        sonde_free(text);
        h->is_written = true;
    }
    if (s->guide->ops->save) s->guide->ops->save(s->guide, &s->snapshot.learned);
}

static void hand_over(struct sonde_search *s)
{
    sonde_search_take_snapshot(s);
    atomic_store_explicit(&s->snapshot.state, SONDE_SNAPSHOT_READY, memory_order_release);
}

/* ---- When to stop */

/* Time is over and hardly any input was valid. That there were few is no reason: the code under test may be slow. */
static bool lost_nearly_all(const struct sonde_search *s)
{
    enum { FEW = 100, LOST = 9 };
    const struct sonde_stats *n = &s->stats;
    return n->valid < FEW && n->discarded + n->overruns > LOST * n->valid;
}

static bool stop(struct sonde_search *s, enum sonde_stop why)
{
    s->stopped = why;
    return true;
}

bool sonde_search_is_flat(const struct sonde_search *s, double now)
{
    return s->options->flat_seconds > 0 && now - s->news_at > s->options->flat_seconds;
}

static bool stop_by_clock(struct sonde_search *s)
{
    double now = sonde_clock_now();
    double spent = now - s->clock_last;
    s->clock_last = now;
    if (spent < 0.0005 && s->clock_every < 4096) s->clock_every *= 2;
    else if (spent > 0.002 && s->clock_every > 1) s->clock_every /= 2;
    sonde_case_refresh(s->t);
    if (s->news != s->told_news) s->news_at = now, s->told_news = s->news;
    if (atomic_load_explicit(&s->snapshot.state, memory_order_acquire) == SONDE_SNAPSHOT_ASKED) hand_over(s);
    if (s->options->isolation == SONDE_ISOLATE_NONE && sonde_search_is_flat(s, now)) return stop(s, SONDE_STOP_FLAT);
    if (s->progress && now - s->told_last > 0.1) {
        s->told_last = now;
        s->progress(s, s->user);
    }
    if (s->options->seconds > 0 && now - s->began > s->options->seconds)
        return stop(s, lost_nearly_all(s) ? SONDE_STOP_GAVE_UP : SONDE_STOP_TIME);
    return false;
}

static uint64_t most_discards(const struct sonde_search *s)
{
    return s->options->max_discards * (s->tests ? s->tests : s->stats.valid + 100);
}

/* The number of the test that is the last one after a first failure, which is often not the only one. Counted in tests, so
 * that a seed finds the same on a slow machine. */
static uint64_t last_test(const struct sonde_search *s)
{
    enum { TIMES = 10, MORE_MAX = 100000 };
    uint64_t first = s->found[0]->test;
    return first < MORE_MAX / (TIMES - 1) ? TIMES * first : first + MORE_MAX;
}

/* ---- Does it find other inputs? Looked at whenever the number of valid cases has doubled. A guide that has found none
 * since is given relief by one that remembers what was tried; if that finds none either, there is no sense in going on. */

static bool may_repeat(const struct sonde_search *s)
{
    return s->options->gives_way && !s->by_trace && !s->has_characteristic && !s->options->fuzz && !s->exhausted
           && !s->n_found;
}

static const struct sonde_guide_ops *next_relief(const struct sonde_search *s)
{
    const struct sonde_guide_ops *last = s->relief ? s->relief->ops : s->guide->ops;
    if (last == &sonde_guide_enumerate) return NULL;
    return last == &sonde_guide_random || last == &sonde_guide_auto ? &sonde_guide_enumerate : &sonde_guide_random;
}

static void relieve(struct sonde_search *s, const struct sonde_guide_ops *by)
{
    if (s->relief) s->relief->ops->destroy(s->relief);
    s->relief = make_guide(s, by, 4);
}

/* True if there is nobody left who could find another input. */
static bool only_repeats(struct sonde_search *s)
{
    bool estimated;
    const struct sonde_stats *n = &s->stats;
    if ((s->relief ? n->tests : n->valid) < s->look_at) return false;
    uint64_t unique = sonde_unique_settle(&s->judge.unique, &estimated);
    bool is_stuck = s->valid_then && unique == s->unique_then && !estimated;
    const struct sonde_guide_ops *by = is_stuck ? next_relief(s) : NULL;
    if (is_stuck && !by) return true;
    if (by) relieve(s, by);
    s->valid_then = n->valid;
    s->unique_then = unique;
    s->look_at = s->relief ? n->tests + n->valid : 2 * n->valid;
    return false;
}

static bool stop_by_count(struct sonde_search *s)
{
    const struct sonde_options *o = s->options;
    const struct sonde_stats *n = &s->stats;
    if (s->misuse[0]) return stop(s, SONDE_STOP_ERROR);
    if (s->stop_asked) return stop(s, (enum sonde_stop)(s->stop_asked - 1));
    if (s->n_found && (o->fail_fast || (!o->keep_going && n->tests >= last_test(s)))) return stop(s, SONDE_STOP_FOUND);
    if (s->tests && n->valid >= s->tests) return stop(s, SONDE_STOP_TESTS);
    if (s->runs && n->tests >= s->runs) return stop(s, SONDE_STOP_TESTS);
    if (o->max_discards && n->tests - n->valid > most_discards(s)) return stop(s, SONDE_STOP_GAVE_UP);
    if (may_repeat(s) && only_repeats(s)) return stop(s, SONDE_STOP_REPEATS);
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
    if (s->tests) least(&s->quota, s->tests - s->stats.valid);
    if (s->runs) least(&s->quota, s->runs - s->stats.tests);
    if (o->max_discards) least(&s->quota, most_discards(s) + 1 - (s->stats.tests - s->stats.valid));
    if (s->n_found && !o->keep_going) least(&s->quota, last_test(s) - s->stats.tests);
    if (may_repeat(s)) least(&s->quota, s->look_at - (s->relief ? s->stats.tests : s->stats.valid));
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
    if (a->label != b->label || a->kind != b->kind) return "another draw was made in its place";
    if (a->max != b->max || (a->kind != SONDE_KIND_BLOB && a->kind != SONDE_KIND_DOUBLE && a->base != b->base))
        return "its range was different";
    return NULL;
}

bool sonde_search_difference(const struct sonde_search *s, const struct sonde_tape *a, const struct sonde_tape *b,
                             char *out, size_t size)
{
    for (uint32_t i = 0; i < a->n_choices || i < b->n_choices; i++) {
        const char *what = i >= b->n_choices   ? "the second run ended before it"
                           : i >= a->n_choices ? "the first run had ended before it"
                                               : difference(&a->choices[i], &b->choices[i]);
        if (!what) continue;
        const struct sonde_choice *c = i < a->n_choices ? &a->choices[i] : &b->choices[i];
        snprintf(out, size, "draw %u (\"%.80s\") differed: %s", i + 1, sonde_label_text(&s->labels, c->label), what);
        return true;
    }
    return false;
}

static void compare_runs(struct sonde_search *s, const struct sonde_tape *first)
{
    char what[256];
    if (!sonde_search_difference(s, first, &s->t->tape, what, sizeof what)) return;
    snprintf(s->warning, sizeof s->warning,
             "the property is not deterministic: with the same choices, %s. Look for clocks, addresses, uninitialised "
             "memory, or state left by earlier cases",
             what);
}

static void check_determinism(struct sonde_search *s)
{
    sonde_tape_end(&s->t->tape);
    sonde_tape_copy(&s->before, &s->t->tape);
    run_case(s, s->simplest, &s->before);
    if (s->t->verdict == SONDE_FAILED) return; /* the shrinker will tell whether that is flaky */
    compare_runs(s, &s->before);
}

static bool is_time_to_check(uint64_t valid)
{
    return valid == 4 || valid == 64 || (valid & 0x1fff) == 1024;
}

/* ---- Does it hold for every input? Each is run a second time, in another order and another process: only what does the same
 * again is a function of its input. */

bool sonde_search_needs_rerun(const struct sonde_search *s)
{
    return s->exhausted && s->stats.valid && !s->stats.overruns && !s->n_found && !s->misuse[0] && !s->warning[0]
           && !s->has_threads && s->sample.n && s->stopped == SONDE_STOP_EXHAUSTED;
}

void sonde_search_begin_rerun(struct sonde_search *s)
{
    s->is_rerun = true;
    s->finished = false;
    s->stop_asked = 0;
    s->began = 0; /* it has the time once more */
}

static bool rerun_is_over(struct sonde_search *s)
{
    double now = sonde_clock_now();
    if (s->n_found || s->warning[0] || s->misuse[0] || s->n_rerun >= s->sample.n) return true;
    if (s->stop_asked) return stop(s, (enum sonde_stop)(s->stop_asked - 1));
    if (s->options->seconds > 0 && now - s->began > s->options->seconds) return stop(s, SONDE_STOP_TIME);
    return false;
}

bool sonde_search_is_over(struct sonde_search *s)
{
    return s->is_rerun ? rerun_is_over(s) : should_stop(s);
}

static void note_threads(struct sonde_search *s)
{
    if (!s->has_threads && sonde_threads_ran(&s->threads)) s->has_threads = true;
}

static const char *verdict_word(enum sonde_verdict verdict)
{
    return verdict == SONDE_VALID ? "valid" : verdict == SONDE_DISCARDED ? "discarded" : "too large";
}

static void judge_rerun(struct sonde_search *s, const struct sonde_sampled *input)
{
    sonde *t = s->t;
    if (t->verdict == SONDE_FAILED || t->verdict == SONDE_MISUSE) {
        s->stats.tests++;
        settle_other(s);
    } else if (t->verdict != input->verdict) {
        snprintf(
            s->warning, sizeof s->warning,
            "the property is not deterministic: an input that was %s was %s when it was run again. Look for clocks, "
            "addresses, uninitialised memory, or state left by earlier cases",
            verdict_word(input->verdict), verdict_word(t->verdict));
    } else {
        compare_runs(s, &input->tape);
        s->stats.rerun += !s->warning[0];
    }
}

static void rerun(struct sonde_search *s)
{
    while (!rerun_is_over(s)) {
        const struct sonde_sampled *input = sonde_sample_at(&s->sample, s->n_rerun++); /* counted even if it dies */
        run_case(s, s->simplest, &input->tape);
        judge_rerun(s, input);
    }
    note_threads(s);
    s->is_proven = s->stats.rerun == s->sample.n && !s->has_threads;
    s->finished = true;
}

/* ---- Is its coverage? What is new is looked at twice, as long as that costs little: features that differ between two
 * runs of one tape (a hash seeded by an address, a cache, a timer) would make every run look new. */

enum { REPLAY_SHARE = 64 };

static void check_stability(struct sonde_search *s)
{
    size_t n = s->seen->n_features;
    bool compared = s->seen->compared;
    struct sonde_feature *first = sonde_malloc(n * sizeof *first);
    memcpy(first, s->seen->features, n * sizeof *first);
    enum sonde_verdict verdict = s->t->verdict;
    sonde_tape_copy(&s->before, &s->t->tape);
    run_case(s, s->simplest, &s->before);
    s->replays++;
    if (s->t->verdict == verdict) sonde_coverage_compare(s->coverage, first, n, compared);
    sonde_free(first);
}

static bool is_time_to_compare(const struct sonde_search *s, uint32_t reasons)
{
    return s->seen && reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE)
           && s->replays * REPLAY_SHARE < s->stats.tests;
}

/* ---- The loop */

static bool has_leaked(const struct sonde_search *s)
{
    return s->may_be_replaced ? sonde_leaks_are_there() : sonde_leaks_grew();
}

/* Asking LeakSanitizer costs milliseconds, so it is asked about many cases at once; which of them leaks is found out by
 * running them again, one by one, in fresh workers if there are any. The first batch is checked soon; later ones are larger than the
 * ring of remembered tapes, and a hit there only makes the next one small. */
static void check_leaks(struct sonde_search *s)
{
    enum { SMALL = SONDE_CASE_RING - 2, LARGE = 32 * SONDE_CASE_RING };
    if (s->leak_left-- > 0) return;
    bool was_small = s->leak_every == SMALL;
    if (has_leaked(s)) s->leak_suspected = true;
    s->leak_every = was_small ? LARGE : SMALL;
    s->leak_left = s->leak_every << (s->leak_false_alarms < 8 ? s->leak_false_alarms : 8);
}

static struct sonde_guide *author_of_next(const struct sonde_search *s)
{
    bool samples = s->tally.has_cover && s->stats.tests % 4 == 3 && s->guide->ops != &sonde_guide_enumerate;
    if (samples || s->exhausted) return s->sampler;
    return s->relief ? s->relief : s->guide;
}

void sonde_search_death(struct sonde_search *s, bool torn)
{
    s->quota = 0;
    s->seen = NULL; /* its counters died with it */
    if (!torn) {
        account(s, NULL);
        return;
    }
    /* The worker died in sonde's own code, perhaps by a thread of the code under test: start the guide afresh. */
    s->guide = create_guide(s->guide->ops, &s->setups[0]);
    if (s->relief) s->relief = create_guide(s->relief->ops, &s->setups[3]);
    s->is_torn = true;
    sonde_sample_abandon(&s->sample);
    s->tally.is_inexact = true;
    recall(s);
    sonde_judge_recover(&s->judge);
    for (unsigned i = 0; i < s->n_inboxes; i++)
        sonde_inbox_rewind(&s->inboxes[i]); /* it learns again from what was kept */
    if (s->n_inboxes) s->look_in = 1;
    settle(s, NULL);
    /* What it had covered died with it. */
    sonde_judge_case(&s->judge, s->t, NULL, sonde_case_identity(s->t), s->guide->wants);
}

/* A case of a guide's choice; false if there is nothing left to choose. Where threads race, one run of an input says little
 * of the next: there the search goes on when all have been tried. */
static bool run_next(struct sonde_search *s, struct sonde_guide **by)
{
    struct sonde_guide *author = *by = author_of_next(s);
    enum sonde_plan plan = author->ops->start ? author->ops->start(author, &s->script) : SONDE_PLAN_FRESH;
    if (plan == SONDE_PLAN_DONE) {
        s->exhausted = true;
        note_threads(s);
        if (s->has_threads) return run_next(s, by);
        stop(s, SONDE_STOP_EXHAUSTED);
        return false;
    }
    run_case(s, author, plan == SONDE_PLAN_SCRIPT ? &s->script : NULL);
    return true;
}

static bool has_inherited(const struct sonde_search *s)
{
    return s->legacy && s->n_inherited < s->legacy->n;
}

/* Now and then: runs what another job found worth keeping, as long as there is some. Everyone learns from it. */
static void look_around(struct sonde_search *s)
{
    enum { SOON = 4, LATER = 64 };
    s->look_in = LATER;
    if (!receive(s)) return;
    s->look_in = SOON;
    run_case(s, s->simplest, &s->before);
    s->stats.imported++;
    account(s, NULL);
}

/* Children of the last cases have some time to come back; then they are ended. */
static void await_children(struct sonde_search *s)
{
    const double patience = 1;
    if (!sonde_forked_late && !s->stop_asked) sonde_forked_late = sonde_forked_take(patience);
    s->child_of = sonde_forked_late;
}

static bool must_leave(const struct sonde_search *s)
{
    return s->leak_suspected || s->pause_asked || s->sender_wanted || s->is_worn;
}

static void begin(struct sonde_search *s)
{
    s->quota = 0;
    s->clock_last = s->told_last = sonde_clock_now();
    if (s->began == 0) s->began = s->clock_last;
    s->worker_began = atomic_load(&s->t->started);
    sonde_coverage_reset(s->coverage);
    sonde_threads_begin(&s->threads);
}

void sonde_search_run(struct sonde_search *s)
{
    begin(s);
    if (s->is_rerun) {
        rerun(s);
        return;
    }
    while (!should_stop(s) && !must_leave(s) && !sonde_forked_late) {
        struct sonde_guide *author = NULL;
        if (has_inherited(s)) run_inherited(s);
        else if (!run_next(s, &author)) break;
        uint32_t reasons = account(s, author);
        if (is_time_to_compare(s, reasons)) check_stability(s);
        else if (s->t->verdict == SONDE_VALID && is_time_to_check(s->stats.valid) && !s->warning[0])
            check_determinism(s);
        if (s->leak_every && s->t->verdict == SONDE_VALID) check_leaks(s);
        if (s->n_inboxes && --s->look_in == 0) look_around(s);
        if (s->t->verdict == SONDE_FAILED) s->is_worn = s->may_be_replaced && sonde_tools_are_worn();
    }
    if (s->leak_every && has_leaked(s)) s->leak_suspected = true; /* the last batch */
    note_threads(s);
    await_children(s);
    s->finished = !must_leave(s) && !s->child_of;
}

/* ---- Several searches, one report */

static void merge_failures(struct sonde_search *s, struct sonde_search *other)
{
    for (uint32_t i = 0; i < other->n_found; i++) {
        struct sonde_found *theirs = other->found[i], *ours = NULL;
        for (uint32_t k = 0; k < s->n_found && !ours; k++)
            if (sonde_claim_same(&s->found[k]->claim, &theirs->claim)) ours = s->found[k];
        if (!ours && s->n_found == SONDE_FOUND_MAX) continue;
        if (!ours) {
            ours = s->found[s->n_found++] = sonde_calloc(1, sizeof *ours);
            *ours = *theirs;
            ours->hits = 0;
            ours->earlier = sonde_calloc(theirs->n_earlier, sizeof *ours->earlier);
            for (uint32_t k = 0; k < theirs->n_earlier; k++) sonde_tape_copy(&ours->earlier[k], &theirs->earlier[k]);
            sonde_tape_init(&ours->tape);
            sonde_tape_init(&ours->smaller);
        }
        ours->hits += theirs->hits;
        if (theirs->test < ours->test) ours->test = theirs->test;
        const struct sonde_tape *best = theirs->smaller.n_spans ? &theirs->smaller : &theirs->tape;
        if (ours->tape.n_spans == 0) sonde_tape_copy(&ours->tape, &theirs->tape);
        if (sonde_tape_compare(best, ours->smaller.n_spans ? &ours->smaller : &ours->tape) < 0)
            sonde_tape_copy(&ours->smaller, best);
    }
}

static void merge_coverage(struct sonde_search *s, const struct sonde_search *other)
{
    uint32_t *ids = sonde_coverage_translate(s->coverage, other->coverage);
    sonde_novelty_merge(&s->judge.novelty, &other->judge.novelty, ids);
    sonde_coverage_merge(s->coverage, other->coverage, ids);
    sonde_free(ids);
}

static void merge_misuse(struct sonde_search *s, const struct sonde_search *other)
{
    memcpy(s->misuse, other->misuse, sizeof s->misuse);
    memcpy(s->misuse_frames, other->misuse_frames, sizeof s->misuse_frames);
    s->n_misuse_frames = other->n_misuse_frames;
    s->misused_at = other->misused_at;
    if (other->misused.n_spans) sonde_tape_copy(&s->misused, &other->misused);
}

void sonde_search_merge(struct sonde_search *s, struct sonde_search *other)
{
    struct sonde_stats *a = &s->stats;
    const struct sonde_stats *b = &other->stats;
    for (uint32_t i = 0; i < other->labels.cap; i++)
        if (other->labels.entries[i].id)
            sonde_label_intern_n(&s->labels, other->labels.entries[i].text, other->labels.entries[i].length);
    a->tests += b->tests;
    a->valid += b->valid;
    a->discarded += b->discarded;
    a->overruns += b->overruns;
    a->choices += b->choices;
    a->imported += b->imported;
    merge_coverage(s, other);
    sonde_unique_merge(&s->judge.unique, &other->judge.unique);
    sonde_sample_merge(&s->sample, &other->sample);
    s->has_threads |= other->has_threads;
    s->has_characteristic |= other->has_characteristic;
    sonde_tally_merge(&s->tally, &other->tally, &s->labels);
    sonde_bests_merge(&s->judge.bests, &other->judge.bests, &s->labels);
    merge_failures(s, other);
    s->exhausted |= other->exhausted;
    if (s->stopped <= SONDE_STOP_TIME || other->stopped == SONDE_STOP_ERROR) s->stopped = other->stopped;
    if (!s->misuse[0]) merge_misuse(s, other);
    if (!s->warning[0]) memcpy(s->warning, other->warning, sizeof s->warning);
    if (!s->overrun) s->overrun = other->overrun;
}
