/* Ten roadblocks that were written after the first prototype of the search had been frozen. */
#include "bug.h"

#include <sonde.h>

#include <string.h>

struct point {
    int x, y;
};

struct box {
    struct point lo, hi;
    uint8_t kind;
};

APART void check_box(const struct box *b)
{
    if (b->kind == 7)
        if (b->hi.x - b->lo.x == 4096)
            if ((b->hi.y - b->lo.y) * 3 == b->hi.x - b->lo.x + 38) bug();
}

#define COORDINATE(label) sonde_int(t, label, -1000000, 1000000)

SONDE_PROPERTY(box)
{
    struct box b;
    b.lo.x = COORDINATE("lx"), b.lo.y = COORDINATE("ly");
    b.hi.x = COORDINATE("hx"), b.hi.y = COORDINATE("hy");
    b.kind = (uint8_t)sonde_int(t, "kind", 0, 255);
    check_box(&b);
}

APART void check_len(size_t n, int w, int h)
{
    if (n > 3)
        if ((long)w * h + 8 == (long)n * 1000 + 24) bug();
}

SONDE_PROPERTY(len)
{
    size_t n = (size_t)sonde_int(t, "n", 0, 30);
    for (size_t i = 0; i < n; i++) sonde_int(t, "v", -100, 100);
    int w = sonde_int(t, "w", 1, 4000), h = sonde_int(t, "h", 1, 4000);
    check_len(n, w, h);
}

APART void check_check(const uint8_t *v, size_t n)
{
    uint8_t s = 0;
    if (n < 8) return;
    for (size_t i = 0; i + 1 < n; i++) s = (uint8_t)(s + v[i]);
    if (s == v[n - 1])
        if (v[0] == 0xd7 && v[1] == 0x3c)
            if ((v[2] << 8 | v[3]) == 0x1b39) bug();
}

SONDE_PROPERTY(check)
{
    size_t n;
    const uint8_t *v = sonde_bytes(t, "v", 0, 32, &n);
    check_check(v, n);
}

/* Days since the first of March of the year 0 (the proleptic Gregorian calendar). */
APART long days_of(int y, int m, int d)
{
    y -= m <= 2;
    long era = y / 400, year = y - era * 400;
    long of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + year * 365 + year / 4 - year / 100 + of_year;
}

struct date {
    int y, m, d;
};

APART void check_daysapart(const struct date *a, const struct date *b)
{
    if (days_of(b->y, b->m, b->d) - days_of(a->y, a->m, a->d) == 10007)
        if (a->d == 31) bug();
}

SONDE_PROPERTY(daysapart)
{
    struct date a, b;
    a.y = sonde_int(t, "y", 1, 3000), a.m = sonde_int(t, "m", 1, 12), a.d = sonde_int(t, "d", 1, 31);
    b.y = sonde_int(t, "y2", 1, 3000), b.m = sonde_int(t, "m2", 1, 12), b.d = sonde_int(t, "d2", 1, 31);
    check_daysapart(&a, &b);
}

APART void check_tol(double a, double b)
{
    double c = a * 0.75 + b;
    if (c > 1234.5 && c < 1234.5001) bug();
}

SONDE_PROPERTY(tol)
{
    double a = sonde_double(t, "a", -1e6, 1e6), b = sonde_double(t, "b", -1e6, 1e6);
    check_tol(a, b);
}

APART void check_bits(uint32_t w)
{
    struct {
        unsigned a : 5, b : 9, c : 11, d : 7;
    } f;
    memcpy(&f, &w, sizeof f);
    if (f.c == 0x5a3)
        if (f.a + f.b == 300)
            if (f.d == (f.b & 0x7f)) bug();
}

SONDE_PROPERTY(bits)
{
    check_bits(sonde_u32(t, "w", 0, UINT32_MAX));
}

APART void check_times(int64_t a, int64_t b, int64_t c)
{
    if (a < b)
        if (b < c)
            if (c - a < 1000)
                if (b - a == 2 * (c - b)) bug();
}

#define TIME(label) sonde_i64(t, label, 0, INT64_C(1) << 40)

SONDE_PROPERTY(times)
{
    int64_t a = TIME("a"), b = TIME("b"), c = TIME("c");
    check_times(a, b, c);
}

APART void check_tab(unsigned i, int x)
{
    static const int table[16] = {3, 101, 977, 13, 5501, 29, 4409, 83, 7001, 59, 331, 8, 1999, 613, 47, 2207};
    if (table[i & 15] * 2 + 5 == x)
        if (x > 14000) bug();
}

SONDE_PROPERTY(tab)
{
    unsigned i = sonde_u32(t, "i", 0, 1000000);
    check_tab(i, sonde_int(t, "x", -1000000, 1000000));
}

APART void check_str(const char *s, const char *u)
{
    size_t a = strlen(s), b = strlen(u);
    if (a == 2 * b + 3)
        if (b > 7)
            if (s[a - 1] == u[0] + 1) bug();
}

SONDE_PROPERTY(str)
{
    const char *s = sonde_string(t, "s", 0, 60), *u = sonde_string(t, "u", 0, 60);
    check_str(s, u);
}

APART void check_volume(uint32_t w, uint32_t h, uint32_t d)
{
    if ((uint64_t)w * h * d == UINT64_C(101) * 211 * 307) bug();
}

#define SIDE(label) sonde_u32(t, label, 1, 100000)

SONDE_PROPERTY(volume)
{
    uint32_t w = SIDE("w"), h = SIDE("h"), d = SIDE("d");
    check_volume(w, h, d);
}
