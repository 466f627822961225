/* The guide `zest`, after Zest's algorithm 2: a coverage-guided search over the parameters of a generator. Coverage by
 * *valid* inputs counts separately.
 *
 * The parameters are the choices of a tape, taken by position; a mutated parameter is drawn again. (In the paper they
 * are bytes: `zest-bytes`, addons/classic/zest_bytes.c.) `zest` ignores structure: if a mutant draws more or less than
 * its parent, all later parameters shift. It is the baseline that shows the value of structure.
 *
 * As in the paper, a tape is kept for new coverage, or for coverage that is new among valid inputs. Each tape in turn
 * gets a number of children: more if it covers more, and twenty times more while it is favoured. A favoured tape is
 * responsible for some feature. The number of mutations is geometric with mean 4. Parameters missing at the end are
 * drawn at random.
 *
 * | Zest (Padhye and others, ISSTA 2019) | function | difference |
 * | 3.2, algorithm 2: what is kept | zest_learn, keep | counts are exact (feedback/novelty.h) |
 * | 3.2, number of candidates | children_of | as in JQF, since the paper leaves it open |
 * | JQF, favoured inputs | sonde_parents_claim | responsible for a feature until a valid tape covers it |
 * | 4, mutation | flatten, mutate | a parameter is a choice or a symbol, not a byte | */
#include "guide/given.h"
#include "guide/guides.h"
#include "guide/inner.h"
#include "guide/mutate/zest.h"

#include "base/mem.h"
#include "corpus/parents.h"

#include <inttypes.h>
#include <string.h>

enum { BLIND_SEEDS = 1024 }; /* maximum number of seeds kept without coverage: nothing else distinguishes seeds */

/* The state of `zest`. */
struct zest {
    struct sonde_guide guide;
    struct sonde_inner fresh; /* the guide `uniform`, which draws the parameters that are mutated or missing */
    struct sonde_rng rng;
    struct sonde_parents parents;
    uint64_t *choices; /* parameters of the running case: DRAW where mutated */
    uint32_t n, at, cap_choices;
    uint64_t turn;     /* counts the turns; in each turn one kept tape gets children (kept_at) */
    uint64_t children; /* number of children still to be made in this turn */
    uint32_t most_edges;
    uint64_t cases;
    double children_of_most, favoured, mean; /* knobs */
};

#define KNOB(name, field, ...) SONDE_KNOB(struct zest, field, name, __VA_ARGS__)

static const struct sonde_knob knobs[] = {
    KNOB("children", children_of_most, 50, 0, 1e6,
         "number of mutants of the tape that covers most, in each of its turns; other tapes get fewer",
         "JQF, ZestGuidance"),
    KNOB("favoured", favoured, 20, 1, 1e6,
         "a tape that is responsible for a feature gets this many times as many mutants", "JQF, ZestGuidance"),
    KNOB("mean", mean, 4, 1, 1e6, "mean number of mutations in a mutant", "Zest, section 4"),
    {0},
};

#define DRAW UINT64_MAX

static struct sonde_guide *zest_create(const struct sonde_guide_setup *setup)
{
    struct zest *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_zest;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_knobs_read(knobs, setup->options, g);
    sonde_inner_init(&g->fresh, &sonde_guide_uniform, sonde_guide_part(setup, 1));
    sonde_parents_init(&g->parents, setup->corpus, setup->memory);
    return &g->guide;
}

static void zest_destroy(struct sonde_guide *guide)
{
    struct zest *g = (struct zest *)guide;
    sonde_inner_clear(&g->fresh);
    sonde_parents_clear(&g->parents);
    sonde_free(g->choices);
    sonde_free(g);
}

/* ---- Parameters of a tape */

static void add_choice(struct zest *g, uint64_t index)
{
    g->choices = sonde_grow(g->choices, &g->cap_choices, (size_t)g->n + 1, sizeof *g->choices);
    g->choices[g->n++] = index;
}

/* Lists the parameters of a tape. A blob is its length and then its symbols, one parameter each. */
static void flatten(struct zest *g, const struct sonde_tape *tape)
{
    g->n = 0;
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        if (c->max == 0 && c->kind != SONDE_KIND_BLOB) continue;
        add_choice(g, c->index);
        if (c->kind != SONDE_KIND_BLOB) continue;
        struct sonde_blob blob = sonde_choice_blob(tape, c);
        for (uint32_t k = 0; k < blob.len; k++) add_choice(g, sonde_blob_symbol(&blob, k));
    }
}

static uint32_t geometric(struct zest *g)
{
    uint32_t n = 1;
    while (sonde_rng_upto(&g->rng, (uint64_t)g->mean - 1) != 0) n++;
    return n;
}

/* Marks some parameters to be drawn again. (The paper mutates stretches of bytes. Here a stretch is one parameter,
 * because a choice is one parameter.) */
