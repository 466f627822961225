/* Properties for mutate.sh, over code with mutants that were written by hand. */
#include "lib/mutated_cov.h"

#include <sonde.h>

SONDE_PROPERTY(adds)
{
    int a = sonde_int(t, "a", 0, 100), b = sonde_int(t, "b", 0, 100), high = sonde_int(t, "high", 50, 150);
    int want = a + b > high ? high : a + b;
    sonde_assume(t, mutated_allows(a));
    sonde_check_eq(t, mutated_sum(a, b, high), want);
    sonde_check(t, mutated_sum(a, b, high) <= high);
}

SONDE_PROPERTY(does_no_harm)
{
    int a = sonde_int(t, "a", 0, 100);
    sonde_check(t, mutated_harm(a) == a);
    sonde_check(t, a >= 0);
}

/* Checks too little: most mutants of mutated_count and mutated_scale survive. */
SONDE_PROPERTY(counts)
{
    int a = sonde_int(t, "a", 0, 100);
    int scaled = mutated_scale(a);
    sonde_observe(t, "scaled", scaled);
    sonde_check(t, mutated_count(a) == a);
    sonde_check(t, scaled >= 2 * a || a < 5);
}

SONDE_PROPERTY(halves)
{
    int a = sonde_int(t, "a", -100, 100), half = mutated_half(a);
    sonde_assume(t, a >= 0);
    sonde_check(t, half * 2 <= a);
}

/* Fails without a mutant. */
SONDE_PROPERTY(is_wrong)
{
    sonde_check(t, mutated_sum(sonde_int(t, "a", 0, 9), 1, 100) < 10);
}

SONDE_PROPERTY(sums_in_any_order)
{
    int a = sonde_int(t, "a", 0, 100), b = sonde_int(t, "b", 0, 100);
    sonde_check_eq(t, mutated_sum(a, b, 300), mutated_sum(b, a, 300));
}

SONDE_MAIN()
