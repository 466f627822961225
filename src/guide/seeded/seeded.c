/* The guide `seeded`: `zest`, starting from inputs (seeds) that `rl` made and a filter selected. It follows Kummer's
 * thesis on seeds for coverage-guided fuzzing. No translation is needed here: `rl` makes tapes, and `zest` mutates
 * tapes.
 *
 * There are three phases:
 * - *Making*: rl makes the cases, and the valid ones pass a filter (corpus/filter.h).
 * - *Running*: each selected input is run again once and offered to zest.
 * - *Mutating*: zest makes the cases.
 * The filter `generator` selects inputs as they come, while their coverage is known, and needs no second phase.
 *
 * The cost of seeds is part of the run. Seeds get a tenth of it, by cost (choices made, edges executed). If the number
 * of cases is known, the first round gets the cost of a tenth of them. The first hundred cases, before anything was
 * learned, tell the cost of a case. Otherwise the first round gets the cost of a thousand cases. Whenever the share of
 * seeds has fallen below a twentieth, seeds are made until it is a tenth again. So an endless run gets new seeds from
 * time to time, ever more rarely, from an rl that has learned more. The clock is read only if a time is given.
 *
 * Other guides may make and mutate. `make=rl-classic,mutate=zest-bytes,all=1,watch=0` is the setup of the thesis:
 * RLCheck, with all of its inputs filtered, and Zest on bytes.
 *
 * Unlike in the thesis, zest also watches while seeds are made. It keeps inputs that showed new coverage even if the
 * filter does not select them, because their cost has been paid. Selected inputs are kept too, with or without new
 * coverage. With `watch=0`, as in the thesis, zest sees only the selected seeds and its mutants. Of these it keeps each
 * one that shows something new to zest, so filters can be compared.
 *
 * | thesis | function | difference |
 * | 4.3, seeds by RLCheck | phase MAKING, rl | tapes instead of bytes, so nothing is translated |
 * | 4.2, filters | offer_to_filter, select_seeds | corpus/filter.h |
 * | 4.3, seeds given to Zest | give_to_mutator, run_seed | zest also watches while seeds are made, unless watch=0 |
 * | budget | has_made_enough, has_made_too_little | by cost, a tenth of the run, again and again | */
#include "guide/guides.h"
#include "guide/inner.h"
#include "guide/mutate/zest.h"

#include "base/clock.h"
#include "base/die.h"
#include "base/hash.h"
#include "base/mem.h"
#include "corpus/corpus.h"
#include "corpus/filter.h"

#include <inttypes.h>
#include <string.h>

enum {
    FIRST = 1000,       /* number of cases in the first round, if the budget is not known */
    PROBE = 100,        /* number of first cases that tell the cost of one case */
    SHARE = 10,         /* making seeds gets one part in this many of the cost */
    TOO_LITTLE = 20,    /* a new round begins when making seeds has had less than one part in this many of the cost */
    SEEDS_SHARE = 20,   /* one seed is selected for this many cases that can be run, as in the thesis */
    SEEDS_MIN = 16,     /* minimum number of selected seeds, for short runs */
    SEEDS_MAX = 10000,  /* maximum number of selected seeds; the thesis selects 3,400 to 7,800 */
    SEEDS_UNKNOWN = 500 /* number of selected seeds if the budget is not known */
};

enum phase { MAKING, RUNNING, MUTATING };

