/* See holdout.h: the second ten. */
#include "shrink/holdout.h"

#include <string.h>

enum { MOST = 16 };

struct date {
    int y, m, d;
};

static bool is_leap(int y)
{
    return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
}

static int days_in(int y, int m)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[m - 1] + (m == 2 && is_leap(y));
}

static int day_number(struct date date)
{
    int n = date.d;
    for (int y = 2001; y < date.y; y++) n += 365 + is_leap(y);
    for (int m = 1; m < date.m; m++) n += days_in(date.y, m);
    return n;
}

static struct date draw_date(sonde *t)
{
    int y = sonde_int(t, "y", 2001, 2008), m = sonde_int(t, "m", 1, 12), d = sonde_int(t, "d", 1, 31);
    sonde_assume(t, d <= days_in(y, m));
    return (struct date){y, m, d};
}

/* A short range with a leap day in it. */
static void date_range(sonde *t)
{
    int from = day_number(draw_date(t)), to = day_number(draw_date(t));
    sonde_assume(t, from <= to && to - from <= 40);
    for (int y = 2004; y <= 2008; y += 4) {
        int leap = day_number((struct date){y, 2, 29});
        sonde_check(t, leap < from || leap > to);
    }
}

/* One value under two keys that are far apart; keys and values ascend. */
static void sorted_map(sonde *t)
{
    int key[MOST], has[MOST][12] = {{0}}, n = 0;
    sonde_list groups = sonde_list_of(t, "groups", 0, 4);
    while (sonde_more(&groups)) {
        key[n] = sonde_int(t, "key", 0, 20);
        sonde_assume(t, n == 0 || key[n - 1] < key[n]);
        sonde_list values = sonde_list_of(t, "values", 0, 3);
        for (int last = -1; sonde_more(&values);) {
            int v = sonde_int(t, "v", 0, 11);
            sonde_assume(t, v > last);
            has[n][last = v] = 1;
        }
        n++;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            for (int v = 5; v < 12; v++) sonde_check(t, !has[i][v] || !has[k][v] || key[i] - key[k] < 3);
}

/* Two words of the same letters, none at its old position. */
static void anagram(sonde *t)
{
    const char *a = sonde_string_of(t, "a", "abcde", 0, 6), *b = sonde_string_of(t, "b", "abcde", 0, 6);
    int count[256] = {0};
    size_t n = strlen(a), kept = 0;
    sonde_assume(t, strlen(b) == n);
    for (size_t i = 0; i < n; i++) count[(unsigned char)a[i]]++, count[(unsigned char)b[i]]--;
    for (int c = 0; c < 256; c++) sonde_assume(t, count[c] == 0);
    for (size_t i = 0; i < n; i++) kept += a[i] == b[i];
    sonde_check(t, n < 3 || kept > 0);
}

static size_t root(const size_t *up, size_t a)
{
    while (up[a] != a) a = up[a];
    return a;
}

/* A graph that is one path through all its nodes. */
static void path(sonde *t)
{
    size_t nodes = (size_t)sonde_int(t, "nodes", 1, 6), up[8], degree[8] = {0}, parts = nodes, edges = 0;
    for (size_t i = 0; i < nodes; i++) up[i] = i;
    sonde_list xs = sonde_list_of(t, "edges", 0, 8);
    while (sonde_more(&xs)) {
        size_t a = sonde_pick(t, "a", nodes), b = sonde_pick(t, "b", nodes);
        edges++, degree[a]++, degree[b]++;
        if (root(up, a) != root(up, b)) up[root(up, a)] = root(up, b), parts--;
    }
    bool is_path = parts == 1 && edges + 1 == nodes;
    for (size_t i = 0; i < nodes; i++) is_path &= degree[i] <= 2;
    sonde_check(t, nodes < 4 || !is_path);
}

/* A matrix with a saddle: least of its row, greatest of its column. */
static void saddle(sonde *t)
{
    int rows = sonde_int(t, "rows", 1, 4), columns = sonde_int(t, "columns", 1, 4), m[4][4];
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) m[i][k] = sonde_int(t, "x", 0, 9);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            bool is = rows > 1 && columns > 1 && m[i][k] >= 3;
            for (int j = 0; j < columns; j++) is &= j == k || m[i][j] > m[i][k];
            for (int j = 0; j < rows; j++) is &= j == i || m[j][k] < m[i][k];
            sonde_check(t, !is);
        }
}

