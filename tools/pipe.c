#define _GNU_SOURCE /* pipe2 */
/* See pipe.h. The pipe is close-on-exec: the child inherits only the end that is made its standard output. */
#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts the program with these descriptors. is_loud: its standard error is shown, else discarded. */
static bool start(struct tool_pipe *p, char *const *argv, int input, int output, bool is_loud)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions)) return false;
    int error = input >= 0 ? posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
                           : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!error && !is_loud) error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawnp(&p->child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0;
}

static bool open_pipe(struct tool_pipe *p, char *const *argv, int input, bool is_loud)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return false;
    bool started = start(p, argv, input, ends[1], is_loud);
    close(ends[1]);
    p->out = started ? fdopen(ends[0], "r") : NULL;
    if (!p->out) close(ends[0]);
    if (started && !p->out) tool_pipe_close(p);
    return p->out != NULL;
}

bool tool_pipe_open(struct tool_pipe *p, char *const *argv, int input)
{
    return open_pipe(p, argv, input, false);
}

bool tool_pipe_open_loudly(struct tool_pipe *p, char *const *argv)
{
    return open_pipe(p, argv, -1, true);
}

bool tool_pipe_close(struct tool_pipe *p)
{
    int status = -1;
    if (p->out) fclose(p->out);
    while (waitpid(p->child, &status, 0) < 0 && errno == EINTR) continue;
    return status == 0;
}
