/* sonde_assume: state for which inputs the checks must hold.
 * Also: sonde_assume_that sonde_rel sonde_not sonde_all sonde_any sonde_all_of sonde_any_of sonde_holds
 * See also: sonde_check sonde_cover */
#include <sonde.h>

static void middle_lies_between(sonde *t)
{
    int a = sonde_int(t, "a", 0, 1000), b = sonde_int(t, "b", 0, 1000), step = sonde_int(t, "step", 1, 9);
    sonde_assume(t, a <= b); /* about half of the cases are discarded */
    sonde_assume_that(t, sonde_any(sonde_rel(step, ==, 1), sonde_rel(b - a, >=, step)));
    int middle = a + (b - a) / 2;
    sonde_check(t, a <= middle && middle <= b);
}

SONDE_MAIN(middle_lies_between)
