/* sonde_double: draw a floating-point number.
 * Also: sonde_any_double sonde_float sonde_any_float
 * See also: sonde_int sonde_check_eq */
#include <sonde.h>

static void doubling_is_adding(sonde *t)
{
    double x = sonde_double(t, "x", -1e100, 1e100);
    sonde_check_near(t, x + x, 2 * x, 0);

    float any = sonde_any_float(t, "any"); /* also infinities and NaN */
    sonde_assume(t, any == any);           /* no NaN */
    sonde_check(t, (float)(double)any == any);
}

SONDE_MAIN(doubling_is_adding)
