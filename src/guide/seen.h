/* A lossy set of hashes: of two that fall on one place the later stays. Inputs that were run, so that a guide that has made one of
 * them again can make another instead: what is forgotten costs a case, no more. Or traces: one that is forgotten counts as new
 * once more. */
#ifndef SONDE_GUIDE_SEEN_H
#define SONDE_GUIDE_SEEN_H

#include "tape/tape.h"

struct sonde_seen {
    uint32_t *tags; /* 0: none */
};

void sonde_seen_init(struct sonde_seen *seen);
void sonde_seen_clear(struct sonde_seen *seen);
/* Enters a hash; returns whether it was not there. */
bool sonde_seen_enter(struct sonde_seen *seen, uint64_t hash);
void sonde_seen_add(struct sonde_seen *seen, const struct sonde_tape *tape);
/* Would this script run an input once more? What has holes is not known before it is run. */
bool sonde_seen_has(const struct sonde_seen *seen, const struct sonde_tape *script);

#endif
