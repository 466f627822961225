/* Checks of a case in memory that the code under test can write to. */
#ifndef SONDE_CASE_WHOLE_H
#define SONDE_CASE_WHOLE_H

#include "case/case.h"

/* Returns whether all that the supervisor reads of a case fits its bounds: sonde_case_is_intact does not see a stray write
 * between its two words.
 * The case may have been left anywhere. Takes time in proportion to the tape. */
bool sonde_case_is_whole(const sonde *t);
/* Returns whether the strings of a claim end and its counts fit. */
bool sonde_claim_is_sound(const struct sonde_claim *claim);

#endif
