/* Every answer as a number whose order means something, and which weight of a row belongs to it. */
#ifndef SONDE_GUIDE_RL_LEARN_VALUE_H
#define SONDE_GUIDE_RL_LEARN_VALUE_H

#include "guide/rl/learn_trie.h"

#include <sonde/extend.h>

#include <string.h>

/* Doubles in the order of their bits: negative ones reversed. */
static inline int64_t sonde_learn_double_key(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? (int64_t)((uint64_t)INT64_MIN - (uint64_t)bits) : bits;
}

static inline double sonde_learn_key_double(int64_t key)
{
    int64_t bits = key < 0 ? (int64_t)((uint64_t)INT64_MIN - (uint64_t)key) : key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline unsigned sonde_learn_bits(uint64_t x)
{
    return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

/* Bits that share a bucket: wide domains have few buckets, so that there is room for the values related to. */
static inline unsigned sonde_learn_stride(uint64_t max)
{
    return max < 1 << 10 ? 1 : max < 1 << 16 ? 2 : max <= UINT32_MAX ? 4 : 8;
}

static inline bool sonde_learn_is_number(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT || c->kind == SONDE_KIND_LENGTH;
}
/* The tape is needed for doubles only, whose bounds lie there; else it may be NULL. sonde_learn_index
 * is the inverse for values inside of the domain. */
int64_t sonde_learn_value(const struct sonde_tape *tape, const struct sonde_choice *point, uint64_t index);
uint64_t sonde_learn_index(const struct sonde_tape *tape, const struct sonde_choice *point, int64_t value);
/* Which weight of a row belongs to a value: the index in a small domain, else how far it is from the simplest, by bit
 * length. Below SONDE_LEARN_NARROW. */
uint32_t sonde_learn_bucket(const struct sonde_choice *point, uint64_t index);

#endif
