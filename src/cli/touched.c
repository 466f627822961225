/* See touched.h. Lines without code count as well: a declaration or a brace within a function changes that function,
 * and a comment changes nothing. All else, a macro or a type, may change any function. */
#include "cli/touched.h"

#include "cli/filenames.h"
#include "cli/included.h"

#include "base/blank.h"
#include "base/mem.h"
#include "base/strings.h"
#include "store/files.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_MOST = 64 << 20, /* bytes of a source file that are read */
    SIGNATURE = 8         /* lines from the start of a function's declaration to its first line with code */
};

/* A changed file while its lines are examined. */
struct source {
    char *text;
    size_t n;
    uint8_t *blank;
    uint32_t n_lines;
};

/* ---- Modules */

static bool is_newer(const struct stat *a, const struct stat *b)
{
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec) return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
    return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* Notes the first source, given by its path below the root, that is newer than the program. Then the program was built
 * from other lines, whether or not git sees a change. */
static void look_at_age(struct sonde_touched *f, const char *name)
{
    struct stat info, program;
    char *path = sonde_path("%s/%s", f->diff.top, name);
    if (!f->newer[0] && stat(path, &info) == 0 && stat("/proc/self/exe", &program) == 0 && is_newer(&info, &program))
        snprintf(f->newer, sizeof f->newer, "%.150s", name);
    sonde_free(path);
}

static const char *add_module(struct sonde_touched *f, const void *address)
{
    struct sonde_touched_module *m = &f->modules[f->n_modules];
    const char *missing = sonde_line_table_read(&m->table, address);
    m->code = sonde_code_open(address);
    m->changed = sonde_malloc((m->table.n_files + 1u) * sizeof *m->changed);
    for (uint32_t i = 0; i < m->table.n_files; i++) {
        const char *path = m->table.files[i];
        bool is_system = sonde_filename_is_system(path);
        char *below = is_system ? NULL : sonde_diff_below(&f->diff, path);
        m->changed[i] = is_system ? UINT32_MAX : sonde_diff_file(&f->diff, path);
        if (below) look_at_age(f, below);
        sonde_free(below);
    }
    f->n_modules++;
    return missing;
}

static bool is_in_module(const struct sonde_touched_module *m, uintptr_t address)
{
    return address >= m->table.code && address < m->table.code_end;
}

/* Returns NULL, or why the lines of a module are not known. */
static const char *find_modules(struct sonde_touched *f)
{
    const char *missing = NULL;
    for (uint32_t i = 0; i < f->counters.n; i++) {
        uintptr_t at = f->counters.all[i].from;
        uint32_t k = 0;
        while (k < f->n_modules && !is_in_module(&f->modules[k], at)) k++;
        if (k == SONDE_TOUCHED_MODULES) continue;
        const char *why = k == f->n_modules ? add_module(f, (const void *)at) : NULL;
        if (!missing) missing = why;
        f->lacks_lines |= !sonde_line_table_has(&f->modules[k].table, at);
    }
    return missing;
}

/* Returns the function of an address; the code from there to `end` if functions are not known. */
static struct sonde_code_range function_of(const struct sonde_touched_module *m, uintptr_t address, uintptr_t end)
{
    struct sonde_function function;
    if (!m->code || !sonde_code_function(m->code, address, &function)) return (struct sonde_code_range){address, end};
    return (struct sonde_code_range){function.start, function.end};
}

/* ---- Changed functions */

void sonde_touched_mark(struct sonde_touched *f, const struct sonde_touched_module *m, struct sonde_code_range function,
                        enum sonde_nearness nearness)
{
    for (uint32_t i = 0; i < f->n_functions; i++) {
        if (f->functions[i].function.from != function.from) continue;
        if (nearness > f->nearness[i]) f->nearness[i] = (uint8_t)nearness;
        return;
    }
    f->functions = sonde_grow(f->functions, &f->cap_functions, (size_t)f->n_functions + 1, sizeof *f->functions);
    f->nearness = sonde_grow(f->nearness, &f->cap_nearness, (size_t)f->n_functions + 1, 1);
    f->nearness[f->n_functions] = (uint8_t)nearness;
    f->functions[f->n_functions++] = (struct sonde_extent){.function = function, .module = m};
}

