/* See digits.h. */
#include "base/digits.h"

#include <inttypes.h>
#include <stdio.h>

_Static_assert(SONDE_GROUPED > 20 + 6, "20 digits, a comma between each three, and a NUL");

const char *sonde_grouped(uint64_t n, char out[SONDE_GROUPED])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n), to = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) out[to++] = ',';
        out[to++] = digits[i];
    }
    out[to] = 0;
    return out;
}

const char *sonde_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}
