#define _GNU_SOURCE /* pipe2 */
/* See command.h. Processes that the command started may hold its pipe open after the command has ended. And the
 * command may close its output long before it ends. So the command counts as ended when its process has ended. Bytes
 * still in the pipe are then read without waiting. */
#include "base/command.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Milliseconds after which an interrupt, or the end of a silent command, is noticed at the latest. */
enum { POLL_MS = 20 };

/* Starts the command as the leader of a process group. Uses posix_spawn, not fork: this process may have gigabytes
 * of heaps mapped. */
static int start(const struct sonde_command *command, int output, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (command->input >= 0) {
        posix_spawn_file_actions_adddup2(&actions, command->input, STDIN_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    int error =
        posix_spawnp(child, command->argv[0], &actions, &attributes, (char *const *)(uintptr_t)command->argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}

/* The output of the command, as read so far. */
struct output {
    int from; /* descriptor to read from; non-blocking */
    size_t max, n;
    char *bytes;
    uint32_t cap;
    bool is_at_end;
};

/* Reads all bytes that are available; returns 0 or a negative errno. */
static int drain(struct output *o)
{
    enum { PIECE = 65536 }; /* bytes of one read: as many as a pipe holds */
    while (!o->is_at_end) {
        o->bytes = sonde_grow(o->bytes, &o->cap, o->n + PIECE + 1, 1);
        ssize_t got = read(o->from, o->bytes + o->n, PIECE);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN ? 0 : -errno;
        o->is_at_end = got == 0;
        o->n += (size_t)got;
        o->bytes[o->n] = '\0';
        if (o->n > o->max) return -EFBIG;
    }
    return 0;
}

/* Returns whether the command has ended. Its process stays a zombie, so the process group id cannot be reused yet. */
static bool has_ended(pid_t child)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* Waits until the command ends or reaches a limit; returns 0 or a negative errno. */
static int follow(const struct sonde_command *command, pid_t child, struct output *o)
{
    double began = sonde_clock_now();
    for (;;) {
        bool is_over = has_ended(child); /* set before reading, so that no output is missed */
        int error = drain(o);
        if (error || is_over) return error;
        if (command->is_over && command->is_over()) return -EINTR;
        if (command->seconds > 0 && sonde_clock_now() - began > command->seconds) return -ETIME;
        struct pollfd more = {.fd = o->is_at_end ? -1 : o->from, .events = POLLIN};
        poll(&more, 1, o->is_at_end ? 1 : POLL_MS); /* a command that has closed its output usually ends at once */
    }
}

int sonde_command_run(const struct sonde_command *command, char **bytes, size_t *n)
{
    int ends[2], status = 0;
    pid_t child = 0;
    *bytes = NULL;
    *n = 0;
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    int error = start(command, ends[1], &child);
    close(ends[1]);
    struct output o = {.from = ends[0], .max = command->max};
    if (!error) {
        error = follow(command, child, &o);
        kill(-child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    }
    close(ends[0]);
    *bytes = o.bytes;
    *n = o.n;
    return error ? error : status;
}
