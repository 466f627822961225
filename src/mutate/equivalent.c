/* See equivalent.h. Lines are not parsed, because code may hold any separator. Instead the name of each mutant is
 * compared with the beginning of the line, after its file. */
#include "mutate/equivalent.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "base/strings.h"
#include "program/mutants.h"
#include "store/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { FILE_MAX = 4 << 20 }; /* bytes; a line has about a hundred */

/* ---- Names of mutants */

/* Writes code on one line, with single blanks: the layout of the source does not matter. */
static void put_code(FILE *out, const char *code)
{
    bool is_blank = false;
    if (!*code) fputs("(nothing)", out);
    if (*code) fputc('`', out);
    for (const char *at = code; *at; at++) {
        bool blank = strchr(" \t\n\r\f\v", *at) != NULL;
        if (!blank && is_blank) fputc(' ', out);
        if (!blank) fputc(*at, out);
        is_blank = blank;
    }
    if (*code) fputc('`', out);
}

/* Returns "FUNCTION: `CODE` -> `REPLACEMENT`"; the caller frees it. */
static char *name_of(const struct sonde_mutant_ *mutant)
{
    struct sonde_buffer text;
    FILE *out = sonde_buffer_open(&text);
    fprintf(out, "%s: ", mutant->function ? mutant->function : "");
    put_code(out, mutant->before);
    fputs(" -> ", out);
    put_code(out, mutant->after);
    char *name = sonde_strdup(sonde_buffer_close(&text));
    sonde_buffer_clear(&text);
    return name;
}

/* Returns whether two paths agree in all parts of the shorter. The compiler may know the file by another path. */
static bool is_same_file(const char *a, const char *b)
{
    while (sonde_starts(a, "./") || sonde_starts(a, "../")) a = strchr(a, '/') + 1;
    size_t n = strlen(a), m = strlen(b);
    size_t least = n < m ? n : m;
    if (!least || strcmp(a + n - least, b + m - least) != 0) return false;
    return n == m || (n > m ? a[n - m - 1] : b[m - n - 1]) == '/';
}

/* ---- Which of several equal changes */

/* A location. Code that a macro made has no column; its site is used instead. */
struct location {
    uint32_t line, column, site;
};

static struct location location_of(const struct sonde_mutant_ *m)
{
    return (struct location){.line = m->line, .column = m->column, .site = m->column ? 0 : m->site};
}

static int by_location(const void *a, const void *b)
{
    const struct location *x = a, *y = b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return x->site == y->site ? 0 : x->site < y->site ? -1 : 1;
}

/* The mutants with the same file and name, and their locations: two objects may have compiled the same header. */
struct equals {
    uint32_t *numbers;
    struct location *locations; /* sorted, all different */
    uint32_t n, n_locations, cap, cap_locations;
};

static void add_equal(struct equals *e, uint32_t number)
{
    e->numbers = sonde_grow(e->numbers, &e->cap, (size_t)e->n + 1, sizeof *e->numbers);
    e->locations = sonde_grow(e->locations, &e->cap_locations, (size_t)e->n + 1, sizeof *e->locations);
    e->locations[e->n] = location_of(sonde_mutants_at(number));
    e->numbers[e->n++] = number;
}

/* Sorts the locations and drops repeated ones. */
static void finish_equals(struct equals *e)
{
    if (e->n) qsort(e->locations, e->n, sizeof *e->locations, by_location);
    for (uint32_t i = 0; i < e->n; i++)
        if (!i || by_location(&e->locations[i], &e->locations[i - 1]) != 0)
            e->locations[e->n_locations++] = e->locations[i];
}

static void clear_equals(struct equals *e)
{
    sonde_free(e->numbers);
    sonde_free(e->locations);
}

/* Returns the place of a mutant among the locations, from 1. */
static uint32_t place_among(const struct equals *e, uint32_t number)
{
    struct location at = location_of(sonde_mutants_at(number));
    uint32_t i = 0;
    while (i < e->n_locations && by_location(&e->locations[i], &at) != 0) i++;
    return i + 1;
}

