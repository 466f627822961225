#include <sonde.h>

static void drawn_within_bounds(sonde *t)
{
    int x = sonde_int(t, "x", 0, 9);
    sonde_check(t, x >= 0 && x <= 9);
}

SONDE_MAIN(drawn_within_bounds)
