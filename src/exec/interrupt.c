#define _GNU_SOURCE /* getpgid */
/* Implements interrupt.h. Findings are stored when they are found, so ending at once loses nothing.
 *
 * Handlers only set flags, read the clock and the table of workers, and kill. The orderly end happens in the loops,
 * which call sonde_interrupted. `worst` is the worst status so far, so that a second Ctrl-C does not hide a failure. */
#include "exec/interrupt.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/process.h"

#include "exec/family.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* The workers of this process, readable in signal handlers. An array without a lock: the main thread writes `sent`
 * before `pid`, and an entry with pid 0 is skipped. */
enum { WORKERS_MAX = 128 };

static struct {
    volatile pid_t pid; /* 0: free entry */
    volatile sig_atomic_t sent;
} workers[WORKERS_MAX];

static volatile sig_atomic_t interrupted; /* the signal that asked for the end; 0: none */
static volatile sig_atomic_t worst;
static double asked_at; /* when it came; used by the handler only */

/* Signals that ask for an end, and others that would end the supervisor if the code under test sent them. */
static const int requests[] = {SIGINT, SIGTERM, SIGHUP};
static const int others[] = {SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};
enum { N_REQUESTS = sizeof requests / sizeof *requests, N_OTHERS = sizeof others / sizeof *others };
static struct sigaction before[N_REQUESTS + N_OTHERS], before_stop;
static bool is_watching;

/* ---- The sender of a signal */

static int index_of(pid_t pid)
{
    for (int i = 0; i < WORKERS_MAX && pid > 0; i++)
        if (workers[i].pid == pid) return i;
    return -1;
}

/* Returns the index of the worker that sent the signal; -1: another process. Signals of the terminal come from the
 * kernel, with a code above 0. */
static int sender_of(const siginfo_t *info)
{
    if (!info || info->si_code > 0 || info->si_pid <= 0) return -1;
    /* The sender is the worker itself or a process in its group. A child that left the group is not recognised, and
     * counts as another process. */
    int by_itself = index_of(info->si_pid);
    return by_itself >= 0 ? by_itself : index_of(getpgid(info->si_pid));
}

bool sonde_interrupt_is_workers(const siginfo_t *info)
{
    return sender_of(info) >= 0;
}

/* ---- Handlers */

static bool is_a_workers(int signal, const siginfo_t *info)
{
    int saved = errno, i = sender_of(info);
    if (i >= 0) workers[i].sent = signal;
    errno = saved;
    return i >= 0;
}

/* timeout(1) sends its signal to the program, and then to the whole group: that is one request. Of the terminal, each
 * Ctrl-C is one. */
static bool is_same_request(const siginfo_t *info)
{
    const double together = 0.5; /* seconds */
    return info && info->si_code <= 0 && sonde_clock_now() - asked_at < together;
}

static void on_request(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (is_a_workers(signal, info)) return;
    if (interrupted == signal && is_same_request(info)) return;
    if (interrupted) {
        sonde_family_kill_all(); /* workers die with this process, but their children would not */
        sonde_process_exit(worst ? worst : 128 + signal);
    }
    asked_at = sonde_clock_now();
    interrupted = signal;
}

static void on_other(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (is_a_workers(number, info)) return;
    signal(number, SIG_DFL);
    raise(number);
}

/* Stops the workers too: Ctrl-Z reaches the supervisor alone, since each worker has a separate group. SIGSTOP cannot
 * be handled, so workers stop for certain. They get SIGCONT when the supervisor continues. */
static void on_stop(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (is_a_workers(signal, info)) return;
    int saved = errno;
    for (int i = 0; i < WORKERS_MAX; i++)
        if (workers[i].pid) kill(-workers[i].pid, SIGSTOP);
    raise(SIGSTOP);
    for (int i = 0; i < WORKERS_MAX; i++)
        if (workers[i].pid) kill(-workers[i].pid, SIGCONT);
    errno = saved;
}

void sonde_interrupt_hold(bool holds)
{
    for (int i = 0; i < WORKERS_MAX; i++)
        if (workers[i].pid) kill(-workers[i].pid, holds ? SIGSTOP : SIGCONT);
}

/* ---- Watching */

static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int flags, struct sigaction *old)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, old);
}

static bool is_default(int signal)
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

void sonde_interrupt_watch(void)
{
    if (is_watching) return;
    is_watching = true;
    for (int i = 0; i < N_REQUESTS; i++) {
        sigaction(requests[i], NULL, &before[i]);
        /* nohup makes a program ignore HUP. INT and TERM are handled even if a shell made background jobs ignore
         * them. */
        bool is_off = requests[i] == SIGHUP && before[i].sa_handler == SIG_IGN;
        if (!is_off) handle(requests[i], on_request, 0, NULL);
    }
    for (int i = 0; i < N_OTHERS; i++) {
        sigaction(others[i], NULL, &before[N_REQUESTS + i]);
        if (is_default(others[i])) handle(others[i], on_other, SA_RESTART, NULL);
    }
    sigaction(SIGTSTP, NULL, &before_stop);
    if (is_default(SIGTSTP)) handle(SIGTSTP, on_stop, SA_RESTART, NULL);
}

void sonde_interrupt_leave(void)
{
    for (int i = 0; i < WORKERS_MAX; i++) workers[i].pid = 0;
    if (!is_watching) return;
    is_watching = false;
    interrupted = 0;
    for (int i = 0; i < N_REQUESTS; i++) sigaction(requests[i], &before[i], NULL);
    for (int i = 0; i < N_OTHERS; i++) sigaction(others[i], &before[N_REQUESTS + i], NULL);
    sigaction(SIGTSTP, &before_stop, NULL);
}

bool sonde_interrupted(void)
{
    return interrupted != 0;
}

int sonde_interrupt_status(void)
{
    return interrupted ? 128 + interrupted : 0;
}

/* Ranks status 99 (internal) before 2 (usage) before 1 (falsified). */
static int rank(int status)
{
    return status == 99 ? 3 : status == 2 ? 2 : status == 1;
}

void sonde_interrupt_worst(int status)
{
    if (rank(status) > rank(worst)) worst = status;
}

/* Dies of the signal: a shell stops its script only if the child died of SIGINT. After a status of 130 it would
 * continue. */
void sonde_interrupt_die(void)
{
    int number = interrupted;
    sigset_t only;
    if (!number) return;
    fflush(NULL);
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
}

/* ---- Workers */

void sonde_interrupt_begin(pid_t worker)
{
    sonde_assert(worker > 1 && index_of(worker) < 0);
    for (int i = 0; i < WORKERS_MAX; i++) {
        if (workers[i].pid) continue;
        workers[i].sent = 0;
        workers[i].pid = worker;
        return;
    }
}

int sonde_interrupt_sent(pid_t worker)
{
    int i = index_of(worker);
    return i < 0 ? 0 : workers[i].sent;
}

int sonde_interrupt_end(pid_t worker)
{
    int i = index_of(worker);
    if (i < 0) return 0;
    workers[i].pid = 0;
    return workers[i].sent;
}
