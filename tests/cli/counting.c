/* Properties for counting.sh: how many cases there were, how many of them different, and what that is worth. */
#include <sonde.h>

#include <unistd.h>

/* Takes so long that hardly a case fits into the time. */
static void slow(sonde *t)
{
    int port = sonde_int(t, "port", 1024, 65535);
    usleep(30000);
    sonde_check(t, port > 0);
}

static void slow_and_picky(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000);
    usleep(10000);
    sonde_assume(t, x > 999990);
}

static void never_valid(sonde *t)
{
    int x = sonde_int(t, "x", 0, 100);
    sonde_assume(t, x > 100);
}

static void never_valid_at_large(sonde *t)
{
    uint64_t x = sonde_u64(t, "x", 0, UINT64_MAX);
    sonde_assume(t, x % 2 == 2);
}

static void one_input(sonde *t)
{
    sonde_check(t, sonde_int(t, "x", 7, 7) == 7);
}

static void one_valid_input(sonde *t)
{
    int x = sonde_int(t, "x", 0, 20);
    sonde_assume(t, x == 13);
    sonde_check(t, x > 0);
}

static void few(sonde *t)
{
    sonde_check(t, sonde_int(t, "x", 1, 3) > 0);
}

/* Three valid inputs, and others that are too large: no guide can have tried all of them. */
static void few_and_too_large(sonde *t)
{
    int x = sonde_int(t, "x", 0, 3);
    sonde_check(t, x >= 0);
    if (x > 0) return;
    sonde_alloc(t, SIZE_MAX / 2);
}

/* Many inputs that count as a few. */
static void few_classes(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_characteristic(t, (uint64_t)x % 3);
    sonde_check(t, x >= 0);
}

static void many(sonde *t)
{
    sonde_u64(t, "x", 0, UINT64_MAX);
}

SONDE_MAIN(slow, slow_and_picky, never_valid, never_valid_at_large, one_input, one_valid_input, few, few_and_too_large,
           few_classes, many)
