/* The languages of a property: each grammar is read once for a run, and kept with the case. */
#ifndef SONDE_GRAMMAR_LANGUAGE_H
#define SONDE_GRAMMAR_LANGUAGE_H

#include "grammar/syntax.h"

/* Returns the grammar of a language. Ends the case by a misuse if it is not sound. `label` is for the message. */
const struct sonde_syntax *sonde_grammar_read(sonde *t, const char *label, const sonde_language *language);
/* Prints a sonde_text as a string of C, whatever its bytes are. */
void sonde_grammar_print(FILE *out, const void *value);

#endif
