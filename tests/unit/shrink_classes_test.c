/* The minimal counterexamples of properties in which several choices must change at once, spelled out: no pass that
 * looks at one choice can reach them. Structures are in shrink_minimal_test.c, values in shrink_values_test.c. */
#include "unit/shrinks_to.h"

enum { MOST = 64 };

static size_t draw_ints(sonde *t, const char *label, int lo, int hi, int *v)
{
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, label, 0, 30);
    while (sonde_more(&xs)) v[n++] = sonde_int(t, "x", lo, hi);
    return n;
}

/* ---- Picks are names: which are equal matters, not how large they are. */

static void cycle_of_three(sonde *t)
{
    bool edge[8][8] = {{false}};
    sonde_list edges = sonde_list_of(t, "edges", 0, 20);
    while (sonde_more(&edges)) {
        size_t from = sonde_pick(t, "from", 8), to = sonde_pick(t, "to", 8);
        edge[from][to] = true;
    }
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            for (int c = 0; c < 8; c++)
                sonde_check(t, a == b || b == c || a == c || !edge[a][b] || !edge[b][c] || !edge[c][a]);
}
SHRINKS(cycle_of_three, "edges[{from=0 to=1} {from=1 to=2} {from=2 to=0}]")

static void month(sonde *t)
{
    const char *s = sonde_regex(t, "date", "[0-9]{4}-[0-9]{2}-[0-9]{2}");
    sonde_check(t, (s[5] - '0') * 10 + (s[6] - '0') <= 12);
}
SHRINKS(month, "date{char=0 char=0 char=0 char=0 char=1 char=3 char=0 char=0}")

/* ---- Trades */

static void large_product(sonde *t)
{
    int64_t a = sonde_int(t, "a", 0, 1000000), b = sonde_int(t, "b", 0, 1000000);
    sonde_check(t, a * b <= 1000000);
}
SHRINKS(large_product, "a=2 b=500001")

static void partners_at_zero(sonde *t)
{
    int minutes = 60 * sonde_int(t, "hours", 0, 23);
    minutes += sonde_int(t, "minutes", 0, 59);
    sonde_int(t, "zone", -12, 12);
    sonde_check(t, minutes < 599);
}
SHRINKS(partners_at_zero, "hours=9 minutes=59 zone=0")

static void three_digits(sonde *t)
{
    int x = 100 * sonde_int(t, "a", 0, 9);
    x += 10 * sonde_int(t, "b", 0, 9);
    x += sonde_int(t, "c", 0, 9);
    sonde_check(t, x < 297);
}
SHRINKS(three_digits, "a=2 b=9 c=7")

/* ---- Delete one, raise another far */

static void factors(sonde *t)
{
    int f[MOST], n = sonde_int(t, "n", 1, 300), product = 1;
    size_t k = draw_ints(t, "factors", 2, 50, f);
    for (size_t i = 0; i < k && product <= 300; i++) product *= f[i];
    sonde_assume(t, product == n);
    sonde_check(t, n <= 40);
}
SHRINKS(factors, "n=41 factors[{x=41}]")

static void remainder_of_one(sonde *t)
{
    int x = sonde_int(t, "x", 0, 5000);
    sonde_check(t, x % 13 != 5 || x < 700);
}
SHRINKS(remainder_of_one, "x=707")

/* ---- Two parts of one length */

static void dot_product(sonde *t)
{
    int a[MOST], b[MOST], sum = 0;
    size_t n = draw_ints(t, "a", 0, 100, a), m = draw_ints(t, "b", 0, 100, b);
    sonde_assume(t, n == m);
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    sonde_check(t, sum <= 1000);
}
SHRINKS(dot_product, "a[{x=11}] b[{x=91}]")

static void text_and_numbers(sonde *t)
{
    int v[MOST];
    const char *s = sonde_string_of(t, "s", "abc", 0, 20);
    size_t n = draw_ints(t, "v", 0, 9, v), found = 0;
    sonde_assume(t, strlen(s) == n);
    for (size_t i = 0; i < n; i++) found += s[i] == 'c' && v[i] > 4;
    sonde_check(t, found < 2);
}
SHRINKS(text_and_numbers, "s=cc v[{x=5} {x=5}]")

/* ---- A sum over a payload */

