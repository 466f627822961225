/* Inputs of the workloads: their memory, the naive generator of trees, lists, and inputs as text. */
#include "etna/etna.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 1 << 13, DEEPEST = 5, TOP = 31 };

/* ---- Memory. Types and terms that do not fit are dropped, and etna_is_full reports it. */

static struct etna_tree trees[NODES];
static struct etna_type types[NODES];
static struct etna_term terms[NODES];
static unsigned n_trees, n_types, n_terms;

void etna_reset(void)
{
    n_trees = n_types = n_terms = 0;
}

bool etna_is_full(void)
{
    return n_trees == NODES || n_types == NODES || n_terms == NODES;
}

const struct etna_tree *etna_node(bool is_red, const struct etna_tree *left, int key, bool value,
                                  const struct etna_tree *right)
{
    if (n_trees == NODES) abort(); /* no operation on trees of five levels needs so many */
    trees[n_trees] = (struct etna_tree){is_red, left, key, value, right};
    return &trees[n_trees++];
}

const struct etna_type *etna_function(const struct etna_type *from, const struct etna_type *to)
{
    static const struct etna_type boolean;
    if (n_types == NODES) return &boolean;
    types[n_types] = (struct etna_type){from, to};
    return &types[n_types++];
}

const struct etna_term *etna_term(struct etna_term term)
{
    static const struct etna_term some = {.kind = ETNA_BOOL};
    if (n_terms == NODES) return &some;
    terms[n_terms] = term;
    return &terms[n_terms++];
}

/* ---- Lists */

void etna_to_list(const struct etna_tree *tree, struct etna_list *list)
{
    if (!tree) return;
    etna_to_list(tree->left, list);
    if (list->n == ETNA_ENTRIES) abort();
    list->at[list->n].key = tree->key;
    list->at[list->n++].value = tree->value;
    etna_to_list(tree->right, list);
}

bool etna_same_list(const struct etna_list *a, const struct etna_list *b)
{
    if (a->n != b->n) return false;
    for (unsigned i = 0; i < a->n; i++)
        if (a->at[i].key != b->at[i].key || a->at[i].value != b->at[i].value) return false;
    return true;
}

bool etna_alike(const struct etna_tree *a, const struct etna_tree *b)
{
    static struct etna_list first, second;
    first.n = second.n = 0;
    etna_to_list(a, &first);
    etna_to_list(b, &second);
    return etna_same_list(&first, &second);
}

int etna_find(const struct etna_tree *tree, int key)
{
    while (tree && tree->key != key) tree = key < tree->key ? tree->left : tree->right;
    return tree ? tree->value : -1;
}

static void list_without(struct etna_list *list, int key)
{
    unsigned n = 0;
    for (unsigned i = 0; i < list->n; i++)
        if (list->at[i].key != key) list->at[n++] = list->at[i];
    list->n = n;
}

void etna_list_add(struct etna_list *list, int key, bool value)
{
    unsigned i = list->n++;
    if (i == ETNA_ENTRIES) abort();
    for (; i > 0 && list->at[i - 1].key > key; i--) list->at[i] = list->at[i - 1];
    list->at[i].key = key;
    list->at[i].value = value;
}

bool etna_is_with(const struct etna_tree *got, const struct etna_tree *tree, int key, bool value)
{
    static struct etna_list has, wants;
    has.n = wants.n = 0;
    etna_to_list(got, &has);
    etna_to_list(tree, &wants);
    list_without(&wants, key);
    etna_list_add(&wants, key, value);
    return etna_same_list(&has, &wants);
}

bool etna_is_without(const struct etna_tree *got, const struct etna_tree *tree, int key)
{
    static struct etna_list has, wants;
    has.n = wants.n = 0;
    etna_to_list(got, &has);
    etna_to_list(tree, &wants);
    list_without(&wants, key);
    return etna_same_list(&has, &wants);
}

static bool is_within(const struct etna_tree *t, const int *low, const int *high)
{
    if (!t) return true;
    if ((low && t->key <= *low) || (high && t->key >= *high)) return false;
    return is_within(t->left, low, &t->key) && is_within(t->right, &t->key, high);
}

bool etna_is_search_tree(const struct etna_tree *tree)
{
    return is_within(tree, NULL, NULL);
}

/* ---- The naive generator: a tree is empty or a node, evenly, with any key */

static const struct etna_tree *draw_tree(sonde *t, int depth, bool has_colours)
{
    sonde_span(t, "tree");
    if (depth == DEEPEST || !sonde_bool(t, "node")) return NULL;
    bool is_red = has_colours && sonde_bool(t, "red");
    const struct etna_tree *left = draw_tree(t, depth + 1, has_colours);
    int key = sonde_int(t, "key", 0, TOP);
    bool value = sonde_bool(t, "value");
    return etna_node(is_red, left, key, value, draw_tree(t, depth + 1, has_colours));
}

void etna_draw_trees(sonde *t, const struct etna_property *property, bool has_colours, struct etna_input *in)
{
    for (unsigned i = 0; i < property->trees; i++) in->trees[i] = draw_tree(t, 0, has_colours);
    for (unsigned i = 0; i < property->keys; i++) in->keys[i] = sonde_int(t, "key", 0, TOP);
    for (unsigned i = 0; i < property->values; i++) in->values[i] = sonde_bool(t, "value");
}

