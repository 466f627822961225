/* State that cases leave behind, for --find-state. A worker notes how things are before its first case, and restores
 * some of them before its last one. If the last case then does what it does alone, they mattered.
 *
 * Only variables of instrumented code are known (globals.h). */
#ifndef SONDE_EXEC_STATE_H
#define SONDE_EXEC_STATE_H

#include "exec/worker.h"

/* Notes the state of this process. Called in a worker, before its first case. */
void sonde_state_keep(void);
/* Lists in the order what has changed since, and restores what the order names. Called before the last case. */
void sonde_state_restore(struct sonde_state_order *order);

#endif
