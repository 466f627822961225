#define _GNU_SOURCE /* accept4 */
/* Replaces system calls that may wait. All threads under control share one OS thread, so a call that waits in the
 * kernel would block all of them. Therefore other threads get their turns first, until the call would not wait. If
 * that does not help, the run ends with a message: the test waits for something that never comes. Futexes are
 * modelled. */
#include "access.h"
#include "clocks.h"
#include "shadow.h"
#include "sync.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 1000 }; /* turns of other threads after which a call counts as waiting forever */

/* Ends the run because of a call that would wait forever. */
static __attribute__((noreturn)) void refuse_waiting(const char *function, const void *site)
{
    sonde_misused(
        site,
        "%s in thread %u waits for something that no thread under control can provide, and would block all threads; do "
        "not call it inside sonde_threads, or make sure that it need not wait",
        function, sonde_control.running->id);
}

/* Lets other threads run. Returns false if none of them can, or if they had PATIENCE turns already. */
static bool let_others_run(unsigned *turns, const void *site)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < sonde_control.n_fibers; i++) {
        const struct sonde_fiber *f = &sonde_control.fibers[i];
        waiting += f->state == SONDE_WAITS && f->deadline == SONDE_FOREVER;
    }
    if (waiting + 1 >= sonde_control.n_alive || ++*turns > PATIENCE) return false;
    sonde_yield(site);
    sonde_control.running->spins = 0;
    return true;
}

/* One object for all descriptors, for the happens-before relation. Which descriptors are connected is not known,
 * so a write to any of them happens before a later read from any of them. */
static const char stream;

void sonde_descriptor_wait(int fd, short events, const char *function, const void *site)
{
    struct pollfd p = {.fd = fd, .events = events};
    unsigned turns = 0;
    int flags = fcntl(fd, F_GETFL);
    sonde_step(function, site, true);
    if (flags < 0 || flags & O_NONBLOCK) return;
    while (SONDE_REAL(poll)(&p, 1, 0) == 0)
        if (!let_others_run(&turns, site)) refuse_waiting(function, site);
    if (events == POLLOUT) sonde_release(&stream);
    else sonde_acquire(&stream);
}

/* Reports an access by the kernel, which has written n bytes to the caller's memory. Returns n. */
static ssize_t filled(void *to, ssize_t n, const void *site)
{
    if (n > 0) sonde_access(to, (size_t)n, true, site);
    return n;
}

ssize_t read(int fd, void *to, size_t n)
{
    if (sonde_running()) sonde_descriptor_wait(fd, POLLIN, "read()", SONDE_CALLER);
    return filled(to, SONDE_REAL(read)(fd, to, n), SONDE_CALLER);
}

ssize_t recv(int fd, void *to, size_t n, int flags)
{
    if (sonde_running() && !(flags & MSG_DONTWAIT)) sonde_descriptor_wait(fd, POLLIN, "recv()", SONDE_CALLER);
    return filled(to, SONDE_REAL(recv)(fd, to, n, flags), SONDE_CALLER);
}

ssize_t recvfrom(int fd, void *restrict to, size_t n, int flags, __SOCKADDR_ARG address, socklen_t *restrict size)
{
    if (sonde_running() && !(flags & MSG_DONTWAIT)) sonde_descriptor_wait(fd, POLLIN, "recvfrom()", SONDE_CALLER);
    return filled(to, SONDE_REAL(recvfrom)(fd, to, n, flags, address, size), SONDE_CALLER);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    if (sonde_running() && !(flags & MSG_DONTWAIT)) sonde_descriptor_wait(fd, POLLIN, "recvmsg()", SONDE_CALLER);
    return SONDE_REAL(recvmsg)(fd, message, flags);
}

ssize_t readv(int fd, const struct iovec *parts, int n)
{
    if (sonde_running()) sonde_descriptor_wait(fd, POLLIN, "readv()", SONDE_CALLER);
    return SONDE_REAL(readv)(fd, parts, n);
}

