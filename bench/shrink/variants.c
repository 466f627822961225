/* See variants.h. A shape is a property and the function that draws its numbers; of each class there are three. */
#include "shrink/variants.h"

#include <sonde/extend.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

static int between(struct sonde_rng *rng, int lo, int hi)
{
    return lo + (int)sonde_rng_upto(rng, (uint64_t)(hi - lo));
}

__attribute__((format(printf, 2, 3))) static void put(struct variant *v, const char *format, ...)
{
    size_t n = strlen(v->minimal);
    va_list args;
    va_start(args, format);
    vsnprintf(v->minimal + n, sizeof v->minimal - n, format, args);
    va_end(args);
}

#define VARIANT(t) const struct variant *v = sonde_context(t)

static size_t draw_list(sonde *t, const char *list, const char *label, const int range[2], int *out)
{
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, list, 0, MOST);
    while (sonde_more(&xs)) out[n++] = sonde_int(t, label, range[0], range[1]);
    return n;
}

/* ---- Picks: names of things, not quantities. */

/* A cycle of exactly n[1] of n[0] nodes. */
static bool has_cycle(bool (*edge)[16], int nodes, int length, const int *path, int n)
{
    if (n == length) return edge[path[n - 1]][path[0]];
    for (int next = 0; next < nodes; next++) {
        int longer[8];
        bool is_new = n == 0 || edge[path[n - 1]][next];
        for (int i = 0; i < n; i++) is_new &= path[i] != next;
        if (!is_new) continue;
        if (n) memcpy(longer, path, (size_t)n * sizeof *longer);
        longer[n] = next;
        if (has_cycle(edge, nodes, length, longer, n + 1)) return true;
    }
    return false;
}

static void cycle(sonde *t)
{
    VARIANT(t);
    bool edge[16][16] = {{false}};
    sonde_list edges = sonde_list_of(t, v->label[0], 0, 24);
    while (sonde_more(&edges)) {
        size_t from = sonde_pick(t, v->label[1], (size_t)v->n[0]), to = sonde_pick(t, v->label[2], (size_t)v->n[0]);
        edge[from][to] = true;
    }
    sonde_check(t, !has_cycle(edge, v->n[0], v->n[1], NULL, 0));
}

static void make_cycle(struct sonde_rng *rng, struct variant *v)
{
    v->run = cycle;
    v->n[0] = between(rng, 6, 9);
    v->n[1] = between(rng, 3, 4);
    put(v, "%s[", v->label[0]);
    for (int i = 0; i < v->n[1]; i++)
        put(v, "%s{%s=%d %s=%d}", i ? " " : "", v->label[1], i, v->label[2], (i + 1) % v->n[1]);
    put(v, "]");
}

/* Characters of a pattern: the field in the middle is a number that must not exceed n[0]. */
static void field(sonde *t)
{
    VARIANT(t);
    const char *s = sonde_regex(t, v->label[0], v->n[1] == 2 ? "[0-9]{4}-[0-9]{2}-[0-9]{2}" : "[0-9]{2}:[0-9]{3}");
    int x = 0;
    const char *at = s + (v->n[1] == 2 ? 5 : 3);
    for (int i = 0; i < v->n[1]; i++) x = 10 * x + (at[i] - '0');
    sonde_check(t, x <= v->n[0]);
}

static void make_field(struct sonde_rng *rng, struct variant *v)
{
    v->run = field;
    v->n[1] = between(rng, 2, 3);
    v->n[0] = v->n[1] == 2 ? between(rng, 11, 88) : between(rng, 110, 880);
    v->word[0][0] = 0;
    put(v, "%s{", v->label[0]);
    char text[16];
    snprintf(text, sizeof text, v->n[1] == 2 ? "0000%02d00" : "00%03d", v->n[0] + 1);
    for (const char *c = text; *c; c++) put(v, "%schar=%d", c == text ? "" : " ", *c - '0');
    put(v, "}");
}

