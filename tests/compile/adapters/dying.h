/* Properties that the tests of the adapters share: they die, each for n of 500 and more. */
#ifndef SONDE_ADAPTERS_DYING_H
#define SONDE_ADAPTERS_DYING_H

#include <sonde.h>
#include <stdlib.h>

static inline void crashes(sonde *t)
{
    volatile int *volatile nowhere = NULL;
    if (sonde_int(t, "n", 0, 1000) >= 500) *nowhere = 1;
}

static inline void hangs(sonde *t)
{
    volatile int n = sonde_int(t, "n", 0, 1000);
    while (n >= 500) continue;
}

static inline void exits(sonde *t)
{
    if (sonde_int(t, "n", 0, 1000) >= 500) exit(0);
}

#endif
