/* The loop that a worker runs: plan, run, judge, learn, until a limit is met or somebody asks for something else. */
#ifndef SONDE_ENGINE_LOOP_H
#define SONDE_ENGINE_LOOP_H

#include "engine/search/search.h"

/* Runs the search to its end, or until its worker must be left (`left` says why). */
void sonde_search_run(struct sonde_search *s);
/* Whether a limit is met; to be asked when no worker is at work on it. */
bool sonde_search_is_over(struct sonde_search *s);
/* After the search: returns whether it has tried every input. Then these are to be run again before that is claimed, by
 * sonde_search_run. */
bool sonde_search_rerun(struct sonde_search *s);
/* After the worker that ran a case has died: counts the case, whose claim is filled in. `torn`: it died outside user
 * code, so what the guide knows cannot be trusted. */
void sonde_search_death(struct sonde_search *s, bool torn);

#endif
