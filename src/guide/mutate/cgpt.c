/* The guide `cgpt`: coverage-guided property testing (FuzzChick) on the tape. It runs mutants of kept tapes, which are
 * picked from several stores and mutated by spans.
 *
 * FuzzChick has two queues, of valid and of discarded inputs, newest first, with energy. Energy lets a chain of small
 * steps run. Here, instead, the newest valid tape is "hot" for a while. Otherwise the parent comes mostly from a niche
 * (see corpus/parents.h), sometimes from the valid pool, rarely from the discarded pool. Each time, the parent is the
 * one of a few candidates whose mutants have cost least. One input in twenty is fresh.
 *
 * A mutant that was run before would show nothing new: it is mutated again.
 *
 * Without instrumentation, shapes are the niches; shapes with few mutants come first. A tape with a new shape is kept
 * in the pool, and so is one in ten of the other valid tapes.
 *
 * | FuzzChick (Lampropoulos, Hicks, Pierce) | function | difference |
 * | 3.1, two queues with energy | pick_parent, pick_hot | niches by rare features; energy only for the newest |
 * | 3.2, derived mutators | mutate.c, mutate_span.c | from spans and labels; several per child, twins, hints |
 * | 5, the copying generator | echo_of | for every generator: the second of two similar parts repeats the first |
 * | not in the paper | decide_to_compare, make_mutant | watches comparisons; does not run known inputs again | */
#include "guide/given.h"
#include "guide/guides.h"
#include "guide/inner.h"
#include "guide/mutate/mutate.h"
#include "guide/seen.h"
#include "tape/script.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

/* The state of `cgpt`. `fresh` is started for every case, also for mutants, because a script leaves gaps.
 * `guide.wants` changes from case to case (decide_to_compare). */
struct cgpt {
    struct sonde_guide guide;
    struct sonde_seen seen;
    struct sonde_inner fresh; /* makes the choices that a script leaves open */
    struct sonde_rng rng;
    struct sonde_parents parents;
    struct sonde_hints hints;
    struct sonde_mutate mutate;
    bool echoes;              /* in the running case, the second of two similar parts repeats the first */
    bool is_terse;            /* in the running case, missing choices are 0, except the first ones */
    uint32_t words;           /* number of missing choices that are still drawn in a terse case */
    uint32_t used;            /* mutators that made the running case, as bits */
    uint64_t cases, no_cover; /* no_cover: number of cases without coverage */
    /* number of recent cases in which comparisons were watched; how many of these showed a new one */
    double compared, with_new;
    double size; /* choices and edges of a recent case */
    /* The schedule; see the knobs. */
    double p_fresh, p_hot, p_pool, p_back, p_echo, p_terse, retries;
};

enum {
    RIVALS = 4,  /* so many random niches or tapes are compared; the one that cost least becomes the parent */
    MEAN_OF = 64 /* the size of a case is a mean over about this many */
};
static const double p_warm = 0.3; /* share of mutants made from the newest tapes that showed a new comparison */
static const double p_discarded =
    0.1; /* share of mutants made from discarded tapes, among those that are neither hot nor warm */
static const double p_changed = 0.5; /* with --since: share of mutants made from tapes that came near changed code */
static const double hot_picks = 150; /* a tape is no longer young after this many mutants */

#define KNOB(name, field, ...) SONDE_KNOB(struct cgpt, field, name, __VA_ARGS__)

static const struct sonde_knob knobs[] = {
    KNOB("fresh", p_fresh, 0.05, 0, 1, "share of cases that are not mutants", "bench/KNOBS.md, cgpt"),
    KNOB("echo", p_echo, 0.8, 0, 1, "share of fresh cases in which the second of two similar parts repeats the first",
         "bench/RESULTS.md, ifc-register"),
    KNOB("terse", p_terse, 0.5, 0, 1, "share of mutants whose missing choices get the simplest value",
         "bench/RESULTS.md, programs"),
    KNOB("hot", p_hot, 0.5, 0, 1, "share of mutants made from the newest valid tapes, while they have few mutants",
         "bench/KNOBS.md, cgpt"),
    KNOB("back", p_back, 0.4, 0, 0.99, "probability of skipping the newest tape, then the one before it, and so on",
         "bench/KNOBS.md, cgpt"),
    KNOB("pool", p_pool, 0.1, 0, 1,
         "share of mutants of valid tapes whose parent comes from the pool, not from a niche", "bench/KNOBS.md, cgpt"),
    KNOB("retries", retries, 4, 0, 1000, "how many times a mutant that was run before is mutated again",
         "bench/KNOBS.md, cgpt"),
    {0},
};

