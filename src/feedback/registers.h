/* An estimate of how many different hashes were seen, in a fixed number of bytes (HyperLogLog, Flajolet and others
 * 2007). Each register keeps the highest rank of its hashes: the more hashes, the higher the rank. Small numbers are
 * estimated from the empty registers (linear counting), and are therefore nearly exact. */
#ifndef SONDE_FEEDBACK_REGISTERS_H
#define SONDE_FEEDBACK_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Raises the register of a hash to its rank; returns whether it rose. The first `bits` bits choose the register. The
 * rank is the number of leading zeros after them, plus one. The bits of the hash must be well mixed. */
static inline bool sonde_registers_raise(uint8_t *registers, unsigned bits, uint64_t hash)
{
    uint8_t *r = &registers[hash >> (64 - bits)];
    uint64_t rest = hash << bits;
    uint8_t rank = (uint8_t)(rest ? (unsigned)__builtin_clzll(rest) + 1 : 64 - bits + 1);
    if (rank <= *r) return false;
    *r = rank;
    return true;
}

/* Adds the registers of another set. The maximum of both gives the registers of the union, so nothing is counted
 * twice. */
void sonde_registers_merge(uint8_t *registers, const uint8_t *others, unsigned bits);
/* Returns the estimate: the harmonic mean over the registers, with the paper's constant alpha for many registers. */
uint64_t sonde_registers_estimate(const uint8_t *registers, unsigned bits);

#endif
