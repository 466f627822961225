/* See harvest.h. A run is offered only when feedback found something new in it, which is rare: nothing here is fast. */
#include "corpus/harvest.h"

#include "base/mem.h"

#include <string.h>

enum { ROUGH = 8, HIGHEST = ROUGH, OWNERS }; /* of a feature: a class of counts each, and the highest */

const char *sonde_harvested_word(enum sonde_harvested_for what)
{
    static const char *const words[] = {"coverage", "target", "state", "depth"};
    return words[what];
}

void sonde_harvest_init(struct sonde_harvest *h, struct sonde_corpus *corpus, size_t limit)
{
    memset(h, 0, sizeof *h);
    h->corpus = corpus;
    h->limit = limit;
}

static size_t bytes_of(const struct sonde_tape *t)
{
    return sizeof(struct sonde_harvested) + sonde_tape_bytes(t);
}

static void drop(struct sonde_harvest *h, uint32_t slot)
{
    struct sonde_harvested *gone = h->slots[slot];
    h->slots[slot] = NULL;
    h->n--;
    h->bytes -= bytes_of(&gone->kept->tape);
    sonde_corpus_drop(h->corpus, gone->kept);
    sonde_free(gone);
}

void sonde_harvest_clear(struct sonde_harvest *h)
{
    for (uint32_t i = 0; i < SONDE_HARVEST_MAX; i++)
        if (h->slots[i]) drop(h, i);
    sonde_free(h->owners);
    sonde_free(h->highest);
    memset(h, 0, sizeof *h);
}

/* ---- Owning. Everything that can be owned is a uint16_t somewhere: slot + 1. */

static void take(struct sonde_harvest *h, uint16_t *thing, uint32_t slot)
{
    uint16_t before = *thing;
    if (before == slot + 1) return;
    *thing = (uint16_t)(slot + 1);
    h->slots[slot]->owns++;
    if (before && --h->slots[before - 1]->owns == 0) drop(h, before - 1U);
}

static void disown(uint16_t *thing, uint32_t slot)
{
    if (*thing == slot + 1) *thing = 0;
}

/* The older of two that own as much: what came later was made from it. */
static bool owns_less(const struct sonde_harvested *a, const struct sonde_harvested *b)
{
    return a->owns != b->owns ? a->owns < b->owns : a->order < b->order;
}

static void drop_least(struct sonde_harvest *h)
{
    uint32_t least = SONDE_HARVEST_MAX;
    for (uint32_t i = 0; i < SONDE_HARVEST_MAX; i++)
        if (h->slots[i] && (least == SONDE_HARVEST_MAX || owns_less(h->slots[i], h->slots[least]))) least = i;
    if (least == SONDE_HARVEST_MAX) return;
    for (uint32_t i = 0; i < h->cap_owners; i++) disown(&h->owners[i], least);
    for (uint32_t i = 0; i < h->n_targets; i++) disown(&h->targets[i].owner, least);
    for (uint32_t i = 0; i < SONDE_HARVEST_STATES; i++) disown(&h->states[i], least);
    disown(&h->deepest, least);
    drop(h, least);
}

static uint32_t add(struct sonde_harvest *h, const struct sonde_run *run, enum sonde_harvested_for what)
{
    size_t bytes = bytes_of(run->tape);
    while (h->n == SONDE_HARVEST_MAX || (h->n && h->bytes + bytes > h->limit)) drop_least(h);
    uint32_t slot = 0;
    while (h->slots[slot]) slot++;
    struct sonde_harvested *new = h->slots[slot] = sonde_calloc(1, sizeof *new);
    new->kept = sonde_corpus_keep(h->corpus, run);
    new->what = what;
    new->order = h->kept++;
    h->n++;
    h->bytes += bytes;
    return slot;
}

/* ---- What a run shows */

/* 1, 2, 3, 4-7, 8-15, 16-31, 32-127, more. */
static uint32_t rough(uint8_t value)
{
    static const uint8_t ends[ROUGH - 1] = {2, 3, 4, 8, 16, 32, 128};
    uint32_t i = 0;
    while (i < ROUGH - 1 && value >= ends[i]) i++;
    return i;
}

static bool may_take(const struct sonde_harvest *h, uint16_t owner, bool is_valid)
{
    return owner == 0 || (is_valid && !h->slots[owner - 1]->kept->is_valid);
}