/* A path: some value that was picked n[1] times, then another, then the first again. */
static void again(sonde *t)
{
    VARIANT(t);
    int p[MOST], n = 0;
    sonde_list xs = sonde_list_of(t, v->label[0], 0, 20);
    while (sonde_more(&xs)) p[n++] = (int)sonde_pick(t, v->label[1], (size_t)v->n[0]);
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++)
            for (int l = k + 1; l < n; l++) sonde_check(t, p[i] != p[l] || p[i] + v->n[1] > p[k]);
}

static void make_again(struct sonde_rng *rng, struct variant *v)
{
    v->run = again;
    v->n[0] = between(rng, 6, 20);
    v->n[1] = between(rng, 2, 5);
    put(v, "%s[{%s=0} {%s=%d} {%s=0}]", v->label[0], v->label[1], v->label[1], v->n[1], v->label[1]);
}

/* ---- Trades: one number can be lower if another is higher. */

static void product_of(sonde *t)
{
    VARIANT(t);
    int64_t a = sonde_int(t, v->label[0], 0, v->n[1]), b = sonde_int(t, v->label[1], 0, v->n[1]);
    sonde_check(t, a * b <= v->n[0]);
}

static void make_product(struct sonde_rng *rng, struct variant *v)
{
    v->run = product_of;
    v->n[1] = between(rng, 1000, 1000000);
    v->n[0] = between(rng, v->n[1], v->n[1] * 15);
    int a = v->n[0] / v->n[1] + 1;
    put(v, "%s=%d %s=%d", v->label[0], a, v->label[1], v->n[0] / a + 1);
}

/* Draws that are the digits of a number. */
static void digits(sonde *t)
{
    VARIANT(t);
    int x = 0;
    for (int i = 0; i < 3; i++) x = 10 * x + sonde_int(t, v->label[i], 0, 9);
    sonde_int(t, v->label[3], 0, 1000);
    sonde_check(t, x < v->n[0]);
}

static void make_digits(struct sonde_rng *rng, struct variant *v)
{
    v->run = digits;
    v->n[0] = between(rng, 11, 799);
    put(v, "%s=%d %s=%d %s=%d %s=0", v->label[0], v->n[0] / 100, v->label[1], v->n[0] / 10 % 10, v->label[2],
        v->n[0] % 10, v->label[3]);
}

/* A weighted sum: n[1] of the first are worth one of the last. */
static void weighted_sum(sonde *t)
{
    VARIANT(t);
    int64_t a = sonde_int(t, v->label[0], 0, 1000), b = sonde_int(t, v->label[1], 0, 1000);
    bool c = sonde_bool(t, v->label[2]);
    sonde_check(t, c || v->n[1] * a + b < v->n[0]);
}

static void make_weighted_sum(struct sonde_rng *rng, struct variant *v)
{
    v->run = weighted_sum;
    v->n[1] = between(rng, 2, 20);
    v->n[0] = between(rng, 200, 900) + (int)sonde_rng_upto(rng, 1) * 1000;
    int rest = v->n[0] > 1000 ? v->n[0] - 1000 : 0, a = (rest + v->n[1] - 1) / v->n[1];
    put(v, "%s=%d %s=%d %s=no", v->label[0], a, v->label[1], v->n[0] - v->n[1] * a > 0 ? v->n[0] - v->n[1] * a : 0,
        v->label[2]);
}

/* ---- Delete one, raise another far. */

static void factors(sonde *t)
{
    VARIANT(t);
    int f[MOST];
    int n = sonde_int(t, v->label[0], 1, 400);
    size_t k = draw_list(t, v->label[1], v->label[2], (int[]){2, v->n[1]}, f);
    int64_t product = 1;
    for (size_t i = 0; i < k && product < 1000; i++) product *= f[i];
    sonde_assume(t, product == n);
    sonde_check(t, n < v->n[0]);
}

static void make_factors(struct sonde_rng *rng, struct variant *v)
{
    v->run = factors;
    v->n[1] = between(rng, 40, 80);
    v->n[0] = between(rng, 20, v->n[1] - 1);
    put(v, "%s=%d %s[{%s=%d}]", v->label[0], v->n[0], v->label[1], v->label[2], v->n[0]);
}

