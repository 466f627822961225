/* Finds the state that a failure depends on (--find-state). */
#ifndef SONDE_ENGINE_STATE_H
#define SONDE_ENGINE_STATE_H

#include "engine/phases/phases.h"

/* Adds to each failure that needs earlier cases, or is flaky, what state they left that matters. Called once failures
 * are confirmed. */
void sonde_engine_find_state(struct sonde_engine *e);

#endif
