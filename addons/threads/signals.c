#define _GNU_SOURCE /* pthread_sigqueue, clone */
/* Replaces functions for signals, timers and processes.
 *
 * A signal that a thread sends to itself, by raise() for example, is modelled. The handler is called as a
 * function, with its signal mask, before the call returns. So it is a part of the schedule. For signals to other
 * threads or processes, timers and new processes, the kernel decides when they take effect. Such a call ends the
 * run with a message that names it. */
#include "state.h"
#include "sync.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Whether the caller is a thread under control. Signal handlers of sonde may interrupt such a thread and call these
 * functions. */
#define IS_CONTROLLED (sonde_running() && !sonde_is_ours(SONDE_CALLER))

void sonde_refuse_call(const char *function, const void *site)
{
    sonde_misused(site,
                  "%s in a thread of sonde_threads cannot be controlled: the kernel decides when it takes effect; "
                  "do not call it there",
                  function);
}

/* ---- A signal to the thread itself */

/* Calls a handler as the kernel would: with its mask, SA_NODEFER, SA_RESETHAND and SA_SIGINFO. There is no context
 * for the third argument. */
static void call_handler(const struct sigaction *action, int number, union sigval value)
{
    siginfo_t info = {.si_signo = number, .si_code = SI_TKILL};
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value = value;
    sigset_t blocked = action->sa_mask, before;
    if (!(action->sa_flags & SA_NODEFER)) sigaddset(&blocked, number);
    if (action->sa_flags & (int)SA_RESETHAND) signal(number, SIG_DFL);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    int error = errno;
    if (action->sa_flags & SA_SIGINFO) action->sa_sigaction(number, &info, NULL);
    else action->sa_handler(number);
    errno = error;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Raises a signal in the running thread. Returns 0 or an error number. If the code under test has no handler, the
 * kernel handles the signal, which usually ends the process. */
static int signal_self(const char *function, int number, union sigval value, const void *site)
{
    struct sigaction action;
    sigset_t mask;
    sonde_step("raises a signal", site, true);
    if (number == 0) return 0;
    if (sigaction(number, NULL, &action) < 0) return errno;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    if (sigismember(&mask, number) == 1) sonde_refuse_call(function, site); /* the kernel would deliver it later */
    bool is_plain = action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN;
    void *handler;
    memcpy(&handler, &action.sa_handler, sizeof handler);
    if (is_plain || sonde_is_ours(handler)) return SONDE_REAL(raise)(number) ? errno : 0;
    call_handler(&action, number, value);
    return 0;
}

/* Raises a signal as raise does: returns -1 with errno on failure. */
static int raise_here(int number, const void *site)
{
    int error = signal_self("raise() of a blocked signal", number, (union sigval){0}, site);
    if (!error) return 0;
    errno = error;
    return -1;
}

int raise(int number)
{
    if (!IS_CONTROLLED) return SONDE_REAL(raise)(number);
    return raise_here(number, SONDE_CALLER);
}

/* Sends a signal to a thread by the number of gettid. */
static int kill_thread(pid_t thread, int number, const void *site)
{
    if (number && thread != gettid()) sonde_refuse_call("tgkill() to another thread", site);
    return raise_here(number, site);
}

/* Sends a signal to a thread by its handle. Returns 0 or an error number. */
static int signal_thread(const char *function, pthread_t thread, int number, union sigval value, const void *site)
{
    const struct sonde_fiber *f = sonde_thread_find(thread);
    if (!f) return ESRCH;
    if (number < 0 || number > SIGRTMAX) return EINVAL;
    if (number == 0) return 0;
    if (f != sonde_control.running) sonde_refuse_call(function, site);
    return signal_self(function, number, value, site);
}

int pthread_kill(pthread_t thread, int number)
{
    if (!IS_CONTROLLED) return SONDE_REAL(pthread_kill)(thread, number);
    return signal_thread("pthread_kill() to another thread, or of a blocked signal,", thread, number, (union sigval){0},
                         SONDE_CALLER);
}

int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
    if (!IS_CONTROLLED) return SONDE_REAL(pthread_sigqueue)(thread, number, value);
    return signal_thread("pthread_sigqueue() to another thread, or of a blocked signal,", thread, number, value,
                         SONDE_CALLER);
}

/* ---- Signals to processes. Number 0 sends none, and is allowed. */

int kill(pid_t process, int number)
{
    if (IS_CONTROLLED && number) sonde_refuse_call("kill()", SONDE_CALLER);
    return SONDE_REAL(kill)(process, number);
}

int killpg(pid_t group, int number)
{
    if (IS_CONTROLLED && number) sonde_refuse_call("killpg()", SONDE_CALLER);
    return SONDE_REAL(killpg)(group, number);
}

int sigqueue(pid_t process, int number, const union sigval value)
{
    if (IS_CONTROLLED && number) sonde_refuse_call("sigqueue()", SONDE_CALLER);
    return SONDE_REAL(sigqueue)(process, number, value);
}

int tgkill(pid_t process, pid_t thread, int number)
{
    if (!IS_CONTROLLED) return SONDE_REAL(tgkill)(process, thread, number);
    return kill_thread(thread, number, SONDE_CALLER);
}

/* ---- Waiting for signals */

int pause(void)
{
    if (IS_CONTROLLED) sonde_refuse_call("pause()", SONDE_CALLER);
    return SONDE_REAL(pause)();
}