static void addends(sonde *t)
{
    VARIANT(t);
    int f[MOST];
    size_t k = draw_list(t, v->label[1], v->label[2], (int[]){1, v->n[1]}, f);
    int n = sonde_int(t, v->label[0], 0, 300), sum = 0;
    for (size_t i = 0; i < k; i++) sum += f[i];
    sonde_assume(t, sum == n);
    sonde_check(t, n < v->n[0]);
}

static void make_addends(struct sonde_rng *rng, struct variant *v)
{
    v->run = addends;
    v->n[1] = between(rng, 20, 60);
    v->n[0] = between(rng, 15, 2 * v->n[1]);
    put(v, "%s[", v->label[1]);
    int left = v->n[0], k = (left + v->n[1] - 1) / v->n[1];
    for (; k > 0; k--) {
        int x = left - (k - 1) * v->n[1] > 1 ? left - (k - 1) * v->n[1] : 1;
        put(v, "%s{%s=%d}", left == v->n[0] ? "" : " ", v->label[2], x);
        left -= x;
    }
    put(v, "] %s=%d", v->label[0], v->n[0]);
}

/* Squares: an item can go if another is raised to more than the sum. */
static void squares(sonde *t)
{
    VARIANT(t);
    int f[MOST];
    size_t k = draw_list(t, v->label[0], v->label[1], (int[]){0, v->n[1]}, f);
    int64_t sum = 0;
    for (size_t i = 0; i < k; i++) sum += f[i] % 4 == v->n[2] ? (int64_t)f[i] * f[i] : 0;
    sonde_check(t, sum < v->n[0]);
}

static void make_squares(struct sonde_rng *rng, struct variant *v)
{
    v->run = squares;
    v->n[1] = between(rng, 40, 400);
    v->n[2] = between(rng, 0, 3);
    v->n[0] = between(rng, v->n[1] * v->n[1] / 5, v->n[1] * v->n[1] / 2);
    int x = 0;
    while (x % 4 != v->n[2] || x * x < v->n[0]) x++;
    put(v, "%s[{%s=%d}]", v->label[0], v->label[1], x);
}

/* ---- Parts of one length. */

static void dot_product(sonde *t)
{
    VARIANT(t);
    int a[MOST], b[MOST];
    size_t n = draw_list(t, v->label[0], v->label[2], (int[]){0, v->n[1]}, a);
    size_t m = draw_list(t, v->label[1], v->label[2], (int[]){0, v->n[1]}, b);
    int64_t sum = 0;
    sonde_assume(t, n == m);
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    sonde_check(t, sum <= v->n[0]);
}

static void make_dot_product(struct sonde_rng *rng, struct variant *v)
{
    v->run = dot_product;
    v->n[1] = between(rng, 50, 200);
    v->n[0] = between(rng, 5 * v->n[1], 40 * v->n[1]);
    int a = v->n[0] / v->n[1] + 1;
    put(v, "%s[{%s=%d}] %s[{%s=%d}]", v->label[0], v->label[2], a, v->label[1], v->label[2], v->n[0] / a + 1);
}

static void three_lists(sonde *t)
{
    VARIANT(t);
    int x[3][MOST];
    size_t n[3];
    int large = 0;
    for (int i = 0; i < 3; i++) {
        n[i] = draw_list(t, v->label[i], v->label[3], (int[]){0, 100}, x[i]);
        sonde_assume(t, n[i] == n[0]);
    }
    for (size_t i = 0; i < n[0]; i++) large += x[0][i] < x[1][i] && x[1][i] + v->n[0] < x[2][i];
    sonde_check(t, large < v->n[1]);
}

static void make_three_lists(struct sonde_rng *rng, struct variant *v)
{
    v->run = three_lists;
    v->n[0] = between(rng, 3, 40);
    v->n[1] = between(rng, 1, 2);
    const int least[3] = {0, 1, v->n[0] + 2};
    for (int i = 0; i < 3; i++) {
        put(v, "%s%s[", i ? " " : "", v->label[i]);
        for (int k = 0; k < v->n[1]; k++) put(v, "%s{%s=%d}", k ? " " : "", v->label[3], least[i]);
        put(v, "]");
    }
}

