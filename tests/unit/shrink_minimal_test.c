/* The minimal counterexamples of properties about structures, lists, loops and commands, spelled out: what people
 * write and what they hope to see. Values are in shrink_values_test.c. */
#include "lib/tree.h"
#include "unit/shrinks_to.h"

/* ---- A recursive expression. The simplifier turns a - (-b) into a - b. */

struct expr {
    enum { NUMBER, ADD, SUB, NEG } kind;
    int value;
    struct expr *left, *right;
};

static struct expr *draw_expr(sonde *t, int depth)
{
    sonde_span(t, "expr");
    struct expr *e = sonde_new(t, struct expr);
    e->kind = depth < 6 ? (int)sonde_pick(t, "kind", 4) : NUMBER;
    if (e->kind == NUMBER) e->value = sonde_int(t, "value", 0, 100);
    else e->left = draw_expr(t, depth + 1);
    if (e->kind == ADD || e->kind == SUB) e->right = draw_expr(t, depth + 1);
    return e;
}

static int evaluate(const struct expr *e, bool simplified)
{
    switch (e->kind) {
    case NUMBER: return e->value;
    case NEG: return -evaluate(e->left, simplified);
    case ADD: return evaluate(e->left, simplified) + evaluate(e->right, simplified);
    case SUB: break;
    }
    const struct expr *right = simplified && e->right->kind == NEG ? e->right->left : e->right;
    return evaluate(e->left, simplified) - evaluate(right, simplified);
}

static void recursive_expression(sonde *t)
{
    const struct expr *e = draw_expr(t, 0);
    sonde_check(t, evaluate(e, false) == evaluate(e, true));
}
SHRINKS(recursive_expression, "expr{kind=2 expr{kind=0 value=0} expr{kind=3 expr{kind=0 value=1}}}")

/* ---- Boxes: a pair of boxes has more draws than a bag of one. Fails if three are nested and one is a bag. */

static int draw_box(sonde *t, int depth, bool *has_bag)
{
    sonde_span(t, "box");
    size_t kind = sonde_pick(t, "kind", depth < 5 ? 3 : 1);
    if (kind == 0) return 0;
    if (kind == 2) {
        sonde_span(t, "bag");
        *has_bag = true;
        return 1 + draw_box(t, depth + 1, has_bag);
    }
    sonde_span(t, "pair");
    sonde_bool(t, "is_open");
    int left = draw_box(t, depth + 1, has_bag);
    sonde_bool(t, "is_new");
    int right = draw_box(t, depth + 1, has_bag);
    return 1 + (left > right ? left : right);
}

static void nested_boxes(sonde *t)
{
    bool has_bag = false;
    int depth = draw_box(t, 0, &has_bag);
    sonde_check(t, depth < 3 || !has_bag);
}
SHRINKS(nested_boxes, "box{kind=2 bag{box{kind=2 bag{box{kind=2 bag{box{kind=0}}}}}}}")

/* ---- An address that is absolute or relative, both with a query; only the query matters. */

static void draw_rest(sonde *t, const char *path, bool *has_query)
{
    sonde_open(t, path);
    sonde_u64(t, "length", 0, 9);
    sonde_close(t, path);
    *has_query = sonde_bool(t, "has_query");
}

static void query_of_an_address(sonde *t)
{
    bool is_absolute = sonde_pick(t, "kind", 2) == 1, has_query;
    sonde_span(t, is_absolute ? "absolute" : "relative");
    if (is_absolute) sonde_u64(t, "scheme", 0, 9);
    draw_rest(t, is_absolute ? "absolute_path" : "relative_path", &has_query);
    sonde_check(t, !has_query);
}
SHRINKS(query_of_an_address, "kind=0 relative{relative_path{length=0} has_query=yes}")

/* ---- A JSON-like document: the property fails when some object inside an array has the same key twice. */

