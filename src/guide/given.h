/* Given inputs: valid inputs that no guide made (examples, --inputs, inputs saved by earlier runs). They run before all
 * other cases, often before a guide has started to learn. A guide that learns only after inputs were discarded holds
 * the given inputs here until then. */
#ifndef SONDE_GUIDE_GIVEN_H
#define SONDE_GUIDE_GIVEN_H

#include <sonde/extend.h>

enum { SONDE_GIVEN_MAX = 256 };

/* One given input: a tape of the corpus and what was observed when it ran. */
struct sonde_given {
    struct sonde_kept *kept;
    struct sonde_observation seen; /* what was observed, without coverage and utilities */
    double *distances;
};

/* A list of given inputs; all zeros is an empty list. */
struct sonde_givens {
    struct sonde_given *all;
    uint32_t n, cap;
};

/* Reports whether no guide made this case and it was valid. */
static inline bool sonde_is_given(const struct sonde_run *run)
{
    return !run->author && run->observation->verdict == SONDE_VALID;
}

/* Appends the run if it was given, unless the list has SONDE_GIVEN_MAX entries. Takes a reference of the corpus;
 * sonde_givens_clear drops it. */
void sonde_givens_add(struct sonde_givens *givens, struct sonde_corpus *corpus, const struct sonde_run *run);
/* Returns entry i as a run without an author. Its pointers are valid until sonde_givens_clear. */
struct sonde_run sonde_givens_at(const struct sonde_givens *givens, uint32_t i);
/* Empties the list and drops its references to the corpus. */
void sonde_givens_clear(struct sonde_givens *givens, struct sonde_corpus *corpus);

#endif
