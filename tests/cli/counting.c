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
    sonde_assume(t, sonde_int(t, "x", 0, 20) == 13);
}

SONDE_MAIN(slow, slow_and_picky, never_valid, never_valid_at_large, one_input, one_valid_input)
