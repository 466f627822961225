/* Lists the mutants that objects compiled by `sonde cc --mutants` have registered (sonde/mutants.h). */
#ifndef SONDE_PROGRAM_MUTANTS_H
#define SONDE_PROGRAM_MUTANTS_H

#include <sonde/mutants.h>

/* Returns the mutants of the object that registered last, with the others in `next`; NULL if there are none. */
struct sonde_mutants_ *sonde_mutants_first(void);

#endif
