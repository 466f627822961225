/* The guide `target-classic`: targeted testing with a pool of seeds as published, the reference for `target`. From
 * "Flexible and Automatic Targeted Property-Based Testing", sections 6.2, 6.3 and 6.5.
 *
 * The loop: if the pool is empty, make a random input; otherwise mutate the best seed of the pool. An input that is
 * interesting becomes a seed. It is interesting if its utility is higher than any before, or if it changed the state of
 * a custom feedback. Equal seeds: the newest is the best.
 *
 * A seed has an energy of 5,000. After as many mutants without a new seed it is exhausted, and leaves the pool. If one
 * of its mutants is a new seed, its energy is doubled, and counted from there. While the pool is exhausted, random
 * inputs alternate with mutants of a random exhausted seed.
 *
 * Mutation follows the generator. A composite value has some of its parts mutated. A list gets elements, loses some,
 * has some mutated, or several of these. A string is a list of characters. A number moves by up to a tenth of its range
 * or is drawn again, as in `hill`. Anything else is drawn again.
 *
 * The utility is the sum of the values given to sonde_target, of valid inputs. Assumes are targets too (section 6.3),
 * as one conjunction, which C evaluates from the left. A discarded input is worse than a valid one. Of two discarded
 * ones, the one that passes more assumes is better, then the one whose failed assume is nearer to holding. Without
 * sonde_target, the lowest distance of the assumes is the utility of a valid input.
 *
 * The paper leaves three things open. Here one part of a composite value is mutated, and each other with probability
 * 1/n. One element of a list is added, removed or mutated, two with probability 1/4, and so on. Numbers move as in
 * `hill`. */
#include "classic.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Utilities are compared from the left. */
struct rank {
    double first, second;
};

struct seed {
    struct sonde_kept *kept;
    struct rank rank;
    uint64_t energy, in_vain; /* number of mutants that it may have without a new seed, and number that it has had */
    bool is_exhausted;
};

struct classic {
    struct sonde_guide guide;
    struct sonde_guide *fresh; /* the guide `uniform`: makes random inputs and the choices that are drawn again */
    struct sonde_guide_setup setup;
    struct sonde_rng rng;
    double energy; /* knob */
    struct seed *seeds;
    uint32_t n_seeds, cap_seeds, n_exhausted;
    uint32_t current; /* seed of the running mutant; NONE: it is a random input */
    struct rank best;
    bool has_best, is_random_turn;
    size_t bytes, limit;
    /* For the mutation in progress: spans that are still to be mutated, elements to remove, strings to mutate. */
    uint32_t *todo, *removed, *strings;
    uint32_t n_todo, cap_todo, n_removed, cap_removed, n_strings, cap_strings;
    struct sonde_tape scratch;
    uint64_t cases, random;
};

#define NONE UINT32_MAX

static const struct sonde_knob knobs[] = {
    SONDE_KNOB(struct classic, energy, "energy", 5000, 1, 1e12,
               "a seed is exhausted after this many mutants without a new seed", "Targeted testing, section 6.2"),
    {0},
};

static struct sonde_guide *classic_create(const struct sonde_guide_setup *setup)
{
    struct classic *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_target_classic;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_knobs_read(knobs, setup->options, g);
    g->setup = sonde_guide_part(setup, 1);
    g->fresh = sonde_guide_find("uniform")->create(&g->setup);
    g->limit = setup->memory;
    g->current = NONE;
    return &g->guide;
}

static void classic_destroy(struct sonde_guide *guide)
{
    struct classic *g = (struct classic *)guide;
    for (uint32_t i = 0; i < g->n_seeds; i++) sonde_corpus_drop(g->setup.corpus, g->seeds[i].kept);
    g->fresh->ops->destroy(g->fresh);
    sonde_tape_clear(&g->scratch);
    sonde_free(g->seeds);
    sonde_free(g->todo);
    sonde_free(g->removed);
    sonde_free(g->strings);
    sonde_free(g);
}

/* ---- Mutation (section 6.5) */

/* Returns 1, or more with falling probability, but at most `max`. */
static uint64_t some(struct classic *g, uint64_t max)
{
    uint64_t n = 1;
    while (n < max && classic_one_in(&g->rng, 4)) n++;
    return n < max ? n : max;
}

