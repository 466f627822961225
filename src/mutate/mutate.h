/* Judges the mutants of this program (`sonde cc --mutants`) by its properties: --mutate.
 *
 * First each property is searched without a mutant, which gives inputs for each site (collect.h). Then each mutant gets
 * trials (trial.h), property after property: inputs that reach it, then a short search. The first kill ends a mutant,
 * unless the matrix is asked for. A kill counts only if it comes back in a fresh process, and not without the mutant. A
 * mutant that nothing killed is run a second time beside the original, for its effect. At last survivors get a long
 * search each.
 *
 * The order of mutants is spread over all files. So a run that --time ends early says something about each of them.
 *
 * The result does not depend on the number of jobs. Mutants are judged in batches of a fixed size. Which inputs kill
 * most, and which property to refuse, is updated between two batches. Limits of time are the exception: a case that is
 * near its limit may end either way. */
#ifndef SONDE_MUTATE_MUTATE_H
#define SONDE_MUTATE_MUTATE_H

#include "engine/search/options.h"
#include "mutate/equivalent.h"
#include "mutate/result.h"

/* The arguments of sonde_mutation_run. All pointers are borrowed. */
struct sonde_mutate_setup {
    const struct sonde_options *options;     /* store, seed, jobs, limits; `seconds` is the limit of the whole run */
    const sonde_property *const *properties; /* the chosen properties */
    size_t n_properties;
    const unsigned char *is_chosen;              /* by number of the mutant: which to judge; NULL: all */
    const char *since;                           /* the commit by which they were chosen; may be NULL */
    const struct sonde_equivalents *equivalents; /* survivors that need no check; may be NULL */
    bool has_matrix;                             /* run every property on each mutant, killed or not */
    bool continues;                              /* take over what an interrupted run has judged */
    FILE *progress;                              /* a terminal for a line of progress; NULL: none */
};

/* Judges the mutants and fills *result, which the caller clears. Returns SONDE_PASSED whatever the score is, and
 * SONDE_FALSIFIED if a property was refused. An interrupted run returns 128 + signal. */
enum sonde_status sonde_mutation_run(const struct sonde_mutate_setup *setup, struct sonde_mutation *result);

#endif
