/* The types of the zoo that have a structure: trees, terms, sequences of calls, and pairs of related values, which are what round
 * trips, differential tests and two runs of one program draw. See grammar.h. */
#include "zoo/grammar.h"

#include <stdio.h>

static struct zoo_text *draw_of(struct zoo_subject *z)
{
    return &z->draws[z->n_parts];
}

/* ---- Trees */

static void tree_generator(struct zoo_subject *z, struct zoo_range keys, bool has_color)
{
    bool by_coins = zoo_percent(&z->rng, 50);
    zoo_print(&z->declarations, "struct tree {\n    int key, red;\n    struct tree *left, *right;\n};\n\n");
    zoo_print(&z->helpers,
              "static struct tree *draw_tree(sonde *t, int depth)\n{\n    sonde_span(t, \"tree\");\n"
              "    struct tree *n = sonde_new(t, struct tree);\n    n->key = sonde_int(t, \"key\", %d, %d);\n%s",
              keys.lo, keys.hi, has_color ? "    n->red = sonde_bool(t, \"red\");\n" : "");
    if (by_coins)
        zoo_print(&z->helpers, "    if (depth > 0 && sonde_bool(t, \"left\")) n->left = draw_tree(t, depth - 1);\n"
                               "    if (depth > 0 && sonde_bool(t, \"right\")) n->right = draw_tree(t, depth - 1);\n");
    else
        zoo_print(&z->helpers, "    size_t children = depth > 0 ? sonde_pick(t, \"children\", 4) : 0;\n"
                               "    if (children & 1) n->left = draw_tree(t, depth - 1);\n"
                               "    if (children & 2) n->right = draw_tree(t, depth - 1);\n");
    zoo_print(&z->helpers, "    return n;\n}\n\n");
}

static const char tree_helpers[] =
    "static bool is_search_tree(const struct tree *n, int lo, int hi)\n{\n    if (!n) return true;\n"
    "    if (n->key <= lo || n->key >= hi) return false;\n"
    "    return is_search_tree(n->left, lo, n->key) && is_search_tree(n->right, n->key, hi);\n}\n\n"
    "static bool is_heap(const struct tree *n)\n{\n    if (!n) return true;\n"
    "    if (n->left && n->left->key > n->key) return false;\n    if (n->right && n->right->key > n->key) return false;\n"
    "    return is_heap(n->left) && is_heap(n->right);\n}\n\n"
    "static int height(const struct tree *n)\n{\n    if (!n) return 0;\n"
    "    int a = height(n->left), b = height(n->right);\n    return 1 + (a > b ? a : b);\n}\n\n"
    "static bool is_balanced(const struct tree *n)\n{\n    if (!n) return true;\n"
    "    int d = height(n->left) - height(n->right);\n    return d >= -1 && d <= 1 && is_balanced(n->left) && is_balanced(n->right);\n}\n\n"
    "static bool is_full(const struct tree *n)\n{\n"
    "    return !n || (!n->left == !n->right && is_full(n->left) && is_full(n->right));\n}\n\n"
    "static int black_height(const struct tree *n)\n{\n    if (!n) return 1;\n"
    "    int a = black_height(n->left), b = black_height(n->right);\n    if (a < 0 || a != b) return -1;\n"
    "    if (n->red && ((n->left && n->left->red) || (n->right && n->right->red))) return -1;\n    return a + !n->red;\n}\n\n"
    "static bool sums_children(const struct tree *n)\n{\n    if (!n || (!n->left && !n->right)) return true;\n"
    "    if (n->key != (n->left ? n->left->key : 0) + (n->right ? n->right->key : 0)) return false;\n"
    "    return sums_children(n->left) && sums_children(n->right);\n}\n\n";

