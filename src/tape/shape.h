/* What two inputs have in common whatever their values: the levels on which they can be alike (feedback/judge.h). */
#ifndef SONDE_TAPE_SHAPE_H
#define SONDE_TAPE_SHAPE_H

#include "tape/tape.h"

/* Hashes of the shape (which spans and draws there are, in what order, and how long) and of the skeleton (... and the
 * answers of constructors), well mixed: equal for inputs that are the same on the level. */
struct sonde_level_hashes {
    uint64_t shape, skeleton;
};
struct sonde_level_hashes sonde_tape_levels(const struct sonde_tape *tape);

#endif
