/* Finds out how preprocessed tokens were written: at which column, or by which macro. Reads the source files that line
 * markers name, and compares each line there with the tokens that the preprocessor made of it.
 *
 * Tokens that occur in both, in the same order, were written by the user (the longest common subsequence, as in diff).
 * Other tokens come from the macro whose name is missing among the preprocessed tokens. No option of the preprocessor
 * is needed, so gcc and clang of any version do. A file that cannot be read has no columns and no macros. */
#ifndef SONDE_TOOLS_ORIGIN_H
#define SONDE_TOOLS_ORIGIN_H

#include "lex.h"

/* Source files as far as they were read. The tokens are borrowed. */
struct origin;

/* Returns the origins of the tokens, to be freed. */
struct origin *origin_create(const struct sonde_tokens *tokens);
void origin_free(struct origin *origin);
/* Returns the path in a line marker; valid until origin_free. */
const char *origin_path(struct origin *origin, uint32_t marker);
/* Returns the name of the macro that made token i, valid until the next call. Returns NULL if the token was written
 * there, or if that is not known. Stores the token's column, from 1; 0 if it is not known. */
const char *origin_macro(struct origin *origin, uint32_t i, uint32_t *column);
/* Returns the tokens [a, b) as written, with macros by name, and stores their length. Returns NULL if they are not on
 * one line, or begin or end inside a macro. */
const char *origin_written(struct origin *origin, uint32_t a, uint32_t b, uint32_t *n);
/* Reports whether a line has the comment `sonde: no mutants`, or follows a line that has only that comment. */
bool origin_forbids(struct origin *origin, uint32_t marker, uint32_t line);

#endif
