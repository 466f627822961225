#define _GNU_SOURCE /* pthread_mutexattr_settype */
/* Replaces the functions of C11's <threads.h>. They do the same as the functions of POSIX. In glibc the types are
 * the same, too, so only names and error numbers differ. Steps must have the location of the caller, hence the
 * functions of sync.h instead of the pthread ones. */
#include "clocks.h"
#include "sync.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

/* Calls the C library and returns, unless a thread under control calls. */
#define IF_CONTROLLED(name, ...)                                                                                       \
    if (!sonde_running()) return SONDE_REAL(name)(__VA_ARGS__)

_Static_assert(sizeof(mtx_t) >= sizeof(pthread_mutex_t), "a mutex of C11 is a POSIX mutex");
_Static_assert(sizeof(cnd_t) >= sizeof(pthread_cond_t), "a condition variable of C11 is a POSIX condition variable");

/* Returns the result of C11 for an error number of POSIX. */
static int c11_result(int error)
{
    return error == 0           ? thrd_success
           : error == EBUSY     ? thrd_busy
           : error == ETIMEDOUT ? thrd_timedout
           : error == ENOMEM    ? thrd_nomem
                                : thrd_error;
}

/* The function of a new thread, which returns int; a function of POSIX returns a pointer. */
struct beginning {
    thrd_start_t fn;
    void *arg;
};

static void *begin(void *arg)
{
    struct beginning b = *(struct beginning *)arg;
    free(arg);
    return (void *)(intptr_t)b.fn(b.arg);
}

int thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
    if (!sonde_running()) sonde_others_started();
    IF_CONTROLLED(thrd_create, thread, fn, arg);
    struct beginning *b = malloc(sizeof *b);
    if (!b) return thrd_nomem;
    *b = (struct beginning){fn, arg};
    return c11_result(sonde_thread_create(thread, NULL, begin, b, SONDE_CALLER));
}

int thrd_join(thrd_t thread, int *result)
{
    void *value = NULL;
    IF_CONTROLLED(thrd_join, thread, result);
    int error = sonde_thread_join(thread, &value, SONDE_FOREVER, SONDE_CALLER);
    if (result) *result = (int)(intptr_t)value;
    return c11_result(error);
}

int thrd_detach(thrd_t thread)
{
    IF_CONTROLLED(thrd_detach, thread);
    return c11_result(sonde_thread_detach(thread, SONDE_CALLER));
}

thrd_t thrd_current(void)
{
    return pthread_self();
}

int thrd_equal(thrd_t a, thrd_t b)
{
    return a == b;
}

void thrd_exit(int result)
{
    if (!sonde_running()) SONDE_REAL(thrd_exit)(result);
    pthread_exit((void *)(intptr_t)result);
}

void thrd_yield(void)
{
    if (sonde_running()) sonde_yield(SONDE_CALLER);
    else SONDE_REAL(thrd_yield)();
}

int thrd_sleep(const struct timespec *duration, struct timespec *rest)
{
    IF_CONTROLLED(thrd_sleep, duration, rest);
    sonde_sleep((uint64_t)duration->tv_sec * 1000000000 + (uint64_t)duration->tv_nsec, SONDE_CALLER);
    return 0;
}

int mtx_init(mtx_t *m, int type)
{
    IF_CONTROLLED(mtx_init, m, type);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (type & mtx_recursive) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    int error = pthread_mutex_init((pthread_mutex_t *)m, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return c11_result(error);
}

int mtx_lock(mtx_t *m)
{
    IF_CONTROLLED(mtx_lock, m);
    return c11_result(sonde_mutex_lock((pthread_mutex_t *)m, SONDE_FOREVER, SONDE_CALLER));
}

int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
    IF_CONTROLLED(mtx_timedlock, m, until);
    return c11_result(sonde_mutex_lock((pthread_mutex_t *)m, sonde_deadline(CLOCK_REALTIME, until), SONDE_CALLER));
}

int mtx_trylock(mtx_t *m)
{
    IF_CONTROLLED(mtx_trylock, m);
    return c11_result(sonde_mutex_try((pthread_mutex_t *)m, SONDE_CALLER));
}

int mtx_unlock(mtx_t *m)
{
    IF_CONTROLLED(mtx_unlock, m);
    return c11_result(sonde_mutex_unlock((pthread_mutex_t *)m, SONDE_CALLER));
}

void mtx_destroy(mtx_t *m)
{
    if (!sonde_running()) SONDE_REAL(mtx_destroy)(m);
    else sonde_mutex_destroy((pthread_mutex_t *)m, SONDE_CALLER);
}

int cnd_init(cnd_t *c)
{
    IF_CONTROLLED(cnd_init, c);
    return c11_result(pthread_cond_init((pthread_cond_t *)c, NULL));
}

int cnd_wait(cnd_t *c, mtx_t *m)
{
    IF_CONTROLLED(cnd_wait, c, m);
    return c11_result(sonde_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m, SONDE_FOREVER, SONDE_CALLER));
}

int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
    IF_CONTROLLED(cnd_timedwait, c, m, until);
    return c11_result(sonde_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m, sonde_deadline(CLOCK_REALTIME, until),
                                      SONDE_CALLER));
}

int cnd_signal(cnd_t *c)
{
    IF_CONTROLLED(cnd_signal, c);
    return c11_result(sonde_cond_wake((pthread_cond_t *)c, 1, SONDE_CALLER));
}

int cnd_broadcast(cnd_t *c)
{
    IF_CONTROLLED(cnd_broadcast, c);
    return c11_result(sonde_cond_wake((pthread_cond_t *)c, UINT32_MAX, SONDE_CALLER));
}

void cnd_destroy(cnd_t *c)
{
    if (!sonde_running()) SONDE_REAL(cnd_destroy)(c);
    else sonde_cond_destroy((pthread_cond_t *)c, SONDE_CALLER);
}

void call_once(once_flag *once, void (*fn)(void))
{
    if (!sonde_running()) SONDE_REAL(call_once)(once, fn);
    else sonde_once((pthread_once_t *)once, fn, SONDE_CALLER);
}

int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return c11_result(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key)
{
    pthread_key_delete(key);
}

void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value)
{
    return c11_result(pthread_setspecific(key, value));
}
