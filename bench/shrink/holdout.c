/* See holdout.h. */
#include "shrink/holdout.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static size_t draw_list(sonde *t, const char *list, int lo, int hi, size_t most, int *out)
{
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, list, 0, most);
    while (sonde_more(&xs)) out[n++] = sonde_int(t, "x", lo, hi);
    return n;
}

/* A cache of two that forgets what came first instead of what was used least recently. */
static bool touch(int *cache, int key, bool refreshes)
{
    bool hit = cache[0] == key || cache[1] == key;
    if (!hit) cache[0] = cache[1], cache[1] = key;
    else if (refreshes && cache[0] == key) cache[0] = cache[1], cache[1] = key;
    return hit;
}

static void cache(sonde *t)
{
    int key[MOST], right[2] = {-1, -1}, wrong[2] = {-1, -1};
    size_t n = draw_list(t, "keys", 0, 15, 30, key);
    for (size_t i = 0; i < n; i++) sonde_check(t, touch(right, key[i], true) == touch(wrong, key[i], false));
}

static void crc(sonde *t)
{
    int v[MOST], c = 0;
    size_t n = draw_list(t, "payload", 0, 255, 20, v);
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        c ^= v[i];
        for (int k = 0; k < 8; k++) c = c & 0x80 ? (c << 1 ^ 0x107) : c << 1;
        found |= v[i] >= 200;
    }
    sonde_assume(t, sonde_int(t, "crc", 0, 255) == c);
    sonde_check(t, !found);
}

static void symmetric(sonde *t)
{
    int n = sonde_int(t, "n", 1, 4), m[4][4];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) m[i][k] = sonde_int(t, "x", 0, 5);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) sonde_assume(t, m[i][k] == m[k][i]);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) sonde_check(t, m[i][k] < 3);
}

static void one_apart(sonde *t)
{
    const char *a = sonde_string_of(t, "a", "abcd", 0, 8), *b = sonde_string_of(t, "b", "abcd", 0, 8);
    size_t n = strlen(a), apart = 0;
    sonde_assume(t, strlen(b) == n);
    for (size_t i = 0; i < n; i++) apart += a[i] != b[i];
    sonde_check(t, n < 3 || apart != 1);
}

static void day_of_year(sonde *t)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int y = sonde_int(t, "year", 1901, 2100), m = sonde_int(t, "month", 1, 12), d = sonde_int(t, "day", 1, 31), of = d;
    bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    sonde_assume(t, d <= days[m - 1] - (m == 2 && !leap));
    for (int i = 1; i < m; i++) of += days[i - 1] - (i == 2 && !leap);
    sonde_check(t, !leap || of < 275);
}

static void coins(sonde *t)
{
    static const int worth[] = {1, 2, 5, 10, 20, 50};
    int sum = 0;
    sonde_list xs = sonde_list_of(t, "coins", 0, 12);
    while (sonde_more(&xs)) sum += worth[sonde_pick(t, "coin", 6)];
    sonde_assume(t, sonde_int(t, "amount", 0, 300) == sum);
    sonde_check(t, sum < 77);
}

static void odd_cycle(sonde *t)
{
    bool edge[7][7] = {{false}};
    sonde_list xs = sonde_list_of(t, "edges", 0, 15);
    while (sonde_more(&xs)) {
        size_t a = sonde_pick(t, "a", 7), b = sonde_pick(t, "b", 7);
        if (a != b) edge[a][b] = edge[b][a] = true;
    }
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < 7; b++)
            for (int c = 0; c < 7; c++) sonde_check(t, !edge[a][b] || !edge[b][c] || !edge[c][a]);
}

static void stack_machine(sonde *t)
{
    int64_t stack[MOST] = {0};
    int n = 0;
    sonde_list xs = sonde_list_of(t, "ops", 0, 20);
    while (sonde_more(&xs)) {
        size_t op = sonde_pick(t, "op", 4);
        sonde_assume(t, op == 0 || n > (op != 3));
        if (op == 0) stack[n++] = sonde_int(t, "v", 0, 9);
        else if (op == 1) n--, stack[n - 1] += stack[n];
        else if (op == 2) n--, stack[n - 1] = stack[n - 1] * stack[n] % 1000;
        else stack[n] = stack[n - 1], n++;
        sonde_check(t, n == 0 || stack[n - 1] < 50);
    }
}

static void address(sonde *t)
{
    const char *s = sonde_string_of(t, "s", "ab.@", 0, 20), *at = strchr(s, '@');
    const char *dot = at ? strchr(at, '.') : NULL;
    sonde_check(t, !at || at == s || !dot || dot == at + 1 || !dot[1] || at[-1] == '.');
}

