/* Synchronisation in a thread under control: functions that the calls of POSIX and of C11 share.
 * `site` is the location of the call. Each function returns what its POSIX counterpart returns. */
#ifndef SONDE_THREADS_SYNC_H
#define SONDE_THREADS_SYNC_H

#include "control.h"

#include <pthread.h>

/* ---- Mutexes and condition variables (mutex.c) */

/* Locks a mutex; waits until a virtual time at most, or SONDE_FOREVER. */
SONDE_HIDDEN int sonde_mutex_lock(pthread_mutex_t *m, uint64_t deadline, const void *site);
/* Locks a mutex if it is free. */
SONDE_HIDDEN int sonde_mutex_try(pthread_mutex_t *m, const void *site);
/* Unlocks a mutex. */
SONDE_HIDDEN int sonde_mutex_unlock(pthread_mutex_t *m, const void *site);
/* Destroys a mutex. */
SONDE_HIDDEN int sonde_mutex_destroy(pthread_mutex_t *m, const void *site);
/* Unlocks the mutex, waits for a signal, and locks the mutex again. */
SONDE_HIDDEN int sonde_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline, const void *site);
/* Wakes at most `most` threads that wait for the condition variable. */
SONDE_HIDDEN int sonde_cond_wake(pthread_cond_t *c, uint32_t most, const void *site);
/* Destroys a condition variable. */
SONDE_HIDDEN int sonde_cond_destroy(pthread_cond_t *c, const void *site);

/* ---- Threads (sync.c, thread.c) */

/* Calls fn unless it was called before; waits if another thread is calling it. */
SONDE_HIDDEN int sonde_once(pthread_once_t *once, void (*fn)(void), const void *site);
/* Creates a thread under control. */
SONDE_HIDDEN int sonde_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*fn)(void *),
                                     void *arg, const void *site);
#define SONDE_JOIN_NOW UINT64_MAX /* as the deadline of a join: return EBUSY if the thread has not ended */
/* Joins a thread; waits until a virtual time at most, or SONDE_FOREVER. */
SONDE_HIDDEN int sonde_thread_join(pthread_t thread, void **result, uint64_t deadline, const void *site);
/* Returns the thread under control with this handle; NULL if there is none. */
SONDE_HIDDEN struct sonde_fiber *sonde_thread_find(pthread_t handle);
/* Ends the run, because the call cannot be controlled. `function` is its name, such as "kill()". */
SONDE_HIDDEN __attribute__((noreturn)) void sonde_refuse_call(const char *function, const void *site);
/* Handles a call of syscall() that is about signals, timers or processes: makes the call, or refuses it. Returns
 * false if it is about something else. */
SONDE_HIDDEN bool sonde_signal_call(long number, const long *arguments, long *result, const void *site);
/* Detaches a thread. */
SONDE_HIDDEN int sonde_thread_detach(pthread_t thread, const void *site);

/* ---- Waiting (clocks.c, calls.c) */

/* Lets other threads run, and virtual time pass. */
SONDE_HIDDEN void sonde_sleep(uint64_t nanoseconds, const void *site);
/* Lets other threads run. */
SONDE_HIDDEN void sonde_yield(const void *site);
/* Lets other threads run until the descriptor is ready, unless it is non-blocking. `events` is the argument of
 * poll. */
SONDE_HIDDEN void sonde_descriptor_wait(int fd, short events, const char *function, const void *site);

#endif
