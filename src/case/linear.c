/* See linear.h. The first half of this file orders calls by their times and by values. The second half searches in that
 * order.
 *
 * Overlapping puts into a queue can have happened in any order, and each order gives another queue. A plain search
 * notices a wrong order only when the items are taken. By then other items were put, so the number of orders
 * multiplies. But few orders explain the calls of just two items. Constraints common to these few orders hold in any
 * order of all calls. So for every two values the search determines which calls must come before which, until it finds
 * no new constraint.
 *
 * Violations of queues and stacks are found in polynomial time in this way. See Henzinger, Sezgin and Vafeiadis,
 * "Aspect-Oriented Linearizability Proofs", 2013. See also Emmi and Enea, "Sound, Complete, and Tractable
 * Linearizability Monitoring for Concurrent Collections", 2018. Here it works for any model, and only helps the search
 * that follows.
 *
 * It is sound if the calls of a value can be removed without a change for the others. The machine's .value promises
 * that. Without .value, values are guessed. If the initial model explains a call only after one other call, the call
 * gets the value of that other call. Then an order that is found explains the calls, but finding none means nothing. */
#include "case/linear.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"

#include <string.h>

/* ---- The order */

/* The calls, numbered by when they ended, earliest first, and the order between them. Sets of calls are bit masks. */
struct order {
    const struct sonde_linear *h;
    const struct sonde_linear_call *calls[SONDE_LINEAR_MAX];
    uint64_t all;
    uint64_t open[SONDE_LINEAR_MAX];   /* for each call: the calls that began before it ended */
    uint64_t before[SONDE_LINEAR_MAX]; /* for each call: the calls that must come before it */
    char *models;                      /* n + 1 models: the initial one, then room for the model after each call */
    size_t size;                       /* size of a model in bytes */
};

/* An order that explains the calls, stored in reverse: the last call comes first. */
struct path {
    uint8_t calls[SONDE_LINEAR_MAX];
    size_t n;
};

