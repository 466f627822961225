/* How many different hashes were seen, about, in a fixed number of bytes (HyperLogLog, Flajolet and others 2007). Each
 * register keeps the highest rank of the hashes that fall to it: the more there are, the higher it is. Few hashes are counted by
 * the registers that are still empty (linear counting), and so nearly exactly. */
#ifndef SONDE_FEEDBACK_REGISTERS_H
#define SONDE_FEEDBACK_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* The rank of a hash, whose bits must be well mixed: leading zeros behind those that choose one of 2^bits registers, plus one. True
 * if it raised its register. */
static inline bool sonde_registers_raise(uint8_t *registers, unsigned bits, uint64_t hash)
{
    uint8_t *r = &registers[hash >> (64 - bits)];
    uint64_t rest = hash << bits;
    uint8_t rank = (uint8_t)(rest ? (unsigned)__builtin_clzll(rest) + 1 : 64 - bits + 1);
    if (rank <= *r) return false;
    *r = rank;
    return true;
}

/* Adds what others hold: the maximum of two sets of registers is that of the union, so nothing is counted twice. */
void sonde_registers_merge(uint8_t *registers, const uint8_t *others, unsigned bits);
/* By the harmonic mean over the registers, with the constant alpha of the paper for many of them. */
uint64_t sonde_registers_estimate(const uint8_t *registers, unsigned bits);

#endif
