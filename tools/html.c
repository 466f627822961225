/* The command `sonde html`: adds the source of the code under test to an HTML report, coloured by what reached each
 * line.
 *
 * The page lists which counters were reached, by address (report/page.h). The program's file has the line of each
 * address (lines.h). A counter is at the beginning of a block of code. gcc gives every block a counter, so a block
 * extends to the next counter of its function. Clang gives counters to some blocks only; flow.h infers which of the
 * others ran, and where it cannot, gcc's rule applies. A line was reached if any of its code was. Functions without a
 * counter were not instrumented and are not shown.
 *
 * The result is the block sonde-source of the page, format 1:
 *
 *     {"format": 1, "files": [{"path", "text": [lines] or null, "lines": [[line, by, property, input]]}],
 *      "missing": [...], "why"}
 *
 * `by` is enum sonde_reached_by; `property` and `input` are indices into the page's data, -1 if there is none. "why" is
 * null, or the reason why no line is known. */
#include "flow.h"
#include "lines.h"
#include "places.h"
#include "tools.h"

#include "base/buffer.h"
#include "base/check.h"
#include "base/die.h"
#include "base/json.h"
#include "base/mem.h"
#include "report/page.h"
#include "store/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limits for the source that a page holds. Lines of files beyond these limits are counted but not shown. */
enum {
    SOURCE_MOST = 4 << 20,  /* bytes of one source file */
    SOURCES_MOST = 24 << 20 /* bytes of all source files */
};

/* ---- Lines */

/* A source line, and what reached it; fields as in struct sonde_ran. */
struct line {
    uint32_t file, line, by;
    int32_t property, input;
};

/* The lines of all modules. `missing` has a message for each module that could not be read. */
struct result {
    char **files;
    uint32_t n_files, cap_files;
    struct line *lines;
    uint32_t n_lines, cap_lines;
    char **missing;
    uint32_t n_missing, cap_missing;
};

/* Adds the message that a module could not be read. */
static void add_missing(struct result *r, const char *path, const char *why)
{
    size_t size = strlen(path) + strlen(why) + 3;
    char *text = sonde_malloc(size);
    snprintf(text, size, "%s: %s", *path ? path : "a module", why);
    r->missing = sonde_grow(r->missing, &r->cap_missing, (size_t)r->n_missing + 1, sizeof *r->missing);
    r->missing[r->n_missing++] = text;
}

/* Returns the index of a source file, adding it if it is new. */
static uint32_t file_of(struct result *r, const char *path)
{
    for (uint32_t i = 0; i < r->n_files; i++)
        if (!strcmp(r->files[i], path)) return i;
    r->files = sonde_grow(r->files, &r->cap_files, (size_t)r->n_files + 1, sizeof *r->files);
    r->files[r->n_files] = sonde_strdup(path);
    return r->n_files++;
}

static void add_line(struct result *r, uint32_t file, uint32_t line, const struct sonde_ran *ran)
{
    r->lines = sonde_grow(r->lines, &r->cap_lines, (size_t)r->n_lines + 1, sizeof *r->lines);
    r->lines[r->n_lines++] =
        (struct line){.file = file, .line = line, .by = ran->by, .property = ran->property, .input = ran->input};
}

static int by_offset(const void *a, const void *b)
{
    const struct sonde_page_place *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->property < y->property ? -1 : x->property > y->property;
}

/* Merges what all properties reached into `all`: one entry for each address, sorted. Returns the number of entries;
 * `all` has room for m->n. With gcc a counter's address is the return address of a call. The block begins at that call,
 * five bytes earlier. */
static uint32_t merge_counters(const struct sonde_page_module *m, struct sonde_ran *all)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct sonde_page_place *p = &m->places[i];
        uint64_t address = m->is_called && p->offset >= 5 ? p->offset - 5 : p->offset;
        struct sonde_ran ran = {.address = address, .by = p->by, .property = -1, .input = -1};
        if (p->first) ran.property = (int32_t)p->property, ran.input = (int32_t)(p->first - 1);
        sonde_assert(!n || all[n - 1].address <= address); /* the counters are sorted by offset */
        if (n && all[n - 1].address == address) sonde_ran_add(&all[n - 1], &ran);
        else all[n++] = ran;
    }
    return n;
}

