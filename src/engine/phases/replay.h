/* What is known beforehand: examples of the property, regressions, stored failures, the token of --replay. */
#ifndef SONDE_ENGINE_REPLAY_H
#define SONDE_ENGINE_REPLAY_H

#include "engine/phases/phases.h"

/* Runs what is known before the search; false if an input given by the user cannot be read, or did not lead to what it
 * names (message says why). */
bool sonde_engine_replay(struct sonde_engine *e);

#endif
