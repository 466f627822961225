/* Part of sonde cc: compiles libsonde with MemorySanitizer for programs that use it. */
#ifndef SONDE_TOOLS_INSTRUMENT_H
#define SONDE_TOOLS_INSTRUMENT_H

#include "words.h"

/* Writes the path of the instrumented archive to `library` (PATH_MAX bytes), and makes the archive if it does not exist
 * yet. `source` is the whole library in one file, `include` the directory of sonde.h. Prints an error and exits if the
 * archive cannot be made. */
void instrumented_library(const struct words *compiler, const char *source, const char *include, char *library);

#endif
