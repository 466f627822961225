/* Ternaries in chains, in each other, with nothing in the middle. */
#include <sonde.h>

static int calls;
static int once(int x)
{
    calls++;
    return x;
}

static void ternaries(sonde *t)
{
    int a = sonde_int(t, "a", -9, 9), b = sonde_int(t, "b", -9, 9), c = sonde_int(t, "c", -9, 9);
    calls = 0;
    sonde_assume(t, a < -5 ? b < 0 : a < 0 ? b < 3 : a < 5 ? b < 6 : b < 9);
    sonde_assume(t, a > 3 ? b > 3 ? c > 3 : c > -9 : b > -9);
    sonde_assume(t, once(c) ?: once(0) + 1);
    sonde_assume(t, (a ? b : c) != 7);
    sonde_assume(t, once(a) ? once(b) : once(1));
    sonde_assume(t, a ? b ? c ? c != 5 : 1 : b != 4 : 1);
    sonde_assume(t, a < b ? 1 : 0.5);
    sonde_check(t, calls <= 4);
    sonde_check(t, calls == (c ? 3 : 4) && a + b + c != 11);
}

SONDE_MAIN(ternaries)
