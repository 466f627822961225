/* Objects and archives on a link line that were not compiled by `sonde cc --threads`: no thread is ever interrupted in them. */
#ifndef SONDE_TOOLS_PLAIN_H
#define SONDE_TOOLS_PLAIN_H

#include "words.h"

/* Adds to a link command an assembly source, without a name, that tells the program which of the given inputs have code and no
 * instrumentation; nothing if there are none. `compiler` is asked where libraries (-lNAME) are. */
void plain_add_note(struct words *command, const struct words *given, const struct words *compiler);

#endif
