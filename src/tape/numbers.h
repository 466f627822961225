/* Which numbers stand in an input: so that of the many comparisons of a run those can be told that were about the input. A filter
 * (Bloom, 1970, with one hash): what stands in the input is always found, something else now and then. */
#ifndef SONDE_TAPE_NUMBERS_H
#define SONDE_TAPE_NUMBERS_H

#include "tape/tape.h"

struct sonde_numbers {
    uint64_t bits[32];
};

/* The values of its choices, and of the symbols of its strings. */
void sonde_numbers_of(struct sonde_numbers *numbers, const struct sonde_tape *tape);
/* Does one side of the comparison stand in the input, with its sign or without? */
bool sonde_numbers_has_side(const struct sonde_numbers *numbers, const struct sonde_hint *hint);

#endif
