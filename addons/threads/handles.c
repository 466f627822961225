#define _GNU_SOURCE /* pthread_setname_np */
/* Replaces functions that take the handle of a thread. The handle of a fiber is a number, not an address, so the C
 * library must never get it. Name, affinity and priority of a fiber are stored here and have no effect. With
 * --threads=os handles are real. */
#include "clocks.h"
#include "os.h"
#include "sync.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NAME = 16 }; /* size of a thread's name in Linux, in bytes */

/* The attributes of a fiber. */
static struct own {
    uint32_t run; /* number of the run that the attributes belong to */
    char name[NAME];
    bool has_cpus, has_policy;
    cpu_set_t cpus;
    int policy;
    struct sched_param param;
} own[SONDE_THREADS_MAX];

/* Returns the attributes of a fiber, empty if they are from an earlier run; NULL if the handle is not a fiber's. */
static struct own *own_of(pthread_t thread)
{
    const struct sonde_fiber *f = sonde_running() && !sonde_is_os() ? sonde_thread_find(thread) : NULL;
    if (!f) return NULL;
    struct own *o = &own[f->id];
    if (o->run != sonde_control.run) memset(o, 0, sizeof *o);
    o->run = sonde_control.run;
    return o;
}

/* Begins a function: outside of fibers calls the C library. In a fiber, an unknown handle is an error: no fiber
 * has a real handle. */
#define REAL_UNLESS_FIBER(name, thread, ...)                                                                           \
    struct own *o = own_of(thread);                                                                                    \
    if (!sonde_running() || sonde_is_os()) return SONDE_REAL(name)(thread, __VA_ARGS__);                               \
    if (!o) return ESRCH

int pthread_setname_np(pthread_t thread, const char *name)
{
    REAL_UNLESS_FIBER(pthread_setname_np, thread, name);
    if (strlen(name) >= NAME) return ERANGE;
    memcpy(o->name, name, strlen(name) + 1);
    return 0;
}

/* A fiber without a name has the name of the OS thread, as a real thread inherits its name. */
int pthread_getname_np(pthread_t thread, char *name, size_t size)
{
    REAL_UNLESS_FIBER(pthread_getname_np, thread, name, size);
    if (size < NAME) return ERANGE;
    if (!*o->name) return SONDE_REAL(pthread_getname_np)(SONDE_REAL(pthread_self)(), name, size);
    memcpy(name, o->name, NAME);
    return 0;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *cpus)
{
    REAL_UNLESS_FIBER(pthread_setaffinity_np, thread, size, cpus);
    memset(&o->cpus, 0, sizeof o->cpus);
    memcpy(&o->cpus, cpus, size < sizeof o->cpus ? size : sizeof o->cpus);
    o->has_cpus = true;
    return 0;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *cpus)
{
    REAL_UNLESS_FIBER(pthread_getaffinity_np, thread, size, cpus);
    if (!o->has_cpus) return sched_getaffinity(0, size, cpus) < 0 ? errno : 0;
    memset(cpus, 0, size);
    memcpy(cpus, &o->cpus, size < sizeof o->cpus ? size : sizeof o->cpus);
    return 0;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
    REAL_UNLESS_FIBER(pthread_setschedparam, thread, policy, param);
    int lowest = sched_get_priority_min(policy), highest = sched_get_priority_max(policy);
    if (lowest < 0 || param->sched_priority < lowest || param->sched_priority > highest) return EINVAL;
    o->policy = policy;
    o->param = *param;
    o->has_policy = true;
    return 0;
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param)
{
    REAL_UNLESS_FIBER(pthread_getschedparam, thread, policy, param);
    *policy = o->has_policy ? o->policy : SCHED_OTHER;
    *param = o->param;
    return 0;
}

int pthread_setschedprio(pthread_t thread, int priority)
{
    REAL_UNLESS_FIBER(pthread_setschedprio, thread, priority);
    return pthread_setschedparam(thread, o->has_policy ? o->policy : SCHED_OTHER,
                                 &(struct sched_param){.sched_priority = priority});
}

int pthread_getcpuclockid(pthread_t thread, clockid_t *clock)
{
    REAL_UNLESS_FIBER(pthread_getcpuclockid, thread, clock);
    *clock = CLOCK_THREAD_CPUTIME_ID;
    return 0;
}

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(pthread_timedjoin_np)(thread, result, until);
    return sonde_thread_join(thread, result, sonde_deadline(CLOCK_REALTIME, until), SONDE_CALLER);
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
    if (!sonde_running()) return SONDE_REAL(pthread_clockjoin_np)(thread, result, clock, until);
    return sonde_thread_join(thread, result, sonde_deadline(clock, until), SONDE_CALLER);
}

/* Fiber 0 has the number of the OS thread; the others have numbers that the kernel never assigns. */
pid_t gettid(void)
{
    enum { FIRST = 1 << 22 }; /* PID_MAX_LIMIT of the kernel: real numbers are lower */
    const struct sonde_fiber *f = sonde_running();
    if (!f || !f->id || sonde_is_os()) return (pid_t)SONDE_REAL(syscall)(SYS_gettid);
    return FIRST + (pid_t)f->id;
}
