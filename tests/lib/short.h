/* Tests that do a million things do fewer of them where each takes long: under valgrind and with sanitizers. */
#ifndef SONDE_TESTS_SHORT_H
#define SONDE_TESTS_SHORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline bool is_short(void)
{
    return getenv("SONDE_TEST_SHORT") != NULL;
}

/* How many seeds a search is tried with. A seed gives the same search on every build, so where each takes long, with sanitizers, one of them shows
 * what these can see. */
static inline uint64_t seeds_of(uint64_t n)
{
    return getenv("SONDE_TEST_ONE_SEED") ? 1 : n;
}

#endif
