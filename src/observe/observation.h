/* What a run leaves: the observation, put together from the case and from what instrumented code said. Feedback turns it into
 * interest (feedback/judge.h), guides learn from it. */
#ifndef SONDE_OBSERVE_OBSERVATION_H
#define SONDE_OBSERVE_OBSERVATION_H

#include "case/case.h"

/* RLCheck's trace (section 5.3): the counters that were hit, and how often to the next power of two. */
uint64_t sonde_observation_trace(const struct sonde_coverage_view *seen);

/* What tells the case from others: what it drew, or said of itself; `by_trace`, its way through the code, where that is known.
 * `seen` may be NULL. */
static inline uint64_t sonde_observation_identity(const sonde *t, const struct sonde_coverage_view *seen, bool by_trace)
{
    return by_trace && seen ? sonde_observation_trace(seen) : sonde_case_identity(t);
}

/* Borrows from the case and from `seen`: it lives until the next case begins. */
struct sonde_observation sonde_observation_of(const sonde *t, const struct sonde_coverage_view *seen,
                                              uint64_t identity);

#endif
