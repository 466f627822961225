/* The guide `rl-classic`: RLCheck as published (algorithm 1 and definition 4.2), the reference for `rl`.
 *
 * Each choice point (a site and a domain) has a separate learner. In a state it takes a random value with probability
 * epsilon, otherwise the value with the highest average reward so far (ties at random). After the case every (state,
 * value) of it gets the same reward. The reward is 20 for a valid input not seen before, 0 for one seen before, -1 for
 * an invalid one. An input that fails a check has satisfied the assumes, so it is valid (equation 1). The state is the
 * last sonde_state. Without one it is the last w values ("sequence" in section 4.3.1). With `state=parents` it is the
 * state of figure 3, read off the spans instead of written into the generator (rl_state.c). A string is its length and
 * its characters, each of them a choice. The last w characters before a character are part of its state.
 *
 * Two knobs go beyond the paper. With `state=either` each choice is learned in both states. Which of them it is made in
 * is again a choice of algorithm 1, with one learner for each site. With `repeats=0` a choice that would only repeat a
 * case is replaced, and the replaced value gets the reward.
 *
 * Differences from the paper: domains of more than 256 values are drawn at random, since the table has a cell for each
 * value. Characters beyond the first thousand of a case are drawn at random too. When the table is full, new states are
 * not added. The episode is cleared however a case ends. The published program does not clear it after failures, so
 * that the next input gets their reward. (With `failing=0` failing inputs earn nothing: that is the published program
 * without this error.) */
#include "classic.h"

#include <inttypes.h>
#include <string.h>

enum {
    WIDEST = 255,
    EPISODE = 1 << 16,
    START = 1 << 12,
    CELLS_MAX = 1 << 30,
    LAST = 1024,       /* number of values that are remembered: a power of two, at least the widest window */
    STATES = 2,        /* maximum number of states of a choice: one of each kind */
    CHARACTERS = 1000, /* number of characters per case that are learned */
    A_CHARACTER = 0x63686172,
    A_STATE = 0x73746174
};

/* Spreads every bit of the input over all of the output, bijectively. */
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
    uint64_t key; /* 0: the cell is free */
    float average;
    uint32_t count;
};

/* A choice whose cell gets the reward of the running case. */
struct step {
    uint64_t in; /* key of the learner in its state */
    uint32_t value;
    uint32_t choice; /* index on the tape, where sonde may have replaced `value`; or NOT_ON_TAPE */
};

struct classic {
    struct sonde_guide guide;
    struct sonde_rng rng;
    double epsilon, unique, valid, invalid, failing, window, state, repeats; /* knobs */
    struct cell *cells;                                                      /* open addressing */
    uint32_t n, cap, max;
    struct step *episode;
    uint32_t n_episode;
    uint64_t last[LAST]; /* values of the running case, a ring */
    uint32_t n_last, n_characters;
};

#define KNOB(name, field, ...) SONDE_KNOB(struct classic, field, name, __VA_ARGS__)

#define NOT_ON_TAPE UINT32_MAX
enum { WINDOW, PARENTS, EITHER };
static const char *const state_words[] = {"window", "parents", "either"};

static const struct sonde_knob knobs[] = {
    KNOB("epsilon", epsilon, 0.25, 0, 1, "probability of a random value instead of the best known one",
         "RLCheck, section 5"),
    KNOB("unique", unique, 20, -1e6, 1e6, "reward of a valid input not seen before", "RLCheck, section 5"),
    KNOB("valid", valid, 0, -1e6, 1e6, "reward of a valid input seen before", "RLCheck, section 5"),
    KNOB("invalid", invalid, -1, -1e6, 1e6, "reward of an invalid input", "RLCheck, section 5"),
    KNOB("failing", failing, 1, 0, 1,
         "1: failing inputs are rewarded like valid ones; 0: failing inputs are not rewarded", "RLCheck, equation 1"),
    KNOB("window", window, 5, 0, 1000,
         "number of recent choices that form the state if the property does not call sonde_state",
         "RLCheck, section 5"),
    {"state", offsetof(struct classic, state), WINDOW, 0, 2,
     "which choices these are: the last of all, the choices of enclosing spans, or what pays better at each site",
     "bench/RESULTS.md, bst and learn", state_words},
    KNOB("repeats", repeats, 1, 0, 1, "0: a choice that would only repeat a case is replaced",
         "bench/RESULTS.md, bst and learn"),
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
    g->guide.wants = sonde_guide_rl_classic.wants | (g->repeats > 0 ? 0 : SONDE_WANT_NEW_INPUTS);
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
    struct classic *g = (struct classic *)guide;
    (void)script;
    g->n_episode = g->n_last = g->n_characters = 0;
    return SONDE_PLAN_FRESH;
}

