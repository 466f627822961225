/* Parameters: a sequence of bytes that replaces the random numbers of a generator (Zest, section 3.1; Crowbar). Every
 * draw takes the bytes of one number, mostly four, and uses them like random ones. A range takes the remainder, a
 * chance compares, weights are cumulated, an open length is geometric. So every sequence is an input, and random bytes
 * give the generator's distribution. Draws for which bytes are missing are random; surplus bytes are ignored.
 *
 * The inverse, from a tape to bytes that make it, is the transformation of section 4.1 of Kummer's thesis. It is
 * exact, with three exceptions. A tape has no weights, so the last ones seen at that choice point are used. Doubles
 * may differ in their last bit. Open lengths are exact only up to about three hundred. */
#ifndef SONDE_CLASSIC_PARAMS_H
#define SONDE_CLASSIC_PARAMS_H

#include "classic.h"

enum { CLASSIC_WEIGHTS = 1 << 10 }; /* choice points whose weights are remembered; a power of two */

/* The weights that were last seen at a choice point, and their sum. */
struct classic_weights {
    uint64_t key; /* identifies the choice point; 0: free entry */
    unsigned *weights;
    uint64_t sum;
};

/* The parameters of one guide. */
struct classic_params {
    uint8_t *bytes; /* bytes of the running case */
    uint32_t n, at, cap;
    struct classic_weights seen[CLASSIC_WEIGHTS]; /* open addressing; when full, new weights count as equal */
    uint32_t n_seen;
};

/* Frees the memory. The struct must have been initialised to zeros. */
void classic_params_clear(struct classic_params *params);
/* Sets `bytes` to the bytes that make this tape; the next draw takes the first of them. */
void classic_params_of(struct classic_params *params, const struct sonde_tape *tape);
/* Implements choose() and fill() of a guide; `fresh` chooses what is missing. */
uint64_t classic_params_choose(struct classic_params *params, struct sonde_guide *fresh, const struct sonde_view *view);
size_t classic_params_fill(struct classic_params *params, struct sonde_guide *fresh, const struct sonde_view *view,
                           uint32_t *symbols, size_t min);

#endif
