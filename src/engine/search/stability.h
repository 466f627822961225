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

/* Counts the places that were reached and whose counters turned out to be unstable: no input leads to them. */
void sonde_stability_count_places(struct sonde_search *s);
/* How many places inputs lead to, of any verdict or valid ones. The supervisor may ask while a worker counts. */
static inline uint32_t sonde_stability_places(const struct sonde_search *s, bool valid)
{
    const struct sonde_novelty *n = &s->judge.novelty;
    uint32_t all = valid ? n->n_valid_places : n->n_places,
             unstable = valid ? s->unstable_valid_places : s->unstable_places;
    return all > unstable ? all - unstable : 0;
}

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

/* The case at hand got the answers of another run: where it drew something else, the property is not deterministic, and the warning
 * says so. */
void sonde_stability_compare(struct sonde_search *s, const struct sonde_tape *first);
/* How two runs that got the same answers differ: at which draw, and in what; false if they do not. */
bool sonde_stability_difference(const struct sonde_search *s, const struct sonde_tape *first,
                                const struct sonde_tape *second, char *out, size_t size);

#endif
