/* The library, compiled along with a program that needs it instrumented. */
#ifndef SONDE_TOOLS_INSTRUMENT_H
#define SONDE_TOOLS_INSTRUMENT_H

#include "words.h"

/* Writes the path of the archive into `library` (PATH_MAX), which is made if it is not there yet. Ends the process,
 * with a sentence, where that fails. */
void instrumented_library(const struct words *compiler, const char *source, const char *include, char *library);

#endif
