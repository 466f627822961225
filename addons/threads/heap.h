/* Detects the use of memory that was freed, or of a stack frame that has returned, by threads under control. */
#ifndef SONDE_THREADS_HEAP_H
#define SONDE_THREADS_HEAP_H

#include "fiber.h"

/* The range of addresses that encloses all memory that was freed in this run. */
extern struct sonde_range sonde_freed SONDE_HIDDEN;

/* Checks an access exactly; the slow path of sonde_freed_check. */
SONDE_HIDDEN void sonde_freed_look(const void *p, bool writes, const void *site);
/* Checks an object exactly; the slow path of sonde_gone_check. */
SONDE_HIDDEN void sonde_gone_look(const void *p, const char *kind, const void *site);

/* Returns false if the memory is certainly valid; a quick test for most addresses. */
static inline bool sonde_may_be_gone(const void *p)
{
    return sonde_is_in(&sonde_freed, p) || sonde_is_in(&sonde_stacks, p);
}

/* Ends the run if the running thread is about to use memory that was freed, or a frame of another thread that has
 * returned. */
static inline void sonde_freed_check(const void *p, bool writes, const void *site)
{
    if (sonde_may_be_gone(p)) sonde_freed_look(p, writes, site);
}
/* Ends the run if an object that is about to be used lies in such memory. `kind` names it, such as "mutex". */
static inline void sonde_gone_check(const void *p, const char *kind, const void *site)
{
    if (sonde_may_be_gone(p)) sonde_gone_look(p, kind, site);
}
/* Frees the freed memory that was kept for checks; called at the end of a run. */
SONDE_HIDDEN void sonde_freed_end(void);
/* Asserts the invariants of this file, before sonde_freed_end. */
SONDE_HIDDEN void sonde_threads_heap_check(void);

#endif