static bool draw_json(sonde *t, int depth, bool in_array)
{
    sonde_span(t, "value");
    bool found = false;
    size_t kind = sonde_pick(t, "kind", depth < 4 ? 6 : 4);
    switch (kind) {
    case 1: sonde_bool(t, "bool"); break;
    case 2: sonde_int(t, "number", -1000, 1000); break;
    case 3: sonde_string(t, "string", 0, 10); break;
    case 4: {
        sonde_list items = sonde_list_of(t, "items", 0, 5);
        while (sonde_more(&items)) found |= draw_json(t, depth + 1, true);
        break;
    }
    case 5: {
        const char *keys[8];
        size_t n = 0;
        sonde_list members = sonde_list_of(t, "members", 0, 5);
        while (sonde_more(&members)) {
            keys[n] = sonde_string_of(t, "key", "abc", 0, 3);
            for (size_t i = 0; i < n; i++) found |= in_array && strcmp(keys[i], keys[n]) == 0;
            n++;
            found |= draw_json(t, depth + 1, false);
        }
        break;
    }
    default: break;
    }
    return found;
}

static void json_document(sonde *t)
{
    sonde_check(t, !draw_json(t, 0, false));
}
SHRINKS(json_document, "value{kind=4 items[{value{kind=5 members[{key= value{kind=0}} {key= value{kind=0}}]}}]}")

/* ---- A binary search tree. */

static bool ordered(const struct tree *n, int lo, int hi)
{
    return !n || (lo < n->value && n->value < hi && ordered(n->left, lo, n->value) && ordered(n->right, n->value, hi));
}

static int height(const struct tree *n)
{
    if (!n) return 0;
    int l = height(n->left), r = height(n->right);
    return 1 + (l > r ? l : r);
}

static void binary_tree(sonde *t)
{
    const struct tree *root = tree_draw(t, 3, 100);
    sonde_assume(t, ordered(root, -1, 101));
    sonde_check(t, !root->left || !root->right);
}
SHRINKS(binary_tree, "tree{value=1 left=yes tree{value=0 left=no right=no} right=yes tree{value=2 left=no right=no}}")

/* Insertion that sends equal keys to the left. */
static struct tree *insert(struct tree *root, struct tree *leaf)
{
    if (!root) return leaf;
    if (leaf->value <= root->value) root->left = insert(root->left, leaf);
    else root->right = insert(root->right, leaf);
    return root;
}

static void insertion(sonde *t)
{
    struct tree *root = tree_draw(t, 3, 100), *leaf = sonde_new(t, struct tree);
    leaf->value = sonde_int(t, "x", 0, 100);
    sonde_assume(t, ordered(root, -1, 101));
    sonde_check(t, ordered(insert(root, leaf), -1, 101));
}
SHRINKS(insertion, "tree{value=0 left=no right=no} x=0")

/* ---- A graph whose edges name nodes by index: no cycle of two or more nodes. */

static bool reaches(size_t (*edges)[2], size_t n, size_t from, size_t to)
{
    bool seen[32] = {false};
    seen[from] = true;
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t i = 0; i < n; i++) {
            if (!seen[edges[i][0]] || seen[edges[i][1]]) continue;
            seen[edges[i][1]] = grows = true;
        }
    }
    return seen[to];
}

static size_t draw_edges(sonde *t, size_t n_nodes, size_t edges[][2])
{
    size_t n = 0;
    sonde_list list = sonde_list_of(t, "edges", 0, 20);
    while (sonde_more(&list)) {
        edges[n][0] = sonde_pick(t, "from", n_nodes);
        edges[n][1] = sonde_pick(t, "to", n_nodes);
        n++;
    }
    return n;
}

