/* Properties that fail in a case that is not a test of the search: while files are imported, when a case is run a second time, while another
 * failure is shrunk. tests/cli/met.sh says what is expected. */
#include <sonde.h>
#include <stdlib.h>

/* Aborts on the way to the file "77x", which --import looks for. */
static void dies_on_import(sonde *t)
{
    sonde_text out = {0};
    int k = sonde_int(t, "k", 0, 1000);
    if (k == 77) abort();
    sonde_put(t, &out, "%d", k);
    sonde_put(t, &out, "%s", sonde_bool(t, "b") ? "x" : "y");
}

/* The check has failed when --import leaves the case, because the string differs from the contents of the file. */
static void fails_on_import(sonde *t)
{
    sonde_text out = {0};
    int k = sonde_int(t, "k", 0, 1000);
    sonde_expect(t, k != 77);
    sonde_put(t, &out, "<%d>", k);
}

/* Fails for the simplest input alone, with which --inputs finds out where the bytes of a file go. */
static void fails_when_probed(sonde *t)
{
    size_t n;
    sonde_bytes(t, "bytes", 0, 100, &n);
    sonde_check(t, n > 0);
}

/* Fails for an input that the case before it had. */
static void fails_the_second_time(sonde *t)
{
    static int before = -1;
    int x = sonde_int(t, "x", 0, 1000000000), same = x == before;
    before = x;
    sonde_check(t, !same);
}

/* Nearly every input fails the first check; the shrinker tries the one that fails the second. */
static void fails_while_shrunk(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000000);
    sonde_check(t, x < 1000);
    sonde_check(t, x != 0);
}

static const char *const examples[] = {"s1:x=50 ?", NULL};

/* An example that fails and is then left by an assume. */
static void fails_as_example(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000000);
    sonde_expect(t, x != 50);
    sonde_assume(t, x != 50);
}

#define PLAIN(property)                                                                                                \
    {                                                                                                                  \
        .name = #property, .run = property                                                                             \
    }

int main(int argc, char **argv)
{
    const sonde_property all[] = {
        PLAIN(dies_on_import),     PLAIN(fails_on_import),
        PLAIN(fails_when_probed),  PLAIN(fails_the_second_time),
        PLAIN(fails_while_shrunk), {.name = "fails_as_example", .run = fails_as_example, .examples = examples},
    };
    return sonde_main(argc, argv, all, sizeof all / sizeof *all);
}
