/* See precond.h; rewrite.c explains the rewriting itself. This file runs the compiler around it. A source with
 * conditions is compiled in these steps:
 *
 *    0. The functions that its SONDE_DERIVE declare are added at its end (derived.h).
 *    1. The compiler preprocesses it, with the user's flags, and writes the depfile if the user asked for one.
 *    2. sonde_rewrite adds distances. Line markers keep file names and line numbers.
 *    3. The compiler checks the result (-fsyntax-only). Conditions that it rejects stay as written; a second check,
 *       with markers, names them (objections.h).
 *    4. With clang, a source with floats is translated to intermediate code, where comparisons of these are reported
 *       (reals.h).
 *    5. The result is compiled instead of the source.
 *
 * Users see only messages about the source as written. If the rewritten form gives any message, the compiler checks the
 * source as written and shows the messages about that. The rewritten form is then compiled with -w. A step to which
 * this does not apply (is_possible) is compiled as it is.
 *
 * Example: `gcc -O2 -c x.c -o x.o` ends as `gcc -O2 -c -x cpp-output /proc/self/fd/3 -x none
 * -fdebug-prefix-map=/proc/self/fd/3=x.c -o x.o -Wno-error`. */
#define _GNU_SOURCE /* memfd_create */

#include "precond.h"

#include "base/die.h"
#include "base/mem.h"
#include "derived.h"
#include "mutated.h"
#include "mutants.h"
#include "objections.h"
#include "reals.h"
#include "rewrite.h"

#include <sonde.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Running the compiler */

/* The result of a compiler run. `output` is to be freed. */
struct outcome {
    int status;   /* as from waitpid; -1: it could not be run */
    char *output; /* standard output or standard error, by enum below; NULL if it could not be run */
};

enum { WANT_OUTPUT = 1, WANT_MESSAGES = 2, WANT_OUTPUT_LOUDLY = 3 /* the user sees the messages */ };

/* Reads a file descriptor to its end. Returns a string; the caller frees it. */
static char *read_all(int file)
{
    char *text = NULL;
    uint32_t n = 0, cap = 0;
    for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR); n += got > 0 ? (uint32_t)got : 0) {
        text = sonde_grow(text, &cap, (size_t)n + 65536, 1);
        got = read(file, text + n, 65535);
    }
    text[n] = 0;
    return text;
}

/* Replaces the child after fork by the command, with one of its outputs connected to the pipe and the other discarded.
 * Makes system calls only. */
static void exec_child(const struct words *command, int pipe_end, int want)
{
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, 0);
    dup2(want == WANT_MESSAGES ? nowhere : pipe_end, 1);
    if (want != WANT_OUTPUT_LOUDLY) dup2(want == WANT_MESSAGES ? pipe_end : nowhere, 2);
    execvp(command->all[0], command->all);
    _exit(127);
}

/* Runs a command and captures one of its outputs. Reads to the end of the output before it
 * waits: a child with more output than the pipe holds would block. */
