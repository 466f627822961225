/* Common code of the tests of minimal counterexamples: ten seeds, one expected result. */
#ifndef TESTS_SHRINKS_TO_H
#define TESTS_SHRINKS_TO_H

#include "lib/shrinking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 10, MAX_CALLS = 1000 };

/* The bound on calls is generous; bench/shrink.c measures. */
static inline void shrinks_to(sonde_property_fn *property, const char *expected)
{
    struct shrinking s;
    shrinking_init(&s, property);
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        if (!shrinking_find(&s, seed, 0)) fail_msg("seed %u: no failure found", seed);
        const char *text = shrinking_run(&s);
        if (strcmp(text, expected) != 0) fail_msg("seed %u: %s", seed, text);
        if (s.result.calls > MAX_CALLS) fail_msg("seed %u: %llu calls", seed, (unsigned long long)s.result.calls);
    }
    shrinking_clear(&s);
}

/* A test `NAME_shrinks` for the property NAME. */
#define SHRINKS(name, expected)                                                                                        \
    static void name##_shrinks(void **state)                                                                           \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        shrinks_to(name, expected);                                                                                    \
    }

#endif
