/* See destination.h. */
#include "engine/search/destination.h"

#include "base/mem.h"
#include "feedback/insight.h"

#include <string.h>

struct sonde_arrivals *sonde_arrivals_create(const struct sonde_destination *d)
{
    struct sonde_arrivals *a = sonde_calloc(1, sizeof *a);
    a->at = *d;
    a->at.blocks = sonde_malloc(d->n * sizeof *d->blocks);
    memcpy(a->at.blocks, d->blocks, d->n * sizeof *d->blocks);
    return a;
}

void sonde_arrivals_free(struct sonde_arrivals *a)
{
    if (!a) return;
    sonde_free(a->at.blocks);
    sonde_free(a->is_it);
    sonde_free(a->token);
    sonde_free(a);
}

static bool is_inside(const struct sonde_destination *d, uintptr_t code)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (code >= d->blocks[i].from && code < d->blocks[i].to) return true;
    return false;
}

static bool is_counter(struct sonde_arrivals *a, const struct sonde_coverage *coverage, uint32_t id)
{
    enum { UNKNOWN, OTHER, IT };
    if (id >= a->cap) {
        uint32_t before = a->cap;
        a->is_it = sonde_grow(a->is_it, &a->cap, (size_t)id + 1, 1);
        memset(a->is_it + before, UNKNOWN, a->cap - before);
    }
    if (a->is_it[id] == UNKNOWN)
        a->is_it[id] = is_inside(&a->at, (uintptr_t)sonde_coverage_code(coverage, id)) ? IT : OTHER;
    return a->is_it[id] == IT;
}

static bool reaches(struct sonde_arrivals *a, const struct sonde_coverage *coverage,
                    const struct sonde_coverage_view *seen)
{
    for (size_t i = 0; seen && i < seen->n_features; i++)
        if (seen->features[i].kind != SONDE_FEATURE_COMPARISON && is_counter(a, coverage, seen->features[i].id))
            return true;
    return false;
}

void sonde_arrivals_case(struct sonde_arrivals *a, const struct sonde_coverage *coverage, const sonde *t,
                         const struct sonde_coverage_view *seen, uint64_t test)
{
    if (!reaches(a, coverage, seen)) return;
    a->failed += t->verdict == SONDE_FAILED;
    a->discarded += t->verdict != SONDE_FAILED && t->verdict != SONDE_VALID;
    if (t->verdict != SONDE_VALID || a->valid++) return;
    bool is_cut;
    char *token = sonde_firsts_token(&t->tape, t->labels, &is_cut);
    a->test = test;
    if (is_cut) sonde_free(token);
    else a->token = token;
}

void sonde_arrivals_merge(struct sonde_arrivals *a, const struct sonde_arrivals *other)
{
    if (!a->valid) a->test = other->test;
    if (!a->token && other->token) {
        a->token = sonde_strdup(other->token);
        a->test = other->test;
    }
    a->valid += other->valid;
    a->failed += other->failed;
    a->discarded += other->discarded;
}

/* ---- Code that changed */

struct sonde_vicinity *sonde_vicinity_create(const struct sonde_changed_code *change)
{
    struct sonde_vicinity *a = sonde_calloc(1, sizeof *a);
    a->n = change->n_counters;
    a->by = sonde_calloc((size_t)a->n + 1, 1);
    a->counters = sonde_calloc((size_t)a->n + 1, sizeof *a->counters);
    memcpy(a->counters, change->counters, a->n * sizeof *a->counters);
    return a;
}

void sonde_vicinity_free(struct sonde_vicinity *a)
{
    if (!a) return;
    sonde_free(a->counters);
    sonde_free(a->by);
    sonde_free(a->of_id);
    sonde_free(a);
}

/* Returns the index of the counter that has an address; a->n if none does. */
static uint32_t find_counter(const struct sonde_vicinity *a, uintptr_t code)
{
    uint32_t low = 0, high = a->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a->counters[middle].at.to <= code) low = middle + 1;
        else high = middle;
    }
    return low < a->n && code >= a->counters[low].at.from ? low : a->n;
}

/* Returns the index of a feature's counter; a->n if it is not near. */
static uint32_t counter_of(struct sonde_vicinity *a, const struct sonde_coverage *coverage, uint32_t id)
{
    enum { UNKNOWN, FAR, FIRST };
    if (id >= a->cap_ids) a->of_id = sonde_grow_zeroed(a->of_id, &a->cap_ids, (size_t)id + 1, sizeof *a->of_id);
    if (a->of_id[id] == UNKNOWN) {
        uint32_t at = find_counter(a, (uintptr_t)sonde_coverage_code(coverage, id));
        a->of_id[id] = at < a->n ? FIRST + at : FAR;
    }
    return a->of_id[id] == FAR ? a->n : a->of_id[id] - FIRST;
}

enum sonde_nearness sonde_vicinity_case(struct sonde_vicinity *a, const struct sonde_coverage *coverage,
                                        enum sonde_verdict verdict, const struct sonde_coverage_view *seen)
{
    enum sonde_nearness best = SONDE_NEAR_NOT;
    uint8_t by = verdict == SONDE_VALID    ? SONDE_REACHED_VALID
                 : verdict == SONDE_FAILED ? SONDE_REACHED_FAILING
                                           : SONDE_REACHED_INVALID;
    for (size_t i = 0; seen && i < seen->n_features; i++) {
        if (seen->features[i].kind == SONDE_FEATURE_COMPARISON) continue;
        uint32_t at = counter_of(a, coverage, seen->features[i].id);
        if (at == a->n) continue;
        a->by[at] |= by;
        if (a->counters[at].nearness > best) best = a->counters[at].nearness;
    }
    if (best > a->best) a->best = best;
    return best;
}

void sonde_vicinity_merge(struct sonde_vicinity *a, const struct sonde_vicinity *other)
{
    for (uint32_t i = 0; i < a->n && i < other->n; i++) a->by[i] |= other->by[i];
    if (other->best > a->best) a->best = other->best;
}
