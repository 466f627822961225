/* What POSIX and C11 have in common: the same calls, in a thread under control, with the place of the call. They return what those of
 * POSIX do. */
#ifndef SONDE_THREADS_SYNC_H
#define SONDE_THREADS_SYNC_H

#include "control.h"

#include <pthread.h>

SONDE_HIDDEN int sonde_mutex_lock(pthread_mutex_t *m, uint64_t deadline, const void *site);
SONDE_HIDDEN int sonde_mutex_try(pthread_mutex_t *m, const void *site);
SONDE_HIDDEN int sonde_mutex_unlock(pthread_mutex_t *m, const void *site);
SONDE_HIDDEN int sonde_mutex_destroy(pthread_mutex_t *m, const void *site);
SONDE_HIDDEN int sonde_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline, const void *site);
SONDE_HIDDEN int sonde_cond_wake(pthread_cond_t *c, uint32_t most, const void *site);
SONDE_HIDDEN int sonde_cond_destroy(pthread_cond_t *c, const void *site);
SONDE_HIDDEN int sonde_once(pthread_once_t *once, void (*fn)(void), const void *site);
SONDE_HIDDEN int sonde_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*fn)(void *),
                                     void *arg, const void *site);
/* SONDE_JOIN_NOW as the deadline: EBUSY at once if the thread has not ended. */
#define SONDE_JOIN_NOW UINT64_MAX
SONDE_HIDDEN int sonde_thread_join(pthread_t thread, void **result, uint64_t deadline, const void *site);
/* The thread under control with this handle; NULL: there is none. */
SONDE_HIDDEN struct sonde_fiber *sonde_thread_named(pthread_t handle);
/* Ends the run: the call cannot be under control. `function`: "kill()". */
SONDE_HIDDEN __attribute__((noreturn)) void sonde_refuse_call(const char *function, const void *site);
/* Whether a call by syscall() is one about signals, timers or processes; then it is done, with its result, or refused. */
SONDE_HIDDEN bool sonde_signal_call(long number, const long *arguments, long *result, const void *site);
SONDE_HIDDEN int sonde_thread_detach(pthread_t thread, const void *site);
SONDE_HIDDEN void sonde_sleep(uint64_t nanoseconds, const void *site);
SONDE_HIDDEN void sonde_yield(const void *site);
/* Lets others go on until the descriptor is ready, unless it never waits. `events` is poll's. */
SONDE_HIDDEN void sonde_descriptor_wait(int fd, short events, const char *function, const void *site);

#endif