static int gcd(int a, int b)
{
    return b ? gcd(b, a % b) : a;
}

static void common_divisor(sonde *t)
{
    int a = sonde_int(t, "a", 1, 1000), b = sonde_int(t, "b", 1, 1000);
    sonde_check(t, a == b || gcd(a, b) <= 20);
}

static void increasing_sum(sonde *t)
{
    int v[MOST], sum = 0;
    size_t n = draw_list(t, "v", 0, 100, 8, v);
    for (size_t i = 0; i < n; i++) {
        sonde_assume(t, i == 0 || v[i - 1] < v[i]);
        sum += v[i];
    }
    sonde_check(t, sum <= 200);
}

static void records(sonde *t)
{
    size_t total[4] = {0}, count[4] = {0};
    sonde_list xs = sonde_list_of(t, "records", 0, 5);
    while (sonde_more(&xs)) {
        size_t tag = sonde_pick(t, "tag", 4), n, length = (size_t)sonde_int(t, "length", 0, 7);
        sonde_bytes(t, "data", 0, 7, &n);
        sonde_assume(t, n == length);
        total[tag] += n;
        count[tag]++;
    }
    for (int i = 0; i < 4; i++) sonde_check(t, count[i] < 2 || total[i] < 6);
}

static void permutation(sonde *t)
{
    int n = sonde_int(t, "n", 1, 6), p[8];
    bool seen[8] = {false};
    for (int i = 0; i < n; i++) {
        p[i] = sonde_int(t, "p", 0, n - 1);
        sonde_assume(t, !seen[p[i]]);
        seen[p[i]] = true;
    }
    for (int i = 0; i < n; i++) sonde_check(t, p[p[i]] == i);
}

static void counted_texts(sonde *t)
{
    size_t n = 0, total = 0;
    bool found = false;
    sonde_list xs = sonde_list_of(t, "texts", 0, 6);
    while (sonde_more(&xs)) {
        const char *s = sonde_string_of(t, "s", "abc", 0, 5);
        found |= strstr(s, "ca") != NULL;
        total += strlen(s);
        n++;
    }
    sonde_assume(t, (size_t)sonde_int(t, "count", 0, 6) == n);
    sonde_assume(t, (size_t)sonde_int(t, "total", 0, 30) == total);
    sonde_check(t, !found);
}

static void whole_days(sonde *t)
{
    int64_t a = sonde_i64(t, "start", 0, 1000000), b = sonde_i64(t, "end", 0, 1000000);
    sonde_check(t, b <= a || (b - a) % 3600 != 0 || b - a < 7200);
}

static void common_value(sonde *t)
{
    int a[MOST], b[MOST];
    size_t n = draw_list(t, "a", 0, 30, 6, a), m = draw_list(t, "b", 0, 30, 6, b);
    for (size_t i = 1; i < n; i++) sonde_assume(t, a[i - 1] < a[i]);
    for (size_t i = 1; i < m; i++) sonde_assume(t, b[i - 1] < b[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++) sonde_check(t, a[i] != b[k] || a[i] < 7 || i == k);
}

const struct holdout holdouts[] = {
    {"cache", cache, "keys[{x=0} {x=1} {x=0} {x=2} {x=0}]"},
    {"crc", crc, "payload[{x=200}] crc=214"},
    {"symmetric matrix", symmetric, "n=2 x=0 x=3 x=3 x=0"},
    {"one apart", one_apart, "a=aaa b=aab"},
    {"day of year", day_of_year, "year=1904 month=10 day=1"},
    {"coins", coins, "coins[{coin=5} {coin=5}] amount=100"},
    {"odd cycle", odd_cycle, "edges[{a=0 b=1} {a=0 b=2} {a=1 b=2}]"},
    {"stack machine", stack_machine, "ops[{op=0 v=8} {op=3} {op=2}]"},
    {"address", address, "s=a%40a.a"},
    {"common divisor", common_divisor, "a=21 b=42"},
    {"increasing sum", increasing_sum, "v[{x=2} {x=99} {x=100}]"},
    {"records", records, "records[{tag=0 length=0 data=} {tag=0 length=6 data=000000000000}]"},
    {"permutation", permutation, "n=3 p=1 p=2 p=0"},
    {"counted texts", counted_texts, "texts[{s=ca}] count=1 total=2"},
    {"whole hours", whole_days, "start=0 end=7200"},
    {"common value", common_value, "a[{x=7}] b[{x=0} {x=7}]"},
};
const unsigned n_holdouts = sizeof holdouts / sizeof *holdouts;
