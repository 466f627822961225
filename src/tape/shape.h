/* Levels on which two inputs can be alike whatever their values (feedback/judge.h). */
#ifndef SONDE_TAPE_SHAPE_H
#define SONDE_TAPE_SHAPE_H

#include "tape/tape.h"

/* Two hashes of an input, well mixed; each is equal for inputs that are equal on its level. The shape is the spans
 * and draws, their order, and the lengths of strings. The skeleton adds the values of constructors. */
struct sonde_level_hashes {
    uint64_t shape, skeleton;
};
/* Returns both hashes. */
struct sonde_level_hashes sonde_tape_levels(const struct sonde_tape *tape);

#endif
