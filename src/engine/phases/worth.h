/* What an `ok` is worth: how many checks were evaluated, and warnings where a property tests less than it seems to.
 *
 * A false alarm is worse than a miss: a warning needs enough valid cases, and a location belongs to a property only if it is in the
 * property's function. */
#ifndef SONDE_ENGINE_WORTH_H
#define SONDE_ENGINE_WORTH_H

#include "engine/phases/phases.h"

/* Fills the warnings of the report and its counts of checks. After the outcome, because only properties that hold are warned of. */
void sonde_worth_judge(struct sonde_engine *e);

#endif