static void graph(sonde *t)
{
    size_t n = 0, edges[32][2];
    sonde_list nodes = sonde_list_of(t, "nodes", 1, 12);
    while (sonde_more(&nodes)) {
        sonde_int(t, "weight", 0, 1000);
        n++;
    }
    size_t m = draw_edges(t, n, edges);
    for (size_t i = 0; i < m; i++)
        sonde_check(t, edges[i][0] == edges[i][1] || !reaches(edges, m, edges[i][1], edges[i][0]));
}
SHRINKS(graph, "nodes[{weight=0} {weight=0}] edges[{from=0 to=1} {from=1 to=0}]")

/* A path of three nodes, the middle one heavy. */
static void heavy_path(sonde *t)
{
    size_t n = 0, edges[32][2];
    int weight[16];
    sonde_list nodes = sonde_list_of(t, "nodes", 1, 12);
    while (sonde_more(&nodes)) weight[n++] = sonde_int(t, "weight", 0, 1000);
    size_t m = draw_edges(t, n, edges);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) {
            if (edges[i][1] != edges[k][0] || edges[i][0] == edges[i][1] || edges[k][0] == edges[k][1]) continue;
            sonde_check(t, edges[i][0] == edges[k][1] || weight[edges[i][1]] < 500);
        }
}
SHRINKS(heavy_path, "nodes[{weight=0} {weight=0} {weight=500}] edges[{from=0 to=2} {from=2 to=1}]")

/* ---- Commands of an API: a ring of four slots that is wrong once it has wrapped. */

static void commands(sonde *t)
{
    int pushed = 0, held = 0;
    sonde_list list = sonde_list_of(t, "commands", 0, 30);
    while (sonde_more(&list)) {
        switch (sonde_pick(t, "command", 4)) {
        case 0: break; /* peek */
        case 1:
            sonde_int(t, "item", 0, 1000);
            if (held < 4) held++, pushed++;
            break;
        case 2:
            if (held > 0) held--;
            break;
        default: held = pushed = 0; break; /* clear */
        }
        sonde_check(t, pushed < 5);
    }
}
SHRINKS(commands, "commands[{command=1 item=0} {command=1 item=0} {command=1 item=0} {command=1 item=0} {command=2} "
                  "{command=1 item=0}]")

/* Handles: what was closed must not be read. */
static void handles(sonde *t)
{
    bool is_open[64] = {false};
    size_t n = 0;
    sonde_list list = sonde_list_of(t, "commands", 0, 30);
    while (sonde_more(&list)) {
        size_t command = sonde_pick(t, "command", 4);
        if (command == 0) continue;
        if (command == 1) is_open[n++] = true;
        if (command == 1 || n == 0) continue;
        size_t h = sonde_pick(t, "handle", n);
        if (command == 2) is_open[h] = false;
        else sonde_check(t, h < 1 || is_open[h]);
    }
}
SHRINKS(handles, "commands[{command=1} {command=1} {command=2 handle=1} {command=3 handle=1}]")

/* ---- Lists and loops */

static void sorted_list(sonde *t)
{
    int v[64];
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 5);
    while (sonde_more(&xs)) {
        v[n] = sonde_int(t, "x", 0, 1000);
        sonde_assume(t, n == 0 || v[n - 1] <= v[n]);
        n++;
    }
    sonde_check(t, n < 3 || v[n - 1] - v[0] <= 10);
}
SHRINKS(sorted_list, "xs[{x=0} {x=0} {x=11}]")

static void filtered(sonde *t)
{
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 20);
    while (sonde_more(&xs)) {
        if (sonde_int(t, "x", 0, 10000) % 7 != 3) sonde_list_reject(&xs);
        else n++;
    }
    sonde_check(t, n < 3);
}
SHRINKS(filtered, "xs[{x=3} {x=3} {x=3}]")

static void flag_loop(sonde *t)
{
    int sum = 0;
    while (sonde_bool(t, "more")) sum += sonde_int(t, "x", 0, 50);
    sonde_check(t, sum <= 100);
}
SHRINKS(flag_loop, "more=yes x=1 more=yes x=50 more=yes x=50 more=no")

