/* The counters of instrumented code that were ever hit, read where clang puts them: so that a search by sonde and one by
 * another tool are counted in the same way. */
#ifndef BENCH_LIB_EDGES_H
#define BENCH_LIB_EDGES_H

#include <stdint.h>

/* Adds the counters of a case: after it has run, and before the tool that drives it clears them. */
void bench_edges_add(void);
/* How many there were since the last call; forgets them. */
uint64_t bench_edges_take(void);

#endif