static struct sonde_guide *cgpt_create(const struct sonde_guide_setup *setup)
{
    struct cgpt *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_cgpt;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    struct sonde_guide_setup fresh = sonde_guide_part(setup, 1);
    fresh.memory = 0; /* no memory for a trie that avoids repeats: mutants repeat now and then anyway */
    sonde_parents_init(&g->parents, setup->corpus, setup->memory);
    sonde_mutate_init(&g->mutate, setup, &g->rng, &g->parents, &g->hints);
    sonde_knobs_read(knobs, setup->options, g);
    sonde_seen_init(&g->seen);
    sonde_inner_init(&g->fresh, &sonde_guide_random, fresh);
    return &g->guide;
}

static void cgpt_destroy(struct sonde_guide *guide)
{
    struct cgpt *g = (struct cgpt *)guide;
    sonde_inner_clear(&g->fresh);
    sonde_seen_clear(&g->seen);
    sonde_mutate_clear(&g->mutate);
    sonde_parents_clear(&g->parents);
    sonde_free(g);
}

static bool chance(struct cgpt *g, double p)
{
    return sonde_rng_unit(&g->rng) < p;
}

/* Draws a few tapes from a pool and returns the one whose mutants have cost least; NULL if the pool is empty. */
static const struct sonde_kept *pick_from(struct cgpt *g, enum sonde_pool pool)
{
    const struct sonde_pooled *picked = sonde_parents_pick(&g->parents, pool, &g->rng, RIVALS);
    return picked ? picked->kept : NULL;
}

/* Returns a valid parent, preferably from a niche: most tapes of a pool are common ones. */
static const struct sonde_kept *pick_valid(struct cgpt *g)
{
    const struct sonde_kept *parent = NULL;
    if (!chance(g, g->p_pool)) parent = sonde_parents_pick_niche(&g->parents, &g->rng, RIVALS);
    return parent ? parent : pick_from(g, SONDE_POOL_VALID);
}

/* Returns one of the newest tapes of a pool, or NULL. A tape that had many mutants is picked more and more rarely. Its
 * heat is the cost of its mutants so far; beyond hot_picks the probability falls as 1 / heat. */
static const struct sonde_kept *pick_hot(struct cgpt *g, enum sonde_pool pool, double p)
{
    uint32_t back = 0;
    while (chance(g, g->p_back)) back++;
    struct sonde_pooled *newest = sonde_parents_newest(&g->parents, pool, back);
    if (!newest || !newest->kept->is_valid) return NULL;
    if (newest->heat > hot_picks) p *= hot_picks / newest->heat;
    if (!chance(g, p)) return NULL;
    newest->heat = sonde_parents_charge(newest);
    return newest->kept;
}

/* Returns whether a valid input is known. */
static bool has_valid(const struct cgpt *g)
{
    return g->parents.pools[SONDE_POOL_VALID].n || g->parents.n_niches;
}

/* Returns a discarded tape, or NULL. As long as no valid tape is known, a tape that had many mutants is picked more and
 * more rarely, as in pick_hot. Where nothing leads to a valid input, mutants of the same few tapes may never find one,
 * and fresh cases do. */
static const struct sonde_kept *pick_discarded(struct cgpt *g)
{
    struct sonde_pooled *picked = sonde_parents_pick(&g->parents, SONDE_POOL_DISCARDED, &g->rng, RIVALS);
    if (!picked) return NULL;
    double heat = sonde_parents_heat(picked);
    return !has_valid(g) && heat > hot_picks && !chance(g, hot_picks / heat) ? NULL : picked->kept;
}

