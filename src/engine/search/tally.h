/* The tally: what all the cases of a run said, added up. Assumes by place, labels and cover claims by
 * name. Bounded by what the source of the property names.
 *
 * Example of a cover claim of 10 %: after 1,000 independent cases of which 60 met it, the interval reaches up to
 * 12.4 %, so it is open; after 10,000 of which 600 did, up to 7.6 %: missed, and one false alarm in 10^9 runs. */
#ifndef SONDE_ENGINE_TALLY_H
#define SONDE_ENGINE_TALLY_H

#include "case/case.h"

struct sonde_tally {
    struct sonde_assume_count *assumes;
    uint32_t n_assumes, cap_assumes;
    struct sonde_label_count *labels;
    uint32_t *label_ids;  /* beside labels */
    double *masses;       /* beside labels: probabilities of the different valid inputs that met it, added up */
    double mass;          /* of all different valid inputs, whether they came to a claim or not */
    uint64_t independent; /* valid cases that count for cover */
    uint32_t n_labels, cap_labels, cap_ids, cap_masses;
    bool is_inexact; /* some input has no known probability, or may have been weighed twice */
    bool may_cover;  /* there is a sonde_cover in the program, which a case may still come to */
    bool has_cover;
};

void sonde_tally_clear(struct sonde_tally *tally);
/* After a discarded case. */
void sonde_tally_reject(struct sonde_tally *tally, const struct sonde_rejection *rejection);
/* After a valid case with labels; `independent` if it was drawn as the uniform guide draws, which alone counts for cover. */
void sonde_tally_valid(struct sonde_tally *tally, const sonde *t, bool independent);
/* After a valid case with an input that is new: for claims that are judged exactly. `probability` < 0: unknown. */
void sonde_tally_weigh(struct sonde_tally *tally, const sonde *t, double probability);
/* Adds up another tally; names come from `labels`, which must know them. */
void sonde_tally_merge(struct sonde_tally *tally, const struct sonde_tally *other, const struct sonde_labels *labels);
/* Judges the cover claims; the first that chance cannot explain, or NULL. `is_complete`: every input was weighed, so they are
 * judged by their exact shares, where those are known. */
const struct sonde_label_count *sonde_tally_judge(struct sonde_tally *tally, bool is_complete);
/* Returns whether a claim that is not decided is likely to be missed. */
bool sonde_tally_is_doubtful(const struct sonde_label_count *label);

#endif