/* Returns the index of the first block that begins after an address. */
static uint32_t after(const struct sonde_ran *all, uint32_t n, uint64_t address)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (all[middle].address <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Finds the blocks [*first, *end) that overlap the code [from, to) of a function. Returns false if the function has no
 * blocks. Code before the first block counts as part of it, since every call runs both. */
static bool blocks_of(const struct sonde_flow *flow, const struct sonde_function *f, uint64_t from, uint64_t to,
                      uint32_t *first, uint32_t *end)
{
    uint32_t begin = f->start ? after(flow->blocks, flow->n, f->start - 1) : 0;
    uint32_t stop = after(flow->blocks, flow->n, f->end - 1);
    if (begin == stop) return false;
    *first = after(flow->blocks, flow->n, from);
    *end = after(flow->blocks, flow->n, to - 1);
    if (*first > begin) --*first; /* the block that contains `from` */
    if (*end <= *first) *end = *first + 1;
    return true;
}

/* Reports whether a source file is a header of sonde or of the system. Inline functions there are not the code under
 * test. */
static bool is_foreign(const char *path)
{
    static const char *const ends[] = {"/sonde.h",        "/sonde.hpp",       "/sonde/derived.h",
                                       "/sonde/extend.h", "/sonde/globals.h", "/sonde/mutants.h"};
    if (!strncmp(path, "/usr/include/", 13) || !strncmp(path, "/usr/lib/", 9)) return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(path), length = strlen(ends[i]);
        if (n >= length && !strcmp(path + n - length, ends[i])) return true;
    }
    return false;
}

/* Adds a line for each row of the line table and each block that overlaps it. Duplicates are merged later, by
 * merge_lines. */
static void add_rows(struct result *r, const struct sonde_flow *flow, const struct sonde_lines *l)
{
    uint32_t *files = sonde_calloc((size_t)l->n_files + 1, sizeof *files); /* index + 1 of each file in the result */
    for (uint32_t i = 0; i < l->n_rows; i++) {
        const struct sonde_row *row = &l->rows[i];
        uint32_t next = i + 1, first, end;
        if (row->ends || !row->line || is_foreign(l->files[row->file])) continue;
        while (next < l->n_rows && l->rows[next].address == row->address) next++;
        uint64_t to = next < l->n_rows ? l->rows[next].address : row->address + 1;
        const struct sonde_function *f = sonde_lines_function(l, row->address);
        if (!f) continue;
        if (to > f->end) to = f->end;
        if (!blocks_of(flow, f, row->address, to, &first, &end)) continue;
        if (!files[row->file]) files[row->file] = file_of(r, l->files[row->file]) + 1;
        for (uint32_t k = first; k < end; k++) add_line(r, files[row->file] - 1, row->line, &flow->blocks[k]);
    }
    sonde_free(files);
}

/* Adds the lines of a module. With gcc the page lists only counters that were reached; the others are the calls found
 * in the code. */
static void add_code(struct result *r, struct sonde_page_module *m, const struct sonde_lines *l)
{
    struct sonde_flow flow;
    for (uint32_t i = 0; m->is_called && i < l->n_calls; i++)
        sonde_page_add_place(m, (struct sonde_page_place){.offset = l->calls[i]});
    if (m->n) qsort(m->places, m->n, sizeof *m->places, by_offset);
    struct sonde_ran *all = sonde_calloc((size_t)m->n + 1, sizeof *all);
    uint32_t n = merge_counters(m, all);
    if (!m->is_called && sonde_flow_read(&flow, m->path, l, all, n)) {
        add_rows(r, &flow, l);
        sonde_flow_clear(&flow);
    } else {
        add_rows(r, &(struct sonde_flow){.blocks = all, .n = n}, l);
    }
    sonde_free(all);
}

/* Adds the lines of a module, or the reason why that is not possible. The build id must match: after a new build the
 * addresses of the page would mean other lines. */
static void add_module(struct result *r, struct sonde_page_module *m)
{
    struct sonde_lines l;
    const char *why = *m->path ? sonde_lines_read(&l, m->path) : "its file is not known";
    if (!*m->path) memset(&l, 0, sizeof l);
    if (!why && l.build && l.build != m->id)
        why = "it was rebuilt after the page was written; run the test program again";
    if (why) {
        add_missing(r, m->path, why);
    } else {
        add_code(r, m, &l);
    }
    sonde_lines_clear(&l);
}

/* Orders by file and line. Of entries for one line the first is the one to keep: reached by a valid input, then with a
 * known input. */