/* Returns a parent, or NULL for a fresh case. Stores are tried in the order of preference, because each may be
 * empty. */
static const struct sonde_kept *pick_parent(struct cgpt *g)
{
    if (chance(g, g->p_fresh)) return NULL;
    if (g->parents.pools[SONDE_POOL_CHANGED].n && chance(g, p_changed)) return pick_from(g, SONDE_POOL_CHANGED);
    const struct sonde_kept *hot = pick_hot(g, SONDE_POOL_VALID, g->p_hot);
    if (!hot) hot = pick_hot(g, SONDE_POOL_COMPARED, p_warm);
    if (hot) return hot;
    const struct sonde_kept *parent = NULL;
    if (!chance(g, p_discarded)) parent = pick_valid(g);
    if (!parent) parent = pick_discarded(g);
    return parent ? parent : pick_valid(g);
}

/* Decides whether comparisons are watched in the next case. They are always watched while at least every eighth case
 * shows a new comparison. Then they are watched more and more rarely, but in at least an eighth of the cases. In a
 * large program watching doubles the time of a case. There it is done as often as it shows a new comparison, and in at
 * least one case in 32. Before the first valid input only comparisons show the way to it, so they are watched as in a
 * small program. */
static void decide_to_compare(struct cgpt *g)
{
    enum {
        PART = 8,         /* one case in this many, as stated above; also added to both counts */
        LARGE = 1000,     /* a program is large if a case has more choices and edges */
        LARGE_LEAST = 32, /* in large programs at least one case in this many is watched */
        MEMORY = 1024     /* number of cases after which both counts are halved, so that recent cases count more */
    };
    bool is_large = g->size > LARGE && has_valid(g);
    if (g->compared > MEMORY) g->compared /= 2, g->with_new /= 2;
    double share = (is_large ? 1 : PART) * (g->with_new + PART) / (g->compared + PART);
    double least_share = 1.0 / (is_large ? LARGE_LEAST : PART);
    if (share < least_share) share = least_share;
    if (chance(g, share)) g->guide.wants |= SONDE_NEW_COMPARISON;
    else g->guide.wants &= ~(uint32_t)SONDE_NEW_COMPARISON;
}

/* Decides whether missing parts of a mutant are kept small. A small part breaks less: an element without attributes and
 * children is valid in more contexts, and later mutations can add them. `words` is geometric with mean two: a few
 * choices are still drawn, or nothing new would ever be added. */
static void decide_to_be_terse(struct cgpt *g)
{
    g->is_terse = chance(g, g->p_terse);
    for (g->words = 1; chance(g, 0.5);) g->words++;
}

/* Mutates the script. A mutant that was run before is mutated further, away from its parent. Returns false if every
 * attempt gave a known input. */
static bool make_mutant(struct cgpt *g, struct sonde_tape *script)
{
    g->used = sonde_mutate(&g->mutate, script);
    for (int left = (int)g->retries; left > 0; left--) {
        if (!sonde_seen_has(&g->seen, script)) return true;
        g->used |= sonde_mutate(&g->mutate, script);
    }
    return g->retries < 1 || !sonde_seen_has(&g->seen, script);
}

static enum sonde_plan cgpt_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct cgpt *g = (struct cgpt *)guide;
    g->cases++;
    g->used = 0;
    decide_to_compare(g);
    sonde_inner_start(&g->fresh, &g->guide, script);
    const struct sonde_kept *parent = pick_parent(g);
    g->echoes = !parent && chance(g, g->p_echo);
    g->is_terse = false;
    if (g->echoes) g->guide.plain = NULL;
    if (!parent || parent->tape.n_choices == 0) return SONDE_PLAN_FRESH;
    sonde_tape_copy(script, &parent->tape);
    /* The hints are borrowed only for the call of make_mutant (hints.h). */
    g->hints.own = parent->hints;
    g->hints.n_own = parent->n_hints;
    bool is_news = make_mutant(g, script);
    g->hints.own = NULL; /* the parent may be dropped when the guide learns from this case */
    g->hints.n_own = 0;
    if (!is_news) {
        g->used = 0;
        return SONDE_PLAN_FRESH;
    }
    g->echoes = sonde_mutate_made_twins(g->used); /* choices that are missing in both twins get equal values */
    decide_to_be_terse(g);
    if (g->echoes || g->is_terse) g->guide.plain = NULL;
    return SONDE_PLAN_SCRIPT;
}

