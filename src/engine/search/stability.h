/* Can the same be had again? A case is run a second time now and then: the same answers must lead to the same draws, and to the same
 * code.
 *
 * What follows from a difference: other draws make the property one that is not deterministic, which the report
 * says and which forbids to claim that every input was tried; other coverage makes those counters unstable, and
 * they no longer guide the search. A case whose second run has another verdict says nothing of its counters. */
#ifndef SONDE_ENGINE_STABILITY_H
#define SONDE_ENGINE_STABILITY_H

#include "engine/search/search.h"

/* Runs the case at hand again, and compares what was drawn; or what was covered. Then it is the second run that is at hand. */
void sonde_stability_check_draws(struct sonde_search *s);
void sonde_stability_check_coverage(struct sonde_search *s);

enum { SONDE_STABILITY_SHARE = 64 }; /* of the cases, one at most is run again for its coverage */

/* After a case that was accounted for: runs it again if it is time to. What is new is looked at twice, as long as that costs
 * little; else some valid cases are, more and more rarely. Inline: it hardly ever is. */
static inline void sonde_stability_check(struct sonde_search *s, uint32_t reasons)
{
    uint64_t valid = s->stats.valid;
    bool is_time = valid == 4 || valid == 64 || (valid & 0x1fff) == 1024;
    if (s->seen && reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE)
        && s->replays * SONDE_STABILITY_SHARE < s->stats.tests)
        sonde_stability_check_coverage(s);
    else if (is_time && s->t->verdict == SONDE_VALID && !s->warning[0]) sonde_stability_check_draws(s);
}

/* Does it hold for every input? Each is run a second time, in another order and another process: only what does the same again is a
 * function of its input. */

/* Asked before each case. Any doubt ends it: a failure, a warning, a misuse, or the time. */
bool sonde_rerun_is_over(struct sonde_search *s);
/* Runs them, from where it is. */
void sonde_rerun_run(struct sonde_search *s);

#endif
