/* Allocations that fail on purpose (sonde_oom) are those of the code under test, never our own.
 *
 * The failing allocators live outside of this library (addons/oom/), because only a program that asks for them is to have
 * them. They count down a number of the calling thread and fail the allocation that brings it to 0. Linked with
 * --wrap or preloaded, they also see what this library allocates; so wherever it does, while the number counts, the
 * counting is paused. That keeps the number of an allocation the same in a shown run and in one that is not, and in a
 * worker and outside of one. */
#ifndef SONDE_BASE_OOM_H
#define SONDE_BASE_OOM_H

#include <stddef.h>
#include <stdint.h>

/* The number that counts down in this thread; NULL unless a case has asked for it. */
extern _Thread_local uint64_t *sonde_oom_counter __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* What is left, for resume. Pairs may nest. */
static inline uint64_t sonde_oom_pause(void)
{
    if (__builtin_expect(!sonde_oom_counter, 1)) return 0;
    uint64_t left = *sonde_oom_counter;
    *sonde_oom_counter = 0;
    return left;
}

static inline void sonde_oom_resume(uint64_t left)
{
    if (__builtin_expect(left != 0, 0)) *sonde_oom_counter = left;
}

/* From here on, until it is armed again, nothing fails. */
static inline void sonde_oom_disarm(void)
{
    sonde_oom_pause();
    sonde_oom_counter = NULL;
}

#endif
