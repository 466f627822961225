/* Names for the draws of a grammar: labels of choices, lists and strings. See order.h. */
#include "grammar/order.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static const uint32_t NONE = SONDE_SYNTAX_NONE;

/* Returns the name of the first rule that a node refers to, looking only at first children; NULL if there is none. */
static const char *leading_rule(const struct sonde_syntax *g, uint32_t node)
{
    for (;;) {
        const struct sonde_syntax_node *x = &g->nodes[node];
        if (x->kind == SONDE_SYNTAX_RULE) return sonde_syntax_name(g, x->first);
        if (x->kind == SONDE_SYNTAX_REPEAT) node = x->first;
        else if (x->kind == SONDE_SYNTAX_SEQUENCE) {
            uint32_t kid = 0; /* literals have no name */
            while (kid + 1 < x->n && g->nodes[g->kids[x->first + kid]].kind < SONDE_SYNTAX_CLASS) kid++;
            node = g->kids[x->first + kid];
        } else return NULL;
    }
}

/* Writes a name for a list of `name`. No rule has it, because spans of one label may replace each other. */
static const char *list_name(const struct sonde_syntax *g, const char *name, char out[300])
{
    static const char *const ends[] = {"s", "_list", "_items", "_repeated"};
    if (!name) return "repeat";
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(out, 300, "%.250s%s", name, ends[i]);
        if (sonde_syntax_find(g, out, strlen(out)) == NONE) break;
    }
    return out;
}

/* Adds a label, which gets a number if the rule has that label already. */
static uint32_t add_label(struct sonde_syntax *g, struct sonde_map *known, uint32_t rule, const char *before,
                          const char *name)
{
    char text[300];
    uint64_t key = sonde_hash_text(sonde_hash_text(rule, before), name);
    uint32_t count = ++*sonde_map_at(known, key);
    int n = snprintf(text, count > 1 ? sizeof text - 16 : sizeof text, "%s%.250s", before, name);
    if (count > 1) n += snprintf(text + n, sizeof text - (size_t)n, "%u", (unsigned)count);
    g->names = sonde_grow(g->names, &g->cap_names, (size_t)g->n_names + (size_t)n + 1, 1);
    memcpy(g->names + g->n_names, text, (size_t)n + 1);
    g->n_names += (uint32_t)n + 1;
    return g->n_names - (uint32_t)n - 1;
}

static bool is_blob(const struct sonde_syntax *g, const struct sonde_syntax_node *x)
{
    const struct sonde_syntax_node *kid = &g->nodes[sonde_syntax_resolve(g, x->first)];
    if (x->kind != SONDE_SYNTAX_REPEAT || kid->kind != SONDE_SYNTAX_CLASS || x->max == 1 || x->min == x->max)
        return false;
    const struct sonde_syntax_class *class = &g->classes[kid->first];
    return !class->n_rest && !(class->bits[0] & 1) && !class->bits[2] && !class->bits[3];
}

/* Returns whether a choice is among literals: a single draw. */
static bool is_word(const struct sonde_syntax *g, const struct sonde_syntax_node *x)
{
    if (x->kind != SONDE_SYNTAX_CHOICE) return false;
    for (uint32_t i = 0; i < x->n; i++)
        if (g->nodes[g->kids[x->first + i]].kind != SONDE_SYNTAX_LITERAL) return false;
    return true;
}

/* Returns whether a node is a series that may have a single element. */
static bool is_optional_series(const struct sonde_syntax *g, uint32_t node)
{
    const struct sonde_syntax_node *x = &g->nodes[node];
    return x->is_series && x->kind == SONDE_SYNTAX_SEQUENCE && g->nodes[g->kids[x->first + 1]].min == 0;
}

static void label_node(struct sonde_syntax *g, struct sonde_map *known, uint32_t node)
{
    struct sonde_syntax_node *x = &g->nodes[node];
    bool is_body = g->rules[x->rule].body == node;
    const char *name = is_body ? sonde_syntax_name(g, x->rule) : leading_rule(g, node), *before = "";
    char copy[300], list[300];
    switch ((enum sonde_syntax_kind)x->kind) {
    case SONDE_SYNTAX_CASELESS: name = "case"; break;
    case SONDE_SYNTAX_CLASS: name = is_body ? name : "char"; break;
    case SONDE_SYNTAX_CHOICE: name = is_body && is_word(g, x) ? name : "alternative"; break;
    case SONDE_SYNTAX_SEQUENCE:
        if (!x->is_series) return;
        name = list_name(g, leading_rule(g, g->kids[x->first]), list);
        break;
    case SONDE_SYNTAX_REPEAT:
        if (x->is_rest) return; /* the series draws its length */
        x->is_series = x->min == 0 && x->max == 1 && is_optional_series(g, x->first);
        if (x->is_series) {
            x->label = g->nodes[x->first].label;
            return;
        }
        x->is_blob = is_blob(g, x);
        if (!x->is_blob) name = leading_rule(g, node);
        if (x->min == 0 && x->max == 1) before = name ? "has_" : "has";
        else if (!x->is_blob) name = list_name(g, name, list);
        else if (!name) name = "text";
        break;
    default: return;
    }
    snprintf(copy, sizeof copy, "%.299s", name ? name : ""); /* add_label may move names */
    g->nodes[node].label = add_label(g, known, x->rule, before, copy);
}

void sonde_syntax_label(struct sonde_syntax *g)
{
    struct sonde_map known = {.n = 0};
    for (uint32_t i = 0; i < g->n_nodes; i++) label_node(g, &known, i);
    sonde_map_clear(&known);
    for (uint32_t i = 0; i < g->n_rules; i++) {
        const struct sonde_syntax_node *body = &g->nodes[g->rules[i].body];
        g->rules[i].is_span = g->rules[i].draw || body->kind > SONDE_SYNTAX_CLASS;
        if ((body->is_blob || is_word(g, body)) && !g->rules[i].draw) g->rules[i].is_span = false;
    }
}
