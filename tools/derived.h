/* sonde cc: sources that say SONDE_DERIVE. */
#ifndef SONDE_TOOLS_DERIVED_H
#define SONDE_TOOLS_DERIVED_H

#include "words.h"

/* The source with what its SONDE_DERIVE stand for at its end, to be compiled in its place with -DSONDE_DERIVED_BELOW_;
 * lines and names of files are those of the source. `flags` are the user's. NULL if there is nothing to derive. Ends the
 * process with a sentence if that is not possible. To be freed. */
char *derived_source(const char *source, const struct words *flags);

#endif
