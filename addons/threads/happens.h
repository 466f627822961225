/* Happens-before, by vector clocks. Nothing is done unless a run looks for races.
 *
 * Each thread has a clock, each object (a lock, a semaphore, an atomic) the clock of what was released to it. The rules for atomics
 * and fences are C11's (5.1.2.4, 7.17.4). A store that releases heads a release sequence; updates by any thread and stores by the
 * same thread continue it; a store by another thread ends it. A release fence lends its clock to the stores behind it. An acquire
 * fence takes up the clocks that the loads before it found. */
#ifndef SONDE_THREADS_HAPPENS_H
#define SONDE_THREADS_HAPPENS_H

#include "control.h"

enum { SONDE_CLOCKS = 64 }; /* threads with a clock: accesses of later ones are not compared */

/* Forgets all clocks, before a run. */
SONDE_HIDDEN void sonde_happens_begin(void);

/* In a run that finds races. */
SONDE_HIDDEN void sonde_happens_check(void);

/* The running thread hands what it has done so far to every thread that acquires the object later. */
SONDE_HIDDEN void sonde_release_seen(const void *object);
SONDE_HIDDEN void sonde_acquire_seen(const void *object);
/* A thread begins: all that its creator has done happens before it. */
SONDE_HIDDEN void sonde_fork_seen(const struct sonde_fiber *new);

/* The running thread loads, stores or updates an atomic, or passes a fence, in an order of C11. */
SONDE_HIDDEN void sonde_load_seen(const void *atomic, int order);
SONDE_HIDDEN void sonde_store_seen(const void *atomic, int order);
SONDE_HIDDEN void sonde_update_seen(const void *atomic, int order);
SONDE_HIDDEN void sonde_fence_seen(int order);

/* Returns the clock of a thread, 0 if it has none. */
SONDE_HIDDEN uint32_t sonde_clock_of(uint32_t thread);
/* Whether what thread `a` did at its clock `at` happens before what thread `b` does now. */
SONDE_HIDDEN bool sonde_is_before(uint32_t a, uint32_t at, uint32_t b);

static inline bool sonde_finds_races(void)
{
    return __builtin_expect(sonde_control.plan->finds_races, 0);
}
static inline void sonde_release(const void *object)
{
    if (sonde_finds_races()) sonde_release_seen(object);
}
static inline void sonde_acquire(const void *object)
{
    if (sonde_finds_races()) sonde_acquire_seen(object);
}

#endif
