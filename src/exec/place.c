#define _GNU_SOURCE /* pipe2 */
/* See place.h. Runs in the supervisor, for reports: once per misuse or fault that is shown. addr2line
 * is the only program that sonde starts on its own; where it is missing, function and module must do. */
#include "exec/place.h"

#include "exec/symbol.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Of what the compiler put into a function, innermost first, the first line that is not a header's of the system: with
 * -D_FORTIFY_SOURCE a call of read() is one of a function in there. If all are, the first. */
static bool choose_line(FILE *in, char *line, size_t size)
{
    char next[PATH_MAX + 64];
    bool has_line = false;
    while (fgets(next, sizeof next, in)) {
        bool is_header = strncmp(next, "/usr/include/", 13) == 0 || strncmp(next, "/usr/lib/", 9) == 0;
        if (!has_line || !is_header) snprintf(line, size, "%s", next);
        has_line = true;
        if (!is_header) break;
    }
    return has_line;
}

/* Runs argv[0], found in PATH, and reads what it prints; false if that is nothing. */
static bool first_line(char *const *argv, char *line, size_t size)
{
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    /* posix_spawn and not fork: the supervisor may hold gigabytes of mapped heaps. */
    if (pipe2(ends, O_CLOEXEC) < 0) return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *in = started ? fdopen(ends[0], "r") : NULL;
    bool has_line = in && choose_line(in, line, size);
    if (in) fclose(in);
    else close(ends[0]);
    while (started && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    return has_line;
}

/* Files below the working directory are named from there, as compilers name them. */
static const char *from_here(const char *path)
{
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here)) return path;
    size_t n = strlen(here);
    return n > 1 && strncmp(path, here, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

/* addr2line prints FILE:LINE, with question marks for what it does not know, and sometimes a word in brackets. */
static void find_line(const struct sonde_symbol *s, struct sonde_place *place)
{
    char name[] = "addr2line", file[] = "-ie", path[sizeof s->module], offset[32], line[PATH_MAX + 64];
    char *const argv[] = {name, file, path, offset, NULL};
    if (!s->module[0]) return;
    memcpy(path, s->module, sizeof path);
    snprintf(offset, sizeof offset, "0x%lx", (unsigned long)s->offset);
    if (!first_line(argv, line, sizeof line) || line[0] == '?') return;
    char *bracket = strstr(line, " ("), *colon;
    if (bracket) *bracket = '\0';
    colon = strrchr(line, ':');
    if (!colon) return;
    *colon = '\0';
    place->line = (int)strtol(colon + 1, NULL, 10);
    if (place->line > 0) snprintf(place->file, sizeof place->file, "%.510s", from_here(line));
}

void sonde_place_of(void *const *frames, int n, struct sonde_place *place)
{
    struct sonde_symbol found = {.name = ""}, s;
    bool has_found = false;
    *place = (struct sonde_place){.line = 0};
    for (int i = 0; i < n; i++) {
        sonde_symbol_of((const char *)frames[i] - 1, &s);
        place->is_in_property = strcmp(s.name, "sonde_exec_property") == 0;
        if (s.is_base) break;
        /* The same rule as in death.c: what sonde called is not where the user called. */
        if (s.is_foreign && strncmp(s.name, "sonde_", 6) == 0) has_found = false;
        if (s.is_foreign || has_found) continue;
        found = s;
        has_found = true;
    }
    if (!has_found) return;
    snprintf(place->function, sizeof place->function, "%s", found.name);
    find_line(&found, place);
}
