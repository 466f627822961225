/* Calls that cannot be under control. Each property must end with status 2 and a message that begins with what the comment behind its name says. */
#define _GNU_SOURCE
#include <pthread.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sonde.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_t other;
static volatile long result;

static void *do_nothing(void *unused)
{
    return unused;
}

static int child(void *unused)
{
    (void)unused;
    return 0;
}

#define REFUSED(name)                                                                                                  \
    static void *call_##name(void *unused);                                                                            \
    static void run_##name(sonde *t, void *unused)                                                                     \
    {                                                                                                                  \
        pthread_t a;                                                                                                   \
        (void)t;                                                                                                       \
        pthread_create(&other, NULL, do_nothing, NULL);                                                                \
        pthread_create(&a, NULL, call_##name, unused);                                                                 \
        pthread_join(a, NULL);                                                                                         \
        pthread_join(other, NULL);                                                                                     \
    }                                                                                                                  \
    SONDE_PROPERTY(name)                                                                                               \
    {                                                                                                                  \
        sonde_threads(t, "run", run_##name, NULL);                                                                     \
    }                                                                                                                  \
    static void *call_##name(void *unused)
#define REFUSED_CALL(name, expression)                                                                                 \
    REFUSED(name)                                                                                                      \
    {                                                                                                                  \
        result = (long)(expression);                                                                                   \
        return unused;                                                                                                 \
    }

static sigset_t set;
static int number;
static timer_t timer;
static char stack[65536];
extern char **environ;
static char *const arguments[] = {(char[]){"true"}, NULL};

REFUSED_CALL(by_kill, kill(getpid(), SIGUSR1))                                            /* kill() */
REFUSED_CALL(by_killpg, killpg(getpgrp(), SIGUSR1))                                       /* killpg() */
REFUSED_CALL(by_pthread_kill, pthread_kill(other, SIGUSR1))                               /* pthread_kill() */
REFUSED_CALL(by_pthread_sigqueue, pthread_sigqueue(other, SIGUSR1, (union sigval){0}))    /* pthread_sigqueue() */
REFUSED_CALL(by_sigqueue, sigqueue(getpid(), SIGUSR1, (union sigval){0}))                 /* sigqueue() */
REFUSED_CALL(by_tgkill, syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1))                 /* tgkill() */
REFUSED_CALL(by_cancel, pthread_cancel(other))                                            /* pthread_cancel() */
REFUSED_CALL(by_pause, pause())                                                           /* pause() */
REFUSED_CALL(by_sigwait, sigwait(&set, &number))                                          /* sigwait() */
REFUSED_CALL(by_sigwaitinfo, sigwaitinfo(&set, NULL))                                     /* sigwaitinfo() */
REFUSED_CALL(by_sigtimedwait, sigtimedwait(&set, NULL, &(struct timespec){0, 1}))         /* sigtimedwait() */
REFUSED_CALL(by_sigsuspend, sigsuspend(&set))                                             /* sigsuspend() */
REFUSED_CALL(by_signalfd, signalfd(-1, &set, 0))                                          /* signalfd() */
REFUSED_CALL(by_alarm, alarm(100))                                                        /* alarm() */
REFUSED_CALL(by_ualarm, ualarm(1000000, 0))                                               /* ualarm() */
REFUSED_CALL(by_setitimer, setitimer(ITIMER_REAL, &(struct itimerval){{9, 0}, {9, 0}}, NULL)) /* setitimer() */
REFUSED_CALL(by_timer_create, timer_create(CLOCK_MONOTONIC, &(struct sigevent){.sigev_notify = SIGEV_THREAD}, &timer)) /* timer_create() */
REFUSED_CALL(by_timerfd, timerfd_settime(0, 0, &(struct itimerspec){{0, 0}, {0, 1}}, NULL)) /* timerfd_settime() */
REFUSED_CALL(by_fork, fork())                                                             /* fork() */
REFUSED_CALL(by_vfork, vfork())                                                           /* vfork() */
REFUSED_CALL(by_clone, clone(child, stack + sizeof stack, SIGCHLD, NULL))                 /* clone() */
REFUSED_CALL(by_syscall_fork, syscall(SYS_fork))                                          /* syscall(SYS_fork) */
REFUSED_CALL(by_syscall_clone, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))                   /* syscall(SYS_clone) */
REFUSED_CALL(by_spawn, posix_spawn(NULL, "/bin/true", NULL, NULL, arguments, environ))    /* posix_spawn() */
REFUSED_CALL(by_system, system("true"))                                                   /* system() */
REFUSED_CALL(by_popen, popen("true", "r") != NULL)                                        /* popen() */
REFUSED_CALL(by_daemon, daemon(1, 1))                                                     /* daemon() */
REFUSED_CALL(by_wait, wait(NULL))                                                         /* wait() */
REFUSED_CALL(by_waitpid, waitpid(-1, NULL, 0))                                            /* waitpid() */
REFUSED_CALL(by_waitid, waitid(P_ALL, 0, &(siginfo_t){0}, WEXITED))                       /* waitid() */
REFUSED_CALL(by_select, select(0, NULL, NULL, NULL, NULL))                                /* select() */
REFUSED_CALL(by_pselect, pselect(0, NULL, NULL, NULL, NULL, NULL))                        /* pselect() */
REFUSED_CALL(by_ppoll, ppoll(NULL, 0, NULL, NULL))                                        /* poll() */

REFUSED(by_raise_of_a_blocked_signal) /* raise() of a blocked signal */
{
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &own, NULL);
    signal(SIGUSR1, SIG_IGN);
    raise(SIGUSR1);
    return unused;
}

/* Not refused: a thread that sonde did not start. The property has few inputs, but they are not all that decides. */
static int value;
static void *set_value(void *unused)
{
    value = 1;
    return unused;
}
SONDE_PROPERTY(real_thread)
{
    pthread_t a;
    value = (int)sonde_pick(t, "value", 3);
    pthread_create(&a, NULL, set_value, NULL);
    pthread_join(a, NULL);
    sonde_check_eq(t, value, 1);
}
SONDE_MAIN()
