/* The mutants that a run has judged so far, in a file of the store, for --continue.
 *
 * The file belongs to one build, one seed and one choice of properties, which its first line names. Any other file is
 * left unused, with a warning. It is replaced as a whole, so a run may be killed at any moment. */
#ifndef SONDE_MUTATE_STATE_H
#define SONDE_MUTATE_STATE_H

#include "mutate/result.h"

#include <stdio.h>

/* Writes the judged mutants as a string, which the caller frees with sonde_free. `key` identifies the run. */
char *sonde_state_write(const struct sonde_mutation *m, uint64_t key);
/* Reads mutants from the string into `m`, whose mutants and properties are set up. Returns how many were read, or a
 * negative value if the string is damaged or has another key; `m` is unchanged then. */
long sonde_state_read(struct sonde_mutation *m, uint64_t key, const char *text);

/* Writes a string as a field, without the characters that separate fields; NULL is an empty field. */
void sonde_state_put(FILE *out, const char *text);
/* Writes the first lines of a file that a later run reads: what kind of file it is, the key, and the checks. */
void sonde_state_put_head(FILE *out, const char *kind, const struct sonde_mutation *mutation, uint64_t key);
/* Cuts a line into at most n fields. Returns how many there are. */
size_t sonde_state_cut(char *line, char **fields, size_t n);

#endif
