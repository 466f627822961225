/* More room than the program has, while a failure is shrunk.
 *
 * What exhausts a resource is shrunk to the very edge of it, and the edge moves: the stack begins elsewhere in each process, a
 * loop takes a little longer or shorter. So candidates run with more stack, time, memory and descriptors than the search had,
 * and what still fails then also fails without the margin. */
#ifndef SONDE_EXEC_MARGIN_H
#define SONDE_EXEC_MARGIN_H

#include "exec/worker.h"

/* Adds a share to all limits; time varies most from run to run, and gets four times as much. The next worker has them. */
void sonde_margin_add(struct sonde_case_limits *limits, double share);
/* Takes time off instead: hangs are shrunk with a fraction of it, and what comes out is run with all of it. */
void sonde_margin_hurry(struct sonde_case_limits *limits);
/* In a new worker: raises its limits of the stack and of descriptors by limits->margin, as far as the system allows. */
void sonde_margin_apply(const struct sonde_case_limits *limits);
/* In a new worker: lets malloc fill what it hands out with the complement of `fill`, where the C library can. */
void sonde_margin_fill(unsigned char fill);
/* In a worker, between cases: whether it has ever taken more memory than it may. Exact, where the supervisor only looks now
 * and then. */
bool sonde_margin_is_over(const struct sonde_case_limits *limits);

#endif
