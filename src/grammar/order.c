/* See order.h. All walks are over arrays: rules may refer to each other in chains of any length. */
#include "grammar/order.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t NONE = SONDE_SYNTAX_NONE;

static const uint64_t COST_MAX = UINT64_C(1) << 62, UNIT = UINT64_C(1) << 24;
/* Longest shortest sentence, in characters: a case has no room for more. */
static const uint64_t LEAST_MAX = 1 << 20;

/* ---- Costs */

/* A node whose cost is known, in a heap: the cheapest first, of equal ones the first in the grammar. */
struct known {
    uint64_t cost;
    uint32_t node;
};

/* `of_draws`: costs are draws << 24 | rules; otherwise characters << 24 | rules. */
struct costs {
    const struct sonde_syntax *g;
    bool of_draws;
    uint64_t *cost; /* of each node; UINT64_MAX: not known, or it never ends */
    struct known *heap;
    uint32_t n, cap;
    uint32_t *parent;    /* of each node; NONE: it is the body of a rule */
    uint32_t *body_of;   /* the rule of which a node is the body; NONE */
    uint32_t *missing;   /* SEQUENCE: number of children whose cost is not known */
    uint64_t *sum;       /* SEQUENCE: cost of the others */
    uint32_t *first_ref; /* of each rule: the last node that refers to it */
    uint32_t *next_ref;  /* of each node: the one before it that refers to the same rule */
};

static bool is_less(struct known a, struct known b)
{
    return a.cost != b.cost ? a.cost < b.cost : a.node < b.node;
}

static void push(struct costs *k, uint32_t node, uint64_t cost)
{
    if (k->cost[node] != UINT64_MAX) return;
    struct known new = {cost < COST_MAX ? cost : COST_MAX, node};
    k->heap = sonde_grow(k->heap, &k->cap, (size_t)k->n + 1, sizeof *k->heap);
    uint32_t at = k->n++;
    for (; at && is_less(new, k->heap[(at - 1) / 2]); at = (at - 1) / 2) k->heap[at] = k->heap[(at - 1) / 2];
    k->heap[at] = new;
}

static struct known pop(struct costs *k)
{
    struct known top = k->heap[0], last = k->heap[--k->n];
    uint32_t at = 0;
    for (;;) {
        uint32_t kid = 2 * at + 1;
        if (kid >= k->n) break;
        if (kid + 1 < k->n && is_less(k->heap[kid + 1], k->heap[kid])) kid++;
        if (!is_less(k->heap[kid], last)) break;
        k->heap[at] = k->heap[kid];
        at = kid;
    }
    k->heap[at] = last;
    return top;
}

static uint64_t times(uint64_t cost, uint32_t n)
{
    return n && cost > COST_MAX / n ? COST_MAX : cost * n;
}

/* Returns what a node costs besides its children. */
static uint64_t own_cost(const struct costs *k, const struct sonde_syntax_node *x)
{
    const struct sonde_syntax *g = k->g;
    bool is_drawn = false;
    switch ((enum sonde_syntax_kind)x->kind) {
    case SONDE_SYNTAX_LITERAL: return k->of_draws ? 0 : x->n * UNIT;
    case SONDE_SYNTAX_CASELESS: return k->of_draws ? UNIT : x->n * UNIT;
    case SONDE_SYNTAX_CLASS:
        is_drawn = g->classes[x->first].n_small + g->classes[x->first].n_rest > 1;
        return !k->of_draws || is_drawn ? UNIT : 0;
    case SONDE_SYNTAX_PROSE: return UNIT;
    case SONDE_SYNTAX_CHOICE: return k->of_draws && x->n > 1 ? UNIT : 0;
    case SONDE_SYNTAX_REPEAT: return k->of_draws && x->min != x->max ? UNIT : 0;
    default: return 0;
    }
}

