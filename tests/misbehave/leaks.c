/* Leaks that are hard to name: a rare one, one that no case shows again, and one that no case causes. */
#include <sonde.h>
#include <stdlib.h>

static char *volatile kept; /* a compiler could leave out the last store to a variable that is not volatile */

static __attribute__((noinline)) void lose(size_t n)
{
    kept = malloc(n);
    kept[0] = 1;
    kept = NULL;
}

static void rarely(sonde *t)
{
    if (sonde_int(t, "x", 0, 999) == 777) lose(100);
}

/* Every third case ends in an assume, and loses what it had allocated, which is not a fault. */
static void rarely_among_discards(sonde *t)
{
    int x = (int)sonde_int(t, "x", 0, 999);
    char *room = malloc(10);
    kept = room;
    sonde_assume(t, x % 3 != 1);
    free(room);
    if (x == 777) lose(100);
}

static void once(sonde *t)
{
    static int n;
    sonde_int(t, "x", 0, 99999);
    if (++n == 500) lose(100);
}

static void never(sonde *t)
{
    char *room = malloc(1 + (size_t)sonde_int(t, "x", 0, 9999));
    kept = room;
    free(room);
}

static void by_assume(sonde *t)
{
    char *room = malloc(10);
    kept = room;
    sonde_assume(t, sonde_int(t, "x", 0, 9999) % 3);
    free(room);
}

int main(int argc, char **argv)
{
    static const sonde_property properties[] = {{.name = "rarely", .run = rarely},
                                                {.name = "rarely_among_discards", .run = rarely_among_discards},
                                                {.name = "once", .run = once},
                                                {.name = "never", .run = never},
                                                {.name = "by_assume", .run = by_assume}};
    lose(33);
    lose(44); /* and overwrites what is left of the other */
    return sonde_main(argc, argv, properties, sizeof properties / sizeof *properties);
}
