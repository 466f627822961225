/* See parse.h. A walk from the last item of Earley's algorithm (earley.h) to the first makes the decisions. */
#include "grammar/parse.h"

#include "base/mem.h"
#include "grammar/earley.h"

static const uint32_t NONE = SONDE_SYNTAX_NONE;

/* ---- The derivation */

static void decide(struct sonde_earley *p, uint32_t decision)
{
    struct sonde_aim_derivation *out = p->out;
    out->decisions = sonde_grow(out->decisions, &out->cap, (size_t)out->n + 1, sizeof *out->decisions);
    out->decisions[out->n++] = decision;
}

/* Something that is yet to be derived: an item that is done, or a node that is empty. */
struct todo {
    uint32_t item, node; /* item NONE: the node, which is empty */
};

struct todos {
    struct todo *all;
    uint32_t n, cap;
};

static void add_todo(struct todos *todos, struct todo todo)
{
    todos->all = sonde_own_grow(todos->all, &todos->cap, (size_t)todos->n + 1, sizeof *todos->all);
    todos->all[todos->n++] = todo;
}

/* Returns the node of the child by which an item continued the one before it. */
static uint32_t child_node(const struct sonde_earley *p, const struct sonde_item *x)
{
    const struct sonde_syntax_node *node = &p->g->nodes[x->node];
    uint32_t kid = node->kind == SONDE_SYNTAX_REPEAT ? node->first
                   : node->kind == SONDE_SYNTAX_RULE ? p->g->rules[node->first].body
                                                     : p->g->kids[node->first + x->dot - 1];
    return sonde_syntax_resolve(p->g, kid);
}

/* Adds the children of an item, the last one first, so that the first is derived first. Returns their number. */
static uint32_t add_children(struct sonde_earley *p, struct todos *todos, uint32_t item, bool only_counts)
{
    uint32_t n = 0;
    for (uint32_t i = item; p->items[i].prev != NONE; i = p->items[i].prev, n++) {
        const struct sonde_item *x = &p->items[i];
        if (only_counts || x->child == SONDE_ITEM_LEAF) continue;
        if (x->child == SONDE_ITEM_EMPTY) add_todo(todos, (struct todo){NONE, child_node(p, x)});
        else add_todo(todos, (struct todo){x->child, NONE});
    }
    return n;
}

/* Decides for an item, which may be yet to get its last child (`open` 1). */
static void decide_item(struct sonde_earley *p, uint32_t item, uint32_t open, uint32_t alternative)
{
    const struct sonde_item *x = &p->items[item];
    const struct sonde_syntax_node *node = &p->g->nodes[x->node];
    if (node->kind == SONDE_SYNTAX_CHOICE) decide(p, open ? alternative : x->dot - 1);
    if (node->kind == SONDE_SYNTAX_RULE) decide(p, x->at - p->begun[x->begun].at);
    if (node->kind != SONDE_SYNTAX_REPEAT || node->is_rest) return;
    struct todos none = {.n = 0};
    decide(p, add_children(p, &none, item, true) + open);
}

/* Decides the number of repetitions in a series, which is drawn first. `rest`: the item of the repetition, if it is
 * open; NONE. */
static void decide_series(struct sonde_earley *p, uint32_t item, uint32_t rest)
{
    const struct sonde_item *x = &p->items[item];
    const struct sonde_syntax_node *node = &p->g->nodes[x->node];
    struct todos none = {.n = 0};
    if (node->kind != SONDE_SYNTAX_SEQUENCE || !node->is_series) return;
    uint32_t done = x->dot < 2 || x->child >= SONDE_ITEM_EMPTY ? NONE : x->child;
    if (rest != NONE) decide(p, add_children(p, &none, rest, true) + 1);
    else if (done != NONE) decide(p, add_children(p, &none, done, true));
    else decide(p, p->g->nodes[p->g->kids[node->first + 1]].min);
}

/* Decides an empty derivation of a node: the first alternative that may be empty, the fewest repetitions. */
static void decide_empty(struct sonde_earley *p, struct todos *todos, uint32_t node)
{
    const struct sonde_syntax *g = p->g;
    const struct sonde_syntax_node *x = &g->nodes[node];
    if (x->kind == SONDE_SYNTAX_CHOICE) {
        uint32_t i = 0;
        while (i + 1 < x->n && g->nodes[g->kids[x->first + i]].cost >> 24) i++; /* not empty */
        decide(p, i);
        add_todo(todos, (struct todo){NONE, sonde_syntax_resolve(g, g->kids[x->first + i])});
    } else if (x->kind == SONDE_SYNTAX_REPEAT) {
        if (!x->is_rest) decide(p, x->min);
        for (uint32_t i = 0; i < x->min; i++) add_todo(todos, (struct todo){NONE, sonde_syntax_resolve(g, x->first)});
    } else if (x->kind == SONDE_SYNTAX_SEQUENCE) {
        if (x->is_series) decide(p, g->nodes[g->kids[x->first + 1]].min);
        for (uint32_t i = x->n; i-- > 0;)
            add_todo(todos, (struct todo){NONE, sonde_syntax_resolve(g, g->kids[x->first + i])});
    } else if (x->kind == SONDE_SYNTAX_RULE) decide(p, 0);
}

