/* Memory that was freed while threads run under control. */
#ifndef SONDE_THREADS_HEAP_H
#define SONDE_THREADS_HEAP_H

#include "fiber.h"

/* All memory that was freed in this run lies in here. */
extern struct sonde_range sonde_freed SONDE_HIDDEN;

/* The same checks for memory that may be gone. */
SONDE_HIDDEN void sonde_freed_look(const void *p, bool writes, const void *site);
SONDE_HIDDEN void sonde_gone_look(const void *p, const char *kind, const void *site);

static inline bool sonde_may_be_gone(const void *p)
{
    return sonde_is_in(&sonde_freed, p) || sonde_is_in(&sonde_stacks, p);
}

/* Ends the run if a thread under control is about to use memory that was freed in it, or a frame of another thread that has returned. */
static inline void sonde_freed_check(const void *p, bool writes, const void *site)
{
    if (sonde_may_be_gone(p)) sonde_freed_look(p, writes, site);
}
/* The same for an object, "mutex", that it is about to use. */
static inline void sonde_gone_check(const void *p, const char *kind, const void *site)
{
    if (sonde_may_be_gone(p)) sonde_gone_look(p, kind, site);
}
/* The run has ended: what was kept is freed. */
SONDE_HIDDEN void sonde_freed_end(void);
/* Before that. */
SONDE_HIDDEN void sonde_threads_heap_check(void);

#endif