static struct outcome run(const struct words *command, int want)
{
    struct outcome o = {.status = -1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return o;
    pid_t child = fork();
    if (child == 0) exec_child(command, ends[1], want);
    close(ends[1]);
    o.output = read_all(ends[0]);
    close(ends[0]);
    if (child < 0 || waitpid(child, &o.status, 0) != child) o.status = -1;
    return o;
}

/* Runs a command whose messages the user sees. Returns its exit status; 1 if it could not be run or was killed. */
static int run_shown(const struct words *command)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        execvp(command->all[0], command->all);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ---- Commands */

static bool is_source(const char *word)
{
    static const char *const ends[] = {"c", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", NULL};
    const char *dot = strrchr(word_base_name(word), '.');
    return word[0] != '-' && dot && word_is_one_of(dot + 1, ends);
}

/* Reports whether a source is C++: by the driver's name, else by its suffix. */
static bool is_cxx(const struct precond_step *step, const char *source)
{
    return step->is_cxx || strcmp(strrchr(source, '.'), ".c") != 0;
}

/* Reports whether the argument after i is the value of option i, as in `-o x.o`. */
static bool takes_another(const struct words *given, uint32_t i)
{
    return word_is_one_of(given->all[i], words_taking_another) && i + 1 < given->n;
}

static bool is_depfile_word(const char *word)
{
    static const char *const others[] = {"-MD", "-MMD", "-MF", "-MT", "-MQ", "-MP", "-MG", NULL};
    return word_is_one_of(word, others) || word_starts(word, "-MF") || word_starts(word, "-MT")
           || word_starts(word, "-MQ");
}

/* Reports whether an option applies only before preprocessing. */
static bool is_preprocessing(const char *word)
{
    return !strcmp(word, "-include") || !strcmp(word, "-imacros");
}

/* Reports whether an option decides what is produced, and under which name. */
static bool is_output(const char *word)
{
    static const char *const kinds[] = {"-c", "-S", "--compile", "--assemble", NULL};
    return word_starts(word, "-o") || word_is_one_of(word, kinds);
}

/* Returns the compiler command with the user's flags, but without inputs, outputs, libraries and depfiles. Flags that
 * decide how a source is read remain. */
static struct words front_end(const struct precond_step *step, bool is_preprocessed)
{
    struct words front = {0};
    words_add_all(&front, (const char *const *)step->before->all);
    for (uint32_t i = 0; i < step->given->n; i++) {
        const char *word = step->given->all[i];
        bool more = takes_another(step->given, i), is_input = word[0] != '-' || !word[1];
        bool drops = is_input || is_output(word) || is_depfile_word(word) || word_starts(word, "-l")
                     || !strcmp(word, "-v") || word_starts(word, "-Wl,") || (is_preprocessed && is_preprocessing(word));
        if (!drops) words_add(&front, word);
        if (!drops && more) words_add(&front, step->given->all[i + 1]);
        i += more;
    }
    if (!is_preprocessed) words_add_all(&front, (const char *const[]){"-idirafter", step->include, NULL});
    if (step->is_clang) words_add(&front, "-Qunused-arguments");
    return front;
}

/* Adds an open file as an input. The compiler reads it through /proc/self/fd, so that no temporary file can be left on
 * disk. "-x none" ends the effect of "-x": the inputs after it are compiled by their suffix again. */
static void add_file(struct words *words, int file, const char *language)
{
    words_add_all(words, (const char *const[]){"-x", language, NULL});
    words_add_format(words, "/proc/self/fd/%d", file);
    words_add_all(words, (const char *const[]){"-x", "none", NULL});
}

/* Adds a file of preprocessed source. */
static void add_text(struct words *words, int file, bool cxx)
{
    add_file(words, file, cxx ? "c++-cpp-output" : "cpp-output");
}

/* Adds the name that debuggers show instead of a file without one. */
static void add_debug_name(struct words *words, int file, const char *source)
{
    words_add_format(words, "-fdebug-prefix-map=/proc/self/fd/%d=%s", file, source);
}

/* ---- Depfiles */

static bool has_depfile(const struct words *given)
{
    for (uint32_t i = 0; i < given->n; i++)
        if (!strcmp(given->all[i], "-MD") || !strcmp(given->all[i], "-MMD")) return true;
    return false;
}

/* Returns the value of the last -o, joined (-ox.o) or not; NULL if there is none. */
static const char *given_output(const struct words *given)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < given->n; i++) {
        if (!strcmp(given->all[i], "-o") && i + 1 < given->n) name = given->all[i + 1];
        else if (word_starts(given->all[i], "-o") && given->all[i][2]) name = given->all[i] + 2;
    }
    return name;
}

/* Adds the name of a file with another suffix: "x.o" for "x.c" and "o". Without -o compilers name outputs so. */
static void add_named(struct words *words, const char *option, const char *name, const char *end)
{
    const char *dot = strrchr(word_base_name(name), '.');
    int n = dot ? (int)(dot - name) : (int)strlen(name);
    if (option) words_add(words, option);
    words_add_format(words, "%.*s.%s", n, name, end);
}

