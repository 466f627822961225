#define _GNU_SOURCE /* pthread_rwlock_clockrdlock */
/* Replaces the functions of read-write locks, spin locks, barriers, semaphores and pthread_once. They behave as
 * POSIX promises; use that POSIX leaves undefined ends the run. Outside of threads under control, the functions of
 * the C library are called.
 *
 * Every function begins with a step, at which other threads may run. No other thread runs after it, up to the next
 * step or wait, so the functions need no locks. */
#include "clocks.h"
#include "heap.h"
#include "objects.h"
#include "shadow.h"
#include "sync.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

/* ---- Read-write locks */

/* Takes the lock if it is free for this use. Returns EBUSY, or EDEADLK if the running thread itself holds it for
 * writing. */
static int try_rwlock(struct sonde_object *o, bool writes, const void *site)
{
    if (o->owner != SONDE_NO_OWNER) return sonde_object_is_own(o) ? EDEADLK : EBUSY;
    if (writes && o->readers) return EBUSY;
    if (writes) sonde_object_take(o, site);
    else sonde_object_read(o, site);
    sonde_changed();
    return 0;
}

/* Takes the lock, and waits for it if necessary. A thread that is woken must try again: another may have been
 * faster. */
static int lock_rw(pthread_rwlock_t *l, bool writes, uint64_t deadline, const void *site)
{
    sonde_step(writes ? "locks for writing" : "locks for reading", site, false);
    for (;;) {
        struct sonde_object *o = sonde_object_use(l, "lock", site);
        int error = try_rwlock(o, writes, site);
        if (error != EBUSY) return error;
        if (!sonde_wait_for(l, "a lock", deadline, site)) return ETIMEDOUT;
    }
}

/* Takes the lock without waiting. */
static int try_rw(pthread_rwlock_t *l, bool writes, const void *site)
{
    sonde_step_reading(writes ? "tries to lock for writing" : "tries to lock for reading", site, (uintptr_t)l);
    int error = try_rwlock(sonde_object_use(l, "lock", site), writes, site);
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

/* Wakes all waiters, so the first in the order gets the lock: POSIX leaves open which one does. */
int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_rwlock_unlock)(l);
    sonde_step("unlocks", SONDE_CALLER, false);
    struct sonde_object *o = sonde_object_use(l, "lock", SONDE_CALLER);
    if (o->owner != SONDE_NO_OWNER && !sonde_object_is_own(o))
        sonde_end_run(SONDE_SCHEDULE_WRONG, SONDE_CALLER,
                      "thread %u unlocks a lock that thread %d has locked for writing", sonde_control.running->id,
                      (int)o->owner);
    if (o->owner == SONDE_NO_OWNER && !o->readers)
        sonde_end_run(SONDE_SCHEDULE_WRONG, SONDE_CALLER, "thread %u unlocks a lock that is not locked",
                      sonde_control.running->id);
    if (sonde_object_is_own(o)) sonde_object_give(o);
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
    sonde_object_end(l, "lock", SONDE_CALLER);
    int error = SONDE_REAL(pthread_rwlock_destroy)(l);
    sonde_object_destroy(l);
    return error;
}

int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attributes)
{
    if (sonde_running()) sonde_object_begin(l, "lock", SONDE_CALLER);
    return SONDE_REAL(pthread_rwlock_init)(l, attributes);
}

/* ---- Spin locks. A thread that would spin waits instead. */

int pthread_spin_lock(pthread_spinlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_spin_lock)(l);
    sonde_step("locks", SONDE_CALLER, false);
    for (;;) {
        struct sonde_object *o = sonde_object_use((const void *)l, "spin lock", SONDE_CALLER);
        if (o->owner == SONDE_NO_OWNER) {
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
    struct sonde_object *o = sonde_object_use((const void *)l, "spin lock", SONDE_CALLER);
    if (o->owner != SONDE_NO_OWNER) return EBUSY;
    sonde_object_take(o, SONDE_CALLER);
    sonde_changed();
    return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_spin_unlock)(l);
    sonde_step("unlocks", SONDE_CALLER, false);
    struct sonde_object *o = sonde_object_use((const void *)l, "spin lock", SONDE_CALLER);
    if (!sonde_object_is_own(o))
        sonde_end_run(SONDE_SCHEDULE_WRONG, SONDE_CALLER, "thread %u unlocks a spin lock that it has not locked",
                      sonde_control.running->id);
    sonde_object_give(o);
    sonde_changed();
    sonde_wake((const void *)l, UINT32_MAX);
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *l)
{
    if (!sonde_running()) return SONDE_REAL(pthread_spin_destroy)(l);
    sonde_step("destroys a spin lock", SONDE_CALLER, true);
    sonde_object_end((const void *)l, "spin lock", SONDE_CALLER);
    sonde_object_destroy((void *)(uintptr_t)l);
    return 0;
}