/* A string and a list: one number for each character. */
static void text_and_list(sonde *t)
{
    VARIANT(t);
    int x[MOST], sum = 0;
    const char *s = sonde_string_of(t, v->label[0], "xyz", 0, 30);
    size_t n = draw_list(t, v->label[1], v->label[2], (int[]){0, 100}, x);
    sonde_assume(t, strlen(s) == n);
    for (size_t i = 0; i < n; i++) sum += s[i] == 'z' && x[i] >= v->n[0];
    sonde_check(t, sum < v->n[1]);
}

static void make_text_and_list(struct sonde_rng *rng, struct variant *v)
{
    v->run = text_and_list;
    v->n[0] = between(rng, 5, 90);
    v->n[1] = between(rng, 1, 3);
    put(v, "%s=%.*s %s[", v->label[0], v->n[1], "zzz", v->label[1]);
    for (int i = 0; i < v->n[1]; i++) put(v, "%s{%s=%d}", i ? " " : "", v->label[2], v->n[0]);
    put(v, "]");
}

/* ---- A sum over a payload. */

static void sum_behind(sonde *t)
{
    VARIANT(t);
    int x[MOST], sum = 0, large = 0;
    size_t n = draw_list(t, v->label[0], v->label[1], (int[]){0, 255}, x);
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        large += x[i] >= v->n[0];
    }
    sonde_assume(t, sonde_int(t, v->label[2], 0, 255) == sum % 256);
    sonde_check(t, large < v->n[1]);
}

static void make_sum_behind(struct sonde_rng *rng, struct variant *v)
{
    v->run = sum_behind;
    v->n[0] = between(rng, 20, 250);
    v->n[1] = between(rng, 1, 2);
    put(v, "%s[", v->label[0]);
    for (int i = 0; i < v->n[1]; i++) put(v, "%s{%s=%d}", i ? " " : "", v->label[1], v->n[0]);
    put(v, "] %s=%d", v->label[2], v->n[0] * v->n[1] % 256);
}

static void xor_before(sonde *t)
{
    VARIANT(t);
    int stored = sonde_int(t, v->label[0], 0, 255), sum = 0;
    size_t n;
    const uint8_t *x = sonde_bytes(t, v->label[1], 0, 40, &n);
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        sum ^= x[i];
        found |= x[i] == v->n[0];
    }
    sonde_assume(t, sum == stored);
    sonde_check(t, !found);
}

static void make_xor_before(struct sonde_rng *rng, struct variant *v)
{
    v->run = xor_before;
    v->n[0] = between(rng, 1, 255);
    put(v, "%s=%d %s=%02x", v->label[0], v->n[0], v->label[1], v->n[0]);
}

/* The sum is the last byte of the blob itself. */
static void sum_inside(sonde *t)
{
    VARIANT(t);
    size_t n;
    const uint8_t *x = sonde_bytes(t, v->label[0], 1, 30, &n);
    unsigned sum = 0, large = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        sum += x[i];
        large += x[i] >= v->n[0];
    }
    sonde_assume(t, x[n - 1] == sum % 256);
    sonde_check(t, large < 2);
}

static void make_sum_inside(struct sonde_rng *rng, struct variant *v)
{
    v->run = sum_inside;
    v->n[0] = between(rng, 20, 250);
    put(v, "%s=%02x%02x%02x", v->label[0], v->n[0], v->n[0], 2 * v->n[0] % 256);
}

/* ---- Binders. A term: a variable (how many binders lie between), a binder, an application. */

struct term {
    enum { VARIABLE, BINDER, APPLICATION } kind;
    int index, level;
    struct term *left, *right;
};

static struct term *draw_term(sonde *t, const struct variant *v, int depth, int fuel)
{
    sonde_span(t, v->label[0]);
    struct term *e = sonde_new(t, struct term);
    e->kind = depth == 0 ? BINDER : fuel ? (int)sonde_pick(t, v->label[1], 3) : VARIABLE;
    if (e->kind == VARIABLE) {
        e->index = (int)sonde_pick(t, v->label[2], (size_t)depth);
        e->level = depth - e->index;
        return e;
    }
    e->left = draw_term(t, v, depth + (e->kind == BINDER), fuel ? fuel - 1 : 0);
    if (e->kind == APPLICATION) e->right = draw_term(t, v, depth, fuel ? fuel - 1 : 0);
    return e;
}