/* Adds the user's options for the depfile, and makes its defaults explicit. A compiler derives the names of the depfile
 * and its target from its output; the preprocessing step here has none. So -MF and -MQ are given as the user's command
 * would have implied them: `-MD -c x.c` becomes `-MD -MF x.d -MQ x.o`. */
static void add_depfile(struct words *command, const struct words *given, const char *source)
{
    bool has_file = false, has_target = false;
    const char *output = given_output(given);
    for (uint32_t i = 0; i < given->n; i++) {
        const char *word = given->all[i];
        if (!is_depfile_word(word)) {
            i += takes_another(given, i);
            continue;
        }
        has_file = has_file || word_starts(word, "-MF");
        has_target = has_target || word_starts(word, "-MT") || word_starts(word, "-MQ");
        words_add(command, word);
        if (takes_another(given, i)) words_add(command, given->all[++i]);
    }
    if (!has_file) add_named(command, "-MF", output ? output : word_base_name(source), "d");
    if (has_target) return;
    if (output) words_add_all(command, (const char *const[]){"-MQ", output, NULL});
    else add_named(command, "-MQ", word_base_name(source), "o");
}

/* ---- One source */

/* A source whose conditions are being rewritten. */
struct attempt {
    const struct precond_step *step;
    const char *preprocessed;
    bool is_cxx;
    bool *skips; /* skips[i]: condition i stays as written */
    uint32_t n;  /* number of conditions that can be rewritten */
};

/* Returns an unnamed file with this content, -1 if that failed. Not close-on-exec: the compiler inherits it. */
static int make_file(const char *text)
{
    int file = memfd_create("sonde", 0);
    size_t n = strlen(text), done = 0;
    while (file >= 0 && done < n) {
        ssize_t got = write(file, text + done, n - done);
        if (got <= 0) return -1;
        done += (size_t)got;
    }
    return file;
}

/* Reports whether the compiler accepts preprocessed source. With is_silent it must also print no message, under the
 * user's warning flags; without, warnings are off. */
static bool is_accepted(const struct attempt *a, const char *text, bool is_silent)
{
    int file = make_file(text);
    if (file < 0) return false;
    struct words check = front_end(a->step, true);
    words_add(&check, "-fsyntax-only");
    if (!is_silent) words_add(&check, "-w");
    add_text(&check, file, a->is_cxx);
    struct outcome o = run(&check, WANT_MESSAGES);
    close(file);
    bool accepted = o.status == 0 && (!is_silent || !o.output || !*o.output);
    sonde_free(o.output);
    return accepted;
}

/* Reports whether an option is about warnings. */
static bool is_warning(const char *word)
{
    return (word_starts(word, "-W") && !strchr(word, ',')) || word_starts(word, "-pedantic");
}

char *precond_check(const struct precond_step *step, const struct precond_checked *checked, int *status)
{
    static const char *const gcc[] = {"-fmax-errors=0", "-fno-diagnostics-show-caret", "-fno-diagnostics-color", NULL},
                             *const clang[] = {"-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics",
                                               NULL};
    int file = make_file(checked->text);
    struct words front = front_end(step, true), check = {0};
    words_add_all(&check, (const char *const[]){"env", "LC_ALL=C", NULL});
    for (uint32_t i = 0; i < front.n; i++) {
        bool drops = word_starts(front.all[i], "-fdiagnostics-format"); /* gcc has no option that undoes this one */
        if (!drops && !(checked->wants_warnings && is_warning(front.all[i]))) words_add(&check, front.all[i]);
    }
    if (!checked->wants_warnings) words_add_all(&check, (const char *const[]){"-w", "-Wno-fatal-errors", NULL});
    words_add(&check, "-fsyntax-only");
    words_add_all(&check, step->is_clang ? clang : gcc);
    add_text(&check, file, checked->is_cxx);
    struct outcome o = run(&check, WANT_MESSAGES);
    if (file >= 0) close(file);
    *status = o.status;
    return o.output ? o.output : sonde_strdup("");
}

/* Writes the source for a check that names conditions. */
static char *write_marked(void *attempt)
{
    const struct attempt *a = attempt;
    uint32_t n;
    return sonde_rewrite(a->preprocessed, a->is_cxx, true, a->skips, &n);
}