int sigwait(const sigset_t *set, int *number)
{
    if (IS_CONTROLLED) sonde_refuse_call("sigwait()", SONDE_CALLER);
    return SONDE_REAL(sigwait)(set, number);
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    if (IS_CONTROLLED) sonde_refuse_call("sigwaitinfo()", SONDE_CALLER);
    return SONDE_REAL(sigwaitinfo)(set, info);
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    if (IS_CONTROLLED) sonde_refuse_call("sigtimedwait()", SONDE_CALLER);
    return SONDE_REAL(sigtimedwait)(set, info, timeout);
}

int sigsuspend(const sigset_t *mask)
{
    if (IS_CONTROLLED) sonde_refuse_call("sigsuspend()", SONDE_CALLER);
    return SONDE_REAL(sigsuspend)(mask);
}

int signalfd(int fd, const sigset_t *mask, int flags)
{
    if (IS_CONTROLLED) sonde_refuse_call("signalfd()", SONDE_CALLER);
    return SONDE_REAL(signalfd)(fd, mask, flags);
}

/* ---- Timers */

unsigned alarm(unsigned seconds)
{
    if (IS_CONTROLLED) sonde_refuse_call("alarm()", SONDE_CALLER);
    return SONDE_REAL(alarm)(seconds);
}

useconds_t ualarm(useconds_t first, useconds_t interval)
{
    if (IS_CONTROLLED) sonde_refuse_call("ualarm()", SONDE_CALLER);
    return SONDE_REAL(ualarm)(first, interval);
}

int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *before)
{
    if (IS_CONTROLLED) sonde_refuse_call("setitimer()", SONDE_CALLER);
    return SONDE_REAL(setitimer)(which, new, before);
}

int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    if (IS_CONTROLLED) sonde_refuse_call("timer_create()", SONDE_CALLER);
    return SONDE_REAL(timer_create)(clock, event, timer);
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *new, struct itimerspec *before)
{
    if (IS_CONTROLLED) sonde_refuse_call("timer_settime()", SONDE_CALLER);
    return SONDE_REAL(timer_settime)(timer, flags, new, before);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *before)
{
    if (IS_CONTROLLED) sonde_refuse_call("timerfd_settime()", SONDE_CALLER);
    return SONDE_REAL(timerfd_settime)(fd, flags, new, before);
}

/* ---- Processes, and threads created without pthread_create */

int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
    va_list args;
    va_start(args, arg);
    pid_t *parent = va_arg(args, pid_t *);
    void *local = va_arg(args, void *);
    pid_t *child = va_arg(args, pid_t *);
    va_end(args);
    if (IS_CONTROLLED) sonde_refuse_call("clone()", SONDE_CALLER);
    return SONDE_REAL(clone)(fn, stack, flags, arg, parent, local, child);
}

int daemon(int keeps_directory, int keeps_streams)
{
    if (IS_CONTROLLED) sonde_refuse_call("daemon()", SONDE_CALLER);
    return SONDE_REAL(daemon)(keeps_directory, keeps_streams);
}

pid_t wait3(int *status, int options, struct rusage *usage)
{
    if (IS_CONTROLLED && !(options & WNOHANG)) sonde_refuse_call("wait3()", SONDE_CALLER);
    return SONDE_REAL(wait3)(status, options, usage);
}

pid_t wait4(pid_t child, int *status, int options, struct rusage *usage)
{
    if (IS_CONTROLLED && !(options & WNOHANG)) sonde_refuse_call("wait4()", SONDE_CALLER);
    return SONDE_REAL(wait4)(child, status, options, usage);
}

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    if (IS_CONTROLLED && !(options & WNOHANG)) sonde_refuse_call("waitid()", SONDE_CALLER);
    return SONDE_REAL(waitid)(type, id, info, options);
}

/* Returns the name of a system call that is refused when made by syscall(); NULL for any other. */
static const char *refused_name(long number)
{
    static const struct {
        long number;
        const char *name;
    } refused[] = {
#ifdef SYS_fork
        {SYS_fork, "syscall(SYS_fork)"},
#endif
#ifdef SYS_vfork
        {SYS_vfork, "syscall(SYS_vfork)"},
#endif
#ifdef SYS_clone3
        {SYS_clone3, "syscall(SYS_clone3)"},
#endif
#ifdef SYS_alarm
        {SYS_alarm, "syscall(SYS_alarm)"},
#endif
        {SYS_clone, "syscall(SYS_clone)"},
        {SYS_kill, "syscall(SYS_kill)"},
        {SYS_rt_sigqueueinfo, "syscall(SYS_rt_sigqueueinfo)"},
        {SYS_rt_tgsigqueueinfo, "syscall(SYS_rt_tgsigqueueinfo)"},
        {SYS_setitimer, "syscall(SYS_setitimer)"},
        {SYS_timer_create, "syscall(SYS_timer_create)"},
        {SYS_timer_settime, "syscall(SYS_timer_settime)"},
        {SYS_rt_sigsuspend, "syscall(SYS_rt_sigsuspend)"},
        {SYS_rt_sigtimedwait, "syscall(SYS_rt_sigtimedwait)"},
        {SYS_rt_sigprocmask, "syscall(SYS_rt_sigprocmask)"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].number == number) return refused[i].name;
    return NULL;
}

bool sonde_signal_call(long number, const long *a, long *result, const void *site)
{
    const char *name = refused_name(number);
    if (sonde_is_ours(site)) return false;
    if (name) sonde_refuse_call(name, site);
    if (number == SYS_gettid) *result = gettid();
    else if (number == SYS_tgkill) *result = kill_thread((pid_t)a[1], (int)a[2], site);
    else if (number == SYS_tkill) *result = kill_thread((pid_t)a[0], (int)a[1], site);
    else return false;
    return true;
}
