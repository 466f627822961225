/* Orders: how an index and a value belong together, in both directions, for every kind of choice.
 *
 * Index 0 is the value a person finds simplest: 0 before 1 before -1 before 1000; small whole numbers before simple
 * fractions before large and tiny doubles before infinities and NaN. Guides and shrinker think in values where values
 * matter (neighbours, boundaries, sums) and in indices where simplicity does; this file is the bridge.
 *
 * Examples, from index 0 on. INT -3..5: 0, 1, -1, 2, -2, 3, -3, 4, 5. INT -9..-4: -4, -5, ... -9. UINT 10..20:
 * 10, 11, ... 20. BOOL: false, true. An index is an answer of a guide, a number on a tape, and what shrinking
 * lowers; a value is what the property sees. */
#ifndef SONDE_TAPE_ORDER_H
#define SONDE_TAPE_ORDER_H

#include <sonde/extend.h>

/* Integers in [lo, lo + max]: linear from the end nearest to zero, or 0, 1, -1, 2, -2, ... when zero is inside. */
int64_t sonde_int_value(int64_t lo, uint64_t max, uint64_t index);
/* The inverse; `value` must lie in the domain. */
uint64_t sonde_int_index(int64_t lo, uint64_t max, int64_t value);

/* Doubles. Bounds are finite and lo <= hi, or -INFINITY and INFINITY for any double. The domain is larger than the
 * set of values: some indices are further names of a value; sonde_double_index gives the first. */
struct sonde_double_bounds {
    double lo, hi;
};
/* max returns the last index of the domain. value accepts every index up to it; index folds a value
 * that lies outside of the bounds. NaN keeps its sign and loses its payload. */
uint64_t sonde_double_max(struct sonde_double_bounds bounds);
double sonde_double_value(struct sonde_double_bounds bounds, uint64_t index);
uint64_t sonde_double_index(struct sonde_double_bounds bounds, double value);
/* Returns the value at a share (0..1) of the way through finite bounds. Where hi - lo overflows, the ends are weighted
 * instead. */
static inline double sonde_double_between(struct sonde_double_bounds bounds, double share)
{
    double width = bounds.hi - bounds.lo;
    return __builtin_isinf(width) ? bounds.lo * (1 - share) + bounds.hi * share : bounds.lo + share * width;
}

/* ---- Alphabets: what the symbols of a blob stand for. Symbol 0 is the simplest. */
struct sonde_alphabet sonde_alphabet_make(enum sonde_alphabet_kind kind, const char *text);
/* The code point (BYTES: the byte) of a symbol, and back; UINT32_MAX if the alphabet lacks it. */
uint32_t sonde_alphabet_code(const struct sonde_alphabet *alphabet, uint32_t symbol);
uint32_t sonde_alphabet_symbol(const struct sonde_alphabet *alphabet, uint32_t code);
/* The symbols from 0 on that stand for one ASCII character each, as text, and how many they are; NULL and 0 for BYTES. */
const char *sonde_alphabet_plain(const struct sonde_alphabet *alphabet, uint32_t *n);
/* Bytes that one symbol takes in a tape: 1, or 3 for large alphabets. */
static inline unsigned sonde_alphabet_width(const struct sonde_alphabet *alphabet)
{
    return alphabet->size <= 256 ? 1 : 3;
}

/* One UTF-8 character: decode returns its length in bytes (invalid bytes count one each, as
 * themselves), encode too. n must be at least 1. encode wants a code point up to 0x10ffff. */
unsigned sonde_utf8_decode(const char *text, size_t n, uint32_t *code);
unsigned sonde_utf8_encode(uint32_t code, char out[4]);

#endif
