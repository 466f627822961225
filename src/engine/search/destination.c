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
