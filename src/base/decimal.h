/* Decimal numbers in strings, independent of the locale: the program under test may have set a decimal comma. */
#ifndef SONDE_BASE_DECIMAL_H
#define SONDE_BASE_DECIMAL_H

#include <stddef.h>

/* Reads digits [. digits] [e [sign] digits] from the first n characters: at least one digit before the e, and no
 * sign. Returns the length of the number, 0 if there is none. The caller judges what follows the number. */
size_t sonde_read_decimal(const char *text, size_t n, double *value);

/* Writes a finite nonzero number with 17 digits, which read back as the same number: "-1.2345678901234567e-05".
 * Calls no function of the C library, so it is safe in a signal handler. */
enum { SONDE_DECIMAL = 32 };
void sonde_write_decimal(double x, char out[SONDE_DECIMAL]);

#endif
