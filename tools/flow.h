/* Finds which code ran, from counters that only some of its basic blocks have. Clang omits the counter of a block whose
 * execution follows from other blocks (SanitizerCoverage, "full dominators"). This module finds blocks from the jumps
 * in objdump's output and infers which of them ran.
 *
 * If a block ran, so did its dominators: the blocks on every path to it. So did its post-dominators, the blocks on
 * every path from it to the function's end, provided that the functions it calls return.
 *
 * Example: `if (x) a(); else b(); c();` has counters in the blocks of a() and b(). The block of the condition ran if
 * either did, since it is on every path to them. The block of c() ran if either did, since it is on every path from
 * them. */
#ifndef SONDE_TOOLS_FLOW_H
#define SONDE_TOOLS_FLOW_H

#include "lines.h"

/* Inputs that reached a piece of code. */
struct sonde_ran {
    uint64_t address;
    uint32_t by;             /* bits of enum sonde_reached_by */
    int32_t property, input; /* first input that reached the code, a valid one if there is any; -1: unknown */
};

/* Blocks of all functions, sorted by address. Each extends to the next block, or to the end of its function. */
struct sonde_flow {
    struct sonde_ran *blocks;
    uint32_t n, cap;
};

/* Reads the blocks of the functions that have counters from the program at `path`; the caller clears *flow. `counters`
 * is sorted by address, without duplicates. Returns false, with no blocks, if objdump is missing or its output is not
 * understood. */
bool sonde_flow_read(struct sonde_flow *flow, const char *path, const struct sonde_lines *lines,
                     const struct sonde_ran *counters, uint32_t n);
/* Frees the blocks. */
void sonde_flow_clear(struct sonde_flow *flow);
/* Merges `from` into `to`: the union of `by`, and the first input of either, where a valid one is preferred. */
void sonde_ran_add(struct sonde_ran *to, const struct sonde_ran *from);

#endif