/* The state of `seeded`. */
struct seeded {
    struct sonde_guide guide;
    struct sonde_inner maker, mutator;
    /* Makes choices that a seed lacks when it is run again. If the property is deterministic, a seed lacks none. */
    struct sonde_inner gaps;
    struct sonde_inner *now; /* the guide that makes the running case */
    enum phase phase;
    bool watches;
    /* Used unless zest watches: for each feature, the classes of its count that zest has seen. [0]: in any case; [1]:
     * in valid cases. */
    uint64_t *marks[2];
    uint32_t cap_marks[2];
    /* When making ends: */
    uint64_t first, tests; /* number of cases in the first round; number in the only round, if --seed-tests is given */
    uint64_t probe_cost;
    double seconds;                                     /* duration of the only round, if --seed-time is given */
    double until;                                       /* end of that round; 0 before it begins */
    double filter_word, most, watch, make, mutate, all; /* knobs */
    /* The selection. */
    enum sonde_filter_by by;
    uint32_t size;
    uint64_t filter_seed;
    struct sonde_filter *filter;
    struct sonde_corpus *corpus; /* borrowed */
    struct sonde_kept **tapes;   /* indexed by slot; references to the corpus; unused with `generator` */
    uint32_t n_tapes, cap_tapes;
    size_t bytes, limit;
    uint32_t *selected;
    uint32_t n_selected, next;
    /* Counts so far. */
    uint64_t cases, made, ran, rounds;
    uint64_t added; /* number of inputs that zest keeps only because of the filter */
    uint64_t cost, making_cost;
};

#define KNOB(name, field, ...) SONDE_KNOB(struct seeded, field, name, __VA_ARGS__)

/* Guides that may make seeds, and guides that may mutate them. The first of each list is the default. */
static const char *const makers[] = {"rl", "rl-classic", "random", "uniform", "target", "enumerate", "hill", "anneal"};
static const char *const mutators[] = {"zest", "zest-bytes", "cgpt", "cgpt-classic", "crowbar"};
#define LAST(words) (sizeof words / sizeof *words - 1)

static const struct sonde_knob knobs[] = {
    {"filter", offsetof(struct seeded, filter_word), SONDE_FILTER_GENERATOR, 0, SONDE_FILTER_COUNT - 1,
     "how seeds are selected", "bench/RESULTS.md, seeds", sonde_filter_names},
    KNOB("size", most, 0, 0, 1000000,
         "maximum number of seeds; 0: a twentieth of the cases, or no limit with filter=generator",
         "bench/KNOBS.md, seeded"),
    KNOB("watch", watch, 1, 0, 1, "0: inputs that showed new coverage while seeds were made are not mutated",
         "bench/KNOBS.md, seeded"),
    {"make", offsetof(struct seeded, make), 0, 0, LAST(makers), "the guide that makes seeds",
     "Kummer's thesis, section 4.3", makers},
    {"mutate", offsetof(struct seeded, mutate), 0, 0, LAST(mutators), "the guide that mutates seeds",
     "Kummer's thesis, section 4.3", mutators},
    KNOB("all", all, 0, 0, 1, "1: discarded inputs are filtered too, as in the thesis; 0: only valid ones",
         "Kummer's thesis, section 4.2"),
    {0},
};

/* ---- Life */

/* Returns how many seeds to select. `generator` selects each new path, so it has no size (0). */
static uint32_t size_for(const struct sonde_guide_setup *setup, enum sonde_filter_by by, double given)
{
    if (given >= 1) return (uint32_t)given;
    if (by == SONDE_FILTER_GENERATOR) return 0;
    uint64_t share = setup->tests / SEEDS_SHARE;
    if (setup->tests == 0) return SEEDS_UNKNOWN;
    return share < SEEDS_MIN ? SEEDS_MIN : share > SEEDS_MAX ? SEEDS_MAX : (uint32_t)share;
}

/* Creates an inner guide with a third of the memory. `uniform` uses none of its third. */
static void init_part(struct sonde_inner *inner, const struct sonde_guide_ops *ops,
                      const struct sonde_guide_setup *setup, unsigned part)
{
    struct sonde_guide_setup own = sonde_guide_part(setup, part);
    own.memory = setup->memory / 3;
    sonde_inner_init(inner, ops, own);
}

/* Returns the guide of this name; exits with an error if it is not linked. The command line has checked it already,
 * but other callers have not. */
