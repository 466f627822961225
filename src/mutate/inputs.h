/* The inputs to judge mutants by, in a file of the store: a run with --continue need not search for them again.
 *
 * The file belongs to one build, one seed and one choice of properties, as the state does (state.h). Its last line has
 * a hash of all others, so a file that is damaged or cut short is not used. */
#ifndef SONDE_MUTATE_INPUTS_H
#define SONDE_MUTATE_INPUTS_H

#include "mutate/trial.h"

/* Writes the inputs of all properties, and what their searches told, as a string. The caller frees it with
 * sonde_free. */
char *sonde_inputs_write(const struct sonde_judge_of *of, const struct sonde_mutation *m, uint64_t key);
/* Reads them back. Property, options and empty labels are set in each of `of`. Returns whether the string was whole and
 * had this key; if not, the search has to be made. Overwrites the string. */
bool sonde_inputs_read(struct sonde_judge_of *of, struct sonde_mutation *m, uint64_t key, char *text);

#endif