ssize_t sendto(int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG address, socklen_t size)
{
    if (sonde_running() && !(flags & MSG_DONTWAIT)) sonde_descriptor_wait(fd, POLLOUT, "sendto()", SONDE_CALLER);
    if (n) sonde_access(from, n, false, SONDE_CALLER);
    return SONDE_REAL(sendto)(fd, from, n, flags, address, size);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (sonde_running() && !(flags & MSG_DONTWAIT)) sonde_descriptor_wait(fd, POLLOUT, "sendmsg()", SONDE_CALLER);
    return SONDE_REAL(sendmsg)(fd, message, flags);
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
    if (sonde_running()) sonde_descriptor_wait(fd, POLLOUT, "writev()", SONDE_CALLER);
    return SONDE_REAL(writev)(fd, parts, n);
}

int accept(int fd, __SOCKADDR_ARG address, socklen_t *size)
{
    if (sonde_running()) sonde_descriptor_wait(fd, POLLIN, "accept()", SONDE_CALLER);
    return SONDE_REAL(accept)(fd, address, size);
}

int accept4(int fd, __SOCKADDR_ARG address, socklen_t *size, int flags)
{
    if (sonde_running()) sonde_descriptor_wait(fd, POLLIN, "accept4()", SONDE_CALLER);
    return SONDE_REAL(accept4)(fd, address, size, flags);
}

/* Writes to a pipe in parts of PIPE_BUF bytes, for which a pipe that poll reports as writable has room. A larger
 * write would wait in the kernel for a reader, and block all threads. */
static ssize_t write_pipe(int fd, const char *from, size_t n, const void *site)
{
    size_t done = 0;
    while (done < n) {
        size_t part = n - done < PIPE_BUF ? n - done : PIPE_BUF;
        sonde_descriptor_wait(fd, POLLOUT, "write()", site);
        ssize_t wrote = SONDE_REAL(write)(fd, from + done, part);
        if (wrote < 0) return done ? (ssize_t)done : -1;
        done += (size_t)wrote;
    }
    return (ssize_t)done;
}

static bool is_blocking_pipe(int fd)
{
    struct stat info;
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && !(flags & O_NONBLOCK) && fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
}

ssize_t write(int fd, const void *from, size_t n)
{
    bool is_parted = sonde_running() && n > PIPE_BUF && is_blocking_pipe(fd);
    if (sonde_running() && !is_parted) sonde_descriptor_wait(fd, POLLOUT, "write()", SONDE_CALLER);
    if (n) sonde_access(from, n, false, SONDE_CALLER);
    return is_parted ? write_pipe(fd, from, n, SONDE_CALLER) : SONDE_REAL(write)(fd, from, n);
}

/* ---- Calls with a timeout. When no other thread can run, virtual time passes and the call returns. */

/* Asks the kernel without waiting, and lets other threads run until a descriptor is ready or none of them can run. */
int poll(struct pollfd *fds, nfds_t n, int milliseconds)
{
    unsigned turns = 0;
    if (!sonde_running()) return SONDE_REAL(poll)(fds, n, milliseconds);
    sonde_step("poll()", SONDE_CALLER, false);
    for (int ready;;) {
        if ((ready = SONDE_REAL(poll)(fds, n, 0)) != 0 || milliseconds == 0) return ready;
        if (let_others_run(&turns, SONDE_CALLER)) continue;
        if (milliseconds < 0) refuse_waiting("poll()", SONDE_CALLER);
        sonde_control.now += (uint64_t)milliseconds * 1000000;
        return 0;
    }
}

int epoll_wait(int fd, struct epoll_event *events, int most, int milliseconds)
{
    unsigned turns = 0;
    if (!sonde_running()) return SONDE_REAL(epoll_wait)(fd, events, most, milliseconds);
    sonde_step("epoll_wait()", SONDE_CALLER, false);
    for (int ready;;) {
        if ((ready = SONDE_REAL(epoll_wait)(fd, events, most, 0)) != 0 || milliseconds == 0) return ready;
        if (let_others_run(&turns, SONDE_CALLER)) continue;
        if (milliseconds < 0) refuse_waiting("epoll_wait()", SONDE_CALLER);
        sonde_control.now += (uint64_t)milliseconds * 1000000;
        return 0;
    }
}

int epoll_pwait(int fd, struct epoll_event *events, int most, int milliseconds, const sigset_t *mask)
{
    if (!sonde_running()) return SONDE_REAL(epoll_pwait)(fd, events, most, milliseconds, mask);
    return epoll_wait(fd, events, most, milliseconds);
}

/* Refuses the call unless it returns at once. */
int select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
    if (sonde_running() && (!timeout || timeout->tv_sec || timeout->tv_usec))
        sonde_refuse_call("select()", SONDE_CALLER);
    return SONDE_REAL(select)(n, in, out, other, timeout);
}

