/* Whole numbers of 128 bits: every value of an int64_t and of a uint64_t, their sums, and the product of two.
 *
 * Compilers have __int128 on 64-bit targets only. Elsewhere C23's _BitInt(128) does the same, where the compiler has it: clang 16
 * or newer. No library for 32 bits converts it to a double or back, so nobody casts between the two: sonde_wide_double is one way, a
 * cast to int64_t first the other. */
#ifndef SONDE_BASE_WIDE_H
#define SONDE_BASE_WIDE_H

#if defined __SIZEOF_INT128__
__extension__ typedef __int128 sonde_wide;
#elif defined __BITINT_MAXWIDTH__ && __BITINT_MAXWIDTH__ >= 128
__extension__ typedef _BitInt(128) sonde_wide;
#else
#error                                                                                                                 \
    "sonde needs integers of 128 bits, which this compiler has on 64-bit targets only; clang 16 or newer has them on all (docs/platforms.md)"
#endif

/* The nearest double, of two that are as near the even one, without the compiler's conversion. Not of -2^127. */
double sonde_wide_round(sonde_wide value);

static inline double sonde_wide_double(sonde_wide value)
{
#ifdef __SIZEOF_INT128__
    return (double)value;
#else
    return sonde_wide_round(value);
#endif
}

#endif
