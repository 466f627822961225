/* Which lines a failure is about: --explain=lines.
 *
 * The minimal input has neighbours (shrink/near.h). Those that fail as it does and those that pass differ little, so where
 * their ways through the code part is where to look. What may be true of a run are predicates: a place is reached, or as often
 * as the minimal input reaches it, or not at all; the sides of a comparison are so far apart. Each is judged by how well "it is
 * true" goes with "it fails", by the coefficient of Ochiai (Abreu, Zoeteweij, van Gemund: "On the Accuracy of Spectrum-based
 * Fault Localization", 2007); predicates over comparisons are from statistical debugging (Liblit et al., 2005).
 *
 * A line that every input passes and that computes a wrong number is not found so; then the comparisons that the wrong number
 * reaches are. */
#ifndef SONDE_ENGINE_EXPLAIN_H
#define SONDE_ENGINE_EXPLAIN_H

#include "engine/search/search.h"
#include "shrink/shrink.h"

struct sonde_explain_setup {
    const struct sonde_shrink_test *test;
    const struct sonde_search *search; /* whose case says how a run ended, and whose sample has inputs that pass */
    struct sonde_coverage *coverage;   /* of what the test runs */
    const char *file;                  /* of the claim that fails, and its line: the claim itself is no finding */
    int line;
};

/* What the neighbours of the minimal tape say; to be freed by sonde_explanation_free. */
struct sonde_explanation *sonde_explain(const struct sonde_explain_setup *setup, const struct sonde_tape *minimal);
void sonde_explanation_free(const struct sonde_explanation *explanation);

#endif
