/* Runs of equal bytes in tokens: `00x259.ff` is 259 times 00, then ff.
 *
 *     value   := segment ("." segment)*      at least one segment is a run
 *     segment := pair+                       hexadecimal digits, lower case
 *              | pair "x" count              the byte, count times; count is decimal, without a leading zero
 *
 * Only tokens of version 2 (`s2:`) have runs, because a reader of version 1 would read `00x259` as a string. The reader
 * of tokens expands them, so scripts and draws never see a run. */
#ifndef SONDE_TAPE_RUNS_H
#define SONDE_TAPE_RUNS_H

#include "tape/literal.h"

/* Returns whether the value of a choice is written with a run: bytes that hold a long one. */
bool sonde_runs_has(const struct sonde_tape *tape, const struct sonde_choice *choice);
/* Writes bytes as pairs and runs. Safe in a signal handler. */
void sonde_runs_put(struct sonde_sink *sink, const struct sonde_blob *blob);

/* Returns how many hexadecimal digits a value with runs expands to. 0: the string is not such a value; SIZE_MAX: there
 * are too many to count. The string is part of a token, with its escapes. */
size_t sonde_runs_length(const char *text, size_t n);
/* Writes these digits, as many as sonde_runs_length has returned. */
void sonde_runs_expand(const char *text, size_t n, char *out);

#endif
