#define _GNU_SOURCE /* syscall */
/* See process.h. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool is_own;

/* The flag is reset in the parent and in the child. */
pid_t sonde_fork(void)
{
    is_own = true;
    pid_t pid = fork();
    is_own = false;
    return pid;
}

bool sonde_fork_is_own(void)
{
    return is_own;
}

_Noreturn void sonde_process_exit(int status)
{
    for (;;) syscall(SYS_exit_group, status);
}

/* Uses no stdio, because signal handlers call this function, too. */
void sonde_process_read(pid_t pid, const char *name, char *out, size_t size)
{
    char path[64], digits[16], *at = digits + sizeof digits;
    unsigned long n = (unsigned long)pid;
    *--at = '\0';
    do *--at = (char)('0' + n % 10);
    while (n /= 10);
    strcpy(path, "/proc/");
    strcat(path, at);
    strcat(path, "/");
    strcat(path, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, out, size - 1);
    if (fd >= 0) close(fd);
    out[got > 0 ? got : 0] = '\0';
}

pid_t sonde_process_tracer(pid_t pid)
{
    static const char word[] = "TracerPid:\t";
    char text[2048];
    sonde_process_read(pid, "status", text, sizeof text);
    const char *at = strstr(text, word);
    pid_t tracer = 0;
    for (at = at ? at + strlen(word) : ""; *at >= '0' && *at <= '9'; at++) tracer = tracer * 10 + (*at - '0');
    return tracer;
}

/* A bell is a counter and a futex. A waiter has read the counter before it waits, so a ring between reading and
 * waiting makes FUTEX_WAIT return at once. Async-signal-safe. Not FUTEX_PRIVATE: processes share the bell. */
void sonde_bell_ring(atomic_uint *bell)
{
    atomic_fetch_add(bell, 1);
    syscall(SYS_futex, bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void sonde_bell_wait(atomic_uint *bell, unsigned seen, double seconds)
{
    struct timespec limit = {.tv_sec = (time_t)seconds};
    limit.tv_nsec = (long)((seconds - (double)limit.tv_sec) * 1e9);
    if (atomic_load(bell) == seen) syscall(SYS_futex, bell, FUTEX_WAIT, seen, &limit, NULL, 0);
}

/* SIGCHLD rings the bell because a child that was killed or called _exit cannot ring it. The host's handler is
 * restored when sonde no longer waits. One bell per process: there is one SIGCHLD. */
static atomic_uint *child_bell;
static struct sigaction before_child;
static bool was_blocked;

static void on_child(int signal)
{
    (void)signal;
    int saved = errno;
    if (child_bell) sonde_bell_ring(child_bell);
    errno = saved;
}

static void block_child(int how, sigset_t *before)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGCHLD);
    sigprocmask(how, &only, before);
}

/* Informs the host program of its children that ended meanwhile, whose signals went to sonde. If the host ignores
 * SIGCHLD, those children are reaped here, as the kernel would have done. */
static void hand_over_children(void)
{
    bool ignores = before_child.sa_handler == SIG_IGN || before_child.sa_flags & SA_NOCLDWAIT;
    bool listens = before_child.sa_handler != SIG_IGN && before_child.sa_handler != SIG_DFL;
    int how = WEXITED | WNOHANG | (ignores ? 0 : WNOWAIT);
    siginfo_t ended;
    do {
        ended.si_pid = 0;
    } while (waitid(P_ALL, 0, &ended, how) == 0 && ended.si_pid && ignores);
    if (listens && ended.si_pid) raise(SIGCHLD);
}

void sonde_bell_on_child(atomic_uint *bell)
{
    if (bell && !child_bell) {
        struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
        sigset_t before;
        sigemptyset(&action.sa_mask);
        sigaction(SIGCHLD, &action, &before_child);
        /* The host program may have blocked SIGCHLD; then the end of a child would not ring the bell. */
        block_child(SIG_UNBLOCK, &before);
        was_blocked = sigismember(&before, SIGCHLD) == 1;
    } else if (!bell && child_bell) {
        if (was_blocked) block_child(SIG_BLOCK, NULL);
        sigaction(SIGCHLD, &before_child, NULL);
        hand_over_children();
    }
    child_bell = bell;
}
