/* Functions that several reports of a mutation run use. */
#ifndef SONDE_REPORT_MUTATION_H
#define SONDE_REPORT_MUTATION_H

#include "mutate/result.h"

#include <stdio.h>

/* Writes the effect of a survivor: "took another path in 38 of 41 inputs, and no check failed". */
void sonde_mutation_effect(FILE *out, const struct sonde_mutant_result *result);
/* Writes the shell command that runs one input with the mutant, without a line end. */
void sonde_mutation_command(FILE *out, const struct sonde_mutation *mutation, const struct sonde_mutant_result *result);

#endif
