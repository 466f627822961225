/* A lossy set of hashes: when two hashes fall into one slot, the later one replaces the earlier one.
 * Guides enter the inputs that were run, to avoid repeating them: a forgotten input costs one repeated case at most.
 * Guides also enter traces: a forgotten trace counts as new when it is seen again. */
#ifndef SONDE_GUIDE_SEEN_H
#define SONDE_GUIDE_SEEN_H

#include "tape/tape.h"

/* An empty set is zeroed. `few` is used until many slots are in use, then `tags` is. */
struct sonde_seen {
    uint32_t *tags; /* a part of the hash that each slot holds; 0: the slot is empty */
    uint64_t *few;  /* slots in use and their tags; 0: the entry is free */
    uint32_t n, cap;
};

/* Makes an empty set, which allocates memory when hashes are entered; sonde_seen_clear frees it. */
void sonde_seen_init(struct sonde_seen *seen);
void sonde_seen_clear(struct sonde_seen *seen);
/* Enters a hash; returns true if the hash was not in the set. */
bool sonde_seen_enter(struct sonde_seen *seen, uint64_t hash);
void sonde_seen_add(struct sonde_seen *seen, const struct sonde_tape *tape);
/* Reports whether this script would repeat an input of the set. False for a script with holes: the input is not known
 * before it is run. */
bool sonde_seen_has(const struct sonde_seen *seen, const struct sonde_tape *script);

#endif
