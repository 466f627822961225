/* Decimal numbers in texts, the same in every locale: a program under test may have set one whose point is a comma. */
#ifndef SONDE_BASE_DECIMAL_H
#define SONDE_BASE_DECIMAL_H

#include <stddef.h>

/* Reads digits [. digits] [e [sign] digits] from the first n characters, with at least one digit before the e, and no sign.
 * Returns how many characters the number takes, 0 if there is none; what follows it is the caller's to judge. */
size_t sonde_read_decimal(const char *text, size_t n, double *value);

/* Writes a finite number other than 0 with 17 digits, which read back as the same number: "-1.2345678901234567e-05". Calls
 * nothing of the C library, so a handler of a signal may use it. */
enum { SONDE_DECIMAL = 32 };
void sonde_write_decimal(double x, char out[SONDE_DECIMAL]);

#endif
