#define _GNU_SOURCE /* pthread_mutex_clocklock */
/* Replaces the functions of mutexes and condition variables. They behave as POSIX promises; use that POSIX leaves
 * undefined ends the run. Outside of threads under control, the functions of the C library are called.
 *
 * If the owner of a robust mutex ends, the next thread that locks it gets EOWNERDEAD. If that thread unlocks it
 * without pthread_mutex_consistent, the mutex becomes unusable (ENOTRECOVERABLE). */
#include "clocks.h"
#include "heap.h"
#include "objects.h"
#include "shadow.h"
#include "sync.h"

#include <errno.h>
#include <pthread.h>

/* ---- Mutexes */

/* Bits of the member __kind, as glibc uses it. */
enum {
    MUTEX_TYPE = 3,      /* mask of PTHREAD_MUTEX_NORMAL, _RECURSIVE and _ERRORCHECK */
    MUTEX_ROBUST = 16,   /* flag of robust mutexes */
    MUTEX_DESTROYED = -1 /* the whole value, after pthread_mutex_destroy */
};

/* Returns the kind that pthread_mutex_init or a static initialiser stored. */
static int kind_of(const pthread_mutex_t *m)
{
#ifdef __GLIBC__
    return m->__data.__kind;
#else
    (void)m;
    return PTHREAD_MUTEX_NORMAL;
#endif
}

static int type_of(const pthread_mutex_t *m)
{
    return kind_of(m) & MUTEX_TYPE;
}

/* Returns the state of a mutex that is about to be used. Ends the run if the mutex is no longer valid. */
static struct sonde_object *use(const pthread_mutex_t *m, const void *site)
{
    sonde_gone_check(m, "mutex", site);
    if (kind_of(m) == MUTEX_DESTROYED)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u uses a mutex that was destroyed",
                      sonde_control.running->id);
    return sonde_object_at(m, "mutex");
}

/* Locks a mutex if it is free or recursive. Returns 0 or EOWNERDEAD if it is locked now, else the reason why it is
 * not. */
static int try_mutex(const pthread_mutex_t *m, struct sonde_object *o, const void *site)
{
    if (o->is_lost) return ENOTRECOVERABLE;
    if (o->owner == SONDE_NO_OWNER) {
        sonde_object_take(o, site);
        o->is_robust = kind_of(m) & MUTEX_ROBUST;
        o->count = 1;
        sonde_changed();
        return o->is_abandoned ? EOWNERDEAD : 0;
    }
    if (!sonde_object_is_own(o)) return EBUSY;
    if (type_of(m) == PTHREAD_MUTEX_RECURSIVE) {
        o->count++;
        return 0;
    }
    return type_of(m) == PTHREAD_MUTEX_ERRORCHECK ? EDEADLK : EBUSY;
}

/* Locks a mutex after the step, and waits for it if necessary. A thread that is woken must try again. */
static int wait_for_mutex(const pthread_mutex_t *m, uint64_t deadline, const void *site)
{
    for (;;) {
        struct sonde_object *o = use(m, site);
        int error = try_mutex(m, o, site);
        if (error != EBUSY) return error;
        const char *what = sonde_object_is_own(o) ? "a mutex, which it has locked itself," : "a mutex";
        if (!sonde_wait_for(m, what, deadline, site)) return ETIMEDOUT;
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
    int error = try_mutex(m, use(m, site), site);
    return error == EDEADLK ? EBUSY : error;
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
    if (!sonde_running()) return SONDE_REAL(pthread_mutex_trylock)(m);
    return sonde_mutex_try(m, SONDE_CALLER);
}

/* Unlocks a mutex after the step. Mutexes that check return EPERM to a thread that does not hold them; with others
 * that is undefined, and ends the run. */
static int unlock(const pthread_mutex_t *m, const void *site)
{
    struct sonde_object *o = use(m, site);
    int type = type_of(m);
    bool is_own = sonde_object_is_own(o), checks = kind_of(m) & MUTEX_ROBUST;
    if (!is_own && (checks || type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE)) return EPERM;
    if (o->owner == SONDE_NO_OWNER)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u unlocks a mutex that is not locked",
                      sonde_control.running->id);
    if (!is_own)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u unlocks a mutex that thread %d has locked",
                      sonde_control.running->id, (int)o->owner);
    if (--o->count) return 0;
    o->is_lost = o->is_abandoned;
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

