/* Kept inputs and the property they were kept for, which has changed since: ROT_EDITED says how. `rot TOKEN` replays a token
 * as a unit test does, by sonde_replay. */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

static bool edited(const char *how)
{
    const char *edits = getenv("ROT_EDITED");
    return edits && strcmp(edits, how) == 0;
}

/* Fails for 27, unless it is fixed. */
static void counts(sonde *t)
{
    int lowest = edited("narrowed") ? 30 : 0;
    if (edited("grown")) sonde_pick(t, "mode", 3);
    int count = sonde_int(t, edited("renamed") ? "n" : "count", lowest, 100);
    sonde_assume(t, !(edited("excluded") && count == 27));
    if (edited("misused") && count == 27) sonde_int(t, "never", 1, 0);
    bool fails = count == 27 && !edited("fixed") && !edited("renamed") && !edited("grown");
    sonde_check(t, !fails);
    sonde_int(t, "later", 0, 9);
}

static void other(sonde *t)
{
    sonde_int(t, "count", 0, 100);
    sonde_int(t, "later", 0, 9);
}

static void with_examples(sonde *t)
{
    counts(t);
}

int main(int argc, char **argv)
{
    const char *example = getenv("ROT_EXAMPLE");
    const char *const examples[] = {example, NULL};
    const sonde_property properties[] = {{.name = "counts", .run = counts},
                                         {.name = "other", .run = other},
                                         {.name = "with_examples", .run = with_examples, .examples = examples}};
    if (argc == 2 && argv[1][0] != '-') return sonde_replay(counts, argv[1]);
    return sonde_main(argc, argv, properties, edited("gone") ? 1 : 3);
}
