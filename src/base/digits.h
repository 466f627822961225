/* Formats numbers for people. */
#ifndef SONDE_BASE_DIGITS_H
#define SONDE_BASE_DIGITS_H

#include <stdint.h>

/* Size of the buffer for sonde_grouped. */
enum { SONDE_GROUPED = 32 };
/* Formats 1234567 as "1,234,567". Returns `out`, for use as an argument of printf; two numbers need two buffers. */
const char *sonde_grouped(uint64_t n, char out[SONDE_GROUPED]);
/* Returns "" for 1 and "s" otherwise, for words whose plural takes an s. */
const char *sonde_plural(uint64_t n);

#endif
