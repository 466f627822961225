/* Fibers: stacks with code on them that runs until it hands over to another. A switch is a dozen instructions and no system call. */
#ifndef SONDE_THREADS_FIBER_H
#define SONDE_THREADS_FIBER_H

#include "control.h"

#include <stddef.h>

enum { SONDE_STACK = 8 << 20 }; /* as threads have it; memory is used as far as it is touched */

/* A stack of so many bytes that ends at a page that is not there; NULL if there is no memory. The next run uses it again. */
SONDE_HIDDEN char *sonde_stack_create(size_t size);
SONDE_HIDDEN void sonde_stack_free(char *stack, size_t size);
/* A stack that sonde_frame_check looks at; those of sonde_stack_create are known. */
SONDE_HIDDEN void sonde_stack_known(const char *stack, size_t size);
/* Ends the run if the address lies on the stack of another thread, below the frames that are left there. `does`: "reads". */
SONDE_HIDDEN void sonde_frame_check(const void *p, const char *does, const void *site);
/* Makes `begin` what runs on it first. Returns what sonde_fiber_switch takes. */
SONDE_HIDDEN void *sonde_fiber_prepare(char *stack, size_t size, void (*begin)(void));
/* Goes on at `to`, and returns when somebody goes on at what it left in *from. */
SONDE_HIDDEN void sonde_fiber_switch(void **from, void *to);

#endif
