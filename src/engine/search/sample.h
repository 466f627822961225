/* Inputs to be run a second time: all of them if they are few, otherwise a sample. In the sample each input is equally
 * likely, whenever and however often it came. Each has a key, a hash of its choices and the seed; those with the
 * smallest keys stay (a bottom-k sketch). Sorted by key, their order is unrelated to the order of the search.
 *
 * The tapes are copies, not shared with the corpus. Most of a sample is of no interest elsewhere, and the samples of
 * parallel searches, each in a separate heap, are merged. */
#ifndef SONDE_ENGINE_SAMPLE_H
#define SONDE_ENGINE_SAMPLE_H

#include "base/limit.h"

#include <sonde/extend.h>

enum { SONDE_SAMPLE_MAX = SONDE_LIMIT(1000, 8) };

struct sonde_sampled {
    uint64_t key;
    uint64_t test; /* number of its case */
    enum sonde_verdict verdict;
    struct sonde_tape tape;
};

struct sonde_sample {
    struct sonde_sampled *inputs[SONDE_SAMPLE_MAX]; /* by key */
    uint32_t n;
    uint64_t end; /* keys from here on are not taken */
    size_t bytes;
};

/* Initializes an empty sample; takes no memory. `end` begins at the largest key and falls as the sample fills. */
void sonde_sample_init(struct sonde_sample *sample);
void sonde_sample_clear(struct sonde_sample *sample);
/* Drops all inputs and takes no more. Their memory is not freed: it may be damaged. */
void sonde_sample_abandon(struct sonde_sample *sample);
/* Returns the key of an input; valid ones come before others. */
uint64_t sonde_sample_key(uint64_t identity, uint64_t seed, bool is_valid);
/* Keeps a copy, unless it is there already or too many have smaller keys. To be called only if the key is below
 * `end`. */
void sonde_sample_add(struct sonde_sample *sample, const struct sonde_sampled *input);
/* Adds another sample. If that was abandoned (its `end` is 0), so is this one. */
void sonde_sample_merge(struct sonde_sample *sample, const struct sonde_sample *other);
/* Returns the i-th input to run again: by key, or backwards if they came in the order of their keys. */
const struct sonde_sampled *sonde_sample_at(const struct sonde_sample *sample, uint32_t i);

#endif