static void tree_measures(struct zoo_subject *z, int depth, struct zoo_range keys)
{
    const char *p = z->prefix;
    struct zoo_range size = {1, (2 << depth) - 1};
    zoo_print(&z->fields, "    struct tree *%s_root;\n    int %s_keys[64], %s_n, %s_height, %s_leaves, %s_leaning;\n",
              p, p, p, p, p, p);
    zoo_print(
        &z->helpers,
        "static void walk_tree(struct world *w, const struct tree *n)\n{\n    if (!n) return;\n    walk_tree(w, n->left);\n"
        "    w->%s_keys[w->%s_n++] = n->key;\n    w->%s_leaves += !n->left && !n->right;\n"
        "    w->%s_leaning += n->left && !n->right;\n    walk_tree(w, n->right);\n}\n\n",
        p, p, p, p);
    zoo_print(
        draw_of(z),
        "    w->%s_root = draw_tree(t, %d);\n    walk_tree(w, w->%s_root);\n    w->%s_height = height(w->%s_root);\n",
        p, depth, p, p, p);
    zoo_scalar_add(z, size, true, "w->%s_n", p)->usual = depth + 1;
    zoo_scalar_add(z, (struct zoo_range){1, depth + 1}, true, "w->%s_height", p);
    zoo_scalar_add(z, (struct zoo_range){1, 1 << depth}, true, "w->%s_leaves", p)->usual = 2;
    zoo_scalar_add(z, (struct zoo_range){0, depth}, true, "w->%s_leaning", p)->usual = 1;
    zoo_scalar_add(z, keys, false, "w->%s_root->key", p);
    zoo_sequence_add(z, "keys", "n", keys, size);
}

void zoo_add_tree(struct zoo_subject *z)
{
    static const struct zoo_range key_ranges[] = {{0, 10}, {0, 30}, {0, 100}, {0, 1000}, {1, 7}};
    int depth = zoo_between(&z->rng, 2, 4);
    struct zoo_range keys = ZOO_PICK(&z->rng, key_ranges);
    bool has_color = zoo_percent(&z->rng, 35);
    const char *p = z->prefix;
    tree_generator(z, keys, has_color);
    zoo_print(&z->helpers, "%s", tree_helpers);
    tree_measures(z, depth, keys);
    zoo_offer(z, "order", "search-tree", 4, "is_search_tree(w->%s_root, %d, %d)", p, keys.lo - 1, keys.hi + 1);
    zoo_offer(z, "order", "heap", 2, "is_heap(w->%s_root)", p);
    zoo_offer(z, "structure", "balanced", 2, "is_balanced(w->%s_root)", p);
    zoo_offer(z, "structure", "full", 1, "is_full(w->%s_root)", p);
    zoo_offer(z, "sum", "node-sums", 1, "sums_children(w->%s_root)", p);
    if (has_color) zoo_offer(z, "structure", "red-black", 4, "black_height(w->%s_root) > 0 && !w->%s_root->red", p, p);
}

/* ---- Terms: let with names, or lambda with indices and annotated types */

static void term_generator(struct zoo_subject *z, int names, bool has_names)
{
    zoo_print(&z->declarations, "enum { VARIABLE, NUMBER, %s, %s, LESS, IF, KINDS };\n\n", has_names ? "LET" : "LAMBDA",
              has_names ? "ADD" : "APPLY");
    zoo_print(
        &z->declarations,
        "enum { BIND = %s, JOIN = %s };\n\nstruct term {\n    int kind, arg;\n    struct term *a, *b, *c;\n};\n\n",
        has_names ? "LET" : "LAMBDA", has_names ? "ADD" : "APPLY");
    zoo_print(&z->helpers,
              "static struct term *draw_term(sonde *t, int depth)\n{\n    sonde_span(t, \"term\");\n"
              "    struct term *n = sonde_new(t, struct term);\n"
              "    n->kind = (int)sonde_pick(t, \"kind\", depth > 0 ? KINDS : 2);\n"
              "    if (n->kind == VARIABLE) n->arg = (int)sonde_pick(t, \"%s\", %d);\n"
              "    if (n->kind == NUMBER) n->arg = sonde_int(t, \"number\", 0, 20);\n"
              "    if (n->kind == BIND) n->arg = (int)sonde_pick(t, \"%s\", %d);\n"
              "    if (n->kind >= BIND) n->a = draw_term(t, depth - 1);\n"
              "    if (n->kind >= %s) n->b = draw_term(t, depth - 1);\n"
              "    if (n->kind == IF) n->c = draw_term(t, depth - 1);\n    return n;\n}\n\n",
              has_names ? "name" : "index", names, has_names ? "name" : "type", has_names ? names : 2,
              has_names ? "BIND" : "JOIN");
}

