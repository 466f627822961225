#define _GNU_SOURCE /* realpath */
/* See diff.h; diff_git.c runs git. Only the lines of a patch that are counted in a hunk's header belong to the hunk: an
 * added line may look like a header. */
#include "base/diff.h"

#include "base/mem.h"
#include "base/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The list */

static char *joined(const char *directory, const char *name)
{
    size_t n = strlen(directory) + strlen(name) + 2;
    char *path = sonde_malloc(n);
    snprintf(path, n, "%s/%s", directory, name);
    return path;
}

/* Returns a heap copy of a name, below the root of the outermost repository. */
static char *from_top(const struct sonde_diff *diff, const char *name)
{
    return diff->below ? joined(diff->below, name) : sonde_strdup(name);
}

void sonde_diff_add_file(struct sonde_diff *diff, const char *name)
{
    diff->files = sonde_grow(diff->files, &diff->cap_files, (size_t)diff->n_files + 1, sizeof *diff->files);
    diff->files[diff->n_files++] = from_top(diff, name);
}

void sonde_diff_add_other(struct sonde_diff *diff, const char *name, const char *to, enum sonde_diff_kind kind)
{
    diff->others = sonde_grow(diff->others, &diff->cap_others, (size_t)diff->n_others + 1, sizeof *diff->others);
    diff->others[diff->n_others++] =
        (struct sonde_diff_other){from_top(diff, name), to ? from_top(diff, to) : NULL, kind};
}

static void append(struct sonde_diff *diff, struct sonde_diff_range range)
{
    diff->ranges = sonde_grow(diff->ranges, &diff->cap_ranges, (size_t)diff->n_ranges + 1, sizeof *diff->ranges);
    diff->ranges[diff->n_ranges++] = range;
}

/* Adds a cut of the last file. The cut counts as blank until a deleted line has code. */
static void add_cut(struct sonde_diff *diff, uint32_t after)
{
    append(diff, (struct sonde_diff_range){
                     .file = diff->n_files - 1, .first = after, .last = after, .is_cut = true, .is_blank = true});
}

void sonde_diff_add_lines(struct sonde_diff *diff, uint32_t first, uint32_t last)
{
    uint32_t file = diff->n_files - 1;
    struct sonde_diff_range *end = diff->n_ranges ? &diff->ranges[diff->n_ranges - 1] : NULL;
    if (end && !end->is_cut && end->file == file && end->last != UINT32_MAX && end->last + 1 == first) {
        end->last = last;
        return;
    }
    append(diff, (struct sonde_diff_range){.file = file, .first = first, .last = last});
}

void sonde_diff_clear(struct sonde_diff *diff)
{
    for (uint32_t i = 0; i < diff->n_files; i++) sonde_free(diff->files[i]);
    for (uint32_t i = 0; i < diff->n_others; i++) {
        sonde_free(diff->others[i].path);
        sonde_free(diff->others[i].to);
    }
    sonde_free(diff->files);
    sonde_free(diff->others);
    sonde_free(diff->ranges);
    sonde_free(diff->top);
    *diff = (struct sonde_diff){.top = NULL};
}

/* ---- Patches */

struct line {
    const char *at;
    size_t n; /* without the line end */
};

/* A patch that is read line by line. */
struct patch {
    const char *at, *end;
    bool has_file;           /* lines that are added belong to the last file of the list */
    bool is_link;            /* the current file is or was a symbolic link */
    char *old;               /* its old name; NULL: it had none */
    bool is_cut;             /* the current hunk only deletes lines */
    uint64_t old_left, left; /* lines of the current hunk that follow: of the old and of the new file */
    uint32_t number;         /* number of the hunk's next line in the new file */
};

static struct line next_line(struct patch *p)
{
    const char *end = memchr(p->at, '\n', (size_t)(p->end - p->at));
    struct line line = {.at = p->at, .n = (size_t)((end ? end : p->end) - p->at)};
    p->at = end ? end + 1 : p->end;
    return line;
}

/* Decodes a name in quotes, as in C, with octal bytes. Returns a heap copy; NULL if the name is malformed. */
static char *unquoted(const char *at, size_t n)
{
    static const char letters[] = "abtnvfr\"\\", bytes[] = "\a\b\t\n\v\f\r\"\\";
    char *name = sonde_malloc(n + 1);
    size_t used = 0, i = 1;
    for (; i < n && at[i] != '"'; i++) {
        if (at[i] != '\\') {
            name[used++] = at[i];
            continue;
        }
        const char *letter = ++i < n && at[i] ? strchr(letters, at[i]) : NULL;
        if (letter) {
            name[used++] = bytes[letter - letters];
            continue;
        }
        unsigned byte = 0, digits = 0;
        for (; digits < 3 && i < n && at[i] >= '0' && at[i] <= '7'; digits++)
            byte = 8 * byte + (unsigned)(at[i++] - '0');
        if (digits < 3 || byte == 0 || byte > 255) i = n; /* malformed */
        name[used++] = (char)byte;
        i--;
    }
    name[used] = '\0';
    if (i < n && at[i] == '"') return name;
    sonde_free(name);
    return NULL;
}