/* Records the parents and references of all nodes, and those costs that need no other. */
static void begin_costs(struct costs *k)
{
    const struct sonde_syntax *g = k->g;
    memset(k->parent, 0xff, g->n_nodes * sizeof *k->parent);
    memset(k->body_of, 0xff, g->n_nodes * sizeof *k->body_of);
    memset(k->first_ref, 0xff, g->n_rules * sizeof *k->first_ref);
    for (uint32_t i = 0; i < g->n_rules; i++) k->body_of[g->rules[i].body] = i;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct sonde_syntax_node *x = &g->nodes[i];
        k->cost[i] = UINT64_MAX;
        k->missing[i] = x->n;
        k->sum[i] = 0;
        switch ((enum sonde_syntax_kind)x->kind) {
        case SONDE_SYNTAX_LITERAL:
        case SONDE_SYNTAX_CASELESS:
        case SONDE_SYNTAX_CLASS:
        case SONDE_SYNTAX_PROSE: push(k, i, own_cost(k, x)); break;
        case SONDE_SYNTAX_SEQUENCE:
        case SONDE_SYNTAX_CHOICE:
            for (uint32_t kid = 0; kid < x->n; kid++) k->parent[g->kids[x->first + kid]] = i;
            break;
        case SONDE_SYNTAX_REPEAT:
            k->parent[x->first] = i;
            if (!x->min) push(k, i, own_cost(k, x));
            break;
        case SONDE_SYNTAX_RULE:
            k->next_ref[i] = k->first_ref[x->first];
            k->first_ref[x->first] = i;
            if (g->rules[x->first].draw) push(k, i, UNIT + 1);
            break;
        }
    }
}

/* Tells the parent of a node, or the nodes that refer to its rule, that its cost is known. */
static void spread_cost(struct costs *k, struct known done)
{
    const struct sonde_syntax *g = k->g;
    uint32_t parent = k->parent[done.node], rule = k->body_of[done.node];
    if (rule != NONE)
        for (uint32_t ref = k->first_ref[rule]; ref != NONE; ref = k->next_ref[ref]) push(k, ref, done.cost + 1);
    if (parent == NONE) return;
    const struct sonde_syntax_node *x = &g->nodes[parent];
    if (x->kind == SONDE_SYNTAX_CHOICE) push(k, parent, done.cost + own_cost(k, x));
    if (x->kind == SONDE_SYNTAX_REPEAT) push(k, parent, times(done.cost, x->min) + own_cost(k, x));
    if (x->kind != SONDE_SYNTAX_SEQUENCE) return;
    k->sum[parent] += done.cost;
    if (k->sum[parent] > COST_MAX) k->sum[parent] = COST_MAX;
    if (--k->missing[parent] == 0) push(k, parent, k->sum[parent]);
}

/* Finds the cost of the cheapest derivation of each node: Knuth's generalisation of Dijkstra's algorithm (1977). */
static void find_costs(const struct sonde_syntax *g, bool of_draws, uint64_t *cost)
{
    size_t n = g->n_nodes;
    struct costs k = {.g = g,
                      .of_draws = of_draws,
                      .cost = cost,
                      .parent = sonde_malloc(n * sizeof *k.parent),
                      .body_of = sonde_malloc(n * sizeof *k.body_of),
                      .missing = sonde_malloc(n * sizeof *k.missing),
                      .sum = sonde_malloc(n * sizeof *k.sum),
                      .first_ref = sonde_malloc(g->n_rules * sizeof *k.first_ref),
                      .next_ref = sonde_malloc(n * sizeof *k.next_ref)};
    begin_costs(&k);
    while (k.n) {
        struct known done = pop(&k);
        if (cost[done.node] != UINT64_MAX) continue;
        cost[done.node] = done.cost;
        spread_cost(&k, done);
    }
    sonde_free(k.heap);
    sonde_free(k.parent);
    sonde_free(k.body_of);
    sonde_free(k.missing);
    sonde_free(k.sum);
    sonde_free(k.first_ref);
    sonde_free(k.next_ref);
}

/* ---- The order of alternatives */

