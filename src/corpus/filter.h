/* Filters select a few different tapes of many, to start a search from. They are the four filters of Kummer's thesis on
 * seeds for Zest, section 4.2. No filter runs a tape; it sees only the draws of the tape and their values.
 *
 *     random      a uniform sample
 *     sequence    of random candidates, the tape whose choices, from the left, agree least with the selected tapes
 *     choices     like `sequence`, by the cosine of counts of successive values, with the last hundred selected tapes
 *     generator   each tape that takes a path in the generator that no earlier tape took
 *
 * Tapes come one after the other and are not kept here. The filter gives each tape a *slot*, or none. The caller, which
 * holds the tapes, stores the tape in that slot and drops the tape that was there before. The filter itself keeps a few
 * bytes for each slot. So 10^6 tapes need only the memory of the slots. There are as many slots as tapes are asked for,
 * or ten times that for filters with candidates. More slots are not needed: candidates are a random sample of all
 * tapes.
 *
 * The same tapes in the same order, and the same seed, give the same selection. */
#ifndef SONDE_CORPUS_FILTER_H
#define SONDE_CORPUS_FILTER_H

#include "tape/tape.h"

enum sonde_filter_by {
    SONDE_FILTER_RANDOM,
    SONDE_FILTER_SEQUENCE,
    SONDE_FILTER_CHOICES,
    SONDE_FILTER_GENERATOR,
    SONDE_FILTER_COUNT
};

extern const char *const sonde_filter_names[SONDE_FILTER_COUNT];
/* Returns the filter of this name, which ends with a NUL or a comma; SONDE_FILTER_COUNT if there is none. */
enum sonde_filter_by sonde_filter_find(const char *name);

#define SONDE_FILTER_NONE UINT32_MAX

struct sonde_filter;

/* Creates a filter that selects at most `size` tapes; free it with sonde_filter_free. With size 0, `generator` selects
 * one tape for each new path in the generator, and the other filters select one tape. */
struct sonde_filter *sonde_filter_create(enum sonde_filter_by by, uint32_t size, uint64_t seed);
void sonde_filter_free(struct sonde_filter *filter);
/* Returns the slot for this tape, or SONDE_FILTER_NONE. Slots are dense: a new slot is the number of slots so far. */
uint32_t sonde_filter_add(struct sonde_filter *filter, const struct sonde_tape *tape);
/* Returns the number of slots that were given. */
uint32_t sonde_filter_slots(const struct sonde_filter *filter);
/* Writes the slots of the selected tapes in the order of selection; returns their number. Call it once, after the last
 * tape. The array must have room for sonde_filter_slots() entries. */
uint32_t sonde_filter_select(struct sonde_filter *filter, uint32_t *slots);

#endif