static void loop_of_pairs(sonde *t)
{
    int n = sonde_int(t, "n", 0, 30), apart = 0;
    for (int i = 0; i < n; i++) {
        int x = sonde_int(t, "x", 0, 1000), y = sonde_int(t, "y", 0, 1000);
        apart += x > y + 500;
    }
    sonde_check(t, apart < 2);
}
SHRINKS(loop_of_pairs, "n=2 x=501 y=0 x=501 y=0")

static void loop_with_one_more(sonde *t)
{
    int n = sonde_int(t, "n", 0, 30), large = 0;
    for (int i = 0; i <= n; i++) large += sonde_int(t, "x", 0, 1000) > 900;
    sonde_check(t, large < 2);
}
SHRINKS(loop_with_one_more, "n=1 x=901 x=901")

static void matrix(sonde *t)
{
    int rows = sonde_int(t, "rows", 1, 8), columns = sonde_int(t, "columns", 1, 8), large = 0;
    for (int i = 0; i < rows * columns; i++) large += sonde_int(t, "x", 0, 100) >= 50;
    sonde_check(t, large < 3);
}
SHRINKS(matrix, "rows=1 columns=3 x=50 x=50 x=50")

static void records(sonde *t)
{
    struct {
        int id;
        const char *name;
    } v[64];
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "records", 0, 20);
    while (sonde_more(&xs)) {
        sonde_span(t, "record");
        v[n].id = sonde_int(t, "id", 1, 50);
        v[n].name = sonde_string(t, "name", 1, 8);
        n++;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) sonde_check(t, v[i].id != v[k].id || strcmp(v[i].name, v[k].name) == 0);
}
SHRINKS(records, "records[{record{id=1 name=a}} {record{id=1 name=b}}]")

static void opened_and_closed(sonde *t)
{
    int depth = 0, most = 0;
    sonde_list xs = sonde_list_of(t, "events", 0, 12);
    while (sonde_more(&xs)) {
        depth += sonde_bool(t, "close") ? -1 : 1;
        sonde_assume(t, depth >= 0);
        if (depth > most) most = depth;
    }
    sonde_assume(t, depth == 0);
    sonde_check(t, most < 2);
}
SHRINKS(opened_and_closed, "events[{close=no} {close=no} {close=yes} {close=yes}]")

static void deep_chain(sonde *t)
{
    sonde_check(t, height(tree_draw(t, 5, 100)) < 5);
}
#define RIGHT "tree{value=0 left=no right="
SHRINKS(deep_chain, RIGHT "yes " RIGHT "yes " RIGHT "yes " RIGHT "yes " RIGHT "no}}}}}")

static void matching_lists(sonde *t)
{
    int v[2][8];
    size_t n[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        sonde_list xs = sonde_list_of(t, "list", 0, 4);
        while (sonde_more(&xs)) v[k][n[k]++] = sonde_int(t, "x", 0, 3);
    }
    sonde_check(t, n[0] < 2 || n[0] != n[1] || memcmp(v[0], v[1], n[0] * sizeof(int)) != 0);
}
SHRINKS(matching_lists, "list[{x=0} {x=0}] list[{x=0} {x=0}]")

/* ---- More lists and commands */

static size_t draw_ints(sonde *t, const char *label, int lo, int hi, size_t max, int *v)
{
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, label, 0, max);
    while (sonde_more(&xs)) v[n++] = sonde_int(t, "x", lo, hi);
    return n;
}
#define INTS(lo, hi, max)                                                                                              \
    int v[512];                                                                                                        \
    size_t n = draw_ints(t, "xs", lo, hi, max, v);                                                                     \
    (void)n
static void sum10(sonde *t)
{
    INTS(INT_MIN, INT_MAX, 50);
    int64_t s = 0;
    for (size_t i = 0; i < n; i++) s += v[i];
    sonde_check(t, s < 10);
}
SHRINKS(sum10, "xs[{x=10}]")