/* ---- Lines */

/* Reads " (2 of 3)" if it is there, else 1 of 1. Returns the rest of the line. */
static const char *read_place(const char *at, uint32_t *which, uint32_t *of)
{
    int used = 0;
    *which = *of = 1;
    if (sscanf(at, " (%" SCNu32 " of %" SCNu32 ")%n", which, of, &used) != 2 || !used) *which = *of = 1;
    return at + used;
}

/* Returns the reason in a line about a mutant of that name, which may be ""; NULL if the line is about another mutant.
 * `rest` is the line after its file. */
static const char *reason_for(const char *rest, const char *name, uint32_t *which, uint32_t *of)
{
    if (!sonde_starts(rest, name)) return NULL;
    const char *end = read_place(rest + strlen(name), which, of);
    if (*end && *end != ':') return NULL;
    return *end ? end + 1 + strspn(end + 1, " ") : end;
}

/* Finds the mutants that a line names. `file` and `rest` are its parts before and after the first ": ". */
static void find_mutants(struct sonde_equivalents *list, struct sonde_equivalent *line, const char *file,
                         const char *rest)
{
    struct equals e = {.n = 0};
    uint32_t which = 0, of = 0, found = 0;
    bool has_file = false;
    for (uint32_t number = 1; number <= sonde_mutants_count(); number++) {
        const struct sonde_mutant_ *mutant = sonde_mutants_at(number);
        if (!is_same_file(mutant->file, file)) continue;
        has_file = true;
        char *name = mutant->function && !sonde_starts(rest, mutant->function) ? NULL : name_of(mutant);
        const char *reason = name ? reason_for(rest, name, &which, &of) : NULL;
        if (reason) line->reason = reason, add_equal(&e, number);
        sonde_free(name);
    }
    finish_equals(&e);
    line->is_malformed = e.n && !*line->reason;
    for (uint32_t i = 0; i < e.n && of == e.n_locations && !line->is_malformed; i++) {
        if (place_among(&e, e.numbers[i]) != which) continue;
        list->by_number[e.numbers[i]] = line;
        found++;
    }
    line->is_stale = has_file && !found && !line->is_malformed;
    clear_equals(&e);
}

static void add_line(struct sonde_equivalents *list, const char *text, size_t n, uint32_t number)
{
    while (n && strchr(" \t\r", text[n - 1])) n--;
    if (!n || *text == '#') return;
    list->lines = sonde_grow(list->lines, &list->cap, (size_t)list->n + 1, sizeof *list->lines);
    struct sonde_equivalent *line = &list->lines[list->n++];
    *line = (struct sonde_equivalent){.text = sonde_strndup(text, n), .line = number};
    line->is_malformed = !strstr(line->text, ": ") || !strstr(line->text, " -> ");
}

int sonde_equivalents_read(struct sonde_equivalents *list, const char *path)
{
    char *bytes = NULL;
    size_t n = 0;
    *list = (struct sonde_equivalents){.path = sonde_strdup(path)};
    list->by_number = sonde_calloc((size_t)sonde_mutants_count() + 1, sizeof *list->by_number);
    int error = sonde_read_file(path, FILE_MAX, true, &bytes, &n);
    if (error) return error == -ENOENT ? 0 : error;
    uint32_t number = 1;
    for (const char *at = bytes, *end = bytes + n; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        add_line(list, at, (size_t)((stop ? stop : end) - at), number);
        at = stop ? stop + 1 : end;
    }
    sonde_free(bytes);
    for (uint32_t i = 0; i < list->n; i++) {
        struct sonde_equivalent *line = &list->lines[i];
        if (line->is_malformed) continue;
        const char *rest = strstr(line->text, ": ");
        char *file = sonde_strndup(line->text, (size_t)(rest - line->text));
        find_mutants(list, line, file, rest + 2);
        sonde_free(file);
    }
    return 0;
}

