/* See search.h.
 *
 * A search is created by the supervisor in the current heap, and runs in a worker; sonde_search_clear is called in the
 * supervisor again. Guides are created once, in an order that fixes their random streams (1 the user's, 2 uniform, 3
 * simplest, 4 relief). */
#include "engine/search/search.h"

#include "base/die.h"
#include "base/heap.h"
#include "base/mem.h"
#include "exec/exec.h"
#include "program/sites.h"
#include "guide/guides.h"

#include <string.h>

/* ---- Guides */

/* Returns how many cases the limits allow; 0: not known. Some guides plan by this number, `seeded` for instance. */
static uint64_t budget_of(const struct sonde_search *s)
{
    return s->pace.tests && (!s->pace.runs || s->pace.tests < s->pace.runs) ? s->pace.tests : s->pace.runs;
}

/* Returns a copy of the words in shared memory, which lives as long as the guide. Strings that a guide borrows must
 * exist in spawned workers, too. */
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
    /* The options of a guide may make it want more than what all guides of its kind want (ops->wants). */
    guide->wants |= ops->wants;
    return guide;
}

/* Creates a guide. Each guide of a search has a separate stream, and the streams of one job are consecutive. So adding
 * a job changes no draw of the others. */
static struct sonde_guide *make_guide(struct sonde_search *s, const struct sonde_guide_ops *ops, uint64_t stream)
{
    const struct sonde_options *o = s->options;
    sonde_assert(stream > 0 && stream <= sizeof s->setups / sizeof *s->setups);
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
                                        .seed_seconds = o->seed_seconds,
                                        .corpus = &s->corpus};
    if (o->spawn) share_setup(setup);
    return create_guide(ops, setup);
}

void sonde_search_relieve(struct sonde_search *s, const struct sonde_guide_ops *by)
{
    if (s->relief) s->relief->ops->destroy(s->relief);
    s->relief = by ? make_guide(s, by, 4) : NULL;
}

static void recall(struct sonde_search *s)
{
    const struct sonde_bytes *learned = s->legacy ? &s->legacy->learned : NULL;
    if (learned && learned->n && s->guide->ops->load) s->guide->ops->load(s->guide, learned->data, learned->n);
}

/* Destroys neither the old guides nor what they kept, because their memory may be damaged. */
void sonde_search_renew_guides(struct sonde_search *s)
{
    sonde_corpus_abandon(&s->corpus);
    s->ended = NULL;
    s->guide = create_guide(s->guide->ops, &s->setups[0]);
    if (s->relief) s->relief = create_guide(s->relief->ops, &s->setups[3]);
    recall(s);
}

void sonde_search_inherit(struct sonde_search *s, const struct sonde_legacy *legacy)
{
    s->legacy = legacy;
    if (s->job == 0 && s->pace.tests && s->pace.tests < legacy->n_counted) s->pace.tests = legacy->n_counted;
    if (s->job == 0 && s->pace.runs && s->pace.runs < legacy->n_counted) s->pace.runs = legacy->n_counted;
    recall(s);
}

/* ---- Life */

/* Never returns more jobs than cases, because some would have nothing to do. `enumerate` gets one job: a second one
 * would try the same inputs. */
unsigned sonde_search_jobs(const struct sonde_options *o)
{
    bool is_alone =
        o->isolation == SONDE_ISOLATE_NONE || (o->guide && sonde_guide_find(o->guide) == &sonde_guide_enumerate);
    is_alone |= o->concern != SONDE_CONCERN_FULL; /* a short search, which one job decides to end */
    uint64_t n = is_alone ? 1 : o->jobs;
    if (o->tests && o->tests < n) n = o->tests;
    if (o->runs && o->runs < n) n = o->runs;
    return n ? (unsigned)n : 1;
}

/* Returns one search's part of a limit. */
static uint64_t share(uint64_t bound, unsigned jobs, unsigned job)
{
    return bound / jobs + (job < bound % jobs);
}

enum {
    SAVED_PART = 8,   /* the saved corpus may use one part in this many of the guide's memory */
    FIRST_LOOK = 1000 /* number of valid cases before the first check whether inputs repeat */
};

static bool is_watched(const struct sonde_search *s)
{
    return s->options->watched || s->options->flat_seconds > 0;
}

/* Sets up the record of cases near changed code. Keeps the counters of cases that end their process, since only such
 * cases may reach a changed line. The code of --goal takes precedence over changed code. */
