#define _GNU_SOURCE /* __WALL */
/* See tracer.h. Only the thread that has attached can detach. PTRACE_DETACH without a signal also takes back the SIGSTOP
 * that PTRACE_ATTACH has sent; the kernel would leave the process stopped if the tracer just ended. */
#include "exec/tracer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Writes "/proc/PID/status" without stdio. */
static void write_path(char *to, pid_t pid)
{
    char digits[16], *at = digits + sizeof digits;
    unsigned long n = (unsigned long)pid;
    *--at = '\0';
    do *--at = (char)('0' + n % 10);
    while (n /= 10);
    strcpy(to, "/proc/");
    strcat(to, at);
    strcat(to, "/status");
}

/* Returns the thread that traces a process; 0: none does, or it is not known. */
static pid_t tracer_of(pid_t pid)
{
    static const char word[] = "TracerPid:\t";
    char text[2048], path[48];
    write_path(path, pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *at = strstr(text, word);
    pid_t tracer = 0;
    for (at = at ? at + strlen(word) : ""; *at >= '0' && *at <= '9'; at++) tracer = tracer * 10 + (*at - '0');
    return tracer;
}

void sonde_tracer_release(void)
{
    enum { TRIES = 1000 }; /* of a millisecond: it must have stopped before it can be let go */
    pid_t parent = getppid();
    if (parent <= 1 || tracer_of(parent) != (pid_t)syscall(SYS_gettid)) return;
    ptrace(PTRACE_INTERRUPT, parent, NULL, NULL); /* one that was seized need not have stopped */
    for (int i = 0; i < TRIES && ptrace(PTRACE_DETACH, parent, NULL, NULL) != 0; i++) {
        int status;
        waitpid(parent, &status, __WALL | WNOHANG);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}
