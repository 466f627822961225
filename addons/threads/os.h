/* Threads of the kernel's, for code that fibers cannot host (`sonde cc --threads=os`): one runs at a time, who has the baton. Who gets it
 * next is decided in control.c, by the same plan, so a tape leads to the same run as with fibers.
 *
 * Thread 0 is that of the case, on its own stack; each other one is created when the code under test does so, and really ends when it
 * ends: native thread-locals, stacks and handles are what they are without sonde. When a run is left, threads that have not ended
 * are woken once more to jump out of what they were doing; nothing of the code under test runs then. */
#ifndef SONDE_THREADS_OS_H
#define SONDE_THREADS_OS_H

#include "control.h"

#include <pthread.h>

/* The program was linked by `sonde cc --threads=os`. */
extern const bool sonde_os_chosen_ __attribute__((weak));
static inline bool sonde_is_os(void)
{
    return __builtin_expect(&sonde_os_chosen_ != NULL, 0);
}

/* Runs `begin` as thread 0, here, and returns when somebody has gone home; then all other threads are gone. */
SONDE_HIDDEN void sonde_os_run(void (*begin)(void));
/* The run has ended. */
SONDE_HIDDEN __attribute__((noreturn)) void sonde_os_go_home(void);
/* A thread on this stack that waits for its first turn; false: the kernel has none left. */
SONDE_HIDDEN bool sonde_os_create(const struct sonde_fiber *f);
/* Gives the baton away, and returns when it comes back. */
SONDE_HIDDEN void sonde_os_switch(const struct sonde_fiber *from, const struct sonde_fiber *to);
/* The same for one that has ended. `to` goes on when the kernel has done with it. */
SONDE_HIDDEN __attribute__((noreturn)) void sonde_os_end(const struct sonde_fiber *from, const struct sonde_fiber *to);
/* The code under test has joined it: its handle may become another's. */
SONDE_HIDDEN void sonde_os_join(const struct sonde_fiber *f);

SONDE_HIDDEN pthread_t sonde_os_handle(const struct sonde_fiber *f);
/* NULL: there is no such thread. */
SONDE_HIDDEN struct sonde_fiber *sonde_os_find(pthread_t handle);

#endif
