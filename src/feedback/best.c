/* See best.h. Linear search: a property names a few utilities, and the case itself limits them to
 * SONDE_CASE_TARGETS. */
#include "feedback/best.h"

#include "base/mem.h"

#include <math.h>

void sonde_bests_clear(struct sonde_bests *b)
{
    sonde_free(b->targets);
    sonde_free(b->ids);
    *b = (struct sonde_bests){0};
}

static struct sonde_target_best *best_of(struct sonde_bests *b, const struct sonde_labels *labels, uint32_t id)
{
    for (uint32_t k = 0; k < b->n; k++)
        if (b->ids[k] == id) return &b->targets[k];
    size_t n = (size_t)b->n + 1;
    b->targets = sonde_grow(b->targets, &b->cap_targets, n, sizeof *b->targets);
    b->ids = sonde_grow(b->ids, &b->cap_ids, n, sizeof *b->ids);
    b->ids[b->n] = id;
    /* The name is borrowed from the table of labels, which lives as long as the search. */
    b->targets[b->n] = (struct sonde_target_best){.name = sonde_label_text(labels, id), .best = -INFINITY};
    return &b->targets[b->n++];
}

static bool raise_one(struct sonde_bests *b, const struct sonde_labels *labels, uint32_t id, double value)
{
    struct sonde_target_best *best = best_of(b, labels, id);
    if (value <= best->best) return false;
    best->best = value;
    return true;
}

bool sonde_bests_raise(struct sonde_bests *b, const struct sonde_labels *labels,
                       const struct sonde_target_value *targets, size_t n)
{
    bool rose = false;
    for (size_t i = 0; i < n; i++) rose |= raise_one(b, labels, targets[i].label, targets[i].value);
    return rose;
}

void sonde_bests_merge(struct sonde_bests *b, const struct sonde_bests *other, const struct sonde_labels *labels)
{
    for (uint32_t i = 0; i < other->n; i++) raise_one(b, labels, other->ids[i], other->targets[i].best);
}