static void mutate(struct zest *g)
{
    if (g->n == 0) return;
    for (uint32_t m = geometric(g); m > 0; m--) g->choices[sonde_rng_upto(&g->rng, g->n - 1)] = DRAW;
}

/* ---- Which tape's children are made next */

/* Returns the tape of a turn, or NULL. Turns go cyclically over the valid and then the discarded tapes, in the order in
 * which they were kept. The pools may shrink when memory is short; the turn then falls on another tape, which does no
 * harm. */
static struct sonde_pooled *kept_at(const struct zest *g, uint64_t turn)
{
    uint32_t valid = g->parents.pools[SONDE_POOL_VALID].n, all = valid + g->parents.pools[SONDE_POOL_DISCARDED].n;
    if (all == 0) return NULL;
    uint32_t i = (uint32_t)(turn % all);
    return i < valid ? g->parents.pools[SONDE_POOL_VALID].tapes[i]
                     : g->parents.pools[SONDE_POOL_DISCARDED].tapes[i - valid];
}

static uint64_t children_of(const struct zest *g, const struct sonde_pooled *parent)
{
    uint64_t n = 1 + (g->most_edges ? (uint64_t)g->children_of_most * parent->kept->n_edges / g->most_edges : 0);
    return parent->owner.owns ? n * (uint64_t)g->favoured : n;
}

static enum sonde_plan zest_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    (void)script;
    struct zest *g = (struct zest *)guide;
    struct sonde_pooled *parent = kept_at(g, g->turn);
    g->cases++;
    g->n = g->at = 0;
    if (!parent) return SONDE_PLAN_FRESH;
    if (g->children == 0) {
        parent = kept_at(g, ++g->turn);
        g->children = children_of(g, parent);
    }
    g->children--;
    parent->picks++;
    flatten(g, &parent->kept->tape);
    mutate(g);
    return SONDE_PLAN_FRESH; /* parameters are taken by position, so there is no script */
}

/* ---- Choices */

/* Returns the next parameter as an index of a domain; DRAW if it must be drawn. Parameters that do not
 * fit the domain of the draw are folded, as bytes would be. */
static uint64_t next(struct zest *g, uint64_t max)
{
    uint64_t index = g->at < g->n ? g->choices[g->at++] : DRAW;
    return index == DRAW || index <= max ? index : index % (max + 1);
}

static uint64_t zest_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct zest *g = (struct zest *)guide;
    uint64_t index = next(g, view->point->max);
    return index == DRAW ? sonde_inner_choose(&g->fresh, view) : index;
}

static size_t zest_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                        size_t max)
{
    struct zest *g = (struct zest *)guide;
    uint32_t last = view->alphabet->size - 1;
    (void)max; /* not needed: it equals min + point->max */
    uint64_t more = next(g, view->point->max);
    size_t n = min + (size_t)(more == DRAW ? sonde_inner_choose(&g->fresh, view) : more);
    for (size_t i = 0; i < n; i++) {
        uint64_t s = next(g, last);
        symbols[i] = (uint32_t)(s == DRAW ? sonde_rng_upto(&g->rng, last) : s);
    }
    return n;
}

/* ---- Learning */

static bool keep(struct zest *g, const struct sonde_run *run)
{
    const struct sonde_coverage_view *view = run->observation->coverage;
    bool is_valid = run->observation->verdict == SONDE_VALID;
    struct sonde_pooled *k = sonde_parents_keep(&g->parents, is_valid ? SONDE_POOL_VALID : SONDE_POOL_DISCARDED, run);
    if (!k || !view) return k != NULL;
    sonde_parents_claim(&g->parents, k, view);
    if (view->n_edges > g->most_edges) g->most_edges = view->n_edges;
    return true;
}

static void zest_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    uint32_t news = run->interest.reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE);
    if (run->observation->coverage && news) keep((struct zest *)guide, run);
    else if (sonde_is_given(run)) sonde_zest_seed(guide, run);
}

/* Seeds are kept even if they show nothing new; without coverage at most BLIND_SEEDS. */
bool sonde_zest_seed(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct zest *g = (struct zest *)guide;
    uint32_t kept = g->parents.pools[SONDE_POOL_VALID].n;
    return (run->observation->coverage || kept < BLIND_SEEDS) && keep(g, run);
}

static void zest_stats(struct sonde_guide *guide, FILE *out)
{
    struct zest *g = (struct zest *)guide;
    fprintf(out, "cases=%" PRIu64 " valid_pool=%" PRIu32 " discarded_pool=%" PRIu32 " bytes=%zu\n", g->cases,
            g->parents.pools[SONDE_POOL_VALID].n, g->parents.pools[SONDE_POOL_DISCARDED].n, g->parents.bytes);
}

const struct sonde_guide_ops sonde_guide_zest = {
    .name = "zest",
    .summary = "mutates sequences of choices of inputs that reached new code (Zest)",
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
