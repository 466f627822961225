/* The chance that the next input shows something new, by Good and Turing: things seen exactly once, by all that was
 * seen. In bounded memory: when there are too many kinds of things, only those whose hash ends with one more zero bit are
 * looked at from then on, a fair sample of the kinds with all that belongs to them.
 *
 * Example: of 1,000 runs with 40 different traces, 5 traces came exactly once. Then about 5 in 1,000 of the next
 * runs will show a trace that was never seen. When it falls to 0, the next input is unlikely to be of use. */
#ifndef SONDE_FEEDBACK_SPECIES_H
#define SONDE_FEEDBACK_SPECIES_H

#include "base/limit.h"

#include <stdbool.h>
#include <stdint.h>

enum { SONDE_SPECIES_BITS = SONDE_LIMIT(15, 4) };

struct sonde_kind_count {
    uint64_t hash; /* 0: free */
    uint64_t n;
};

struct sonde_species {
    struct sonde_kind_count *kinds; /* open addressing by the high bits of the hash */
    unsigned skipped;               /* low bits that must be zero */
    uint32_t n;                     /* kinds in the table */
    uint64_t once;                  /* of them, seen once */
    uint64_t total;                 /* things that belong to the kinds in the table */
};

void sonde_species_init(struct sonde_species *species);
void sonde_species_clear(struct sonde_species *species);
/* True if it is new, as far as the sample tells. */
bool sonde_species_add(struct sonde_species *species, uint64_t hash);
/* < 0: too little was seen. */
double sonde_species_chance_of_new(const struct sonde_species *species);

#endif
