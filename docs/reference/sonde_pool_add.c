/* sonde_pool_add: things that later calls of a machine use.
 * Also: sonde_pool_pick sonde_pool_take sonde_pool_remove
 * See also: sonde_drive */
#include <sonde.h>
#include <stdlib.h>

struct world {
    sonde_pool blocks;
    int live;
};

static bool has_block(const void *world)
{
    return ((const struct world *)world)->blocks.n > 0;
}

static void make(sonde *t, void *world)
{
    struct world *w = world;
    sonde_pool_add(t, &w->blocks, malloc(sonde_size_t(t, "size", 1, 100)));
    w->live++;
}

static void release(sonde *t, void *world)
{
    struct world *w = world;
    free(sonde_pool_take(t, "block", &w->blocks));
    w->live--;
}

static void counts(sonde *t, void *world)
{
    struct world *w = world;
    sonde_check_eq(t, w->blocks.n, w->live);
}

static void release_all(sonde *t, void *world)
{
    struct world *w = world;
    while (w->blocks.n) free(w->blocks.items[--w->blocks.n]);
    (void)t;
}

static const sonde_rule rules[] = {SONDE_RULE(make), SONDE_RULE(release, .when = has_block)};
static const sonde_machine blocks = {SONDE_RULES(rules), .size = sizeof(struct world), .always = counts,
                                     .stop = release_all};

static void blocks_are_counted(sonde *t)
{
    sonde_drive(t, "calls", &blocks);
}

SONDE_MAIN(blocks_are_counted)
