/* Inputs that were run, by their hashes: so that a guide that has made one of them once more can make another instead. What is
 * forgotten (a later hash takes an earlier one's place) costs a case, no more. */
#ifndef SONDE_GUIDE_SEEN_H
#define SONDE_GUIDE_SEEN_H

#include "tape/tape.h"

struct sonde_seen {
    uint32_t *hashes; /* 0: none */
};

void sonde_seen_init(struct sonde_seen *seen);
void sonde_seen_clear(struct sonde_seen *seen);
void sonde_seen_add(struct sonde_seen *seen, const struct sonde_tape *tape);
/* Would this script run an input once more? What has holes is not known before it is run. */
bool sonde_seen_has(const struct sonde_seen *seen, const struct sonde_tape *script);

#endif
