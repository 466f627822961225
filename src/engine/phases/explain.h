/* Finds the lines that cause a failure: --explain=lines.
 *
 * The minimal input has neighbours (shrink/near.h). Those that fail the same way and those that pass differ little, so
 * the code where their paths part is suspect. Predicates describe a run: a location is reached, or reached as often as
 * by the minimal input, or not at all. Others describe the distance between the sides of a comparison. Each is scored
 * by how well "it is true" coincides with "the run fails", by the Ochiai coefficient. (Abreu, Zoeteweij, van Gemund:
 * "On the Accuracy of Spectrum-based Fault Localization", 2007.) Predicates over comparisons are from statistical
 * debugging (Liblit et al., 2005).
 *
 * A line that every input executes and that computes a wrong number is not found this way. Comparisons that use the
 * wrong number are found. */
#ifndef SONDE_ENGINE_EXPLAIN_H
#define SONDE_ENGINE_EXPLAIN_H

#include "engine/search/search.h"
#include "shrink/shrink.h"

/* The arguments of sonde_explain. All pointers are borrowed. */
struct sonde_explain_setup {
    const struct sonde_shrink_test *test;
    /* search->t has the result of a run; search->rerun.sample has inputs that pass */
    const struct sonde_search *search;
    struct sonde_coverage *coverage; /* the coverage of the runs of `test` */
    const char *file;                /* location of the failed check, which is itself not a finding */
    int line;
};

/* Returns what the neighbours of the minimal tape show; to be freed by sonde_explanation_free. */
struct sonde_explanation *sonde_explain(const struct sonde_explain_setup *setup, const struct sonde_tape *minimal);
void sonde_explanation_free(const struct sonde_explanation *explanation);

#endif
