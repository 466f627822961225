/* The guide `zest-bytes`: Zest's algorithm 2 as published, on bytes; the reference for `zest`.
 *
 * A tape is headerless bytes, each draw taking only as many as its bound needs. A tape is kept for new coverage, or for coverage
 * that is new among valid runs (algorithm 2, section 3.2); each in turn gets a number of children, more if it covers more, twenty times more
 * while it is favoured, that is, responsible for some feature; a child has a geometric number of mutations with mean 4, each a
 * stretch of geometric length with mean 4 that becomes random bytes (section 4); what is missing at the end is drawn at random.
 *
 * Where it differs: counts are exact, not in AFL's buckets; a tape is responsible for a feature until a valid one covers it,
 * where JQF picks the favoured inputs anew in every cycle; beyond the memory given nothing more is kept. */
#include "classic.h"

#include <inttypes.h>

/* A tape in a pool. */
struct seed {
    struct sonde_kept *kept;
    uint32_t owns; /* features that it is responsible for */
};

struct pool {
    struct seed **all; /* oldest first */
    uint32_t n, cap;
};

enum { DISCARDED, VALID, POOLS };

struct zest {
    struct sonde_guide guide;
    struct sonde_guide *fresh; /* uniform: answers what is missing */
    struct sonde_guide_setup setup;
    struct sonde_rng rng;
    struct pool pools[POOLS];
    struct seed **owners; /* by feature: who is responsible for it */
    uint32_t cap_owners;
    uint8_t *bytes; /* parameters of the case that is running */
    uint32_t n, at, cap;
    uint64_t turn;     /* whose children come: a number that counts through all that are kept */
    uint64_t children; /* still to come */
    uint32_t most_edges;
    uint64_t cases;
    size_t used, limit;
    double children_of_most, favoured, mean; /* knobs */
};

#define KNOB(name, field, ...) SONDE_KNOB(struct zest, field, name, __VA_ARGS__)

static const struct sonde_knob knobs[] = {
    KNOB("children", children_of_most, 50, 0, 1e6,
         "mutants of the tape that covers most, in its turn; others get their part", "JQF, ZestGuidance"),
    KNOB("favoured", favoured, 20, 1, 1e6, "times as many mutants of a tape that is responsible for a feature",
         "JQF, ZestGuidance"),
    KNOB("mean", mean, 4, 1, 1e6, "mutations of a mutant on average, and bytes that each changes", "Zest, section 4"),
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
    for (int p = 0; p < POOLS; p++) {
        for (uint32_t i = 0; i < g->pools[p].n; i++) {
            sonde_corpus_drop(g->setup.corpus, g->pools[p].all[i]->kept);
            sonde_free(g->pools[p].all[i]);
        }
        sonde_free(g->pools[p].all);
    }
    g->fresh->ops->destroy(g->fresh);
    sonde_free(g->owners);
    sonde_free(g->bytes);
    sonde_free(g);
}

/* ---- Parameters of a tape */

static unsigned bytes_for(uint64_t max)
{
    return max ? (64 - (unsigned)__builtin_clzll(max) + 7) / 8 : 0;
}

static void add(struct zest *g, uint64_t index, uint64_t max)
{
    unsigned n = bytes_for(max);
    g->bytes = classic_grow(g->bytes, &g->cap, g->n + n, 1);
    for (unsigned i = 0; i < n; i++) g->bytes[g->n++] = (uint8_t)(index >> (8 * i));
}

/* A blob is its length and then its symbols, one parameter each. */
static void flatten(struct zest *g, const struct sonde_tape *tape)
{
    g->n = 0;
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        if (c->max == 0 && c->kind != SONDE_KIND_BLOB) continue;
        add(g, c->index, c->max);
        if (c->kind != SONDE_KIND_BLOB) continue;
        struct sonde_blob blob = sonde_choice_blob(tape, c);
        for (uint32_t k = 0; k < blob.len; k++) add(g, sonde_blob_symbol(&blob, k), blob.alphabet.size - 1);
    }
}

static uint32_t geometric(struct zest *g)
{
    uint32_t n = 1;
    while (sonde_rng_upto(&g->rng, (uint64_t)g->mean - 1) != 0) n++;
    return n;
}

/* Stretches of bytes become random ones. */
static void mutate(struct zest *g)
{
    if (g->n == 0) return;
    for (uint32_t m = geometric(g); m > 0; m--) {
        uint32_t length = geometric(g), start = (uint32_t)sonde_rng_upto(&g->rng, g->n - 1);
        for (uint32_t i = start; i < start + length && i < g->n; i++) g->bytes[i] = (uint8_t)sonde_rng_next(&g->rng);
    }
}

