/* See cases.h. Plain sonde_assume over predicates and conjunctions, compiled by `sonde cc` as a user's properties are. */
#include "assume/accept.h"
#include "assume/predicates.h"

enum { MOST = 20 };

/* The whole list is the tuple; its length and its ends are the variables. */
static void accept_list(sonde *t, const int *v, size_t n, int64_t more)
{
    struct assume_accepted *to = sonde_context(t);
    uint64_t identity = assume_mix(n, more);
    for (size_t i = 0; i < n; i++) identity = assume_mix(identity, v[i]);
    to->take(to, (const int64_t[]){(int64_t)n, n ? v[0] : 0, n ? v[n - 1] : 0}, 3, identity);
}

static size_t draw_list(sonde *t, int *v, size_t min, size_t max, int top)
{
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "xs", min, max);
    while (sonde_more(&xs)) v[n++] = sonde_int(t, "x", 0, top);
    return n;
}

void assume_brackets(sonde *t)
{
    int v[MOST];
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "xs", 2, MOST);
    while (sonde_more(&xs)) v[n++] = (int)sonde_pick(t, "x", 2);
    sonde_assume(t, is_balanced(v, n));
    accept_list(t, v, n, 0);
}

void assume_permutation(sonde *t)
{
    int v[MOST];
    size_t n = (size_t)sonde_int(t, "n", 4, 9);
    for (size_t i = 0; i < n; i++) v[i] = sonde_int(t, "x", 0, (int)n - 1);
    sonde_assume(t, is_permutation(v, n));
    accept_list(t, v, n, 0);
}

void assume_sum(sonde *t)
{
    int v[MOST];
    size_t n = draw_list(t, v, 3, 8, 100);
    int target = sonde_int(t, "target", 0, 300);
    sonde_assume(t, sum_of(v, n) == target);
    accept_list(t, v, n, target);
}

void assume_coprime(sonde *t)
{
    int a = sonde_int(t, "a", 1, 1000), b = sonde_int(t, "b", 1, 1000);
    sonde_assume(t, gcd(a, b) == 1 && a * b < 1000);
    ASSUME_ACCEPT(t, a, b);
}

void assume_heap(sonde *t)
{
    int v[MOST];
    size_t n = draw_list(t, v, 5, 15, 100);
    sonde_assume(t, is_heap(v, n));
    accept_list(t, v, n, 0);
}

void assume_heap_loop(sonde *t)
{
    int v[MOST];
    size_t n = draw_list(t, v, 5, 15, 100);
    for (size_t i = 1; i < n; i++) sonde_assume(t, v[(i - 1) / 2] >= v[i]);
    accept_list(t, v, n, 0);
}

void assume_checked_bytes(sonde *t)
{
    size_t n;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 4, 12, &n);
    int v[MOST];
    for (size_t i = 0; i < n; i++) v[i] = bytes[i];
    sonde_assume(t, is_checked(bytes, n));
    accept_list(t, v, n, 0);
}

static struct box draw_box(sonde *t, const char *label)
{
    struct box b;
    sonde_open(t, label);
    b.x = sonde_int(t, "x", 0, 100), b.y = sonde_int(t, "y", 0, 100);
    b.w = sonde_int(t, "w", 1, 100), b.h = sonde_int(t, "h", 1, 100);
    sonde_close(t, label);
    return b;
}

void assume_box_in_box(sonde *t)
{
    struct box a = draw_box(t, "outer"), b = draw_box(t, "inner");
    sonde_assume(t, a.x <= b.x && a.y <= b.y && b.x + b.w <= a.x + a.w && b.y + b.h <= a.y + a.h);
    ASSUME_ACCEPT(t, a.x, a.y, a.w, a.h, b.x, b.y, b.w, b.h);
}

void assume_sorted_function(sonde *t)
{
    int v[MOST];
    size_t n = draw_list(t, v, 6, 16, 1000);
    sonde_assume(t, is_sorted_strictly(v, n));
    accept_list(t, v, n, 0);
}

void assume_windows_function(sonde *t)
{
    int h = sonde_int(t, "height", 5, 64), w = sonde_int(t, "width", 5, 64);
    int kh = sonde_int(t, "kernel_h", 1, 31), kw = sonde_int(t, "kernel_w", 1, 31);
    int ph = sonde_int(t, "pad_h", 0, 2), pw = sonde_int(t, "pad_w", 0, 2), d = sonde_int(t, "dilation", 1, 4);
    sonde_assume(t, is_window(h, ph, d, kh) && is_window(w, pw, d, kw));
    ASSUME_ACCEPT(t, h, w, kh, kw, ph, pw, d);
}
