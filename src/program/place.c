/* See place.h. Runs in the supervisor, for reports: once per misuse or fault that is shown, and for --explain.
 * addr2line or llvm-symbolizer is the only program that sonde starts by itself; if both are missing, function and
 * module must do. */
#include "program/place.h"

#include "base/command.h"
#include "base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the output of a program, to be freed. Returns NULL if there is no output, or the program could not be
 * started. */
static char *output_of(const char *const *argv)
{
    enum { MOST = 1 << 20 }; /* bytes of output that are read: enough for 256 locations of 4,096 characters */
    char *text;
    size_t n;
    sonde_command_run(&(struct sonde_command){.argv = argv, .input = -1, .max = MOST}, &text, &n);
    return text;
}

/* Returns the start of the line after `line`. */
static char *next_line(char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/* Chooses among the lines of inlined functions, innermost first: the first that is not in a system header. With
 * -D_FORTIFY_SOURCE a call of read() is a call of an inline function there. If all are in system headers, chooses the
 * first. */
static char *choose_line(char *text)
{
    for (char *line = text; *line; line = next_line(line))
        if (strncmp(line, "/usr/include/", 13) != 0 && strncmp(line, "/usr/lib/", 9) != 0) return line;
    return text;
}

/* Makes paths of files below the working directory relative to it, as compilers do. */
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

/* addr2line prints FILE:LINE, with question marks if they are unknown, and sometimes a word in brackets. */
static void find_line(const struct sonde_symbol *s, struct sonde_place *place)
{
    char offset[32];
    if (!s->module[0]) return;
    snprintf(offset, sizeof offset, "0x%lx", s->offset);
    char *text = output_of((const char *const[]){"addr2line", "-ie", s->module, offset, NULL});
    if (text) sonde_place_parse(choose_line(text), place);
    sonde_free(text);
}

/* ---- Many at once */

enum { ADDRESSES = 256 }; /* maximum number of addresses per call of a tool */

/* Both tools print FILE:LINE for each address, with question marks if they are unknown. A word in brackets may follow.
 * The chosen style leaves out the column. */
static const char *const gnu[] = {"addr2line", NULL};
static const char *const llvm[] = {"llvm-symbolizer", "--output-style=GNU", "--functions=none", "--no-inlines", NULL};

/* Asks one tool about n addresses of one module; returns false if the tool gave no result. */
static bool ask_tool(const char *const *tool, const char *module, const unsigned long *offsets, size_t n,
                     struct sonde_place *const *places)
{
    char words[ADDRESSES][24], option[640];
    const char *argv[ADDRESSES + 8];
    size_t argc = 0, got = 0;
    bool is_llvm = tool == llvm;
    while (*tool) argv[argc++] = *tool++;
    snprintf(option, sizeof option, "%s=%s", is_llvm ? "--obj" : "--exe", module);
    argv[argc++] = option;
    for (size_t i = 0; i < n; i++) {
        snprintf(words[i], sizeof words[i], "0x%lx", offsets[i]);
        argv[argc++] = words[i];
    }
    argv[argc] = NULL;
    char *text = output_of(argv);
    for (char *line = text, *next; line && *line && got < n; line = next) {
        next = next_line(line);
        if (line[0] != '\n') sonde_place_parse(line, places[got++]);
    }
    sonde_free(text);
    return got > 0;
}

static void find_lines(const char *module, const unsigned long *offsets, size_t n, struct sonde_place *const *places)
{
    if (!module[0] || !n || ask_tool(gnu, module, offsets, n, places)) return;
    ask_tool(llvm, module, offsets, n, places);
}

/* Looks up addresses nearby: an instruction that was made from several lines has no line. Its neighbours do, mostly of
 * the same statement. */
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

/* Handles one module at a time. A location that was looked up is recognised by its non-empty function. */
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
        /* Same rule as in death.c: a function that sonde called is not the user's call of sonde. */
        if (s.is_foreign && strncmp(s.name, "sonde_", 6) == 0) has_found = false;
        if (s.is_foreign || has_found) continue;
        found = s;
        has_found = true;
    }
    if (!has_found) return;
    snprintf(place->function, sizeof place->function, "%s", found.name);
    find_line(&found, place);
}