int pthread_mutex_consistent(pthread_mutex_t *m)
{
    if (!sonde_running()) return SONDE_REAL(pthread_mutex_consistent)(m);
    sonde_step("makes a mutex consistent", SONDE_CALLER, true);
    struct sonde_object *o = use(m, SONDE_CALLER);
    if (!sonde_object_is_own(o) || !o->is_abandoned) return EINVAL;
    o->is_abandoned = false;
    return 0;
}

/* Calls the real function as well, because it marks the mutex as destroyed. */
int sonde_mutex_destroy(pthread_mutex_t *m, const void *site)
{
    sonde_step("destroys a mutex", site, true);
    use(m, site);
    sonde_object_end(m, "mutex", site);
    return SONDE_REAL(pthread_mutex_destroy)(m);
}

int pthread_mutex_destroy(pthread_mutex_t *m)
{
    if (!sonde_running()) return SONDE_REAL(pthread_mutex_destroy)(m);
    return sonde_mutex_destroy(m, SONDE_CALLER);
}

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes)
{
    if (sonde_running()) sonde_object_begin(m, "mutex", SONDE_CALLER);
    return SONDE_REAL(pthread_mutex_init)(m, attributes);
}

/* ---- Condition variables. Spurious wake-ups happen where the plan has them. */

/* Unlocks a recursive mutex completely, and restores its count afterwards. */
int sonde_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline, const void *site)
{
    sonde_step("waits", site, false);
    sonde_object_check(c, "condition variable", site);
    struct sonde_object *o = use(m, site);
    if (!sonde_object_is_own(o))
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u waits for a signal with a mutex that it has not locked",
                      sonde_control.running->id);
    uint32_t count = o->count;
    o->count = 1;
    unlock(m, site);
    bool is_woken = sonde_wait_spuriously(c, "a signal", deadline, site);
    int error = wait_for_mutex(m, SONDE_FOREVER, site);
    o = sonde_object_at(m, "mutex");
    if (sonde_object_is_own(o)) o->count = count;
    return error ? error : is_woken ? 0 : ETIMEDOUT;
}

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    if (!sonde_running()) return SONDE_REAL(pthread_cond_wait)(c, m);
    return sonde_cond_wait(c, m, SONDE_FOREVER, SONDE_CALLER);
}

/* Assumes CLOCK_REALTIME, because only glibc knows which bits of a condition variable hold its clock. With another
 * clock the wait may time out early, which every clock allows. */
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

/* A signal without a waiter is lost, as POSIX specifies. */
int sonde_cond_wake(pthread_cond_t *c, uint32_t most, const void *site)
{
    sonde_step(most == 1 ? "signals" : "signals to all", site, true);
    sonde_object_check(c, "condition variable", site);
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

/* Does not call the real function, because no thread has ever waited in the real object. */
int sonde_cond_destroy(pthread_cond_t *c, const void *site)
{
    sonde_step("destroys a condition variable", site, true);
    sonde_object_end(c, "condition variable", site);
    sonde_object_destroy(c);
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *c)
{
    if (!sonde_running()) return SONDE_REAL(pthread_cond_destroy)(c);
    return sonde_cond_destroy(c, SONDE_CALLER);
}

int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attributes)
{
    if (sonde_running()) sonde_object_begin(c, "condition variable", SONDE_CALLER);
    return SONDE_REAL(pthread_cond_init)(c, attributes);
}
