/* The happens-before relation, by vector clocks. Used only in runs that look for races.
 *
 * Each thread has a clock. Each object (a lock, a semaphore, an atomic) has the clock of what was released to it.
 * The rules for atomics and fences are in C11, 5.1.2.4 and 7.17.4. A store that releases heads a release sequence.
 * Updates by any thread and stores by the same thread continue it; a store by another thread ends it. Stores after
 * a release fence release the clock of the fence. An acquire fence acquires the clocks that earlier loads found. */
#ifndef SONDE_THREADS_HAPPENS_H
#define SONDE_THREADS_HAPPENS_H

#include "control.h"

enum { SONDE_CLOCKS = 64 }; /* number of threads with a clock; accesses of later threads are not checked for races */

/* Forgets all clocks, before a run. */
SONDE_HIDDEN void sonde_happens_begin(void);

/* Asserts the invariants of all clocks; only in a run that looks for races. */
SONDE_HIDDEN void sonde_happens_check(void);

/* Makes everything that the running thread has done happen before whatever follows a later acquire of the object. */
SONDE_HIDDEN void sonde_release_seen(const void *object);
/* Makes everything that was released to the object happen before what the running thread does next. */
SONDE_HIDDEN void sonde_acquire_seen(const void *object);
/* Makes everything that the running thread has done happen before a thread that it creates. */
SONDE_HIDDEN void sonde_fork_seen(const struct sonde_fiber *new);

/* Orders threads by a load of an atomic in the running thread. `order` is a memory order of C11, here and below. */
SONDE_HIDDEN void sonde_load_seen(const void *atomic, int order);
/* Orders threads by a store. */
SONDE_HIDDEN void sonde_store_seen(const void *atomic, int order);
/* Orders threads by a read-modify-write. */
SONDE_HIDDEN void sonde_update_seen(const void *atomic, int order);
/* Orders threads by a fence. */
SONDE_HIDDEN void sonde_fence_seen(int order);

/* Returns the clock of a thread, 0 if it has none. */
SONDE_HIDDEN uint32_t sonde_clock_of(uint32_t thread);
/* Returns whether what thread `a` did at its clock `at` happens before what thread `b` does now. */
SONDE_HIDDEN bool sonde_is_before(uint32_t a, uint32_t at, uint32_t b);

/* Returns whether this run looks for races. */
static inline bool sonde_finds_races(void)
{
    return __builtin_expect(sonde_control.plan->finds_races, 0);
}
/* Releases if this run looks for races. */
static inline void sonde_release(const void *object)
{
    if (sonde_finds_races()) sonde_release_seen(object);
}
/* Acquires if this run looks for races. */
static inline void sonde_acquire(const void *object)
{
    if (sonde_finds_races()) sonde_acquire_seen(object);
}

#endif