static void watch_change(struct sonde_search *s, const struct sonde_changed_code *change)
{
    s->vicinity = sonde_vicinity_create(change);
    sonde_coverage_keep(s->coverage, false);
    if (s->arrivals) return;
    s->near = sonde_malloc((change->n_near + 1u) * sizeof *s->near);
    memcpy(s->near, change->near, change->n_near * sizeof *s->near);
    sonde_coverage_near(s->coverage, s->near, change->n_near);
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
    /* cli/options.c has checked the words. */
    s->identity_by = strcmp(options->characteristic, "trace") == 0      ? SONDE_IDENTITY_BY_TRACE
                     : strcmp(options->characteristic, "branches") == 0 ? SONDE_IDENTITY_BY_BRANCHES
                                                                        : SONDE_IDENTITY_BY_TAPE;
    s->pace.tests = share(options->tests, sonde_search_jobs(options), job);
    s->pace.runs = share(options->runs, sonde_search_jobs(options), job);
    sonde_labels_init(&s->labels);
    uint32_t choices = (uint32_t)options->max_choices;
    s->t = sonde_case_create(&s->labels, (struct sonde_limits){.choices = choices,
                                                               .spans = choices,
                                                               .bytes = 1u << 24,
                                                               .memory = SONDE_CASE_MEMORY,
                                                               .guards = options->guard});
    sonde_corpus_init(&s->corpus);
    s->guide = make_guide(s, sonde_guide_find(options->guide), 1);
    s->sampler = make_guide(s, &sonde_guide_uniform, 2);
    s->simplest = make_guide(s, &sonde_guide_simplest, 3);
    /* A check that measures its margin runs other code. Both runs of an input must do so, or neither. */
    s->simplest->wants |= s->guide->wants & SONDE_WANT_MARGINS;
    sonde_tape_init(&s->script);
    sonde_tape_init(&s->before);
    sonde_tape_init(&s->misused);
    sonde_unique_init(&s->weighed);
    sonde_sample_init(&s->rerun.sample);
    s->repeats.look_at = FIRST_LOOK;
    sonde_judge_init(&s->judge, property->feedback, is_watched(s));
    sonde_saved_init(&s->saved, &s->corpus, (size_t)options->memory / SAVED_PART);
    s->coverage = sonde_coverage_create();
    if (options->insight) s->notebook = sonde_notebook_create();
    if (options->destination) {
        s->arrivals = sonde_arrivals_create(options->destination);
        sonde_coverage_near(s->coverage, s->arrivals->at.functions, s->arrivals->at.n_functions);
    }
    if (options->change) watch_change(s, options->change);
    s->started = s->news_at = sonde_clock_now();
    s->cpu_started = sonde_clock_cpu();
    s->pace.clock_every = 1;
    s->tally.may_cover = sonde_sites_has(SONDE_SITE_COVER_);
    bool is_heard = options->share || sonde_sharing_reasons(s->guide);
    sonde_sharing_init(&s->sharing, options->isolation != SONDE_ISOLATE_NONE && is_heard);
    if (options->share) s->snapshot.coverage = s->coverage;
    sonde_leak_watch_init(&s->leaks, options->isolation, property->reset == SONDE_GLOBALS);
}

void sonde_search_clear(struct sonde_search *s)
{
    for (uint32_t i = 0; i < s->n_found; i++) sonde_found_free(s->found[i]);
    sonde_sharing_clear(&s->sharing);
    sonde_leak_watch_clear(&s->leaks);
    sonde_case_free(s->t);
    s->guide->ops->destroy(s->guide);
    s->sampler->ops->destroy(s->sampler);
    if (s->relief) s->relief->ops->destroy(s->relief);
    s->simplest->ops->destroy(s->simplest);
    sonde_tape_clear(&s->script);
    sonde_tape_clear(&s->misused);
    sonde_tape_clear(&s->before);
    sonde_unique_clear(&s->weighed);
    sonde_free(s->ended);
    sonde_sample_clear(&s->rerun.sample);
    sonde_judge_clear(&s->judge);
    sonde_saved_clear(&s->saved);
    /* The corpus is freed after the guides and the saved corpus, which hold references to it. */
    sonde_corpus_clear(&s->corpus);
    sonde_snapshot_clear(&s->snapshot);
    sonde_coverage_free(s->coverage);
    sonde_notebook_free(s->notebook);
    sonde_arrivals_free(s->arrivals);
    sonde_vicinity_free(s->vicinity);
    sonde_free(s->near);
    sonde_tally_clear(&s->tally);
    sonde_labels_clear(&s->labels);
}

/* ---- Cases */

