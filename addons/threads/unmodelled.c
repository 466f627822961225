#define _GNU_SOURCE /* semtimedop */
/* Passes calls that are not modelled on to the C library. Some of them wait in the kernel, which blocks all threads.
 * Others use state that belongs to a thread, but that all fibers share. If a thread under control makes such a call,
 * the report names it. */
#include "os.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

/* Adds a call to the list in the report, unless it is there already or the list is full. */
static void name_call(const char *name)
{
    char *all = sonde_control.plan->schedule->unmodelled;
    size_t used = strlen(all), n = strlen(name);
    if (strstr(all, name) || used + n + 2 > sizeof sonde_control.plan->schedule->unmodelled) return;
    if (used) all[used++] = ' ';
    memcpy(all + used, name, n + 1);
}

/* ---- Waiting in the kernel */

int flock(int fd, int operation)
{
    if (sonde_running() && !(operation & (LOCK_NB | LOCK_UN))) name_call("flock()");
    return SONDE_REAL(flock)(fd, operation);
}

int lockf(int fd, int command, off_t n)
{
    if (sonde_running() && command == F_LOCK) name_call("lockf()");
    return SONDE_REAL(lockf)(fd, command, n);
}

int semop(int set, struct sembuf *operations, size_t n)
{
    if (sonde_running()) name_call("semop()");
    return SONDE_REAL(semop)(set, operations, n);
}

int semtimedop(int set, struct sembuf *operations, size_t n, const struct timespec *timeout)
{
    if (sonde_running()) name_call("semtimedop()");
    return SONDE_REAL(semtimedop)(set, operations, n, timeout);
}

ssize_t msgrcv(int queue, void *to, size_t n, long type, int flags)
{
    if (sonde_running() && !(flags & IPC_NOWAIT)) name_call("msgrcv()");
    return SONDE_REAL(msgrcv)(queue, to, n, type, flags);
}

int msgsnd(int queue, const void *from, size_t n, int flags)
{
    if (sonde_running() && !(flags & IPC_NOWAIT)) name_call("msgsnd()");
    return SONDE_REAL(msgsnd)(queue, from, n, flags);
}

/* ---- State of a thread that all fibers share. With --threads=os it is not shared. */

static bool is_fiber(void)
{
    return sonde_running() && !sonde_is_os();
}

char *inet_ntoa(struct in_addr address)
{
    if (is_fiber()) name_call("inet_ntoa()");
    return SONDE_REAL(inet_ntoa)(address);
}

char *strsignal(int number)
{
    if (is_fiber()) name_call("strsignal()");
    return SONDE_REAL(strsignal)(number);
}

char *dlerror(void)
{
    if (is_fiber()) name_call("dlerror()");
    return SONDE_REAL(dlerror)();
}

int sigaltstack(const stack_t *restrict new, stack_t *restrict before)
{
    if (is_fiber() && new && !sonde_is_ours(SONDE_CALLER)) name_call("sigaltstack()");
    return SONDE_REAL(sigaltstack)(new, before);
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *cpus)
{
    if (is_fiber()) name_call("sched_setaffinity()");
    return SONDE_REAL(sched_setaffinity)(thread, size, cpus);
}

int sched_setscheduler(pid_t thread, int policy, const struct sched_param *param)
{
    if (is_fiber()) name_call("sched_setscheduler()");
    return SONDE_REAL(sched_setscheduler)(thread, policy, param);
}
