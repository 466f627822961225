/* Which files a source includes. No line table names a file without code, such as the values of an array. */
#ifndef SONDE_CLI_INCLUDED_H
#define SONDE_CLI_INCLUDED_H

#include <stdint.h>

/* Reads a source. Returns the first of n paths whose last part is named by a directive (#include, #embed, #define), or
 * by .incbin or .include of the assembler. Returns NULL if there is none, or the source cannot be read. */
const char *sonde_included(const char *source, const char *const *paths, uint32_t n);

#endif