/* Derives what is in `todos`, the last one first. */
static void derive(struct sonde_earley *p, struct todos *todos)
{
    while (todos->n) {
        struct todo todo = todos->all[--todos->n];
        if (todo.item == NONE) {
            decide_empty(p, todos, todo.node);
            continue;
        }
        const struct sonde_syntax_node *node = &p->g->nodes[p->items[todo.item].node];
        decide_item(p, todo.item, 0, 0);
        decide_series(p, todo.item, NONE);
        if (node->kind != SONDE_SYNTAX_RULE && !node->is_blob) add_children(p, todos, todo.item, false);
    }
}

/* Derives the beginning of a file: `item` is the furthest. The items around it are open. */
static void derive_part(struct sonde_earley *p, uint32_t item)
{
    struct todos path = {.n = 0}, todos = {.n = 0};
    uint32_t dot = 0;
    /* `node` is the alternative or child that the item waits for. */
    for (uint32_t i = item;;) {
        add_todo(&path, (struct todo){i, dot});
        if (p->items[i].begun == 0) break; /* the start rule; a left-recursive one waits for itself */
        uint32_t by = p->begun[p->items[i].begun].by;
        dot = p->waits[by].dot;
        i = p->waits[by].item;
    }
    while (path.n) {
        struct todo step = path.all[--path.n];
        const struct sonde_item *x = &p->items[step.item];
        const struct sonde_syntax_node *node = &p->g->nodes[x->node];
        bool is_last = path.n == 0;
        if (node->kind == SONDE_SYNTAX_RULE) break; /* what a C function draws is not derived further */
        if (node->kind == SONDE_SYNTAX_CHOICE && is_last && !x->dot) break; /* which alternative is open */
        if (node->kind == SONDE_SYNTAX_CHOICE && is_last) decide(p, x->dot - 1);
        else decide_item(p, step.item, 1, step.node - 1);
        bool has_rest = !is_last && p->g->nodes[p->items[path.all[path.n - 1].item].node].is_rest;
        decide_series(p, step.item, has_rest ? path.all[path.n - 1].item : NONE);
        if (node->is_blob) break;
        add_children(p, &todos, step.item, false);
        derive(p, &todos);
    }
    sonde_free(path.all);
    sonde_free(todos.all);
}

/* ---- The whole */

/* Collects what might follow where the file stops to parse, and derives it up to there. */
static void explain(struct sonde_earley *p, uint32_t start)
{
    uint32_t n = p->n, last = NONE;
    if (!p->is_full) {
        p->n = p->lax = p->furthest;
        sonde_earley_run(p, start);
        p->lax = NONE;
    }
    for (uint32_t i = p->n_items; i-- > 0;)
        if (p->items[i].at == p->furthest && p->items[i].child != NONE) last = i;
    p->out->parsed = p->furthest;
    if (p->is_full)
        snprintf(p->out->expected, sizeof p->out->expected, "nothing more: there are too many ways to parse this file");
    if (last != NONE && p->furthest) derive_part(p, last);
    p->n = n;
}

void sonde_grammar_parse(struct sonde_aim *aim)
{
    const struct sonde_syntax *g = aim->grammar;
    struct sonde_aim_derivation *out = &aim->derivation;
    struct sonde_earley p = {.g = g, .out = out, .string = aim->text, .n = aim->n, .lax = NONE};
    uint32_t start = sonde_syntax_resolve(g, g->rules[g->start].body);
    *out = (struct sonde_aim_derivation){.decisions = out->decisions,
                                         .cap = out->cap,
                                         .is_parsed = true,
                                         .has_drawn = g->has_drawn};
    if (g->rules[g->start].draw || sonde_earley_is_leaf(&g->nodes[start])) {
        /* There is nothing to decide. */
        uint32_t length = g->rules[g->start].draw ? p.n : sonde_earley_match(&p, &g->nodes[start], 0);
        out->is_whole = length == p.n;
        out->parsed = length == NONE ? 0 : length;
        if (!out->is_whole) sonde_earley_expect(&p, &g->nodes[start], start);
        return;
    }
    sonde_earley_begin(&p);
    sonde_earley_run(&p, start);
    if (p.whole == NONE && p.n && p.string[p.n - 1] == '\n' && p.furthest >= p.n - 1) {
        p.n--; /* editors end every file with a line feed */
        sonde_earley_run(&p, start);
        if (p.whole == NONE) p.n++, sonde_earley_run(&p, start);
    }
    out->is_whole = p.whole != NONE;
    out->parsed = p.n;
    if (out->is_whole) {
        struct todos todos = {.n = 0};
        add_todo(&todos, (struct todo){p.whole, NONE});
        derive(&p, &todos);
        sonde_free(todos.all);
    } else explain(&p, start);
    sonde_earley_end(&p);
}