static bool applies(const struct term *e, int apart)
{
    if (e->kind == VARIABLE) return false;
    if (e->kind == BINDER) return applies(e->left, apart);
    bool here = e->left->kind == VARIABLE && e->right->kind == VARIABLE && e->left->level >= e->right->level + apart;
    return here || applies(e->left, apart) || applies(e->right, apart);
}

/* A variable applied to one that was bound further out. */
static void application(sonde *t)
{
    VARIANT(t);
    sonde_check(t, !applies(draw_term(t, v, 0, 11), v->n[0]));
}

static void make_application(struct sonde_rng *rng, struct variant *v)
{
    v->run = application;
    v->n[0] = between(rng, 1, 2);
    put(v, "%s{", v->label[0]);
    for (int i = 0; i < v->n[0]; i++) put(v, "%s{%s=1 ", v->label[0], v->label[1]);
    put(v, "%s{%s=2 %s{%s=0 %s=0} %s{%s=0 %s=%d}}", v->label[0], v->label[1], v->label[0], v->label[1], v->label[2],
        v->label[0], v->label[1], v->label[2], v->n[0]);
    for (int i = 0; i <= v->n[0]; i++) put(v, "}");
}

/* A variable that is not bound by the nearest n[0] binders, under an application. */
static bool is_far(const struct term *e, int index, bool applied)
{
    if (e->kind == VARIABLE) return applied && e->index >= index;
    if (e->kind == BINDER) return is_far(e->left, index, applied);
    return is_far(e->left, index, true) || is_far(e->right, index, false);
}

static void far_variable(sonde *t)
{
    VARIANT(t);
    sonde_check(t, !is_far(draw_term(t, v, 0, 11), v->n[0], false));
}

static void make_far_variable(struct sonde_rng *rng, struct variant *v)
{
    v->run = far_variable;
    v->n[0] = between(rng, 1, 3);
    put(v, "%s{", v->label[0]);
    for (int i = 0; i < v->n[0]; i++) put(v, "%s{%s=1 ", v->label[0], v->label[1]);
    put(v, "%s{%s=2 %s{%s=0 %s=%d} %s{%s=0 %s=0}}", v->label[0], v->label[1], v->label[0], v->label[1], v->label[2],
        v->n[0], v->label[0], v->label[1], v->label[2]);
    for (int i = 0; i <= v->n[0]; i++) put(v, "}");
}

/* Three variables of one binder each, in a row of applications. */
static int rows(const struct term *e, int levels[3], int n)
{
    if (e->kind == VARIABLE) {
        for (int i = 0; i < n && i < 3; i++)
            if (levels[i] == e->level) return 4;
        if (n < 3) levels[n] = e->level;
        return n + 1;
    }
    if (e->kind == BINDER) return 4;
    n = rows(e->left, levels, n);
    return n < 4 ? rows(e->right, levels, n) : n;
}

static bool has_row(const struct term *e, int want)
{
    int levels[3];
    if (e->kind == VARIABLE) return false;
    if (e->kind == APPLICATION && rows(e, levels, 0) == want) return true;
    return has_row(e->left, want) || (e->right && has_row(e->right, want));
}

static void row_of_variables(sonde *t)
{
    VARIANT(t);
    sonde_check(t, !has_row(draw_term(t, v, 0, 11), v->n[0]));
}

static void make_row(struct sonde_rng *rng, struct variant *v)
{
    v->run = row_of_variables;
    v->n[0] = between(rng, 2, 3);
    put(v, "%s{", v->label[0]);
    for (int i = 1; i < v->n[0]; i++) put(v, "%s{%s=1 ", v->label[0], v->label[1]);
    for (int i = 1; i < v->n[0]; i++) {
        put(v, "%s{%s=2 %s{%s=0 %s=%d} ", v->label[0], v->label[1], v->label[0], v->label[1], v->label[2], i - 1);
    }
    put(v, "%s{%s=0 %s=%d}", v->label[0], v->label[1], v->label[2], v->n[0] - 1);
    for (int i = 1; i < v->n[0]; i++) put(v, "}}");
    put(v, "}");
}