struct alternative {
    uint64_t draws; /* the fewest that it needs; 0 if the rule is ordered */
    uint32_t at, node;
    unsigned weight;
    bool leads_back; /* it is not a leaf (find_leaves) */
};

static int by_draws(const void *a, const void *b)
{
    const struct alternative *x = a, *y = b;
    if (x->leads_back != y->leads_back) return x->leads_back - y->leads_back;
    if (x->draws != y->draws) return x->draws < y->draws ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Returns whether a node comes to its end if recursive parts do. `settled`: the recursive rules that it may need. */
static bool can_close(const struct sonde_syntax *g, uint32_t node, const bool *settled, const bool *closes)
{
    const struct sonde_syntax_node *x = &g->nodes[node];
    bool any = false, all = true;
    if (!x->is_recursive) return true;
    if (x->kind == SONDE_SYNTAX_RULE) return settled[x->first];
    if (x->kind == SONDE_SYNTAX_REPEAT) return x->min == 0 || closes[x->first];
    for (uint32_t i = 0; i < x->n; i++) {
        bool kid = closes[g->kids[x->first + i]];
        any |= kid;
        all &= kid;
    }
    return x->kind == SONDE_SYNTAX_CHOICE ? any : all;
}

/* Finds the leaves: alternatives that a rule which is nested too deep may take. All that they need is optional, or a
 * rule that settled in an earlier round. So no leaf needs its own rule. Returns a flag for each node. */
static bool *find_leaves(const struct sonde_syntax *g)
{
    enum { ROUNDS = 16 }; /* for a chain of rules that need each other; the rest take what is not recursive */
    bool *leaves = sonde_calloc((size_t)g->n_nodes + 1, sizeof *leaves);
    bool *closes = sonde_calloc((size_t)g->n_nodes + 1, sizeof *closes);
    bool *settled = sonde_calloc((size_t)g->n_rules + 1, sizeof *settled),
         *next = sonde_calloc((size_t)g->n_rules + 1, 1);
    bool has_changed = true;
    for (uint32_t i = 0; i < g->n_nodes; i++) leaves[i] = !g->nodes[i].is_recursive;
    for (int round = 0; round < ROUNDS && has_changed; round++) {
        has_changed = false;
        for (uint32_t i = 0; i < g->n_nodes; i++) closes[i] = can_close(g, i, settled, closes);
        for (uint32_t i = 0; i < g->n_rules; i++) next[i] = !settled[i] && closes[g->rules[i].body];
        for (uint32_t i = 0; i < g->n_nodes; i++) leaves[i] |= next[g->nodes[i].rule] && closes[i];
        for (uint32_t i = 0; i < g->n_rules; i++) {
            has_changed |= next[i];
            settled[i] |= next[i];
        }
    }
    sonde_free(closes);
    sonde_free(settled);
    sonde_free(next);
    return leaves;
}

/* Sorts the alternatives of a choice: leaves first, of these the fewest draws, as tapes are ordered, and of equal ones
 * what is written first. Notes which of them need the fewest draws. */
static void order_choice(struct sonde_syntax *g, struct sonde_syntax_node *x, unsigned *weights, const bool *leaves,
                         const uint64_t *draws)
{
    struct alternative *all = sonde_malloc(x->n * sizeof *all);
    bool is_ordered = g->rules[x->rule].is_ordered;
    uint32_t least = g->kids[x->first];
    for (uint32_t i = 1; i < x->n; i++)
        if (draws[g->kids[x->first + i]] < draws[least]) least = g->kids[x->first + i];
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t node = g->kids[x->first + i];
        all[i] = (struct alternative){is_ordered ? 0 : draws[node], i, node, weights ? weights[i] : 0,
                                      !leaves[node] && node != least};
    }
    qsort(all, x->n, sizeof *all, by_draws);
    x->n_least = x->n_leaves = x->least = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        g->kids[x->first + i] = all[i].node;
        if (weights) weights[i] = all[i].weight;
        x->n_leaves += !all[i].leads_back;
        if (all[i].node == least) x->least = i;
    }
    for (uint32_t i = x->least; i < x->n && draws[all[i].node] == draws[least]; i++) x->n_least++;
    sonde_free(all);
}

