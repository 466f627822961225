/* Part of sonde cc --threads: finds objects and archives on a link line that were not compiled with --threads.
 * Threads are never preempted inside these, which the report mentions. */
#ifndef SONDE_TOOLS_PLAIN_H
#define SONDE_TOOLS_PLAIN_H

#include "words.h"

/* Adds an assembly source, in an unnamed file, to a link command. The source defines a string with the names of the
 * given inputs that have code but no instrumentation. Adds nothing if there are none. Runs `compiler` to locate
 * libraries (-lNAME). */
void plain_add_note(struct words *command, const struct words *given, const struct words *compiler);

#endif
