/* The outcome of a comparison in the log of the code under test (struct sonde_comparison).
 *
 * The log holds integers sign-extended, without a record of whether the code compared signed or unsigned numbers. So
 * unequal sides have two outcomes: one as signed numbers, one as unsigned numbers of any width. The log holds doubles
 * as bits that are ordered like the numbers, so their two outcomes agree.
 *
 * Example: an int of -1 beside 5 is LESS and ABOVE. */
#ifndef SONDE_BASE_COMPARED_H
#define SONDE_BASE_COMPARED_H

#include <sonde/extend.h>

#include <string.h>

/* Outcomes, as bits: a comparison of unequal sides has two of them. OUTCOMES is the number of bits. */
enum sonde_outcome_bits {
    SONDE_IS_EQUAL = 1,
    SONDE_IS_LESS = 2, /* signed */
    SONDE_IS_GREATER = 4,
    SONDE_IS_BELOW = 8, /* unsigned */
    SONDE_IS_ABOVE = 16,
    SONDE_OUTCOMES = 5
};

/* Returns the outcomes of a comparison: EQUAL, or one of signed and one of unsigned numbers. */
static inline uint8_t sonde_outcome_of(const struct sonde_comparison *c)
{
    if (c->a == c->b) return SONDE_IS_EQUAL;
    bool is_below = c->a < c->b, is_less = c->bytes ? (int64_t)c->a < (int64_t)c->b : is_below;
    return (is_less ? SONDE_IS_LESS : SONDE_IS_GREATER) | (is_below ? SONDE_IS_BELOW : SONDE_IS_ABOVE);
}

/* Returns the double whose bits the log holds as this side of a comparison. */
static inline double sonde_compared_double(uint64_t side)
{
    uint64_t bits = side >> 63 ? side ^ UINT64_C(1) << 63 : ~side;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns this side of a comparison as an unsigned number of that many bytes. */
static inline uint64_t sonde_compared_unsigned(uint64_t side, uint8_t bytes)
{
    return bytes ? side & UINT64_MAX >> (64 - 8 * bytes) : side;
}

#endif
