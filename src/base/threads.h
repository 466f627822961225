/* Detects whether other threads ran in this process since a given moment, or are about to. Threads that have ended
 * count, too: the clock of the process includes their time. So two calls suffice for any number of cases, and no
 * function of the C library has to be replaced. */
#ifndef SONDE_BASE_THREADS_H
#define SONDE_BASE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* The state of the threads at one moment, to compare with later. */
struct sonde_threads {
    int64_t others;   /* upper bound on the nanoseconds that other threads have run */
    uint64_t alive;   /* link count of /proc/self/task: one more for each thread; 0: unknown */
    uint64_t started; /* threads not under control that were started so far; used with OS threads only */
};

/* Fills `threads` with the current state. Costs a few clock readings and one stat of /proc; running threads are not
 * slowed. */
void sonde_threads_begin(struct sonde_threads *threads);
/* Returns whether other threads ran since that moment. Never true by mistake; a very short thread may be missed. */
bool sonde_threads_ran(const struct sonde_threads *threads);

#endif