static void append(uint32_t **array, uint32_t *n, uint32_t *cap, uint32_t value)
{
    *array = classic_grow(*array, cap, *n + 1, sizeof **array);
    (*array)[(*n)++] = value;
}

enum { ADD = 1, REMOVE = 2, CHANGE = 4, EVERYTHING = 7 };

/* Returns what to do with a list of n elements that may have `max`, and must have `min`. */
static uint64_t list_edits(struct classic *g, uint64_t n, uint64_t min, uint64_t max)
{
    uint64_t possible = (n < max ? ADD : 0) | (n > min ? REMOVE : 0) | (n ? CHANGE : 0), edits = 0;
    while (possible && !edits) edits = possible & (1 + sonde_rng_upto(&g->rng, EVERYTHING - 1));
    return edits;
}

static bool is_removed(const struct classic *g, uint32_t span)
{
    for (uint32_t i = 0; i < g->n_removed; i++)
        if (g->removed[i] == span) return true;
    return false;
}

static uint32_t nth_element(const struct sonde_tape *t, uint32_t list, uint64_t nth)
{
    uint32_t i = list + 1;
    while (nth-- > 0) i = t->spans[i].next;
    return i;
}

/* Adds, removes or mutates elements of a list. New elements are drawn, since the script lacks them. */
static void mutate_list(struct classic *g, struct sonde_tape *t, uint32_t list)
{
    uint32_t n = 0, at = sonde_list_length(t, list);
    for (uint32_t i = list + 1; i < t->spans[list].next; i = t->spans[i].next) n++;
    struct sonde_choice *length = at == UINT32_MAX ? NULL : &t->choices[at];
    uint64_t most = length ? length->max - length->index : 0, least = length ? length->index : n;
    uint64_t edits = list_edits(g, n, n > least ? n - least : 0, n + most);
    for (uint64_t k = edits & REMOVE ? some(g, least < n ? least : n) : 0; k > 0; k--) {
        uint32_t element = nth_element(t, list, sonde_rng_upto(&g->rng, n - 1));
        if (!is_removed(g, element)) append(&g->removed, &g->n_removed, &g->cap_removed, element);
    }
    for (uint64_t k = edits & CHANGE ? some(g, n) : 0; k > 0; k--) {
        uint32_t element = nth_element(t, list, sonde_rng_upto(&g->rng, n - 1));
        if (!is_removed(g, element)) append(&g->todo, &g->n_todo, &g->cap_todo, element);
    }
    if (edits & ADD) length->index += some(g, most);
}

static void mutate_choice(struct classic *g, struct sonde_tape *t, uint32_t choice)
{
    struct sonde_choice *c = &t->choices[choice];
    if (c->kind == SONDE_KIND_BLOB) append(&g->strings, &g->n_strings, &g->cap_strings, choice);
    if (!classic_step(&g->rng, t, choice)) c->flags |= SONDE_CHOICE_HOLE;
}

/* Returns the child of `span` that choice `i` is in, or `span` itself. */
static uint32_t part_at(const struct sonde_tape *t, uint32_t span, uint32_t i)
{
    uint32_t s = t->choices[i].span;
    while (s != span && t->spans[s].parent != span) s = t->spans[s].parent;
    return s;
}

/* Returns the choice after the part that choice `i` is in. */
static uint32_t after_part(const struct sonde_tape *t, uint32_t span, uint32_t i)
{
    uint32_t part = part_at(t, span, i);
    return part == span ? i + 1 : t->spans[part].end;
}

/* Returns whether choice i is a part that can have another value; other parts are not counted. */
static bool can_change(const struct sonde_tape *t, uint32_t span, uint32_t i)
{
    return part_at(t, span, i) != span || t->choices[i].max > 0 || t->choices[i].kind == SONDE_KIND_BLOB;
}

