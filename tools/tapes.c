/* The commands `sonde show`, `diff` and `convert`, and the functions by which all commands read tapes. A tape is given
 * as a token or as @FILE. Such a file has one of three formats: a tape file of the store, a token, or bytes
 * (docs/formats.md). */
#include "base/die.h"
#include "base/mem.h"
#include "base/strings.h"
#include "report/report.h"
#include "store/format.h"
#include "tape/codec.h"
#include "tape/text.h"
#include "tools.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Maximum number of bytes that are read from a file: far more than any tape has. */
enum { FILE_MAX = 1 << 28 };

/* ---- Reading ---------------------------------------------------------------------------------------------------*/

/* Returns the content of a stream with a terminating 0, to be freed; NULL if it cannot be read. `in` may be NULL. */
static char *read_stream(FILE *in, size_t *n)
{
    char *data = NULL;
    uint32_t cap = 0;
    *n = 0;
    while (in && !ferror(in) && !feof(in) && *n < FILE_MAX) {
        data = sonde_grow(data, &cap, *n + 65536, 1);
        *n += fread(data + *n, 1, cap - *n - 1, in);
        data[*n] = 0;
    }
    if (in && !ferror(in)) return data;
    sonde_free(data);
    return NULL;
}

/* Returns the content of a file, to be freed; NULL after a message. */
static char *read_file(const char *command, const char *path, size_t *n)
{
    FILE *in = fopen(path, "rbe");
    char *data = read_stream(in, n);
    if (!data) sonde_complain("sonde %s: cannot read '%s': %s", command, path, strerror(errno));
    if (in) fclose(in);
    return data;
}

/* Reports that an argument is not a tape. Returns false. */
static bool refuse(const char *command, const struct sonde_loaded *what, const char *reason)
{
    if (what->file) sonde_complain("sonde %s: '%s' is not a tape that can be read: %s", command, what->file, reason);
    else sonde_complain("sonde %s: this is not a token: %s; paste it whole, in single quotes", command, reason);
    return false;
}

/* Reads a token. It may have several tapes, separated by semicolons: the cases before a failure and the failing one.
 * Reads number to->wanted of these (UINT32_MAX: the last) and sets to->n_tapes. Returns false after a message. */
static bool read_text(const char *command, struct sonde_loaded *to, const char *data, size_t n)
{
    struct sonde_text_error error = {0, ""};
    while (n && (data[n - 1] == '\n' || data[n - 1] == '\r')) n--;
    if (!n) return refuse(command, to, "it is empty");
    to->n_tapes = 1;
    for (const char *end; (end = memchr(data, ';', n)) != NULL && to->n_tapes <= to->wanted; to->n_tapes++) {
        n -= (size_t)(end + 1 - data);
        data = end + 1;
    }
    const char *end = memchr(data, ';', n);
    for (const char *more = end; more; more = memchr(more + 1, ';', n - (size_t)(more + 1 - data))) to->n_tapes++;
    if (end) n = (size_t)(end - data);
    if (sonde_tape_from_text(&to->tape, to->labels, data, n, &error) == 0) return true;
    char reason[256];
    snprintf(reason, sizeof reason, "%s (at character %zu)", error.reason, error.at + 1);
    return refuse(command, to, reason);
}

/* Reads a tape in any format. Tries bytes first, since these have a magic number and a checksum, then a tape file,
 * which begins with "# ", then a token. Returns false after a message. */
static bool read_tape(const char *command, struct sonde_loaded *to, const char *data, size_t n)
{
    struct sonde_stored stored = {0};
    const char *reason = "";
    int status = sonde_tape_decode(&to->tape, to->labels, (const uint8_t *)data, n);
    to->was_bytes = status == 0;
    if (status == 0) return true;
    if (status == -ENOTSUP) return refuse(command, to, "it was made by a newer version of sonde");
    bool has_head = sonde_bytes_start(data, n, "# ") || sonde_bytes_start(data, n, "\xef\xbb\xbf");
    if (!has_head) return read_text(command, to, data, n);
    if (sonde_stored_read(&stored, data, n, &reason) < 0) return refuse(command, to, reason);
    bool good = read_text(command, to, stored.token, strlen(stored.token));
    sonde_stored_clear(&stored);
    return good;
}

