/* Choices as numbers, for those who reckon with them. Doubles hold integers exactly up to 2^53; beyond, neighbours of a
 * value may be skipped, which no user of these minds. */
#ifndef SONDE_GUIDE_PLAIN_NUMBER_H
#define SONDE_GUIDE_PLAIN_NUMBER_H

#include "tape/tape.h"

/* The value of a choice, NaN if it has none. */
double sonde_choice_number(const struct sonde_tape *tape, const struct sonde_choice *choice);
/* The other way: false, and nothing changed, if the domain lacks it. */
bool sonde_choice_set_number(struct sonde_tape *tape, uint32_t choice, double value);

#endif