/* ---- The table */

/* Returns the cell of a key, or the free cell where it belongs. */
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

/* ---- States */

/* Returns a hash of the last w values, starting no earlier than `first`. */
static uint64_t window_since(const struct classic *g, uint32_t first)
{
    uint64_t hash = 0;
    uint32_t n = g->n_last, window = (uint32_t)g->window;
    for (uint32_t i = n - first > window ? n - window : first; i < n; i++) hash = add(hash, g->last[i % LAST] + 1);
    return mix(hash);
}

/* Returns a hash of the nearest w entries of the enclosing spans. */
static uint64_t parents_of(const struct classic *g, const struct sonde_tape *tape, uint32_t span, uint32_t end)
{
    struct classic_entry entries[LAST];
    uint32_t n = classic_parents(tape, span, end, entries, (uint32_t)g->window);
    uint64_t hash = 1;
    for (uint32_t i = 0; i < n; i++)
        hash = add(add(hash, (uint64_t)entries[i].name << 1 | entries[i].is_value), entries[i].value + 1);
    return mix(hash);
}

/* The states of one choice. Each has separate averages. */
struct states {
    uint64_t of[STATES];
    uint32_t n;
    bool has_window; /* of[0] is the window of all values */
};

static struct states states_at(const struct classic *g, const struct sonde_tape *tape, uint32_t span, uint32_t end)
{
    struct states s = {.has_window = (int)g->state != PARENTS};
    if (s.has_window) s.of[s.n++] = window_since(g, 0);
    if ((int)g->state != WINDOW) s.of[s.n++] = parents_of(g, tape, span, end);
    return s;
}

static struct states states_of(const struct classic *g, const struct sonde_view *view)
{
    if (view->state) return (struct states){.of = {mix(view->state)}, .n = 1};
    return states_at(g, view->tape, view->point->span, view->tape->n_choices);
}

/* Returns the states of a character of a string whose first value is `first`. All but the window of all values get a
 * window that starts with the string. */
static struct states states_inside(const struct classic *g, struct states s, uint32_t first)
{
    for (uint32_t i = 0; i < s.n; i++)
        s.of[i] = i == 0 && s.has_window ? window_since(g, 0) : add(s.of[i], window_since(g, first));
    return s;
}

/* ---- Operations of the guide */

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

static uint64_t remember(struct classic *g, uint64_t index)
{
    g->last[g->n_last++ % LAST] = index;
    return index;
}

/* Returns the key of a learner, given by a site and a domain, in a state. */
static uint64_t learner(uint64_t state, uint64_t site, uint64_t max)
{
    return add(add(state, site), max);
}

static uint64_t site_of_characters(const struct sonde_choice *c)
{
    return (uint64_t)A_CHARACTER << 32 | c->site;
}

static void add_step(struct classic *g, struct step step)
{
    if (g->n_episode < EPISODE) g->episode[g->n_episode++] = step;
}

/* A draw among the values 0 to max. */
struct draw {
    uint64_t site, max;
    uint32_t choice; /* index on the tape, or NOT_ON_TAPE */
};

/* Adds the value to the episode and to the window. */
static uint64_t record(struct classic *g, const struct states *s, struct draw d, uint64_t value)
{
    for (uint32_t i = 0; i < s->n; i++)
        add_step(g, (struct step){learner(s->of[i], d.site, d.max), (uint32_t)value, d.choice});
    return remember(g, value);
}

/* Chooses by algorithm 1. */
static uint64_t choose_in(struct classic *g, uint64_t in, uint64_t max)
{
    return sonde_rng_unit(&g->rng) < g->epsilon ? sonde_rng_upto(&g->rng, max) : best_of(g, in, max);
}

/* Returns the state to choose in. If there are two states, the same algorithm chooses one, with a separate learner for
 * the draw's site. */
static uint32_t choose_state(struct classic *g, const struct states *s, uint64_t site)
{
    if (s->n == 1) return 0;
    uint64_t in = learner(A_STATE, site, STATES - 1);
    uint32_t which = (uint32_t)choose_in(g, in, STATES - 1);
    add_step(g, (struct step){in, which, NOT_ON_TAPE});
    return which;
}

static uint64_t learned(struct classic *g, const struct states *s, struct draw d)
{
    uint64_t state = s->of[choose_state(g, s, d.site)];
    return record(g, s, d, choose_in(g, learner(state, d.site, d.max), d.max));
}