static void extend(struct sonde_touched *f, const struct sonde_touched_module *m, struct sonde_code_range function,
                   uint32_t file, uint32_t line)
{
    struct sonde_extent *last = NULL;
    for (uint32_t i = f->n_extents; i-- > 0 && !last;) {
        struct sonde_extent *x = &f->extents[i];
        if (x->function.from == function.from && x->file == file) last = x;
        if (x->function.from != function.from) break; /* rows are sorted by address */
    }
    if (!last) {
        f->extents = sonde_grow(f->extents, &f->cap_extents, (size_t)f->n_extents + 1, sizeof *f->extents);
        f->extents[f->n_extents++] = (struct sonde_extent){function, m, file, line, line};
        return;
    }
    if (line < last->first) last->first = line;
    if (line > last->last) last->last = line;
}

/* ---- Changed lines with code */

static bool is_changed(const struct sonde_touched *f, uint32_t file, uint32_t line)
{
    for (uint32_t i = 0; i < f->diff.n_ranges; i++) {
        const struct sonde_diff_range *r = &f->diff.ranges[i];
        if (r->file == file && !r->is_cut && line >= r->first && line <= r->last) return true;
    }
    return false;
}

/* Adds code of a changed line. Lines are sorted, and their parts counted, by sort_lines. */
static void add_part(struct sonde_changed_code *c, uint32_t file, uint32_t line, struct sonde_code_range code,
                     struct sonde_code_range function)
{
    c->parts = sonde_grow(c->parts, &c->cap_parts, (size_t)c->n_parts + 1, sizeof *c->parts);
    c->parts[c->n_parts] = (struct sonde_changed_part){.code = code, .function = function};
    c->lines = sonde_grow(c->lines, &c->cap_lines, (size_t)c->n_lines + 1, sizeof *c->lines);
    c->lines[c->n_lines++] = (struct sonde_changed_line){file, line, c->n_parts++, 1};
}

static void read_rows(struct sonde_touched *f, const struct sonde_touched_module *m)
{
    const struct sonde_line_table *t = &m->table;
    for (uint32_t i = 0, next; i < t->n_rows; i++) {
        const struct sonde_line *row = &t->rows[i];
        uint32_t file = row->ends || !row->line || row->file >= t->n_files ? UINT32_MAX : m->changed[row->file];
        if (file == UINT32_MAX) continue;
        for (next = i + 1; next < t->n_rows && t->rows[next].address == row->address;) next++;
        uintptr_t end = next < t->n_rows ? t->rows[next].address : row->address + 1;
        struct sonde_code_range function = function_of(m, row->address, end);
        if (end > function.to) end = function.to;
        extend(f, m, function, file, row->line);
        if (!is_changed(f, file, row->line)) continue;
        add_part(f->result, file, row->line, (struct sonde_code_range){row->address, end}, function);
        sonde_touched_mark(f, m, function, SONDE_NEAR_LINE);
    }
}

static int by_line(const void *a, const void *b)
{
    const struct sonde_changed_line *x = a, *y = b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return x->first_part < y->first_part ? -1 : x->first_part > y->first_part;
}

/* Makes one entry of all that are for the same line, with its parts in a row. */
static void sort_lines(struct sonde_changed_code *c)
{
    struct sonde_changed_part *parts = sonde_malloc((c->n_parts + 1u) * sizeof *parts);
    uint32_t n = 0;
    if (c->n_lines) qsort(c->lines, c->n_lines, sizeof *c->lines, by_line);
    for (uint32_t i = 0; i < c->n_lines; i++) {
        struct sonde_changed_line *last = n ? &c->lines[n - 1] : NULL, line = c->lines[i];
        parts[i] = c->parts[line.first_part];
        if (last && last->file == line.file && last->line == line.line) last->n_parts++;
        else c->lines[n++] = (struct sonde_changed_line){line.file, line.line, i, 1};
    }
    sonde_free(c->parts);
    c->parts = parts;
    c->cap_parts = c->n_parts;
    c->n_lines = n;
}

static bool has_code(const struct sonde_changed_code *c, uint32_t file, uint32_t line)
{
    struct sonde_changed_line key = {.file = file, .line = line};
    for (uint32_t low = 0, high = c->n_lines; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        const struct sonde_changed_line *l = &c->lines[middle];
        if (l->file == key.file && l->line == key.line) return true;
        if (l->file < key.file || (l->file == key.file && l->line < key.line)) low = middle + 1;
        else high = middle;
    }
    return false;
}

/* ---- Changed lines without code */