static void mutate_composite(struct classic *g, struct sonde_tape *t, uint32_t span)
{
    uint64_t n = 0;
    uint32_t end = t->spans[span].end;
    for (uint32_t i = t->spans[span].start; i < end; i = after_part(t, span, i)) n += can_change(t, span, i);
    if (n == 0) return;
    uint64_t one = sonde_rng_upto(&g->rng, n - 1), k = 0;
    for (uint32_t i = t->spans[span].start; i < end; i = after_part(t, span, i)) {
        if (!can_change(t, span, i)) continue;
        if (k++ != one && !classic_one_in(&g->rng, n)) continue;
        uint32_t part = part_at(t, span, i);
        if (part == span) mutate_choice(g, t, i);
        else append(&g->todo, &g->n_todo, &g->cap_todo, part);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void mutate(struct classic *g, struct sonde_tape *t)
{
    g->n_removed = g->n_strings = g->n_todo = 0;
    append(&g->todo, &g->n_todo, &g->cap_todo, 0);
    while (g->n_todo > 0) {
        uint32_t span = g->todo[--g->n_todo];
        if (t->spans[span].flags & SONDE_SPAN_LIST) mutate_list(g, t, span);
        else mutate_composite(g, t, span);
    }
    if (g->n_removed == 0) return;
    qsort(g->removed, g->n_removed, sizeof *g->removed, by_number);
    sonde_script_without(&g->scratch, t, g->removed, g->n_removed);
    sonde_tape_swap(t, &g->scratch);
}

/* ---- The loop (section 6.2) */

/* Compares utilities like strcmp. */
static int compare(struct rank a, struct rank b)
{
    if (a.first != b.first) return a.first < b.first ? -1 : 1;
    return (a.second > b.second) - (a.second < b.second);
}

/* Returns the best seed of the pool. */
static uint32_t best_seed(const struct classic *g)
{
    uint32_t best = NONE;
    for (uint32_t i = 0; i < g->n_seeds && g->n_exhausted < g->n_seeds; i++)
        if (!g->seeds[i].is_exhausted && (best == NONE || compare(g->seeds[i].rank, g->seeds[best].rank) >= 0))
            best = i;
    return best;
}

static uint32_t pick(struct classic *g)
{
    if (g->n_exhausted < g->n_seeds) {
        g->is_random_turn = false;
        return best_seed(g);
    }
    g->is_random_turn = g->n_seeds == 0 || !g->is_random_turn;
    return g->is_random_turn ? NONE : (uint32_t)sonde_rng_upto(&g->rng, g->n_seeds - 1);
}

static enum sonde_plan classic_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct classic *g = (struct classic *)guide;
    g->cases++;
    g->guide.plain = g->fresh->plain;
    g->current = pick(g);
    g->n_strings = 0;
    if (g->current == NONE || g->seeds[g->current].kept->tape.n_choices == 0) {
        g->current = NONE;
        g->random++;
        return SONDE_PLAN_FRESH;
    }
    sonde_tape_copy(script, &g->seeds[g->current].kept->tape);
    mutate(g, script);
    return SONDE_PLAN_SCRIPT;
}

static uint64_t classic_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct sonde_guide *fresh = ((struct classic *)guide)->fresh;
    return fresh->ops->choose(fresh, view);
}

/* Returns the string of the seed that is to be mutated at this draw, and takes it off the list; NULL: none. */
static const struct sonde_choice *string_for(struct classic *g, const struct sonde_choice *point)
{
    for (uint32_t i = 0; i < g->n_strings; i++) {
        const struct sonde_choice *c = &g->seeds[g->current].kept->tape.choices[g->strings[i]];
        if (c->site != point->site) continue;
        memmove(&g->strings[i], &g->strings[i + 1], (--g->n_strings - i) * sizeof *g->strings);
        return c;
    }
    return NULL;
}

/* Writes the string with some characters removed, changed or added. */
static size_t mutate_string(struct classic *g, const struct sonde_blob *from, uint32_t *symbols, size_t min, size_t max)
{
    size_t n = from->len < max ? from->len : max;
    for (size_t i = 0; i < n; i++) symbols[i] = sonde_blob_symbol(from, (uint32_t)i);
    uint64_t edits = list_edits(g, n, min, max);
    for (uint64_t k = edits & REMOVE ? some(g, n - min) : 0; k > 0; k--) {
        size_t at = (size_t)sonde_rng_upto(&g->rng, n - 1);
        memmove(&symbols[at], &symbols[at + 1], (--n - at) * sizeof *symbols);
    }
    for (uint64_t k = edits & CHANGE && n ? some(g, n) : 0; k > 0; k--)
        symbols[sonde_rng_upto(&g->rng, n - 1)] = (uint32_t)sonde_rng_upto(&g->rng, from->alphabet.size - 1);
    for (uint64_t k = edits & ADD ? some(g, max - n) : 0; k > 0; k--) {
        size_t at = (size_t)sonde_rng_upto(&g->rng, n);
        memmove(&symbols[at + 1], &symbols[at], (n++ - at) * sizeof *symbols);
        symbols[at] = (uint32_t)sonde_rng_upto(&g->rng, from->alphabet.size - 1);
    }
    return n;
}

