/* Inputs to be run a second time: all of them if they are few, else a sample in which each is as likely as any other,
 * whenever and however often it came. Each has a key, a hash of its choices and the seed; those with the smallest keys
 * stay (a bottom-k sketch). Sorted by key they stand in an order that has nothing to do with that of the search.
 *
 * The tapes are copies, not those of the corpus: most of a sample is of no interest to anyone else, and the samples of searches
 * that run side by side, each in a heap of its own, are merged. */
#ifndef SONDE_ENGINE_SAMPLE_H
#define SONDE_ENGINE_SAMPLE_H

#include "base/limit.h"

#include <sonde/extend.h>

enum { SONDE_SAMPLE_MAX = SONDE_LIMIT(1000, 8) };

struct sonde_sampled {
    uint64_t key;
    uint64_t test; /* its number */
    enum sonde_verdict verdict;
    struct sonde_tape tape;
};

struct sonde_sample {
    struct sonde_sampled *inputs[SONDE_SAMPLE_MAX]; /* by key */
    uint32_t n;
    uint64_t end; /* keys from here on are not taken */
    size_t bytes;
};

/* Takes no memory. `end` is the largest key that is still let in; it falls as the sample fills. */
void sonde_sample_init(struct sonde_sample *sample);
void sonde_sample_clear(struct sonde_sample *sample);
/* Takes no more and forgets what it has, whose memory is not freed: it may be damaged. */
void sonde_sample_abandon(struct sonde_sample *sample);
/* The key of an input; valid ones come before others. */
uint64_t sonde_sample_key(uint64_t identity, uint64_t seed, bool is_valid);
/* Keeps a copy, unless it is there or others come first. Asked for only where the key is below `end`. */
void sonde_sample_add(struct sonde_sample *sample, const struct sonde_sampled *input);
/* An `end` of 0 stands for a sample that was given up: then so is this one. */
void sonde_sample_merge(struct sonde_sample *sample, const struct sonde_sample *other);
/* The i-th to be run again: by key, or backwards if that is the order in which they came. */
const struct sonde_sampled *sonde_sample_at(const struct sonde_sample *sample, uint32_t i);

#endif
