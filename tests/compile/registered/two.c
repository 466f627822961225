/* A property that registers itself beside one that is given. */
#include <sonde.h>

static void given(sonde *t)
{
    sonde_check(t, sonde_int(t, "x", 0, 10) < 20);
}

SONDE_PROPERTY(a_truth)
{
    sonde_check(t, sonde_bool(t, "b") || true);
}

SONDE_MAIN(given)
