/* The observation of a run, assembled from the case and from what instrumented code reported. Feedback turns it into
 * interest (feedback/judge.h), and guides learn from it.
 *
 * Example: a run without instrumentation passed two assumes and failed the third by 4. The verdict is DISCARDED and
 * assumes_passed is 2. There are three distances, the last of them -4, and coverage is NULL. The identity is the
 * hash of its choices, unless the property gave one (sonde_characteristic). */
#ifndef SONDE_OBSERVE_OBSERVATION_H
#define SONDE_OBSERVE_OBSERVATION_H

#include "case/case.h"

/* The criterion by which two inputs count as one. TAPE: they have the same choices, or the same number of
 * sonde_characteristic. TRACE and BRANCHES, for instrumented code: they have the same trace, or hit the same set of
 * branches. */
enum sonde_identity_by { SONDE_IDENTITY_BY_TAPE, SONDE_IDENTITY_BY_TRACE, SONDE_IDENTITY_BY_BRANCHES };

/* Returns a hash of a trace or its branches. RLCheck's trace (section 5.1) is the counters that were hit, with their
 * counts rounded up to a power of two. Its branches (section 5.3, greybox RLCheck) are the set of counters that were
 * hit. */
uint64_t sonde_observation_trace(const struct sonde_coverage_view *seen, enum sonde_identity_by by);

/* Returns the identity of a case by this criterion. Without coverage (`seen` is NULL) the criterion is TAPE. */
static inline uint64_t sonde_observation_identity(const sonde *t, const struct sonde_coverage_view *seen,
                                                  enum sonde_identity_by by)
{
    return by != SONDE_IDENTITY_BY_TAPE && seen ? sonde_observation_trace(seen, by) : sonde_case_identity(t);
}

/* Returns the observation. It borrows from the case and from `seen`, so it is valid until the next case begins. */
struct sonde_observation sonde_observation_of(const sonde *t, const struct sonde_coverage_view *seen,
                                              uint64_t identity);

#endif