/* ---- As text. A reader that meets something else sets `at` to NULL. */

static bool takes(const char **at, const char *word)
{
    if (!*at) return false;
    while (**at == ' ') ++*at;
    size_t n = strlen(word);
    bool is_there = strncmp(*at, word, n) == 0;
    if (is_there) *at += n;
    return is_there;
}

static void expect(const char **at, const char *word)
{
    if (!takes(at, word)) *at = NULL;
}

static int read_number(const char **at)
{
    char *rest = NULL;
    long n = *at ? strtol(*at, &rest, 10) : 0;
    *at = rest == *at ? NULL : rest;
    return (int)n;
}

static const struct etna_tree *read_tree(const char **at, bool has_colours)
{
    if (takes(at, "E")) return NULL;
    expect(at, "(T");
    bool is_red = has_colours && takes(at, "R");
    if (has_colours && !is_red) expect(at, "B");
    if (!*at) return NULL;
    const struct etna_tree *left = read_tree(at, has_colours);
    int key = read_number(at);
    bool value = read_number(at) != 0;
    const struct etna_tree *right = *at ? read_tree(at, has_colours) : NULL;
    expect(at, ")");
    return etna_node(is_red, left, key, value, right);
}

static const struct etna_type *read_type(const char **at)
{
    static const struct etna_type boolean;
    if (takes(at, "Bool")) return &boolean;
    expect(at, "(");
    if (!*at) return &boolean;
    const struct etna_type *from = read_type(at);
    expect(at, "->");
    const struct etna_type *to = *at ? read_type(at) : &boolean;
    expect(at, ")");
    return etna_function(from, to);
}

static const struct etna_term *read_term(const char **at)
{
    struct etna_term e = {.kind = ETNA_BOOL, .n = 1};
    if (takes(at, "true")) return etna_term(e);
    e.n = 0;
    if (takes(at, "false")) return etna_term(e);
    if (takes(at, "x")) return etna_term((struct etna_term){.kind = ETNA_VAR, .n = read_number(at)});
    expect(at, "(");
    if (!*at) return etna_term(e);
    e.kind = takes(at, "\\") ? ETNA_ABS : ETNA_APP;
    if (e.kind == ETNA_ABS) e.type = read_type(at);
    e.body = *at ? read_term(at) : NULL;
    if (e.kind == ETNA_APP) e.operand = *at ? read_term(at) : NULL;
    expect(at, ")");
    return etna_term(e);
}

bool etna_read(const char *text, const struct etna_workload *w, const struct etna_property *p, struct etna_input *in)
{
    const char *at = text;
    *in = (struct etna_input){0};
    if (w == &etna_stlc) in->term = read_term(&at);
    for (unsigned i = 0; at && i < p->trees; i++) in->trees[i] = read_tree(&at, w == &etna_rbt);
    for (unsigned i = 0; at && i < p->keys; i++) in->keys[i] = read_number(&at);
    for (unsigned i = 0; at && i < p->values; i++) in->values[i] = read_number(&at) != 0;
    return at && at[strspn(at, " \n")] == '\0';
}

static void print_tree(FILE *out, const struct etna_tree *t, bool has_colours)
{
    if (!t) {
        fputs("E", out);
        return;
    }
    fprintf(out, "(T %s", !has_colours ? "" : t->is_red ? "R " : "B ");
    print_tree(out, t->left, has_colours);
    fprintf(out, " %d %d ", t->key, t->value);
    print_tree(out, t->right, has_colours);
    fputs(")", out);
}

static void print_type(FILE *out, const struct etna_type *type)
{
    if (!type->from) {
        fputs("Bool", out);
        return;
    }
    fputs("(", out);
    print_type(out, type->from);
    fputs("->", out);
    print_type(out, type->to);
    fputs(")", out);
}

static void print_term(FILE *out, const struct etna_term *e)
{
    if (e->kind == ETNA_VAR) fprintf(out, "x%d", e->n);
    if (e->kind == ETNA_BOOL) fputs(e->n ? "true" : "false", out);
    if (e->kind == ETNA_VAR || e->kind == ETNA_BOOL) return;
    fputs("(", out);
    if (e->kind == ETNA_ABS) {
        fputs("\\", out);
        print_type(out, e->type);
        fputs(" ", out);
    }
    print_term(out, e->body);
    if (e->kind == ETNA_APP) {
        fputs(" ", out);
        print_term(out, e->operand);
    }
    fputs(")", out);
}

void etna_print(FILE *out, const struct etna_workload *w, const struct etna_property *p, const struct etna_input *in)
{
    if (w == &etna_stlc) print_term(out, in->term);
    for (unsigned i = 0; i < p->trees; i++) {
        if (i) fputs(" ", out);
        print_tree(out, in->trees[i], w == &etna_rbt);
    }
    for (unsigned i = 0; i < p->keys; i++) fprintf(out, " %d", in->keys[i]);
    for (unsigned i = 0; i < p->values; i++) fprintf(out, " %d", in->values[i]);
}
