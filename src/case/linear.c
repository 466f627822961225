/* See linear.h. */
#include "case/linear.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"
#include "case/linear_order.h"

#include <string.h>

enum outcome { FAILS, HOLDS, GAVE_UP };

/* States from which nothing fits: which calls are behind it, never none, and a hash of the model. */
struct dead {
    uint64_t done, model;
};

struct search {
    const struct sonde_linear_order *order;
    struct dead *dead;
    uint32_t n, cap;
    uint64_t patience; /* how many more states are looked at */
    struct sonde_linear_path found;
};

enum {
    FIRST_ROOM = SONDE_LIMIT(256, 4),
    PATIENCE = SONDE_LIMIT(1000, 4), /* states that are looked at before values are */
    GUESSES = SONDE_LIMIT(10000, 8)  /* ... and in an order that is guessed */
};

/* ---- What was tried */

/* Four hashes side by side, since each step of one waits for the one before. */
static uint64_t hash_model(const char *bytes, size_t n)
{
    uint64_t lanes[4] = {n, 1, 2, 3}, words[4];
    for (; n >= sizeof words; n -= sizeof words, bytes += sizeof words) {
        memcpy(words, bytes, sizeof words);
        for (int i = 0; i < 4; i++) lanes[i] = sonde_hash_add(lanes[i], words[i]);
    }
    memset(words, 0, sizeof words);
    if (n) memcpy(words, bytes, n);
    for (int i = 0; i < 4; i++) lanes[i] = sonde_mix(sonde_hash_add(lanes[i], words[i]));
    return sonde_mix(sonde_hash_add(sonde_hash_add(lanes[0], lanes[1]), lanes[2] ^ sonde_mix(lanes[3])));
}

static struct dead *slot_of(const struct search *s, struct dead key)
{
    uint32_t i = (uint32_t)sonde_mix(key.done ^ key.model) & (s->cap - 1);
    while (s->dead[i].done && (s->dead[i].done != key.done || s->dead[i].model != key.model))
        i = (i + 1) & (s->cap - 1);
    return &s->dead[i];
}

static void make_room(struct search *s)
{
    struct dead *old = s->dead;
    uint32_t cap = s->cap;
    s->cap = cap ? 2 * cap : FIRST_ROOM;
    s->dead = sonde_calloc(s->cap, sizeof *s->dead);
    for (uint32_t i = 0; i < cap; i++)
        if (old[i].done) *slot_of(s, old[i]) = old[i];
    sonde_free(old);
}

static bool is_dead(const struct search *s, struct dead key)
{
    return s->n && slot_of(s, key)->done;
}

static void remember(struct search *s, struct dead key)
{
    if (!key.done) return;
    if (2 * (s->n + 1) > s->cap) make_room(s);
    *slot_of(s, key) = key;
    s->n++;
}

/* ---- The search */

/* All calls that have returned are done: those that are left wait. */
static bool rest_waits(const struct sonde_linear_order *o, uint64_t rest, const char *model)
{
    for (; rest; rest &= rest - 1) {
        const struct sonde_linear_call *c = o->calls[sonde_linear_first(rest)];
        if (c->waits && !c->waits(model, c->call)) return false;
    }
    return true;
}

/* Of a call that is pending nobody knows the answer; one that waits has not happened, or it would have returned. */
static bool fits(const struct sonde_linear_call *c, char *model)
{
    if (c->ended == SONDE_PENDING && c->waits) return false;
    return c->agrees(model, c->call) || c->ended == SONDE_PENDING;
}

/* From here on; `rest` are the calls that have not come. A pending one that changes nothing need not come here. */
static enum outcome search_from(struct search *s, uint64_t rest, char *model)
{
    const struct sonde_linear_order *o = s->order;
    char *next = model + o->size;
    if (!rest || (o->calls[sonde_linear_first(rest)]->ended == SONDE_PENDING && rest_waits(o, rest, model))) {
        s->found.n = 0;
        return HOLDS;
    }
    struct dead here = {.done = o->all & ~rest, .model = hash_model(model, o->size)};
    if (is_dead(s, here)) return FAILS;
    if (s->patience == 0) return GAVE_UP;
    s->patience--;
    for (uint64_t c = sonde_linear_order_next(o, rest); c; c &= c - 1) {
        const struct sonde_linear_call *call = o->calls[sonde_linear_first(c)];
        if (o->size) memcpy(next, model, o->size);
        if (!fits(call, next)) continue;
        if (call->ended == SONDE_PENDING && (!o->size || memcmp(next, model, o->size) == 0)) continue;
        enum outcome outcome = search_from(s, rest & ~(c & -c), next);
        if (outcome == HOLDS) s->found.calls[s->found.n++] = (uint8_t)sonde_linear_first(c);
        if (outcome != FAILS) return outcome;
    }
    remember(s, here);
    return FAILS;
}

static enum outcome search_all(struct search *s, uint64_t patience)
{
    s->patience = patience;
    return search_from(s, s->order->all, s->order->models);
}

/* Calls of values that keep an order among themselves are tried in that order alone. Where the machine has said what a value is, there is no other. */
static enum outcome search_by_values(const struct sonde_linear_order *plain, struct sonde_linear_path *found)
{
    struct sonde_linear_order order = *plain;
    struct search s = {.order = &order};
    bool is_sure = sonde_linear_order_is_sure(&order);
    enum outcome outcome = FAILS;
    if (sonde_linear_order_by_values(&order)) outcome = search_all(&s, is_sure ? UINT64_MAX : GUESSES);
    sonde_free(s.dead);
    *found = s.found;
    return outcome == FAILS && !is_sure ? GAVE_UP : outcome;
}

enum sonde_linear_verdict sonde_linear_judge(const struct sonde_linear *h)
{
    struct sonde_linear_order order;
    struct search s = {.order = &order};
    sonde_linear_order_init(&order, h);
    enum outcome outcome = search_all(&s, h->patience ? h->patience : PATIENCE);
    if (outcome == GAVE_UP) outcome = search_by_values(&order, &s.found);
    if (outcome == GAVE_UP) outcome = search_all(&s, UINT64_MAX);
    bool is_mistaken =
        outcome == HOLDS && sonde_linear_order_is_sure(&order) && !sonde_linear_order_spares_values(&order, &s.found);
    sonde_free(s.dead);
    sonde_linear_order_clear(&order);
    if (is_mistaken) return SONDE_LINEAR_MISTAKEN;
    return outcome == HOLDS ? SONDE_LINEAR_HOLDS : SONDE_LINEAR_FAILS;
}
