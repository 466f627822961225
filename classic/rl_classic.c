/* The guide `rl-classic`: RLCheck as published (algorithm 1 and definition 4.2), the reference for `rl`.
 *
 * Each choice point has a learner of its own. In a state it takes, with probability epsilon, any answer, else the one with
 * the highest average reward so far (ties by chance). After the case one reward goes to every (state, answer) of it: 20
 * for a valid input not seen before, 0 for one seen before, -1 for an invalid one. The state is what sonde_state said; where
 * it said nothing, the last w choices ("sequence" in section 4.3.1).
 *
 * Where it differs: domains of more than 256 values are drawn at random, since the table has a cell for each answer; the
 * table has a bound, beyond which new states are not taken up; and the episode is forgotten however a case ends, which the
 * published code omits after failures, so that the next input got their reward.
 */
#include "classic.h"

#include <inttypes.h>
#include <string.h>

enum { WIDEST = 255, EPISODE = 1 << 16, START = 1 << 12, CELLS_MAX = 1 << 30 };

/* A bijection that spreads every bit of its input over all of its output, and one step of a running hash. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

static uint64_t add(uint64_t hash, uint64_t x)
{
    hash = (hash ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

struct cell {
    uint64_t key; /* 0: free */
    float average;
    uint32_t count;
};

struct classic {
    struct sonde_guide guide;
    struct sonde_rng rng;
    double epsilon, unique, valid, invalid, window;
    struct cell *cells; /* open addressing */
    uint32_t n, cap, max;
    uint64_t *episode; /* keys */
    uint32_t n_episode;
};

#define KNOB(name, field, ...) SONDE_KNOB(struct classic, field, name, __VA_ARGS__)

static const struct sonde_knob knobs[] = {
    KNOB("epsilon", epsilon, 0.25, 0, 1, "how often any answer is taken, instead of the best so far",
         "RLCheck, section 5"),
    KNOB("unique", unique, 20, -1e6, 1e6, "reward of a valid input not seen before", "RLCheck, section 5"),
    KNOB("valid", valid, 0, -1e6, 1e6, "reward of a valid input seen before", "RLCheck, section 5"),
    KNOB("invalid", invalid, -1, -1e6, 1e6, "reward of an invalid input", "RLCheck, section 5"),
    KNOB("window", window, 4, 0, 1000, "how many choices are the state where sonde_state says nothing",
         "RLCheck, section 4.3.1"),
    {0},
};

/* ---- Life */

static struct sonde_guide *classic_create(const struct sonde_guide_setup *setup)
{
    struct classic *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_rl_classic;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_knobs_read(knobs, setup->options, g);
    g->max = START;
    while (g->max < CELLS_MAX && (size_t)g->max * 2 * sizeof *g->cells <= setup->memory) g->max *= 2;
    g->cap = START;
    g->cells = sonde_calloc(g->cap, sizeof *g->cells);
    g->episode = sonde_malloc(EPISODE * sizeof *g->episode);
    return &g->guide;
}

static void classic_destroy(struct sonde_guide *guide)
{
    struct classic *g = (struct classic *)guide;
    sonde_free(g->cells);
    sonde_free(g->episode);
    sonde_free(g);
}

static enum sonde_plan classic_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    (void)script;
    ((struct classic *)guide)->n_episode = 0;
    return SONDE_PLAN_FRESH;
}

/* ---- The table */

/* The cell of a key, or the free one where it belongs. */
static struct cell *find(struct cell *cells, uint32_t cap, uint64_t key)
{
    uint32_t i = (uint32_t)key & (cap - 1);
    while (cells[i].key && cells[i].key != key) i = (i + 1) & (cap - 1);
    return &cells[i];
}

