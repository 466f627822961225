/* The minimal counterexamples of many small properties, spelled out, ten seeds each: what people write and what they
 * hope to see. The bounds on calls are generous; bench/shrink.c measures. */
#include "lib/shrinking.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 10, MAX_CALLS = 1000 };

static void shrinks_to(sonde_property_fn *property, const char *expected)
{
    struct shrinking s;
    shrinking_init(&s, property);
    bool loud = getenv("SHRINK_TRACE") != NULL;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        if (!shrinking_find(&s, seed, 0)) fail_msg("seed %llu: no failure found", (unsigned long long)seed);
        const char *text = shrinking_run(&s);
        if (loud)
            print_message("  %llu: %llu calls from %llu\n", (unsigned long long)seed,
                          (unsigned long long)s.result.calls, (unsigned long long)s.start);
        if (loud && strcmp(text, expected)) print_message("  seed %llu: %s\n", (unsigned long long)seed, text);
        else if (strcmp(text, expected) != 0) fail_msg("seed %llu: %s", (unsigned long long)seed, text);
        if (s.result.calls > MAX_CALLS && !loud)
            fail_msg("seed %llu: %llu calls", (unsigned long long)seed, (unsigned long long)s.result.calls);
    }
    shrinking_clear(&s);
}

#define SHRINKS(name, expected)                                                                                        \
    static void name##_shrinks(void **state)                                                                           \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        shrinks_to(name, expected);                                                                                    \
    }

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

/* ---- A binary tree with an invariant: insertion that sends equal keys to the left. */

struct tree {
    int value;
    struct tree *left, *right;
};

static struct tree *draw_tree(sonde *t, int depth)
{
    sonde_span(t, "tree");
    struct tree *n = sonde_new(t, struct tree);
    n->value = sonde_int(t, "value", 0, 100);
    if (depth < 3 && sonde_bool(t, "left")) n->left = draw_tree(t, depth + 1);
    if (depth < 3 && sonde_bool(t, "right")) n->right = draw_tree(t, depth + 1);
    return n;
}

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
    const struct tree *root = draw_tree(t, 0);
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
    struct tree *root = draw_tree(t, 0), *leaf = sonde_new(t, struct tree);
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

static void graph(sonde *t)
{
    size_t n = 0, m = 0, edges[32][2];
    sonde_list nodes = sonde_list_of(t, "nodes", 1, 12);
    while (sonde_more(&nodes)) {
        sonde_int(t, "weight", 0, 1000);
        n++;
    }
    sonde_list list = sonde_list_of(t, "edges", 0, 20);
    while (sonde_more(&list)) {
        edges[m][0] = sonde_pick(t, "from", n);
        edges[m][1] = sonde_pick(t, "to", n);
        m++;
    }
    for (size_t i = 0; i < m; i++)
        sonde_check(t, edges[i][0] == edges[i][1] || !reaches(edges, m, edges[i][1], edges[i][0]));
}
SHRINKS(graph, "nodes[{weight=0} {weight=0}] edges[{from=0 to=1} {from=1 to=0}]")

/* A path of three nodes, the middle one heavy. */
static void heavy_path(sonde *t)
{
    size_t n = 0, m = 0, edges[32][2];
    int weight[16];
    sonde_list nodes = sonde_list_of(t, "nodes", 1, 12);
    while (sonde_more(&nodes)) weight[n++] = sonde_int(t, "weight", 0, 1000);
    sonde_list list = sonde_list_of(t, "edges", 0, 20);
    while (sonde_more(&list)) {
        edges[m][0] = sonde_pick(t, "from", n);
        edges[m][1] = sonde_pick(t, "to", n);
        m++;
    }
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

/* ---- Texts */

static void two_characters(sonde *t)
{
    const char *s = sonde_string(t, "s", 0, 40);
    sonde_check(t, !strchr(s, 'q') || !strchr(s, 'F'));
}
SHRINKS(two_characters, "s=qF")

static void palindrome(sonde *t)
{
    const char *s = sonde_string(t, "s", 0, 40);
    for (size_t n = strlen(s), i = 0; i < n; i++) sonde_check(t, s[i] == s[n - 1 - i]);
}
SHRINKS(palindrome, "s=ab")

static void nested_brackets(sonde *t)
{
    const char *s = sonde_string_of(t, "s", "x()", 0, 30);
    int depth = 0, deepest = 0;
    for (; *s; s++) {
        depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
        if (depth > deepest) deepest = depth;
        sonde_assume(t, depth >= 0);
    }
    sonde_assume(t, depth == 0);
    sonde_check(t, deepest < 3);
}
SHRINKS(nested_brackets, "s=%28%28%28%29%29%29")

static void equal_bytes(sonde *t)
{
    size_t n;
    const uint8_t *b = sonde_bytes(t, "b", 0, 300, &n);
    for (size_t i = 0; i + 1 < n; i++) sonde_check(t, b[i] != b[i + 1] || b[i] < 5);
}
SHRINKS(equal_bytes, "b=0505")

static void length_prefix(sonde *t)
{
    size_t n;
    const uint8_t *b = sonde_bytes(t, "b", 0, 40, &n);
    sonde_check(t, n < 4 || b[0] != n - 1);
}
SHRINKS(length_prefix, "b=03000000")

static void equal_texts(sonde *t)
{
    const char *a = sonde_string_of(t, "a", "ab", 0, 6), *b = sonde_string_of(t, "b", "ab", 0, 6);
    sonde_check(t, strlen(a) < 3 || strcmp(a, b) != 0);
}
SHRINKS(equal_texts, "a=aaa b=aaa")

static void beyond_ascii(sonde *t)
{
    const char *s = sonde_utf8(t, "s", 0, 20);
    for (; *s; s++) sonde_check(t, (unsigned char)*s < 0xe0);
}
SHRINKS(beyond_ascii, "s=%e0%a0%80")

/* ---- Numbers */

static void sum_of_list(sonde *t)
{
    int sum = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 50);
    while (sonde_more(&xs)) sum += sonde_int(t, "x", 0, 600);
    sonde_check(t, sum < 1000);
}
SHRINKS(sum_of_list, "xs[{x=400} {x=600}]")

