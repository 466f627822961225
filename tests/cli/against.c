/* For against.sh: one program that is another version of its code under each name by which it is called. */
#include <sonde.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *version = "new";

static bool is(const char *name)
{
    return !strcmp(version, name);
}

static void packs(sonde *t)
{
    unsigned char bytes[8];
    size_t n = (size_t)sonde_int(t, "n", 0, 8);
    for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)sonde_int(t, "byte", 0, is("wider") ? 20 : 10);
    if (n > 3 && bytes[3] == 7 && is("value")) bytes[3] = 5;
    if (n > 3 && bytes[3] == 7 && is("crash")) abort();
    while (n > 3 && bytes[3] == 7 && is("hang")) continue;
    while (n > 3 && bytes[3] == 7 && is("sleep")) pause();
    if (n > 3 && bytes[3] == 7 && is("dies")) kill(getppid(), SIGKILL);
    sonde_assume(t, !(n > 3 && bytes[3] == 7 && is("discards")));
    sonde_observe(t, "length", n);
    sonde_observe(t, "packed", bytes, n);
    if (n > 3 && bytes[3] == 7 && is("more")) sonde_observe(t, "rest", 1);
    sonde_check(t, !(n > 3 && bytes[3] == 7 && is("fails")));
    sonde_check(t, n <= 8);
}

/* Draws from a range that the code under test computed. */
static void draws(sonde *t)
{
    int a = (int)sonde_int(t, "a", 0, 100), b = is("computes") && a > 50 ? a + 1 : a;
    if (!is("silent")) sonde_observe(t, "b", b);
    if (is("renamed") || (is("seldom") && a == 7)) sonde_int(t, "other", 0, 1);
    else sonde_int(t, "c", 0, b);
    sonde_check(t, a >= 0);
}

/* Never gets beyond its first error. */
static void fixed(sonde *t)
{
    sonde_int(t, "a", 0, 1000000);
    sonde_observe(t, "error", -1);
}

static void mute(sonde *t)
{
    int a = (int)sonde_int(t, "a", 0, 100);
    sonde_check(t, a <= (is("fails") ? 90 : 100));
}

/* State of earlier cases: both sides have run the same ones. */
static void counts(sonde *t)
{
    static unsigned n;
    sonde_int(t, "a", 0, 1000000);
    sonde_observe(t, "n", n++);
    if (n > 5 && is("state")) sonde_observe(t, "n", 0);
    sonde_check(t, n > 0);
}

static void alone(sonde *t)
{
    sonde_check(t, sonde_int(t, "a", 0, 100) <= 100);
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const sonde_property all[] = {{.name = "packs", .run = packs}, {.name = "draws", .run = draws},
                                  {.name = "mute", .run = mute},   {.name = "counts", .run = counts},
                                  {.name = "fixed", .run = fixed}, {.name = "alone", .run = alone}};
    version = slash ? slash + 1 : argv[0];
    return sonde_main(argc, argv, all, is("without") ? 5 : 6);
}
