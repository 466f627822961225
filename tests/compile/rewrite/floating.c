/* NaN, infinities, signed zeros, floats against integers that they cannot hold. */
#include <sonde.h>

#include <math.h>

static void floating(sonde *t)
{
    double d = sonde_any_double(t, "d"), e = sonde_pick(t, "e", 3) ? sonde_any_double(t, "e") : d;
    float f = (float)sonde_int(t, "f", 16777210, 16777220);
    int i = sonde_int(t, "i", 16777210, 16777220);
    long double l = (long double)d;
    sonde_assume(t, !(d < e) || d != d);
    sonde_assume(t, d == d || !(d >= e));
    sonde_assume(t, f == i || f < i || f > i);
    sonde_assume(t, f != i || i % 2 == 0);
    sonde_assume(t, l == d || isnan(d));
    sonde_assume(t, !d || d);
    sonde_assume(t, d || signbit(d) || e > 0 || e <= 0 || isnan(e));
    sonde_assume(t, (float)d != 1.5f);
    sonde_assume(t, fabs(d) > 1e-300 || e != 0.0);
    sonde_check(t, !(d > 1000) || e != 0);
}

SONDE_MAIN(floating)