/* Runs of bytes, no two neighbours of one byte, and how long they are together. */
static void runs(sonde *t)
{
    int total = 0, last = -1;
    bool found = false;
    sonde_list xs = sonde_list_of(t, "runs", 0, 6);
    while (sonde_more(&xs)) {
        int count = sonde_int(t, "count", 1, 9), byte = sonde_int(t, "byte", 0, 3);
        sonde_assume(t, byte != last);
        last = byte;
        total += count;
        found |= byte == 2 && count >= 3;
    }
    sonde_assume(t, sonde_int(t, "total", 0, 54) == total);
    sonde_check(t, !found || total < 12);
}

/* Characters behind the number of bytes they take. */
static void utf8(sonde *t)
{
    int bytes = sonde_int(t, "bytes", 0, 24), total = 0;
    sonde_list xs = sonde_list_of(t, "chars", 0, 8);
    while (sonde_more(&xs)) {
        int c = sonde_int(t, "c", 0, 0xffff);
        total += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
    }
    sonde_assume(t, bytes == total);
    sonde_check(t, (size_t)total == xs.n || total < 5);
}

/* Handles of slots: one that was closed must not write to the slot once it has another owner. */
static void handles(sonde *t)
{
    size_t n = 0, slot[32], owner[32] = {0}; /* owner: handle + 1 */
    sonde_list xs = sonde_list_of(t, "ops", 0, 16);
    while (sonde_more(&xs)) {
        size_t op = sonde_pick(t, "op", 3), h, free = 0;
        if (op == 0) {
            while (owner[free]) free++;
            slot[n] = free;
            owner[free] = ++n;
            continue;
        }
        sonde_assume(t, n > 0);
        h = sonde_pick(t, "h", n);
        if (op == 1 && owner[slot[h]] == h + 1) owner[slot[h]] = 0;
        if (op == 2) sonde_check(t, slot[h] == 0 || owner[slot[h]] == 0 || owner[slot[h]] == h + 1);
    }
}

/* Two numbers closer than a hundredth. */
static void near(sonde *t)
{
    double a = sonde_double(t, "a", 0, 1), b = sonde_double(t, "b", 0, 1);
    sonde_check(t, a >= b || b - a >= 0.01 || b <= 0.3);
}

/* Brackets three deep, square ones within round ones. */
static void brackets(sonde *t)
{
    const char *s = sonde_string_of(t, "s", "()[]", 0, 12);
    char open[MOST];
    int depth = 0, deepest = 0, round = 0;
    bool nested = false;
    for (; *s; s++) {
        bool opens = *s == '(' || *s == '[';
        if (opens) open[depth++] = *s;
        else {
            sonde_assume(t, depth > 0 && open[depth - 1] == (*s == ')' ? '(' : '['));
            depth--;
        }
        if (depth > deepest) deepest = depth;
        nested |= *s == '[' && round > 0;
        round += *s == '(' ? 1 : *s == ')' ? -1 : 0;
    }
    sonde_assume(t, depth == 0);
    sonde_check(t, deepest < 3 || !nested);
}

const struct holdout outsiders[] = {
    {"date range", date_range, "y=2004 m=1 d=20 y=2004 m=2 d=29"},
    {"sorted map", sorted_map, "groups[{key=0 values[{v=5}]} {key=3 values[{v=5}]}]"},
    {"anagram", anagram, "a=abc b=bca"},
    {"path", path, "nodes=4 edges[{a=0 b=1} {a=0 b=2} {a=1 b=3}]"},
    {"saddle", saddle, "rows=2 columns=2 x=0 x=0 x=3 x=4"},
    {"runs", runs, "runs[{count=3 byte=0} {count=9 byte=2}] total=12"},
    {"utf8", utf8, "bytes=5 chars[{c=128} {c=2048}]"},
    {"handles", handles, "ops[{op=0} {op=0} {op=1 h=1} {op=0} {op=2 h=1}]"},
    {"near", near, "a=0.5 b=0.5078125"},
    {"brackets", brackets, "s=%28%28%5b%5d%29%29"},
};
const unsigned n_outsiders = sizeof outsiders / sizeof *outsiders;
