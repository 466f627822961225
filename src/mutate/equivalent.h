/* Survivors that a person has judged equivalent to the original: the lines of sonde.equivalent. This file is kept in
 * git, at the root of the repository that holds the test's source.
 *
 *     # FILE: FUNCTION: `CODE` -> `REPLACEMENT`: REASON
 *     src/ini.c: ini_strncpy0: `size - 1` -> `size + 1`: every buffer has a spare byte
 *     src/ini.c: ini_parse: `i + 1` -> `i - 1` (2 of 3): i is 0 here
 *
 * A line names a mutant by its contents, so it stays valid when lines move. "(2 of 3)": the function has three such
 * changes, and this is the second from its beginning. A line that names no mutant any more is stale: the code has
 * changed, and a person has to judge again. */
#ifndef SONDE_MUTATE_EQUIVALENT_H
#define SONDE_MUTATE_EQUIVALENT_H

#include "mutate/result.h"

#include <stdio.h>

/* One line of the file. */
struct sonde_equivalent {
    char *text;         /* the line */
    const char *reason; /* points into `text`; NULL if the line names no mutant */
    uint32_t line;
    bool is_malformed;
    bool is_stale; /* it names no mutant, although the program has mutants in that file */
};

/* The file, as far as this program is concerned. */
struct sonde_equivalents {
    char *path;
    struct sonde_equivalent *lines;
    uint32_t n, cap;
    const struct sonde_equivalent **by_number; /* the line that names a mutant, by its number; NULL: none */
};

/* Reads the file and finds the mutants of this program that it names. A missing file is an empty one. Returns 0 or a
 * negative errno. Clear the list in either case. */
int sonde_equivalents_read(struct sonde_equivalents *list, const char *path);
/* Returns why mutant `number` was judged equivalent, owned by the list; NULL if it was not. */
const char *sonde_equivalents_reason(const struct sonde_equivalents *list, uint32_t number);
/* Prints a warning for each line that is malformed or stale, or that names a mutant which this run has killed. */
void sonde_equivalents_warn(const struct sonde_equivalents *list, const struct sonde_mutation *mutation, FILE *out);
/* Appends a line about mutant `number`. `file` is the path of its source below the root. Returns 0 or a negative errno;
 * -EEXIST: the file has such a line. */
int sonde_equivalents_add(const struct sonde_equivalents *list, const char *file, uint32_t number, const char *reason);
/* Frees all memory. */
void sonde_equivalents_clear(struct sonde_equivalents *list);

#endif