static const struct sonde_guide_ops *part_named(const char *name)
{
    const struct sonde_guide_ops *ops = sonde_guide_find(name);
    enum { WHY = 512 };
    char why[WHY];
    if (ops) return ops;
    sonde_guide_missing(name, why, sizeof why);
    sonde_die(SONDE_USAGE, "seeded: %s", why);
}

static struct sonde_guide *seeded_create(const struct sonde_guide_setup *setup)
{
    struct seeded *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_seeded;
    sonde_knobs_read(knobs, setup->options, g);
    init_part(&g->maker, part_named(makers[(int)g->make]), setup, 1);
    init_part(&g->mutator, part_named(mutators[(int)g->mutate]), setup, 2);
    init_part(&g->gaps, &sonde_guide_uniform, setup, 3);
    g->now = &g->maker;
    g->watches = g->watch > 0;
    g->tests = setup->seed_tests;
    g->seconds = setup->seed_seconds;
    g->first = setup->tests ? (setup->tests + SHARE - 1) / SHARE : FIRST;
    g->by = (enum sonde_filter_by)g->filter_word;
    g->size = size_for(setup, g->by, g->most);
    g->filter_seed = sonde_mix(setup->seed) + setup->stream;
    g->limit = setup->memory / 3;
    g->corpus = setup->corpus;
    g->filter = sonde_filter_create(g->by, g->size, g->filter_seed);
    return &g->guide;
}

/* Drops all tapes and the selection. Also called between rounds: the next round selects new tapes. */
static void drop_tapes(struct seeded *g)
{
    for (uint32_t i = 0; i < g->n_tapes; i++) sonde_corpus_drop(g->corpus, g->tapes[i]);
    sonde_free(g->selected);
    g->selected = NULL;
    g->n_tapes = g->n_selected = g->next = 0;
    g->bytes = 0;
}

static void seeded_destroy(struct sonde_guide *guide)
{
    struct seeded *g = (struct seeded *)guide;
    drop_tapes(g);
    sonde_free(g->tapes);
    sonde_filter_free(g->filter);
    for (int i = 0; i < 2; i++) sonde_free(g->marks[i]);
    sonde_inner_clear(&g->maker);
    sonde_inner_clear(&g->mutator);
    sonde_inner_clear(&g->gaps);
    sonde_free(g);
}

/* ---- Phases */

/* Reports whether --seed-time is over. Only here the clock decides anything, and only if the option is given. Such a
 * run cannot be repeated exactly, as the option's help states. */
static bool is_time_over(struct seeded *g)
{
    if (g->until == 0) g->until = sonde_clock_now() + g->seconds;
    return sonde_clock_now() >= g->until;
}

static bool has_made_enough(struct seeded *g)
{
    if (g->seconds > 0) return is_time_over(g) || (g->tests && g->made >= g->tests);
    if (g->tests) return g->made >= g->tests;
    if (g->rounds > 0) return g->making_cost * SHARE >= g->cost;
    /* Before the probe is complete only the number of cases is known. */
    if (g->made < PROBE) return g->made >= g->first;
    return (double)g->making_cost * PROBE >= (double)g->first * (double)g->probe_cost;
}

static bool has_made_too_little(const struct seeded *g)
{
    return !g->tests && !(g->seconds > 0) && g->making_cost * TOO_LITTLE < g->cost;
}

static void select_seeds(struct seeded *g)
{
    g->rounds++;
    if (g->by == SONDE_FILTER_GENERATOR) return; /* zest has the seeds already */
    g->selected = sonde_calloc((size_t)sonde_filter_slots(g->filter) + 1, sizeof *g->selected);
    g->n_selected = sonde_filter_select(g->filter, g->selected);
    sonde_filter_free(g->filter); /* the next round uses a new filter with another seed */
    g->filter = sonde_filter_create(g->by, g->size, g->filter_seed + g->rounds);
}

