/* See subjects.h. Each kind is written as a user would write a small parser or state machine, with its property. */
#include "valid/subjects.h"

#include <stdbool.h>
#include <string.h>

/* splitmix64 (Steele, Lea, Flood 2014): the constants of a subject, from its number. */
static unsigned constant(sonde *t, unsigned index, unsigned below)
{
    uint64_t x = (*(const uint64_t *)sonde_context(t) * 64 + index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((x ^ (x >> 31)) % below);
}

/* ---- Messages in order: each step has its kind, and numbers follow each other */

static void handshake(sonde *t)
{
    unsigned steps = 3 + constant(t, 0, 3), kinds = 4 + constant(t, 1, 6), state = 0, last = 0;
    unsigned by = constant(t, 2, 2), mask = constant(t, 3, 2) ? 255 : 15;
    sonde_list l = sonde_list_of(t, "events", 0, 30);
    while (sonde_more(&l)) {
        unsigned kind = (unsigned)sonde_pick(t, "kind", kinds), no = (unsigned)sonde_int(t, "no", 0, (int)mask);
        bool is_next = kind == constant(t, 4 + state, kinds);
        if (is_next && (state == 0 || no == ((last + by) & mask))) state++, last = no;
        else state = 0;
        sonde_check(t, state < steps);
    }
}

/* ---- Records behind a tag, with a checksum */

static unsigned checksum(const uint8_t *s, size_t n, unsigned how)
{
    unsigned sum = how == 2 ? 7 : 0;
    for (size_t i = 0; i < n; i++) sum = how == 0 ? sum + s[i] : how == 1 ? sum ^ s[i] : sum * 31 + s[i];
    return sum & 255;
}

static void tagged(sonde *t)
{
    uint8_t body[8];
    unsigned tags = 1 + constant(t, 0, 2), how = constant(t, 1, 3), want = 2 + constant(t, 2, 3);
    size_t n = 0;
    bool is_tagged = true;
    for (unsigned i = 0; i < tags; i++) is_tagged &= (unsigned)sonde_int(t, "tag", 0, 255) == constant(t, 3 + i, 256);
    sonde_list l = sonde_list_of(t, "body", 0, sizeof body);
    while (sonde_more(&l)) body[n++] = (uint8_t)sonde_int(t, "byte", 0, 255);
    unsigned sum = (unsigned)sonde_int(t, "sum", 0, 255);
    if (!is_tagged || n < want) return;
    if (checksum(body, n, how) != sum) return;
    sonde_check(t, body[1] < 64 + constant(t, 5, 128));
}

/* ---- UTF-8: a decoder that accepts one class of wrong encodings */

enum { WRONG = -1 };

/* Decodes one character at s, which has n bytes; returns its length or WRONG. */
static int decode(const uint8_t *s, size_t n, uint32_t *out)
{
    int more = s[0] < 0x80             ? 0
               : (s[0] & 0xe0) == 0xc0 ? 1
               : (s[0] & 0xf0) == 0xe0 ? 2
               : (s[0] & 0xf8) == 0xf0 ? 3
                                       : WRONG;
    if (more < 0 || (size_t)more >= n) return WRONG;
    uint32_t c = more == 0 ? s[0] : s[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) return WRONG;
        c = c << 6 | (s[i] & 0x3fu);
    }
    *out = c;
    return more + 1;
}

static void overlong(sonde *t)
{
    uint8_t s[16];
    size_t n = 0;
    unsigned wrong = constant(t, 0, 4), after = constant(t, 1, 2);
    sonde_list l = sonde_list_of(t, "bytes", 0, sizeof s);
    while (sonde_more(&l)) s[n++] = (uint8_t)sonde_int(t, "byte", 0, 255);
    uint32_t c = 0;
    unsigned met = 0;
    for (size_t i = 0; i < n;) {
        int len = decode(s + i, n - i, &c);
        if (len == WRONG) return;
        bool is_wrong = wrong == 0   ? len == 3 && c < 0x800
                        : wrong == 1 ? len == 3 && c >= 0xd800 && c < 0xe000
                        : wrong == 2 ? len == 4 && c > 0x10ffff
                                     : len == 2 && c < 0x80;
        sonde_check(t, !(is_wrong && met >= after));
        met += len > 1;
        i += (size_t)len;
    }
}

