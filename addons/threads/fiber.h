/* Fibers: stacks whose code runs until it switches to another fiber. A switch takes a dozen instructions and no
 * system call. */
#ifndef SONDE_THREADS_FIBER_H
#define SONDE_THREADS_FIBER_H

#include "control.h"

#include <stddef.h>
#include <stdint.h>

enum { SONDE_STACK = 8 << 20 }; /* bytes of a stack, the default of real threads; only touched pages use memory */

/* Returns a stack of `size` bytes with an inaccessible page below it; NULL if there is no memory. Free it with
 * sonde_stack_free, or use it again in the next run. */
SONDE_HIDDEN char *sonde_stack_create(size_t size);
/* Frees a stack, which may be NULL. */
SONDE_HIDDEN void sonde_stack_free(char *stack, size_t size);
/* A range of addresses, from `lowest` to below `end`, that encloses all memory of one kind. Other memory may lie
 * between. A quick test against it rules out most addresses. */
struct sonde_range {
    uintptr_t lowest, end;
};
#define SONDE_NOTHING                                                                                                  \
    {                                                                                                                  \
        UINTPTR_MAX, 0                                                                                                 \
    }

/* Returns whether an address is in the range. */
static inline bool sonde_is_in(const struct sonde_range *r, const void *p)
{
    return (uintptr_t)p >= r->lowest && (uintptr_t)p < r->end;
}
/* Extends a range so that it encloses `size` bytes at p. */
static inline void sonde_range_add(struct sonde_range *r, const void *p, size_t size)
{
    uintptr_t from = (uintptr_t)p, end = from + size;
    if (from < r->lowest) r->lowest = from;
    if (end > r->end) r->end = end;
}

/* The range of addresses that encloses the stacks of all threads. */
extern struct sonde_range sonde_stacks SONDE_HIDDEN;
/* Adds a stack to sonde_stacks; sonde_stack_create does this itself. */
SONDE_HIDDEN void sonde_stack_known(const char *stack, size_t size);
/* Returns the other thread on whose stack the address lies, in a frame that has returned; NULL if there is none. */
SONDE_HIDDEN const struct sonde_fiber *sonde_frame_gone(const void *p);
/* Prepares a stack so that the first switch to it calls `begin`, which must not return. Returns the stack pointer for
 * sonde_fiber_switch. */
SONDE_HIDDEN void *sonde_fiber_prepare(char *stack, size_t size, void (*begin)(void));
/* Saves the stack pointer in *from and continues at `to`. Returns when another switch continues at the saved one. */
SONDE_HIDDEN void sonde_fiber_switch(void **from, void *to);

#endif
