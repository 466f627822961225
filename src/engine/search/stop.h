/* Decides when a search ends: by limits, requests from outside, and failures. The clock decides nothing else.
 *
 * The first of these that holds is the reported reason:
 * - a misuse;
 * - a request of the supervisor (another job has found a failure, an interrupt);
 * - a failure: at once with fail_fast, otherwise after ten times as many cases as the first failure took;
 * - the number of valid cases;
 * - the number of all cases;
 * - too many discarded cases.
 *
 * Then two limits by the clock, which is read about every millisecond: nothing new for the requested time, and the
 * limit of time. */
#ifndef SONDE_ENGINE_STOP_H
#define SONDE_ENGINE_STOP_H

#include "engine/search/search.h"

/* Returns whether a limit of the search is reached; `stopped` says which. Also sets the quota: the number of cases
 * until the next check. */
bool sonde_stop_look(struct sonde_search *s);
/* Calls sonde_stop_look if a check is due. Events that must be seen at once (a failure, a misuse) set the quota to
 * 0. The supervisor asks for a check if the last one was long ago. */
static inline bool sonde_stop_is_due(struct sonde_search *s)
{
    bool is_due = s->pace.quota == 0 || atomic_load_explicit(&s->asked.look, memory_order_relaxed);
    return is_due && sonde_stop_look(s);
}
/* Returns whether a stop is requested, and records its reason. */
bool sonde_stop_is_asked(struct sonde_search *s);

#endif
