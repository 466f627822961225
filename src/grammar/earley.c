/* See earley.h. */
#include "grammar/earley.h"

#include "base/mem.h"

#include <string.h>

static const uint32_t NONE = SONDE_SYNTAX_NONE;
enum {
    ITEMS_MAX = 1 << 24, /* maximum number of items: half a gigabyte */
    STEPS_MAX = 1 << 27, /* maximum number of items that are tried: some seconds */
    BIT_OTHER = 255,     /* in a set of first characters: this one and all above */
    ROUNDS = 64          /* rounds until sets of first characters that still grow are taken as full */
};

/* ---- First characters */

static void add_first(struct sonde_grammar_firsts *f, uint32_t c)
{
    uint32_t bit = c < BIT_OTHER ? c : BIT_OTHER;
    f->bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool add_firsts(struct sonde_grammar_firsts *to, const struct sonde_grammar_firsts *from)
{
    bool has_grown = false;
    for (int i = 0; i < 4; i++) {
        has_grown |= (from->bits[i] & ~to->bits[i]) != 0;
        to->bits[i] |= from->bits[i];
    }
    return has_grown;
}

static bool may_be_empty(const struct sonde_syntax *g, uint32_t node)
{
    return g->nodes[node].cost >> 24 == 0;
}

static bool grow_firsts(const struct sonde_earley *p, uint32_t node)
{
    const struct sonde_syntax *g = p->g;
    const struct sonde_syntax_node *x = &g->nodes[node];
    struct sonde_grammar_firsts *to = &p->firsts[node];
    bool has_grown = false;
    switch ((enum sonde_syntax_kind)x->kind) {
    case SONDE_SYNTAX_RULE: return add_firsts(to, &p->firsts[g->rules[x->first].body]);
    case SONDE_SYNTAX_REPEAT: return add_firsts(to, &p->firsts[x->first]);
    case SONDE_SYNTAX_CHOICE:
        for (uint32_t i = 0; i < x->n; i++) has_grown |= add_firsts(to, &p->firsts[g->kids[x->first + i]]);
        return has_grown;
    case SONDE_SYNTAX_SEQUENCE:
        for (uint32_t i = 0; i < x->n; i++) {
            has_grown |= add_firsts(to, &p->firsts[g->kids[x->first + i]]);
            if (!may_be_empty(g, g->kids[x->first + i])) break;
        }
        return has_grown;
    default: return false;
    }
}

/* Sets the first characters of a node without children. */
static void begin_firsts(const struct sonde_earley *p, uint32_t node)
{
    const struct sonde_syntax *g = p->g;
    const struct sonde_syntax_node *x = &g->nodes[node];
    struct sonde_grammar_firsts *f = &p->firsts[node];
    uint32_t c;
    if (x->kind == SONDE_SYNTAX_CLASS) {
        memcpy(f->bits, g->classes[x->first].bits, sizeof f->bits);
        if (g->classes[x->first].n_rest) add_first(f, BIT_OTHER);
    } else if ((x->kind == SONDE_SYNTAX_LITERAL || x->kind == SONDE_SYNTAX_CASELESS) && x->n) {
        sonde_syntax_decode(g, g->bytes + x->first, x->n, &c);
        add_first(f, c);
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (x->kind == SONDE_SYNTAX_CASELESS && is_letter) add_first(f, c ^ 0x20);
    }
}

static void find_firsts(struct sonde_earley *p)
{
    uint32_t n = p->g->n_nodes, round = 0;
    bool has_grown = true;
    p->firsts = sonde_own_calloc(n, sizeof *p->firsts);
    for (uint32_t i = 0; i < n; i++) begin_firsts(p, i);
    for (; has_grown && round < ROUNDS; round++) {
        has_grown = false;
        for (uint32_t i = 0; i < n; i++) has_grown |= grow_firsts(p, i);
    }
    if (has_grown) memset(p->firsts, 0xff, n * sizeof *p->firsts); /* too long a chain: items are made needlessly */
}

/* ---- Items */

/* Returns whether a node may begin at a position, by the character there. */
static bool can_begin(const struct sonde_earley *p, uint32_t node, uint32_t at)
{
    uint32_t c;
    if (may_be_empty(p->g, node) || at == p->lax) return true;
    if (at >= p->n) return false;
    sonde_syntax_decode(p->g, p->string + at, p->n - at, &c);
    uint32_t bit = c < BIT_OTHER ? c : BIT_OTHER;
    return p->firsts[node].bits[bit / 64] >> bit % 64 & 1;
}

/* Returns whether what a SEQUENCE still needs from child `dot` on may begin at a position. */
static bool can_continue(const struct sonde_earley *p, const struct sonde_syntax_node *x, uint32_t dot, uint32_t at)
{
    if (x->kind != SONDE_SYNTAX_SEQUENCE || at == p->lax) return true;
    for (; dot < x->n; dot++) {
        uint32_t kid = sonde_syntax_resolve(p->g, p->g->kids[x->first + dot]);
        if (!can_begin(p, kid, at)) return false;
        if (!may_be_empty(p->g, kid)) return true;
        uint32_t c;
        if (at >= p->n) continue;
        sonde_syntax_decode(p->g, p->string + at, p->n - at, &c);
        uint32_t bit = c < BIT_OTHER ? c : BIT_OTHER;
        if (p->firsts[kid].bits[bit / 64] >> bit % 64 & 1) return true;
    }
    return true;
}

static void add_item(struct sonde_earley *p, struct sonde_item item)
{
    if (p->n_items >= ITEMS_MAX) {
        p->is_full = true;
        return;
    }
    p->items = sonde_own_grow(p->items, &p->cap_items, (size_t)p->n_items + 1, sizeof *p->items);
    item.next = p->sets[item.at];
    p->items[p->n_items] = item;
    p->sets[item.at] = p->n_items++;
}

/* Makes the item that continues `prev` by a child. */
static void advance(struct sonde_earley *p, uint32_t prev, uint32_t dot, uint32_t child, uint32_t at)
{
    struct sonde_item item = p->items[prev];
    const struct sonde_syntax_node *x = &p->g->nodes[item.node];
    if (++p->n_steps > STEPS_MAX) p->is_full = true;
    if (at > p->furthest) p->furthest = at;
    if (!can_continue(p, x, dot, at)) return;
    item.dot = dot;
    item.prev = prev;
    item.child = child;
    item.at = at;
    add_item(p, item);
}

static void grow_known(struct sonde_earley *p)
{
    struct sonde_item_slot *old = p->known;
    uint32_t n = p->cap_known;
    p->cap_known = n ? 2 * n : 1024;
    p->known = sonde_own_calloc(p->cap_known, sizeof *p->known);
    for (uint32_t i = 0; i < n; i++) {
        if (!old[i].at) continue;
        const struct sonde_item *x = &p->items[old[i].item];
        uint64_t hash = ((uint64_t)x->node << 40 ^ (uint64_t)x->dot << 20 ^ x->begun) * UINT64_C(0x9e3779b97f4a7c15);
        uint32_t slot = (uint32_t)(hash >> 32) & (p->cap_known - 1);
        while (p->known[slot].at) slot = (slot + 1) & (p->cap_known - 1);
        p->known[slot] = old[i];
    }
    sonde_free(old);
}

/* Returns whether the set has an item like this one already, and adds it. */
static bool is_known(struct sonde_earley *p, uint32_t item)
{
    const struct sonde_item *x = &p->items[item];
    uint64_t hash = ((uint64_t)x->node << 40 ^ (uint64_t)x->dot << 20 ^ x->begun) * UINT64_C(0x9e3779b97f4a7c15);
    if (2 * p->n_known >= p->cap_known) grow_known(p);
    uint32_t slot = (uint32_t)(hash >> 32) & (p->cap_known - 1);
    for (; p->known[slot].at == x->at + 1; slot = (slot + 1) & (p->cap_known - 1)) {
        const struct sonde_item *y = &p->items[p->known[slot].item];
        if (y->node == x->node && y->dot == x->dot && y->begun == x->begun) return true;
    }
    p->known[slot] = (struct sonde_item_slot){x->at + 1, item};
    p->n_known++;
    return false;
}

/* Returns the number of bytes that a LITERAL, CASELESS or CLASS has at a position; NONE if it does not match. */
uint32_t sonde_earley_match(const struct sonde_earley *p, const struct sonde_syntax_node *x, uint32_t at)
{
    const struct sonde_syntax *g = p->g;
    const char *text = p->string + at, *want = g->bytes + x->first;
    uint32_t left = p->n - at, c;
    if (x->kind == SONDE_SYNTAX_CLASS) {
        if (!left) return NONE;
        uint32_t n = sonde_syntax_decode(g, text, left, &c);
        return sonde_syntax_has(g, &g->classes[x->first], c) ? n : NONE;
    }
    if (x->kind == SONDE_SYNTAX_PROSE || x->n > left) return NONE;
    for (uint32_t i = 0; i < x->n; i++) {
        unsigned char other = (unsigned char)(text[i] ^ want[i]), letter = (unsigned char)(want[i] | 0x20);
        bool may_differ = x->kind == SONDE_SYNTAX_CASELESS && letter >= 'a' && letter <= 'z';
        if (other && !(may_differ && other == 0x20)) return NONE;
    }
    return x->n;
}

/* ---- Expected characters */

void sonde_earley_expect(struct sonde_earley *p, const struct sonde_syntax_node *x, uint32_t node)
{
    char word[64], *all = p->out->expected;
    size_t used = strlen(all);
    if (x->kind == SONDE_SYNTAX_CLASS || x->kind == SONDE_SYNTAX_PROSE) {
        bool is_rule = p->g->rules[x->rule].body == node;
        snprintf(word, sizeof word, "%s%.40s", is_rule ? "" : "a character of ", sonde_syntax_name(p->g, x->rule));
    } else {
        uint32_t n = x->n < 20 ? x->n : 20;
        snprintf(word, sizeof word, "\"%.*s\"", (int)n, p->g->bytes + x->first);
        for (char *c = word; *c; c++)
            if ((unsigned char)*c < ' ' || (unsigned char)*c == 0x7f) *c = '?';
    }
    if (used + strlen(word) + 8 >= sizeof p->out->expected) {
        if (used + 8 < sizeof p->out->expected && !strstr(all, ", ...")) strcpy(all + used, ", ...");
        return;
    }
    const char *found = strstr(all, word);
    if (found && (found == all || found[-1] == ' ')) return;
    snprintf(all + used, sizeof p->out->expected - used, "%s%s", used ? ", " : "", word);
}

/* ---- The algorithm */

/* Returns the prediction of a node at a position, and makes it if there is none. */
static uint32_t predict(struct sonde_earley *p, uint32_t node, uint32_t at)
{
    uint32_t last = p->predicted[node];
    if (last && p->begun[last - 1].at == at) return last - 1;
    p->begun = sonde_own_grow(p->begun, &p->cap_begun, (size_t)p->n_begun + 1, sizeof *p->begun);
    p->begun[p->n_begun] = (struct sonde_begun){node, at, NONE, NONE};
    p->predicted[node] = ++p->n_begun;
    add_item(p, (struct sonde_item){.node = node, .begun = p->n_begun - 1, .prev = NONE, .child = NONE, .at = at});
    return p->n_begun - 1;
}

/* An item needs a node at its position, to come to `dot`. */
static void need(struct sonde_earley *p, uint32_t item, uint32_t kid, uint32_t dot)
{
    uint32_t at = p->items[item].at, node = sonde_syntax_resolve(p->g, kid);
    const struct sonde_syntax_node *x = &p->g->nodes[node];
    if (sonde_earley_is_leaf(x)) {
        uint32_t n = sonde_earley_match(p, x, at);
        if (at == p->lax) sonde_earley_expect(p, x, node);
        if (n != NONE) advance(p, item, dot, SONDE_ITEM_LEAF, at + n);
        return;
    }
    if (!can_begin(p, node, at)) return;
    uint32_t begun = predict(p, node, at);
    p->waits = sonde_own_grow(p->waits, &p->cap_waits, (size_t)p->n_waits + 1, sizeof *p->waits);
    p->waits[p->n_waits] = (struct sonde_wait){item, dot, p->begun[begun].waiting};
    if (p->begun[begun].by == NONE) p->begun[begun].by = p->n_waits;
    p->begun[begun].waiting = p->n_waits++;
    if (may_be_empty(p->g, node)) advance(p, item, dot, SONDE_ITEM_EMPTY, at);
}

/* A node is done: what waits for it continues. */
static void complete(struct sonde_earley *p, uint32_t item)
{
    uint32_t begun = p->items[item].begun, at = p->items[item].at;
    if (begun == 0 && at == p->n) p->whole = item;
    if (p->begun[begun].at == at) return; /* empty nodes were passed when they were needed */
    for (uint32_t w = p->begun[begun].waiting; w != NONE && !p->is_full; w = p->waits[w].next)
        advance(p, p->waits[w].item, p->waits[w].dot, item, at);
}

static void work(struct sonde_earley *p, uint32_t item)
{
    const struct sonde_item x = p->items[item];
    const struct sonde_syntax_node *node = &p->g->nodes[x.node];
    switch ((enum sonde_syntax_kind)node->kind) {
    case SONDE_SYNTAX_SEQUENCE:
        if (x.dot == node->n) complete(p, item);
        else need(p, item, p->g->kids[node->first + x.dot], x.dot + 1);
        return;
    case SONDE_SYNTAX_CHOICE:
        if (x.dot) complete(p, item);
        for (uint32_t i = 0; !x.dot && i < node->n; i++) need(p, item, p->g->kids[node->first + i], i + 1);
        return;
    case SONDE_SYNTAX_REPEAT: {
        /* Without a maximum, only whether the minimum is reached matters. */
        uint32_t dot = node->max == NONE && x.dot >= node->min ? x.dot : x.dot + 1;
        if (x.dot >= node->min) complete(p, item);
        if (x.dot < node->max) need(p, item, node->first, dot);
        return;
    }
    default: /* a RULE that a C function draws */
        if (x.dot) complete(p, item);
        else need(p, item, p->g->rules[node->first].body, 1);
        return;
    }
}

void sonde_earley_run(struct sonde_earley *p, uint32_t start)
{
    p->n_items = p->n_begun = p->n_waits = p->n_known = 0;
    p->furthest = p->n_steps = 0;
    p->whole = NONE;
    p->is_full = false;
    memset(p->sets, 0xff, ((size_t)p->n + 1) * sizeof *p->sets);
    if (p->g->n_nodes) memset(p->predicted, 0, p->g->n_nodes * sizeof *p->predicted);
    if (p->cap_known) memset(p->known, 0, p->cap_known * sizeof *p->known);
    predict(p, start, 0);
    for (uint32_t at = 0; at <= p->n; at++) {
        p->n_known = 0; /* entries of other positions count as free */
        while (p->sets[at] != NONE && !p->is_full) {
            uint32_t item = p->sets[at];
            p->sets[at] = p->items[item].next;
            if (!is_known(p, item)) work(p, item);
        }
    }
}

void sonde_earley_begin(struct sonde_earley *p)
{
    find_firsts(p);
    p->sets = sonde_own_malloc(((size_t)p->n + 1) * sizeof *p->sets);
    p->predicted = sonde_own_calloc(p->g->n_nodes, sizeof *p->predicted);
}

void sonde_earley_end(struct sonde_earley *p)
{
    sonde_free(p->firsts);
    sonde_free(p->items);
    sonde_free(p->begun);
    sonde_free(p->waits);
    sonde_free(p->sets);
    sonde_free(p->predicted);
    sonde_free(p->known);
}