static void read_source(struct sonde_touched *f, uint32_t file, struct source *s)
{
    char *path = sonde_path("%s/%s", f->diff.top, f->diff.files[file]);
    *s = (struct source){.text = NULL};
    if (sonde_read_file(path, FILE_MOST, true, &s->text, &s->n) < 0) s->text = NULL;
    look_at_age(f, f->diff.files[file]);
    sonde_free(path);
    if (!s->text) s->n = 0;
    for (size_t i = 0; i < s->n; i++) s->n_lines += s->text[i] == '\n';
    s->n_lines += s->n && s->text[s->n - 1] != '\n';
    s->blank = sonde_calloc((size_t)s->n_lines + 1, 1);
    sonde_blank_lines(s->text ? s->text : "", s->n, s->blank, s->n_lines);
}

/* Returns the start of a line of the source, and its length. */
static const char *line_of(const struct source *s, uint32_t line, size_t *n)
{
    const char *at = s->text, *end = s->text + s->n, *stop;
    for (; line > 1 && at && (at = memchr(at, '\n', (size_t)(end - at))); line--) at++;
    if (!at) return *n = 0, "";
    stop = memchr(at, '\n', (size_t)(end - at));
    *n = (size_t)((stop ? stop : end) - at);
    return at;
}

/* Marks the functions around a line, or between this line and the next. Returns whether there is one. */
static bool mark_around(struct sonde_touched *f, uint32_t file, uint32_t first, uint32_t last)
{
    bool has_any = false;
    for (uint32_t i = 0; i < f->n_extents; i++) {
        const struct sonde_extent *x = &f->extents[i];
        if (x->file != file || first < x->first || last > x->last) continue;
        sonde_touched_mark(f, x->module, x->function, SONDE_NEAR_FUNCTION);
        has_any = true;
    }
    return has_any;
}

/* Marks the function whose declaration has this line, before its first line with code. Returns whether there is one. */
static bool mark_below(struct sonde_touched *f, const struct source *s, uint32_t file, uint32_t line)
{
    for (uint32_t at = line, n = 0; at <= s->n_lines && n < SIGNATURE; at++, n++) {
        size_t length;
        const char *text = line_of(s, at, &length);
        for (uint32_t i = 0; i < f->n_extents; i++)
            if (f->extents[i].file == file && f->extents[i].first == at) return mark_around(f, file, at, at);
        bool is_end = s->blank[at - 1] || memchr(text, ';', length) || memchr(text, '}', length) || *text == '#';
        if (is_end) return false;
    }
    return false;
}

/* Including a header of the system changes nothing by itself. */
static bool is_include(const struct source *s, uint32_t line)
{
    size_t n;
    const char *text = line_of(s, line, &n);
    while (n && (*text == ' ' || *text == '\t')) text++, n--;
    return sonde_bytes_start(text, n, "#include <");
}

/* Keeps the first reason why every property is concerned. */
SONDE_PRINTF(2, 3) static void note_everywhere(struct sonde_touched *f, const char *format, ...)
{
    va_list args;
    if (f->everywhere[0]) return;
    va_start(args, format);
    vsnprintf(f->everywhere, sizeof f->everywhere, format, args);
    va_end(args);
}

static void note_line(struct sonde_touched *f, uint32_t file, uint32_t line)
{
    const char *path = f->diff.files[file];
    line += !line;
    if (f->kind == SONDE_TOUCHED_NO_LINES) note_everywhere(f, "%.200s:%u was compiled without -g", path, line);
    else if (f->kind == SONDE_TOUCHED_PLAIN)
        note_everywhere(f, "%.200s:%u is in a library that is not instrumented", path, line);
    else note_everywhere(f, "the change at %.200s:%u is not in a function", path, line);
}

static void examine_range(struct sonde_touched *f, const struct sonde_diff_range *r, const struct source *s)
{
    if (r->is_cut) {
        if (!mark_around(f, r->file, r->first, r->first + 1) && !r->is_blank) note_line(f, r->file, r->first);
        return;
    }
    for (uint32_t line = r->first; line <= r->last && line <= s->n_lines; line++) {
        if (s->blank[line - 1] || has_code(f->result, r->file, line) || is_include(s, line)) continue;
        if (!mark_around(f, r->file, line, line) && !mark_below(f, s, r->file, line)) note_line(f, r->file, line);
    }
}

/* ---- Changed files */