/* ---- Values that must stay equal, or congruent. */

static size_t draw_keys(sonde *t, const struct variant *v, int *key, int *op)
{
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, v->label[0], 0, 30);
    while (sonde_more(&xs)) {
        op[n] = (int)sonde_pick(t, v->label[1], 3);
        key[n++] = sonde_int(t, v->label[2], 0, v->n[0]);
    }
    return n;
}

/* A key is put (0), then one of its bucket, and then the first is taken (2). */
static void buckets(sonde *t)
{
    VARIANT(t);
    int key[MOST], op[MOST];
    size_t n = draw_keys(t, v, key, op);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            for (size_t l = k + 1; l < n; l++)
                sonde_check(t, op[i] != 0 || op[k] != 1 || op[l] != 2 || key[i] != key[l] || key[k] == key[i]
                                   || (key[k] - key[i]) % v->n[1] != 0);
}

static void make_buckets(struct sonde_rng *rng, struct variant *v)
{
    v->run = buckets;
    v->n[0] = between(rng, 15, 40);
    v->n[1] = between(rng, 3, 9);
    put(v, "%s[{%s=0 %s=0} {%s=1 %s=%d} {%s=2 %s=0}]", v->label[0], v->label[1], v->label[2], v->label[1], v->label[2],
        v->n[1], v->label[1], v->label[2]);
}

/* Names: x y x z, whatever they are. */
static void names(sonde *t)
{
    VARIANT(t);
    int key[MOST];
    size_t n = draw_list(t, v->label[0], v->label[1], (int[]){0, v->n[0]}, key);
    for (size_t i = 0; i + 3 < n; i++) {
        const int *k = key + i;
        sonde_check(t, k[0] != k[2] || k[0] == k[1] || k[3] == k[0] || k[3] == k[1]);
    }
}

static void make_names(struct sonde_rng *rng, struct variant *v)
{
    v->run = names;
    v->n[0] = between(rng, 5, 12);
    put(v, "%s[{%s=0} {%s=1} {%s=0} {%s=2}]", v->label[0], v->label[1], v->label[1], v->label[1], v->label[1]);
}

/* Three equal ones with a remainder. */
static void equal_remainder(sonde *t)
{
    VARIANT(t);
    int x[MOST];
    size_t n = draw_list(t, v->label[0], v->label[1], (int[]){0, 60}, x);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) sonde_check(t, x[i] != x[k] || x[i] % v->n[0] != v->n[1] || x[i] < v->n[2]);
}

static void make_equal_remainder(struct sonde_rng *rng, struct variant *v)
{
    v->run = equal_remainder;
    v->n[0] = between(rng, 3, 17);
    v->n[1] = between(rng, 0, v->n[0] - 1);
    v->n[2] = between(rng, 1, 30);
    int x = v->n[2];
    while (x % v->n[0] != v->n[1]) x++;
    put(v, "%s[{%s=%d} {%s=%d}]", v->label[0], v->label[1], x, v->label[1], x);
}

/* ---- Parts in another order. */

/* A string that contains two words, of letters that the other has not. */
static void two_words(sonde *t)
{
    VARIANT(t);
    const char *s = sonde_string_of(t, v->label[0], "abcd", 0, 40);
    sonde_check(t, !strstr(s, v->word[0]) || !strstr(s, v->word[1]));
}

static void make_two_words(struct sonde_rng *rng, struct variant *v)
{
    v->run = two_words;
    bool split = sonde_rng_upto(rng, 1);
    const char *letters[2] = {split ? "bc" : "bd", split ? "ad" : "ac"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) v->word[k][i] = letters[k][sonde_rng_upto(rng, 1)];
    bool in_order = strcmp(v->word[0], v->word[1]) < 0;
    put(v, "%s=%s%s", v->label[0], v->word[!in_order], v->word[in_order]);
}