const char *sonde_equivalents_reason(const struct sonde_equivalents *list, uint32_t number)
{
    return list->by_number[number] ? list->by_number[number]->reason : NULL;
}

void sonde_equivalents_warn(const struct sonde_equivalents *list, const struct sonde_mutation *mutation, FILE *out)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const struct sonde_equivalent *line = &list->lines[i];
        if (!line->is_malformed && !line->is_stale) continue;
        fprintf(out, "%s:%" PRIu32 ": %s\n", list->path, line->line,
                line->is_stale
                    ? "stale: the program has no such mutant any more; remove the line, or judge its successor"
                    : "not a line of the form FILE: FUNCTION: `CODE` -> `REPLACEMENT`: REASON");
    }
    for (uint32_t i = 0; i < mutation->n_mutants; i++) {
        const struct sonde_mutant_result *r = &mutation->mutants[i];
        const struct sonde_equivalent *line = list->by_number[r->number];
        if (line && r->fate == SONDE_FATE_KILLED)
            fprintf(out, "%s:%" PRIu32 ": mutant %" PRIu32 " is not equivalent: it was killed; remove the line\n",
                    list->path, line->line, r->number);
    }
}

/* ---- Adding a line */

/* Writes the file again with a line more. */
static int append(const char *path, const char *line)
{
    static const char head[] = "# Mutants that no test can notice, for ./test --mutate. One line each:\n"
                               "# FILE: FUNCTION: `CODE` -> `REPLACEMENT`: REASON\n";
    char *bytes = NULL;
    size_t n = 0;
    unsigned turn = 0;
    int error = sonde_read_file(path, FILE_MAX, true, &bytes, &n);
    if (error && error != -ENOENT) return error;
    struct sonde_buffer whole;
    FILE *out = sonde_buffer_open(&whole);
    fwrite(n ? bytes : head, 1, n ? n : strlen(head), out); /* the file may have any bytes, which are kept */
    fprintf(out, "%s%s\n", n && bytes[n - 1] != '\n' ? "\n" : "", line);
    const char *text = sonde_buffer_close(&whole);
    error = sonde_write_file_lightly(path, text, whole.n, &turn);
    sonde_buffer_clear(&whole);
    sonde_free(bytes);
    return error;
}

int sonde_equivalents_add(const struct sonde_equivalents *list, const char *file, uint32_t number, const char *reason)
{
    const struct sonde_mutant_ *mutant = sonde_mutants_at(number);
    if (list->by_number[number]) return -EEXIST;
    struct equals e = {.n = 0};
    char *name = name_of(mutant), place[40] = "";
    for (uint32_t i = 1; i <= sonde_mutants_count(); i++) {
        const struct sonde_mutant_ *other = sonde_mutants_at(i);
        if (strcmp(other->file, mutant->file) != 0 || strcmp(other->before, mutant->before) != 0) continue;
        char *its_name = name_of(other);
        if (strcmp(its_name, name) == 0) add_equal(&e, i);
        sonde_free(its_name);
    }
    finish_equals(&e);
    if (e.n_locations > 1)
        snprintf(place, sizeof place, " (%" PRIu32 " of %" PRIu32 ")", place_among(&e, number), e.n_locations);
    char *line = sonde_path("%s: %s%s: %s", file, name, place, reason);
    for (char *at = line; *at; at++)
        if (*at == '\n' || *at == '\r') *at = ' ';
    int error = append(list->path, line);
    sonde_free(line);
    sonde_free(name);
    clear_equals(&e);
    return error;
}

void sonde_equivalents_clear(struct sonde_equivalents *list)
{
    for (uint32_t i = 0; i < list->n; i++) sonde_free(list->lines[i].text);
    sonde_free(list->lines);
    sonde_free(list->by_number);
    sonde_free(list->path);
    *list = (struct sonde_equivalents){.path = NULL};
}
