/* The common part of both libraries that make allocations fail: a counter per thread, which each allocation
 * decrements. */
#ifndef SONDE_OOM_COUNTER_H
#define SONDE_OOM_COUNTER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the counter of the calling thread. libsonde finds this function by its name (src/case/oom.c). */
uint64_t *sonde_oom_counter_(void) __attribute__((visibility("default")));

/* 0: no allocation will fail; 1: the next will; and so on. initial-exec, so that access to it does not allocate. */
static _Thread_local uint64_t left __attribute__((tls_model("initial-exec")));

uint64_t *sonde_oom_counter_(void)
{
    return &left;
}

static inline bool fails(void)
{
    if (__builtin_expect(left == 0, 1) || --left) return false;
    errno = ENOMEM;
    return true;
}

#endif
