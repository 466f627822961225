/* The chance that the next input shows something new, by Good and Turing: the kinds seen exactly once, divided by
 * all observations. Memory is bounded. When there are too many kinds, only those whose hash ends with one more zero
 * bit are kept from then on. They are a fair sample of the kinds, with all their observations.
 *
 * Example: of 1,000 runs with 40 different traces, 5 traces occurred exactly once. Then about 5 in 1,000 of the next
 * runs will show a new trace. When the chance falls to 0, the next input is unlikely to be of use. */
#ifndef SONDE_FEEDBACK_SPECIES_H
#define SONDE_FEEDBACK_SPECIES_H

#include "base/limit.h"

#include <stdbool.h>
#include <stdint.h>

enum { SONDE_SPECIES_BITS = SONDE_LIMIT(15, 4) }; /* the table has 2^SONDE_SPECIES_BITS slots */

/* A kind and its number of observations. */
struct sonde_kind_count {
    uint64_t hash; /* 0: free */
    uint64_t n;
};

/* A sample of kinds. */
struct sonde_species {
    struct sonde_kind_count *kinds; /* open addressing by the high bits of the hash */
    unsigned skipped;               /* number of low bits that are zero in the hash of every kept kind */
    uint32_t n;                     /* number of kinds in the table */
    uint64_t once;                  /* number of kinds in the table that were seen exactly once */
    uint64_t total;                 /* number of observations of the kinds in the table */
};

/* Initialises an empty sample. */
void sonde_species_init(struct sonde_species *species);
/* Frees the memory. */
void sonde_species_clear(struct sonde_species *species);
/* Adds an observation; returns whether its kind is new, as far as the sample tells. */
bool sonde_species_add(struct sonde_species *species, uint64_t hash);
/* Returns the chance; a negative number if there were too few observations. */
double sonde_species_chance_of_new(const struct sonde_species *species);

#endif
