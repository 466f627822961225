/* The saved corpus; see the header. A run is offered only when feedback found something new in it, which is rare, so
 * nothing here is optimised.
 *
 * The loop calls this for runs with one of the reasons SONDE_SAVED_REASONS; the engine reads the set when it stores
 * the corpus. An entry is dropped as soon as it owns nothing (take), so the set stays small without a further
 * policy. */
#include "corpus/harvest.h"

#include "base/mem.h"

#include <float.h>
#include <string.h>

/* A feature has OF_FEATURE things: one per class of counts (ROUGH), and the highest count. */
enum { ROUGH = 8, HIGHEST = ROUGH, OF_FEATURE };

/* Things are numbers. These are the first numbers of the utilities, the states, the depth and the features. */
enum {
    TARGETS = 0,
    STATES = TARGETS + SONDE_SAVED_TARGETS,
    DEEPEST = STATES + SONDE_SAVED_STATES,
    FEATURES = DEEPEST + 1
};

const char *sonde_saved_word(enum sonde_saved_for what)
{
    static const char *const words[] = {"coverage", "target", "state", "depth"};
    return words[what];
}

void sonde_saved_init(struct sonde_saved *h, struct sonde_corpus *corpus, size_t limit)
{
    memset(h, 0, sizeof *h);
    h->corpus = corpus;
    sonde_owners_grow(&h->owners, FEATURES);
    h->limit = limit;
}

static size_t bytes_of(const struct sonde_tape *t)
{
    return sizeof(struct sonde_saved_tape) + sonde_tape_bytes(t);
}

/* Frees an entry. It must own nothing (see drop), except in clear, where all entries are freed. */
static void let_go(struct sonde_saved *h, struct sonde_saved_tape *gone)
{
    h->slots[gone->slot] = NULL;
    h->n--;
    h->bytes -= bytes_of(&gone->kept->tape);
    sonde_corpus_drop(h->corpus, gone->kept);
    sonde_free(gone);
}

void sonde_saved_clear(struct sonde_saved *h)
{
    for (uint32_t i = 0; i < SONDE_SAVED_MAX; i++)
        if (h->slots[i]) let_go(h, h->slots[i]);
    sonde_owners_clear(&h->owners);
    sonde_free(h->highest);
    memset(h, 0, sizeof *h);
}

/* ---- Owning */

static void drop(struct sonde_saved *h, struct sonde_saved_tape *gone)
{
    sonde_owners_leave(&h->owners, &gone->owner);
    let_go(h, gone);
}

static void take(struct sonde_saved *h, uint32_t thing, struct sonde_saved_tape *by)
{
    struct sonde_owner *emptied = sonde_owners_take(&h->owners, thing, &by->owner);
    if (emptied) drop(h, (struct sonde_saved_tape *)(void *)emptied);
}

/* Orders entries for dropping. Of two entries that own equally many things, the older one is dropped first, because the
 * newer one was made from it. */
static bool owns_less(const struct sonde_saved_tape *a, const struct sonde_saved_tape *b)
{
    return a->owner.owns != b->owner.owns ? a->owner.owns < b->owner.owns : a->order < b->order;
}

static void drop_least(struct sonde_saved *h)
{
    struct sonde_saved_tape *least = NULL;
    for (uint32_t i = 0; i < SONDE_SAVED_MAX; i++)
        if (h->slots[i] && (!least || owns_less(h->slots[i], least))) least = h->slots[i];
    if (least) drop(h, least);
}

static struct sonde_saved_tape *add(struct sonde_saved *h, const struct sonde_run *run, enum sonde_saved_for what)
{
    size_t bytes = bytes_of(run->tape);
    /* Makes room first: dropping after adding might drop the new tape, which owns nothing yet. */
    while (h->n == SONDE_SAVED_MAX || (h->n && h->bytes + bytes > h->limit)) drop_least(h);
    uint32_t slot = 0;
    while (h->slots[slot]) slot++;
    struct sonde_saved_tape *new = h->slots[slot] = sonde_calloc(1, sizeof *new);
    new->kept = sonde_corpus_keep(h->corpus, run);
    new->slot = slot;
    new->what = what;
    new->order = h->kept++;
    sonde_owners_join(&h->owners, &new->owner, new->kept->is_valid);
    h->n++;
    h->bytes += bytes;
    return new;
}

/* ---- Examining a run */

/* Returns the class of a count: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, more. */
static uint32_t rough(uint8_t value)
{
    static const uint8_t ends[ROUGH - 1] = {2, 3, 4, 8, 16, 32, 128};
    uint32_t i = 0;
    while (i < ROUGH - 1 && value >= ends[i]) i++;
    return i;
}

/* Returns the number of a thing of a feature. The things of one feature are adjacent, so that things of new features
 * are appended and no number changes. */
static uint32_t thing_of(const struct sonde_feature *f, uint32_t which)
{
    return FEATURES + f->id * OF_FEATURE + which;
}

static void grow_owners(struct sonde_saved *h, uint32_t n_ids)
{
    h->highest = sonde_grow_zeroed(h->highest, &h->cap_highest, n_ids, 1);
    sonde_owners_grow(&h->owners, FEATURES + h->cap_highest * OF_FEATURE);
}

