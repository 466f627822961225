/* The loop that a worker runs: it plans, runs and judges cases and learns from them. It ends when a limit is met or
 * the supervisor requests a stop or a pause. */
#ifndef SONDE_ENGINE_LOOP_H
#define SONDE_ENGINE_LOOP_H

#include "engine/search/search.h"

/* Runs the search to its end, or until its worker must leave (`left` has the reason). */
void sonde_search_run(struct sonde_search *s);
/* Returns whether a limit is met; call it only when no worker runs the search. */
bool sonde_search_is_over(struct sonde_search *s);
/* Returns whether the search has tried every input. If so, prepares sonde_search_run to run the inputs again, before
 * the report states that every input was tried. */
bool sonde_search_rerun(struct sonde_search *s);
/* Counts a case whose worker has died; its claim is filled in. `torn`: the worker died outside of user code, so what
 * the guide knows cannot be trusted. */
void sonde_search_death(struct sonde_search *s, bool torn);

#endif
