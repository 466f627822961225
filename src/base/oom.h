/* Injected allocation failures (sonde_oom) hit the code under test, never sonde itself.
 *
 * The failing allocators live outside this library (addons/oom/), because only a program that asks for them should
 * have them. They decrement a counter of the calling thread, and fail the allocation that brings it to 0. Linked
 * with --wrap or preloaded, they also see the allocations of this library, so it pauses the counter around these.
 * That keeps the number of an allocation the same whether or not the case is shown, and inside or outside a worker. */
#ifndef SONDE_BASE_OOM_H
#define SONDE_BASE_OOM_H

#include <stddef.h>
#include <stdint.h>

/* Points to the counter of this thread; NULL unless a case has armed it. */
extern _Thread_local uint64_t *sonde_oom_counter __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Pauses the counter and returns its value, for sonde_oom_resume. Pairs may nest. */
static inline uint64_t sonde_oom_pause(void)
{
    if (__builtin_expect(!sonde_oom_counter, 1)) return 0;
    uint64_t left = *sonde_oom_counter;
    *sonde_oom_counter = 0;
    return left;
}

/* Resumes counting with the value that sonde_oom_pause returned. */
static inline void sonde_oom_resume(uint64_t left)
{
    if (__builtin_expect(left != 0, 0)) *sonde_oom_counter = left;
}

/* Disarms the counter: nothing fails until a case arms it again. */
static inline void sonde_oom_disarm(void)
{
    sonde_oom_pause();
    sonde_oom_counter = NULL;
}

#endif
