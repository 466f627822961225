/* Promotions, unsigned wrap, NaN, long double, bit-fields, enumerations, arrays of variable length. */
#include <sonde.h>

enum colour { RED, GREEN, BLUE };

static void numbers(sonde *t)
{
    int a = sonde_int(t, "a", -20, 20);
    unsigned u = (unsigned)sonde_int(t, "u", 0, 20);
    unsigned char c = (unsigned char)sonde_int(t, "c", 0, 255);
    double d = sonde_any_double(t, "d"), e = sonde_any_double(t, "e");
    long double l = (long double)d;
    enum colour k = (enum colour)sonde_pick(t, "k", 3);
    uint64_t wide = sonde_u64(t, "wide", 0, UINT64_MAX);
    int vla[u + 1];
    sonde_assume(t, a < u); /* -1 is large here */
    sonde_assume(t, u - 5 < 100 || a == 0);
    sonde_assume(t, (signed char)c < 100);
    sonde_assume(t, !(d < e));
    sonde_assume(t, d != e || e == e);
    sonde_assume(t, l >= e || l != l || e != e);
    sonde_assume(t, k != BLUE && k <= GREEN);
    sonde_assume(t, wide - 1 < UINT64_MAX - 10);
    sonde_assume(t, sizeof vla <= 60 && 'x' != a);
    sonde_assume(t, (int)(wide >> 60) % 3 == 0);
    sonde_assume(t, d);
    sonde_check(t, u != 13);
}

SONDE_MAIN(numbers)