static bool is_in_tables(const struct sonde_touched *f, uint32_t file)
{
    for (uint32_t i = 0; i < f->n_modules; i++)
        for (uint32_t k = 0; k < f->modules[i].table.n_files; k++)
            if (f->modules[i].changed[k] == file) return true;
    return false;
}

/* A search of the modules for a source file. */
struct search {
    const struct sonde_touched *f;
    const char *name;
    bool has_it; /* a module without counters names it, or is of the repository and names no sources */
};

static void look_in_module(const char *path, const void *address, void *user)
{
    struct search *s = user;
    for (uint32_t i = 0; i < s->f->n_modules; i++)
        if (is_in_module(&s->f->modules[i], (uintptr_t)address)) return;
    s->has_it |= sonde_module_has_file(address, s->name);
    char *below = sonde_diff_below(&s->f->diff, path);
    s->has_it |= below && !sonde_module_has_file(address, NULL);
    sonde_free(below);
}

static enum sonde_touched_kind kind_of(const struct sonde_touched *f, uint32_t file)
{
    const char *path = f->diff.files[file];
    struct search search = {.f = f, .name = sonde_last_part(path)};
    if (is_in_tables(f, file)) return SONDE_TOUCHED_KNOWN;
    if (sonde_filename_is_header(path)) return SONDE_TOUCHED_HEADER;
    if (sonde_filename_is_build_file(path)) return SONDE_TOUCHED_BUILD;
    if (!sonde_filename_is_source(path)) return SONDE_TOUCHED_OTHER;
    for (uint32_t i = 0; i < f->n_modules; i++)
        if (sonde_module_has_file((const void *)f->modules[i].table.code, search.name)) return SONDE_TOUCHED_NO_LINES;
    sonde_modules_each(look_in_module, &search);
    return search.has_it ? SONDE_TOUCHED_PLAIN : SONDE_TOUCHED_OTHER;
}

/* Keeps the path of a changed file, which stays in `diff`, for examine_included. */
static void keep_name(struct sonde_touched *f, const char *path)
{
    f->names = sonde_grow(f->names, &f->cap_names, (size_t)f->n_names + 1, sizeof *f->names);
    f->names[f->n_names++] = path;
}

static void note_other(struct sonde_touched *f, const char *path)
{
    size_t n = strlen(f->other);
    f->is_cut |= n + strlen(path) + 3 > sizeof f->other;
    if (!f->is_cut) snprintf(f->other + n, sizeof f->other - n, "%s%s", n ? ", " : "", path);
    if (!f->source[0] && !sonde_filename_is_source(path) && !sonde_filename_is_document(path))
        snprintf(f->source, sizeof f->source, "%.190s", path);
    f->n_other++;
    keep_name(f, path);
}

static void examine_file(struct sonde_touched *f, uint32_t file)
{
    struct source s;
    const char *path = f->diff.files[file];
    f->kind = kind_of(f, file);
    if (f->kind == SONDE_TOUCHED_OTHER) note_other(f, path);
    if (f->kind == SONDE_TOUCHED_BUILD) note_everywhere(f, "%.200s may change how the program is built", path);
    if (f->kind == SONDE_TOUCHED_OTHER || f->kind == SONDE_TOUCHED_BUILD) return;
    read_source(f, file, &s);
    for (uint32_t i = 0; i < f->diff.n_ranges; i++)
        if (f->diff.ranges[i].file == file) examine_range(f, &f->diff.ranges[i], &s);
    sonde_free(s.text);
    sonde_free(s.blank);
}

/* Returns whether a line table names the file. */
static bool has_code_of(const struct sonde_touched *f, const char *name)
{
    bool has = false;
    for (uint32_t i = 0; i < f->n_modules; i++) {
        const struct sonde_line_table *t = &f->modules[i].table;
        for (uint32_t k = 0; k < t->n_files && !has; k++) {
            char *below = sonde_diff_below(&f->diff, t->files[k]);
            has = below && !strcmp(below, name);
            sonde_free(below);
        }
    }
    return has;
}

