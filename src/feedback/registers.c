/* See registers.h. */
#include "feedback/registers.h"

#include <math.h>
#include <string.h>

void sonde_registers_merge(uint8_t *registers, const uint8_t *others, unsigned bits)
{
    for (uint32_t i = 0; i < UINT32_C(1) << bits; i++)
        if (others[i] > registers[i]) registers[i] = others[i];
}

/* Counts eight registers. With few hashes most registers are empty, so eight empty ones are counted in one step. */
static inline void count_eight(uint32_t *by_value, const uint8_t *registers)
{
    uint64_t all;
    memcpy(&all, registers, sizeof all);
    if (!all) by_value[0] += 8;
    else
        for (int i = 0; i < 8; i++) by_value[registers[i]]++;
}

uint64_t sonde_registers_estimate(const uint8_t *registers, unsigned bits)
{
    const double few = 2.5; /* up to 2.5 times n, empty registers estimate better (Flajolet and others, figure 3) */
    double n = (double)(UINT32_C(1) << bits), sum = 0;
    /* Counts the registers by value first, because the live report asks for the estimate some hundred times in a run.
     * Terms are powers of two, so the sum is exact in any order. */
    uint32_t by_value[256] = {0};
    for (uint32_t i = 0; i < UINT32_C(1) << bits; i += 8) count_eight(by_value, registers + i);
    for (int value = 0; value < 256; value++)
        if (by_value[value]) sum += ldexp((double)by_value[value], -value);
    uint32_t empty = by_value[0];
    double about = 0.7213 / (1 + 1.079 / n) * n * n / sum;
    if (about <= few * n && empty > 0) about = n * log(n / empty);
    return (uint64_t)(about + 0.5);
}