void sonde_unload(struct sonde_loaded *what)
{
    sonde_tape_clear(&what->tape);
    sonde_labels_clear(what->labels);
    sonde_free(what->labels);
}

/* Like --replay, reads an argument as a file name even without the @ if the file exists, or if it cannot be a token. */
bool sonde_load(const char *command, struct sonde_loaded *to, const char *argument)
{
    return sonde_load_one(command, to, argument, UINT32_MAX);
}

bool sonde_load_one(const char *command, struct sonde_loaded *to, const char *argument, uint32_t wanted)
{
    size_t n = strlen(argument);
    bool is_file = argument[0] == '@' || (*argument && !strpbrk(argument, "={[?;:")) || access(argument, R_OK) == 0;
    char *data = is_file ? read_file(command, argument + (argument[0] == '@'), &n) : sonde_strdup(argument);
    *to = (struct sonde_loaded){.labels = sonde_malloc(sizeof *to->labels), .wanted = wanted, .n_tapes = 1};
    to->file = is_file ? argument + (argument[0] == '@') : NULL;
    sonde_labels_init(to->labels);
    sonde_tape_init(&to->tape);
    bool good = data && read_tape(command, to, data, n);
    to->file = NULL;
    sonde_free(data);
    if (!good) sonde_unload(to);
    return good;
}

/* Size of a file that is read into a buffer on the stack; nearly all tapes are smaller. */
enum { SMALL_FILE = 16384 };

/* Reads a small file with as few system calls as possible, since these dominate the cost of reading many files. Returns
 * the number of bytes and adds a 0; returns more than SMALL_FILE if the file is larger or cannot be read. */
static size_t read_small(const char *path, char *to)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, to, SMALL_FILE);
    if (fd >= 0) close(fd);
    if (n < 0 || n == SMALL_FILE) return SMALL_FILE + 1;
    to[n] = 0;
    return (size_t)n;
}

bool sonde_load_again(const char *command, struct sonde_loaded *to, const char *path)
{
    char small[SMALL_FILE + 1], *large = NULL;
    size_t n = read_small(path, small);
    if (n > SMALL_FILE && !(large = read_file(command, path, &n))) return false;
    if (to->labels->n > SONDE_LABELS_MAX / 2) { /* ids are hashes of labels, so clearing changes none */
        sonde_labels_clear(to->labels);
        sonde_labels_init(to->labels);
    }
    to->file = path;
    bool good = read_tape(command, to, large ? large : small, n);
    to->file = NULL;
    sonde_free(large);
    return good;
}

/* ---- show ------------------------------------------------------------------------------------------------------*/

static void print_tree(FILE *out, const struct sonde_loaded *what)
{
    sonde_report_values(out, &what->tape, what->labels);
}

int sonde_tool_show(int argc, char **argv)
{
    struct sonde_loaded tape = {.n_tapes = 1};
    (void)argc;
    for (uint32_t i = 0; i < tape.n_tapes; i++) {
        if (!sonde_load_one("show", &tape, argv[1], i)) return SONDE_USAGE;
        if (tape.n_tapes > 1) printf("%scase %" PRIu32 " of %" PRIu32 "\n", i ? "\n" : "", i + 1, tape.n_tapes);
        print_tree(stdout, &tape);
        sonde_unload(&tape);
    }
    return SONDE_PASSED;
}

/* ---- diff ------------------------------------------------------------------------------------------------------*/

/* A printed tree, cut into lines that point into `text`. */
struct lines {
    char *text, **all;
    uint32_t n, cap;
};