/* Reads the name in a line after its first `n_skip` bytes. Returns a heap copy. */
static char *read_name(struct line line, size_t n_skip)
{
    const char *at = line.at + n_skip;
    size_t n = line.n - n_skip;
    if (n && at[n - 1] == '\t') n--; /* git ends names that have spaces with a tab */
    return n && *at == '"' ? unquoted(at, n) : sonde_strndup(at, n);
}

/* Reads the name in a line `--- a/NAME` or `+++ b/NAME`. Returns a heap copy without the prefix; NULL if there is no
 * such file. */
static char *side_name(struct line line, const char *prefix)
{
    char *name = read_name(line, 4);
    if (!name || !sonde_starts(name, prefix) || !name[2]) {
        sonde_free(name);
        return NULL;
    }
    memmove(name, name + 2, strlen(name) - 1);
    return name;
}

/* Reads a number of at most 32 bits and moves `at` past it. */
static bool read_number(struct line line, size_t *at, uint32_t *number)
{
    uint64_t x = 0;
    size_t start = *at;
    for (; *at < line.n && line.at[*at] >= '0' && line.at[*at] <= '9'; ++*at) {
        x = 10 * x + (uint64_t)(line.at[*at] - '0');
        if (x > UINT32_MAX) return false;
    }
    *number = (uint32_t)x;
    return *at > start;
}

/* Reads `-3,2` or `-3`: the first line, and how many lines. */
static bool read_side(struct line line, size_t *at, char sign, uint32_t *first, uint32_t *count)
{
    *count = 1;
    if (*at >= line.n || line.at[(*at)++] != sign || !read_number(line, at, first)) return false;
    if (*at >= line.n || line.at[*at] != ',') return true;
    ++*at;
    return read_number(line, at, count);
}

/* Reads `@@ -3,2 +3 @@`; anything else is not the start of a hunk. */
static void begin_hunk(struct sonde_diff *diff, struct patch *p, struct line line)
{
    uint32_t old_first, old_count, first, count;
    size_t at = 3;
    if (!read_side(line, &at, '-', &old_first, &old_count) || at >= line.n || line.at[at++] != ' '
        || !read_side(line, &at, '+', &first, &count) || UINT32_MAX - first <= count)
        return;
    p->old_left = old_count;
    p->left = count;
    p->number = first;
    p->is_cut = p->has_file && !count && old_count;
    if (p->is_cut) add_cut(diff, first);
}

/* Returns whether a line of source is empty, or begins like a comment or like a line within a comment. */
static bool looks_blank(const char *at, size_t n)
{
    while (n && (*at == ' ' || *at == '\t' || *at == '\r')) at++, n--;
    if (n && at[n - 1] == '\\') return false; /* part of a macro */
    return n == 0 || sonde_bytes_start(at, n, "//") || sonde_bytes_start(at, n, "/*") || sonde_bytes_start(at, n, "* ")
           || sonde_bytes_start(at, n, "*/");
}

/* Reads a line of a hunk. */
static void read_change(struct sonde_diff *diff, struct patch *p, struct line line)
{
    char kind = line.n ? *line.at : ' '; /* an empty line of context may lack its space */
    if (kind == '\\') return;            /* \ No newline at end of file */
    if (kind == '+' && p->left) {
        if (p->has_file) sonde_diff_add_lines(diff, p->number, p->number);
    } else if (kind == '-' && p->is_cut) {
        diff->ranges[diff->n_ranges - 1].is_blank &= looks_blank(line.at + 1, line.n - 1);
    } else if (kind != '-' && kind != ' ') {
        p->left = p->old_left = 0; /* not a patch */
        return;
    }
    if (kind != '-' && p->left) p->left--, p->number++;
    if (kind != '+' && p->old_left) p->old_left--;
}

/* Forgets the file before, whose patch has ended. */
static void begin_file(struct patch *p)
{
    sonde_free(p->old);
    p->old = NULL;
    p->has_file = p->is_link = false; /* until its name is read */
}

static void read_new_name(struct sonde_diff *diff, struct patch *p, struct line line)
{
    char *name = side_name(line, "b/");
    p->has_file = name && !p->is_link;
    if (p->has_file) sonde_diff_add_file(diff, name);
    else if (p->is_link && (name || p->old)) sonde_diff_add_other(diff, name ? name : p->old, NULL, SONDE_DIFF_LINK);
    else if (p->old) sonde_diff_add_other(diff, p->old, NULL, SONDE_DIFF_DELETED);
    sonde_free(name);
}