/* Returns the choice in `other` that corresponds to the choice about to be made in `span`, or NULL. `span` is still
 * open, so its choices are counted up to the end of the tape. */
static const struct sonde_choice *like_choice(const struct sonde_tape *t, uint32_t span, uint32_t other, uint32_t site)
{
    uint32_t nth = 0;
    for (uint32_t i = t->spans[span].start; i < t->n_choices; i++)
        nth += t->choices[i].span == span && t->choices[i].site == site;
    for (uint32_t i = t->spans[other].start; i < t->spans[other].end; i++)
        if (t->choices[i].span == other && t->choices[i].site == site && nth-- == 0) return &t->choices[i];
    return NULL;
}

/* Returns the corresponding choice in the last earlier top-level part of the same label, or NULL. So, for example, the
 * second of a pair of states repeats the first. path[1] is the top-level part that is being drawn. */
static const struct sonde_choice *echo_of(const struct sonde_view *view)
{
    const struct sonde_tape *t = view->tape;
    uint32_t before = SONDE_NO_SPAN;
    for (uint32_t i = 1; view->depth > 1 && i < view->path[1]; i = t->spans[i].next)
        if (t->spans[i].label == t->spans[view->path[1]].label) before = i;
    for (uint32_t k = 2; before != SONDE_NO_SPAN && k < view->depth; k++)
        before = sonde_mutate_like_child(t, view->path[k], before);
    if (before == SONDE_NO_SPAN || view->point->kind == SONDE_KIND_BLOB) return NULL;
    return like_choice(t, view->path[view->depth - 1], before, view->point->site);
}

/* Reports whether this choice is 0 in a terse case: true after `words` choices. */
static bool is_simplest(struct cgpt *g)
{
    if (!g->is_terse) return false;
    if (g->words == 0) return true;
    g->words--;
    return false;
}

static uint64_t cgpt_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct cgpt *g = (struct cgpt *)guide;
    const struct sonde_choice *echo = g->echoes ? echo_of(view) : NULL;
    if (echo && echo->index <= view->point->max) return echo->index;
    if (is_simplest(g)) return 0;
    return sonde_inner_choose(&g->fresh, view);
}

static size_t cgpt_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                        size_t max)
{
    struct cgpt *g = (struct cgpt *)guide;
    if (is_simplest(g)) {
        for (size_t i = 0; i < min; i++) symbols[i] = 0;
        return min;
    }
    return sonde_inner_fill(&g->fresh, view, symbols, min, max);
}

/* Keeps a tape in the valid pool if it was given or is new, and one in ten of the others. When the pool has MOST tapes,
 * about one in MOST still enters, so that the pool keeps changing. */
static void keep_some(struct cgpt *g, const struct sonde_run *run, bool is_new)
{
    enum { ONE_IN = 10, MOST = 1024 };
    if (!is_new && !sonde_is_given(run) && sonde_rng_upto(&g->rng, ONE_IN - 1) != 0) return;
    if (g->parents.pools[SONDE_POOL_VALID].n < MOST || sonde_rng_upto(&g->rng, MOST) == 0)
        sonde_parents_keep(&g->parents, SONDE_POOL_VALID, run);
}

/* Learns from a case without coverage, in which only the shape can be new. A known input shows nothing new. */
static void keep_by_shape(struct cgpt *g, const struct sonde_run *run, bool is_known)
{
    if (run->observation->verdict != SONDE_VALID || (is_known && !sonde_is_given(run))) return;
    bool is_new = sonde_parents_offer(&g->parents, run, &g->rng);
    keep_some(g, run, is_new);
    if (run->author == &g->guide && g->used) sonde_mutate_reward(&g->mutate, g->used, is_new ? 1 : 0);
}