/* Returns the tree of a tape as lines; free them with free_lines. */
static struct lines tree_lines(const struct sonde_loaded *what)
{
    struct lines lines = {0};
    size_t size;
    FILE *out = open_memstream(&lines.text, &size);
    if (!out) abort();
    print_tree(out, what);
    fclose(out);
    for (char *line = strtok(lines.text, "\n"); line; line = strtok(NULL, "\n")) {
        lines.all = sonde_grow(lines.all, &lines.cap, (size_t)lines.n + 1, sizeof *lines.all);
        lines.all[lines.n++] = line;
    }
    return lines;
}

static void free_lines(struct lines *lines)
{
    free(lines->text);
    sonde_free(lines->all);
}

/* Maximum number of cells of the table below: 256 MiB. */
enum { DIFF_CELLS_MAX = 1 << 26 };

/* Returns the table of the longest common subsequence, by dynamic programming from the end; to be freed. Element
 * [i * (b->n + 1) + j] counts the lines, in order, that a from line i and b from line j share. Time and memory are the
 * product of the lengths. */
static uint32_t *common_lines(const struct lines *a, const struct lines *b)
{
    size_t width = (size_t)b->n + 1;
    uint32_t *length = sonde_calloc(((size_t)a->n + 1) * width, sizeof *length);
    for (size_t i = a->n; i-- > 0;) {
        for (size_t j = b->n; j-- > 0;) {
            uint32_t *at = &length[i * width + j];
            if (!strcmp(a->all[i], b->all[j])) *at = at[width + 1] + 1;
            else *at = at[width] > at[1] ? at[width] : at[1];
        }
    }
    return length;
}

/* Prints the lines of both trees: "  " before common ones, "- " and "+ " before lines of one only. Returns whether they
 * differ. For two huge trees there is no table, and everything from the first difference on counts as different. */
static bool print_diff(const struct lines *a, const struct lines *b)
{
    size_t width = (size_t)b->n + 1, i = 0, j = 0;
    uint32_t *length = ((size_t)a->n + 1) * width <= DIFF_CELLS_MAX ? common_lines(a, b) : NULL;
    bool differ = false;
    while (i < a->n || j < b->n) {
        if (i < a->n && j < b->n && !strcmp(a->all[i], b->all[j])) {
            printf("  %s\n", a->all[i]);
            i++, j++;
            continue;
        }
        differ = true;
        bool takes_a = j == b->n || (i < a->n && (!length || length[(i + 1) * width + j] >= length[i * width + j + 1]));
        if (takes_a) printf("- %s\n", a->all[i++]);
        else printf("+ %s\n", b->all[j++]);
    }
    sonde_free(length);
    return differ;
}

int sonde_tool_diff(int argc, char **argv)
{
    struct sonde_loaded a, b;
    (void)argc;
    if (!sonde_load("diff", &a, argv[1])) return SONDE_USAGE;
    if (!sonde_load("diff", &b, argv[2])) {
        sonde_unload(&a);
        return SONDE_USAGE;
    }
    struct lines left = tree_lines(&a), right = tree_lines(&b);
    bool differ = print_diff(&left, &right);
    free_lines(&left);
    free_lines(&right);
    sonde_unload(&a);
    sonde_unload(&b);
    return differ ? SONDE_FALSIFIED : SONDE_PASSED;
}

/* ---- convert ---------------------------------------------------------------------------------------------------*/

/* The arguments of `sonde convert`; NULL where one is missing. */
struct conversion {
    const char *to, *with, *from, *out;
};

/* Begin of the line that fuzz targets (adapters/sonde_fuzz.h) print if SONDE_FUZZ_TOKEN is set; the token is the
 * rest. */
#define TOKEN_LINE "sonde token: "

/* Runs the fuzz target on an input and returns the token that it prints, to be freed; NULL after a message. Bytes from
 * a fuzzer have a meaning only for the property that draws from them, so it must run. */
