/* Neighbours of a tape: scripts that differ from it in one value, and then some that differ in two. They show how a
 * failing input differs from similar inputs that pass.
 *
 * Values near the present one come first, since the condition of a bug often has its limit there. Then come
 * values of other draws with the same range, the ends of the domain, and any value. The same tape and seed give the
 * same neighbours. */
#ifndef SONDE_SHRINK_NEAR_H
#define SONDE_SHRINK_NEAR_H

#include "tape/tape.h"

#define SONDE_NEAR_SEVERAL UINT32_MAX

/* An iterator over the neighbours of one tape. */
struct sonde_near {
    const struct sonde_tape *of; /* the tape; borrowed */
    struct sonde_rng rng;
    uint32_t turn, choice, n_pairs;
};

/* Starts an iteration; `of` must outlive `near`. */
void sonde_near_init(struct sonde_near *near, const struct sonde_tape *of, uint64_t seed);
/* Writes the next neighbour to `script`, and sets *choice to the changed choice, or to SONDE_NEAR_SEVERAL. Returns
 * false after the last neighbour. */
bool sonde_near_next(struct sonde_near *near, struct sonde_tape *script, uint32_t *choice);

#endif
