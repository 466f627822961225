#define _GNU_SOURCE /* realpath */
/* See diff.h. Settings of the user change what git prints, so every option that matters is passed. A hunk has as many
 * lines as its header counts, whatever they look like: an added line may look like a header. */
#include "base/diff.h"

#include "base/buffer.h"
#include "base/command.h"
#include "base/mem.h"
#include "base/strings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>

/* ---- The list */

/* Starts the list of a file's changes. */
static void add_file(struct sonde_diff *diff, char *path)
{
    diff->files = sonde_grow(diff->files, &diff->cap_files, (size_t)diff->n_files + 1, sizeof *diff->files);
    diff->files[diff->n_files++] = path;
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

/* Adds changed lines of the last file. If they follow the last range directly, that range grows. */
static void add_lines(struct sonde_diff *diff, uint32_t first, uint32_t last)
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
    sonde_free(diff->files);
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

/* Reads the name in a line `+++ b/NAME`. Returns a heap copy without the prefix; NULL if the file was deleted. */
static char *new_name(struct line line)
{
    const char *at = line.at + 4;
    size_t n = line.n - 4;
    if (n && at[n - 1] == '\t') n--; /* git ends names that have spaces with a tab */
    char *name = n && *at == '"' ? unquoted(at, n) : sonde_strndup(at, n);
    if (!name || !sonde_starts(name, "b/") || !name[2]) {
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
        if (p->has_file) add_lines(diff, p->number, p->number);
    } else if (kind == '-' && p->is_cut) {
        diff->ranges[diff->n_ranges - 1].is_blank &= looks_blank(line.at + 1, line.n - 1);
    } else if (kind != '-' && kind != ' ') {
        p->left = p->old_left = 0; /* not a patch */
        return;
    }
    if (kind != '-' && p->left) p->left--, p->number++;
    if (kind != '+' && p->old_left) p->old_left--;
}

void sonde_diff_parse(struct sonde_diff *diff, const char *text, size_t n)
{
    struct patch p = {.at = text, .end = text + n};
    while (p.at < p.end) {
        struct line line = next_line(&p);
        if (p.left || p.old_left) {
            read_change(diff, &p, line);
        } else if (sonde_bytes_start(line.at, line.n, "diff ")) {
            p.has_file = false; /* until the name of the file is read; binary files have no such line */
        } else if (sonde_bytes_start(line.at, line.n, "+++ ")) {
            char *name = new_name(line);
            p.has_file = name != NULL;
            if (name) add_file(diff, name);
        } else if (sonde_bytes_start(line.at, line.n, "@@ ")) {
            begin_hunk(diff, &p, line);
        }
    }
}

/* ---- git */

/* Limits for one command of git: a diff that takes longer, or is larger, is not the diff of a change. */
enum { SECONDS = 60, MOST_BYTES = 256 << 20 };

/* Runs git; argv[0] to argv[2] are "git -C DIRECTORY". Returns 0, the status of git, or a negative errno. */
static int run_git(const char *const *argv, char **out, size_t *n)
{
    struct sonde_command command = {.argv = argv, .input = -1, .seconds = SECONDS, .max = MOST_BYTES};
    int status = sonde_command_run(&command, out, n);
    if (status < 0) return status;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

/* Returns the first line that git prints; NULL if git fails. *status receives what run_git returned. */
static char *ask_git(const char *const *argv, int *status)
{
    char *out = NULL;
    size_t n = 0;
    *status = run_git(argv, &out, &n);
    if (*status == 0 && out) {
        out[strcspn(out, "\n")] = '\0';
        return out;
    }
    sonde_free(out);
    return NULL;
}

__attribute__((format(printf, 1, 2))) static char *message(const char *format, ...)
{
    struct sonde_buffer text;
    va_list args;
    va_start(args, format);
    vfprintf(sonde_buffer_open(&text), format, args);
    va_end(args);
    char *copy = sonde_strdup(sonde_buffer_close(&text));
    sonde_buffer_clear(&text);
    return copy;
}

/* Finds the root of the repository. Returns an error message, or NULL. */
static char *find_top(struct sonde_diff *diff, const char *directory)
{
    const char *const ask[] = {"git", "-C", directory, "rev-parse", "--show-toplevel", NULL};
    int status;
    char *top = ask_git(ask, &status);
    if (top && *top) {
        char *real = realpath(top, NULL);
        diff->top = sonde_strdup(real ? real : top);
        free(real);
        sonde_free(top);
        return NULL;
    }
    sonde_free(top);
    if (status == -ENOENT || status == 127) return message("git is not installed, or not in PATH");
    if (status < 0) return message("git cannot be run: %s", strerror(-status));
    return message("%s is not in the working tree of a git repository (`git -C %s status` prints why)", directory,
                   directory);
}

/* Finds the commit that `ref` names. Its hash cannot be mistaken for an option or a file. Returns an error message, or
 * NULL. */
static char *find_commit(const char *top, const char *ref, char **commit)
{
    char *object = message("%s^{commit}", ref);
    const char *const ask[] = {"git", "-C", top, "rev-parse", "--verify", "--quiet", object, NULL};
    const char *const ask_shallow[] = {"git", "-C", top, "rev-parse", "--is-shallow-repository", NULL};
    int status;
    *commit = ask_git(ask, &status);
    sonde_free(object);
    if (*commit) return NULL;
    if (status < 0) return message("git cannot be run: %s", strerror(-status));
    char *shallow = ask_git(ask_shallow, &status);
    bool is_shallow = shallow && strcmp(shallow, "true") == 0;
    sonde_free(shallow);
    if (is_shallow)
        return message(
            "git does not know the commit \"%s\": this clone is shallow; fetch more of its history (git fetch "
            "--unshallow; fetch-depth: 0 in GitHub Actions)",
            ref);
    return message("git does not know the commit \"%s\" (fetch it, or check its spelling)", ref);
}

/* Adds the files that git neither tracks nor ignores; every line in them is new. */
static int add_untracked(struct sonde_diff *diff)
{
    const char *const list[] = {"git", "-C", diff->top, "ls-files", "--others", "--exclude-standard", "-z", NULL};
    char *out = NULL;
    size_t n = 0;
    int status = run_git(list, &out, &n);
    for (size_t at = 0; status == 0 && at < n; at += strlen(out + at) + 1) {
        if (sonde_ends(out + at, "/")) continue; /* another repository */
        add_file(diff, sonde_strdup(out + at));
        add_lines(diff, 1, UINT32_MAX);
    }
    sonde_free(out);
    return status;
}

/* Adds the lines that differ between the commit and the working tree. */
static int add_changed(struct sonde_diff *diff, const char *commit)
{
    const char *const list[] = {"git",
                                "-C",
                                diff->top,
                                "--no-pager",
                                "diff",
                                "-U0",
                                "-M",
                                "--inter-hunk-context=0",
                                "--no-color",
                                "--no-ext-diff",
                                "--no-textconv",
                                "--ignore-submodules=all",
                                "--src-prefix=a/",
                                "--dst-prefix=b/",
                                commit,
                                "--",
                                NULL};
    char *out = NULL;
    size_t n = 0;
    int status = run_git(list, &out, &n);
    if (status == 0 && out) sonde_diff_parse(diff, out, n);
    sonde_free(out);
    return status;
}

char *sonde_diff_since(struct sonde_diff *diff, const char *directory, const char *ref)
{
    if (!*ref || *ref == '-') return message("\"%s\" does not name a commit; give a commit, a branch or a tag", ref);
    char *commit = NULL, *error = find_top(diff, directory ? directory : ".");
    if (!error) error = find_commit(diff->top, ref, &commit);
    if (error) return error;
    int status = add_changed(diff, commit);
    if (status == 0) status = add_untracked(diff);
    sonde_free(commit);
    if (status == -EFBIG) return message("the changes since \"%s\" are larger than %d MB", ref, MOST_BYTES >> 20);
    if (status < 0) return message("git could not list the changes since \"%s\": %s", ref, strerror(-status));
    if (status > 0)
        return message("git could not list the changes since \"%s\": it exited with status %d", ref, status);
    return NULL;
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
    char *path = message("%s/%s", diff->top, file);
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