static void increasing(sonde *t)
{
    INTS(-1000, 1000, 20);
    for (size_t i = 0; i + 2 < n; i++) sonde_check(t, !(v[i] < v[i + 1] && v[i + 1] < v[i + 2]));
}
SHRINKS(increasing, "xs[{x=0} {x=1} {x=2}]")

static void increasing_apart(sonde *t)
{
    INTS(0, 1000, 20);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            for (size_t k = j + 1; k < n; k++) sonde_check(t, !(v[i] < v[j] && v[j] < v[k]));
}
SHRINKS(increasing_apart, "xs[{x=0} {x=1} {x=2}]")

static void decreasing(sonde *t)
{
    INTS(0, 1000, 20);
    for (size_t i = 0; i + 1 < n; i++) sonde_check(t, v[i] <= v[i + 1]);
}
SHRINKS(decreasing, "xs[{x=1} {x=0}]")

static void contains(sonde *t)
{
    int m = sonde_int(t, "m", 0, 30);
    INTS(0, 30, 50);
    for (size_t i = 0; i < n; i++) sonde_check(t, v[i] != m || m < 3);
}
SHRINKS(contains, "m=3 xs[{x=3}]")

static void contains_twice(sonde *t)
{
    INTS(0, 30, 50);
    int m = sonde_int(t, "m", 0, 30);
    int c = 0;
    for (size_t i = 0; i < n; i++) c += v[i] == m;
    sonde_check(t, c < 2 || m < 3);
}
SHRINKS(contains_twice, "xs[{x=3} {x=3}] m=3")

static void index_in(sonde *t)
{
    INTS(0, 1000, 30);
    size_t i = sonde_pick(t, "i", 40);
    sonde_check(t, i >= n || v[i] < 500);
}
SHRINKS(index_in, "xs[{x=500}] i=0")

static void index_first(sonde *t)
{
    size_t i = sonde_pick(t, "i", 40);
    INTS(0, 1000, 30);
    sonde_check(t, i >= n || v[i] < 500 || i < 2);
}
SHRINKS(index_first, "i=2 xs[{x=0} {x=0} {x=500}]")

static void lengths(sonde *t)
{
    int v[64], w[64];
    size_t a = draw_ints(t, "a", 0, 9, 20, v), b = draw_ints(t, "b", 0, 9, 20, w);
    sonde_check(t, a <= b + 2);
}
SHRINKS(lengths, "a[{x=0} {x=0} {x=0}] b[]")

static void bank(sonde *t)
{
    int bal[4] = {0};
    sonde_list xs = sonde_list_of(t, "ops", 0, 20);
    while (sonde_more(&xs)) {
        size_t op = sonde_pick(t, "op", 3), acc = sonde_pick(t, "account", 4);
        int amt = sonde_int(t, "amount", 1, 1000);
        if (op == 0) bal[acc] += amt;
        else if (op == 1) {
            if (bal[acc] >= amt) bal[acc] -= amt;
        } else {
            size_t to = sonde_pick(t, "to", 4);
            if (bal[acc] >= amt - 1) {
                bal[acc] -= amt;
                bal[to] += amt;
            }
        }
        sonde_check(t, bal[acc] >= 0);
    }
}
SHRINKS(bank, "ops[{op=2 account=0 amount=1 to=1}]")

static void grid(sonde *t)
{
    int n = sonde_int(t, "n", 0, 10);
    int big = 0;
    for (int i = 0; i < n; i++) {
        sonde_list r = sonde_list_of(t, "row", 0, 10);
        while (sonde_more(&r)) big += sonde_int(t, "cell", 0, 100) > 90;
    }
    sonde_check(t, big < 3);
}
SHRINKS(grid, "n=1 row[{cell=91} {cell=91} {cell=91}]")

