/* The guide `zest-bytes`: Zest's algorithm 2 as published, on bytes; the reference for `zest`.
 *
 * The parameters are bytes that feed the generator's distribution (params.h). A sequence is kept for new coverage,
 * or for coverage that is new among valid runs (algorithm 2, section 3.2). The kept sequences take turns in order of
 * arrival, in rounds. In its turn each gets a number of children, more if it covers more. It gets twenty times more
 * while it is favoured, that is, responsible for some branch (JQF; the paper leaves it open). A child has a
 * geometric number of mutations with mean 4. Each is a stretch of geometric length with mean 4 that becomes random
 * bytes: "4-byte ints are the most commonly requested" (section 4).
 *
 * Coverage is a set of branches as in the paper; `points=classes` adds hit counts, to the next power of two, as JQF
 * does.
 *
 * Differences: a sequence is responsible for a branch until a valid one covers it, while JQF picks the favoured inputs
 * again in every cycle. Nothing is kept beyond the memory limit. */
#include "params.h"

#include <inttypes.h>

/* A sequence in the queue, as the tape that it made. */
struct seed {
    struct sonde_kept *kept;
    uint32_t owns; /* number of branches that it is responsible for */
};

/* Covered features: per feature, a bit for each class of its count. */
struct covered {
    uint16_t *bits;
    uint32_t cap;
};

struct zest {
    struct sonde_guide guide;
    struct sonde_guide *fresh; /* the guide `uniform`: chooses where bytes are missing */
    struct sonde_guide_setup setup;
    struct sonde_rng rng;
    struct classic_params params;
    struct seed **queue; /* oldest first */
    uint32_t n_queue, cap_queue;
    struct seed **owners; /* for each feature, the seed that is responsible for it */
    uint32_t cap_owners;
    struct covered total, valid;
    uint32_t turn; /* index of the next parent */
    const struct seed *parent;
    uint64_t children; /* children of the current parent still to come */
    uint32_t most_edges, n_valid;
    uint64_t cases;
    size_t used, limit;
    double children_of_most, favoured, mean, points; /* knobs */
};

#define KNOB(name, field, ...) SONDE_KNOB(struct zest, field, name, __VA_ARGS__)

enum { SETS, CLASSES };
static const char *const point_words[] = {"sets", "classes"};

static const struct sonde_knob knobs[] = {
    KNOB("children", children_of_most, 50, 0, 1e6,
         "number of mutants of the tape that covers most, in each of its turns; other tapes get fewer",
         "JQF, ZestGuidance"),
    KNOB("favoured", favoured, 20, 1, 1e6,
         "a tape that is responsible for a feature gets this many times as many mutants", "JQF, ZestGuidance"),
    KNOB("mean", mean, 4, 1, 1e6, "average number of mutations in a mutant, and also of bytes that a mutation changes",
         "Zest, section 4"),
    {"points", offsetof(struct zest, points), SETS, 0, 1,
     "what counts as coverage: the set of branches, as in the paper, or how often each was taken, in classes, as in "
     "JQF",
     "Zest, section 3.2", point_words},
    {0},
};

static struct sonde_guide *zest_create(const struct sonde_guide_setup *setup)
{
    struct zest *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_zest_bytes;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_knobs_read(knobs, setup->options, g);
    g->setup = sonde_guide_part(setup, 1);
    g->fresh = sonde_guide_find("uniform")->create(&g->setup);
    g->limit = setup->memory;
    return &g->guide;
}

static void zest_destroy(struct sonde_guide *guide)
{
    struct zest *g = (struct zest *)guide;
    for (uint32_t i = 0; i < g->n_queue; i++) {
        sonde_corpus_drop(g->setup.corpus, g->queue[i]->kept);
        sonde_free(g->queue[i]);
    }
    g->fresh->ops->destroy(g->fresh);
    classic_params_clear(&g->params);
    sonde_free(g->queue);
    sonde_free(g->owners);
    sonde_free(g->total.bits);
    sonde_free(g->valid.bits);
    sonde_free(g);
}

/* ---- Mutation */

static uint32_t geometric(struct zest *g)
{
    uint32_t n = 1;
    while (sonde_rng_upto(&g->rng, (uint64_t)g->mean - 1) != 0) n++;
    return n;
}

/* Replaces stretches of bytes by random ones. */
static void mutate(struct zest *g)
{
    struct classic_params *p = &g->params;
    if (p->n == 0) return;
    for (uint32_t m = geometric(g); m > 0; m--) {
        uint32_t length = geometric(g), start = (uint32_t)sonde_rng_upto(&g->rng, p->n - 1);
        for (uint32_t i = start; i < start + length && i < p->n; i++) p->bytes[i] = (uint8_t)sonde_rng_next(&g->rng);
    }
}

/* ---- The next parent */

