/* Fibers: stacks with code on them that runs until it hands over to another. A switch is a dozen instructions and no system call. */
#ifndef SONDE_THREADS_FIBER_H
#define SONDE_THREADS_FIBER_H

#include "control.h"

#include <stddef.h>
#include <stdint.h>

enum { SONDE_STACK = 8 << 20 }; /* as threads have it; memory is used as far as it is touched */

/* A stack of so many bytes that ends at a page that is not there; NULL if there is no memory. The next run uses it again. */
SONDE_HIDDEN char *sonde_stack_create(size_t size);
SONDE_HIDDEN void sonde_stack_free(char *stack, size_t size);
/* Addresses from `lowest` to below `end`: all of a kind lie in here, besides others. */
struct sonde_range {
    uintptr_t lowest, end;
};
#define SONDE_NOTHING                                                                                                  \
    {                                                                                                                  \
        UINTPTR_MAX, 0                                                                                                 \
    }

static inline bool sonde_is_in(const struct sonde_range *r, const void *p)
{
    return (uintptr_t)p >= r->lowest && (uintptr_t)p < r->end;
}
static inline void sonde_range_add(struct sonde_range *r, const void *p, size_t size)
{
    uintptr_t from = (uintptr_t)p, end = from + size;
    if (from < r->lowest) r->lowest = from;
    if (end > r->end) r->end = end;
}

/* The stacks of all threads. */
extern struct sonde_range sonde_stacks SONDE_HIDDEN;
/* A stack that sonde_frame_gone looks at; those of sonde_stack_create are known. */
SONDE_HIDDEN void sonde_stack_known(const char *stack, size_t size);
/* Returns the other thread on whose stack the address lies, below the frames that are left there; NULL if there is none. */
SONDE_HIDDEN const struct sonde_fiber *sonde_frame_gone(const void *p);
/* Makes `begin` what runs on it first. Returns what sonde_fiber_switch takes. */
SONDE_HIDDEN void *sonde_fiber_prepare(char *stack, size_t size, void (*begin)(void));
/* Goes on at `to`, and returns when somebody goes on at what it left in *from. */
SONDE_HIDDEN void sonde_fiber_switch(void **from, void *to);

#endif