static void check_weights(struct sonde_build *b, const struct sonde_syntax_rule *rule, const char *name)
{
    struct sonde_syntax *g = b->g;
    const struct sonde_syntax_node *body = &g->nodes[rule->body];
    uint32_t n = body->kind == SONDE_SYNTAX_CHOICE ? body->n : 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rule->n_weights; i++) sum += g->weights[rule->weights + i];
    if (rule->n_weights != n)
        sonde_build_fail(b, rule->at, "the rule '%.60s' has %u weights for %u alternatives", name,
                         (unsigned)rule->n_weights, (unsigned)n);
    else if (!sum) sonde_build_fail(b, rule->at, "all weights of the rule '%.60s' are 0", name);
}

bool sonde_syntax_order(struct sonde_build *b)
{
    struct sonde_syntax *g = b->g;
    uint64_t *costs = sonde_malloc((size_t)g->n_nodes * sizeof *costs);
    find_costs(g, false, costs);
    for (uint32_t i = 0; i < g->n_nodes; i++) g->nodes[i].cost = costs[i];
    for (uint32_t i = 0; i < g->n_rules; i++) {
        struct sonde_syntax_rule *rule = &g->rules[i];
        if (g->nodes[rule->body].cost == UINT64_MAX && !rule->draw) {
            sonde_free(costs);
            return false;
        }
        if (rule->n_weights) check_weights(b, rule, sonde_syntax_name(g, i));
    }
    if (b->has_failed) {
        sonde_free(costs);
        return true;
    }
    find_costs(g, true, costs);
    bool *leaves = find_leaves(g);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct sonde_syntax_node *x = &g->nodes[i];
        const struct sonde_syntax_rule *rule = &g->rules[x->rule];
        bool is_weighted = rule->body == i && rule->n_weights;
        if (x->cost == UINT64_MAX) continue; /* in a rule that a C function draws */
        if (x->kind == SONDE_SYNTAX_CHOICE)
            order_choice(g, x, is_weighted ? g->weights + rule->weights : NULL, leaves, costs);
    }
    sonde_free(leaves);
    sonde_free(costs);
    uint64_t least = g->nodes[g->rules[g->start].body].cost / UNIT;
    if (least > LEAST_MAX && !g->rules[g->start].draw)
        sonde_build_fail(b, g->rules[g->start].at, "the shortest string of '%.60s' has more than %u characters",
                         sonde_syntax_name(g, g->start), (unsigned)LEAST_MAX);
    return true;
}

/* ---- Which rule leads to which */

/* The references of each rule: to[from[i]] .. to[from[i + 1] - 1]. */
struct refs {
    uint32_t *from, *to;
};

static struct refs collect_refs(const struct sonde_syntax *g)
{
    struct refs refs = {sonde_calloc((size_t)g->n_rules + 2, sizeof *refs.from), NULL};
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->nodes[i].kind == SONDE_SYNTAX_RULE) refs.from[g->nodes[i].rule + 2]++, n++;
    for (uint32_t i = 2; i < g->n_rules + 2; i++) refs.from[i] += refs.from[i - 1];
    refs.to = sonde_malloc(((size_t)n + 1) * sizeof *refs.to);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->nodes[i].kind == SONDE_SYNTAX_RULE) refs.to[refs.from[g->nodes[i].rule + 1]++] = g->nodes[i].first;
    return refs;
}

static void find_used(struct sonde_syntax *g, const struct refs *refs)
{
    uint32_t *todo = sonde_malloc(((size_t)g->n_rules + 1) * sizeof *todo), n = 0;
    todo[n++] = g->start;
    g->rules[g->start].is_used = true;
    while (n) {
        uint32_t rule = todo[--n];
        for (uint32_t i = refs->from[rule]; i < refs->from[rule + 1]; i++) {
            if (g->rules[refs->to[i]].is_used) continue;
            g->rules[refs->to[i]].is_used = true;
            todo[n++] = refs->to[i];
        }
    }
    sonde_free(todo);
}

