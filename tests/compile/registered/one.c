/* Two properties in one file: one with settings, and examples of it. */
#include <sonde.h>

SONDE_PROPERTY(sums_are_no_smaller)
{
    int a = sonde_int(t, "a", 0, 100), b = sonde_int(t, "b", 0, 100);
    sonde_check(t, a + b >= a);
}

SONDE_PROPERTY(few_cases, .tests = 77, .guide = "uniform")
{
    sonde_check(t, sonde_int(t, "a", 0, 1000000) != 27);
}

SONDE_EXAMPLE(few_cases, "a=26")
