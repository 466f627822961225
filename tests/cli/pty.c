/* Runs a program on a terminal of its own: pty COLUMNS ROWS SECONDS COMMAND... What it prints goes to standard output, byte
 * for byte; after so many seconds (0: never) it gets a Ctrl-C. Ends with the command's status. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Until the other side is closed. */
static void copy_all(int from, double interrupt_at)
{
    char bytes[4096];
    for (;;) {
        struct pollfd fd = {.fd = from, .events = POLLIN};
        if (interrupt_at > 0 && now() > interrupt_at) {
            if (write(from, "\003", 1) != 1) return;
            interrupt_at = 0;
        }
        if (poll(&fd, 1, 50) <= 0) continue;
        ssize_t n = read(from, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0 || fwrite(bytes, 1, (size_t)n, stdout) != (size_t)n) return;
    }
}

int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    struct winsize size = {.ws_col = (unsigned short)atoi(argv[1]), .ws_row = (unsigned short)atoi(argv[2])};
    double seconds = atof(argv[3]);
    int terminal, status = 0;
    pid_t pid = forkpty(&terminal, NULL, NULL, &size);
    if (pid < 0) return 2;
    if (pid == 0) {
        execvp(argv[4], argv + 4);
        _exit(127);
    }
    copy_all(terminal, seconds > 0 ? now() + seconds : 0);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
