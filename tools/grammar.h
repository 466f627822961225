/* Parts of the command `sonde grammar`. */
#ifndef TOOLS_GRAMMAR_H
#define TOOLS_GRAMMAR_H

#include "grammar/syntax.h"

#include <stdio.h>

/* Writes a grammar as C functions that draw. Returns false after a message. */
bool tool_grammar_as_c(const struct sonde_syntax *g, const char *file, FILE *out);

#endif
