/* Collects the inputs of one property to judge mutants by: a search without a mutant, and a check of its inputs in a
 * fresh process. A property that fails meanwhile is refused: its failures would be taken for kills. */
#ifndef SONDE_MUTATE_COLLECT_H
#define SONDE_MUTATE_COLLECT_H

#include "mutate/trial.h"
#include "store/store.h"

/* Fills in `of` (property and options are set; the options say how long to search) and what `out` says about the
 * property. Adds its checks to the result. Inputs that the store has come first. Returns false if it was
 * interrupted. */
bool sonde_collect(struct sonde_judge_of *of, struct sonde_store *store, struct sonde_mutation *result,
                   struct sonde_mutation_property *out);
/* Frees what `of` owns. */
void sonde_judge_of_clear(struct sonde_judge_of *of);

#endif
