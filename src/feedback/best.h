/* The best that each utility came to, by name. As many as the source of the property names. */
#ifndef SONDE_FEEDBACK_BEST_H
#define SONDE_FEEDBACK_BEST_H

#include "tape/label.h"

#include <sonde/extend.h>

struct sonde_bests {
    struct sonde_target_best *targets;
    uint32_t *ids; /* beside targets: their labels */
    uint32_t n, cap_targets, cap_ids;
};

void sonde_bests_clear(struct sonde_bests *bests);
/* True if one of the utilities rose above its best; the first of a name does. Names come from `labels`, which must know them
 * and outlive this. */
bool sonde_bests_raise(struct sonde_bests *bests, const struct sonde_labels *labels,
                       const struct sonde_target_value *targets, size_t n);
/* Of another job; `labels` are those of this one, ids are the same in both. */
void sonde_bests_merge(struct sonde_bests *bests, const struct sonde_bests *other, const struct sonde_labels *labels);

#endif