static void widen(struct classic *g)
{
    struct cell *wider = sonde_calloc((size_t)g->cap * 2, sizeof *wider);
    for (uint32_t i = 0; i < g->cap; i++)
        if (g->cells[i].key) *find(wider, g->cap * 2, g->cells[i].key) = g->cells[i];
    sonde_free(g->cells);
    g->cells = wider;
    g->cap *= 2;
}

static void reward(struct classic *g, uint64_t key, double r)
{
    struct cell *cell = find(g->cells, g->cap, key);
    if (!cell->key) {
        if (g->n >= g->cap / 4 * 3) {
            if (g->cap >= g->max) return;
            widen(g);
            cell = find(g->cells, g->cap, key);
        }
        g->n++;
        cell->key = key;
    }
    cell->average = (float)((r + (double)cell->average * cell->count) / (cell->count + 1.0));
    cell->count++;
}

/* ---- The seam */

static uint64_t state_of(const struct classic *g, const struct sonde_view *view)
{
    if (view->state) return mix(view->state);
    uint64_t hash = 0;
    uint32_t n = view->tape->n_choices, window = (uint32_t)g->window;
    for (uint32_t i = n > window ? n - window : 0; i < n; i++)
        hash = add(add(hash, view->tape->choices[i].site), view->tape->choices[i].index);
    return mix(hash);
}

static uint64_t key_of(uint64_t state, uint64_t index)
{
    uint64_t key = mix(state + index * UINT64_C(0x9e3779b97f4a7c15));
    return key ? key : 1;
}

static uint64_t best_of(struct classic *g, uint64_t state, uint64_t max)
{
    uint64_t best = 0, ties = 0;
    float highest = 0;
    for (uint64_t i = 0; i <= max; i++) {
        const struct cell *cell = find(g->cells, g->cap, key_of(state, i));
        float average = cell->key ? cell->average : 0;
        if (ties == 0 || average > highest) {
            highest = average;
            best = i;
            ties = 1;
        } else if (average == highest && sonde_rng_upto(&g->rng, ties++) == 0) {
            best = i;
        }
    }
    return best;
}

static uint64_t classic_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct classic *g = (struct classic *)guide;
    uint64_t max = view->point->max;
    if (max > WIDEST) return sonde_guide_evenly(&g->rng, view);
    uint64_t state = add(state_of(g, view), view->point->site);
    uint64_t index = sonde_rng_unit(&g->rng) < g->epsilon ? sonde_rng_upto(&g->rng, max) : best_of(g, state, max);
    if (g->n_episode < EPISODE) g->episode[g->n_episode++] = key_of(state, index);
    return index;
}

static size_t classic_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                           size_t max)
{
    (void)max;
    return sonde_guide_fill_evenly(&((struct classic *)guide)->rng, view, symbols, min);
}

static void classic_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct classic *g = (struct classic *)guide;
    enum sonde_verdict verdict = run->observation->verdict;
    double r = verdict != SONDE_VALID ? g->invalid : run->interest.reasons & SONDE_NEW_VALID ? g->unique : g->valid;
    bool counts = run->author == guide && verdict != SONDE_FAILED && verdict != SONDE_MISUSE;
    for (uint32_t i = 0; counts && i < g->n_episode; i++) reward(g, g->episode[i], r);
    g->n_episode = 0;
}

static void classic_stats(struct sonde_guide *guide, FILE *out)
{
    struct classic *g = (struct classic *)guide;
    fprintf(out, "cells=%" PRIu32 " bytes=%zu\n", g->n, g->cap * sizeof *g->cells);
}

const struct sonde_guide_ops sonde_guide_rl_classic = {
    .name = "rl-classic",
    .summary = "RLCheck as published, to compare with",
    .create = classic_create,
    .destroy = classic_destroy,
    .start = classic_start,
    .choose = classic_choose,
    .fill = classic_fill,
    .learn = classic_learn,
    .wants = SONDE_NEW_VALID,
    .stats = classic_stats,
    .knobs = (const struct sonde_knob *const[]){knobs, NULL},
};
