/* The conversion that libraries for 32 bits lack. It rounds once: what is shifted out first leaves its mark in the lowest bit, which lies
 * below every bit that a double keeps, so that the conversion of the rest knows on which side of a half it is. */
#include "base/wide.h"

#include <math.h>
#include <stdint.h>

double sonde_wide_round(sonde_wide value)
{
    enum { KEPT = 62 };
    int shift = 0;
    sonde_wide rest = value < 0 ? -value : value;
    for (; rest >> KEPT; shift++) rest = rest >> 1 | (rest & 1);
    double size = ldexp((double)(int64_t)rest, shift);
    return value < 0 ? -size : size;
}
