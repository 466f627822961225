#define _GNU_SOURCE /* pthread_mutex_clocklock */
/* Mutexes, condition variables, locks for readers and writers, spin locks, barriers, semaphores, once: what POSIX promises of them, and
 * a sentence where it promises nothing. A call from elsewhere than a thread under control is the C library's. */
#include "clocks.h"
#include "objects.h"
#include "shadow.h"
#include "sync.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

/* ---- Mutexes */

enum { MUTEX_KIND = 3 }; /* the bits of glibc's kind that hold the type */

static int type_of(const pthread_mutex_t *m)
{
#ifdef __GLIBC__
    return m->__data.__kind & MUTEX_KIND;
#else
    (void)m;
    return PTHREAD_MUTEX_NORMAL;
#endif
}

static bool is_own(const struct sonde_object *o)
{
    return o->owner == (int32_t)sonde_control.running->id;
}

/* 0, or what a lock that cannot be had at once says. */
static int try_mutex(pthread_mutex_t *m, struct sonde_object *o, const void *site)
{
    if (o->owner == SONDE_NOBODY) {
        sonde_object_take(o, site);
        o->count = 1;
        sonde_changed();
        return 0;
    }
    if (!is_own(o)) return EBUSY;
    if (type_of(m) == PTHREAD_MUTEX_RECURSIVE) {
        o->count++;
        return 0;
    }
    return type_of(m) == PTHREAD_MUTEX_ERRORCHECK ? EDEADLK : EBUSY;
}

/* Behind the step. */
static int wait_for_mutex(pthread_mutex_t *m, uint64_t deadline, const void *site)
{
    for (;;) {
        struct sonde_object *o = sonde_object_at(m, "mutex");
        int error = try_mutex(m, o, site);
        if (error != EBUSY) return error;
        if (!sonde_wait_for(m, is_own(o) ? "a mutex, which it has locked itself," : "a mutex", deadline, site))
            return ETIMEDOUT;
    }
}

int sonde_mutex_lock(pthread_mutex_t *m, uint64_t deadline, const void *site)
{
    sonde_step("locks", site, false);
    return wait_for_mutex(m, deadline, site);
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
    if (!sonde_running()) return SONDE_REAL(pthread_mutex_lock)(m);
    return sonde_mutex_lock(m, SONDE_FOREVER, SONDE_CALLER);
}

int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(pthread_mutex_timedlock)(m, until);
    return sonde_mutex_lock(m, sonde_deadline(CLOCK_REALTIME, until), SONDE_CALLER);
}

int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(pthread_mutex_clocklock)(m, clock, until);
    return sonde_mutex_lock(m, sonde_deadline(clock, until), SONDE_CALLER);
}

int sonde_mutex_try(pthread_mutex_t *m, const void *site)
{
    sonde_step_reading("tries to lock", site, (uintptr_t)m);
    int error = try_mutex(m, sonde_object_at(m, "mutex"), site);
    return error == EDEADLK ? EBUSY : error;
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
    if (!sonde_running()) return SONDE_REAL(pthread_mutex_trylock)(m);
    return sonde_mutex_try(m, SONDE_CALLER);
}

static int unlock(pthread_mutex_t *m, const void *site)
{
    struct sonde_object *o = sonde_object_at(m, "mutex");
    int type = type_of(m);
    if (!is_own(o) && (type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE)) return EPERM;
    if (o->owner == SONDE_NOBODY)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u unlocks a mutex that is not locked",
                      sonde_control.running->id);
    if (!is_own(o))
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u unlocks a mutex that thread %d has locked",
                      sonde_control.running->id, (int)o->owner);
    if (--o->count) return 0;
    sonde_object_give(o);
    sonde_changed();
    sonde_wake(m, UINT32_MAX);
    return 0;
}

int sonde_mutex_unlock(pthread_mutex_t *m, const void *site)
{
    sonde_step("unlocks", site, false);
    return unlock(m, site);
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
    if (!sonde_running()) return SONDE_REAL(pthread_mutex_unlock)(m);
    return sonde_mutex_unlock(m, SONDE_CALLER);
}

