/* The guide `simplest`: the simplest answer to every draw, which is index 0, the shortest blob, the first symbol.
 * It fills the gaps when a script is replayed or shrunk, so that a missing part never makes an input larger.
 *
 * It has no state, no random generator and no `learn`: running a script twice under it gives the same case. The engine
 * has one for each search (engine/search/search.c). As --guide it repeats a single case. */
#include "guide/guides.h"

#include "base/mem.h"

#include <string.h>

static struct sonde_guide *simplest_create(const struct sonde_guide_setup *setup)
{
    (void)setup;
    struct sonde_guide *guide = sonde_calloc(1, sizeof *guide);
    guide->ops = &sonde_guide_simplest;
    return guide;
}

static void simplest_destroy(struct sonde_guide *guide)
{
    sonde_free(guide);
}

static uint64_t simplest_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    (void)guide;
    (void)view;
    return 0;
}

static size_t simplest_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                            size_t max)
{
    (void)guide;
    (void)view;
    (void)max;
    if (min > 0) memset(symbols, 0, min * sizeof *symbols);
    return min;
}

const struct sonde_guide_ops sonde_guide_simplest = {
    .name = "simplest",
    .summary = "the simplest value for every draw: always the same input",
    .create = simplest_create,
    .destroy = simplest_destroy,
    .choose = simplest_choose,
    .fill = simplest_fill,
};
