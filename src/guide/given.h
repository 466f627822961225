/* Valid inputs that no guide made: examples, --inputs, what earlier runs left. They come before anything else, when there is often
 * nobody to learn from them yet: a guide that learns only once inputs are discarded holds them here until then. */
#ifndef SONDE_GUIDE_GIVEN_H
#define SONDE_GUIDE_GIVEN_H

#include <sonde/extend.h>

enum { SONDE_GIVEN_MAX = 256 };

struct sonde_given {
    struct sonde_kept *kept;
    struct sonde_observation seen; /* without coverage and utilities */
    double *distances;
};

/* To be set to zeros. */
struct sonde_givens {
    struct sonde_given *all;
    uint32_t n, cap;
};

static inline bool sonde_is_given(const struct sonde_run *run)
{
    return !run->author && run->observation->verdict == SONDE_VALID;
}

/* Holds the run if it was given, unless there are SONDE_GIVEN_MAX already. */
void sonde_givens_add(struct sonde_givens *givens, struct sonde_corpus *corpus, const struct sonde_run *run);
/* The i-th of them as a run that nobody made; valid until they are cleared. */
struct sonde_run sonde_givens_at(const struct sonde_givens *givens, uint32_t i);
void sonde_givens_clear(struct sonde_givens *givens, struct sonde_corpus *corpus);

#endif
