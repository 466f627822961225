/* See blockers.h. Compiled without instrumentation. */
#include "blockers.h"

#include <sonde.h>

#include <stdio.h>
#include <stdlib.h>

void passed(const char *name)
{
    static const char *last; /* so that a loop does not fill the output */
    if (name != last && getenv("BLOCKERS")) fprintf(stderr, "passed %s\n", name);
    last = name;
}

uint64_t digest(const void *data, size_t n)
{
    const uint8_t *bytes = data;
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++)
        for (unsigned round = 0; round < 3; round++) {
            hash = (hash ^ bytes[i]) * UINT64_C(0x9e3779b97f4a7c15);
            hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
            hash ^= hash >> 32;
        }
    return hash;
}

SONDE_MAIN()
