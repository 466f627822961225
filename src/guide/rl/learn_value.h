/* Indices as values whose order has a meaning, and as columns of the model's rows. */
#ifndef SONDE_GUIDE_RL_LEARN_VALUE_H
#define SONDE_GUIDE_RL_LEARN_VALUE_H

#include "guide/rl/learn_trie.h"

#include <sonde/extend.h>

#include <string.h>

/* Returns a number whose order is the order of doubles: the bits, reversed for negative doubles. */
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

/* Returns how many bit lengths share a bucket: wide domains have few buckets, to leave room for related values. */
static inline unsigned sonde_learn_stride(uint64_t max)
{
    return max < 1 << 10 ? 1 : max < 1 << 16 ? 2 : max <= UINT32_MAX ? 4 : 8;
}

static inline bool sonde_learn_is_number(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT || c->kind == SONDE_KIND_LENGTH;
}
/* Returns the value of an index. The tape is needed only for doubles, whose bounds it holds; else it may be NULL. */
int64_t sonde_learn_value(const struct sonde_tape *tape, const struct sonde_choice *point, uint64_t index);
/* Returns the index of a value inside the domain: the inverse of sonde_learn_value. */
uint64_t sonde_learn_index(const struct sonde_tape *tape, const struct sonde_choice *point, int64_t value);
/* Returns the column of a value in a row, below SONDE_LEARN_NARROW. In a small domain it is the index, else the bit
 * length of its distance from the simplest value. */
uint32_t sonde_learn_bucket(const struct sonde_choice *point, uint64_t index);

#endif