/* What is destroyed must not be in use. */
static void let_go(const void *address, const char *kind, const void *site)
{
    struct sonde_object *o = sonde_object_at(address, kind);
    if (o->owner != SONDE_NOBODY)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u destroys a %s that thread %d has locked",
                      sonde_control.running->id, kind, (int)o->owner);
    if (o->readers)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u destroys a %s that a reader has locked",
                      sonde_control.running->id, kind);
    for (uint32_t i = 0; i < sonde_control.n_fibers; i++)
        if (sonde_control.fibers[i].state == SONDE_WAITS && sonde_control.fibers[i].object == address)
            sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u destroys a %s that thread %u waits for",
                          sonde_control.running->id, kind, i);
    sonde_object_forget(address);
}

int sonde_mutex_destroy(pthread_mutex_t *m, const void *site)
{
    sonde_step("destroys a mutex", site, true);
    let_go(m, "mutex", site);
    return SONDE_REAL(pthread_mutex_destroy)(m);
}

int pthread_mutex_destroy(pthread_mutex_t *m)
{
    if (!sonde_running()) return SONDE_REAL(pthread_mutex_destroy)(m);
    return sonde_mutex_destroy(m, SONDE_CALLER);
}

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes)
{
    if (sonde_running()) sonde_object_forget(m);
    return SONDE_REAL(pthread_mutex_init)(m, attributes);
}

/* ---- Condition variables. There are no spurious wake-ups. */

int sonde_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline, const void *site)
{
    sonde_step("waits", site, false);
    struct sonde_object *o = sonde_object_at(m, "mutex");
    if (!is_own(o))
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u waits for a signal with a mutex that it has not locked",
                      sonde_control.running->id);
    uint32_t count = o->count;
    o->count = 1;
    unlock(m, site);
    bool is_woken = sonde_wait_for(c, "a signal", deadline, site);
    int error = wait_for_mutex(m, SONDE_FOREVER, site);
    sonde_object_at(m, "mutex")->count = count;
    return error ? error : is_woken ? 0 : ETIMEDOUT;
}

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    if (!sonde_running()) return SONDE_REAL(pthread_cond_wait)(c, m);
    return sonde_cond_wait(c, m, SONDE_FOREVER, SONDE_CALLER);
}

/* Which clock a condition variable has lies in glibc's own bits; an early time-out is one that any clock allows. */
int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(pthread_cond_timedwait)(c, m, until);
    return sonde_cond_wait(c, m, sonde_deadline(CLOCK_REALTIME, until), SONDE_CALLER);
}

int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(pthread_cond_clockwait)(c, m, clock, until);
    return sonde_cond_wait(c, m, sonde_deadline(clock, until), SONDE_CALLER);
}

int sonde_cond_wake(pthread_cond_t *c, uint32_t most, const void *site)
{
    sonde_step(most == 1 ? "signals" : "signals to all", site, true);
    sonde_wake(c, most);
    return 0;
}

int pthread_cond_signal(pthread_cond_t *c)
{
    if (!sonde_running()) return SONDE_REAL(pthread_cond_signal)(c);
    return sonde_cond_wake(c, 1, SONDE_CALLER);
}

int pthread_cond_broadcast(pthread_cond_t *c)
{
    if (!sonde_running()) return SONDE_REAL(pthread_cond_broadcast)(c);
    return sonde_cond_wake(c, UINT32_MAX, SONDE_CALLER);
}

/* The real one has never been waited for. */
int sonde_cond_destroy(pthread_cond_t *c, const void *site)
{
    sonde_step("destroys a condition variable", site, true);
    let_go(c, "condition variable", site);
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *c)
{
    if (!sonde_running()) return SONDE_REAL(pthread_cond_destroy)(c);
    return sonde_cond_destroy(c, SONDE_CALLER);
}

/* ---- Locks for readers and writers */

static int try_rwlock(struct sonde_object *o, bool writes, const void *site)
{
    if (o->owner != SONDE_NOBODY) return is_own(o) ? EDEADLK : EBUSY;
    if (writes && o->readers) return EBUSY;
    if (writes) sonde_object_take(o, site);
    else sonde_object_read(o, site);
    sonde_changed();
    return 0;
}

static int lock_rw(pthread_rwlock_t *l, bool writes, uint64_t deadline, const void *site)
{
    sonde_step(writes ? "locks for writing" : "locks for reading", site, false);
    for (;;) {
        struct sonde_object *o = sonde_object_at(l, "lock");
        int error = try_rwlock(o, writes, site);
        if (error != EBUSY) return error;
        if (!sonde_wait_for(l, "a lock", deadline, site)) return ETIMEDOUT;
    }
}