int pselect(int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout, const sigset_t *mask)
{
    if (sonde_running() && (!timeout || timeout->tv_sec || timeout->tv_nsec))
        sonde_refuse_call("pselect()", SONDE_CALLER);
    return SONDE_REAL(pselect)(n, in, out, other, timeout, mask);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
    if (!sonde_running()) return SONDE_REAL(ppoll)(fds, n, timeout, mask);
    return poll(fds, n, timeout ? (int)(timeout->tv_sec * 1000 + timeout->tv_nsec / 1000000) : -1);
}

/* ---- Processes. All these calls are refused; signals.c has more of them. */

pid_t fork(void)
{
    if (sonde_running()) sonde_refuse_call("fork()", SONDE_CALLER);
    return SONDE_REAL(fork)();
}

/* Outside of threads under control, forks instead: a wrapper of vfork cannot return twice, and fork is a valid
 * vfork. */
pid_t vfork(void)
{
    if (sonde_running()) sonde_refuse_call("vfork()", SONDE_CALLER);
    return SONDE_REAL(fork)();
}

int system(const char *command)
{
    if (sonde_running()) sonde_refuse_call("system()", SONDE_CALLER);
    return SONDE_REAL(system)(command);
}

FILE *popen(const char *command, const char *mode)
{
    if (sonde_running()) sonde_refuse_call("popen()", SONDE_CALLER);
    return SONDE_REAL(popen)(command, mode);
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
    if (sonde_running()) sonde_refuse_call("posix_spawn()", SONDE_CALLER);
    return SONDE_REAL(posix_spawn)(child, path, actions, attributes, argv, environment);
}

int posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
    if (sonde_running()) sonde_refuse_call("posix_spawnp()", SONDE_CALLER);
    return SONDE_REAL(posix_spawnp)(child, file, actions, attributes, argv, environment);
}

pid_t waitpid(pid_t child, int *status, int options)
{
    if (sonde_running() && !(options & WNOHANG)) sonde_refuse_call("waitpid()", SONDE_CALLER);
    return SONDE_REAL(waitpid)(child, status, options);
}

pid_t wait(int *status)
{
    if (sonde_running()) sonde_refuse_call("wait()", SONDE_CALLER);
    return SONDE_REAL(wait)(status);
}

/* ---- Futexes, for code that implements locks without the C library */

/* The arguments of the system call. */
struct futex_call {
    uint32_t *word;
    int operation;
    uint32_t value;
    const struct timespec *time;
};

/* Waits unless the value has changed already. A futex may wake up spuriously. */
static long futex_wait(const struct futex_call *c, const void *site)
{
    bool is_absolute = (c->operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    uint64_t deadline = SONDE_FOREVER;
    sonde_step("waits for a futex", site, false);
    if (__atomic_load_n(c->word, __ATOMIC_SEQ_CST) != c->value) {
        errno = EAGAIN;
        return -1;
    }
    if (c->time && is_absolute)
        deadline = sonde_deadline(c->operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, c->time);
    else if (c->time)
        deadline = sonde_control.now + 1 + (uint64_t)c->time->tv_sec * 1000000000 + (uint64_t)c->time->tv_nsec;
    if (sonde_wait_spuriously(c->word, "a futex", deadline, site)) return 0;
    errno = ETIMEDOUT;
    return -1;
}

/* Models wait and wake only. Refuses other operations, such as requeueing. */
static long futex(const struct futex_call *c, const void *site)
{
    switch (c->operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: return futex_wait(c, site);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: sonde_step("wakes a futex", site, true); return (long)sonde_wake(c->word, c->value);
    default: sonde_refuse_call("a futex call other than wait and wake", site);
    }
}

/* Passes six arguments on, as the function of the C library does, however many the caller gave. */
long syscall(long number, ...)
{
    long a[6];
    va_list args;
    va_start(args, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(args, long);
    va_end(args);
    if (sonde_running() && number == SYS_futex)
        return futex(&(struct futex_call){(uint32_t *)a[0], (int)a[1], (uint32_t)a[2], (const struct timespec *)a[3]},
                     SONDE_CALLER);
    long result;
    if (sonde_running() && sonde_signal_call(number, a, &result, SONDE_CALLER)) return result;
    return SONDE_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