static void grow_owners(struct sonde_harvest *h, uint32_t n_ids)
{
    h->highest = sonde_grow_zeroed(h->highest, &h->cap_highest, n_ids, 1);
    h->owners = sonde_grow_zeroed(h->owners, &h->cap_owners, (size_t)h->cap_highest * OWNERS, sizeof *h->owners);
}

/* What a feature of a run may take over: bit 0, its class; bit 1, the highest count. */
static unsigned takes(const struct sonde_harvest *h, const struct sonde_feature *f, bool is_valid)
{
    const uint16_t *owners = &h->owners[(size_t)f->id * OWNERS];
    if (f->kind != SONDE_FEATURE_COUNTER) return 0;
    bool is_class = may_take(h, owners[rough(f->value)], is_valid);
    bool is_highest =
        f->value > h->highest[f->id] || (f->value == h->highest[f->id] && may_take(h, owners[HIGHEST], is_valid));
    return (unsigned)is_class | (unsigned)is_highest << 1;
}

static bool shows_new_code(const struct sonde_harvest *h, const struct sonde_coverage_view *view, bool is_valid)
{
    for (size_t i = 0; i < view->n_features; i++)
        if (takes(h, &view->features[i], is_valid)) return true;
    return false;
}

static void take_code(struct sonde_harvest *h, const struct sonde_coverage_view *view, bool is_valid, uint32_t slot)
{
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        uint16_t *owners = &h->owners[(size_t)f->id * OWNERS];
        unsigned what = takes(h, f, is_valid);
        if (what & 1) take(h, &owners[rough(f->value)], slot);
        if (!(what & 2)) continue;
        take(h, &owners[HIGHEST], slot);
        h->highest[f->id] = f->value;
    }
}

/* The target that this value is the best of so far; NULL if none. */
static uint16_t *best_target(struct sonde_harvest *h, const struct sonde_target_value *value)
{
    uint32_t i = 0;
    while (i < h->n_targets && h->targets[i].label != value->label) i++;
    if (i == SONDE_HARVEST_TARGETS) return NULL;
    if (i == h->n_targets) {
        h->targets[i].label = value->label;
        h->targets[i].owner = 0;
        h->n_targets++;
    } else if (value->value <= h->targets[i].best && h->targets[i].owner) {
        return NULL;
    }
    h->targets[i].best = value->value;
    return &h->targets[i].owner;
}

enum { NOT_KEPT = SONDE_HARVEST_MAX };

/* The slot of the run: it is kept at the first thing that it owns. */
static void own(struct sonde_harvest *h, const struct sonde_run *run, uint32_t *slot, uint16_t *thing,
                enum sonde_harvested_for what)
{
    if (*slot == NOT_KEPT) *slot = add(h, run, what);
    take(h, thing, *slot);
}

void sonde_harvest_offer(struct sonde_harvest *h, const struct sonde_run *run)
{
    const struct sonde_observation *seen = run->observation;
    uint32_t reasons = run->interest.reasons, slot = NOT_KEPT;
    bool is_valid = seen->verdict == SONDE_VALID;
    if (!is_valid && seen->verdict != SONDE_DISCARDED) return;
    if (bytes_of(run->tape) > h->limit / 16) return;
    if (seen->coverage && reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE)) {
        if (seen->coverage->n_ids > h->cap_highest) grow_owners(h, seen->coverage->n_ids);
        if (shows_new_code(h, seen->coverage, is_valid)) {
            slot = add(h, run, SONDE_FOR_COVERAGE);
            take_code(h, seen->coverage, is_valid, slot);
        }
    }
    for (size_t i = 0; reasons & SONDE_NEW_TARGET && i < seen->n_targets; i++) {
        uint16_t *owner = best_target(h, &seen->targets[i]);
        if (owner) own(h, run, &slot, owner, SONDE_FOR_TARGET);
    }
    if (reasons & SONDE_NEW_STATE)
        own(h, run, &slot, &h->states[h->n_states++ % SONDE_HARVEST_STATES], SONDE_FOR_STATE);
    if (reasons & SONDE_NEW_DEPTH) own(h, run, &slot, &h->deepest, SONDE_FOR_DEPTH);
}