static int try_rw(pthread_rwlock_t *l, bool writes, const void *site)
{
    sonde_step_reading(writes ? "tries to lock for writing" : "tries to lock for reading", site, (uintptr_t)l);
    int error = try_rwlock(sonde_object_at(l, "lock"), writes, site);
    return error ? EBUSY : 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_rdlock)(l);
    return lock_rw(l, false, SONDE_FOREVER, SONDE_CALLER);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_wrlock)(l);
    return lock_rw(l, true, SONDE_FOREVER, SONDE_CALLER);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_timedrdlock)(l, until);
    return lock_rw(l, false, sonde_deadline(CLOCK_REALTIME, until), SONDE_CALLER);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_timedwrlock)(l, until);
    return lock_rw(l, true, sonde_deadline(CLOCK_REALTIME, until), SONDE_CALLER);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_tryrdlock)(l);
    return try_rw(l, false, SONDE_CALLER);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_trywrlock)(l);
    return try_rw(l, true, SONDE_CALLER);
}

int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_unlock)(l);
    sonde_step("unlocks", SONDE_CALLER, false);
    struct sonde_object *o = sonde_object_at(l, "lock");
    if (o->owner != SONDE_NOBODY && !is_own(o))
        sonde_end_run(SONDE_SCHEDULE_WRONG, SONDE_CALLER,
                      "thread %u unlocks a lock that thread %d has locked for writing", sonde_control.running->id,
                      (int)o->owner);
    if (o->owner == SONDE_NOBODY && !o->readers)
        sonde_end_run(SONDE_SCHEDULE_WRONG, SONDE_CALLER, "thread %u unlocks a lock that is not locked",
                      sonde_control.running->id);
    if (is_own(o)) sonde_object_give(o);
    else if (!sonde_object_unread(o))
        sonde_end_run(SONDE_SCHEDULE_WRONG, SONDE_CALLER, "thread %u unlocks a lock that it has not locked",
                      sonde_control.running->id);
    sonde_changed();
    sonde_wake(l, UINT32_MAX);
    return 0;
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_clockrdlock)(l, clock, until);
    return lock_rw(l, false, sonde_deadline(clock, until), SONDE_CALLER);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_clockwrlock)(l, clock, until);
    return lock_rw(l, true, sonde_deadline(clock, until), SONDE_CALLER);
}

int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_destroy)(l);
    sonde_step("destroys a lock", SONDE_CALLER, true);
    let_go(l, "lock", SONDE_CALLER);
    return SONDE_REAL(pthread_rwlock_destroy)(l);
}

/* ---- Spin locks: one that spins waits. */

int pthread_spin_lock(pthread_spinlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_spin_lock)(l);
    sonde_step("locks", SONDE_CALLER, false);
    for (;;) {
        struct sonde_object *o = sonde_object_at((const void *)l, "spin lock");
        if (o->owner == SONDE_NOBODY) {
            sonde_object_take(o, SONDE_CALLER);
            sonde_changed();
            return 0;
        }
        sonde_wait_for((const void *)l, "a spin lock", SONDE_FOREVER, SONDE_CALLER);
    }
}

int pthread_spin_trylock(pthread_spinlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_spin_trylock)(l);
    sonde_step_reading("tries to lock", SONDE_CALLER, (uintptr_t)l);
    struct sonde_object *o = sonde_object_at((const void *)l, "spin lock");
    if (o->owner != SONDE_NOBODY) return EBUSY;
    sonde_object_take(o, SONDE_CALLER);
    sonde_changed();
    return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_spin_unlock)(l);
    sonde_step("unlocks", SONDE_CALLER, false);
    struct sonde_object *o = sonde_object_at((const void *)l, "spin lock");
    if (!is_own(o))
        sonde_end_run(SONDE_SCHEDULE_WRONG, SONDE_CALLER, "thread %u unlocks a spin lock that it has not locked",
                      sonde_control.running->id);
    sonde_object_give(o);
    sonde_changed();
    sonde_wake((const void *)l, UINT32_MAX);
    return 0;
}

/* ---- Barriers: how many they wait for is what glibc has noted in its third word. */