static char *ask_target(const char *target, const char *path)
{
    int ends[2];
    size_t n;
    if (pipe(ends) < 0) return NULL;
    pid_t child = fork();
    if (child == 0) {
        setenv("SONDE_FUZZ_TOKEN", "1", 1);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp(target, target, path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    char *said = read_stream(in, &n), *token = said ? strstr(said, TOKEN_LINE) : NULL;
    if (in) fclose(in);
    if (child > 0) waitpid(child, NULL, 0);
    if (token) {
        token += strlen(TOKEN_LINE);
        token[strcspn(token, "\n")] = 0;
        token = sonde_strdup(token);
    } else {
        sonde_complain("sonde convert: '%s %s' printed no token; it must be a fuzz target made with sonde_fuzz.h",
                       target, path);
    }
    sonde_free(said);
    return token;
}

/* Reads the arguments. Returns false if they are wrong. */
static bool parse_conversion(struct conversion *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--to=", 5)) c->to = argv[i] + 5;
        else if (!strncmp(argv[i], "--with=", 7)) c->with = argv[i] + 7;
        else if (!c->from) c->from = argv[i];
        else if (!c->out) c->out = argv[i];
        else return false;
    }
    if (!c->from || (c->with && c->from[0] != '@')) return false;
    return !c->to || !strcmp(c->to, "token") || !strcmp(c->to, "tape") || !strcmp(c->to, "bytes");
}

/* Writes a tape as "token", "tape" or "bytes". */
static void write_as(FILE *out, const struct sonde_loaded *what, const char *form)
{
    size_t n = 0;
    if (!strcmp(form, "bytes")) {
        uint8_t *bytes = sonde_tape_encode(&what->tape, what->labels, &n);
        fwrite(bytes, 1, n, out);
        sonde_free(bytes);
        return;
    }
    char *token = sonde_tape_to_text(&what->tape, what->labels);
    if (!strcmp(form, "tape")) {
        char *file = sonde_stored_write(&(struct sonde_stored){.token = token}, &n);
        fwrite(file, 1, n, out);
        sonde_free(file);
    } else {
        fprintf(out, "%s\n", token);
    }
    sonde_free(token);
}

/* Writes the result and returns the exit status. Without --to, bytes become a token and anything else becomes bytes. */
static int write_conversion(const struct conversion *c, const struct sonde_loaded *what)
{
    const char *form = c->to ? c->to : what->was_bytes || c->with ? "token" : "bytes";
    FILE *out = c->out ? fopen(c->out, "wbe") : stdout;
    if (!out) {
        sonde_complain("sonde convert: cannot write '%s': %s", c->out, strerror(errno));
        return SONDE_USAGE;
    }
    write_as(out, what, form);
    bool bad = ferror(out) != 0;
    if (out != stdout) bad = fclose(out) != 0 || bad;
    if (bad) sonde_complain("sonde convert: cannot write the result: %s", strerror(errno));
    return bad ? SONDE_INTERNAL : SONDE_PASSED;
}

int sonde_tool_convert(int argc, char **argv)
{
    struct conversion c = {0};
    struct sonde_loaded tape;
    if (!parse_conversion(&c, argc, argv)) {
        fputs(
            "sonde convert: the arguments are wrong; write sonde convert [--to=token|tape|bytes] [--with=FUZZ-TARGET] "
            "TOKEN|@FILE [OUT]; --with needs @FILE\n",
            stderr);
        return SONDE_USAGE;
    }
    char *token = c.with ? ask_target(c.with, c.from + 1) : NULL;
    if (c.with && !token) return SONDE_USAGE;
    bool good = sonde_load("convert", &tape, token ? token : c.from);
    sonde_free(token);
    if (!good) return SONDE_USAGE;
    int status = write_conversion(&c, &tape);
    sonde_unload(&tape);
    return status;
}
