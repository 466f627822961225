/* When the search ends: limits, wishes from outside, and what it found. No clock decides anything else.
 *
 * The first of these that holds is the reason that is reported: a misuse; a wish of the supervisor (another job
 * has found, an interrupt); a failure, with fail_fast or when ten times as many cases were run as it took; the
 * number of valid cases; the number of all cases; too many discarded ones. Then,
 * by the clock, which is looked at about every millisecond: nothing new for as long as was asked for; the time. */
#ifndef SONDE_ENGINE_STOP_H
#define SONDE_ENGINE_STOP_H

#include "engine/search/search.h"

/* Looks at every limit, and sets how many cases need no look. True if one is met; `stopped` says which. */
bool sonde_stop_look(struct sonde_search *s);
/* The same, where it may be time to look. What must be seen at once (a failure, a misuse) sets the quota to 0. */
static inline bool sonde_stop_is_due(struct sonde_search *s)
{
    return s->pace.quota == 0 && sonde_stop_look(s);
}
/* The wish to stop, if there is one; true if there is. */
bool sonde_stop_is_asked(struct sonde_search *s);

#endif
