/* Maps indices to values and values to indices, for every kind of choice.
 *
 * Index 0 is the value that a person finds simplest: 0 before 1 before -1 before 1000. Small integers come before
 * simple fractions, then large and tiny doubles, then infinities and NaN. Guides and shrinker work with values where
 * arithmetic matters (neighbours, boundaries, sums), and with indices where simplicity matters.
 *
 * Examples, from index 0 on. INT -3..5: 0, 1, -1, 2, -2, 3, -3, 4, 5. INT -9..-4: -4, -5, ... -9. UINT 10..20: 10,
 * 11, ... 20. BOOL: false, true. Guides choose indices, tapes record indices, and shrinking lowers them; the
 * property sees values. */
#ifndef SONDE_TAPE_ORDER_H
#define SONDE_TAPE_ORDER_H

#include <sonde/extend.h>

/* Returns the integer of an index in [lo, lo + max]. The order is 0, 1, -1, 2, -2, ... if 0 is inside, otherwise
 * linear from the end nearest to 0. */
int64_t sonde_int_value(int64_t lo, uint64_t max, uint64_t index);
/* Returns the index of a value, which must lie in the domain. */
uint64_t sonde_int_index(int64_t lo, uint64_t max, int64_t value);

/* The domain of a double. Bounds are finite and lo <= hi, or -INFINITY and INFINITY for any double. There are more
 * indices than values; sonde_double_index returns the first index of a value. */
struct sonde_double_bounds {
    double lo, hi;
};
/* Returns the last index of the domain. */
uint64_t sonde_double_max(struct sonde_double_bounds bounds);
/* Returns the value of an index of the domain. */
double sonde_double_value(struct sonde_double_bounds bounds, uint64_t index);
/* Returns the first index of a value; a value outside the bounds is folded into them. NaN keeps its sign and loses
 * its payload. */
uint64_t sonde_double_index(struct sonde_double_bounds bounds, double value);
/* Returns the value at a share (0..1) of the distance between finite bounds. If hi - lo overflows, the ends are
 * weighted instead. */
static inline double sonde_double_between(struct sonde_double_bounds bounds, double share)
{
    double width = bounds.hi - bounds.lo;
    return __builtin_isinf(width) ? bounds.lo * (1 - share) + bounds.hi * share : bounds.lo + share * width;
}

/* ---- Alphabets: the characters or bytes that the symbols of a blob mean. Symbol 0 is the simplest. */
struct sonde_alphabet sonde_alphabet_make(enum sonde_alphabet_kind kind, const char *text);
/* Returns the code point (BYTES: the byte) of a symbol. */
uint32_t sonde_alphabet_code(const struct sonde_alphabet *alphabet, uint32_t symbol);
/* Returns the symbol of a code point; UINT32_MAX if the alphabet lacks it. */
uint32_t sonde_alphabet_symbol(const struct sonde_alphabet *alphabet, uint32_t code);
/* Returns the characters of symbols 0, 1, 2 ... up to the first that is not ASCII, and their number in *n. NULL and 0
 * for BYTES. */
const char *sonde_alphabet_plain(const struct sonde_alphabet *alphabet, uint32_t *n);
/* Returns how many bytes one symbol takes in a tape: 1, or 3 for large alphabets. */
static inline unsigned sonde_alphabet_width(const struct sonde_alphabet *alphabet)
{
    return alphabet->size <= 256 ? 1 : 3;
}

/* Decodes a UTF-8 character and returns its length in bytes; an invalid byte is a character by itself. n must be at
 * least 1. */
unsigned sonde_utf8_decode(const char *text, size_t n, uint32_t *code);
/* Encodes a code point up to 0x10ffff in UTF-8 and returns its length in bytes. */
unsigned sonde_utf8_encode(uint32_t code, char out[4]);

#endif
