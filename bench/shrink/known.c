/* See holdout.h: problems that passes were written for, so that a change of a pass shows what it loses. Numbers without
 * a threshold, and programs in which an instruction can be replaced by a shorter one. */
#include "shrink/holdout.h"

enum { MOST = 64 };

static void stride(sonde *t)
{
    int length = sonde_int(t, "length", 0, 4095), flags = sonde_int(t, "flags", 0, 255);
    sonde_check(t, (flags & 5) != 5 || length % 64 != 63 || length < 512);
}

static void two_flags(sonde *t)
{
    uint64_t x = sonde_u64(t, "x", 0, UINT16_MAX);
    sonde_check(t, !(x & 8) || !(x & 2048));
}

static void flags_to_10000(sonde *t)
{
    uint64_t x = sonde_u64(t, "x", 0, 10000);
    sonde_check(t, !(x & 8) || !(x & 2048));
}

static void flags_from_1(sonde *t)
{
    uint64_t x = sonde_u64(t, "x", 1, 1000);
    sonde_check(t, !(x & 8) || !(x & 128));
}

static void upper_half(sonde *t)
{
    int x = sonde_int(t, "x", 0, 20000);
    sonde_check(t, x % 64 < 32 || x < 575);
}

static void one_of_seven(sonde *t)
{
    int x = sonde_int(t, "x", 0, 100000);
    sonde_check(t, x % 7 != 3 || x <= 50);
}

/* Runs a program for a stack: push a number, copy the top, then add, or multiply, the two at the top. */
static void run(sonde *t, int lo, int hi, int64_t limit, bool multiplies)
{
    int64_t stack[MOST] = {0};
    int n = 0;
    sonde_list ops = sonde_list_of(t, "ops", 0, 20);
    while (sonde_more(&ops)) {
        size_t op = sonde_pick(t, "op", 3);
        sonde_assume(t, op == 0 || n > (op == 2));
        if (op == 0) stack[n++] = sonde_int(t, "v", lo, hi);
        else if (op == 1) stack[n] = stack[n - 1], n++;
        else if (multiplies) n--, stack[n - 1] = stack[n - 1] * stack[n] % 1000000;
        else n--, stack[n - 1] += stack[n];
        sonde_check(t, n == 0 || stack[n - 1] < limit);
    }
}

static void sum_of_300(sonde *t)
{
    run(t, 0, 200, 300, false);
}

static void sum_of_1400(sonde *t)
{
    run(t, 0, 1000, 1400, false);
}

static void product_of_40000(sonde *t)
{
    run(t, 0, 1000, 40000, true);
}

const struct holdout known_problems[] = {
    {"stride", stride, "length=575 flags=5"},
    {"two flags", two_flags, "x=2056"},
    {"flags to 10000", flags_to_10000, "x=2056"},
    {"flags from 1", flags_from_1, "x=136"},
    {"upper half of 64", upper_half, "x=608"},
    {"one of seven", one_of_seven, "x=52"},
    {"sum of 300", sum_of_300, "ops[{op=0 v=150} {op=1} {op=2}]"},
    {"sum of 1400", sum_of_1400, "ops[{op=0 v=700} {op=1} {op=2}]"},
    {"product of 40000", product_of_40000, "ops[{op=0 v=200} {op=1} {op=2}]"},
};
const unsigned n_known_problems = sizeof known_problems / sizeof *known_problems;
