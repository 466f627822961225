/* See given.h. Coverage and utilities of an observation are not copied: they point into the search and would be stale
 * when a guide learns from them later. Tapes stay in the corpus, which shares them with other owners. */
#include "guide/given.h"

#include "base/check.h"
#include "base/mem.h"

#include <string.h>

/* The first SONDE_GIVEN_MAX inputs are kept, because the inputs that a person gives come first. */
void sonde_givens_add(struct sonde_givens *givens, struct sonde_corpus *corpus, const struct sonde_run *run)
{
    const struct sonde_observation *seen = run->observation;
    if (!sonde_is_given(run) || givens->n == SONDE_GIVEN_MAX) return;
    givens->all = sonde_grow(givens->all, &givens->cap, (size_t)givens->n + 1, sizeof *givens->all);
    struct sonde_given *given = &givens->all[givens->n++];
    *given = (struct sonde_given){.kept = sonde_corpus_keep(corpus, run), .seen = *seen};
    given->distances = sonde_calloc(seen->n_distances + 1, sizeof *given->distances);
    if (seen->n_distances) memcpy(given->distances, seen->distances, seen->n_distances * sizeof *given->distances);
    given->seen.distances = given->distances;
    given->seen.coverage = NULL;
    given->seen.compared = NULL;
    given->seen.n_compared = 0;
    given->seen.targets = NULL;
    given->seen.n_targets = 0;
}

/* Each run counts as new and valid: it is new to a guide that learns late. */
struct sonde_run sonde_givens_at(const struct sonde_givens *givens, uint32_t i)
{
    sonde_assert(i < givens->n);
    const struct sonde_given *given = &givens->all[i];
    return (struct sonde_run){.tape = &given->kept->tape,
                              .observation = &given->seen,
                              .interest = {.reasons = SONDE_NEW_VALID}};
}

void sonde_givens_clear(struct sonde_givens *givens, struct sonde_corpus *corpus)
{
    for (uint32_t i = 0; i < givens->n; i++) {
        sonde_corpus_drop(corpus, givens->all[i].kept);
        sonde_free(givens->all[i].distances);
    }
    sonde_free(givens->all);
    *givens = (struct sonde_givens){0};
}