/* Updates the phase. The tests fall through: if the filter selected nothing, RUNNING ends at once. */
static void choose_phase(struct seeded *g)
{
    if (g->phase == MAKING && has_made_enough(g)) {
        select_seeds(g);
        g->phase = RUNNING;
    }
    if (g->phase == RUNNING && g->next == g->n_selected) {
        drop_tapes(g);
        g->phase = MUTATING;
    }
    if (g->phase == MUTATING && has_made_too_little(g)) g->phase = MAKING;
}

/* ---- The guide operations */

/* Plans a case that repeats the next selected seed. `plain` is off: draws must be taken from the script, or from `gaps`
 * where the script has none. */
static enum sonde_plan run_seed(struct seeded *g, struct sonde_tape *script)
{
    sonde_tape_copy(script, &g->tapes[g->selected[g->next++]]->tape);
    g->now = &g->gaps;
    g->guide.plain = NULL;
    g->ran++;
    return SONDE_PLAN_SCRIPT;
}

static enum sonde_plan seeded_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct seeded *g = (struct seeded *)guide;
    choose_phase(g);
    g->cases++;
    guide->wants = guide->ops->wants | g->maker.guide->wants | g->mutator.guide->wants;
    if (g->phase == RUNNING) return run_seed(g, script);
    g->now = g->phase == MAKING ? &g->maker : &g->mutator;
    g->made += g->phase == MAKING;
    enum sonde_plan plan = sonde_inner_start(g->now, guide, script);
    if (plan != SONDE_PLAN_DONE) return plan;
    g->now = &g->gaps; /* the maker has made every input there is */
    return sonde_inner_start(g->now, guide, script);
}

static uint64_t seeded_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    return sonde_inner_choose(((struct seeded *)guide)->now, view);
}

static size_t seeded_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                          size_t max)
{
    return sonde_inner_fill(((struct seeded *)guide)->now, view, symbols, min, max);
}

/* ---- Learning */

/* Stores the tape in its slot. If the slot has a tape, the reservoir has replaced that tape, and it is dropped. */
static void hold_tape(struct seeded *g, uint32_t slot, const struct sonde_run *run)
{
    if (slot == g->n_tapes) {
        g->tapes = sonde_grow(g->tapes, &g->cap_tapes, (size_t)slot + 1, sizeof *g->tapes);
        g->n_tapes++;
    } else {
        g->bytes -= sonde_tape_bytes(&g->tapes[slot]->tape);
        sonde_corpus_drop(g->corpus, g->tapes[slot]);
    }
    g->tapes[slot] = sonde_corpus_keep(g->corpus, run);
    g->bytes += sonde_tape_bytes(run->tape);
}

/* Reports whether the case shows something that the mutator has not seen. This needs a separate novelty map: the
 * search's map includes cases that the mutator was not shown. */
static bool is_new_to_mutator(struct seeded *g, const struct sonde_observation *o)
{
    const struct sonde_coverage_view *view = o->coverage;
    int last = o->verdict == SONDE_VALID ? 1 : 0;
    bool is_new = false;
    if (!view) return o->verdict == SONDE_VALID;
    for (int v = 0; v < 2; v++)
        g->marks[v] = sonde_grow_zeroed(g->marks[v], &g->cap_marks[v], view->n_ids, sizeof **g->marks);
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        uint64_t bit = UINT64_C(1) << (f->mark & 63);
        for (int v = 0; f->kind == SONDE_FEATURE_COUNTER && v <= last; v++) {
            is_new |= !(g->marks[v][f->id] & bit);
            g->marks[v][f->id] |= bit;
        }
    }
    return is_new;
}

/* Lets the mutator learn from a run, marked as one with new coverage. Returns whether it was handed over; a mutator
 * with its own criteria may still not keep it. */
