/* OS threads in place of fibers, for code that fibers cannot host (`sonde cc --threads=os`). Only the thread that
 * has the baton runs. control.c decides by the same plan which thread gets the baton next, so a tape leads to the same
 * run as with fibers.
 *
 * Thread 0 is the thread of the case, on its stack. The others are created when the code under test creates them,
 * and really end when they end. So thread-locals, stacks and handles are as without sonde. When a run
 * is left, threads that have not ended are woken, and jump out of what they were doing. No code under test runs
 * then. */
#ifndef SONDE_THREADS_OS_H
#define SONDE_THREADS_OS_H

#include "control.h"

#include <pthread.h>

/* Exists only if the program was linked by `sonde cc --threads=os`. */
extern const bool sonde_os_chosen_ __attribute__((weak));
/* Returns whether threads are OS threads. */
static inline bool sonde_is_os(void)
{
    return __builtin_expect(&sonde_os_chosen_ != NULL, 0);
}

/* Runs `begin` as thread 0 in the calling thread. Returns after sonde_os_return_to_case, when all other threads have
 * ended. */
SONDE_HIDDEN void sonde_os_run(void (*begin)(void));
/* Ends the run, from any thread. */
SONDE_HIDDEN __attribute__((noreturn)) void sonde_os_return_to_case(void);
/* Creates an OS thread on the fiber's stack, which waits for its first turn. Returns false if the kernel refuses. */
SONDE_HIDDEN bool sonde_os_create(const struct sonde_fiber *f);
/* Passes the baton to another thread, and returns when the caller has it again. */
SONDE_HIDDEN void sonde_os_switch(const struct sonde_fiber *from, const struct sonde_fiber *to);
/* Passes the baton on from a thread that has ended. `to` continues only when the kernel has finished the ended
 * thread. */
SONDE_HIDDEN __attribute__((noreturn)) void sonde_os_end(const struct sonde_fiber *from, const struct sonde_fiber *to);
/* Joins the OS thread, because the code under test has joined it; a new thread may then get its handle. */
SONDE_HIDDEN void sonde_os_join(const struct sonde_fiber *f);

/* Returns the handle of a thread. */
SONDE_HIDDEN pthread_t sonde_os_handle(const struct sonde_fiber *f);
/* Returns the thread with this handle; NULL if there is none. */
SONDE_HIDDEN struct sonde_fiber *sonde_os_find(pthread_t handle);

#endif
