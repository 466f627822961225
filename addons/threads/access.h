/* Handles the accesses to memory that instrumented code reports. An access may be a step (control.h). It is checked for
 * races and freed memory. */
#ifndef SONDE_THREADS_ACCESS_H
#define SONDE_THREADS_ACCESS_H

#include "control.h"

/* Handles an access that a thread under control is about to make. `site` is the return address in the code under
 * test. */
SONDE_HIDDEN void sonde_access_seen(const void *p, size_t size, bool writes, const void *site);
/* Handles an access by a thread under control; does nothing in other threads. */
static inline void sonde_access(const void *p, size_t size, bool writes, const void *site)
{
    if (sonde_is_controlled) sonde_access_seen(p, size, writes, site);
}

/* Handles the use of several bytes at once. It is not a step: the caller has touched the first byte before, by
 * sonde_access_seen from the same site. */
SONDE_HIDDEN void sonde_range_seen(const void *p, size_t size, bool writes, const void *site);

/* An atomic operation. */
struct sonde_atomic {
    size_t size;
    int order; /* the memory order, as numbered in C11 */
    const void *site;
};
/* Handles an atomic load that is about to happen. */
SONDE_HIDDEN void sonde_atomic_reads(const void *p, struct sonde_atomic a);
/* Handles an atomic store that is about to happen; sonde_atomic_wrote follows. */
SONDE_HIDDEN void sonde_atomic_writes(void *p, struct sonde_atomic a);
/* Handles an atomic read-modify-write that is about to happen; sonde_atomic_wrote follows. */
SONDE_HIDDEN void sonde_atomic_updates(void *p, struct sonde_atomic a);
/* Handles a compare-and-exchange that is about to happen; sonde_atomic_tried follows. */
SONDE_HIDDEN void sonde_atomic_tries(void *p, struct sonde_atomic a);
/* Handles a compare-and-exchange that has happened. If it found another value, it was only a load of the order
 * `otherwise`. */
SONDE_HIDDEN void sonde_atomic_tried(void *p, struct sonde_atomic a, int otherwise, bool is_done);
/* Records after an operation that writes whether the value has changed. */
SONDE_HIDDEN void sonde_atomic_wrote(bool has_changed);
/* Handles a fence. */
SONDE_HIDDEN void sonde_atomic_fences(int order);

#endif