/* Finds the groups of rules that lead to each other: Tarjan's algorithm (1972), with an explicit stack. */
struct groups {
    const struct refs *refs;
    uint32_t *number, *low, *group, *open, *path, *next;
    uint32_t n_numbers, n_open, n_path, n_groups;
};

static void enter_rule(struct groups *k, uint32_t rule)
{
    k->number[rule] = k->low[rule] = ++k->n_numbers;
    k->open[k->n_open++] = rule;
    k->next[rule] = k->refs->from[rule];
    k->path[k->n_path++] = rule;
}

static void leave_rule(struct groups *k, uint32_t rule)
{
    k->n_path--;
    if (k->n_path) {
        uint32_t before = k->path[k->n_path - 1];
        if (k->low[rule] < k->low[before]) k->low[before] = k->low[rule];
    }
    if (k->low[rule] != k->number[rule]) return;
    uint32_t member;
    do {
        member = k->open[--k->n_open];
        k->group[member] = k->n_groups;
    } while (member != rule);
    k->n_groups++;
}

static void find_groups(const struct sonde_syntax *g, struct groups *k)
{
    for (uint32_t root = 0; root < g->n_rules; root++) {
        if (k->number[root]) continue;
        enter_rule(k, root);
        while (k->n_path) {
            uint32_t rule = k->path[k->n_path - 1];
            /* A rule that a C function draws does not lead back into the grammar. */
            if (g->rules[rule].draw || k->next[rule] == k->refs->from[rule + 1]) {
                leave_rule(k, rule);
                continue;
            }
            uint32_t to = k->refs->to[k->next[rule]++];
            if (!k->number[to]) enter_rule(k, to);
            else if (k->group[to] == NONE && k->number[to] < k->low[rule]) k->low[rule] = k->number[to];
        }
    }
}

/* Marks the nodes that lead back to their rule; children come first. */
static void mark_recursive(struct sonde_syntax *g, const uint32_t *group)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct sonde_syntax_node *x = &g->nodes[i];
        struct sonde_syntax_rule *rule = &g->rules[x->rule];
        if (x->kind == SONDE_SYNTAX_RULE)
            x->is_recursive = group[x->first] == group[x->rule] && !rule->draw && !g->rules[x->first].draw;
        if (x->kind == SONDE_SYNTAX_REPEAT) x->is_recursive = g->nodes[x->first].is_recursive;
        if (x->kind == SONDE_SYNTAX_SEQUENCE || x->kind == SONDE_SYNTAX_CHOICE)
            for (uint32_t k = 0; k < x->n; k++) x->is_recursive |= g->nodes[g->kids[x->first + k]].is_recursive;
        if (x->is_recursive && rule->counter == NONE) rule->counter = g->n_counted++;
    }
}

void sonde_syntax_relate(struct sonde_syntax *g)
{
    struct refs refs = collect_refs(g);
    size_t n = (size_t)g->n_rules + 1;
    struct groups k = {.refs = &refs,
                       .number = sonde_calloc(n, sizeof *k.number),
                       .low = sonde_calloc(n, sizeof *k.low),
                       .group = sonde_malloc(n * sizeof *k.group),
                       .open = sonde_malloc(n * sizeof *k.open),
                       .path = sonde_malloc(n * sizeof *k.path),
                       .next = sonde_malloc(n * sizeof *k.next)};
    memset(k.group, 0xff, n * sizeof *k.group);
    find_used(g, &refs);
    find_groups(g, &k);
    mark_recursive(g, k.group);
    sonde_free(k.number);
    sonde_free(k.low);
    sonde_free(k.group);
    sonde_free(k.open);
    sonde_free(k.path);
    sonde_free(k.next);
    sonde_free(refs.from);
    sonde_free(refs.to);
}
