/* Coverage and valid coverage (Zest, algorithm 2): which features have been seen, in any run and among valid runs. A run
 * is of interest when it shows one that was not. The class of a feature's value counts as well as the feature: a list
 * that grows from 8 to 9 elements is news, and counts rounded to powers of two would be blind to it.
 *
 * Example: a run that passes a loop 9 times is news if no run passed it 9 times before, also if 8 and 10 are
 * known; from 32 on counts are told apart in eight steps for each doubling: 32 and 35 are one, 36 is another. */
#ifndef SONDE_FEEDBACK_NOVELTY_H
#define SONDE_FEEDBACK_NOVELTY_H

#include <sonde/extend.h>

struct sonde_novelty {
    uint64_t *all, *valid; /* by feature id: a bit for each class of its value */
    uint32_t cap_all, cap_valid;
    uint64_t n_all, n_valid; /* pairs of feature and class */
    uint32_t n_features, n_valid_features;
    uint32_t n_places, n_valid_places; /* those of them that are counters */
    uint8_t *is_place;                 /* by feature id */
    uint32_t cap_places;
};

void sonde_novelty_init(struct sonde_novelty *novelty);
void sonde_novelty_clear(struct sonde_novelty *novelty);
/* What is new in a run, as reasons; it is no longer new afterwards. Runs that fail or overrun add nothing: they are not
 * what a search should start from. */
uint32_t sonde_novelty_judge(struct sonde_novelty *novelty, const struct sonde_coverage_view *view,
                             enum sonde_verdict verdict);

/* Adds what another search has seen, whose features are called ids[their id] here. */
void sonde_novelty_merge(struct sonde_novelty *novelty, const struct sonde_novelty *other, const uint32_t *ids);

#endif