int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
    if (sonde_running()) sonde_object_begin((const void *)l, "spin lock", SONDE_CALLER);
    return SONDE_REAL(pthread_spin_init)(l, shared);
}

/* ---- Barriers */

/* The number of threads to wait for was stored in the object by pthread_barrier_init of glibc. */
int pthread_barrier_wait(pthread_barrier_t *b)
{
    enum { COUNT = 2 }; /* index of the word that holds the number */
    if (!sonde_running()) return SONDE_REAL(pthread_barrier_wait)(b);
    sonde_step("comes to a barrier", SONDE_CALLER, true);
    struct sonde_object *o = sonde_object_use(b, "barrier", SONDE_CALLER);
    uint64_t round = o->round;
    sonde_release(b);
    if (++o->count >= ((const unsigned *)(const void *)b)[COUNT]) {
        o->count = 0;
        o->round++;
        sonde_acquire(b);
        sonde_wake(b, UINT32_MAX);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    /* From here on the object must not be checked: a thread that has left may destroy and free it. The real
     * pthread_barrier_destroy waits until all have left. */
    while (sonde_object_at(b, "barrier")->round == round)
        sonde_wait_for(b, "others at a barrier", SONDE_FOREVER, SONDE_CALLER);
    sonde_acquire(b);
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *b)
{
    if (!sonde_running()) return SONDE_REAL(pthread_barrier_destroy)(b);
    sonde_step("destroys a barrier", SONDE_CALLER, true);
    sonde_object_end(b, "barrier", SONDE_CALLER);
    sonde_object_destroy(b);
    return 0;
}

int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attributes, unsigned n)
{
    if (sonde_running()) sonde_object_begin(b, "barrier", SONDE_CALLER);
    return SONDE_REAL(pthread_barrier_init)(b, attributes, n);
}

/* ---- Semaphores. The real ones count, but no thread waits in them: sem_trywait is called until it succeeds. */

static int wait_for_semaphore(sem_t *s, uint64_t deadline, const void *site)
{
    sonde_step("waits", site, false);
    for (;;) {
        sonde_object_check(s, "semaphore", site);
        if (SONDE_REAL(sem_trywait)(s) == 0) break;
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
    sonde_object_check(s, "semaphore", SONDE_CALLER);
    int result = SONDE_REAL(sem_trywait)(s);
    if (result == 0) sonde_changed();
    if (result == 0) sonde_acquire(s);
    return result;
}

int sem_post(sem_t *s)
{
    if (!sonde_running()) return SONDE_REAL(sem_post)(s);
    sonde_step("posts", SONDE_CALLER, true);
    sonde_object_check(s, "semaphore", SONDE_CALLER);
    sonde_release(s);
    int result = SONDE_REAL(sem_post)(s);
    sonde_wake(s, 1);
    return result;
}

int sem_getvalue(sem_t *s, int *value)
{
    if (sonde_running()) {
        sonde_step_reading("reads a semaphore", SONDE_CALLER, (uintptr_t)s);
        sonde_object_check(s, "semaphore", SONDE_CALLER);
    }
    return SONDE_REAL(sem_getvalue)(s, value);
}

int sem_destroy(sem_t *s)
{
    if (!sonde_running()) return SONDE_REAL(sem_destroy)(s);
    sonde_step("destroys a semaphore", SONDE_CALLER, true);
    sonde_object_end(s, "semaphore", SONDE_CALLER);
    int error = SONDE_REAL(sem_destroy)(s);
    sonde_object_destroy(s);
    return error;
}

int sem_init(sem_t *s, int shared, unsigned value)
{
    if (sonde_running()) sonde_object_begin(s, "semaphore", SONDE_CALLER);
    return SONDE_REAL(sem_init)(s, shared, value);
}

/* ---- Once */

/* A thread that is calling fn owns the object. The completed call is recorded in *once, as glibc does, because the
 * object is forgotten when the run ends. */
int sonde_once(pthread_once_t *once, void (*fn)(void), const void *site)
{
    enum { DONE = 2 }; /* the bit that glibc sets when the call is complete */
    sonde_step("calls once", site, false);
    sonde_gone_check((const void *)once, "pthread_once_t", site);
    while (!((unsigned)*once & DONE)) {
        struct sonde_object *o = sonde_object_at((const void *)once, "call by pthread_once");
        if (o->owner == SONDE_NO_OWNER) {
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