static int by_line(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    int known = (y->input >= 0) - (x->input >= 0), valid = (int)(y->by & 1) - (int)(x->by & 1);
    if (valid) return valid;
    if (known) return known;
    if (x->property != y->property) return x->property < y->property ? -1 : 1;
    return x->input < y->input ? -1 : x->input > y->input;
}

/* Asserts that lines are sorted by file and number, without duplicates. */
static void result_check(const struct result *r)
{
    for (uint32_t i = 0; i < r->n_lines; i++) {
        const struct line *l = &r->lines[i];
        sonde_assert(l->file < r->n_files && l->line > 0 && l->by < 8);
        sonde_assert(!i || l[-1].file < l->file || (l[-1].file == l->file && l[-1].line < l->line));
    }
}

/* Merges the entries for the same line. */
static void merge_lines(struct result *r)
{
    uint32_t n = 0;
    if (!r->n_lines) return;
    qsort(r->lines, r->n_lines, sizeof *r->lines, by_line);
    for (uint32_t i = 0; i < r->n_lines; i++) {
        struct line *last = n ? &r->lines[n - 1] : NULL;
        if (last && last->file == r->lines[i].file && last->line == r->lines[i].line) last->by |= r->lines[i].by;
        else r->lines[n++] = r->lines[i];
    }
    r->n_lines = n;
    result_check(r);
}

static void clear_result(struct result *r)
{
    for (uint32_t i = 0; i < r->n_files; i++) sonde_free(r->files[i]);
    for (uint32_t i = 0; i < r->n_missing; i++) sonde_free(r->missing[i]);
    sonde_free(r->files);
    sonde_free(r->missing);
    sonde_free(r->lines);
}

/* ---- Writing */

/* Writes the content of a source file as an array of lines, or null if it cannot be read or exceeds *left bytes. */
static void put_source(struct sonde_json_out *to, const char *path, size_t *left)
{
    size_t n;
    char *text = sonde_page_read(path, SOURCE_MOST, &n);
    if (!text || n > *left) {
        sonde_json_put(to, "null");
        sonde_free(text);
        return;
    }
    *left -= n;
    sonde_json_put(to, "[");
    for (size_t i = 0, length; i < n; i += length + 1) {
        const char *end = memchr(text + i, '\n', n - i);
        length = end ? (size_t)(end - text) - i : n - i;
        sonde_json_string(to, text + i, length && text[i + length - 1] == '\r' ? length - 1 : length);
    }
    sonde_json_put(to, "]");
    sonde_free(text);
}

/* Writes each file with its lines, which are sorted by file. */
static void put_files(struct sonde_json_out *to, const struct result *r)
{
    size_t left = SOURCES_MOST;
    for (uint32_t i = 0; i < r->n_lines;) {
        uint32_t file = r->lines[i].file;
        sonde_json_put(to, "{path: %s, text:", r->files[file]);
        put_source(to, r->files[file], &left);
        sonde_json_put(to, "lines: [");
        for (; i < r->n_lines && r->lines[i].file == file; i++) {
            const struct line *l = &r->lines[i];
            char row[64]; /* formatted here, without blanks: there may be very many */
            snprintf(row, sizeof row, "[%u,%u,%d,%d]", l->line, l->by, l->property, l->input);
            sonde_json_raw(to, row);
        }
        sonde_json_put(to, "]}");
    }
}

static void put_result(FILE *out, const struct result *r)
{
    static const char unknown[] =
        "It is not known which lines were reached: the code was compiled without line tables, or its file is gone.";
    struct sonde_json_out to = {.out = out};
    sonde_json_put(&to, "{format: 1, files: [");
    put_files(&to, r);
    sonde_json_put(&to, "], missing: [");
    for (uint32_t i = 0; i < r->n_missing; i++) sonde_json_put(&to, "%s", r->missing[i]);
    sonde_json_put(&to, "], why: %s}", r->n_lines ? NULL : unknown);
}

/* Returns a new page with the content of one block replaced, and frees the old page. The content is escaped even if it
 * comes from another page. A page that sonde did not write could otherwise hide the blocks after this one. */
static char *with_block(char *html, const char *id, const char *text)
{
    char tag[64];
    snprintf(tag, sizeof tag, " id=\"%s\">", id);
    char *begin = strstr(html, tag), *end = begin ? strstr(begin, "</script>") : NULL;
    if (!end) return html;
    struct sonde_buffer whole;
    fwrite(html, 1, (size_t)(begin - html) + strlen(tag), sonde_buffer_open(&whole));
    sonde_page_put_safe(whole.out, text);
    fputs(end, whole.out);
    char *copy = sonde_strdup(sonde_buffer_close(&whole));
    sonde_buffer_clear(&whole);
    sonde_free(html);
    return copy;
}

