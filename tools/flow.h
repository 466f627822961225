/* Which code ran, from counters that stand in some of its blocks only. clang leaves out the counter of a block whose execution
 * follows from that of others (SanitizerCoverage, "full dominators"). This finds the blocks by their jumps, which objdump prints,
 * and draws the conclusions: where a block ran, so did all that stand on every way to it (its dominators), and all that stand on
 * every way from it to the function's end (its post-dominators), as long as functions that it calls come back.
 *
 * Example: `if (x) a(); else b(); c();` has counters in the blocks of a() and b(). That of the condition ran if either
 * did, since there is no other way there; that of c() ran if either did, since there is no other way on. */
#ifndef SONDE_TOOLS_FLOW_H
#define SONDE_TOOLS_FLOW_H

#include "lines.h"

/* What is known of a piece of code. */
struct sonde_ran {
    uint64_t address;
    uint32_t by;             /* enum sonde_reached_by */
    int32_t property, input; /* the first that reached it, a valid one if any did; -1: unknown */
};

/* Blocks by address, from one function to the next; each goes on to the next block, or to the end of its function. */
struct sonde_flow {
    struct sonde_ran *blocks;
    uint32_t n, cap;
};

/* `counters`: sorted, no two at one address. Only functions that have any are looked at. False if objdump is not there, or
 * prints nothing that it understands: then there are no blocks. */
bool sonde_flow_read(struct sonde_flow *flow, const char *path, const struct sonde_lines *lines,
                     const struct sonde_ran *counters, uint32_t n);
void sonde_flow_clear(struct sonde_flow *flow);
/* Adds what is known of one to another: a valid input is the better first. */
void sonde_ran_add(struct sonde_ran *to, const struct sonde_ran *from);

#endif
