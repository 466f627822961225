/* Decides when a search ends: limits, requests from outside, and failures. No clock decides anything else.
 *
 * The first of these that holds is the reported reason:
 * - a misuse;
 * - a request of the supervisor (another job has found a failure, an interrupt);
 * - a failure, with fail_fast or after ten times as many cases as it took;
 * - the number of valid cases;
 * - the number of all cases;
 * - too many discarded cases.
 *
 * Then, by the clock, which is read about every millisecond: nothing new for the requested time; the limit of time. */
#ifndef SONDE_ENGINE_STOP_H
#define SONDE_ENGINE_STOP_H

#include "engine/search/search.h"

/* Returns whether a limit of the search is reached; `stopped` says which. Also sets the quota: the number of cases
 * until the next check. */
bool sonde_stop_look(struct sonde_search *s);
/* Does the same if a check is due. Events that must be seen at once (a failure, a misuse) set the quota to 0. */
static inline bool sonde_stop_is_due(struct sonde_search *s)
{
    return s->pace.quota == 0 && sonde_stop_look(s);
}
/* Returns whether a stop is requested, and records its reason. */
bool sonde_stop_is_asked(struct sonde_search *s);

#endif