static const char named_helpers[] =
    "static bool is_closed(const struct term *n, unsigned scope)\n{\n    if (!n) return true;\n"
    "    if (n->kind == VARIABLE) return scope >> n->arg & 1;\n"
    "    if (n->kind == LET) return is_closed(n->a, scope) && is_closed(n->b, scope | 1u << n->arg);\n"
    "    return is_closed(n->a, scope) && is_closed(n->b, scope) && is_closed(n->c, scope);\n}\n\n"
    "static bool uses(const struct term *n, int name)\n{\n    if (!n) return false;\n"
    "    if (n->kind == VARIABLE) return n->arg == name;\n"
    "    if (n->kind == LET) return uses(n->a, name) || (n->arg != name && uses(n->b, name));\n"
    "    return uses(n->a, name) || uses(n->b, name) || uses(n->c, name);\n}\n\n"
    "static bool uses_all(const struct term *n)\n{\n    if (!n) return true;\n"
    "    if (n->kind == LET && !uses(n->b, n->arg)) return false;\n"
    "    return uses_all(n->a) && uses_all(n->b) && uses_all(n->c);\n}\n\n"
    "static int type_of(const struct term *n, int *types)\n{\n    int a, b, old;\n    switch (n->kind) {\n"
    "    case VARIABLE: return types[n->arg];\n    case NUMBER: return 0;\n"
    "    case LET:\n        if ((a = type_of(n->a, types)) < 0) return -1;\n        old = types[n->arg];\n        types[n->arg] = a;\n"
    "        b = type_of(n->b, types);\n        types[n->arg] = old;\n        return b;\n"
    "    case ADD: return type_of(n->a, types) == 0 && type_of(n->b, types) == 0 ? 0 : -1;\n"
    "    case LESS: return type_of(n->a, types) == 0 && type_of(n->b, types) == 0 ? 1 : -1;\n"
    "    default:\n        if (type_of(n->a, types) != 1) return -1;\n        a = type_of(n->b, types);\n"
    "        return a >= 0 && a == type_of(n->c, types) ? a : -1;\n    }\n}\n\n"
    "static bool is_well_typed(const struct term *n)\n{\n    int types[] = {-1, -1, -1, -1};\n    return type_of(n, types) >= 0;\n}\n\n";

static const char indexed_helpers[] =
    "static bool is_closed(const struct term *n, int scope)\n{\n    if (!n) return true;\n"
    "    if (n->kind == VARIABLE) return n->arg < scope;\n    scope += n->kind == LAMBDA;\n"
    "    return is_closed(n->a, scope) && is_closed(n->b, scope) && is_closed(n->c, scope);\n}\n\n"
    "/* 0: number, 1: truth, 2 + 2 * a + b: function from a to b. */\n"
    "static int type_of(const struct term *n, const int *types, int depth)\n{\n    int a, b, inner[8];\n    switch (n->kind) {\n"
    "    case VARIABLE: return n->arg < depth ? types[depth - 1 - n->arg] : -1;\n    case NUMBER: return 0;\n"
    "    case LAMBDA:\n        memcpy(inner, types, sizeof inner);\n        inner[depth] = n->arg;\n"
    "        b = type_of(n->a, inner, depth + 1);\n        return b < 0 || b > 1 ? -1 : 2 + 2 * n->arg + b;\n"
    "    case APPLY:\n        a = type_of(n->a, types, depth);\n        b = type_of(n->b, types, depth);\n"
    "        return a >= 2 && b == (a - 2) / 2 ? (a - 2) % 2 : -1;\n"
    "    case LESS: return type_of(n->a, types, depth) == 0 && type_of(n->b, types, depth) == 0 ? 1 : -1;\n"
    "    default:\n        if (type_of(n->a, types, depth) != 1) return -1;\n        a = type_of(n->b, types, depth);\n"
    "        return a >= 0 && a == type_of(n->c, types, depth) ? a : -1;\n    }\n}\n\n"
    "static bool is_well_typed(const struct term *n)\n{\n    int types[8] = {0};\n    return type_of(n, types, 0) >= 0;\n}\n\n";

