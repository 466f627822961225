/* Tests that do a million things do fewer of them where each takes long: under valgrind. */
#ifndef SONDE_TESTS_SHORT_H
#define SONDE_TESTS_SHORT_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_short(void)
{
    return getenv("SONDE_TEST_SHORT") != NULL;
}

#endif
