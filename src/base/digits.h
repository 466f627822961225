/* Numbers as people read them. */
#ifndef SONDE_BASE_DIGITS_H
#define SONDE_BASE_DIGITS_H

#include <stdint.h>

/* 1234567 as "1,234,567". */
enum { SONDE_GROUPED = 32 };
const char *sonde_grouped(uint64_t n, char out[SONDE_GROUPED]);

#endif