static void term_measures(struct zoo_subject *z, int depth)
{
    static const char *const counted[] = {"VARIABLE", "BIND", "JOIN", "LESS", "IF"};
    const char *p = z->prefix;
    zoo_print(&z->fields, "    struct term *%s_term;\n    int %s_kinds[200], %s_n, %s_depth, %s_count[KINDS];\n", p, p,
              p, p, p);
    zoo_print(&z->helpers,
              "static int walk_term(struct world *w, const struct term *n)\n{\n    if (!n) return 0;\n"
              "    if (w->%s_n < 200) w->%s_kinds[w->%s_n++] = n->kind;\n    w->%s_count[n->kind]++;\n"
              "    int a = walk_term(w, n->a), b = walk_term(w, n->b), c = walk_term(w, n->c);\n"
              "    if (b > a) a = b;\n    return 1 + (c > a ? c : a);\n}\n\n",
              p, p, p, p);
    zoo_print(draw_of(z), "    w->%s_term = draw_term(t, %d);\n    w->%s_depth = walk_term(w, w->%s_term);\n", p, depth,
              p, p);
    zoo_scalar_add(z, (struct zoo_range){1, 40}, true, "w->%s_n", p)->usual = 6;
    zoo_scalar_add(z, (struct zoo_range){1, depth + 1}, true, "w->%s_depth", p);
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        zoo_scalar_add(z, (struct zoo_range){0, 6}, true, "w->%s_count[%s]", p, counted[i])->usual = 1;
    zoo_sequence_add(z, "kinds", "n", (struct zoo_range){0, 5}, (struct zoo_range){1, 40})->is_for_bugs = true;
}

void zoo_add_term(struct zoo_subject *z)
{
    int depth = zoo_between(&z->rng, 3, 4), names = zoo_between(&z->rng, 2, 4);
    bool has_names = zoo_percent(&z->rng, 50);
    const char *p = z->prefix;
    term_generator(z, names, has_names);
    zoo_print(&z->helpers, "%s", has_names ? named_helpers : indexed_helpers);
    term_measures(z, depth);
    zoo_offer(z, "scope", "closed", 3, "is_closed(w->%s_term, 0)", p);
    zoo_offer(z, "type", "well-typed", has_names ? 3 : 4, "is_well_typed(w->%s_term)", p);
    if (has_names) zoo_offer(z, "scope", "used", 2, "uses_all(w->%s_term)", p);
}

/* ---- Sequences of calls with handles */

static void call_rules(struct zoo_subject *z, int handles)
{
    static const char *const close_rules[] = {"", " && s->size[h] == 0", ""}, *const read_rules[] = {"", " * 2", ""};
    const char *close_rule = ZOO_PICK(&z->rng, close_rules), *read_rule = ZOO_PICK(&z->rng, read_rules);
    zoo_print(&z->declarations, "enum { OPEN, CLOSE, WRITE, READ, SWAP };\n\nstruct handles {\n"
                                "    int open[8], size[8], uses[8], writes[8], now, most, reopened, busiest;\n};\n\n");
    zoo_print(
        &z->helpers,
        "static bool is_legal(const struct handles *s, int op, int h, int a)\n{\n    switch (op) {\n"
        "    case OPEN: return !s->open[h];\n    case CLOSE: return s->open[h]%s;\n    case WRITE: return s->open[h];\n"
        "    case READ: return s->open[h] && a < s->size[h]%s;\n    default: return s->open[h] && s->open[a %% %d];\n    }\n}\n\n",
        close_rule, read_rule, handles);
    zoo_print(
        &z->helpers,
        "static void call(struct handles *s, int op, int h, int a)\n{\n    int x, other = a %% %d;\n    switch (op) {\n"
        "    case OPEN:\n        s->open[h] = 1;\n        s->size[h] = s->writes[h] = 0;\n"
        "        if (++s->now > s->most) s->most = s->now;\n        if (++s->uses[h] > s->reopened) s->reopened = s->uses[h];\n"
        "        break;\n"
        "    case CLOSE:\n        s->open[h] = 0;\n        s->now--;\n        break;\n"
        "    case WRITE:\n        s->size[h] += a;\n        if (++s->writes[h] > s->busiest) s->busiest = s->writes[h];\n"
        "        break;\n"
        "    case READ: break;\n"
        "    default:\n        x = s->size[h];\n        s->size[h] = s->size[other];\n        s->size[other] = x;\n    }\n}\n\n",
        handles);
}

