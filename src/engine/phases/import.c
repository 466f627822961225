/* Turns files into inputs: for each file, --import finds the choices that make the property write that file
 * (retrace.h). The search begins with these inputs.
 *
 * A file that the property can write as a whole becomes one input. For any other, the part that can be written becomes
 * the beginning of a few inputs. The rest of the draws gets the simplest values in the first input, and uniform values
 * in the others.
 *
 * A user's files were not made for this generator, so nothing in a directory of files ends the run. */
#include "engine/phases/phases.h"

#include "base/clock.h"
#include "base/command.h"
#include "base/die.h"
#include "base/digits.h"
#include "engine/phases/inputs.h"
#include "engine/search/account.h"
#include "exec/interrupt.h"
#include "import/retrace.h"
#include "store/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    /* maximum size of a file in bytes: each run writes the known part again, so time grows with the square of the
     * size */
    FILE_MAX = 1 << 20,
    SAID = 8,        /* number of skipped files that get a warning each; further ones are only counted */
    COMPLETIONS = 16 /* number of inputs made from a file of which only the beginning can be written */
};

struct importing {
    struct sonde_engine *e;
    struct sonde_import_test test;
    struct sonde_aim *aim; /* the target, in memory that workers share */
    struct sonde_guess *guess;
    uint32_t n_files, n_whole, n_part, n_said;
    uint64_t runs;
    size_t bytes;       /* sum of the bytes of all tapes */
    size_t named;       /* length of the part of each path that the user named */
    double in_commands; /* seconds */
    bool has_written;   /* the property has called sonde_put */
    bool is_ended;      /* the import has ended: no more files are tried */
};

SONDE_PRINTF(3, 4) static void say_of(struct importing *k, const char *path, const char *format, ...)
{
    enum { TEXT = 1024 };
    char text[TEXT];
    va_list args;
    if (k->n_said++ >= SAID) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sonde_warn("--import: '%s' %s", path, text);
}

/* ---- The form that the property writes */

static bool is_command(const char *form)
{
    return strcmp(form, "exact") != 0 && strcmp(form, "spaces") != 0;
}

/* Returns the seconds that a command may take: a case's limit, and together with earlier commands no more than --time.
 * Below 0: none are left. */
static double command_seconds(const struct importing *k)
{
    const struct sonde_options *o = &k->e->options;
    if (!o->seconds_given || o->seconds <= 0) return o->timeout_wall;
    double left = o->seconds - k->in_commands;
    if (left <= 0) return -1;
    return o->timeout_wall > 0 && o->timeout_wall < left ? o->timeout_wall : left;
}

/* Replaces the content of a file by what the command prints for it. Returns what sonde_command_run does. */
static int run_command(struct importing *k, const char *path, char **bytes, size_t *n)
{
    double began = sonde_clock_now(), seconds = command_seconds(k);
    if (seconds < 0) return -ETIME;
    int fd = sonde_below_open(path, k->named);
    if (fd < 0) return fd;
    const char *const argv[] = {"sh", "-c", k->e->options.import_as, NULL};
    const struct sonde_command command = {
        .argv = argv, .input = fd, .seconds = seconds, .max = FILE_MAX, .is_over = sonde_interrupted};
    int status = sonde_command_run(&command, bytes, n);
    close(fd);
    k->in_commands += sonde_clock_now() - began;
    return status;
}

static void say_of_command(struct importing *k, const char *path, int status)
{
    const char *form = k->e->options.import_as;
    if (status > 0)
        say_of(k, path, "is left out: '%s' ended with status %d", form,
               WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    else if (status == -ETIME)
        say_of(k, path, "is left out: '%s' took longer than --wall-timeout or --time allows, and was ended", form);
    else if (status == -EFBIG)
        say_of(k, path, "is left out: '%s' printed more than %d MiB, and was ended", form, FILE_MAX >> 20);
    else if (status < 0 && status != -EINTR) say_of(k, path, "is left out: '%s': %s", form, strerror(-status));
}

/* Returns the contents of a file in the form that the property writes, heap-allocated; NULL after a warning. */
static char *read_text_of(struct importing *k, const char *path, size_t *n)
{
    char *bytes = NULL;
    int error = sonde_below_read(path, k->named, FILE_MAX, &bytes, n);
    if (error == -EFBIG) say_of(k, path, "is left out: it is larger than %d MiB", FILE_MAX >> 20);
    else if (error) say_of(k, path, "is left out: %s", sonde_below_reason(error));
    if (!error && is_command(k->e->options.import_as)) {
        sonde_free(bytes);
        error = run_command(k, path, &bytes, n);
        say_of_command(k, path, error);
    }
    if (!error && *n == 0) say_of(k, path, "is left out: there is nothing in it");
    if (!error && *n > 0) return bytes;
    sonde_free(bytes);
    return NULL;
}

/* ---- The result for a file */

static void quote(const char *bytes, size_t n, char *out, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < n && at + 8 < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\n') at += (size_t)snprintf(out + at, size - at, "\\n");
        else if (c == '\t') at += (size_t)snprintf(out + at, size - at, "\\t");
        else if (c == '"' || c == '\\') at += (size_t)snprintf(out + at, size - at, "\\%c", c);
        else if (c < ' ' || c >= 0x7f) at += (size_t)snprintf(out + at, size - at, "\\x%02x", c);
        else out[at++] = (char)c;
    }
    out[at] = '\0';
}

