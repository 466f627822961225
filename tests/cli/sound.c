/* Properties that test something, in ways that could be mistaken for nothing: none of them may be warned of. */
#include <fcntl.h>
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int twice(int x)
{
    return 2 * x;
}

/* The only check is a sonde_fail that should never be reached. */
SONDE_PROPERTY(s01_only_sonde_fail)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (twice(x) < x) sonde_fail(t, "%d is too small", twice(x));
}

/* A check that is never reached. */
SONDE_PROPERTY(s02_default_of_a_switch)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_check(t, twice(x) >= x);
    switch (x % 2) {
    case 0:
    case 1: break;
    default: sonde_check(t, false);
    }
}

/* A helper has checks for all its callers; this one needs the first only. */
static void agree(sonde *t, int kind, int a, int b)
{
    if (kind == 0) sonde_check_eq(t, a, b);
    if (kind == 1) sonde_check_lt(t, a, b);
}

SONDE_PROPERTY(s03_part_of_a_helper)
{
    int x = sonde_int(t, "x", 0, 1000000);
    agree(t, x < 0, twice(x), x + x);
}

/* Discards by an assume that can never hold. */
SONDE_PROPERTY(s04_discards_by_hand)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (x % 3 == 0) sonde_assume(t, false);
    sonde_check(t, twice(x) >= x);
}

static void checks_later(void *what)
{
    sonde *t = *(sonde **)what;
    sonde_expect(t, twice(2) == 4);
}

/* The only check is made while the case cleans up. */
SONDE_PROPERTY(s05_deferred)
{
    sonde **what = sonde_new(t, sonde *);
    *what = t;
    sonde_defer(t, checks_later, what);
    sonde_int(t, "x", 0, 1000000);
}

/* Only crashes are looked for. */
SONDE_PROPERTY(s06_crash_only, .crash_only = true)
{
    twice(sonde_int(t, "x", 0, 1000000));
}

/* Only the distribution is looked at. */
SONDE_PROPERTY(s07_only_cover)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_cover(t, 10, x % 2, "odd");
}

/* A rule of a machine has the only check. */
static void count(sonde *t, void *world)
{
    int *n = world;
    ++*n;
    sonde_check(t, *n > 0);
}

SONDE_PROPERTY(s08_in_a_rule)
{
    static const sonde_rule rules[] = {SONDE_RULE(count)};
    static const sonde_machine machine = {SONDE_RULES(rules), .size = sizeof(int)};
    sonde_drive(t, "calls", &machine);
}

static char *volatile allocated; /* or the compiler leaves the allocation out */

/* Memory that runs out, and is allocated. */
SONDE_PROPERTY(s09_out_of_memory)
{
    sonde_oom(t, "oom", 3);
    allocated = malloc(10);
    sonde_check(t, !allocated || strlen(strcpy(allocated, "x")) == 1);
    free(allocated);
}

/* Faults that happen in some of the cases only. */
SONDE_PROPERTY(s10_faults_now_and_then)
{
    int x = sonde_int(t, "x", 0, 100);
    sonde_faults(t, "io", SONDE_FAULT_OPEN);
    int fd = x > 90 ? open("/dev/null", O_RDONLY) : -1;
    sonde_faults_end(t);
    if (fd >= 0) close(fd);
    sonde_check(t, fd >= -1);
}

/* A check that one case in ten reaches. */
SONDE_PROPERTY(s11_reached_now_and_then)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (x % 10 == 0) sonde_check(t, twice(x) >= x);
}

/* An assume in a branch that holds now and then. */
SONDE_PROPERTY(s12_assume_holds_now_and_then)
{
    int x = sonde_int(t, "x", 0, 1000);
    if (x % 2) sonde_assume(t, x % 7 == 0);
    sonde_check(t, twice(x) >= x);
}

/* The only check is one that never holds, where nothing should come. */
SONDE_PROPERTY(s13_only_false)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (twice(x) < x) sonde_check(t, false);
    if (twice(x) != x + x) sonde_check(t, false && "twice is not the sum");
}

/* A process that the property forks has the only check. */
SONDE_PROPERTY(s14_in_a_child, .tests = 150)
{
    int x = sonde_int(t, "x", 0, 1000000);
    pid_t child = fork();
    if (child == 0) {
        sonde_check(t, twice(x) >= x);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

SONDE_MAIN()