/* Each call is assumed to be legal where it is drawn, or all of them at the end. */
static void call_draws(struct zoo_subject *z, int ops, int handles, int most, struct zoo_range n)
{
    const char *p = z->prefix;
    zoo_print(&z->fields, "    int %s_n, %s_op[16], %s_handle[16], %s_arg[16];\n    struct handles %s_state;\n", p, p,
              p, p, p);
    zoo_print(
        draw_of(z),
        "    for (sonde_list l = sonde_list_of(t, \"calls\", %d, %d); sonde_more(&l); w->%s_n++) {\n        sonde_span(t, \"call\");\n"
        "        int op = w->%s_op[w->%s_n] = (int)sonde_pick(t, \"op\", %d);\n"
        "        int h = w->%s_handle[w->%s_n] = (int)sonde_pick(t, \"handle\", %d);\n"
        "        int a = w->%s_arg[w->%s_n] = sonde_int(t, \"arg\", 0, %d);\n",
        n.lo, n.hi, p, p, p, ops, p, p, handles, p, p, most);
    if (z->assumes_calls)
        zoo_print(
            draw_of(z),
            "        sonde_assume(t, is_legal(&w->%s_state, op, h, a));\n        call(&w->%s_state, op, h, a);\n    }\n",
            p, p);
    else zoo_print(draw_of(z), "        (void)op;\n        (void)h;\n        (void)a;\n    }\n");
}

static void call_check(struct zoo_subject *z)
{
    const char *p = z->prefix;
    zoo_print(
        &z->helpers,
        "static bool all_legal(struct world *w)\n{\n    for (int i = 0; i < w->%s_n; i++) {\n"
        "        int op = w->%s_op[i], h = w->%s_handle[i], a = w->%s_arg[i];\n"
        "        if (!is_legal(&w->%s_state, op, h, a)) return false;\n        call(&w->%s_state, op, h, a);\n    }\n"
        "    return true;\n}\n\n",
        p, p, p, p, p, p);
    struct zoo_atom *a = &z->required[z->n_required++];
    *a = (struct zoo_atom){.class = "state", .kind = "calls-legal", .condition = "all_legal(w)", .parts = z->part};
}

void zoo_add_calls(struct zoo_subject *z)
{
    static const struct zoo_range lengths[] = {{0, 8}, {2, 8}, {1, 12}, {3, 10}};
    static const int arguments[] = {3, 20, 100};
    int handles = zoo_between(&z->rng, 2, 5), ops = zoo_between(&z->rng, 3, 5), most = ZOO_PICK(&z->rng, arguments);
    struct zoo_range n = ZOO_PICK(&z->rng, lengths);
    const char *p = z->prefix;
    call_rules(z, handles);
    z->assumes_calls = zoo_percent(&z->rng, 50);
    call_draws(z, ops, handles, most, n);
    if (!z->assumes_calls) call_check(z);
    zoo_offer(z, "state", "all-closed", 2, "w->%s_state.now == 0", p);
    zoo_scalar_add(z, n, true, "w->%s_n", p);
    zoo_scalar_add(z, (struct zoo_range){0, handles}, true, "w->%s_state.most", p)->usual = 2;
    zoo_scalar_add(z, (struct zoo_range){0, 4}, true, "w->%s_state.reopened", p)->usual = 2;
    zoo_scalar_add(z, (struct zoo_range){0, 4}, true, "w->%s_state.busiest", p)->usual = 1;
    zoo_scalar_add(z, (struct zoo_range){0, handles}, true, "w->%s_state.now", p)->usual = 1;
    zoo_sequence_add(z, "op", "n", (struct zoo_range){0, ops - 1}, n)->is_for_bugs = true;
    zoo_sequence_add(z, "handle", "n", (struct zoo_range){0, handles - 1}, n)->is_for_bugs = true;
    zoo_sequence_add(z, "arg", "n", (struct zoo_range){0, most}, n)->is_for_bugs = true;
}

/* ---- Pairs of related values */