/* Writes the words that runs wrote at the first wrong byte as a list, such as: "1", "[" or its end. */
static void list_words(const struct sonde_retraced *found, char *out, size_t size)
{
    size_t at = 0;
    uint32_t n = found->n_can + found->can_end;
    *out = '\0';
    for (uint32_t i = 0; i < n && at < size; i++) {
        char word[4 * SONDE_RETRACE_WORD + 1];
        const char *before = i == 0 ? "" : i + 1 == n ? " or " : ", ";
        if (i == found->n_can) {
            at += (size_t)snprintf(out + at, size - at, "%sits end", before);
            continue;
        }
        quote(found->can[i], strlen(found->can[i]), word, sizeof word);
        at += (size_t)snprintf(out + at, size - at, "%s\"%s\"", before, word);
    }
}

/* Warns that a grammar derives only the beginning of a file, and where that ends. */
static void say_where_parsed(struct importing *k, const char *path, uint32_t line, uint32_t column, const char *here)
{
    const struct sonde_aim_derivation *derivation = &k->aim->derivation;
    char done[SONDE_GROUPED], all[SONDE_GROUPED];
    say_of(k, path,
           "is %s: the grammar has %s of its %s bytes; at line %" PRIu32 " column %" PRIu32
           " it has %s%s%s, and the grammar expects %s",
           derivation->parsed ? "imported in part" : "left out", sonde_grouped(derivation->parsed, done),
           sonde_grouped(k->aim->n, all), line, column, *here ? "\"" : "", *here ? here : "its end", *here ? "\"" : "",
           *derivation->expected ? derivation->expected : "its end");
}

static void say_where(struct importing *k, const char *path, const struct sonde_retraced *found)
{
    char words[512], runs[SONDE_GROUPED], done[SONDE_GROUPED], all[SONDE_GROUPED], here[64];
    const struct sonde_aim_derivation *derivation = &k->aim->derivation;
    uint32_t at = derivation->is_parsed && !derivation->is_whole ? derivation->parsed : found->n;
    uint32_t line = 1, column = 1, rest = k->aim->n - at, shown = rest < 12 ? rest : 12;
    for (uint32_t i = 0; i < at; i++, column++)
        if (k->aim->text[i] == '\n') line++, column = 0;
    quote(k->aim->text + at, shown, here, sizeof here);
    if (derivation->is_parsed && !derivation->is_whole) {
        say_where_parsed(k, path, line, column, here);
        return;
    }
    list_words(found, words, sizeof words);
    sonde_grouped(found->runs, runs);
    if (!rest)
        say_of(
            k, path,
            "is imported in part: the property writes all of it, but in %s runs never ended there; it continued with "
            "%s",
            runs, words);
    else if (!found->n)
        say_of(k, path, "is left out: it begins with \"%s\", but in %s runs the property wrote only %s", here, runs,
               *words ? words : "nothing");
    else
        say_of(k, path,
               "is imported in part: the first %s of %s bytes, up to line %" PRIu32 " column %" PRIu32
               ", where it has \"%s\", but in %s runs the property wrote only %s",
               sonde_grouped(found->n, done), sonde_grouped(k->aim->n, all), line, column, here, runs,
               *words ? words : "nothing");
}

/* Adds inputs, unless all inputs together exceed the memory of the search: the tapes stay until the search has run
 * them. */
static void lead(struct importing *k, const struct sonde_retraced *found)
{
    uint32_t n = found->is_whole ? 1 : COMPLETIONS;
    for (uint32_t i = 0; i < n; i++) {
        k->bytes += sonde_tape_bytes(&found->tape);
        if (k->bytes > k->e->options.memory) {
            if (!k->is_ended)
                sonde_warn("--import: the inputs take more memory than --memory allows; the rest is left out");
            k->is_ended = true;
            return;
        }
        sonde_engine_lead(k->e, &found->tape, NULL)->is_open = i > 0;
    }
}