static uint64_t children_of(const struct zest *g, const struct seed *parent)
{
    uint64_t n = 1 + (g->most_edges ? (uint64_t)g->children_of_most * parent->kept->n_edges / g->most_edges : 0);
    return parent->owns ? n * (uint64_t)g->favoured : n;
}

/* Plans the next case: a child of the current parent. While nothing is kept, cases are random (algorithm 2, line 1). */
static enum sonde_plan zest_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    (void)script;
    struct zest *g = (struct zest *)guide;
    g->params.n = g->params.at = 0;
    if (g->cases++ == 0 || g->n_queue == 0) return SONDE_PLAN_FRESH;
    if (g->children == 0) {
        g->parent = g->queue[g->turn < g->n_queue ? g->turn : 0];
        g->turn = g->turn < g->n_queue ? g->turn + 1 : 1;
        g->children = children_of(g, g->parent);
    }
    g->children--;
    classic_params_of(&g->params, &g->parent->kept->tape);
    mutate(g);
    return SONDE_PLAN_FRESH; /* bytes are taken by position, so there is no script */
}

static uint64_t zest_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct zest *g = (struct zest *)guide;
    return classic_params_choose(&g->params, g->fresh, view);
}

static size_t zest_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                        size_t max)
{
    struct zest *g = (struct zest *)guide;
    (void)max; /* `max` equals min + point->max */
    return classic_params_fill(&g->params, g->fresh, view, symbols, min);
}

/* ---- Learning */

/* Adds the features of a run; returns whether one was new. */
static bool cover(const struct zest *g, struct covered *covered, const struct sonde_coverage_view *view)
{
    bool is_new = false;
    covered->bits = classic_grow(covered->bits, &covered->cap, view->n_ids, sizeof *covered->bits);
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        unsigned class = (int)g->points == CLASSES ? 31 - (unsigned)__builtin_clz(f->value | 1u) : 0;
        uint16_t bit = (uint16_t)(1u << class);
        if (f->kind != SONDE_FEATURE_COUNTER || covered->bits[f->id] & bit) continue;
        covered->bits[f->id] |= bit;
        is_new = true;
    }
    return is_new;
}

/* Makes the seed responsible for its branches without an owner. A valid seed also replaces owners that are not
 * valid. */
static void take_ownership(struct zest *g, struct seed *seed, const struct sonde_coverage_view *view)
{
    g->owners = classic_grow(g->owners, &g->cap_owners, view->n_ids, sizeof(struct seed *));
    for (size_t i = 0; i < view->n_features; i++) {
        struct seed **owner = &g->owners[view->features[i].id];
        if (*owner && !(seed->kept->is_valid && !(*owner)->kept->is_valid)) continue;
        if (*owner) (*owner)->owns--;
        *owner = seed;
        seed->owns++;
    }
}

/* Implements lines 14 to 20 of algorithm 2. Evaluates both conditions, since both sets must grow. */
static bool is_interesting(struct zest *g, const struct sonde_run *run)
{
    const struct sonde_coverage_view *view = run->observation->coverage;
    /* Without coverage, the source of the run decides. */
    if (!view) return run->interest.reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE);
    bool is_new = cover(g, &g->total, view);
    if (run->observation->verdict == SONDE_VALID) is_new |= cover(g, &g->valid, view);
    return is_new;
}

static void zest_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct zest *g = (struct zest *)guide;
    const struct sonde_coverage_view *view = run->observation->coverage;
    if (run->observation->verdict > SONDE_DISCARDED || !is_interesting(g, run) || g->used > g->limit) return;
    g->queue = classic_grow(g->queue, &g->cap_queue, g->n_queue + 1, sizeof(struct seed *));
    struct seed *seed = g->queue[g->n_queue++] = sonde_calloc(1, sizeof *seed);
    seed->kept = sonde_corpus_keep(g->setup.corpus, run);
    g->n_valid += seed->kept->is_valid;
    g->used += sizeof *seed + sizeof *seed->kept + sonde_tape_bytes(run->tape);
    if (!view) return;
    take_ownership(g, seed, view);
    if (view->n_edges > g->most_edges) g->most_edges = view->n_edges;
}

static void zest_stats(struct sonde_guide *guide, FILE *out)
{
    struct zest *g = (struct zest *)guide;
    fprintf(out, "cases=%" PRIu64 " valid_pool=%" PRIu32 " discarded_pool=%" PRIu32 " bytes=%zu\n", g->cases,
            g->n_valid, g->n_queue - g->n_valid, g->used);
}

const struct sonde_guide_ops sonde_guide_zest_bytes = {
    .name = "zest-bytes",
    .summary = "Zest as published, which mutates bytes, for comparison",
    .create = zest_create,
    .destroy = zest_destroy,
    .start = zest_start,
    .choose = zest_choose,
    .fill = zest_fill,
    .learn = zest_learn,
    .wants = SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE,
    .stats = zest_stats,
    .knobs = (const struct sonde_knob *const[]){knobs, NULL},
};
