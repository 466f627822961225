/* Properties that test nothing, or less than they seem to: each is `ok`, and each is warned of (tests/cli/vacuous.sh has the kinds). */
#include <sonde.h>
#include <stdio.h>
#include <unistd.h>

static int twice(int x)
{
    return 2 * x;
}

/* Nothing is checked. */
SONDE_PROPERTY(v01_no_check)
{
    twice(sonde_int(t, "x", 0, 1000000));
}

/* The only check is behind a condition that never holds. */
SONDE_PROPERTY(v02_check_behind_a_condition)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (x > 2000000) sonde_check(t, twice(x) < 0);
}

/* One check of two is never reached. */
SONDE_PROPERTY(v03_one_of_two)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_check(t, twice(x) >= x);
    if (x < 0) sonde_check_eq(t, twice(x), 0);
}

/* The loop that holds the check runs over a list that is always empty. */
SONDE_PROPERTY(v04_loop_over_nothing)
{
    int xs[10], n = 0;
    sonde_int(t, "x", 0, 1000000);
    for (int i = 0; i < n; i++) sonde_check_ge(t, xs[i], 0);
}

/* Assumed instead of checked. */
SONDE_PROPERTY(v05_assumed)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_assume(t, twice(x) >= 0);
}

/* All inputs, and no check: that proves nothing. */
SONDE_PROPERTY(v06_proof_of_nothing)
{
    twice(sonde_int(t, "x", 0, 100));
}

/* An assume that never holds, in a branch: only the other branch is tested. */
SONDE_PROPERTY(v07_assume_never_holds)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (x % 2) sonde_assume(t, x < 0);
    sonde_check(t, twice(x) >= x);
}

/* Faults are drawn, and nothing is called that could fail. */
SONDE_PROPERTY(v08_faults_without_a_call)
{
    sonde_faults(t, "io", SONDE_FAULT_ALL);
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_faults_end(t);
    sonde_check(t, twice(x) >= x);
}

static void nothing(void *what)
{
    (void)what;
}

/* A process that is meant to die at a write makes none. */
SONDE_PROPERTY(v09_crash_without_a_call)
{
    int x = sonde_int(t, "x", 0, 1000000);
    bool died = sonde_crash(t, "dies", nothing, NULL);
    sonde_check(t, !died && twice(x) >= x);
}

/* A cover that is never reached claims nothing. */
SONDE_PROPERTY(v10_cover_never_reached)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_check(t, twice(x) >= x);
    if (x < 0) sonde_cover(t, 50, true, "negative");
}

/* A claim of cover that never holds, which the cases of one run are too few to refute. */
SONDE_PROPERTY(v11_cover_never_met)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_check(t, twice(x) >= x);
    sonde_cover(t, 1, x < 0, "negative");
}

/* Memory that is meant to run out is never allocated. */
SONDE_PROPERTY(v12_no_allocation)
{
    sonde_oom(t, "oom", 10);
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_check(t, twice(x) >= x);
}

SONDE_MAIN()