int pthread_barrier_wait(pthread_barrier_t *b)
{
    enum { COUNT = 2 };
    if (!sonde_running()) return SONDE_REAL(pthread_barrier_wait)(b);
    sonde_step("comes to a barrier", SONDE_CALLER, true);
    struct sonde_object *o = sonde_object_at(b, "barrier");
    uint64_t round = o->round;
    sonde_release(b);
    if (++o->count >= ((const unsigned *)(const void *)b)[COUNT]) {
        o->count = 0;
        o->round++;
        sonde_acquire(b);
        sonde_wake(b, UINT32_MAX);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    while (sonde_object_at(b, "barrier")->round == round)
        sonde_wait_for(b, "others at a barrier", SONDE_FOREVER, SONDE_CALLER);
    sonde_acquire(b);
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *b)
{
    if (!sonde_running()) return SONDE_REAL(pthread_barrier_destroy)(b);
    sonde_step("destroys a barrier", SONDE_CALLER, true);
    let_go(b, "barrier", SONDE_CALLER);
    return 0;
}

/* ---- Semaphores: the real ones, which count, but nobody waits in them. */

static int wait_for_semaphore(sem_t *s, uint64_t deadline, const void *site)
{
    sonde_step("waits", site, false);
    while (SONDE_REAL(sem_trywait)(s) != 0) {
        if (sonde_wait_for(s, "a semaphore", deadline, site)) continue;
        errno = ETIMEDOUT;
        return -1;
    }
    sonde_changed();
    sonde_acquire(s);
    return 0;
}

int sem_wait(sem_t *s)
{
    if (!sonde_running()) return SONDE_REAL(sem_wait)(s);
    return wait_for_semaphore(s, SONDE_FOREVER, SONDE_CALLER);
}

int sem_timedwait(sem_t *s, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(sem_timedwait)(s, until);
    return wait_for_semaphore(s, sonde_deadline(CLOCK_REALTIME, until), SONDE_CALLER);
}

int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(sem_clockwait)(s, clock, until);
    return wait_for_semaphore(s, sonde_deadline(clock, until), SONDE_CALLER);
}

int sem_trywait(sem_t *s)
{
    if (!sonde_running()) return SONDE_REAL(sem_trywait)(s);
    sonde_step_reading("tries to wait", SONDE_CALLER, (uintptr_t)s);
    int result = SONDE_REAL(sem_trywait)(s);
    if (result == 0) sonde_changed();
    if (result == 0) sonde_acquire(s);
    return result;
}

int sem_post(sem_t *s)
{
    if (!sonde_running()) return SONDE_REAL(sem_post)(s);
    sonde_step("posts", SONDE_CALLER, true);
    sonde_release(s);
    int result = SONDE_REAL(sem_post)(s);
    sonde_wake(s, 1);
    return result;
}

int sem_getvalue(sem_t *s, int *value)
{
    if (sonde_running()) sonde_step_reading("reads a semaphore", SONDE_CALLER, (uintptr_t)s);
    return SONDE_REAL(sem_getvalue)(s, value);
}

int sem_destroy(sem_t *s)
{
    if (!sonde_running()) return SONDE_REAL(sem_destroy)(s);
    sonde_step("destroys a semaphore", SONDE_CALLER, true);
    let_go(s, "semaphore", SONDE_CALLER);
    return SONDE_REAL(sem_destroy)(s);
}

/* ---- Once */

int sonde_once(pthread_once_t *once, void (*fn)(void), const void *site)
{
    enum { DONE = 2 }; /* glibc's number, in the low bits */
    sonde_step("calls once", site, false);
    while (!((unsigned)*once & DONE)) {
        struct sonde_object *o = sonde_object_at((const void *)once, "call by pthread_once");
        if (o->owner == SONDE_NOBODY) {
            sonde_object_take(o, site);
            fn();
            sonde_object_give(o);
            *once = DONE;
            sonde_changed();
            sonde_wake((const void *)once, UINT32_MAX);
            return 0;
        }
        sonde_wait_for((const void *)once, "a call by pthread_once", SONDE_FOREVER, site);
    }
    sonde_acquire((const void *)once);
    return 0;
}

int pthread_once(pthread_once_t *once, void (*fn)(void))
{
    if (!sonde_running()) return SONDE_REAL(pthread_once)(once, fn);
    return sonde_once(once, fn, SONDE_CALLER);
}