/* Skips the condition at whose location a message begins. Returns whether that is new. */
static bool skip_named(void *attempt, const char *message)
{
    struct attempt *a = attempt;
    uint32_t i = objections_number(message, REWRITE_MARKER ":");
    if (i == 0 || i > a->n || a->skips[i - 1]) return false;
    a->skips[i - 1] = true;
    return true;
}

static bool skip_rejected(void *attempt, const char *message)
{
    return strstr(message, "error: ") && skip_named(attempt, message);
}

/* Returns the source with the conditions rewritten that compile, to be freed; NULL if none does. An error may be in a
 * template of sonde.h: the condition is then named by a line about the instantiation, not by the error itself. If an
 * error names no condition at all, none is rewritten. */
static char *skip_conditions(struct attempt *a)
{
    uint32_t n;
    char *messages;
    struct objections o = {.step = a->step,
                           .is_cxx = a->is_cxx,
                           .state = a,
                           .write = write_marked,
                           .reject = skip_rejected,
                           .reject_indirectly = skip_named};
    a->skips = sonde_calloc(a->n, sizeof *a->skips);
    bool settles = objections_settle(&o, &messages);
    char *text = settles ? sonde_rewrite(a->preprocessed, a->is_cxx, false, a->skips, &n) : NULL;
    sonde_free(messages);
    sonde_free(a->skips);
    return text;
}

/* Returns the preprocessor's command, without its input. The two macros make sonde.h expand conditions to the plain
 * form that rewrite.c recognises, and SONDE_DERIVE to declarations. */
static struct words preprocessor(const struct precond_step *step)
{
    struct words look = front_end(step, false);
    words_add_all(&look, (const char *const[]){"-DSONDE_PLAIN_CONDITIONS_", "-DSONDE_DERIVED_BELOW_", "-E", NULL});
    if (step->mutants->is_on) {
        words_add(&look, "-include");
        words_add_format(&look, "%s/sonde/mutants.h", step->include);
    }
    return look;
}

/* Returns the preprocessed form of `text`: the source with derived functions. The depfile is made in a separate run
 * from the source itself, since `text` is in a file without a name. -iquote replaces the directory of the source, where
 * #include "..." looks first. */
static char *preprocess_derived(const struct precond_step *step, const char *source, const char *text)
{
    struct words look = preprocessor(step), dependencies = preprocessor(step);
    int file = make_file(text), folder = (int)(word_base_name(source) - source);
    if (has_depfile(step->given)) {
        add_depfile(&dependencies, step->given, source);
        words_add(&dependencies, source);
        sonde_free(run(&dependencies, WANT_OUTPUT).output);
    }
    words_add(&look, "-iquote");
    words_add_format(&look, "%.*s", folder ? folder : 1, folder ? source : ".");
    words_add_all(&look, (const char *const[]){"-x", is_cxx(step, source) ? "c++" : "c", NULL});
    words_add_format(&look, "/proc/self/fd/%d", file);
    struct outcome o = run(&look, WANT_OUTPUT);
    close(file);
    return o.output;
}

/* Returns the preprocessed source, to be freed; NULL if it cannot be preprocessed or has nothing to rewrite. A source
 * that does not mention sonde is not worth a run of the compiler. */
static char *preprocess(const struct precond_step *step, const char *source, bool *is_derived)
{
    char *text = words_read_file(source), *derived = derived_source(source, step->given);
    bool is_ours = text && ((strstr(text, "sonde") && step->gives_distances) || step->mutants->is_on);
    sonde_free(text);
    *is_derived = derived != NULL;
    if (derived) {
        char *output = preprocess_derived(step, source, derived);
        sonde_free(derived);
        return output;
    }
    if (!is_ours) return NULL;
    struct words look = preprocessor(step);
    if (has_depfile(step->given)) add_depfile(&look, step->given, source);
    words_add(&look, source);
    struct outcome o = run(&look, WANT_OUTPUT);
    if (o.status == 0) return o.output;
    sonde_free(o.output);
    return NULL;
}

