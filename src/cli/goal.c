/* See goal.h. A line or function is known by the line table: every counter's address is looked up there. */
#include "cli/goal.h"

#include "cli/counters.h"

#include "base/mem.h"
#include "base/strings.h"
#include "program/place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 512 }; /* counters that are looked up at once */

/* ---- Which of them are meant */

/* A name, and what was found on the way. */
struct wanted {
    char file[512]; /* "": the name is a function */
    const char *function;
    int line;
    int before, after; /* nearest lines with a counter, in that file; 0: none */
    bool has_file, has_lines;
};

static struct wanted read_name(const char *name)
{
    struct wanted w = {.function = name};
    const char *colon = strrchr(name, ':');
    char *end = NULL;
    long line = colon && colon > name ? strtol(colon + 1, &end, 10) : 0;
    if (line <= 0 || line > INT_MAX || *end) return w;
    snprintf(w.file, sizeof w.file, "%.*s", (int)(colon - name), name);
    w.line = (int)line;
    return w;
}

/* Reports whether a path ends with the directories and the name of a file. */
static bool is_file(const char *path, const char *file)
{
    size_t n = strlen(path), m = strlen(file);
    return sonde_ends(path, file) && (n == m || path[n - m - 1] == '/' || file[0] == '/');
}

static bool is_meant(struct wanted *w, const struct sonde_place *place)
{
    if (!w->file[0]) return strcmp(place->function, w->function) == 0;
    w->has_lines |= place->line > 0;
    if (!place->line || !is_file(place->file, w->file)) return false;
    w->has_file = true;
    if (place->line < w->line && place->line > w->before) w->before = place->line;
    if (place->line > w->line && (!w->after || place->line < w->after)) w->after = place->line;
    return place->line == w->line;
}

static void take(struct sonde_destination *d, const struct sonde_counters *c, struct sonde_code_range block)
{
    const uint32_t most = sizeof d->functions / sizeof *d->functions;
    struct sonde_function f;
    d->blocks = sonde_grow(d->blocks, &d->cap, (size_t)d->n + 1, sizeof *d->blocks);
    d->blocks[d->n++] = block;
    if (!c->code || !sonde_code_function(c->code, block.from, &f) || d->n_functions == most) return;
    for (uint32_t i = 0; i < d->n_functions; i++)
        if (d->functions[i].from == f.start) return;
    d->functions[d->n_functions++] = (struct sonde_code_range){f.start, f.end};
}

static void look_up(struct sonde_destination *d, const struct sonde_counters *c, struct wanted *w)
{
    const void **code = sonde_calloc(BATCH, sizeof *code);
    struct sonde_place *places = sonde_calloc(BATCH, sizeof *places);
    for (uint32_t from = 0; from < c->n; from += BATCH) {
        uint32_t n = c->n - from < BATCH ? c->n - from : BATCH;
        memset(places, 0, n * sizeof *places);
        for (uint32_t i = 0; i < n; i++) code[i] = (const void *)c->all[from + i].from;
        sonde_places_of_code(code, n, places);
        for (uint32_t i = 0; i < n; i++)
            if (is_meant(w, &places[i])) take(d, c, c->all[from + i]);
    }
    sonde_free(code);
    sonde_free(places);
}

static void explain(const struct wanted *w, const char *name, char *message, size_t size)
{
    char lines[96] = "";
    if (w->before && w->after) snprintf(lines, sizeof lines, "%d and %d", w->before, w->after);
    else if (w->before || w->after) snprintf(lines, sizeof lines, "%d", w->before ? w->before : w->after);
    if (!w->file[0])
        snprintf(message, size,
                 "--goal %s: no instrumented function has this name; write FILE:LINE or the name of a function that is "
                 "compiled with sonde cc",
                 name);
    else if (!w->has_lines)
        snprintf(message, size,
                 "--goal %s: no lines are known: that needs debug information and addr2line or llvm-symbolizer; name a "
                 "function instead",
                 name);
    else if (!w->has_file)
        snprintf(message, size, "--goal %s: no file of this name has instrumented code; compile it with sonde cc",
                 name);
    else
        snprintf(message, size,
                 "--goal %s: no counter begins at this line, since it is not the first line of a branch; the nearest "
                 "lines with one: %s",
                 name, lines);
}

bool sonde_cli_find_goal(struct sonde_destination *d, sonde_property_fn *run, char *message, size_t size)
{
    struct sonde_counters c = {0};
    struct wanted w = read_name(d->name);
    sonde_counters_find(&c, run);
    look_up(d, &c, &w);
    if (!c.n) snprintf(message, size, "--goal %s: no code is instrumented; compile it with sonde cc", d->name);
    else if (!d->n) explain(&w, d->name, message, size);
    sonde_counters_clear(&c);
    return d->n > 0;
}
