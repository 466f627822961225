/* Part of sonde cc --mutants: mutates a source and has the compiler reject the mutants that do not compile. */
#ifndef SONDE_TOOLS_MUTATED_H
#define SONDE_TOOLS_MUTATED_H

#include "precond.h"

/* Returns the preprocessed source with its mutants, to be freed; NULL if it has none, or should have none. Prints a
 * summary if that is wanted. */
char *mutated_source(const struct precond_step *step, const char *source, const char *preprocessed);
/* Reports whether a preprocessed source includes sonde.h: it is then a test, not the code under test. */
bool mutated_is_test(const char *preprocessed);

#endif
