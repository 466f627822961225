/* The interface between filter.c and the filters that judge tapes.
 *
 * `random` needs only a reservoir of slots and nothing of this file. `sequence` and `choices` compare candidates with
 * the tapes selected so far. `generator` keeps the set of paths that were taken. */
#ifndef SONDE_GUIDE_SEEDED_FILTER_PARTS_H
#define SONDE_GUIDE_SEEDED_FILTER_PARTS_H

#include "tape/tape.h"

/* A measure of how similar candidates are to the selected tapes. */
struct sonde_measure {
    void *(*create)(uint32_t most); /* `most`: maximum number of tapes that will be selected */
    void (*destroy)(void *measure);
    /* Notes the tape that is now in this slot; the tape is not kept. */
    void (*put)(void *measure, uint32_t slot, const struct sonde_tape *tape);
    /* Returns how similar a slot is to all selected tapes. Results are comparable only until the next tape is
     * selected. */
    double (*similarity)(void *measure, uint32_t slot);
    /* Notes that this slot was selected. */
    void (*selected)(void *measure, uint32_t slot);
};

extern const struct sonde_measure sonde_measure_sequence, sonde_measure_choices;

/* The set of paths in the generator that were taken. */
struct sonde_generator_paths;
struct sonde_generator_paths *sonde_generator_paths_create(void);
void sonde_generator_paths_free(struct sonde_generator_paths *paths);
/* Adds the paths of this tape; returns whether one of them was new. */
bool sonde_generator_paths_add(struct sonde_generator_paths *paths, const struct sonde_tape *tape);

#endif
