/* Filters: of many tapes a few that differ, to start a search from (the four of Kummer's thesis on seeds for Zest, section
 * 4.2). None of them runs a tape; all see is which draws it made and how they were answered.
 *
 *   random      a uniform sample
 *   sequence    candidates drawn at random, each time the one whose choices, from the left, agree least with those selected
 *   choices     the same, by the cosine of how often one answer follows another; with the last hundred selected
 *   generator   every tape that takes a way through the generator that none before it took
 *
 * Tapes come one after the other and are not kept here. Each is given a *slot*, or none: whoever holds the tapes puts it
 * there, in place of the one that was there before. The filter itself keeps a few bytes for each slot. So 10^6 tapes pass
 * through in the memory of the slots: as many as are asked for, or ten times that where there are candidates. A filter that
 * looks at candidates needs no more: of all tapes, only a random sample can ever become one.
 *
 * The same tapes in the same order, and the same seed, give the same selection. */
#ifndef SONDE_GUIDE_SEEDED_FILTER_H
#define SONDE_GUIDE_SEEDED_FILTER_H

#include "tape/tape.h"

enum sonde_filter_by {
    SONDE_FILTER_RANDOM,
    SONDE_FILTER_SEQUENCE,
    SONDE_FILTER_CHOICES,
    SONDE_FILTER_GENERATOR,
    SONDE_FILTER_COUNT
};

extern const char *const sonde_filter_names[SONDE_FILTER_COUNT];
/* SONDE_FILTER_COUNT if there is none of that name, which ends with a NUL or a comma. */
enum sonde_filter_by sonde_filter_find(const char *name);

#define SONDE_FILTER_NONE UINT32_MAX

struct sonde_filter;

/* Selects at most `size` tapes; 0: as many as there are ways through the generator (of that filter only, at least 1 of
 * the others). */
struct sonde_filter *sonde_filter_create(enum sonde_filter_by by, uint32_t size, uint64_t seed);
void sonde_filter_free(struct sonde_filter *filter);
/* The tape's slot. Slots are dense: a new one is always the number of those given so far. */
uint32_t sonde_filter_add(struct sonde_filter *filter, const struct sonde_tape *tape);
/* How many slots were given. */
uint32_t sonde_filter_slots(const struct sonde_filter *filter);
/* Once, after the last tape: the slots of those selected, in the order of their selection, into an array with room for
 * sonde_filter_slots(); how many they are. */
uint32_t sonde_filter_select(struct sonde_filter *filter, uint32_t *slots);

#endif