/* Reads a line between hunks. */
static void read_header(struct sonde_diff *diff, struct patch *p, struct line line)
{
    static const char link[] = " 120000", from[] = "rename from ", to[] = "rename to ";
    bool has_mode = sonde_bytes_start(line.at, line.n, "index ") || sonde_bytes_start(line.at, line.n, "new ")
                    || sonde_bytes_start(line.at, line.n, "deleted ");
    if (sonde_bytes_start(line.at, line.n, "diff ")) {
        begin_file(p);
    } else if (has_mode) {
        size_t n = sizeof link - 1;
        p->is_link |= line.n > n && memcmp(line.at + line.n - n, link, n) == 0;
    } else if (sonde_bytes_start(line.at, line.n, from)) {
        sonde_free(p->old);
        p->old = read_name(line, sizeof from - 1);
    } else if (sonde_bytes_start(line.at, line.n, to)) {
        char *name = read_name(line, sizeof to - 1);
        if (name && p->old) sonde_diff_add_other(diff, p->old, name, SONDE_DIFF_MOVED);
        sonde_free(name);
    } else if (sonde_bytes_start(line.at, line.n, "--- ")) {
        sonde_free(p->old);
        p->old = side_name(line, "a/");
    } else if (sonde_bytes_start(line.at, line.n, "+++ ")) {
        read_new_name(diff, p, line);
    } else if (sonde_bytes_start(line.at, line.n, "@@ ")) {
        begin_hunk(diff, p, line);
    }
}

void sonde_diff_parse(struct sonde_diff *diff, const char *text, size_t n)
{
    struct patch p = {.at = text, .end = text + n};
    while (p.at < p.end) {
        struct line line = next_line(&p);
        if (p.left || p.old_left) read_change(diff, &p, line);
        else read_header(diff, &p, line);
    }
    begin_file(&p);
}

/* ---- Lines */

/* Returns the path below `top` of a file that exists there; NULL if there is none. *exists is set if the file exists,
 * there or elsewhere. The caller frees the path with sonde_free. */
static char *below_top(const struct sonde_diff *diff, const char *path, bool *exists)
{
    char *real = realpath(path, NULL), *below = NULL;
    size_t n = diff->top ? strlen(diff->top) : 0;
    if (real) *exists = true;
    if (real && n && strncmp(real, diff->top, n) == 0 && (real[n] == '/' || diff->top[n - 1] == '/'))
        below = sonde_strdup(real + n + (real[n] == '/'));
    free(real);
    return below;
}

/* Looks for a file relative to the directories where the compiler may have been run: the working directory, and the
 * root. */
static char *find_file(const struct sonde_diff *diff, const char *file, bool *exists)
{
    char *found = below_top(diff, file, exists);
    if (found || *file == '/' || !diff->top) return found;
    char *path = joined(diff->top, file);
    found = below_top(diff, path, exists);
    sonde_free(path);
    return found;
}

/* Returns whether two paths agree in all parts of the shorter. */
static bool have_same_end(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n < m) return have_same_end(b, a);
    return m > 0 && strcmp(a + n - m, b) == 0 && (n == m || a[n - m - 1] == '/');
}

/* Returns whether the changed file `index` is the file that the compiler recorded. `found` is that file's path below
 * the root; NULL if it is not there. */
static bool is_same_file(const struct sonde_diff *diff, uint32_t index, const char *file, const char *found,
                         bool exists)
{
    while (sonde_starts(file, "./") || sonde_starts(file, "../")) file = strchr(file, '/') + 1;
    return found ? strcmp(found, diff->files[index]) == 0 : !exists && have_same_end(file, diff->files[index]);
}

bool sonde_diff_has(const struct sonde_diff *diff, const char *file, uint32_t line)
{
    bool has = false, exists = false;
    char *found = diff->n_ranges ? find_file(diff, file, &exists) : NULL;
    for (uint32_t i = 0; i < diff->n_ranges && !has; i++) {
        const struct sonde_diff_range *range = &diff->ranges[i];
        if (range->is_cut || line < range->first || line > range->last) continue;
        has = is_same_file(diff, range->file, file, found, exists);
    }
    sonde_free(found);
    return has;
}

uint32_t sonde_diff_file(const struct sonde_diff *diff, const char *file)
{
    uint32_t i = 0;
    bool exists = false;
    char *found = diff->n_files ? find_file(diff, file, &exists) : NULL;
    while (i < diff->n_files && !is_same_file(diff, i, file, found, exists)) i++;
    sonde_free(found);
    return i < diff->n_files ? i : UINT32_MAX;
}

char *sonde_diff_below(const struct sonde_diff *diff, const char *file)
{
    bool exists = false;
    return find_file(diff, file, &exists);
}