static void square_of_double(sonde *t)
{
    double x = sonde_double(t, "x", -1e6, 1e6);
    sonde_check(t, x * x <= 2);
}
SHRINKS(square_of_double, "x=2")

static void fraction(sonde *t)
{
    double x = sonde_double(t, "x", -10, 10);
    sonde_check(t, x <= 3 || x >= 4);
}
SHRINKS(fraction, "x=3.5")

static void small_fraction(sonde *t)
{
    double x = sonde_double(t, "x", 0, 1);
    sonde_check(t, x <= 0.1 || x >= 0.2);
}
SHRINKS(small_fraction, "x=0.125")

static void absorbed(sonde *t)
{
    double x = sonde_any_double(t, "x");
    sonde_check(t, isnan(x) || isinf(x) || x + 1 != x);
}
SHRINKS(absorbed, "x=9007199254740992")

static void not_a_number(sonde *t)
{
    double x = sonde_any_double(t, "x");
    sonde_check(t, !isnan(x));
}
SHRINKS(not_a_number, "x=nan")

static void last_digit(sonde *t)
{
    int x = sonde_int(t, "x", 0, INT_MAX);
    sonde_check(t, x % 10 != 7 || x < 100);
}
SHRINKS(last_digit, "x=107")

static void even(sonde *t)
{
    int64_t x = sonde_i64(t, "x", INT64_MIN, INT64_MAX);
    sonde_check(t, x % 2 != 0 || x > -50);
}
SHRINKS(even, "x=-50")

static void common_divisor(sonde *t)
{
    int a = sonde_int(t, "a", 1, 1000), b = sonde_int(t, "b", 1, 1000);
    while (b) {
        int r = a % b;
        a = b;
        b = r;
    }
    sonde_check(t, a < 6);
}
SHRINKS(common_divisor, "a=6 b=6")

static void triangle(sonde *t)
{
    int a = sonde_int(t, "a", 0, 1000), b = sonde_int(t, "b", 0, 1000), c = sonde_int(t, "c", 0, 1000);
    sonde_assume(t, a < b && b < c);
    sonde_check(t, c - a < 50);
}
SHRINKS(triangle, "a=0 b=1 c=50")

static void date(sonde *t)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int y = sonde_int(t, "year", 1970, 2100), m = sonde_int(t, "month", 1, 12), d = sonde_int(t, "day", 1, 31);
    bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    sonde_assume(t, d <= days[m - 1] - (m == 2 && !leap));
    sonde_check(t, m != 2 || d != 29);
}
SHRINKS(date, "year=1972 month=2 day=29")

static void end_before_start(sonde *t)
{
    int64_t a = sonde_i64(t, "start", 0, INT64_C(1) << 40), n = sonde_i64(t, "length", 0, INT64_C(1) << 40);
    sonde_check(t, a + n < (INT64_C(1) << 40) + 12345);
}
SHRINKS(end_before_start, "start=12345 length=1099511627776")

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
    sonde_check(t, height(draw_tree(t, -2)) < 5);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursive_expression_shrinks),
        cmocka_unit_test(json_document_shrinks),
        cmocka_unit_test(insertion_shrinks),
        cmocka_unit_test(binary_tree_shrinks),
        cmocka_unit_test(graph_shrinks),
        cmocka_unit_test(heavy_path_shrinks),
        cmocka_unit_test(commands_shrinks),
        cmocka_unit_test(handles_shrinks),
        cmocka_unit_test(two_characters_shrinks),
        cmocka_unit_test(palindrome_shrinks),
        cmocka_unit_test(nested_brackets_shrinks),
        cmocka_unit_test(equal_bytes_shrinks),
        cmocka_unit_test(length_prefix_shrinks),
        cmocka_unit_test(equal_texts_shrinks),
        cmocka_unit_test(beyond_ascii_shrinks),
        cmocka_unit_test(sum_of_list_shrinks),
        cmocka_unit_test(square_of_double_shrinks),
        cmocka_unit_test(fraction_shrinks),
        cmocka_unit_test(small_fraction_shrinks),
        cmocka_unit_test(absorbed_shrinks),
        cmocka_unit_test(not_a_number_shrinks),
        cmocka_unit_test(last_digit_shrinks),
        cmocka_unit_test(even_shrinks),
        cmocka_unit_test(common_divisor_shrinks),
        cmocka_unit_test(triangle_shrinks),
        cmocka_unit_test(date_shrinks),
        cmocka_unit_test(end_before_start_shrinks),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
