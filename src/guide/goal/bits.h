/* Solves equations of bits: linear systems over GF(2). Pure functions: no case is run.
 *
 * A flip is an unknown: one bit of one number of the input. Its effect is the change, by xor, of both sides of some
 * comparisons, one word for each. If the code computes with xor, shifts, masks and rotations, as a CRC does, effects
 * add up by xor. A set of flips whose effects add up to the words that are needed solves all comparisons.
 *
 * Example: the code compares (a ^ b << 3) with 0x1234 and got 0x1230. The effect of bit i of a is 1 << i, of bit i of b
 * it is 1 << (i + 3). Needed is 0x1230 ^ 0x1234 = 4: flip bit 2 of a. */
#ifndef SONDE_GUIDE_GOAL_BITS_H
#define SONDE_GUIDE_GOAL_BITS_H

#include <sonde/extend.h>

enum { SONDE_BITS_FLIPS = 512, SONDE_BITS_WORDS = 8, SONDE_BITS_SET = SONDE_BITS_FLIPS / 64 };

/* A set of flips. */
struct sonde_flips {
    uint64_t bits[SONDE_BITS_SET];
};

/* A system of n unknowns. An unknown is a single flip, or a set of flips that are made together. */
struct sonde_bits {
    uint32_t n, n_words;
    struct sonde_flips unknowns[SONDE_BITS_FLIPS];
    uint64_t effects[SONDE_BITS_FLIPS][SONDE_BITS_WORDS];
    /* Scratch: a basis of the effects, each with a leading bit that no later one has. */
    uint32_t n_basis;
    struct sonde_bits_basis {
        uint64_t effect[SONDE_BITS_WORDS];
        struct sonde_flips flips;
        uint32_t word, bit;
    } basis[64 * SONDE_BITS_WORDS];
};

/* Finds flips whose effects are `need`, which has n_words words. Unknowns are used in random order if `rng` is not
 * NULL, so several calls give several solutions. Returns false if there is none. */
bool sonde_bits_solve(struct sonde_bits *bits, const uint64_t *need, struct sonde_rng *rng, struct sonde_flips *out,
                      uint64_t *work);
/* Replaces the unknowns by a basis of the sets of flips that change no word but the first: n is their number. Their
 * effects are then 0, for the caller to find out. */
void sonde_bits_keep_others(struct sonde_bits *bits, uint64_t *work);

#endif
