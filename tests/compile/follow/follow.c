/* Assumes that call predicates, and claims that fail rarely. */
#include "predicates.h"

#include <sonde.h>

static void sorted(sonde *t)
{
    int n = sonde_int(t, "n", 6, 16), v[16];
    for (int i = 0; i < n; i++) v[i] = sonde_int(t, "v", -1000, 1000);
    sonde_assume(t, is_sorted(v, n));
}

static void record(sonde *t)
{
    size_t n = (size_t)sonde_int(t, "n", 0, 12);
    unsigned char text[12];
    for (size_t i = 0; i < n; i++) text[i] = (unsigned char)sonde_int(t, "symbol", 0, 255);
    sonde_assume(t, is_record(text, n));
}

static void rare(sonde *t)
{
    int a = sonde_int(t, "a", 0, 2000000000), b = 1999999000;
    sonde_check(t, a < b || a > b + 9);
}

static void steep(sonde *t)
{
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        int x = sonde_int(t, "x", 0, 1000);
        sum += x > 900 ? 1000 - x : x;
    }
    sonde_check(t, sum < 5300);
}

static void assumed(sonde *t)
{
    int a = sonde_int(t, "a", 0, 100000), b = sonde_int(t, "b", 0, 100000);
    sonde_assume(t, a < b);
    sonde_check(t, b - a != 77777 || a % 7);
}

SONDE_MAIN(sorted, record, rare, steep, assumed)