/* Returns the source with its conditions rewritten, to be freed; NULL if it stays as it is. Sets *is_silent if the
 * compiler has no message about the result.
 *
 * Nearly always the first check succeeds. If the compiler rejects the source as written, too, it shows the errors in
 * that later. */
static char *give_distances(struct attempt *a, bool *is_silent)
{
    char *text = sonde_rewrite(a->preprocessed, a->is_cxx, false, NULL, &a->n);
    *is_silent = text && is_accepted(a, text, true);
    if (!text || *is_silent || is_accepted(a, text, false)) return text;
    sonde_free(text);
    return is_accepted(a, a->preprocessed, false) ? skip_conditions(a) : NULL;
}

/* The compilable form of a source. */
struct rewritten {
    int file;       /* the source rewritten; -1: it stays as it is */
    int as_written; /* the source with derived functions, preprocessed but not rewritten; -1: it has none */
    bool is_silent; /* the compiler has no message about `file` */
    bool is_mutated;
};

/* Returns the mutated form of a source, to be freed; `text` if it has none. `text` is the source with its conditions
 * rewritten, or NULL, and is taken. */
static char *mutate(const struct attempt *a, const char *source, char *text, struct rewritten *r)
{
    if (a->is_cxx) {
        if (a->step->mutants->globs.n ? mutants_is_match(&a->step->mutants->globs, source)
                                      : !mutated_is_test(a->preprocessed))
            sonde_complain("sonde cc: %s is compiled without mutants: --mutants is for C, not C++", source);
        return text;
    }
    char *mutated = mutated_source(a->step, source, text ? text : a->preprocessed);
    if (!mutated) return text;
    sonde_free(text);
    r->is_silent = false; /* messages are about the source as written */
    r->is_mutated = true;
    return mutated;
}

/* Preprocesses and rewrites a source. A source with derived functions is replaced even if no condition changes. */
static struct rewritten rewrite_source(const struct precond_step *step, const char *source)
{
    struct rewritten r = {.file = -1, .as_written = -1, .is_silent = true};
    struct attempt a = {.step = step, .is_cxx = is_cxx(step, source)};
    bool is_derived;
    a.preprocessed = preprocess(step, source, &is_derived);
    if (!a.preprocessed) return r;
    if (is_derived) r.as_written = make_file(a.preprocessed);
    char *text = step->gives_distances ? give_distances(&a, &r.is_silent) : NULL;
    if (step->mutants->is_on) text = mutate(&a, source, text, &r);
    if (text) r.file = make_file(text);
    else if (is_derived) {
        r.file = r.as_written;
        r.is_silent = is_accepted(&a, a.preprocessed, true);
    }
    sonde_free(text);
    return r;
}

/* Shows the compiler's messages about the source as written. Exits with the compiler's status if there is an error. */
static void show_messages(const struct precond_step *step, const char *source, int as_written)
{
    struct words look = front_end(step, as_written >= 0);
    words_add(&look, "-fsyntax-only");
    if (as_written >= 0) add_text(&look, as_written, is_cxx(step, source));
    else words_add(&look, source);
    int status = run_shown(&look);
    if (status) exit(status);
}

/* Reports whether a source is likely to compare floats or doubles: it names one of these types. */
static bool has_reals(const char *source)
{
    char *text = words_read_file(source);
    bool has = text && (strstr(text, "double") || strstr(text, "float"));
    sonde_free(text);
    return has;
}

/* Returns a file with the intermediate code of a source, in which comparisons of floats and doubles are reported; -1 if
 * the source has none. `rewritten` is the source in preprocessed form, whose messages were shown; -1: the source stays
 * as it is. In that case shows the messages, writes the depfile, and exits with the compiler's status on an error. */
