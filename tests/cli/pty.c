/* Runs a program on a separate terminal: pty COLUMNS ROWS STRING COMMAND... The program's output goes to standard
 * output, byte for byte. When STRING has come, or after a minute and a half without it, the program gets a Ctrl-C.
 * `A&B` is A and then B. Ends with the command's status. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The last bytes that came, in which has_come() looks for the string. */
static char recent[16384];
static size_t n_recent;

/* Returns whether all parts of the string have come; moves the pointer past the parts that have. */
static bool has_come(const char **text, const char *bytes, size_t n)
{
    if (n_recent + n > sizeof recent) {
        size_t kept = strlen(*text) < n_recent ? strlen(*text) : n_recent;
        memmove(recent, recent + n_recent - kept, kept);
        n_recent = kept;
    }
    memcpy(recent + n_recent, bytes, n);
    n_recent += n;
    while (**text) {
        size_t part = strcspn(*text, "&");
        const char *at = memmem(recent, n_recent, *text, part);
        if (!at) return false;
        n_recent -= (size_t)(at + part - recent);
        memmove(recent, at + part, n_recent);
        *text += part + ((*text)[part] == '&');
    }
    return true;
}

/* Until the other side is closed. */
static void copy_all(int from, const char *text)
{
    const double patience = 90, start = now();
    bool is_interrupted = false, is_time = false;
    char bytes[4096];
    for (;;) {
        struct pollfd fd = {.fd = from, .events = POLLIN};
        if (!is_interrupted && (is_time || now() - start > patience)) {
            if (write(from, "\003", 1) != 1) return;
            is_interrupted = true;
        }
        if (poll(&fd, 1, 50) <= 0) continue;
        ssize_t n = read(from, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0 || fwrite(bytes, 1, (size_t)n, stdout) != (size_t)n) return;
        is_time |= has_come(&text, bytes, (size_t)n);
    }
}

int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    struct winsize size = {.ws_col = (unsigned short)atoi(argv[1]), .ws_row = (unsigned short)atoi(argv[2])};
    int terminal, status = 0;
    pid_t pid = forkpty(&terminal, NULL, NULL, &size);
    if (pid < 0) return 2;
    if (pid == 0) {
        execvp(argv[4], argv + 4);
        _exit(127);
    }
    copy_all(terminal, argv[3]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
