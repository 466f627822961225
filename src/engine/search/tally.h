/* The tally: sums of what all cases of a run reported. Assumes are counted by location, labels and cover checks by
 * name. It has one entry for each location or name in the source, so its size is bounded.
 *
 * Example of a cover check of 10 %. After 1,000 independent cases of which 60 met it, the interval reaches up to 12.4
 * %, so the check is undecided. After 10,000 cases of which 600 met it, the interval reaches up to 7.6 %, so the check
 * is missed. One run in 10^9 reports that wrongly. */
#ifndef SONDE_ENGINE_TALLY_H
#define SONDE_ENGINE_TALLY_H

#include "case/case.h"

/* The tally of one search. */
struct sonde_tally {
    struct sonde_assume_count *assumes;
    uint32_t n_assumes, cap_assumes;
    struct sonde_label_count *labels;
    uint32_t *label_ids; /* ids of the labels, in the same order */
    double *masses;      /* for each label: sum of the probabilities of different valid inputs that met it */
    /* sum of the probabilities of all different valid inputs, whether they reached a cover check or not */
    double mass;
    uint64_t independent; /* number of valid cases that count for cover */
    uint32_t n_labels, cap_labels, cap_ids, cap_masses;
    bool is_inexact; /* the probability of some input is unknown, or may have been added twice */
    bool may_cover;  /* there is a sonde_cover in the program, which a case may still reach */
    bool has_cover;
};

void sonde_tally_clear(struct sonde_tally *tally);
/* Counts a discarded case by the assume that ended it. */
void sonde_tally_reject(struct sonde_tally *tally, const struct sonde_rejection *rejection);
/* Counts the labels of a valid case. `independent`: it was drawn as the uniform guide draws; only such cases count for
 * cover. */
void sonde_tally_valid(struct sonde_tally *tally, const sonde *t, bool independent);
/* Adds a valid case whose input is new, for cover checks that are judged exactly. `probability` < 0: unknown. */
void sonde_tally_weigh(struct sonde_tally *tally, const sonde *t, double probability);
/* Adds another tally; the names of labels come from `labels`, which must have all of them. */
void sonde_tally_merge(struct sonde_tally *tally, const struct sonde_tally *other, const struct sonde_labels *labels);
/* Judges the cover checks. Returns the first missed check, which chance cannot explain, or NULL. `is_complete`: every
 * input was weighed, so each check is judged by its exact share, if that is known. */
const struct sonde_label_count *sonde_tally_judge(struct sonde_tally *tally, bool is_complete);
/* Returns whether an undecided cover check is likely to be missed. */
bool sonde_tally_is_doubtful(const struct sonde_label_count *label);

#endif