void sonde_search_execute(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    /* A custom feedback may read comparisons. */
    bool compares = s->guide->wants & SONDE_NEW_COMPARISON || s->judge.state;
    sonde_coverage_log(s->coverage, s->guide->wants & SONDE_WANT_COMPARISONS);
    sonde_coverage_begin(s->coverage, compares);
    s->t->ended = guide == s->guide && guide->wants & SONDE_WANT_NEW_INPUTS ? s->ended : NULL;
    sonde_exec_inline(s->t, s->property, guide, script);
    s->t->ended = NULL;
    s->seen = sonde_coverage_end(s->coverage);
}

void sonde_search_note_moment(struct sonde_search *s, double now)
{
    const struct sonde_guide *guide = s->relief ? s->relief : s->guide;
    struct sonde_share shares[SONDE_INSIGHT_SHARES];
    struct sonde_series_point m = {.seconds = now - s->started,
                                   .tests = s->stats.tests,
                                   .valid = s->stats.valid,
                                   .different = sonde_unique_about(&s->judge.unique),
                                   .shapes = sonde_levels_count(&s->judge.levels, SONDE_LEVEL_SHAPE),
                                   .skeletons = sonde_levels_count(&s->judge.levels, SONDE_LEVEL_SKELETON),
                                   .traces = sonde_levels_count(&s->judge.levels, SONDE_LEVEL_TRACE),
                                   .edges = sonde_search_places(s, false),
                                   .valid_edges = sonde_search_places(s, true),
                                   .guide = guide->ops->name};
    size_t n = guide->ops->shares ? guide->ops->shares(guide, shares, SONDE_INSIGHT_SHARES) : 0;
    for (size_t i = 0; i < n; i++) m.cost[i] = (float)shares[i].cost, m.earned[i] = (float)shares[i].earned;
    sonde_series_add(&s->notebook->series, m);
}

void sonde_search_note_saved(struct sonde_search *s)
{
    sonde_notebook_keep(s->notebook, &s->saved, &s->labels);
}

const struct sonde_insight *sonde_search_open_notebook(struct sonde_search *s)
{
    sonde_series_end(&s->notebook->series, &s->stats, s->guide->ops->name);
    return sonde_notebook_open(s->notebook, s->coverage, &s->labels, s->guide);
}

void sonde_search_note_threads(struct sonde_search *s)
{
    if (!s->has_threads && sonde_threads_ran(&s->threads)) s->has_threads = true;
}

void sonde_search_take_snapshot(struct sonde_search *s)
{
    enum { SPARSE = 50 }; /* valid inputs are sparse if fewer than one case in this many is valid */
    bool is_sparse = s->stats.valid * SPARSE < s->stats.tests;
    sonde_snapshot_take(&s->snapshot, &s->saved, &s->labels, s->guide, is_sparse);
}

/* ---- Workers */

static struct sonde_case_limits limits_of(const struct sonde_options *o)
{
    const double least = 2; /* minimum number of seconds for worker_setup, because a machine may be busy */
    /* worker_setup and worker_teardown may take at most as long as the whole search, but at least two seconds. */
    double around = o->timeout_wall;
    if (o->seconds > 0 && (around <= 0 || o->seconds < around)) around = o->seconds > least ? o->seconds : least;
    return (struct sonde_case_limits){.around_seconds = around,
                                      .cpu_seconds = o->timeout_cpu,
                                      .wall_seconds = o->timeout_wall,
                                      .memory = o->memory_limit};
}

struct sonde_worker sonde_search_worker(struct sonde_search *s)
{
    return (struct sonde_worker){.t = s->t,
                                 .limits = limits_of(s->options),
                                 .output = s->options->show_output ? SONDE_OUTPUT_SHOW : SONDE_OUTPUT_DROP,
                                 .spawn = s->spawn,
                                 .property = &s->own,
                                 .seed = s->options->seed};
}

bool sonde_search_has_hung(const struct sonde_search *s)
{
    return s->t->verdict == SONDE_FAILED && s->t->claim.kind == SONDE_CLAIM_HANG;
}

struct sonde_found *sonde_search_known(const struct sonde_search *s, const struct sonde_claim *claim)
{
    for (uint32_t i = 0; i < s->n_found; i++)
        if (sonde_claim_same(&s->found[i]->claim, claim)) return s->found[i];
    return NULL;
}

bool sonde_search_knows_hang(const struct sonde_search *s)
{
    const struct sonde_found *known = sonde_search_known(s, &s->t->claim);
    return known && known->claim.kind == SONDE_CLAIM_HANG;
}