/* ---- Whose children come next */

/* Valid ones and discarded ones in the order in which they were kept, round and round. */
static const struct seed *seed_at(const struct zest *g, uint64_t turn)
{
    uint32_t valid = g->pools[VALID].n, all = valid + g->pools[DISCARDED].n;
    if (all == 0) return NULL;
    uint32_t i = (uint32_t)(turn % all);
    return i < valid ? g->pools[VALID].all[i] : g->pools[DISCARDED].all[i - valid];
}

static uint64_t children_of(const struct zest *g, const struct seed *parent)
{
    uint64_t n = 1 + (g->most_edges ? (uint64_t)g->children_of_most * parent->kept->n_edges / g->most_edges : 0);
    return parent->owns ? n * (uint64_t)g->favoured : n;
}

static enum sonde_plan zest_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    (void)script;
    struct zest *g = (struct zest *)guide;
    const struct seed *parent = seed_at(g, g->turn);
    g->cases++;
    g->n = g->at = 0;
    if (!parent) return SONDE_PLAN_FRESH;
    if (g->children == 0) {
        parent = seed_at(g, ++g->turn);
        g->children = children_of(g, parent);
    }
    g->children--;
    flatten(g, &parent->kept->tape);
    mutate(g);
    return SONDE_PLAN_FRESH; /* by position: no script */
}

/* ---- Answers */

#define DRAW UINT64_MAX

/* The next parameter as an answer to a domain; DRAW if there is none left. */
static uint64_t next(struct zest *g, uint64_t max)
{
    unsigned n = bytes_for(max);
    uint64_t x = 0;
    if (g->n - g->at < n) {
        g->at = g->n;
        return DRAW;
    }
    for (unsigned i = 0; i < n; i++) x |= (uint64_t)g->bytes[g->at++] << (8 * i);
    return max == UINT64_MAX ? x - (x == DRAW) : x % (max + 1);
}

static uint64_t zest_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct zest *g = (struct zest *)guide;
    uint64_t index = next(g, view->point->max);
    return index == DRAW ? g->fresh->ops->choose(g->fresh, view) : index;
}

static size_t zest_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                        size_t max)
{
    struct zest *g = (struct zest *)guide;
    uint32_t last = view->alphabet->size - 1;
    (void)max; /* min + point->max */
    uint64_t more = next(g, view->point->max);
    size_t n = min + (size_t)(more == DRAW ? g->fresh->ops->choose(g->fresh, view) : more);
    for (size_t i = 0; i < n; i++) {
        uint64_t s = next(g, last);
        symbols[i] = (uint32_t)(s == DRAW ? sonde_rng_upto(&g->rng, last) : s);
    }
    return n;
}

/* ---- Learning */

/* The run's features that nobody is responsible for become this tape's; a valid one also takes over from those that are not. */
static void claim(struct zest *g, struct seed *seed, const struct sonde_coverage_view *view)
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

static void zest_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct zest *g = (struct zest *)guide;
    const struct sonde_coverage_view *view = run->observation->coverage;
    bool is_valid = run->observation->verdict == SONDE_VALID;
    if (!view || !(run->interest.reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE)) || g->used > g->limit)
        return;
    struct pool *pool = &g->pools[is_valid ? VALID : DISCARDED];
    pool->all = classic_grow(pool->all, &pool->cap, pool->n + 1, sizeof(struct seed *));
    struct seed *seed = pool->all[pool->n++] = sonde_calloc(1, sizeof *seed);
    seed->kept = sonde_corpus_keep(g->setup.corpus, run);
    g->used += sizeof *seed + sizeof *seed->kept + sonde_tape_bytes(run->tape);
    claim(g, seed, view);
    if (view->n_edges > g->most_edges) g->most_edges = view->n_edges;
}

static void zest_stats(struct sonde_guide *guide, FILE *out)
{
    struct zest *g = (struct zest *)guide;
    fprintf(out, "cases=%" PRIu64 " valid_pool=%" PRIu32 " discarded_pool=%" PRIu32 " bytes=%zu\n", g->cases,
            g->pools[VALID].n, g->pools[DISCARDED].n, g->used);
}

const struct sonde_guide_ops sonde_guide_zest_bytes = {
    .name = "zest-bytes",
    .summary = "Zest as published, which mutates bytes, to compare with",
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
