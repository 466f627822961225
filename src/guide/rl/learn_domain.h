/* The candidates of a draw: each value of a small domain, or intervals of a wide one.
 *
 * Example: a number from 0 to 1000 where an earlier draw was 42. Cuts by magnitude are at 1, 2, 4, ... 512, and the
 * earlier value adds cuts at 42 and 43. The candidates are 0, 1, 2-3, 4-7, ... 32-41, 42, 43-63, ... 512-1000. "The
 * same as before" is one candidate of thirteen, though it is one value of a thousand. */
#ifndef SONDE_GUIDE_RL_LEARN_DOMAIN_H
#define SONDE_GUIDE_RL_LEARN_DOMAIN_H

#include "guide/rl/learn_context.h"
#include "guide/rl/learn_value.h"

enum { LEARN_CANDIDATES = SONDE_LEARN_NARROW };

/* The candidates of a draw. Each is a set [lo, hi] of values that no feature distinguishes. In a narrow domain
 * candidate j is the index j. There lo is filled in only if the draw has relations, and only lo[0] if the domain is
 * ascending. `mass` points to own_mass or to a constant table. It adds up to about 1 or, if all values are equally
 * likely, to n: only ratios matter. */
struct sonde_learn_domain {
    uint32_t n;
    bool is_narrow;
    bool is_ascending; /* narrow, and the value of candidate j is lo[0] + j */
    const float *mass; /* frequency of each candidate if nothing were known; then zeros up to LEARN_CANDIDATES */
    int64_t lo[LEARN_CANDIDATES], hi[LEARN_CANDIDATES];
    uint8_t bucket[LEARN_CANDIDATES];
    float own_mass[LEARN_CANDIDATES];
};

/* Fills in the candidates of a draw. In a wide domain each related value of the context becomes a separate
 * candidate. */
void sonde_learn_candidates(const struct sonde_learn_context *c, const struct sonde_view *view, struct sonde_rng *rng,
                            struct sonde_learn_domain *out);
/* Returns a random value of candidate j. */
int64_t sonde_learn_sample(const struct sonde_learn_domain *d, uint32_t j, const struct sonde_choice *point,
                           struct sonde_rng *rng);

#endif