static int lower(const struct precond_step *step, const char *source, int rewritten)
{
    if (!step->traces_reals || !has_reals(source)) return -1;
    struct words command = front_end(step, rewritten >= 0);
    words_add_all(&command,
                  (const char *const[]){"-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-o", "-", NULL});
    if (rewritten >= 0) {
        words_add(&command, "-w");
        add_text(&command, rewritten, is_cxx(step, source));
        add_debug_name(&command, rewritten, source);
    } else {
        if (has_depfile(step->given)) add_depfile(&command, step->given, source);
        words_add(&command, source);
    }
    struct outcome o = run(&command, rewritten >= 0 ? WANT_OUTPUT : WANT_OUTPUT_LOUDLY);
    if (o.status && rewritten < 0) exit(WIFEXITED(o.status) ? WEXITSTATUS(o.status) : 1);
    char *code = o.status ? NULL : reals_trace(o.output);
    int file = code ? make_file(code) : -1;
    sonde_free(code);
    sonde_free(o.output);
    return file;
}

/* ---- All of a step */

/* Reports whether an option makes rewriting impossible: the source is then compiled as it is. Such options make the
 * compiler name or describe its outputs after its input, and the input would be /proc/self/fd/3. Or they change what is
 * compiled or produced, as -x and -E do. */
static bool forbids_rewriting(const char *word)
{
    static const char *const words[] = {"-x",
                                        "--coverage",
                                        "-ftest-coverage",
                                        "-fprofile-arcs",
                                        "-M",
                                        "-MM",
                                        "-E",
                                        "-fsyntax-only",
                                        "-emit-llvm",
                                        "-emit-ast",
                                        "--analyze",
                                        "-include-pch",
                                        "-",
                                        "-fpreprocessed",
                                        "-###",
                                        "-H",
                                        "-Q",
                                        "-fdirectives-only",
                                        NULL};
    static const char *const starts[] = {"-save-temps",
                                         "-fmodule",
                                         "-gsplit-dwarf",
                                         "-fstack-usage",
                                         "-Wp,-M",
                                         "-MJ",
                                         "-finput-charset",
                                         "-fdump-",
                                         "-x",
                                         "-fprofile-instr-generate",
                                         "-dumpbase",
                                         "-ftime-trace",
                                         "-frewrite-",
                                         NULL};
    for (size_t i = 0; starts[i]; i++)
        if (word_starts(word, starts[i])) return true;
    return word_is_one_of(word, words);
}

/* Returns the number of sources among the user's arguments. */
static uint32_t count_sources(const struct words *given)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < given->n; i++) {
        n += is_source(given->all[i]);
        i += takes_another(given, i);
    }
    return n;
}

/* Reports whether the sources of a step can be replaced. Two rare cases are not supported: several sources with one
 * depfile, and several outputs without names. */
static bool is_possible(const struct precond_step *step)
{
    const struct words *given = step->given;
    uint32_t n = count_sources(given);
    bool output = given_output(given) != NULL, is_step = step->compiles_only || step->assembles;
    if (n == 0 || (n > 1 && is_step && !output)) return false;
    if (has_depfile(given) && (n > 1 || !step->compiles_only)) return false;
    for (uint32_t i = 0; i < given->n; i++)
        if (forbids_rewriting(given->all[i])) return false;
    return true;
}

/* Appends the user's arguments to `words`, with files[i] instead of argument i where that is not -1. Such a file has
 * preprocessed source, or intermediate code if are_lowered[i]. Keeps -include and
 * -imacros for the sources that stay as they are: compilers ignore these for preprocessed input. Adds the -o that the
 * source's name implied. */
static void replace(const struct precond_step *step, const int *files, const bool *are_lowered, struct words *words)
{
    const struct words *given = step->given;
    bool has_deps = has_depfile(given);
    const char *source = NULL;
    for (uint32_t i = 0; i < given->n; i++) {
        const char *word = given->all[i];
        bool more = takes_another(given, i);
        if (files[i] >= 0) {
            if (are_lowered[i]) add_file(words, files[i], "ir");
            else add_text(words, files[i], is_cxx(step, word));
            add_debug_name(words, files[i], word);
            source = word;
        } else if (!(has_deps && is_depfile_word(word))) {
            words_add(words, word);
            if (more) words_add(words, given->all[i + 1]);
        }
        i += more;
    }
    bool is_step = step->compiles_only || step->assembles;
    if (is_step && source && !given_output(given))
        add_named(words, "-o", word_base_name(source), step->assembles ? "s" : "o");
}

