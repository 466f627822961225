/* The set of numbers in an input. It separates the comparisons of a run that involve the input from all other
 * comparisons. It is a Bloom filter (Bloom, 1970) with one hash. It finds every number of the input, and sometimes one
 * that is not in the input. */
#ifndef SONDE_TAPE_NUMBERS_H
#define SONDE_TAPE_NUMBERS_H

#include "tape/tape.h"

/* The bits of the filter. */
struct sonde_numbers {
    uint64_t bits[32];
};

/* Fills the set with the values of the choices and with the symbols of strings. */
void sonde_numbers_of(struct sonde_numbers *numbers, const struct sonde_tape *tape);
/* Returns whether one side of a comparison is in the input. A narrow side is looked up both sign-extended and
 * zero-extended. */
bool sonde_numbers_has_side(const struct sonde_numbers *numbers, const struct sonde_hint *hint);

#endif
