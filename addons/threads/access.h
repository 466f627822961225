/* Accesses to memory, as instrumented code reports them: which of them are steps, and what is found out by them. */
#ifndef SONDE_THREADS_ACCESS_H
#define SONDE_THREADS_ACCESS_H

#include "control.h"

/* A thread under control is about to read or write; `site` is where it returns to. */
SONDE_HIDDEN void sonde_access_seen(const void *p, size_t size, bool writes, const void *site);
static inline void sonde_access(const void *p, size_t size, bool writes, const void *site)
{
    if (sonde_is_controlled) sonde_access_seen(p, size, writes, site);
}

/* It uses these bytes now: not a step, which an access of the same site to the first of them was. */
SONDE_HIDDEN void sonde_range_seen(const void *p, size_t size, bool writes, const void *site);

/* An atomic operation is about to happen. */
struct sonde_atomic {
    size_t size;
    int order; /* of C11 */
    const void *site;
};
SONDE_HIDDEN void sonde_atomic_reads(const void *p, struct sonde_atomic a);
SONDE_HIDDEN void sonde_atomic_writes(void *p, struct sonde_atomic a);
SONDE_HIDDEN void sonde_atomic_updates(void *p, struct sonde_atomic a);
/* A compare-and-exchange is about to happen, and has happened: one that finds another value only reads, in the order `otherwise`. */
SONDE_HIDDEN void sonde_atomic_tries(void *p, struct sonde_atomic a);
SONDE_HIDDEN void sonde_atomic_tried(void *p, struct sonde_atomic a, int otherwise, bool is_done);
/* Behind an operation that writes: whether it has changed anything. */
SONDE_HIDDEN void sonde_atomic_wrote(bool has_changed);
SONDE_HIDDEN void sonde_atomic_fences(int order);

#endif
