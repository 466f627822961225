/* Remainders, masks, flags, bit-fields, booleans. */
#include <sonde.h>

#include <stdbool.h>

enum { READ = 1, WRITE = 2, RUN = 16 };

static void bits(sonde *t)
{
    unsigned x = (unsigned)sonde_int(t, "x", 0, 1023), flags = (unsigned)sonde_int(t, "flags", 0, 31);
    int a = sonde_int(t, "a", -50, 50), m = sonde_int(t, "m", 1, 9);
    struct {
        unsigned narrow : 3;
        int sign : 4;
        bool one : 1;
    } s;
    s.narrow = x & 7u;
    s.sign = m - 5;
    s.one = a > 0;
    bool yes = flags & READ;
    sonde_assume(t, x % 3 == 0);
    sonde_assume(t, a % m != 1 && a * 3 % 7 != 2);
    sonde_assume(t, !(a % 2) || x % (unsigned)m);
    sonde_assume(t, flags & READ || !(flags & (WRITE | RUN)));
    sonde_assume(t, (flags & (READ | RUN)) != (READ | RUN));
    sonde_assume(t, (x & 0xf) == 0 || (x & 0x30) == 0x10 || 1 & x);
    sonde_assume(t, flags ^ 3 && (x | 1) > 2);
    sonde_assume(t, s.narrow > -1 && s.narrow - 5 < 2);
    sonde_assume(t, s.sign < 3 && s.sign != -2);
    sonde_assume(t, yes == s.one || !yes);
    sonde_assume(t, s.one || a > -40);
    sonde_assume(t, (bool)(x & 0x1ff) && (int)(a < 40));
    sonde_assume(t, x << 2 != 12 && x >> 1 < 500);
    sonde_check(t, x % 32 != 6 || m < 5);
}

SONDE_MAIN(bits)
