/* Does it hold for every input? Each is run a second time, in another order and another process: only what does the same again is a
 * function of its input. */
#ifndef SONDE_ENGINE_RERUN_H
#define SONDE_ENGINE_RERUN_H

#include "engine/search/search.h"

/* After the search: whether it has tried every input, and they are to be run again before that is claimed. */
bool sonde_rerun_is_needed(const struct sonde_search *s);
/* From now on the loop does that. */
void sonde_rerun_begin(struct sonde_search *s);
/* Asked before each case. Any doubt ends it: a failure, a warning, a misuse, or the time. */
bool sonde_rerun_is_over(struct sonde_search *s);
/* Runs them, from where it is. */
void sonde_rerun_run(struct sonde_search *s);

#endif
