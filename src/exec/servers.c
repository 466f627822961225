#define _GNU_SOURCE /* memfd_create */
/* See servers.h. The broker has no memory of its servers: each ends when its socket does, and all are killed when the
 * broker ends. */
#include "exec/servers.h"

#include "base/descriptor.h"
#include "base/process.h"
#include "exec/exec.h"
#include "exec/family.h"
#include "exec/fault.h"
#include "exec/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The broker as this process knows it. Workers inherit the descriptors. */
static struct {
    pid_t pid;
    int fd;     /* the run's end of a socket to the broker */
    int errors; /* a file in memory: standard error of all servers */
} broker = {.fd = -1, .errors = -1};

static const int all_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGPIPE};

static void set_signals(void (*handler)(int))
{
    for (size_t i = 0; i < sizeof all_signals / sizeof *all_signals; i++) signal(all_signals[i], handler);
}

/* Becomes a server that talks over `fd`. */
static _Noreturn void become_server(int fd, const char *const *argv)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    set_signals(SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    int nowhere = open("/dev/null", O_RDWR);
    dup2(fd, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(broker.errors >= 0 ? broker.errors : nowhere, STDERR_FILENO);
    setenv(SONDE_AGAINST_VARIABLE, "1", 1);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    static const char text[] = "it cannot be executed\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    _exit(127);
}

/* Receives one socket; returns -1 when the run and all of its workers have closed their ends. */
static int receive_socket(int from)
{
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    char byte;
    struct iovec part = {&byte, 1};
    for (;;) {
        struct msghdr m = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
        ssize_t n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return -1;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        int fd;
        if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len < CMSG_LEN(sizeof fd)) continue;
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
        return fd;
    }
}

static _Noreturn void serve_run(int from, pid_t run, const char *const *argv)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != run) _exit(0);
    for (int fd; (fd = receive_socket(from)) >= 0; close(fd)) {
        pid_t pid = sonde_fork();
        if (pid == 0) become_server(fd, argv);
    }
    _exit(0);
}

/* Drops everything of the run that the broker must not touch. */
static void leave_run(void)
{
    sonde_descriptor_close_for_worker();
    sonde_family_leave();
    sonde_interrupt_leave();
    sonde_fault_leave();
    sonde_bell_on_child(NULL);
    set_signals(SIG_IGN);
    signal(SIGCHLD, SIG_IGN); /* the kernel reaps servers */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

int sonde_servers_open(const char *const *argv)
{
    int ends[2];
    pid_t run = getpid();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
    broker.errors = sonde_descriptor_hide(memfd_create("sonde against", MFD_CLOEXEC), true);
    if (broker.errors >= 0) fcntl(broker.errors, F_SETFL, O_APPEND);
    sigset_t all, before;
    sigfillset(&all);
    fflush(NULL);
    /* All signals are blocked around the fork: one in between would find the handlers of the run in the broker. */
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t pid = sonde_fork();
    int error = -errno;
    if (pid == 0) {
        close(ends[0]);
        leave_run();
        serve_run(ends[1], run, argv);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    broker.fd = sonde_descriptor_hide(ends[0], true);
    if (pid < 0) {
        sonde_servers_close();
        return error;
    }
    broker.pid = pid;
    sonde_family_spare(pid);
    return 0;
}

void sonde_servers_close(void)
{
    if (broker.fd >= 0) {
        sonde_descriptor_forget(broker.fd);
        close(broker.fd);
    }
    if (broker.pid) {
        kill(broker.pid, SIGKILL);
        while (waitpid(broker.pid, NULL, 0) < 0 && errno == EINTR) continue;
        sonde_family_unspare(broker.pid);
    }
    if (broker.errors >= 0) {
        sonde_descriptor_forget(broker.errors);
        close(broker.errors);
    }
    broker.pid = 0;
    broker.fd = broker.errors = -1;
}

static bool send_socket(int to, int fd)
{
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    char byte = 0;
    struct iovec part = {&byte, 1};
    memset(&control, 0, sizeof control);
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    ssize_t n;
    do {
        n = sendmsg(to, &m, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n == 1;
}

int sonde_servers_connect(void)
{
    int ends[2];
    if (broker.fd < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return -1;
    bool is_sent = send_socket(broker.fd, ends[1]);
    close(ends[1]);
    if (is_sent) return sonde_descriptor_hide(ends[0], true);
    close(ends[0]);
    return -1;
}

void sonde_servers_hang_up(int fd)
{
    if (fd < 0) return;
    sonde_descriptor_forget(fd);
    close(fd);
}

void sonde_servers_complaints(char *out, size_t size)
{
    ssize_t n = broker.errors >= 0 ? pread(broker.errors, out, size - 1, 0) : 0;
    out[n > 0 ? n : 0] = '\0';
    while (n > 0 && out[n - 1] == '\n') out[--n] = '\0';
    for (char *c = out; *c; c++)
        if (*c == '\n') *c = ' ';
}
