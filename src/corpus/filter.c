/* See filter.h. The slots are a reservoir, that is a uniform sample of the tapes so far. `generator` instead keeps a
 * set of paths.
 *
 * | thesis | function | difference |
 * | section 4.2, random | slot_by_chance | reservoir sampling, one pass |
 * | algorithm 2 | filter_sequence.c | choices instead of bytes, see there |
 * | algorithm 3 | filter_choices.c | a running sum instead of pairwise cosines |
 * | algorithm 4 | takes_new_path | paths are read off the tape, no instrumentation |
 * | all | max_slots | candidates are drawn from a sample of ten times the size | */
#include "corpus/filter.h"

#include "base/hash.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "corpus/filter_draws.h"
#include "corpus/filter_parts.h"

#include <string.h>

enum {
    CANDIDATES = 10,     /* number of candidates per selected tape: in adaptive random testing, more hardly help */
    SLOTS_MAX = 1 << 22, /* maximum number of slots, which bounds the memory */
    PATHS_MAX = SONDE_LIMIT(1 << 20, 1 << 8),
    STREAM = 0x66696c74 /* number of a stream of random numbers ("filt") that no guide has */
};

/* A filter. `random` uses neither measure nor paths. Forms in `forms` are as many as slots. */
struct sonde_filter {
    enum sonde_filter_by by;
    uint32_t size, n_slots, max_slots;
    uint64_t seen;
    struct sonde_rng rng;
    const struct sonde_measure *measure; /* set for `sequence` and `choices`, else NULL */
    void *measured;
    void **forms; /* by slot, with a measure */
    uint32_t cap_forms;
    struct sonde_map paths; /* of `generator`: hashes of paths that were taken, as keys */
    struct sonde_transitions scratch;
};

const char *const sonde_filter_names[SONDE_FILTER_COUNT] = {"random", "sequence", "choices", "generator"};

enum sonde_filter_by sonde_filter_find(const char *name)
{
    size_t n = strcspn(name, ",");
    int by = 0;
    while (by < SONDE_FILTER_COUNT
           && (strlen(sonde_filter_names[by]) != n || strncmp(name, sonde_filter_names[by], n) != 0))
        by++;
    return (enum sonde_filter_by)by;
}

struct sonde_filter *sonde_filter_create(enum sonde_filter_by by, uint32_t size, uint64_t seed)
{
    static const struct sonde_measure *const measures[SONDE_FILTER_COUNT] = {
        [SONDE_FILTER_SEQUENCE] = &sonde_measure_sequence,
        [SONDE_FILTER_CHOICES] = &sonde_measure_choices,
    };
    struct sonde_filter *f = sonde_calloc(1, sizeof *f);
    f->by = by;
    f->size = size ? size : by == SONDE_FILTER_GENERATOR ? SLOTS_MAX : 1;
    if (f->size > SLOTS_MAX) f->size = SLOTS_MAX;
    f->measure = measures[by];
    /* The factor is left out where the product would exceed SLOTS_MAX. */
    f->max_slots = f->measure && f->size <= SLOTS_MAX / CANDIDATES ? f->size * CANDIDATES : f->size;
    sonde_rng_seed(&f->rng, seed, STREAM);
    if (f->measure) f->measured = f->measure->create();
    return f;
}

void sonde_filter_free(struct sonde_filter *f)
{
    if (!f) return;
    if (f->measure) f->measure->destroy(f->measured);
    for (uint32_t i = 0; f->measure && i < f->n_slots; i++) sonde_free(f->forms[i]);
    sonde_free(f->forms);
    sonde_map_clear(&f->paths);
    sonde_transitions_clear(&f->scratch);
    sonde_free(f);
}

uint32_t sonde_filter_slots(const struct sonde_filter *f)
{
    return f->n_slots;
}

/* Returns a slot so that each of the n tapes so far is in a slot with the same probability. Reservoir sampling
 * (Vitter's algorithm R): tape n replaces another with probability slots / n. */
static uint32_t slot_by_chance(struct sonde_filter *f)
{
    if (f->n_slots < f->max_slots) return f->n_slots++;
    uint64_t at = sonde_rng_upto(&f->rng, f->seen - 1);
    return at < f->max_slots ? (uint32_t)at : SONDE_FILTER_NONE;
}