static uint64_t classic_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct classic *g = (struct classic *)guide;
    if (view->point->max > WIDEST) return remember(g, sonde_guide_evenly(&g->rng, view));
    struct states s = states_of(g, view);
    return learned(g, &s, (struct draw){view->point->site, view->point->max, view->tape->n_choices});
}

static uint64_t choose_character(struct classic *g, const struct sonde_view *view, struct states s)
{
    uint64_t last = view->alphabet->size - 1;
    if (last > WIDEST || g->n_characters++ >= CHARACTERS) return remember(g, sonde_rng_upto(&g->rng, last));
    return learned(g, &s, (struct draw){site_of_characters(view->point), last, NOT_ON_TAPE});
}

static size_t classic_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                           size_t max)
{
    struct classic *g = (struct classic *)guide;
    (void)max; /* `max` equals min + point->max */
    size_t n = min + (view->point->max ? (size_t)classic_choose(guide, view) : 0);
    uint32_t first = g->n_last;
    struct states s = states_of(g, view);
    for (size_t i = 0; i < n; i++) symbols[i] = (uint32_t)choose_character(g, view, states_inside(g, s, first));
    return n;
}

/* ---- Learning */

/* Records a choice of a tape that another source made, such as an example. */
static void read_choice(struct classic *g, const struct states *s, struct draw d, uint64_t index)
{
    if (d.max > WIDEST) remember(g, index);
    else record(g, s, d, index);
}

static void read_characters(struct classic *g, const struct states *s, const struct sonde_tape *tape,
                            const struct sonde_choice *c)
{
    struct sonde_blob blob = sonde_choice_blob(tape, c);
    const struct draw d = {site_of_characters(c), blob.alphabet.size - 1, NOT_ON_TAPE};
    uint32_t first = g->n_last;
    for (uint32_t i = 0; i < blob.len; i++) {
        struct states inside = states_inside(g, *s, first);
        if (g->n_characters++ < CHARACTERS) read_choice(g, &inside, d, sonde_blob_symbol(&blob, i));
        else remember(g, sonde_blob_symbol(&blob, i));
    }
}

/* Records the episode of a given input: section 6, "bootstrapping". The full state of sonde_state is known only
 * while a property draws, so inputs of generators that use it teach nothing. */
static void read_episode(struct classic *g, const struct sonde_tape *tape)
{
    g->n_episode = g->n_last = g->n_characters = 0;
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        if (c->state) {
            g->n_episode = 0;
            return;
        }
        struct states s = states_at(g, tape, c->span, i);
        if (c->max > 0) read_choice(g, &s, (struct draw){c->site, c->max, i}, c->index);
        if (c->kind == SONDE_KIND_BLOB) read_characters(g, &s, tape, c);
    }
}

/* Returns the reward of a failing input. SONDE_NEW_VALID covers only valid inputs, so the table remembers inputs that
 * failed. */
static double reward_of_failing(struct classic *g, uint64_t identity)
{
    uint64_t key = key_of(add(identity, SONDE_FAILED), UINT64_MAX);
    bool is_known = find(g->cells, g->cap, key)->key == key;
    reward(g, key, 0);
    return is_known ? g->valid : g->unique;
}

static double reward_of(struct classic *g, const struct sonde_run *run)
{
    if (run->observation->verdict == SONDE_FAILED) return reward_of_failing(g, run->observation->identity);
    if (run->observation->verdict != SONDE_VALID) return g->invalid;
    return run->interest.reasons & SONDE_NEW_VALID ? g->unique : g->valid;
}

static void reward_step(struct classic *g, const struct sonde_tape *tape, struct step step, double r)
{
    uint64_t value = step.choice < tape->n_choices ? tape->choices[step.choice].index : step.value;
    reward(g, key_of(step.in, value), r);
}

static void classic_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct classic *g = (struct classic *)guide;
    enum sonde_verdict verdict = run->observation->verdict;
    bool counts = (run->author == guide || !run->author) && verdict != SONDE_MISUSE
                  && (verdict != SONDE_FAILED || g->failing > 0);
    if (counts && !run->author) read_episode(g, run->tape);
    double r = counts ? reward_of(g, run) : 0;
    for (uint32_t i = 0; counts && i < g->n_episode; i++) reward_step(g, run->tape, g->episode[i], r);
    g->n_episode = 0;
}

static void classic_stats(struct sonde_guide *guide, FILE *out)
{
    struct classic *g = (struct classic *)guide;
    fprintf(out, "cells=%" PRIu32 " bytes=%zu\n", g->n, g->cap * sizeof *g->cells);
}

const struct sonde_guide_ops sonde_guide_rl_classic = {
    .name = "rl-classic",
    .summary = "RLCheck as published, for comparison",
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
