/* See observation.h. These functions keep no state: they compute one struct from the data of case and coverage. */
#include "observe/observation.h"

#include "base/hash.h"

uint64_t sonde_observation_trace(const struct sonde_coverage_view *seen, enum sonde_identity_by by)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < seen->n_features; i++) {
        const struct sonde_feature *f = &seen->features[i];
        if (f->kind != SONDE_FEATURE_COUNTER) continue;
        /* The bit length of the count is RLCheck's rounding to a power of two. The hash is a sum, so the order of
         * features does not matter. `| 1` below: 0 means that there is no hash. */
        unsigned times = by == SONDE_IDENTITY_BY_BRANCHES ? 0 : (unsigned)(32 - __builtin_clz(f->value | 1u));
        sum += sonde_mix((uint64_t)f->id << 8 | times);
    }
    return sonde_mix(sum) | 1;
}

/* Returns the number of assumes reached, including the one that failed; a case keeps a limited number. */
static size_t count_distances(const sonde *t)
{
    size_t n = t->assumes_passed + (t->verdict == SONDE_DISCARDED);
    return n < SONDE_CASE_ASSUMES ? n : SONDE_CASE_ASSUMES;
}

struct sonde_observation sonde_observation_of(const sonde *t, const struct sonde_coverage_view *seen, uint64_t identity)
{
    bool margins = t->n_targets == 0 && t->n_margins > 0; /* the user's targets take precedence */
    bool is_discarded = t->verdict == SONDE_DISCARDED;
    return (struct sonde_observation){.verdict = t->verdict,
                                      .assumes_passed = t->assumes_passed,
                                      .assume_distance = is_discarded ? t->rejected.distance : 0,
                                      .assume_held = is_discarded ? t->rejected.held : 0,
                                      .distances = t->distances,
                                      .n_distances = count_distances(t),
                                      .compared = t->compared,
                                      .n_compared = t->n_taken < SONDE_CASE_COMPARED ? t->n_taken : SONDE_CASE_COMPARED,
                                      .targets = margins ? t->margins : t->targets,
                                      .n_targets = margins ? t->n_margins : t->n_targets,
                                      .are_margins = margins,
                                      .identity = identity,
                                      .cost = t->tape.n_choices + (seen ? seen->executed : 0),
                                      .coverage = seen};
}