/* Returns which things of a feature a run may take: bit 0, the class of its count; bit 1, the highest count. Called
 * twice per feature, once to decide and once to take: a run that owns nothing must not be added. */
static unsigned takes(const struct sonde_saved *h, const struct sonde_feature *f, bool is_valid)
{
    if (f->kind != SONDE_FEATURE_COUNTER) return 0;
    bool is_class = sonde_owners_may_take(&h->owners, thing_of(f, rough(f->value)), is_valid);
    bool is_highest =
        f->value > h->highest[f->id]
        || (f->value == h->highest[f->id] && sonde_owners_may_take(&h->owners, thing_of(f, HIGHEST), is_valid));
    return (unsigned)is_class | (unsigned)is_highest << 1;
}

static bool shows_new_code(const struct sonde_saved *h, const struct sonde_coverage_view *view, bool is_valid)
{
    for (size_t i = 0; i < view->n_features; i++)
        if (takes(h, &view->features[i], is_valid)) return true;
    return false;
}

static void take_code(struct sonde_saved *h, const struct sonde_coverage_view *view, struct sonde_saved_tape *by)
{
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        unsigned what = takes(h, f, by->kept->is_valid);
        if (what & 1) take(h, thing_of(f, rough(f->value)), by);
        if (!(what & 2)) continue;
        take(h, thing_of(f, HIGHEST), by);
        h->highest[f->id] = f->value;
    }
}

/* Returns whether this is the best value of its utility so far; sets *thing to that utility. */
static bool is_best(struct sonde_saved *h, const struct sonde_target_value *value, uint32_t *thing)
{
    uint32_t i = 0;
    while (i < h->n_targets && h->targets[i].label != value->label) i++;
    if (i == SONDE_SAVED_TARGETS) return false;
    if (i == h->n_targets) h->targets[h->n_targets++].label = value->label;
    else if (value->value <= h->targets[i].best && sonde_owners_of(&h->owners, TARGETS + i)) return false;
    h->targets[i].best = value->value;
    *thing = TARGETS + i;
    return true;
}

/* Gives a thing to the run, which is kept when it owns its first thing. */
static void own(struct sonde_saved *h, const struct sonde_run *run, struct sonde_saved_tape **by, uint32_t thing,
                enum sonde_saved_for what)
{
    if (!*by) *by = add(h, run, what);
    take(h, thing, *by);
}

void sonde_saved_offer(struct sonde_saved *h, const struct sonde_run *run)
{
    const struct sonde_observation *seen = run->observation;
    uint32_t reasons = run->interest.reasons, thing;
    struct sonde_saved_tape *by = NULL;
    bool is_valid = seen->verdict == SONDE_VALID;
    if (!is_valid && seen->verdict != SONDE_DISCARDED) return;
    /* One tape may take at most a sixteenth of the memory, so that a few large tapes cannot displace all others. */
    if (bytes_of(run->tape) > h->limit / 16) return;
    if (seen->coverage && reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE)) {
        if (seen->coverage->n_ids > h->cap_highest) grow_owners(h, seen->coverage->n_ids);
        if (shows_new_code(h, seen->coverage, is_valid)) {
            by = add(h, run, SONDE_FOR_COVERAGE);
            take_code(h, seen->coverage, by);
        }
    }
    for (size_t i = 0; reasons & SONDE_NEW_TARGET && i < seen->n_targets; i++)
        if (is_best(h, &seen->targets[i], &thing)) own(h, run, &by, thing, SONDE_FOR_TARGET);
    if (reasons & SONDE_NEW_STATE)
        /* Keeps the newest states in a ring, because sonde cannot tell which state of the user's feedback is worth
         * more. */
        own(h, run, &by, STATES + (uint32_t)(h->n_states++ % SONDE_SAVED_STATES), SONDE_FOR_STATE);
    if (reasons & SONDE_NEW_DEPTH) own(h, run, &by, DEEPEST, SONDE_FOR_DEPTH);
}

/* ---- Listing the things that are owned */

/* Returns the value rounded to an eighth of a power of two: other runs need not learn of a value that is hardly
 * better. */
static uint32_t about(double value)
{
    enum { BELOW = DBL_MANT_DIG - 1 - 3 }; /* fraction bits of a double, except the first three */
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t)(bits >> BELOW);
}

void sonde_saved_each_thing(const struct sonde_saved *h, sonde_saved_visit *visit, void *context)
{
    for (uint32_t i = 0; i < h->owners.n_things; i++) {
        const struct sonde_owner *owner = sonde_owners_of(&h->owners, i);
        bool is_target = i < TARGETS + h->n_targets;
        if (!owner || (!is_target && i < FEATURES)) continue;
        struct sonde_saved_thing thing = {.is_target = is_target};
        thing.id = is_target ? h->targets[i - TARGETS].label : (i - FEATURES) / OF_FEATURE;
        thing.which = is_target ? about(h->targets[i - TARGETS].best) : (i - FEATURES) % OF_FEATURE;
        if (!is_target && thing.which == HIGHEST) thing.which += rough(h->highest[thing.id]);
        visit(context, (const struct sonde_saved_tape *)(const void *)owner, &thing);
    }
}
