/* Coverage and valid coverage (Zest, algorithm 2): the features seen in any run, and in valid runs. A run is
 * interesting if it shows a feature that was not seen before. A feature counts together with the class of its value. So
 * a list that grows from 8 to 9 elements is new; counts rounded to powers of two would miss that.
 *
 * Example: a run that passes a loop 9 times is news if no run did so before, even if 8 and 10 are known. From 32 on
 * there are eight classes for each doubling: 32 and 35 are in one class, 36 is in the next. */
#ifndef SONDE_FEEDBACK_NOVELTY_H
#define SONDE_FEEDBACK_NOVELTY_H

#include <sonde/extend.h>

/* The record of everything seen so far. */
struct sonde_novelty {
    uint64_t *all, *valid; /* all[feature] and valid[feature] have a bit for each class of the feature's value */
    uint32_t cap_all, cap_valid;
    uint64_t n_all, n_valid; /* how many distinct pairs of feature and class were seen */
    uint32_t n_features, n_valid_features;
    uint32_t n_places, n_valid_places; /* how many of these features are counters */
    uint8_t *is_place;                 /* is_place[feature] is 1 if the feature is a counter */
    uint32_t cap_places;
};

/* Initialises a record in which nothing was seen. */
void sonde_novelty_init(struct sonde_novelty *novelty);
/* Frees the memory. */
void sonde_novelty_clear(struct sonde_novelty *novelty);
/* Returns what is new in a run, as reasons, and adds it to the record. Runs that fail or overrun add nothing: a
 * search should not start from them. */
uint32_t sonde_novelty_judge(struct sonde_novelty *novelty, const struct sonde_coverage_view *view,
                             enum sonde_verdict verdict);

/* Adds the features that another search has seen; feature i of that search is ids[i] here. */
void sonde_novelty_merge(struct sonde_novelty *novelty, const struct sonde_novelty *other, const uint32_t *ids);

#endif
