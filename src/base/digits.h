/* Numbers as people read them. */
#ifndef SONDE_BASE_DIGITS_H
#define SONDE_BASE_DIGITS_H

#include <stdint.h>

/* 1234567 as "1,234,567". */
enum { SONDE_GROUPED = 32 };
/* Answers `out`, so that it can stand in the arguments of printf; two numbers need two buffers. */
const char *sonde_grouped(uint64_t n, char out[SONDE_GROUPED]);
/* "" or "s". Only for words that take an s; others are spelled out where they stand. */
const char *sonde_plural(uint64_t n);

#endif