/* Prints a warning if sources are compiled that cannot be replaced. A step that only preprocesses compiles none. */
static void explain_without_mutants(const struct precond_step *step)
{
    static const char *const silent[] = {"-E", "-M", "-MM", "-fsyntax-only", "-###", NULL};
    const char *why = NULL;
    for (uint32_t i = 0; i < step->given->n; i++) {
        if (word_is_one_of(step->given->all[i], silent)) return;
        if (!why && forbids_rewriting(step->given->all[i])) why = step->given->all[i];
    }
    if (count_sources(step->given) == 0 && !why) return;
    sonde_complain("sonde cc: --mutants has no effect on this command, because of %s",
                   why ? why : "several sources without -o, or with one depfile; compile each of them separately");
}

/* Exits with an error if a program is compiled and linked in one step, with --mutants, but has none. In a step that
 * only compiles, other sources may have some. */
static void refuse_without_mutants(const struct precond_step *step)
{
    const struct words *globs = &step->mutants->globs;
    if (step->compiles_only || step->assembles) return;
    for (uint32_t i = 0; i < step->given->n; i++) {
        if (is_source(step->given->all[i])) show_messages(step, step->given->all[i], -1); /* an error is the reason */
        i += takes_another(step->given, i);
    }
    if (globs->n)
        sonde_die(
            SONDE_USAGE,
            "sonde cc: --mutants=%s: no source here has a function to mutate in a file of that name; the pattern is "
            "compared with file names as in the compiler's messages",
            globs->all[0]);
    sonde_die(SONDE_USAGE,
              "sonde cc: --mutants: no source here can be mutated: sources that include sonde.h are tests; name "
              "files with the code under test by --mutants=GLOB");
}

bool precond_rewrite(const struct precond_step *step, struct words *words)
{
    bool is_rewritten = false, is_lowered = false, is_silent = true, is_mutated = false;
    if (!is_possible(step)) {
        if (step->mutants->is_on) explain_without_mutants(step);
        return false;
    }
    int *files = sonde_malloc(step->given->n * sizeof *files);
    bool *are_lowered = sonde_calloc(step->given->n, sizeof *are_lowered);
    for (uint32_t i = 0; i < step->given->n; i++) {
        const char *word = step->given->all[i];
        files[i] = -1;
        if (takes_another(step->given, i)) {
            files[++i] = -1;
            continue;
        }
        if (!is_source(word)) continue;
        struct rewritten r = rewrite_source(step, word);
        files[i] = r.file;
        is_mutated = is_mutated || r.is_mutated;
        if (r.file >= 0 && !r.is_silent) show_messages(step, word, r.as_written);
        is_silent = is_silent && r.is_silent;
        is_rewritten = is_rewritten || r.file >= 0;
        int lowered = lower(step, word, r.file);
        if (lowered >= 0) files[i] = lowered;
        are_lowered[i] = lowered >= 0;
        is_lowered = is_lowered || lowered >= 0;
    }
    if (is_rewritten || is_lowered) replace(step, files, are_lowered, words);
    /* Some warnings need optimisation, so -fsyntax-only did not show them. They may concern the code added here. */
    if (is_rewritten) words_add(words, is_silent ? "-Wno-error" : "-w");
    if (step->is_clang && (is_rewritten || is_lowered)) words_add(words, "-Qunused-arguments");
    sonde_free(files);
    sonde_free(are_lowered);
    if (step->mutants->is_on && !is_mutated) refuse_without_mutants(step);
    return is_rewritten || is_lowered;
}

void precond_print(const struct precond_step *step)
{
    for (uint32_t i = 0; i < step->given->n; i++) {
        const char *word = step->given->all[i];
        int file = is_possible(step) && is_source(word) ? rewrite_source(step, word).file : -1;
        if (file < 0) {
            if (is_source(word)) printf("# %s stays as it is\n", word);
        } else {
            lseek(file, 0, SEEK_SET);
            fputs(read_all(file), stdout);
            close(file);
        }
        i += takes_another(step->given, i);
    }
}
