/* See wide.h. sonde_wide_round is the conversion that 32-bit runtime libraries lack. It rounds only once, in the final
 * conversion. If any bit that is shifted out was 1, the lowest remaining bit is set, which lies below every bit that a
 * double keeps. So the final conversion rounds a value just above a half up, not to even. */
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

uint64_t sonde_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