static void stored_sum(sonde *t)
{
    int v[MOST], sum = 0;
    size_t n = draw_ints(t, "payload", 0, 255, v), large = 0;
    for (size_t i = 0; i < n; i++) {
        sum += v[i];
        large += v[i] >= 100;
    }
    sonde_assume(t, sonde_int(t, "stored", 0, 255) == sum % 256);
    sonde_check(t, large < 2);
}
SHRINKS(stored_sum, "payload[{x=100} {x=100}] stored=200")

static void exclusive_or(sonde *t)
{
    size_t n;
    int stored = sonde_int(t, "stored", 0, 255), sum = 0;
    const uint8_t *b = sonde_bytes(t, "b", 0, 30, &n);
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        sum ^= b[i];
        found |= b[i] >= 0x9a;
    }
    sonde_assume(t, sum == stored);
    sonde_check(t, !found);
}
SHRINKS(exclusive_or, "stored=154 b=9a")

static void sum_in_the_last_byte(sonde *t)
{
    size_t n;
    const uint8_t *b = sonde_bytes(t, "b", 1, 30, &n);
    unsigned sum = 0, large = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        sum += b[i];
        large += b[i] >= 0x40;
    }
    sonde_assume(t, b[n - 1] == sum % 256);
    sonde_check(t, large < 2);
}
SHRINKS(sum_in_the_last_byte, "b=404080")

/* ---- Binders: variables count the binders between; an application of two variables of different binders. */

struct term {
    enum { VARIABLE, BINDER, APPLICATION } kind;
    int level;
    struct term *left, *right;
};

static struct term *draw_term(sonde *t, int depth, int fuel)
{
    sonde_span(t, "term");
    struct term *e = sonde_new(t, struct term);
    e->kind = depth == 0 ? BINDER : fuel ? (int)sonde_pick(t, "kind", 3) : VARIABLE;
    if (e->kind == VARIABLE) {
        e->level = depth - (int)sonde_pick(t, "index", (size_t)depth);
        return e;
    }
    e->left = draw_term(t, depth + (e->kind == BINDER), fuel - 1);
    if (e->kind == APPLICATION) e->right = draw_term(t, depth, fuel - 1);
    return e;
}

static bool applies_outward(const struct term *e)
{
    if (e->kind == VARIABLE) return false;
    if (e->kind == BINDER) return applies_outward(e->left);
    bool here = e->left->kind == VARIABLE && e->right->kind == VARIABLE && e->left->level > e->right->level + 1;
    return here || applies_outward(e->left) || applies_outward(e->right);
}

static void binders(sonde *t)
{
    sonde_check(t, !applies_outward(draw_term(t, 0, 11)));
}
SHRINKS(binders, "term{term{kind=1 term{kind=1 term{kind=2 term{kind=0 index=0} term{kind=0 index=2}}}}}")

/* ---- Values that must stay equal or congruent: keys of a hash map, names in a cache. */

static void one_bucket(sonde *t)
{
    int key[MOST], op[MOST];
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "commands", 0, 30);
    while (sonde_more(&xs)) {
        op[n] = (int)sonde_pick(t, "op", 3);
        key[n++] = sonde_int(t, "key", 0, 19);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            for (size_t l = k + 1; l < n; l++) {
                bool is_bug = op[i] == 0 && op[k] == 0 && op[l] == 2 && key[l] == key[i];
                sonde_check(t, !is_bug || key[i] == key[k] || (key[i] - key[k]) % 4 != 0);
            }
}
SHRINKS(one_bucket, "commands[{op=0 key=0} {op=0 key=4} {op=2 key=0}]")

static void names(sonde *t)
{
    int key[MOST];
    size_t n = draw_ints(t, "keys", 0, 9, key);
    for (size_t i = 0; i + 4 < n; i++) {
        const int *k = key + i;
        bool is_bug = k[0] == k[2] && k[1] == k[4] && k[0] != k[1] && k[3] != k[0] && k[3] != k[1];
        sonde_check(t, !is_bug);
    }
}
SHRINKS(names, "keys[{x=0} {x=1} {x=0} {x=2} {x=1}]")

static void equal_and_odd(sonde *t)
{
    int v[MOST];
    size_t n = draw_ints(t, "v", 0, 60, v);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) sonde_check(t, v[i] != v[k] || v[i] % 7 != 3 || v[i] < 11);
}
SHRINKS(equal_and_odd, "v[{x=17} {x=17}]")

