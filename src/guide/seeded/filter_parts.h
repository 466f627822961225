/* Between filter.c and the filters that judge tapes: what each has to offer.
 *
 * random needs nothing of this: a reservoir of slots is all. sequence and choices compare candidates
 * with what is selected already; generator keeps the ways that were taken. */
#ifndef SONDE_GUIDE_SEEDED_FILTER_PARTS_H
#define SONDE_GUIDE_SEEDED_FILTER_PARTS_H

#include "tape/tape.h"

/* A measure of how much candidates resemble what was selected. */
struct sonde_measure {
    void *(*create)(uint32_t most); /* so many may be selected */
    void (*destroy)(void *measure);
    /* The tape now in that slot. */
    void (*put)(void *measure, uint32_t slot, const struct sonde_tape *tape);
    /* How much it resembles all those selected; only compared with others of the same moment. */
    double (*similarity)(void *measure, uint32_t slot);
    void (*selected)(void *measure, uint32_t slot);
};

extern const struct sonde_measure sonde_measure_sequence, sonde_measure_choices;

/* Ways through the generator. */
struct sonde_ways;
struct sonde_ways *sonde_ways_create(void);
void sonde_ways_free(struct sonde_ways *ways);
/* Whether the tape takes a new one; it is known from then on. */
bool sonde_ways_add(struct sonde_ways *ways, const struct sonde_tape *tape);

#endif
