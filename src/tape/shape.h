/* Two hashes of a tape by which inputs with different values can be alike (feedback/judge.h). */
#ifndef SONDE_TAPE_SHAPE_H
#define SONDE_TAPE_SHAPE_H

#include "tape/tape.h"

/* Two well mixed hashes of an input. Inputs have the same `shape` if they have the same spans and draws, in the same
 * order, and strings of the same lengths. They have the same `skeleton` if their constructors have the same values as
 * well. */
struct sonde_level_hashes {
    uint64_t shape, skeleton;
};
/* Returns both hashes. */
struct sonde_level_hashes sonde_tape_levels(const struct sonde_tape *tape);

#endif