/* Counts all features each time, because a feature may become unstable after it was seen. */
void sonde_search_count_places(struct sonde_search *s)
{
    const struct sonde_novelty *n = &s->judge.novelty;
    uint32_t places = 0, valid_places = 0;
    for (uint32_t id = 0; id < n->cap_places; id++) {
        if (!n->is_place[id] || !sonde_coverage_is_unstable(s->coverage, id)) continue;
        places += n->all[id] != 0;
        valid_places += n->valid[id] != 0;
    }
    s->unstable_places = places;
    s->unstable_valid_places = valid_places;
}

/* ---- Several searches, one report
 *
 * Runs in the supervisor, in the heap of the first search, after all workers have ended. The other heap is only
 * read. */

static void merge_failures(struct sonde_search *s, const struct sonde_search *other)
{
    for (uint32_t i = 0; i < other->n_found; i++) {
        const struct sonde_found *theirs = other->found[i];
        struct sonde_found *ours = sonde_search_known(s, &theirs->claim);
        if (!ours && s->n_found == SONDE_FOUND_MAX) continue;
        if (ours) sonde_found_merge(ours, theirs);
        else s->found[s->n_found++] = sonde_found_copy(theirs, true);
    }
}

static void merge_coverage(struct sonde_search *s, const struct sonde_search *other)
{
    uint32_t *ids = sonde_coverage_translate(s->coverage, other->coverage);
    sonde_novelty_merge(&s->judge.novelty, &other->judge.novelty, ids);
    sonde_coverage_merge(s->coverage, other->coverage, ids);
    if (s->notebook && other->notebook) sonde_notebook_merge(s->notebook, other->notebook, ids);
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

/* Labels are merged first, because the other parts refer to their ids. These ids are hashes, so they are equal in both
 * searches. The ids of coverage differ between the searches, and are translated. */
void sonde_search_merge(struct sonde_search *s, const struct sonde_search *other)
{
    struct sonde_stats *a = &s->stats;
    const struct sonde_stats *b = &other->stats;
    sonde_labels_take(&s->labels, &other->labels);
    a->tests += b->tests;
    a->valid += b->valid;
    a->discarded += b->discarded;
    a->overruns += b->overruns;
    a->choices += b->choices;
    a->imported += b->imported;
    merge_coverage(s, other);
    if (s->arrivals && other->arrivals) sonde_arrivals_merge(s->arrivals, other->arrivals);
    if (s->vicinity && other->vicinity) sonde_vicinity_merge(s->vicinity, other->vicinity);
    sonde_unique_merge(&s->judge.unique, &other->judge.unique);
    sonde_levels_merge(&s->judge.levels, &other->judge.levels);
    sonde_sample_merge(&s->rerun.sample, &other->rerun.sample);
    s->has_threads |= other->has_threads;
    s->has_characteristic |= other->has_characteristic;
    sonde_tally_merge(&s->tally, &other->tally, &s->labels);
    sonde_bests_merge(&s->judge.bests, &other->judge.bests, &s->labels);
    sonde_watch_merge(s->t->watched, other->t->watched);
    sonde_reached_merge(&s->t->reached, &other->t->reached);
    merge_failures(s, other);
    s->exhausted |= other->exhausted;
    /* Stop reasons after SONDE_STOP_TIME in the enum say more than a limit that was met; an error outweighs all. */
    if (s->stopped <= SONDE_STOP_TIME || other->stopped == SONDE_STOP_ERROR) s->stopped = other->stopped;
    if (!s->misuse[0]) merge_misuse(s, other);
    if (!s->warning[0]) memcpy(s->warning, other->warning, sizeof s->warning);
    if (!s->overrun) s->overrun = other->overrun;
}

/* ---- Damage */

uint32_t sonde_damage_count(const struct sonde_search *s)
{
    uint32_t n = atomic_load_explicit(&s->n_found, memory_order_acquire);
    if (n > SONDE_FOUND_MAX) sonde_die_overwritten();
    return n;
}

struct sonde_found *sonde_damage_at(const struct sonde_search *s, uint32_t i)
{
    if (i >= SONDE_FOUND_MAX || !sonde_heap_holds(s, s->found[i], sizeof *s->found[i])) sonde_die_overwritten();
    return s->found[i];
}

void sonde_damage_check_found(const struct sonde_found *found, bool has_ended)
{
    if (!sonde_found_is_sound(found, has_ended)) sonde_die_overwritten();
}

void sonde_damage_check(const struct sonde_search *s)
{
    uint32_t n = sonde_damage_count(s);
    for (uint32_t i = 0; i < n; i++) sonde_damage_check_found(sonde_damage_at(s, i), true);
}
