/* Part of sonde cc: adds the functions that SONDE_DERIVE declares to a source. */
#ifndef SONDE_TOOLS_DERIVED_H
#define SONDE_TOOLS_DERIVED_H

#include "words.h"

/* Returns the content of a source with the functions of its SONDE_DERIVE appended, to be freed; NULL if it has none.
 * The result is to be compiled instead of the source, with -DSONDE_DERIVED_BELOW_. #line directives keep the source's
 * file name and lines. `flags` are the user's. Prints an error and exits if the functions cannot be derived. */
char *derived_source(const char *source, const struct words *flags);

#endif
