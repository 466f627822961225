/* Choices as numbers, for guides that compute with values. Doubles hold integers exactly up to 2^53. Beyond that,
 * neighbours of a value may be skipped, which does not matter to the callers. */
#ifndef SONDE_GUIDE_PLAIN_NUMBER_H
#define SONDE_GUIDE_PLAIN_NUMBER_H

#include "tape/tape.h"

/* Returns the value of a choice as a number; NaN if it has none. */
double sonde_choice_number(const struct sonde_tape *tape, const struct sonde_choice *choice);
/* Sets a choice to the index of a value; returns false and leaves the index unchanged if the domain lacks the value. */
bool sonde_choice_set_number(struct sonde_tape *tape, uint32_t choice, double value);

/* Returns the distance of an integer from the least value of its domain: -3 in -5..5 gives 2. For other kinds than INT,
 * returns the index. */
uint64_t sonde_choice_offset(const struct sonde_choice *choice);
/* Returns the index of the value at this distance, at most `max`, from the least value. */
uint64_t sonde_choice_at(const struct sonde_choice *choice, uint64_t offset);

#endif
