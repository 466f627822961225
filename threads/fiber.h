/* Fibers: stacks with code on them that runs until it hands over to another. A switch is a dozen instructions and no system call. */
#ifndef SONDE_THREADS_FIBER_H
#define SONDE_THREADS_FIBER_H

#include <stddef.h>

enum { SONDE_STACK = 256 * 1024 };

/* A stack that ends at a page that is not there; NULL if there is no memory. Never given back: the next run uses it again. */
char *sonde_stack_create(void);
/* Makes `begin` what runs on it first. Returns what sonde_fiber_switch takes. */
void *sonde_fiber_prepare(char *stack, void (*begin)(void));
/* Goes on at `to`, and returns when somebody goes on at what it left in *from. */
void sonde_fiber_switch(void **from, void *to);

#endif
