/* Code under test and three properties of it, shared by the examples of the adapters. */
#ifndef SONDE_ADAPTERS_SUBJECT_H
#define SONDE_ADAPTERS_SUBJECT_H

#include <sonde.h>

static inline int midpoint(int a, int b)
{
    return a + (b - a) / 2;
}

static inline int careless_midpoint(int a, int b)
{
    return (int)(((unsigned)a + (unsigned)b) / 2);
}

static inline void midpoint_lies_between(sonde *t)
{
    int a = sonde_int(t, "a", 0, INT_MAX);
    int b = sonde_int(t, "b", a, INT_MAX);
    sonde_check(t, a <= midpoint(a, b) && midpoint(a, b) <= b);
}

/* Falsified: of -1 and 0, careless_midpoint returns 2147483647. */
static inline void careless_midpoint_lies_between(sonde *t)
{
    int a = sonde_int(t, "a", -1000, 1000);
    int b = sonde_int(t, "b", a, 1000);
    sonde_check(t, a <= careless_midpoint(a, b) && careless_midpoint(a, b) <= b);
}

/* Gives up: no input is valid. */
static inline void nothing_is_known(sonde *t)
{
    int a = sonde_int(t, "a", 0, INT_MAX);
    sonde_assume(t, a < 0);
}

#endif