/* ---- Parts in another order */

static void two_words(sonde *t)
{
    const char *s = sonde_string_of(t, "s", "abfor", 0, 40);
    sonde_check(t, !strstr(s, "foo") || !strstr(s, "bar"));
}
SHRINKS(two_words, "s=barfoo")

static void two_runs(sonde *t)
{
    int v[MOST];
    size_t n = draw_ints(t, "v", 0, 4, v);
    bool high = false, low = false;
    for (size_t i = 0; i + 1 < n; i++) {
        high |= v[i] == 2 && v[i + 1] == 4;
        low |= v[i] == 1 && v[i + 1] == 3;
    }
    sonde_check(t, !high || !low);
}
SHRINKS(two_runs, "v[{x=1} {x=3} {x=2} {x=4}]")

/* The contents of two lists are exchanged, whatever their labels are. */
static void lists_change_over(sonde *t)
{
    int a[MOST], b[MOST];
    size_t n = draw_ints(t, "a", 0, 30, a), m = draw_ints(t, "b", 0, 30, b);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++) sonde_check(t, a[i] != b[k] || a[i] < 7 || n == m);
}
SHRINKS(lists_change_over, "a[{x=7}] b[{x=0} {x=7}]")

static void texts_change_over(sonde *t)
{
    const char *a = sonde_string_of(t, "a", "ab", 0, 8), *b = sonde_string_of(t, "b", "ab", 0, 8);
    sonde_check(t, strlen(a) != strlen(b) || strlen(a) < 2 || strcmp(a, b) == 0);
}
SHRINKS(texts_change_over, "a=aa b=ab")

/* ---- One factor */

static void one_ratio(sonde *t)
{
    int a = sonde_int(t, "a", 1, 300), b = sonde_int(t, "b", 1, 300);
    sonde_check(t, 3 * a != 2 * b || a < 30);
}
SHRINKS(one_ratio, "a=30 b=45")

static void three_in_ratio(sonde *t)
{
    int a = sonde_int(t, "a", 1, 80), other = sonde_int(t, "other", 0, 9), b = sonde_int(t, "b", 1, 80);
    int c = sonde_int(t, "c", 1, 80);
    sonde_check(t, a < 7 || b != 2 * a || c != a || other < 3);
}
SHRINKS(three_in_ratio, "a=7 other=3 b=14 c=7")

/* ---- Rows and columns that user code counts */

/* Column 2 of some row is above its neighbour: the other columns and rows may go, also those before it. */
static void rising_row(sonde *t)
{
    int rows = sonde_int(t, "rows", 1, 4), columns = sonde_int(t, "columns", 1, 4), v[4][4] = {{0}};
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) v[y][x] = sonde_int(t, "v", 0, 9);
    for (int y = 0; y < rows; y++)
        for (int x = 1; x < columns; x++) sonde_check(t, v[y][x] - v[y][x - 1] < 5);
}
SHRINKS(rising_row, "rows=1 columns=2 v=0 v=5")

static void first_and_last(sonde *t)
{
    int columns = sonde_int(t, "columns", 1, 4), v[5][4] = {{0}};
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < columns; x++) v[y][x] = sonde_int(t, "v", 0, 99);
    sonde_check(t, v[0][0] < 20 || v[4][columns - 1] < v[0][0] + 60);
}
SHRINKS(first_and_last, "columns=1 v=20 v=0 v=0 v=0 v=80")

/* The least of its row and the greatest of its column: rows are exchanged as a whole. */
static void saddle(sonde *t)
{
    int rows = sonde_int(t, "rows", 2, 3), columns = sonde_int(t, "columns", 2, 3), v[3][3] = {{0}};
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) v[y][x] = sonde_int(t, "v", 0, 9);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            bool is = v[y][x] >= 3;
            for (int k = 0; k < columns; k++) is &= k == x || v[y][k] > v[y][x];
            for (int k = 0; k < rows; k++) is &= k == y || v[k][x] < v[y][x];
            sonde_check(t, !is);
        }
}
SHRINKS(saddle, "rows=2 columns=2 v=0 v=0 v=3 v=4")

/* ---- Two doubles that belong together */

