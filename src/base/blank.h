/* Which lines of a C source file hold no code: they have only white space and comments. */
#ifndef SONDE_BASE_BLANK_H
#define SONDE_BASE_BLANK_H

#include <stddef.h>
#include <stdint.h>

/* Fills blank[i] with 1 if line i + 1 of the source holds no code, else with 0, for all i below n_lines. Lines beyond
 * its end are blank. Literals and lines continued by a backslash are understood. Raw strings of C++ are not: a line
 * within one may be taken for a comment. */
void sonde_blank_lines(const char *source, size_t n, uint8_t *blank, uint32_t n_lines);

#endif
