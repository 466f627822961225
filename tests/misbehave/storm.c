/* The storm: one input in a hundred crashes, in one of fifty locations. tests/cli/storm.sh wants all fifty found, each
 * once and minimal, and nothing left over. */
#include <sonde.h>
#include <stdlib.h>

static volatile int place;
static int *volatile nowhere;

/* A function that aborts and one that writes nowhere; the numbers keep the compiler from merging two of them. */
#define PAIR(n)                                                                                                        \
    static __attribute__((noinline)) void place_##n##_a(void)                                                          \
    {                                                                                                                  \
        place = 2 * n;                                                                                                 \
        abort();                                                                                                       \
    }                                                                                                                  \
    static __attribute__((noinline)) void place_##n##_b(void)                                                          \
    {                                                                                                                  \
        place = 2 * n + 1;                                                                                             \
        *nowhere = n;                                                                                                  \
        place = 0;                                                                                                     \
    }

#define FIVE(m, d) m(d##0) m(d##1) m(d##2) m(d##3) m(d##4)
#define ALL(m) FIVE(m, 1) FIVE(m, 2) FIVE(m, 3) FIVE(m, 4) FIVE(m, 5)
ALL(PAIR)

#define NAMES(n) place_##n##_a, place_##n##_b,
static void (*const places[])(void) = {ALL(NAMES)};

enum { N = sizeof places / sizeof *places };

static void storm(sonde *t)
{
    int x = sonde_int(t, "x", 0, 100 * N - 1);
    (void)sonde_int(t, "y", 0, 1000000);
    if (x % 100 == 99) places[x / 100]();
    place = -1;
}

SONDE_MAIN(storm)