static unsigned first_of(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

/* Returns the calls of `rest` that may come next, after all calls outside `rest`. `rest` must not be empty. */
static uint64_t next_of(const struct order *o, uint64_t rest)
{
    uint64_t next = 0;
    for (uint64_t c = rest & o->open[first_of(rest)]; c; c &= c - 1)
        if (!(o->before[first_of(c)] & rest)) next |= c & -c;
    return next;
}

/* Sets of calls with the same value. */
struct values {
    uint64_t calls[SONDE_LINEAR_MAX]; /* the calls of each value */
    size_t n;
};

/* Steps (calls tried) after which a search over a value, or a pair of values, gives up and learns nothing. */
enum {
    STEPS_ALONE = 2000, /* limit of the search over one value */
    STEPS_OF_PAIR = 200 /* limit of the search over a pair; some pairs are searched again */
};

static int by_end(const struct sonde_linear_call *a, const struct sonde_linear_call *b)
{
    if (a->ended != b->ended) return a->ended < b->ended ? -1 : 1;
    return (a->began > b->began) - (a->began < b->began);
}

static void init_order(struct order *o, const struct sonde_linear *h)
{
    sonde_assert(h->n <= SONDE_LINEAR_MAX);
    *o = (struct order){.h = h, .size = h->size};
    for (size_t i = 0; i < h->n; i++) {
        size_t k = i;
        for (; k > 0 && by_end(&h->calls[i], o->calls[k - 1]) < 0; k--) o->calls[k] = o->calls[k - 1];
        o->calls[k] = &h->calls[i];
    }
    for (size_t i = 0; i < h->n; i++) {
        o->all |= UINT64_C(1) << i;
        for (size_t k = 0; k < h->n; k++) {
            if (o->calls[k]->began <= o->calls[i]->ended) o->open[i] |= UINT64_C(1) << k;
            else o->before[k] |= UINT64_C(1) << i;
        }
    }
    o->models = sonde_malloc((h->n + 2) * (h->size ? h->size : 1));
    if (h->size) memcpy(o->models, h->model, h->size);
}

/* ---- Values */

/* Returns whether the constraints that order_by_values adds hold in each order that explains the calls. If not, the
 * constraints are guesses. A pending call may have happened, and its value is unknown. */
static bool values_are_sure(const struct order *o)
{
    for (size_t i = 0; i < o->h->n; i++)
        if (o->calls[i]->ended == SONDE_PENDING && !o->calls[i]->waits) return false;
    return o->h->value != NULL;
}

/* Returns how many calls have returned; those calls have the lowest numbers. */
static size_t n_returned(const struct order *o)
{
    size_t n = o->h->n;
    while (n > 0 && o->calls[n - 1]->ended == SONDE_PENDING) n--;
    return n;
}

/* Adds a call to the set of its value. Each call without a value (0) gets a separate set. */
static void add_call(struct values *v, uint64_t *numbers, uint64_t number, size_t call)
{
    size_t i = number ? 0 : v->n;
    while (i < v->n && numbers[i] != number) i++;
    if (i == v->n) {
        numbers[i] = number;
        v->calls[v->n++] = 0;
    }
    v->calls[i] |= UINT64_C(1) << call;
}

/* Returns whether the model explains `call`, right at the start or after the call `first` alone. */
static bool agrees_after(const struct order *o, size_t first, size_t call)
{
    char *model = o->models + o->size;
    if (o->size) memcpy(model, o->models, o->size);
    if (first != call && !o->calls[first]->agrees(model, o->calls[first]->call)) return false;
    return o->calls[call]->agrees(model, o->calls[call]->call);
}

/* Guesses which calls have the same value; see the head of this file. */
static void guess_values(const struct order *o, struct values *v)
{
    size_t n = n_returned(o), value_of[SONDE_LINEAR_MAX];
    uint64_t is_first = 0;
    for (size_t i = 0; i < n; i++) {
        value_of[i] = i;
        if (agrees_after(o, i, i) && (!o->size || memcmp(o->models, o->models + o->size, o->size) != 0))
            is_first |= UINT64_C(1) << i;
    }
    for (size_t i = 0; i < n; i++) {
        if (agrees_after(o, i, i)) continue;
        for (size_t k = 0; k < n; k++) {
            if (!(is_first >> k & 1) || !agrees_after(o, k, i)) continue;
            size_t from = value_of[i], to = value_of[k];
            for (size_t j = 0; j < n; j++)
                if (value_of[j] == from) value_of[j] = to;
        }
    }
    uint64_t numbers[SONDE_LINEAR_MAX];
    for (size_t i = 0; i < n; i++) add_call(v, numbers, value_of[i] + 1, i);
}

static void find_values(const struct order *o, struct values *v)
{
    uint64_t numbers[SONDE_LINEAR_MAX];
    v->n = 0;
    if (!o->h->value) {
        guess_values(o, v);
        return;
    }
    for (size_t i = 0; i < n_returned(o); i++) add_call(v, numbers, o->h->value(o->calls[i]->call), i);
}

/* ---- Two values */

/* A search over the calls of one or two values. */
struct pair {
    const struct order *o;
    uint64_t later[SONDE_LINEAR_MAX]; /* later[i]: the calls that follow call i in at least one explained order */
    unsigned steps;                   /* steps left */
};

/* Returns whether `model` explains the calls of `rest`. Also returns true if no steps are left. */
static bool explain(struct pair *p, uint64_t rest, const char *model)
{
    const struct order *o = p->o;
    char *next = (char *)model + o->size;
    bool is_explained = !rest;
    if (!rest) return true;
    for (uint64_t c = next_of(o, rest); c; c &= c - 1) {
        unsigned call = first_of(c);
        if (p->steps == 0) return true;
        p->steps--;
        if (o->size) memcpy(next, model, o->size);
        if (!o->calls[call]->agrees(next, o->calls[call]->call)) continue;
        if (!explain(p, rest & ~(c & -c), next)) continue;
        p->later[call] |= rest & ~(c & -c);
        is_explained = true;
    }
    return is_explained;
}

/* Adds the constraints of two values to the order; returns whether any was new. `is_open`: a later search may find more
 * constraints. */
static bool order_pair(struct order *o, uint64_t both, bool *is_explained, bool *is_open)
{
    struct pair p = {.o = o, .steps = STEPS_OF_PAIR};
    bool is_new = false;
    *is_explained = explain(&p, both, o->models);
    *is_open = false;
    if (!*is_explained || p.steps == 0) return false;
    for (uint64_t c = both; c; c &= c - 1) {
        unsigned call = first_of(c);
        for (uint64_t d = both & ~(c & -c); d; d &= d - 1) {
            unsigned other = first_of(d);
            if (p.later[call] >> other & 1) {
                *is_open |= p.later[other] >> call & 1;
                continue;
            }
            is_new |= !(o->before[call] >> other & 1);
            o->before[call] |= UINT64_C(1) << other;
        }
    }
    return is_new;
}

/* Completes the order by transitivity. Returns false if a call would come before itself. */
static bool close_order(struct order *o)
{
    size_t n = o->h->n;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            if (o->before[i] >> k & 1) o->before[i] |= o->before[k];
    for (size_t i = 0; i < n; i++)
        if (o->before[i] >> i & 1) return false;
    return true;
}

/* Adds the constraints of each value alone and of each pair of values to `before`, until nothing new follows. Returns
 * false if the calls cannot be explained. */
static bool order_by_values(struct order *o)
{
    struct values v;
    uint64_t open[SONDE_LINEAR_MAX]; /* open[i]: the earlier values that are to be searched together with value i */
    bool is_new = true, is_explained, is_open;
    find_values(o, &v);
    for (size_t i = 0; i < v.n; i++) {
        open[i] = (UINT64_C(1) << i) - 1;
        if (!explain(&(struct pair){.o = o, .steps = STEPS_ALONE}, v.calls[i], o->models)) return false;
    }
    while (is_new) {
        if (!close_order(o)) return false;
        is_new = false;
        for (size_t i = 0; i < v.n; i++) {
            for (uint64_t k = open[i]; k; k &= k - 1) {
                is_new |= order_pair(o, v.calls[i] | v.calls[first_of(k)], &is_explained, &is_open);
                if (!is_explained) return false;
                if (!is_open) open[i] &= ~(k & -k);
            }
        }
    }
    return true;
}

/* Returns whether this order still explains the calls without the set `left_out`. */
static bool explains_without(const struct order *o, const struct path *path, uint64_t left_out)
{
    char *model = o->models + o->size;
    if (o->size) memcpy(model, o->models, o->size);
    for (size_t i = path->n; i-- > 0;) {
        const struct sonde_linear_call *c = o->calls[path->calls[i]];
        if (!(left_out >> path->calls[i] & 1) && !c->agrees(model, c->call)) return false;
    }
    return true;
}

/* Returns whether this order still explains the remaining calls if the calls of any one value are removed, as .value
 * promises. */
static bool holds_without_values(const struct order *o, const struct path *path)
{
    struct values v;
    find_values(o, &v);
    for (size_t i = 0; i < v.n; i++)
        if (!explains_without(o, path, v.calls[i])) return false;
    return true;
}

/* ---- The search */

enum outcome { FAILS, HOLDS, GAVE_UP };

/* The state of a search. */
struct search {
    const struct order *order;
    struct sonde_map dead; /* states from which no order was found: hashes of the calls made so far and of the model */
    uint64_t patience;     /* how many more states to visit */
    struct path found;
};

enum {
    PATIENCE = SONDE_LIMIT(1000, 4), /* number of states to visit before values are used */
    GUESSES = SONDE_LIMIT(10000, 8)  /* number of states to visit in a guessed order */
};

/* Returns a hash of a state: the calls made so far, and the model. Hashes in four independent lanes, because each step
 * of a lane waits for the previous one. */
static uint64_t hash_state(uint64_t done, const char *bytes, size_t n)
{
    /* The set of calls is mixed first, because sonde_hash_add would add a plain set to the model. */
    uint64_t lanes[4] = {sonde_mix(done), 1, 2, 3}, words[4];
    for (; n >= sizeof words; n -= sizeof words, bytes += sizeof words) {
        memcpy(words, bytes, sizeof words);
        for (int i = 0; i < 4; i++) lanes[i] = sonde_hash_add(lanes[i], words[i]);
    }
    memset(words, 0, sizeof words);
    if (n) memcpy(words, bytes, n);
    for (int i = 0; i < 4; i++) lanes[i] = sonde_mix(sonde_hash_add(lanes[i], words[i]));
    return sonde_mix(sonde_hash_add(sonde_hash_add(lanes[0], lanes[1]), lanes[2] ^ sonde_mix(lanes[3])));
}

/* Returns whether all calls of `rest` wait in this state of the model. Called after all calls that returned were
 * made. */
static bool rest_waits(const struct order *o, uint64_t rest, const char *model)
{
    for (; rest; rest &= rest - 1) {
        const struct sonde_linear_call *c = o->calls[first_of(rest)];
        if (c->waits && !c->waits(model, c->call)) return false;
    }
    return true;
}

/* Returns whether the model explains the next call. The result of a pending call is unknown, so any result is accepted.
 * A call that waits has not happened: otherwise it would have returned. */
static bool fits(const struct sonde_linear_call *c, char *model)
{
    if (c->ended == SONDE_PENDING && c->waits) return false;
    return c->agrees(model, c->call) || c->ended == SONDE_PENDING;
}

/* Continues the search from a state. `rest` holds the calls that were not made yet. A pending call that changes nothing
 * is skipped. */
static enum outcome search_from(struct search *s, uint64_t rest, char *model)
{
    const struct order *o = s->order;
    char *next = model + o->size;
    if (!rest || (o->calls[first_of(rest)]->ended == SONDE_PENDING && rest_waits(o, rest, model))) {
        s->found.n = 0;
        return HOLDS;
    }
    uint64_t here = hash_state(o->all & ~rest, model, o->size);
    if (sonde_map_get(&s->dead, here)) return FAILS;
    if (s->patience == 0) return GAVE_UP;
    s->patience--;
    for (uint64_t c = next_of(o, rest); c; c &= c - 1) {
        const struct sonde_linear_call *call = o->calls[first_of(c)];
        if (o->size) memcpy(next, model, o->size);
        if (!fits(call, next)) continue;
        if (call->ended == SONDE_PENDING && (!o->size || memcmp(next, model, o->size) == 0)) continue;
        enum outcome outcome = search_from(s, rest & ~(c & -c), next);
        if (outcome == HOLDS) s->found.calls[s->found.n++] = (uint8_t)first_of(c);
        if (outcome != FAILS) return outcome;
    }
    *sonde_map_at(&s->dead, here) = 1;
    return FAILS;
}

static enum outcome search_all(struct search *s, uint64_t patience)
{
    s->patience = patience;
    return search_from(s, s->order->all, s->order->models);
}

/* Searches in the order that the values demand. If the machine has defined .value, no other order can explain the
 * calls. */
static enum outcome search_by_values(const struct order *plain, struct path *found)
{
    struct order order = *plain;
    struct search s = {.order = &order};
    bool is_sure = values_are_sure(&order);
    enum outcome outcome = FAILS;
    if (order_by_values(&order)) outcome = search_all(&s, is_sure ? UINT64_MAX : GUESSES);
    sonde_map_clear(&s.dead);
    *found = s.found;
    return outcome == FAILS && !is_sure ? GAVE_UP : outcome;
}

enum sonde_linear_verdict sonde_linear_judge(const struct sonde_linear *h)
{
    struct order order;
    struct search s = {.order = &order};
    init_order(&order, h);
    enum outcome outcome = search_all(&s, h->patience ? h->patience : PATIENCE);
    if (outcome == GAVE_UP) outcome = search_by_values(&order, &s.found);
    if (outcome == GAVE_UP) outcome = search_all(&s, UINT64_MAX);
    bool is_mistaken = outcome == HOLDS && values_are_sure(&order) && !holds_without_values(&order, &s.found);
    sonde_map_clear(&s.dead);
    sonde_free(order.models);
    if (is_mistaken) return SONDE_LINEAR_MISTAKEN;
    return outcome == HOLDS ? SONDE_LINEAR_HOLDS : SONDE_LINEAR_FAILS;
}
