/* Finds and runs the `sonde` command, for a test program that needs it. */
#include "cli/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool sonde_tool_find(char *path, size_t size)
{
    const char *given = getenv("SONDE_TOOL"), *directories = getenv("PATH");
    if (given && *given) return (size_t)snprintf(path, size, "%s", given) < size && access(path, X_OK) == 0;
    while (directories && *directories) {
        size_t n = strcspn(directories, ":");
        /* An empty entry means the working directory; skip it, because a file called sonde there may be anything. */
        if (n && (size_t)snprintf(path, size, "%.*s/sonde", (int)n, directories) < size && access(path, X_OK) == 0)
            return true;
        directories += n + (directories[n] == ':');
    }
    return false;
}

int sonde_tool_run(const char *path, char *const *argv)
{
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    int error = posix_spawn(&child, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