static size_t classic_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                           size_t max)
{
    struct classic *g = (struct classic *)guide;
    const struct sonde_choice *c = g->n_strings ? string_for(g, view->point) : NULL;
    if (!c) return g->fresh->ops->fill(g->fresh, view, symbols, min, max);
    struct sonde_blob from = sonde_choice_blob(&g->seeds[g->current].kept->tape, c);
    return mutate_string(g, &from, symbols, min, max);
}

/* Returns the utility of a run in *rank; false if it has none. */
static bool find_utility(const struct sonde_observation *o, struct rank *rank)
{
    *rank = (struct rank){o->assumes_passed, o->assume_distance};
    if (o->verdict != SONDE_VALID) return o->n_distances > 0;
    *rank = (struct rank){INFINITY, o->n_targets ? 0 : INFINITY};
    for (size_t i = 0; i < o->n_targets; i++) rank->second += o->targets[i].value;
    for (size_t i = 0; i < o->n_distances && !o->n_targets; i++) rank->second = fmin(rank->second, o->distances[i]);
    return o->n_targets + o->n_distances > 0 && !isnan(rank->second);
}

static void add_seed(struct classic *g, const struct sonde_run *run, struct rank rank)
{
    size_t bytes = sonde_tape_bytes(run->tape);
    if (g->bytes + bytes > g->limit) return;
    g->bytes += bytes;
    g->seeds = classic_grow(g->seeds, &g->cap_seeds, g->n_seeds + 1, sizeof *g->seeds);
    g->seeds[g->n_seeds++] =
        (struct seed){.kept = sonde_corpus_keep(g->setup.corpus, run), .rank = rank, .energy = (uint64_t)g->energy};
}

/* Spends the energy of the seed whose mutant was run. */
static void spend(struct classic *g, bool is_new_seed)
{
    struct seed *s = &g->seeds[g->current];
    if (s->is_exhausted) return;
    if (is_new_seed) {
        s->energy *= 2;
        s->in_vain = 0;
    } else if (++s->in_vain >= s->energy) {
        s->is_exhausted = true;
        g->n_exhausted++;
    }
}

static void classic_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct classic *g = (struct classic *)guide;
    struct rank rank;
    if (run->observation->verdict > SONDE_DISCARDED) return;
    bool is_higher = find_utility(run->observation, &rank) && (!g->has_best || compare(rank, g->best) > 0);
    bool is_interesting = is_higher || run->interest.reasons & SONDE_NEW_STATE;
    if (is_higher) {
        g->best = rank;
        g->has_best = true;
    }
    if (run->author == guide && g->current != NONE) spend(g, is_interesting);
    if (is_interesting) add_seed(g, run, rank);
}

static void classic_stats(struct sonde_guide *guide, FILE *out)
{
    struct classic *g = (struct classic *)guide;
    fprintf(out, "cases=%" PRIu64 " random=%" PRIu64 " seeds=%" PRIu32 " exhausted=%" PRIu32 "\n", g->cases, g->random,
            g->n_seeds, g->n_exhausted);
}

const struct sonde_guide_ops sonde_guide_target_classic = {
    .name = "target-classic",
    .summary = "targeted testing with a seed pool as published, for comparison",
    .create = classic_create,
    .destroy = classic_destroy,
    .start = classic_start,
    .choose = classic_choose,
    .fill = classic_fill,
    .learn = classic_learn,
    .wants = SONDE_NEW_STATE,
    .stats = classic_stats,
    .knobs = (const struct sonde_knob *const[]){knobs, NULL},
};
