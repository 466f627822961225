/* Arithmetic of integers: 128 bits, magnitudes, common divisors. Numbers of 128 bits hold every int64_t and uint64_t,
 * their sums, and the product of two.
 *
 * Compilers have __int128 on 64-bit targets only. Elsewhere C23's _BitInt(128) serves, in clang 16, gcc 14 or newer.
 * 32-bit runtime libraries cannot convert _BitInt(128) to a double or back, so it is never cast. To convert to a double
 * use sonde_wide_double; to convert a double, cast the double to int64_t first. */
#ifndef SONDE_BASE_WIDE_H
#define SONDE_BASE_WIDE_H

#if defined __SIZEOF_INT128__
__extension__ typedef __int128 sonde_wide;
#elif defined __BITINT_MAXWIDTH__ && __BITINT_MAXWIDTH__ >= 128
__extension__ typedef _BitInt(128) sonde_wide;
#else
#error sonde needs integers of 128 bits, which this compiler has on 64-bit targets only; \
clang 16 and gcc 14 have them on more (docs/platforms.md)
#endif

#include <stdint.h>

/* Returns the nearest double, ties to even, without the compiler's conversion. Not for -2^127. */
double sonde_wide_round(sonde_wide value);

static inline double sonde_wide_double(sonde_wide value)
{
#ifdef __SIZEOF_INT128__
    return (double)value;
#else
    return sonde_wide_round(value);
#endif
}

/* Returns |x|, which fits for INT64_MIN, too. */
static inline uint64_t sonde_magnitude(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* Returns the number of bits of x without leading zeros. */
static inline unsigned sonde_bit_length(uint64_t x)
{
    return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

/* Returns the greatest common divisor (Euclid); sonde_gcd(x, 0) is x. */
uint64_t sonde_gcd(uint64_t a, uint64_t b);

#endif
