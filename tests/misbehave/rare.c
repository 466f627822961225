/* Properties for what a report and a later run say of a failure: one with two failures, of which one is met long before the
 * other (with SLOW in the environment a case takes so many microseconds); one that prints much before it fails; one that
 * holds. */
#include <sonde.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void rare(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000), y = sonde_int(t, "y", 0, 1000);
    const char *slow = getenv("SLOW");
    if (slow) usleep((useconds_t)atoi(slow));
    sonde_check(t, x % 50 != 7);
    sonde_check(t, y % 300 != 211);
}

static void chatty(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000);
    for (int i = 1; i <= 50000; i++) printf("line %d\n", i);
    sonde_check(t, x < 0);
}

static void endless_line(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000);
    for (int i = 0; i < 50000; i++) printf("word ");
    sonde_check(t, x < 0);
}

static void holds(sonde *t)
{
    sonde_u64(t, "x", 0, UINT64_MAX);
}

SONDE_MAIN(rare, chatty, endless_line, holds)