static void pair_generator(struct zoo_subject *z, struct zoo_range n, struct zoo_range open, struct zoo_range secret)
{
    const char *p = z->prefix;
    zoo_print(&z->fields, "    int %s_n, %s_x[8], %s_u[8]; /* one side: what both share, and what they need not */\n",
              p, p, p);
    zoo_print(&z->fields, "    int %s_m, %s_y[8], %s_v[8]; /* the other */\n", p, p, p);
    zoo_print(
        &z->helpers,
        "static int draw_side(sonde *t, int *x, int *u)\n{\n    int n = 0;\n    sonde_span(t, \"side\");\n"
        "    for (sonde_list l = sonde_list_of(t, \"cells\", %d, %d); sonde_more(&l); n++) {\n"
        "        x[n] = sonde_int(t, \"open\", %d, %d);\n        u[n] = sonde_int(t, \"secret\", %d, %d);\n    }\n    return n;\n}\n\n",
        n.lo, n.hi, open.lo, open.hi, secret.lo, secret.hi);
    zoo_print(
        &z->helpers,
        "static int matches(const int *a, int n, const int *b, int m)\n{\n    int count = 0;\n"
        "    for (int i = 0; i < n && i < m; i++) count += a[i] == b[i];\n    return count;\n}\n\n"
        "static bool same_contents(const int *a, int n, const int *b, int m)\n{\n    if (n != m) return false;\n"
        "    for (int i = 0; i < n; i++) {\n        int more = 0;\n"
        "        for (int k = 0; k < n; k++) more += (a[k] == a[i]) - (b[k] == a[i]);\n        if (more) return false;\n    }\n"
        "    return true;\n}\n\n");
    zoo_print(draw_of(z),
              "    w->%s_n = draw_side(t, w->%s_x, w->%s_u);\n    w->%s_m = draw_side(t, w->%s_y, w->%s_v);\n", p, p, p,
              p, p, p);
}

/* In a loop: the lengths are compared in its first round, and no side is empty. */
static void offer_rounds(struct zoo_subject *z, const char *kind, int weight, const char *relation, const char *other)
{
    const char *p = z->prefix;
    struct zoo_atom *a =
        zoo_offer(z, "pair", kind, weight, "w->%s_n %s w->%s_m && w->%s_y[i] == %s", p, relation, p, p, other);
    snprintf(a->loop, sizeof a->loop, "for (int i = 0; i < w->%s_n; i++)", p);
    snprintf(a->rounds, sizeof a->rounds, "w->%s_n", p);
}

void zoo_add_pair(struct zoo_subject *z)
{
    static const struct zoo_range lengths[] = {{1, 4}, {2, 4}, {2, 5}, {1, 6}}, opens[] = {{0, 2}, {0, 3}, {0, 7}},
                                  secrets[] = {{0, 3}, {0, 20}, {0, 100}};
    struct zoo_range n = ZOO_PICK(&z->rng, lengths), open = ZOO_PICK(&z->rng, opens),
                     secret = ZOO_PICK(&z->rng, secrets);
    const char *p = z->prefix;
    char other[ZOO_NAME];
    pair_generator(z, n, open, secret);
    snprintf(other, sizeof other, "w->%s_x[i]", p);
    offer_rounds(z, "two-runs", 4, "==", other);
    offer_rounds(z, "prefix", 1, "<=", other);
    snprintf(other, sizeof other, "w->%s_x[w->%s_n - 1 - i]", p, p);
    offer_rounds(z, "reversed", 1, "==", other);
    snprintf(other, sizeof other, "(w->%s_x[i] + %d) %% %d", p, zoo_between(&z->rng, 1, open.hi), open.hi + 1);
    offer_rounds(z, "round-trip", 2, "==", other);
    zoo_offer(z, "pair", "differential", 2, "same_contents(w->%s_x, w->%s_n, w->%s_y, w->%s_m)", p, p, p, p);
    zoo_scalar_add(z, n, true, "w->%s_n", p);
    zoo_scalar_add(z, n, true, "w->%s_m", p);
    zoo_scalar_add(z, (struct zoo_range){0, n.hi}, true, "matches(w->%s_x, w->%s_n, w->%s_y, w->%s_m)", p, p, p, p)
        ->usual = 1;
    zoo_scalar_add(z, (struct zoo_range){0, n.hi}, true, "matches(w->%s_u, w->%s_n, w->%s_v, w->%s_m)", p, p, p, p)
        ->usual = 1;
    zoo_sequence_add(z, "x", "n", open, n);
    zoo_sequence_add(z, "u", "n", secret, n);
    zoo_sequence_add(z, "y", "m", open, n)->is_for_bugs = true;
    zoo_sequence_add(z, "v", "m", secret, n)->is_for_bugs = true;
}