/* Replaces the file, or the file that a symbolic link leads to, and keeps its permissions. Returns false after a
 * message. */
static bool write_whole(const char *path, const char *text)
{
    struct stat info;
    unsigned turn = 0;
    char *real = realpath(path, NULL);
    int error = real ? 0 : -errno;
    if (!error && stat(real, &info) < 0) error = -errno;
    if (!error) error = sonde_write_file_lightly(real, text, strlen(text), &turn);
    if (!error && chmod(real, info.st_mode & 07777) < 0) error = -errno;
    if (error) sonde_complain("sonde html: cannot write '%s': %s", path, strerror(-error));
    free(real);
    return !error;
}

/* ---- The command */

/* Returns the content of a page, to be freed; NULL after a message if it is not a report of sonde. */
static char *read_page(const char *path)
{
    size_t n;
    char *html = sonde_page_read(path, SONDE_PAGE_MOST, &n);
    char *data = html ? sonde_page_block(html, "sonde-data") : NULL;
    if (!html) sonde_complain("sonde html: cannot read '%s': %s", path, strerror(errno));
    else if (!data) sonde_complain("sonde html: '%s' is not a page of --report html", path);
    bool is_page = data != NULL;
    sonde_free(data);
    if (is_page) return html;
    sonde_free(html);
    return NULL;
}

/* Returns the page with the data of an older page added. Frees `html` and returns NULL if that one cannot be read. */
static char *add_baseline(char *html, const char *path)
{
    char *old = read_page(path);
    if (!old) {
        sonde_free(html);
        return NULL;
    }
    char *data = sonde_page_block(old, "sonde-data"), *source = sonde_page_block(old, "sonde-source");
    html = with_block(html, "sonde-baseline", data ? data : "null");
    html = with_block(html, "sonde-baseline-source", source ? source : "null");
    sonde_free(data);
    sonde_free(source);
    sonde_free(old);
    return html;
}

/* Returns the page with its source added, and prints how many lines were reached. Takes ownership of `html`. */
static char *add_source(char *html, bool is_quiet)
{
    struct sonde_page_modules places = {0};
    struct result result = {0};
    char *text = sonde_page_block(html, "sonde-places");
    if (text) sonde_page_modules_read(&places, text);
    for (uint32_t i = 0; i < places.n; i++) add_module(&result, &places.modules[i]);
    merge_lines(&result);
    uint32_t reached = 0;
    for (uint32_t i = 0; i < result.n_lines; i++) reached += result.lines[i].by != 0;
    for (uint32_t i = 0; i < result.n_missing && !is_quiet; i++) sonde_complain("sonde html: %s", result.missing[i]);
    if (!is_quiet && !places.n) puts("sonde html: no code was instrumented; there are no lines to add");
    else if (!is_quiet) printf("sonde html: %u of %u lines were reached\n", reached, result.n_lines);
    if (places.n) {
        struct sonde_buffer source;
        put_result(sonde_buffer_open(&source), &result);
        html = with_block(html, "sonde-source", sonde_buffer_close(&source));
        sonde_buffer_clear(&source);
    }
    sonde_free(text);
    clear_result(&result);
    sonde_page_modules_clear(&places);
    return html;
}

int sonde_tool_html(int argc, char **argv)
{
    const char *baseline = NULL, *file = NULL;
    bool is_quiet = false, is_wrong = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quiet")) is_quiet = true;
        else if (!strcmp(argv[i], "--baseline") && i + 1 < argc) baseline = argv[++i];
        else if (argv[i][0] == '-' || file) is_wrong = true;
        else file = argv[i];
    }
    if (is_wrong || !file) {
        fputs(
            "sonde html: the arguments are wrong; write sonde html [--baseline OLD.html] [--quiet] FILE, where FILE is a "
            "page of --report html\n",
            stderr);
        return SONDE_USAGE;
    }
    char *html = read_page(file);
    if (html) html = add_source(html, is_quiet);
    if (html && baseline) html = add_baseline(html, baseline);
    bool is_written = html && write_whole(file, html);
    bool was_read = html != NULL;
    sonde_free(html);
    return is_written ? SONDE_PASSED : was_read ? SONDE_INTERNAL : SONDE_USAGE;
}
