/* See inner.h. This file only forwards the guide operations; it decides nothing. */
#include "guide/inner.h"

#include "tape/order.h"

#include <string.h>

/* Highest shift of a part's number in a 64-bit stream: the number takes eight bits. */
enum { DEEPEST = 64 - 8 };

/* Returns the outer setup with a separate random stream for this part, at any depth of nesting. Each level of nesting
 * takes eight more bits, above the 32 bits in which the engine numbers jobs and guides. */
struct sonde_guide_setup sonde_guide_part(const struct sonde_guide_setup *outer, unsigned part)
{
    struct sonde_guide_setup setup = *outer;
    unsigned shift = 32;
    while (shift < DEEPEST && outer->stream >> shift) shift += 8;
    setup.stream += (uint64_t)part << shift;
    return setup;
}

void sonde_inner_init(struct sonde_inner *inner, const struct sonde_guide_ops *ops, struct sonde_guide_setup setup)
{
    inner->setup = setup;
    inner->guide = ops->create(&inner->setup);
    inner->guide->wants |= ops->wants;
}

void sonde_inner_clear(struct sonde_inner *inner)
{
    if (inner->guide) inner->guide->ops->destroy(inner->guide);
    memset(inner, 0, sizeof *inner);
}

enum sonde_plan sonde_inner_start(struct sonde_inner *inner, struct sonde_guide *outer, struct sonde_tape *script)
{
    struct sonde_guide *g = inner->guide;
    enum sonde_plan plan = g->ops->start ? g->ops->start(g, script) : SONDE_PLAN_FRESH;
    outer->plain = g->plain;
    return plan;
}

/* Asks a guide without `fill` for the length and for each symbol, as a case would do. Returns the length. */
static size_t fill_by_choices(struct sonde_guide *g, const struct sonde_view *view, uint32_t *symbols, size_t min)
{
    size_t n = min + (size_t)(view->point->max ? g->ops->choose(g, view) : 0);
    struct sonde_choice symbol = *view->point;
    struct sonde_view inside = *view;
    symbol.kind = SONDE_KIND_PICK;
    symbol.max = view->alphabet->size - 1;
    inside.point = &symbol;
    for (size_t i = 0; i < n; i++) symbols[i] = (uint32_t)(symbol.max ? g->ops->choose(g, &inside) : 0);
    return n;
}

size_t sonde_inner_fill(const struct sonde_inner *inner, const struct sonde_view *view, uint32_t *symbols, size_t min,
                        size_t max)
{
    struct sonde_guide *g = inner->guide;
    return g->ops->fill ? g->ops->fill(g, view, symbols, min, max) : fill_by_choices(g, view, symbols, min);
}

/* The inner guide recognises its cases by their author, as it would without an outer guide. */
void sonde_inner_learn(struct sonde_inner *inner, const struct sonde_run *run, bool is_own)
{
    struct sonde_run told = *run;
    if (!inner->guide->ops->learn) return;
    if (is_own) told.author = inner->guide;
    inner->guide->ops->learn(inner->guide, &told);
}

void sonde_inner_stats(const struct sonde_inner *inner, FILE *out)
{
    if (!inner->guide->ops->stats) return;
    fprintf(out, "%s: ", inner->guide->ops->name);
    inner->guide->ops->stats(inner->guide, out);
}

void sonde_inner_explain(const struct sonde_inner *inner, const struct sonde_labels *names, FILE *out)
{
    if (inner->guide->ops->explain) inner->guide->ops->explain(inner->guide, names, out);
}

uint64_t sonde_scripter_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    return sonde_inner_choose(&((struct sonde_scripter *)guide)->fresh, view);
}

size_t sonde_scripter_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                           size_t max)
{
    return sonde_inner_fill(&((struct sonde_scripter *)guide)->fresh, view, symbols, min, max);
}
