/* See linear.h. */
#include "case/linear.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"

#include <string.h>

/* States that were tried without success: which calls are behind it, and a hash of the model. */
struct tried {
    uint64_t done, model;
    bool is_used;
};

enum { FIRST_ROOM = SONDE_LIMIT(256, 4) };

struct search {
    const struct sonde_linear *h;
    char *models; /* one for each depth */
    struct tried *tried;
    uint32_t n, cap;
};

static uint64_t hash_bytes(const char *bytes, size_t n)
{
    uint64_t hash = n, word;
    for (size_t i = 0; i < n; i += sizeof word) {
        word = 0;
        memcpy(&word, bytes + i, n - i < sizeof word ? n - i : sizeof word);
        hash = sonde_mix(sonde_hash_add(hash, word));
    }
    return hash;
}

static struct tried *slot_of(const struct search *s, struct tried key)
{
    uint32_t i = (uint32_t)sonde_mix(key.done ^ key.model) & (s->cap - 1);
    while (s->tried[i].is_used && (s->tried[i].done != key.done || s->tried[i].model != key.model))
        i = (i + 1) & (s->cap - 1);
    return &s->tried[i];
}

static void make_room(struct search *s)
{
    struct tried *old = s->tried;
    uint32_t cap = s->cap;
    s->cap = cap ? 2 * cap : FIRST_ROOM;
    s->tried = sonde_calloc(s->cap, sizeof *s->tried);
    for (uint32_t i = 0; i < cap; i++)
        if (old[i].is_used) *slot_of(s, old[i]) = old[i];
    sonde_free(old);
}

/* True if it was there; else it is there from now on. */
static bool was_tried(struct search *s, uint64_t done, const char *model)
{
    struct tried key = {.done = done, .model = hash_bytes(model, s->h->size), .is_used = true};
    if (2 * (s->n + 1) > s->cap) make_room(s);
    struct tried *slot = slot_of(s, key);
    if (slot->is_used) return true;
    *slot = key;
    s->n++;
    return false;
}

/* The first end among calls that are not done: who begins behind it cannot be next. */
static uint64_t first_end(const struct sonde_linear *h, uint64_t done)
{
    uint64_t first = SONDE_PENDING;
    for (size_t i = 0; i < h->n; i++)
        if (!(done >> i & 1) && h->calls[i].ended < first) first = h->calls[i].ended;
    return first;
}

/* All calls that have returned are done: those that are left wait. */
static bool rest_waits(const struct sonde_linear *h, uint64_t done, const char *model)
{
    for (size_t i = 0; i < h->n; i++) {
        const struct sonde_linear_call *c = &h->calls[i];
        if (!(done >> i & 1) && c->waits && !c->waits(model, c->call)) return false;
    }
    return true;
}

/* Of a call that is pending nobody knows the answer; one that waits has not happened, or it would have returned. */
static bool fits(const struct sonde_linear_call *c, char *model)
{
    if (c->ended == SONDE_PENDING && c->waits) return false;
    return c->agrees(model, c->call) || c->ended == SONDE_PENDING;
}

/* From the model at this depth on. Pending calls may be left over. */
static bool holds_from(struct search *s, uint64_t done, size_t depth)
{
    const struct sonde_linear *h = s->h;
    const char *model = s->models + depth * h->size;
    char *next = s->models + (depth + 1) * h->size;
    uint64_t end = first_end(h, done);
    if (end == SONDE_PENDING && rest_waits(h, done, model)) return true;
    if (was_tried(s, done, model)) return false;
    for (size_t i = 0; i < h->n; i++) {
        if (done >> i & 1 || h->calls[i].began > end) continue;
        if (h->size) memcpy(next, model, h->size);
        if (fits(&h->calls[i], next) && holds_from(s, done | UINT64_C(1) << i, depth + 1)) return true;
    }
    return false;
}

bool sonde_linear_holds(const struct sonde_linear *h)
{
    struct search s = {.h = h};
    sonde_assert(h->n <= SONDE_LINEAR_MAX);
    s.models = sonde_malloc((h->n + 2) * (h->size ? h->size : 1));
    if (h->size) memcpy(s.models, h->model, h->size);
    bool holds = holds_from(&s, 0, 0);
    sonde_free(s.models);
    sonde_free(s.tried);
    return holds;
}
