/* Properties for bench/against/run, which shows results and checks nothing. */
#include <sonde.h>
#include "tommath.h"
SONDE_PROPERTY(powers)
{
    mp_int a;
    mp_init(&a);
    int b = (int)sonde_int(t, "b", -100, 2000);
    mp_err e = mp_2expt(&a, b);
    sonde_observe(t, "error", (int)e);
    sonde_observe(t, "bits", e == MP_OKAY ? mp_count_bits(&a) : -1);
    mp_clear(&a);
}
SONDE_MAIN()