static void close_doubles(sonde *t)
{
    double a = sonde_double(t, "a", 0, 100), b = sonde_double(t, "b", 0, 100);
    sonde_check(t, a >= b || b - a >= 1 || b <= 30.25);
}
SHRINKS(close_doubles, "a=30 b=30.5")

/* ---- Two symbols of one string */

static void matched(sonde *t)
{
    const char *s = sonde_string_of(t, "s", "()[]", 0, 8);
    sonde_check(t, strlen(s) != 3 || s[0] != '(' || !((s[1] == '(' && s[2] == ')') || (s[1] == '[' && s[2] == ']')));
}
SHRINKS(matched, "s=%28%28%29")

/* ---- An alternative in place of another that draws more */

/* Runs one instruction: push a number, copy the top, or add the two at the top. */
static void step(sonde *t, int64_t *stack, int *n)
{
    size_t op = sonde_pick(t, "op", 3);
    sonde_assume(t, op == 0 || *n > (op == 2));
    if (op == 0) stack[(*n)++] = sonde_int(t, "v", 0, 200);
    else if (op == 1) stack[*n] = stack[*n - 1], ++*n;
    else --*n, stack[*n - 1] += stack[*n];
}

static void copy_for_push(sonde *t)
{
    int64_t stack[MOST] = {0};
    int n = 0;
    sonde_list ops = sonde_list_of(t, "ops", 0, 20);
    while (sonde_more(&ops)) {
        step(t, stack, &n);
        sonde_check(t, n == 0 || stack[n - 1] < 300);
    }
}
SHRINKS(copy_for_push, "ops[{op=0 v=150} {op=1} {op=2}]")

static void copy_in_a_loop(sonde *t)
{
    int64_t stack[MOST] = {0};
    int n = 0, count = sonde_int(t, "count", 0, 20);
    while (count-- > 0) {
        step(t, stack, &n);
        sonde_check(t, n == 0 || stack[n - 1] < 300);
    }
}
SHRINKS(copy_in_a_loop, "count=3 op=0 v=150 op=1 op=2")

/* Two registers are compared; one instruction loads a number, another copies the other register. */
static void copy_a_register(sonde *t)
{
    int value[2] = {0, 1};
    sonde_list ops = sonde_list_of(t, "ops", 0, 12);
    while (sonde_more(&ops)) {
        bool is_second = sonde_pick(t, "to", 2) == 1;
        bool is_copy = sonde_pick(t, "what", 2) == 1;
        value[is_second] = is_copy ? value[!is_second] : sonde_int(t, "v", 0, 1000000);
        sonde_check(t, value[0] != value[1] || value[0] < 1000);
    }
}
SHRINKS(copy_a_register, "ops[{to=0 what=0 v=1000} {to=1 what=1}]")

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycle_of_three_shrinks),
        cmocka_unit_test(month_shrinks),
        cmocka_unit_test(large_product_shrinks),
        cmocka_unit_test(partners_at_zero_shrinks),
        cmocka_unit_test(three_digits_shrinks),
        cmocka_unit_test(factors_shrinks),
        cmocka_unit_test(remainder_of_one_shrinks),
        cmocka_unit_test(dot_product_shrinks),
        cmocka_unit_test(text_and_numbers_shrinks),
        cmocka_unit_test(stored_sum_shrinks),
        cmocka_unit_test(exclusive_or_shrinks),
        cmocka_unit_test(sum_in_the_last_byte_shrinks),
        cmocka_unit_test(binders_shrinks),
        cmocka_unit_test(one_bucket_shrinks),
        cmocka_unit_test(names_shrinks),
        cmocka_unit_test(equal_and_odd_shrinks),
        cmocka_unit_test(two_words_shrinks),
        cmocka_unit_test(two_runs_shrinks),
        cmocka_unit_test(lists_change_over_shrinks),
        cmocka_unit_test(texts_change_over_shrinks),
        cmocka_unit_test(one_ratio_shrinks),
        cmocka_unit_test(three_in_ratio_shrinks),
        cmocka_unit_test(rising_row_shrinks),
        cmocka_unit_test(first_and_last_shrinks),
        cmocka_unit_test(saddle_shrinks),
        cmocka_unit_test(close_doubles_shrinks),
        cmocka_unit_test(matched_shrinks),
        cmocka_unit_test(copy_for_push_shrinks),
        cmocka_unit_test(copy_in_a_loop_shrinks),
        cmocka_unit_test(copy_a_register_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
