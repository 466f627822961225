/* Hash functions, the same on every machine. Ids of labels and sites are stored on disk, so changing a function here
 * needs a new format version. */
#ifndef SONDE_BASE_HASH_H
#define SONDE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns x mixed: a bijection on 64 bits that spreads every input bit over all output bits (degski64: two rounds of
 * xorshift and multiply). */
static inline uint64_t sonde_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

/* Returns a running hash with one more number added. The order of the numbers matters. */
static inline uint64_t sonde_hash_add(uint64_t hash, uint64_t x)
{
    hash = (hash ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

/* Returns an id of 32 bits that depends on both halves of a hash. */
static inline uint32_t sonde_fold32(uint64_t hash)
{
    return (uint32_t)(hash ^ (hash >> 32));
}

/* Returns the hash of n bytes, or of a string. `hash` is the seed: the hash of earlier data, or a number that
 * separates two uses. */
uint64_t sonde_hash_bytes(uint64_t hash, const void *data, size_t n);
uint64_t sonde_hash_text(uint64_t hash, const char *text);

#endif