/* ---- Calendars: one moment that the code forgets */

static void calendar(sonde *t)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned what = constant(t, 0, 3);
    int from = (int)constant(t, 1, 60);
    int year = sonde_int(t, "year", 1900, 2200), month = sonde_int(t, "month", 1, 12), day = sonde_int(t, "day", 1, 31);
    int hour = sonde_int(t, "hour", 0, 23), minute = sonde_int(t, "minute", 0, 59),
        second = sonde_int(t, "second", 0, 60);
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (day > days[month - 1] + (month == 2 && is_leap)) return;
    bool is_last = day == days[month - 1] && hour == 23 && minute == 59;
    switch (what) {
    case 0: sonde_check(t, !(second == 60 && is_last && (month == 6 || month == 12) && year >= 1972 + from)); break;
    case 1: sonde_check(t, !(year % 100 == 0 && month == 2 && day == 29 && minute >= from)); break;
    default: sonde_check(t, !(month == 12 && day == 31 && is_leap && hour == 23 && minute == from)); break;
    }
}

/* ---- Flags that must be set together, and a length at a border */

static void flags(sonde *t)
{
    unsigned len = (unsigned)sonde_int(t, "len", 0, 4095), bits = (unsigned)sonde_int(t, "flags", 0, 255);
    unsigned a = 1u << constant(t, 0, 8), b = 1u << constant(t, 1, 8), c = 1u << constant(t, 2, 8);
    unsigned block = 16u << constant(t, 3, 4), least = 256 + constant(t, 4, 3000);
    int mode = sonde_int(t, "mode", 0, 15);
    if (!(bits & a) || !(bits & b)) return;
    if (mode != (int)constant(t, 5, 16) || (bits & c && a != c && b != c)) return;
    sonde_check(t, !(len % block == block - 1 && len >= least));
}

/* ---- Sizes whose product wraps */

static void product(sonde *t)
{
    unsigned bits = 14 + constant(t, 0, 3), deep = 1 + constant(t, 1, 4);
    uint32_t width = (uint32_t)sonde_int(t, "width", 0, (1 << bits) - 1),
             height = (uint32_t)sonde_int(t, "height", 0, (1 << bits) - 1);
    uint32_t depth = (uint32_t)sonde_int(t, "depth", 1, 64);
    if (depth % 8 != 0 || width == 0 || height == 0) return;
    uint64_t real = (uint64_t)width * height * (depth / 8) * deep;
    uint32_t size = (uint32_t)real;
    if (size > 1u << 20) return; /* too much for the program */
    sonde_check(t, size == real);
}

/* ---- Calls in an order that the code does not expect */

static void calls(sonde *t)
{
    unsigned n_calls = 5 + constant(t, 0, 4), steps = 4 + constant(t, 1, 2), at = 0, handle = 0;
    sonde_list l = sonde_list_of(t, "calls", 0, 40);
    while (sonde_more(&l)) {
        unsigned call = (unsigned)sonde_pick(t, "call", n_calls), h = (unsigned)sonde_int(t, "handle", 0, 7);
        if (at > 0 && h != handle) continue; /* calls on other handles do not matter */
        if (call == constant(t, 4 + at, n_calls)) handle = h, at++;
        else if (call == n_calls - 1 || call == constant(t, 3, n_calls)) at = 0;
        sonde_check(t, at < steps);
    }
}

const struct valid_kind valid_kinds[VALID_KINDS + 1] = {
    {"handshake", handshake}, {"tagged", tagged},   {"overlong", overlong}, {"calendar", calendar},
    {"flags", flags},         {"product", product}, {"calls", calls},       {NULL, NULL},
};