static bool hand_over(struct seeded *g, const struct sonde_run *run, bool is_own)
{
    if (g->mutator.guide->ops == &sonde_guide_zest) return sonde_zest_seed(g->mutator.guide, run);
    struct sonde_run as_news = *run;
    as_news.interest.reasons |= SONDE_NEW_COVERAGE | SONDE_NEW_PLACE;
    if (run->observation->verdict == SONDE_VALID) as_news.interest.reasons |= SONDE_NEW_VALID_COVERAGE;
    sonde_inner_learn(&g->mutator, &as_news, is_own);
    return true;
}

/* Offers a selected seed to the mutator, unless the mutator watched and has kept it already. */
static void give_to_mutator(struct seeded *g, const struct sonde_run *run)
{
    uint32_t news = run->interest.reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE);
    bool keeps = g->watches ? !(run->observation->coverage && news) : is_new_to_mutator(g, run->observation);
    if (keeps) g->added += hand_over(g, run, false);
}

/* Offers an input to the filter. When the memory is full, the sample does not change any more. */
static void offer_to_filter(struct seeded *g, const struct sonde_run *run)
{
    enum sonde_verdict verdict = run->observation->verdict;
    bool is_wanted = verdict == SONDE_VALID || (g->all > 0 && verdict == SONDE_DISCARDED);
    if (!is_wanted || sonde_tape_bytes(run->tape) > g->limit / 16 || g->bytes > g->limit) return;
    uint32_t slot = sonde_filter_add(g->filter, run->tape);
    if (slot == SONDE_FILTER_NONE) return;
    if (g->by == SONDE_FILTER_GENERATOR) give_to_mutator(g, run);
    else hold_tape(g, slot, run);
}

/* Counts the cost of a case. Called only for cases of this guide: other guides have separate budgets. */
static void count_cost(struct seeded *g, uint64_t cost)
{
    g->cost += cost;
    if (g->cases <= PROBE) g->probe_cost = g->cost;
    if (g->phase != MUTATING) g->making_cost += cost;
}

static void seeded_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct seeded *g = (struct seeded *)guide;
    bool own = run->author == guide;
    if (own) count_cost(g, run->observation->cost);
    if (g->watches) sonde_inner_learn(&g->mutator, run, own && g->now == &g->mutator);
    if (g->phase == MAKING) {
        sonde_inner_learn(&g->maker, run, own && g->now == &g->maker);
        offer_to_filter(g, run);
    } else if (g->phase == RUNNING) {
        give_to_mutator(g, run);
    } else if (!g->watches && run->observation->coverage && is_new_to_mutator(g, run->observation)) {
        hand_over(g, run, own);
    }
}

static void seeded_explain(struct sonde_guide *guide, const struct sonde_labels *names, FILE *out)
{
    sonde_inner_explain(&((struct seeded *)guide)->maker, names, out);
}

static void seeded_stats(struct sonde_guide *guide, FILE *out)
{
    struct seeded *g = (struct seeded *)guide;
    fprintf(out,
            "cases=%" PRIu64 " filter=%s rounds=%" PRIu64 " made=%" PRIu64 " ran=%" PRIu64 " added=%" PRIu64
            " seeds_cost=%" PRIu64 " cost=%" PRIu64 "\n",
            g->cases, sonde_filter_names[g->by], g->rounds, g->made, g->ran, g->added, g->making_cost, g->cost);
    sonde_inner_stats(&g->maker, out);
    sonde_inner_stats(&g->mutator, out);
}

const struct sonde_guide_ops sonde_guide_seeded = {
    .name = "seeded",
    .summary = "zest (or another guide) that starts from selected inputs made by rl (or another guide)",
    .create = seeded_create,
    .destroy = seeded_destroy,
    .start = seeded_start,
    .choose = seeded_choose,
    .fill = seeded_fill,
    .learn = seeded_learn,
    .wants = SONDE_NEW_VALID | SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE,
    .explain = seeded_explain,
    .stats = seeded_stats,
    .knobs = (const struct sonde_knob *const[]){knobs, NULL},
};
