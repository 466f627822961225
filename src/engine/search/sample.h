/* Inputs to be run a second time: all of them if they are few, otherwise a sample. Each input is equally likely to be
 * in the sample, whenever and however often it ran. Each input has a key, a hash of its choices and the seed; the
 * inputs with the smallest keys stay (a bottom-k sketch). Sorted by key, the inputs are in an order unrelated to the
 * search.
 *
 * The tapes are copies, not shared with the corpus. Most sampled tapes are not in the corpus, and the samples of
 * parallel searches, each in a separate heap, are merged. */
#ifndef SONDE_ENGINE_SAMPLE_H
#define SONDE_ENGINE_SAMPLE_H

#include "base/limit.h"

#include <sonde/extend.h>

enum { SONDE_SAMPLE_MAX = SONDE_LIMIT(1000, 8) }; /* maximum number of inputs in a sample */

/* An input of a sample. */
struct sonde_sampled {
    uint64_t key;
    uint64_t test; /* number of the case that ran this input */
    enum sonde_verdict verdict;
    struct sonde_tape tape;
};

/* A sample. */
struct sonde_sample {
    struct sonde_sampled *inputs[SONDE_SAMPLE_MAX]; /* sorted by key */
    uint32_t n;
    uint64_t end; /* only inputs with a key below this are added */
    size_t bytes;
    bool is_cut; /* large inputs left room for fewer: the sample is too small for a proof by a rerun */
};

/* Initializes an empty sample; takes no memory. `end` starts as the largest possible key and falls as the sample
 * fills. */
void sonde_sample_init(struct sonde_sample *sample);
/* Frees all inputs. The sample takes no more afterwards. */
void sonde_sample_clear(struct sonde_sample *sample);
/* Drops all inputs and takes no more. Their memory is not freed: it may be damaged. */
void sonde_sample_abandon(struct sonde_sample *sample);
/* Returns the key of an input. Keys of valid inputs are smaller than those for other inputs. */
uint64_t sonde_sample_key(uint64_t identity, uint64_t seed, bool is_valid);
/* Adds a copy of the input, unless the sample has it already or is full of smaller keys. To be called only if the key
 * is below `end`. */
void sonde_sample_add(struct sonde_sample *sample, const struct sonde_sampled *input);
/* Adds another sample. If the other one was abandoned (its `end` is 0), this one is abandoned, too. */
void sonde_sample_merge(struct sonde_sample *sample, const struct sonde_sample *other);
/* Returns the i-th input to run again: in the order of keys, or backwards if the search ran the inputs in that
 * order. */
const struct sonde_sampled *sonde_sample_at(const struct sonde_sample *sample, uint32_t i);

#endif
