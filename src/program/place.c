#define _GNU_SOURCE /* pipe2 */
/* See place.h. Runs in the supervisor, for reports: once per misuse or fault that is shown, and for --explain. addr2line or
 * llvm-symbolizer is the only program that sonde starts on its own; where both are missing, function and module must do. */
#include "program/place.h"

#include "program/symbol.h"

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

/* A program that was started, and what it prints. */
struct tool {
    pid_t child;
    FILE *out; /* NULL: it could not be started */
};

/* Runs argv[0], found in PATH. */
static struct tool start_tool(char *const *argv)
{
    int ends[2];
    struct tool tool = {0};
    posix_spawn_file_actions_t actions;
    /* posix_spawn and not fork: the supervisor may hold gigabytes of mapped heaps. */
    if (pipe2(ends, O_CLOEXEC) < 0) return tool;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawnp(&tool.child, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!started) tool.child = 0;
    tool.out = started ? fdopen(ends[0], "r") : NULL;
    if (!tool.out) close(ends[0]);
    return tool;
}

static void end_tool(struct tool *tool)
{
    if (tool->out) fclose(tool->out);
    while (tool->child && waitpid(tool->child, NULL, 0) < 0 && errno == EINTR) continue;
}

/* What it prints, or false if that is nothing. */
static bool first_line(char *const *argv, char *line, size_t size)
{
    struct tool tool = start_tool(argv);
    bool has_line = tool.out && choose_line(tool.out, line, size);
    end_tool(&tool);
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

void sonde_place_parse(char *line, struct sonde_place *place)
{
    if (line[0] == '?') return;
    line[strcspn(line, "\n")] = '\0';
    for (char *colon; (colon = strrchr(line, ':')); *colon = '\0') {
        char *end;
        if (colon[1] == '?') return;
        long number = strtol(colon + 1, &end, 10);
        bool is_line = colon[1] >= '0' && colon[1] <= '9' && (!*end || strncmp(end, " (", 2) == 0);
        if (!is_line) continue;
        *colon = '\0';
        place->line = number > 0 && number < INT_MAX ? (int)number : 0;
        if (place->line) snprintf(place->file, sizeof place->file, "%.510s", from_here(line));
        return;
    }
}

/* Prints FILE:LINE, with question marks for what it does not know, and sometimes a word in brackets. */
static void find_line(const struct sonde_symbol *s, struct sonde_place *place)
{
    char name[] = "addr2line", file[] = "-ie", path[sizeof s->module], offset[32], line[PATH_MAX + 64];
    char *const argv[] = {name, file, path, offset, NULL};
    if (!s->module[0]) return;
    memcpy(path, s->module, sizeof path);
    snprintf(offset, sizeof offset, "0x%lx", (unsigned long)s->offset);
    if (first_line(argv, line, sizeof line)) sonde_place_parse(line, place);
}

/* ---- Many at once */

enum { ADDRESSES = 256 }; /* asked for at once */

/* Both print FILE:LINE for each address, with question marks for what they do not know, and sometimes more behind it: a word
 * in brackets, or the column, which is left out by the style. */
static const char *const tools[][3] = {{"addr2line", "-e", NULL}, {"llvm-symbolizer", "--output-style=GNU", "--obj"}};

/* Asks one tool about n addresses of one module; false if it could not be asked. */
static bool ask_tool(size_t which, const char *module, const unsigned long *offsets, size_t n,
                     struct sonde_place *const *places)
{
    char words[ADDRESSES][24], option[640], *argv[ADDRESSES + 6], line[PATH_MAX + 64], name[32], style[32];
    int argc = 0;
    bool is_llvm = tools[which][2] != NULL;
    snprintf(name, sizeof name, "%s", tools[which][0]);
    snprintf(style, sizeof style, "%s", tools[which][1]);
    snprintf(option, sizeof option, is_llvm ? "--obj=%s" : "%s", module);
    argv[argc++] = name;
    argv[argc++] = style;
    argv[argc++] = option;
    char no_functions[] = "--functions=none", no_inlines[] = "--no-inlines";
    if (is_llvm) argv[argc++] = no_functions, argv[argc++] = no_inlines;
    for (size_t i = 0; i < n; i++) {
        snprintf(words[i], sizeof words[i], "0x%lx", offsets[i]);
        argv[argc++] = words[i];
    }
    argv[argc] = NULL;
    struct tool tool = start_tool(argv);
    size_t got = 0;
    while (tool.out && got < n && fgets(line, sizeof line, tool.out))
        if (line[0] != '\n') sonde_place_parse(line, places[got++]);
    end_tool(&tool);
    return got > 0;
}

static void find_lines(const char *module, const unsigned long *offsets, size_t n, struct sonde_place *const *places)
{
    for (size_t i = 0; module[0] && n && i < sizeof tools / sizeof *tools; i++)
        if (ask_tool(i, module, offsets, n, places)) return;
}

/* An instruction that was made of several lines has none; those beside it do, mostly of the same statement. */
static void look_beside(const char *module, unsigned long *offsets, size_t n, struct sonde_place *const *places)
{
    static const int steps[] = {6, 12, -6};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        unsigned long beside[ADDRESSES];
        struct sonde_place *asked[ADDRESSES];
        size_t n_asked = 0;
        for (size_t i = 0; i < n; i++) {
            if (places[i]->line > 0) continue;
            beside[n_asked] = offsets[i] + (unsigned long)steps[k];
            asked[n_asked++] = places[i];
        }
        if (n_asked) find_lines(module, beside, n_asked, asked);
    }
}

/* Those of one module at a time; what has been asked for has a function. */
void sonde_places_of_code(const void *const *code, size_t n, struct sonde_place *places)
{
    struct sonde_symbol s, next;
    memset(places, 0, n * sizeof *places);
    for (size_t i = 0; i < n; i++) {
        unsigned long offsets[ADDRESSES];
        struct sonde_place *asked[ADDRESSES];
        size_t n_asked = 0;
        if (!code[i] || places[i].function[0]) continue;
        sonde_symbol_of(code[i], &s);
        for (size_t k = i; k < n && n_asked < ADDRESSES; k++) {
            if (!code[k] || places[k].function[0]) continue;
            sonde_symbol_of(code[k], &next);
            if (strcmp(next.module, s.module) != 0) continue;
            snprintf(places[k].function, sizeof places[k].function, "%s", next.name[0] ? next.name : "?");
            offsets[n_asked] = next.offset;
            asked[n_asked++] = &places[k];
        }
        find_lines(s.module, offsets, n_asked, asked);
        look_beside(s.module, offsets, n_asked, asked);
    }
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
