/* Parameters: a sequence of bytes that stands in for the random numbers of a generator (Zest, section 3.1; Crowbar). Every draw takes
 * the bytes of one number, four mostly, and makes of them what it would have made of random ones: a range takes the remainder, a
 * chance compares, weights are cumulated, an open length is geometric. So every sequence is an input, and bytes that are random give
 * inputs as the generator's own distribution does. What is missing at the end is drawn at random; what is too much is ignored.
 *
 * The way back, from a tape to bytes that make it, is the transformation of section 4.1 of Kummer's thesis. It is exact, but for
 * weights, which a tape does not have (those last seen at that place are taken), for doubles, which may differ in their last bit,
 * and for open lengths beyond some three hundred. */
#ifndef SONDE_CLASSIC_PARAMS_H
#define SONDE_CLASSIC_PARAMS_H

#include "classic.h"

enum { CLASSIC_WEIGHTS = 1 << 10 }; /* places with weights that are remembered: a power of two */

struct classic_weights {
    uint64_t key; /* 0: free */
    unsigned *weights;
    uint64_t sum;
};

struct classic_params {
    uint8_t *bytes; /* of the case that is running */
    uint32_t n, at, cap;
    struct classic_weights seen[CLASSIC_WEIGHTS]; /* open addressing; when it is full, others are taken to be equal */
    uint32_t n_seen;
};

void classic_params_clear(struct classic_params *params); /* to be set to zeros first */
/* The bytes that make this tape, from the beginning; none of them is used. */
void classic_params_of(struct classic_params *params, const struct sonde_tape *tape);
/* choose() and fill(); `fresh` answers what is missing. */
uint64_t classic_params_choose(struct classic_params *params, struct sonde_guide *fresh, const struct sonde_view *view);
size_t classic_params_fill(struct classic_params *params, struct sonde_guide *fresh, const struct sonde_view *view,
                           uint32_t *symbols, size_t min);

#endif