static void calendar(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "events", 0, 20);
    int s[32], e[32];
    size_t n = 0;
    while (sonde_more(&xs)) {
        sonde_span(t, "event");
        s[n] = sonde_int(t, "start", 0, 1000);
        e[n] = s[n] + sonde_int(t, "minutes", 1, 120);
        n++;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) sonde_check(t, s[i] >= e[j] || s[j] >= e[i]);
}
SHRINKS(calendar, "events[{event{start=0 minutes=1}} {event{start=0 minutes=1}}]")

static void weighted(sonde *t)
{
    static const unsigned w[] = {1, 5, 3};
    int c[3] = {0};
    sonde_list xs = sonde_list_of(t, "xs", 0, 30);
    while (sonde_more(&xs)) c[sonde_weighted(t, "k", w, 3)]++;
    sonde_check(t, !(c[2] >= 2 && c[1] >= 1));
}
SHRINKS(weighted, "xs[{k=1} {k=2} {k=2}]")

static void shuffled(sonde *t)
{
    int v[6] = {0, 1, 2, 3, 4, 5};
    sonde_shuffle(t, "order", v, 6, sizeof *v);
    sonde_check(t, v[0] != 3);
}
SHRINKS(shuffled, "order{swap=3 swap=0 swap=0 swap=0 swap=0}")

static void subset(sonde *t)
{
    size_t o[16];
    size_t n = sonde_subset(t, "sub", 10, 0, 10, o);
    bool a = false, b = false;
    for (size_t i = 0; i < n; i++) a |= o[i] == 3, b |= o[i] == 7;
    sonde_check(t, !a || !b);
}
SHRINKS(subset, "sub{members[{member=3} {member=6}]}")

static void unique_numbers(sonde *t)
{
    int64_t v[32];
    size_t n = sonde_unique(t, "set", -1000, 1000, 0, 20, v);
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i] > 0;
    sonde_check(t, sum < 3);
}
SHRINKS(unique_numbers, "set{members[{member=1} {member=2} {member=3}]}")

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursive_expression_shrinks),
        cmocka_unit_test(json_document_shrinks),
        cmocka_unit_test(binary_tree_shrinks),
        cmocka_unit_test(insertion_shrinks),
        cmocka_unit_test(graph_shrinks),
        cmocka_unit_test(heavy_path_shrinks),
        cmocka_unit_test(commands_shrinks),
        cmocka_unit_test(handles_shrinks),
        cmocka_unit_test(nested_boxes_shrinks),
        cmocka_unit_test(query_of_an_address_shrinks),
        cmocka_unit_test(sorted_list_shrinks),
        cmocka_unit_test(filtered_shrinks),
        cmocka_unit_test(flag_loop_shrinks),
        cmocka_unit_test(loop_of_pairs_shrinks),
        cmocka_unit_test(loop_with_one_more_shrinks),
        cmocka_unit_test(matrix_shrinks),
        cmocka_unit_test(records_shrinks),
        cmocka_unit_test(opened_and_closed_shrinks),
        cmocka_unit_test(deep_chain_shrinks),
        cmocka_unit_test(matching_lists_shrinks),
        cmocka_unit_test(sum10_shrinks),
        cmocka_unit_test(increasing_shrinks),
        cmocka_unit_test(increasing_apart_shrinks),
        cmocka_unit_test(decreasing_shrinks),
        cmocka_unit_test(contains_shrinks),
        cmocka_unit_test(contains_twice_shrinks),
        cmocka_unit_test(index_in_shrinks),
        cmocka_unit_test(index_first_shrinks),
        cmocka_unit_test(lengths_shrinks),
        cmocka_unit_test(bank_shrinks),
        cmocka_unit_test(grid_shrinks),
        cmocka_unit_test(calendar_shrinks),
        cmocka_unit_test(weighted_shrinks),
        cmocka_unit_test(shuffled_shrinks),
        cmocka_unit_test(subset_shrinks),
        cmocka_unit_test(unique_numbers_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
