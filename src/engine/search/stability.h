/* Checks whether results repeat. A case is run a second time now and then: the same choices must lead to the same
 * draws, and to the same code.
 *
 * If the draws differ, the property is not deterministic: the report warns of it, and sonde cannot state that every
 * input was tried. If the coverage differs, the counters that differ are unstable, and no longer guide the search. A
 * case whose second run has another verdict shows nothing about its counters. */
#ifndef SONDE_ENGINE_STABILITY_H
#define SONDE_ENGINE_STABILITY_H

#include "engine/search/search.h"

/* Runs the current case again, and compares what was drawn, or what was covered. The second run is then the current
 * case. */
void sonde_stability_check_draws(struct sonde_search *s);
void sonde_stability_check_coverage(struct sonde_search *s);

enum { SONDE_STABILITY_SHARE = 64 }; /* at most one case in this number is run again for its coverage */

/* Runs the current case again if it is time to, after it was accounted for. A case with new coverage runs again, as
 * long as such cases are rare. Apart from these, some valid cases run again, more and more rarely. Inline: most calls
 * do nothing. */
static inline void sonde_stability_check(struct sonde_search *s, uint32_t reasons)
{
    uint64_t valid = s->stats.valid;
    bool is_time = valid == 4 || valid == 64 || (valid & 0x1fff) == 1024;
    if (s->seen && reasons & (SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE)
        && s->replays * SONDE_STABILITY_SHARE < s->stats.tests)
        sonde_stability_check_coverage(s);
    else if (is_time && s->t->verdict == SONDE_VALID && !s->warning[0]) sonde_stability_check_draws(s);
}

/* The rerun, before the report states that the property holds for every input. Each input is run a second time, in
 * another order and another process: only a result that repeats is a function of its input. */

/* Returns whether the rerun must end; called before each case. A failure, a warning, a misuse or the limit of time
 * ends it. */
bool sonde_rerun_is_over(struct sonde_search *s);
/* Continues the rerun to its end. */
void sonde_rerun_run(struct sonde_search *s);

#endif