/* The same in a list: two runs of three. */
static bool has_run(const int *x, size_t n, const char *word)
{
    for (size_t i = 0; i + 2 < n; i++)
        if (x[i] == word[0] && x[i + 1] == word[1] && x[i + 2] == word[2]) return true;
    return false;
}

static void two_runs(sonde *t)
{
    VARIANT(t);
    int x[MOST];
    size_t n = draw_list(t, v->label[0], v->label[1], (int[]){0, 3}, x);
    sonde_check(t, !has_run(x, n, v->word[0]) || !has_run(x, n, v->word[1]));
}

static void make_two_runs(struct sonde_rng *rng, struct variant *v)
{
    v->run = two_runs;
    bool split = sonde_rng_upto(rng, 1);
    const char letters[2][2] = {{1, split ? 2 : 3}, {0, split ? 3 : 2}};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) v->word[k][i] = letters[k][sonde_rng_upto(rng, 1)];
    bool in_order = memcmp(v->word[0], v->word[1], 3) < 0;
    put(v, "%s[", v->label[0]);
    for (int i = 0; i < 6; i++)
        put(v, "%s{%s=%d}", i ? " " : "", v->label[1], v->word[(i < 3) == in_order ? 0 : 1][i % 3]);
    put(v, "]");
}

/* Records of several fields: one with a large first field, one with a large second, in either order. */
static void two_records(sonde *t)
{
    VARIANT(t);
    bool first = false, second = false;
    sonde_list xs = sonde_list_of(t, v->label[0], 0, 20);
    while (sonde_more(&xs)) {
        int a = sonde_int(t, v->label[1], 0, 50), b = sonde_int(t, v->label[2], 0, 50);
        bool c = sonde_bool(t, v->label[3]);
        first |= a >= v->n[0] && c;
        second |= b >= v->n[1] && !c && a >= v->n[2];
    }
    sonde_check(t, !first || !second);
}

static void make_two_records(struct sonde_rng *rng, struct variant *v)
{
    v->run = two_records;
    v->n[0] = between(rng, 10, 45);
    v->n[1] = between(rng, 5, 45);
    v->n[2] = between(rng, 1, v->n[0] - 1);
    put(v, "%s[{%s=%d %s=%d %s=no} {%s=%d %s=0 %s=yes}]", v->label[0], v->label[1], v->n[2], v->label[2], v->n[1],
        v->label[3], v->label[1], v->n[0], v->label[2], v->label[3]);
}

/* ---- The table */

static const struct {
    const char *name;
    void (*make[3])(struct sonde_rng *rng, struct variant *v);
} classes[VARIANT_CLASSES] = {
    {"picks", {make_cycle, make_field, make_again}},
    {"trades", {make_product, make_digits, make_weighted_sum}},
    {"delete and raise", {make_factors, make_addends, make_squares}},
    {"one length", {make_dot_product, make_three_lists, make_text_and_list}},
    {"sums", {make_sum_behind, make_xor_before, make_sum_inside}},
    {"binders", {make_application, make_far_variable, make_row}},
    {"congruent", {make_buckets, make_names, make_equal_remainder}},
    {"order", {make_two_words, make_two_runs, make_two_records}},
};

void variant_draw(unsigned class, unsigned number, struct variant *out)
{
    static const char *const labels[] = {"a", "node", "item", "key", "left", "size", "part", "x7", "value", "next"};
    enum { N_LABELS = sizeof labels / sizeof *labels };
    struct sonde_rng rng;
    memset(out, 0, sizeof *out);
    sonde_rng_seed(&rng, number, class + 1);
    for (unsigned i = 0; i < VARIANT_LABELS;) {
        out->label[i] = labels[sonde_rng_upto(&rng, N_LABELS - 1)];
        bool is_new = true;
        for (unsigned k = 0; k < i; k++) is_new &= out->label[k] != out->label[i];
        i += is_new;
    }
    classes[class].make[(number - 1) % 3](&rng, out);
    snprintf(out->name, sizeof out->name, "%s %u", classes[class].name, number);
}