/* Adds a path; returns whether it was new. When the set has PATHS_MAX paths, no path is new any more. The value in the
 * map is a count that may wrap after 2^32 tapes; only the step from 0 to 1 matters. */
static bool add_path(struct sonde_filter *f, uint64_t path)
{
    if (f->paths.n == PATHS_MAX) return false;
    return ++*sonde_map_at(&f->paths, path) == 1;
}

static uint64_t bucket(uint32_t count)
{
    static const uint32_t starts[] = {1, 2, 3, 4, 8, 16, 32, 128};
    uint64_t n = 0;
    while (n < sizeof starts / sizeof *starts && count >= starts[n]) n++;
    return n;
}

/* Adds the paths of this tape; returns whether one of them was new. The tape shows what the generator did: which draw
 * followed which, and how often (1, 2, 3, 4-7, 8-15, 16-31, 32-127, more). This is finer than branches, because it also
 * shows the class of the value before. */
static bool takes_new_path(struct sonde_filter *f, const struct sonde_tape *tape)
{
    bool is_new = false;
    sonde_transitions_of(&f->scratch, tape);
    for (uint32_t i = 0; i < f->scratch.n; i++) {
        const struct sonde_transition *t = &f->scratch.all[i];
        is_new |= add_path(f, sonde_mix(t->key + bucket(t->count)));
    }
    for (uint32_t i = 0; i < f->scratch.n_branches; i++) is_new |= add_path(f, sonde_mix(f->scratch.branches[i]));
    return is_new;
}

/* Stores the form of the tape that is now in this slot. */
static void put_form(struct sonde_filter *f, uint32_t slot, const struct sonde_tape *tape)
{
    f->forms = sonde_grow_zeroed(f->forms, &f->cap_forms, (size_t)slot + 1, sizeof *f->forms);
    sonde_free(f->forms[slot]);
    f->forms[slot] = f->measure->form(f->measured, tape);
}

uint32_t sonde_filter_add(struct sonde_filter *f, const struct sonde_tape *tape)
{
    f->seen++;
    if (f->by == SONDE_FILTER_GENERATOR)
        return f->n_slots < f->size && takes_new_path(f, tape) ? f->n_slots++ : SONDE_FILTER_NONE;
    uint32_t slot = slot_by_chance(f);
    if (f->measure && slot != SONDE_FILTER_NONE) put_form(f, slot, tape);
    return slot;
}

/* Returns the position in left[] of the candidate that is least similar to the selected tapes (algorithms 2 and 3).
 * left[] holds the slots not yet selected. */
static uint32_t least_similar(struct sonde_filter *f, const uint32_t *left, uint32_t n)
{
    uint32_t best = (uint32_t)sonde_rng_upto(&f->rng, n - 1);
    double least = f->measure->similarity(f->measured, f->forms[left[best]]);
    /* A similarity of 0 is the minimum. A candidate may be drawn twice. */
    for (int i = 1; i < CANDIDATES && least > 0; i++) {
        uint32_t at = (uint32_t)sonde_rng_upto(&f->rng, n - 1);
        double similarity = at == best ? least : f->measure->similarity(f->measured, f->forms[left[at]]);
        if (similarity < least) least = similarity, best = at;
    }
    return best;
}

static uint32_t select_by_measure(struct sonde_filter *f, uint32_t *slots)
{
    uint32_t n = f->n_slots, selected = 0;
    uint32_t *left = sonde_calloc((size_t)n + 1, sizeof *left);
    for (uint32_t i = 0; i < n; i++) left[i] = i;
    while (selected < f->size && n > 0) {
        uint32_t at = least_similar(f, left, n);
        f->measure->selected(f->measured, f->forms[left[at]]);
        slots[selected++] = left[at];
        /* The order of left[] does not matter, because candidates are drawn at random. */
        left[at] = left[--n];
    }
    sonde_free(left);
    return selected;
}

uint32_t sonde_filter_select(struct sonde_filter *f, uint32_t *slots)
{
    if (f->measure) return select_by_measure(f, slots);
    for (uint32_t i = 0; i < f->n_slots; i++) slots[i] = i;
    return f->n_slots;
}