static void import_text(struct importing *k, const char *path, const char *text, size_t n)
{
    struct sonde_retraced found = {0};
    sonde_tape_init(&found.tape);
    k->aim->derivation.is_parsed = false;
    k->aim->text = text;
    k->aim->n = (uint32_t)n;
    sonde_retrace(&k->test, k->guess, &found);
    k->runs += found.runs;
    k->n_whole += found.is_whole;
    k->n_part += !found.is_whole && found.n > 0 && found.n_puts;
    k->has_written |= found.n_puts > 0;
    if (!found.n_puts && found.has_failed) {
        say_of(k, path, "is left out: %s failed before it wrote anything by sonde_put", k->e->report.property);
    } else if (!found.n_puts) {
        if (!found.was_misused)
            sonde_warn("--import: %s writes nothing by sonde_put, so files are not imported", k->e->report.property);
        k->is_ended = true;
    } else if (!found.is_whole && !sonde_interrupted()) {
        say_where(k, path, &found);
    }
    if (found.was_misused) k->is_ended = true;
    if (found.is_whole || (found.n && found.n_puts)) lead(k, &found);
    sonde_tape_clear(&found.tape);
}

/* ---- Running */

static bool ran_over(const sonde *t)
{
    return t->verdict == SONDE_OVERRUN || t->tape.n_choices >= t->limits.choices;
}

/* Runs a script; no search may be running. A failure of the property is recorded as a finding. */
static struct sonde_import_end run_script(void *user, const struct sonde_tape *script, struct sonde_guide *guide,
                                          struct sonde_tape *actual)
{
    const struct importing *k = user;
    struct sonde_single *single = k->e->single;
    struct sonde_guide *simplest = single->runner.guide;
    sonde *t = k->e->search->t;
    t->aim = k->aim;
    if (guide) single->runner.guide = guide;
    sonde_single_fails(single, &script, 1, false, 0);
    single->runner.guide = simplest;
    t->aim = NULL;
    sonde_search_keep_finding(k->e->search, "while files were imported");
    sonde_tape_end(&t->tape);
    sonde_tape_copy(actual, &t->tape);
    bool has_failed = t->verdict == SONDE_FAILED;
    return (struct sonde_import_end){has_failed, t->verdict == SONDE_MISUSE,
                                     (has_failed && t->claim.kind >= SONDE_CLAIM_CRASH) || ran_over(t)};
}

static bool is_interrupted(void *user)
{
    (void)user;
    return sonde_interrupted();
}

/* ---- Files */

static bool is_enough_imported(const struct importing *k)
{
    return k->is_ended || sonde_interrupted();
}

static void import_file(struct importing *k, const char *path)
{
    size_t n = 0;
    k->n_files++;
    char *text = read_text_of(k, path, &n);
    if (text) import_text(k, path, text, n);
    sonde_free(text);
}

static void import_path(struct importing *k, const char *path)
{
    struct stat info;
    struct sonde_tree tree = {.n = 0};
    struct sonde_tree_file file;
    uint32_t before = k->n_files;
    k->named = strlen(path);
    if (stat(path, &info) < 0 || !S_ISDIR(info.st_mode)) {
        import_file(k, path);
        return;
    }
    sonde_tree_begin(&tree, path);
    while (!is_enough_imported(k) && sonde_tree_next(&tree, &file)) {
        if (file.error) say_of(k, file.path, "is left out: %s", sonde_below_reason(file.error));
        else import_file(k, file.path);
    }
    sonde_tree_end(&tree);
    if (k->n_files == before) sonde_warn("--import: there is no file in '%s'", path);
}

bool sonde_engine_check_imports(struct sonde_engine *e)
{
    for (size_t i = 0; i < e->options.n_imports; i++) {
        if (access(e->options.imports[i], F_OK) == 0) continue;
        snprintf(e->message, sizeof e->message, "--import: '%.500s' cannot be read: %s", e->options.imports[i],
                 strerror(errno));
        return false;
    }
    return true;
}

void sonde_engine_import(struct sonde_engine *e)
{
    char files[SONDE_GROUPED], runs[SONDE_GROUPED];
    if (!e->options.n_imports) return;
    struct importing k = {.e = e, .aim = sonde_calloc(1, sizeof *k.aim)};
    k.aim->skips_space = !strcmp(e->options.import_as, "spaces");
    k.guess = sonde_guess_create(k.aim);
    k.test = (struct sonde_import_test){k.aim, run_script, is_interrupted, &k};
    for (size_t i = 0; i < e->options.n_imports && !is_enough_imported(&k); i++) import_path(&k, e->options.imports[i]);
    if (k.n_said > SAID) sonde_warn("--import: %" PRIu32 " more warnings like these were not printed", k.n_said - SAID);
    if (k.has_written)
        sonde_say("%s: files imported as a whole: %" PRIu32 " of %s; in part: %" PRIu32 "; runs: %s",
                  e->report.property, k.n_whole, sonde_grouped(k.n_files, files), k.n_part,
                  sonde_grouped(k.runs, runs));
    sonde_guess_free(k.guess);
    sonde_free(k.aim->marks);
    sonde_free(k.aim->derivation.decisions);
    sonde_free(k.aim);
}