/* Examines a change that is not in lines. A source that is gone may have replaced other functions of the same name. */
static void examine_other(struct sonde_touched *f, const struct sonde_diff_other *o)
{
    switch (o->kind) {
    case SONDE_DIFF_DELETED:
        if (sonde_filename_is_source(o->path) || sonde_filename_is_build_file(o->path))
            note_everywhere(f, "%.200s was deleted", o->path);
        else note_other(f, o->path);
        break;
    case SONDE_DIFF_MOVED:
        if (sonde_filename_is_source(o->path) && !(sonde_filename_is_header(o->path) && sonde_filename_is_header(o->to))
            && !has_code_of(f, o->to))
            note_everywhere(f, "%.200s was moved", o->path);
        keep_name(f, o->path);
        keep_name(f, o->to);
        break;
    case SONDE_DIFF_LINK: note_everywhere(f, "the symbolic link %.200s has changed", o->path); break;
    case SONDE_DIFF_REPOSITORY: note_everywhere(f, "the changes of the submodule %.200s are not known", o->path); break;
    }
}

static void look_for_names(struct sonde_touched *f, const char *source)
{
    char *path = sonde_path("%s/%s", f->diff.top, source);
    const char *name = sonde_included(path, f->names, f->n_names);
    if (name) note_everywhere(f, "%.150s names %.190s, which has changed", source, name);
    sonde_free(path);
}

/* A source may include a file that no line table names, such as the values of an array. */
static void examine_included(struct sonde_touched *f)
{
    if (!f->n_names) return;
    for (uint32_t i = 0; i < f->n_modules; i++) {
        const struct sonde_line_table *t = &f->modules[i].table;
        for (uint32_t k = 0; k < t->n_files && !f->everywhere[0]; k++) {
            char *below = sonde_filename_is_system(t->files[k]) ? NULL : sonde_diff_below(&f->diff, t->files[k]);
            if (below) look_for_names(f, below);
            sonde_free(below);
        }
    }
}

/* git does not show changes of files that it ignores, or that are outside of the repository. If the program has code of
 * one, the file may be generated from a changed file that is neither a source nor a document. */
static void examine_generated(struct sonde_touched *f)
{
    if (!f->source[0] || f->everywhere[0]) return;
    if (f->lacks_lines) note_everywhere(f, "%.190s may be part of code that was compiled without -g", f->source);
    for (uint32_t i = 0; i < f->n_modules; i++) {
        const struct sonde_line_table *t = &f->modules[i].table;
        for (uint32_t k = 0; k < t->n_files && !f->everywhere[0]; k++) {
            char *below = sonde_diff_below(&f->diff, t->files[k]);
            if (below && sonde_diff_ignores(&f->diff, below))
                note_everywhere(f, "%.150s, which git ignores, may be generated from %.190s", below, f->source);
            if (!below && !sonde_filename_is_system(t->files[k]) && !sonde_filename_is_of_sonde(t, t->files[k])
                && access(t->files[k], R_OK) == 0)
                note_everywhere(f, "%.150s, outside of the repository, may be generated from %.190s", t->files[k],
                                f->source);
            sonde_free(below);
        }
    }
}

/* ---- All of it */

/* Returns whether code may have changed, in a program of which no lines are known. */
static bool may_have_changed(const struct sonde_touched *f)
{
    for (uint32_t i = 0; i < f->diff.n_files; i++) {
        const char *path = f->diff.files[i];
        if (kind_of(f, i) != SONDE_TOUCHED_OTHER
            || (!sonde_filename_is_source(path) && !sonde_filename_is_document(path)))
            return true;
    }
    return f->diff.n_others > 0;
}

const char *sonde_touched_find(struct sonde_touched *f)
{
    const char *missing = find_modules(f);
    if (missing && may_have_changed(f)) return missing;
    for (uint32_t i = 0; i < f->n_modules; i++) read_rows(f, &f->modules[i]);
    sort_lines(f->result);
    for (uint32_t i = 0; i < f->diff.n_files; i++) examine_file(f, i);
    for (uint32_t i = 0; i < f->diff.n_others; i++) examine_other(f, &f->diff.others[i]);
    examine_included(f);
    examine_generated(f);
    return NULL;
}

void sonde_touched_clear(struct sonde_touched *f)
{
    for (uint32_t i = 0; i < f->n_modules; i++) {
        sonde_line_table_clear(&f->modules[i].table);
        if (f->modules[i].code) sonde_code_close(f->modules[i].code);
        sonde_free(f->modules[i].changed);
    }
    sonde_counters_clear(&f->counters);
    sonde_diff_clear(&f->diff);
    sonde_free(f->extents);
    sonde_free(f->functions);
    sonde_free(f->nearness);
    sonde_free(f->names);
}