/* Keeps a tape that came near changed code: those with something new, and some of the others. */
static void keep_near_change(struct cgpt *g, const struct sonde_run *run)
{
    enum { ONE_IN = 10, MOST = 256 };
    bool is_new = run->interest.reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE | SONDE_NEW_COMPARISON);
    if (!is_new && g->parents.pools[SONDE_POOL_CHANGED].n >= 8 && sonde_rng_upto(&g->rng, ONE_IN - 1) != 0) return;
    if (g->parents.pools[SONDE_POOL_CHANGED].n < MOST || sonde_rng_upto(&g->rng, MOST) == 0)
        sonde_parents_keep(&g->parents, SONDE_POOL_CHANGED, run);
}

/* Keeps the tape in one pool, by the strongest reason. A valid tape is also offered to the niches. */
static void cgpt_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct cgpt *g = (struct cgpt *)guide;
    const struct sonde_coverage_view *view = run->observation->coverage;
    bool is_valid = run->observation->verdict == SONDE_VALID;
    uint32_t news = run->interest.reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE);
    bool new_niche = false;
    bool is_known = !view && sonde_seen_has(&g->seen, run->tape);
    sonde_seen_add(&g->seen, run->tape);
    if (!view) {
        g->no_cover++;
        keep_by_shape(g, run, is_known);
        return;
    }
    if (run->interest.reasons & SONDE_REACHED_CHANGE) keep_near_change(g, run);
    bool compared = run->interest.reasons & SONDE_NEW_COMPARISON;
    g->size += ((double)run->observation->cost - g->size) / MEAN_OF;
    if (run->author == guide && g->guide.wants & SONDE_NEW_COMPARISON) {
        g->compared++;
        g->with_new += compared;
    }
    if (!news && !compared && is_valid && sonde_is_given(run)) keep_some(g, run, false);
    if (news || compared) {
        sonde_parents_keep(&g->parents,
                           !news      ? SONDE_POOL_COMPARED
                           : is_valid ? SONDE_POOL_VALID
                                      : SONDE_POOL_DISCARDED,
                           run);
        sonde_hints_learn(&g->hints, view, run->tape);
    }
    if (is_valid) new_niche = sonde_parents_offer(&g->parents, run, &g->rng);
    if (run->author == guide && g->used) sonde_mutate_reward(&g->mutate, g->used, news ? 1 : new_niche ? 0.5 : 0);
}

/* Saves what each mutator earned. The tapes are saved with the corpus. */
static void cgpt_save(struct sonde_guide *guide, struct sonde_bytes *out)
{
    struct cgpt *g = (struct cgpt *)guide;
    if (g->no_cover < g->cases) sonde_mutate_save(&g->mutate, out);
}

static bool cgpt_load(struct sonde_guide *guide, const uint8_t *data, size_t n)
{
    struct sonde_reader from = sonde_reader(data, n);
    return sonde_mutate_load(&((struct cgpt *)guide)->mutate, &from);
}

static void cgpt_stats(struct sonde_guide *guide, FILE *out)
{
    struct cgpt *g = (struct cgpt *)guide;
    fprintf(out, "cases=%" PRIu64 " valid_pool=%" PRIu32 " discarded_pool=%" PRIu32 " niches=%" PRIu32 " bytes=%zu",
            g->cases, g->parents.pools[SONDE_POOL_VALID].n, g->parents.pools[SONDE_POOL_DISCARDED].n,
            g->parents.n_niches, g->parents.bytes);
    sonde_mutate_stats(&g->mutate, out);
    fputc('\n', out);
}

const struct sonde_guide_ops sonde_guide_cgpt = {
    .name = "cgpt",
    .summary = "mutates the structure of inputs that reached new code; for instrumented code",
    .create = cgpt_create,
    .destroy = cgpt_destroy,
    .start = cgpt_start,
    .choose = cgpt_choose,
    .fill = cgpt_fill,
    .learn = cgpt_learn,
    .wants = SONDE_WANT_NEW_INPUTS | SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE | SONDE_NEW_COMPARISON,
    .stats = cgpt_stats,
    .save = cgpt_save,
    .load = cgpt_load,
    .knobs = (const struct sonde_knob *const[]){knobs, sonde_mutate_knobs, NULL},
};
