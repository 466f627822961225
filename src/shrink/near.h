/* Neighbours of a tape: scripts that differ from it in one value, and then some that differ in two. For asking what a
 * failing input has that those near it, which pass, have not.
 *
 * Values near the one that is there come first, since a bug's condition has its bound there; then the ends of the
 * domain, what other draws of the same place have, and any. The same tape and seed give the same neighbours. */
#ifndef SONDE_SHRINK_NEAR_H
#define SONDE_SHRINK_NEAR_H

#include "tape/tape.h"

#define SONDE_NEAR_SEVERAL UINT32_MAX

struct sonde_near {
    const struct sonde_tape *of; /* borrowed */
    struct sonde_rng rng;
    uint32_t turn, choice, n_pairs;
};

void sonde_near_init(struct sonde_near *near, const struct sonde_tape *of, uint64_t seed);
/* The next one, into `script`; *choice is the one that was changed, or SONDE_NEAR_SEVERAL. False: that was all. */
bool sonde_near_next(struct sonde_near *near, struct sonde_tape *script, uint32_t *choice);

#endif
