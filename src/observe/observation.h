/* What a run leaves: the observation, put together from the case and from what instrumented code said. Feedback turns it into
 * interest (feedback/judge.h), guides learn from it.
 *
 * Example: for a run that passed two assumes and failed the third by 4, with no instrumentation: the verdict is
 * DISCARDED, assumes_passed is 2, distances are those of the two and -4, coverage is NULL, and the identity is the
 * hash of its choices, unless the property gave one (sonde_characteristic). */
#ifndef SONDE_OBSERVE_OBSERVATION_H
#define SONDE_OBSERVE_OBSERVATION_H

#include "case/case.h"

/* Which inputs count as one: those with the same choices (or the same word of the property), or, where code is instrumented,
 * those with the same trace or the same set of branches. */
enum sonde_told_by { SONDE_TOLD_BY_TAPE, SONDE_TOLD_BY_TRACE, SONDE_TOLD_BY_BRANCHES };

/* RLCheck's trace (section 5.1): the counters that were hit, and how often to the next power of two. Its branches (section 5.3,
 * greybox RLCheck): the set of the counters that were hit. */
uint64_t sonde_observation_trace(const struct sonde_coverage_view *seen, enum sonde_told_by by);

/* What tells the case from others: what it drew, or said of itself; its way through the code, where that is asked for and
 * known. `seen` may be NULL. */
static inline uint64_t sonde_observation_identity(const sonde *t, const struct sonde_coverage_view *seen,
                                                  enum sonde_told_by by)
{
    return by != SONDE_TOLD_BY_TAPE && seen ? sonde_observation_trace(seen, by) : sonde_case_identity(t);
}

/* Borrows from the case and from `seen`: it lives until the next case begins. */
struct sonde_observation sonde_observation_of(const sonde *t, const struct sonde_coverage_view *seen,
                                              uint64_t identity);

#endif
