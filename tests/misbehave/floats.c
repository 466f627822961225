/* Code under test that changes the floating-point environment. sonde's own arithmetic, and what it draws, must not change with
 * it. tests/cli/floats.sh says what is expected. */
#define _GNU_SOURCE
#include <fenv.h>
#include <sonde.h>
#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static void traps(sonde *t)
{
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() & ~0x1f80u); /* every exception, inexact results included */
#endif
    (void)sonde_double(t, "a", 0, 1);
    (void)sonde_chance(t, "b", 0.3);
    (void)sonde_weighted(t, "c", (const unsigned[]){1, 2, 4}, 3);
}

/* By bits: with small numbers flushed to zero, they compare as equal to it. */
static void draws_small_numbers(sonde *t)
{
    double x = sonde_double(t, "x", 0, 1e-310);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    sonde_check(t, bits == 0);
}

static void keeps_the_programs(sonde *t)
{
    (void)sonde_double(t, "x", 0, 1);
#if defined(__SSE2__)
    sonde_check(t, (_mm_getcsr() & 0x8040) == 0x8040);
#endif
}

int main(int argc, char **argv)
{
    const sonde_property all[] = {
        {.name = "traps", .run = traps},
        {.name = "draws_small_numbers", .run = draws_small_numbers},
        {.name = "keeps_the_programs", .run = keeps_the_programs},
    };
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* as -ffast-math does for the whole program */
#endif
    return sonde_main(argc, argv, all, sizeof all / sizeof *all);
}
