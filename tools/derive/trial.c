/* See trial.h. All proposals are compiled as one file, which costs as much as one. Those with an error are left out,
 * and the rest is compiled again. A new test may do anything that the code under test does when it is called wrongly.
 * So it runs with limits (confine.c). It can change files only in a new directory, and send signals only to processes
 * that it started; older kernels forbid less. It has little time, and leaves no core files. */
#include "trial.h"

#include "base/command.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Limits. A large header's proposals compile in a few seconds; 300 cases find what fails at once. */
#define COMPILE_SECONDS 300.0
#define RUN_SECONDS 120.0
#define TESTS "300"
#define TIME_EACH 2.0
#define RANDOM_CASES "40"
#define RANDOM_TIME 5.0
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
enum { MOST_OUTPUT = 1 << 24, MOST_COMMAND = 2 * MOST_NEW_WORDS + 64, MOST_ROUNDS = 40 };

static char folder[PATH_MAX]; /* where the files are; "": there are none yet */

/* ---- Files */

static const char *path_of(const char *name)
{
    return keep_format("%s/%s", folder, name);
}

static volatile sig_atomic_t stopped_by; /* signal that the user ended this with; 0: none */

static void on_signal(int number)
{
    stopped_by = number;
}

static bool is_stopped(void)
{
    return stopped_by != 0;
}

/* Makes the directory. Returns false after a message. */
static bool begin_files(void)
{
    const char *base = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    if (*folder) return true;
    snprintf(folder, sizeof folder, "%s/sonde-new-XXXXXX", base);
    for (int i = 0; i < 3; i++) signal((const int[]){SIGINT, SIGTERM, SIGHUP}[i], on_signal);
    if (mkdtemp(folder)) return true;
    complain((struct place){NULL, 0}, "cannot make a directory in %s: %s; set TMPDIR", base, strerror(errno));
    *folder = 0;
    return false;
}

void trial_end(void)
{
    if (!*folder) return;
    const char *const argv[] = {"rm", "-rf", "--", folder, NULL};
    char *output;
    size_t n;
    sonde_command_run(&(struct sonde_command){.argv = argv, .input = -1, .seconds = 60, .max = MOST_OUTPUT}, &output,
                      &n);
    sonde_free(output);
    *folder = 0;
}

/* ---- Commands */

/* A command line. */
struct line {
    const char *all[MOST_COMMAND];
    uint32_t n;
};

static void add(struct line *to, const char *word)
{
    if (to->n + 1 < MOST_COMMAND) to->all[to->n++] = word;
}

/* Begins a command that runs under confine_main, in this directory. */
static void begin_line(struct line *to, const char *where, bool is_confined)
{
    static char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    to->n = 0;
    add(to, self);
    add(to, "--confine");
    add(to, where);
    add(to, is_confined ? "1" : "0");
    add(to, folder);
}

/* Runs a command. Returns its status as waitpid fills it, or a negative errno; *output receives what it printed. */
static int run(struct line *command, double seconds, const char **output)
{
    char *bytes;
    size_t n;
    command->all[command->n] = NULL;
    int status = sonde_command_run(&(struct sonde_command){.argv = command->all,
                                                           .input = -1,
                                                           .seconds = seconds,
                                                           .max = MOST_OUTPUT,
                                                           .is_over = is_stopped},
                                   &bytes, &n);
    if (is_stopped()) {
        trial_end();
        signal(stopped_by, SIG_DFL);
        raise(stopped_by);
    }
    *output = keep_text(bytes ? bytes : "");
    sonde_free(bytes);
    return status;
}

/* Begins a command of `sonde cc` with the options of the request. The header is found from where the user is. */
static void begin_compiler(struct line *to, const struct new_request *o)
{
    static char tool[PATH_MAX];
    if (!realpath("/proc/self/exe", tool)) *tool = 0;
    if (strrchr(tool, '/')) strcpy(strrchr(tool, '/') + 1, "sonde");
    begin_line(to, ".", false);
    add(to, tool);
    add(to, "cc");
    for (uint32_t i = 0; i < o->n_options; i++) add(to, o->options[i]);
    add(to, "-I.");
    add(to, "-w");
}

/* ---- The file with all proposals */

static bool is_in(const struct proposal *p)
{
    return p->text && !p->why_not;
}

static unsigned lines_in(const char *text)
{
    unsigned n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

/* Writes a file with proposals [from, to). first[i] receives the line where proposal i begins. Returns their number,
 * or 0 after a message. */
static uint32_t write_batch(const struct new_request *o, const struct proposal *all, uint32_t from, uint32_t to,
                            unsigned *first)
{
    char *text;
    size_t size;
    uint32_t n = 0;
    FILE *memory = open_memstream(&text, &size), *out;
    if (!memory) return 0;
    write_frame(memory, o, all + from, to - from);
    fflush(memory);
    unsigned line = 1 + lines_in(text);
    for (uint32_t i = from; i < to; i++) {
        if (!is_in(&all[i])) continue;
        first[i] = line;
        fprintf(memory, "%s\n", all[i].text);
        line += lines_in(all[i].text) + 1;
        n++;
    }
    fputs("SONDE_MAIN()\n", memory);
    fclose(memory);
    out = fopen(path_of("test.c"), "we");
    bool ok = out && fwrite(text, 1, size, out) == size;
    ok = out && fclose(out) == 0 && ok;
    free(text);
    if (!ok) complain((struct place){NULL, 0}, "cannot write %s: %s", path_of("test.c"), strerror(errno));
    return ok ? n : 0;
}

/* Returns the first error message of a compiler, without the location. */
static const char *first_error(const char *output)
{
    const char *at = strstr(output, "error: ");
    at = at ? at + 7 : strstr(output, "sonde derive: ");
    if (!at) at = output;
    return keep_format("%.*s", (int)strcspn(at, "\n"), at);
}

/* Sets why_not of the proposals that the compiler found errors in, by the errors' lines. Returns their number. */
static uint32_t blame_lines(struct proposal *all, uint32_t n, const unsigned *first, const char *output)
{
    uint32_t blamed = 0;
    for (const char *at = output; (at = strstr(at, "test.c:")); at++) {
        unsigned line = (unsigned)strtoul(at + 7, NULL, 10);
        const char *error = strstr(at, "error: "), *end = at + strcspn(at, "\n");
        if (!error || error > end) continue;
        for (uint32_t i = n; i-- > 0;) {
            if (!is_in(&all[i]) || line < first[i]) continue;
            if (line > first[i] + lines_in(all[i].text)) break;
            all[i].why_not = keep_format("it does not compile: %s", first_error(error));
            blamed++;
            break;
        }
    }
    return blamed;
}

/* Compiles proposals [from, to). Returns whether that worked; *output receives what the compiler printed. */
static bool compile(const struct new_request *o, struct proposal *all, uint32_t from, uint32_t to, unsigned *first,
                    const char **output)
{
    struct line command;
    *output = "";
    if (!write_batch(o, all, from, to, first)) return true;
    begin_compiler(&command, o);
    add(&command, "-O0");
    add(&command, "-c");
    add(&command, path_of("test.c"));
    add(&command, "-o");
    add(&command, path_of("test.o"));
    return run(&command, COMPILE_SECONDS, output) == 0;
}

/* Compiles each proposal alone, for errors that name no line: of derived types, for example. */
static void compile_each(const struct new_request *o, struct proposal *all, uint32_t n, unsigned *first)
{
    const char *output;
    for (uint32_t i = 0; i < n; i++)
        if (is_in(&all[i]) && !compile(o, all, i, i + 1, first, &output))
            all[i].why_not = keep_format("it does not compile: %s", first_error(output));
}

/* Reports whether a test without properties compiles: whether the header and the compiler can be used. */
static bool can_compile(const struct new_request *o)
{
    struct line command;
    const char *output;
    FILE *out = fopen(path_of("test.c"), "we");
    if (out) write_frame(out, o, NULL, 0);
    if (!out || fclose(out) != 0) return false;
    begin_compiler(&command, o);
    add(&command, "-c");
    add(&command, path_of("test.c"));
    add(&command, "-o");
    add(&command, path_of("test.o"));
    if (run(&command, COMPILE_SECONDS, &output) == 0) return true;
    complain((struct place){NULL, 0}, "a test that only includes %s does not compile: %s", o->header,
             first_error(output));
    return false;
}

bool trial_compile(const struct new_request *o, struct proposal *all, uint32_t n)
{
    unsigned *first = keep((n + 1) * sizeof *first);
    const char *output;
    if (!begin_files()) return false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (compile(o, all, 0, n, first, &output)) return true;
        if (!round && !can_compile(o)) return false;
        if (blame_lines(all, n, first, output)) continue;
        compile_each(o, all, n, first);
        return true;
    }
    return true;
}

/* ---- Running */

/* Returns the string after `"key": "` in a line of JSON, as it was before it was escaped; NULL if it is not there. */
static const char *json_text(const char *json, const char *key)
{
    const char *at = strstr(json, keep_format("\"%s\": \"", key));
    if (!at) return NULL;
    at += strlen(key) + 5;
    char *to = keep(strcspn(at, "\n") + 1), *end = to;
    for (; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1]) at++, *end++ = *at == 'n' ? ' ' : *at;
        else *end++ = *at;
    }
    return to;
}

/* Returns the number after `"key": ` in a line of JSON; 0 if it is not there. */
static unsigned json_number(const char *json, const char *key)
{
    const char *at = strstr(json, keep_format("\"%s\": ", key));
    return at ? (unsigned)strtoul(at + strlen(key) + 4, NULL, 10) : 0;
}

/* Returns the function of the last rule that a failing machine called, from the token: "rule=3-x_put". NULL: none. */
static const char *last_rule(const char *failure)
{
    const char *token = json_text(failure, "token"), *last = NULL;
    for (const char *at = token; at && (at = strstr(at, "rule=")); at++) last = at + strcspn(at, "-");
    if (!last || *last != '-') return NULL;
    return keep_format("%.*s", (int)strspn(last + 1, LETTERS "0123456789_"), last + 1);
}

/* Returns the function of a machine that a failure is about; NULL: unknown. It is the first one in the stack of a
 * sanitizer's report, because a leak is found late. If there is no stack, it is the one that was called last. */
static const char *culprit_in(const char *failure, const struct proposal *p)
{
    const char *output = json_text(failure, "output");
    for (const char *at = output; at && (at = strstr(at, " in ")); at++)
        for (uint32_t i = 0; i < p->n; i++) {
            size_t n = strlen(p->names[i]);
            if (!strncmp(at + 4, p->names[i], n) && !strchr(LETTERS "0123456789_", at[4 + n])) return p->names[i];
        }
    return last_rule(failure);
}

/* Sets what became of each property from the report, one line of JSON for each. */
static void read_report(struct proposal *all, uint32_t n, const char *report)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *line =
            is_in(&all[i]) ? strstr(report, keep_format("{\"property\": \"%s\",", all[i].property)) : NULL;
        if (!line) continue;
        line = keep_format("%.*s", (int)strcspn(line, "\n"), line);
        const char *verdict = json_text(line, "verdict"), *failure = strstr(line, "\"failures\": [{");
        const char *message = failure ? json_text(failure, "message") : json_text(line, "message");
        all[i].is_run = true;
        all[i].n_valid = json_number(line, "valid");
        all[i].n_failed = json_number(line, "tests") - all[i].n_valid - json_number(line, "discarded")
                          - json_number(line, "overruns");
        all[i].is_idle = !failure && !all[i].n_valid;
        const char *failed_by = failure ? json_text(failure, "kind") : NULL;
        all[i].failed_by = failed_by ? failed_by : "";
        all[i].culprit = failure ? culprit_in(failure, &all[i]) : NULL;
        bool is_rare = !failure && verdict && !strcmp(verdict, "gave_up") && !all[i].is_idle;
        all[i].rare = is_rare ? message : NULL;
        if (!verdict || is_rare || !strcmp(verdict, "passed") || !strcmp(verdict, "exhausted")) continue;
        all[i].found = message && *message ? message : verdict;
        const char *dot = failure ? NULL : strstr(all[i].found, ". "); /* the rest names the file that is removed */
        if (dot) all[i].found = keep_format("%.*s", (int)(dot - all[i].found), all[i].found);
    }
}

/* Leaves out proposals with functions that the linker did not find. Returns their number. */
static uint32_t blame_symbols(struct proposal *all, uint32_t n, const char *output)
{
    uint32_t blamed = 0;
    for (const char *at = output; (at = strstr(at, "undefined reference to ")); at++) {
        const char *name = at + strlen("undefined reference to ") + 1;
        const char *call = keep_format(" %.*s(", (int)strcspn(name, "'`\n"), name);
        for (uint32_t i = 0; i < n; i++)
            for (const char *found = is_in(&all[i]) ? all[i].text : "";
                 (found = strpbrk(found, " !()")) && is_in(&all[i]); found++)
                if (!strncmp(found + 1, call + 1, strlen(call + 1))) {
                    all[i].why_not = keep_format("%.*s is declared, but is not in the code that was given",
                                                 (int)strlen(call) - 2, call + 1);
                    blamed++;
                }
    }
    return blamed;
}

/* Links the properties with the code. Returns NULL, or why that failed. */
static const char *link_code(const struct new_request *o, struct proposal *all, uint32_t n, unsigned *first)
{
    struct line command;
    const char *output;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!write_batch(o, all, 0, n, first)) return "there is nothing to run";
        begin_compiler(&command, o);
        add(&command, "--sanitize");
        add(&command, "-g");
        add(&command, path_of("test.c"));
        for (uint32_t i = 0; i < o->n_code; i++) add(&command, o->code[i]);
        add(&command, "-o");
        add(&command, path_of("test"));
        if (run(&command, COMPILE_SECONDS, &output) == 0) return NULL;
        if (!blame_symbols(all, n, output)) break;
    }
    return keep_format("the code that was given cannot be linked: %s", first_error(output));
}

/* Runs the linked properties with these options more. Returns NULL, or why nothing could be run. */
static const char *run_linked(struct proposal *all, uint32_t n, const char *const *options)
{
    struct line command;
    const char *output;
    begin_line(&command, folder, true);
    const char *const words[] = {"./test",    "--no-store", "--no-shrink",    "--report", "json",
                                 "--timeout", "1",          "--wall-timeout", "3",        NULL};
    for (size_t i = 0; words[i]; i++) add(&command, words[i]);
    for (size_t i = 0; options[i]; i++) add(&command, options[i]);
    int status = run(&command, RUN_SECONDS, &output);
    read_report(all, n, output);
    if (status == -ETIME)
        return keep_format("the trial run was stopped after %.0f s; properties without a verdict were not run",
                           RUN_SECONDS);
    bool is_any = false;
    for (uint32_t i = 0; i < n; i++) is_any |= all[i].is_run;
    return is_any ? NULL : keep_format("the tests could not be run: %s", first_error(output));
}

/* Returns the seconds for each test, at most `most`: less if there are so many that they would not end in time. A
 * quarter of the time is left to start processes. */
static const char *time_each(const struct proposal *all, uint32_t n, double most)
{
    uint32_t n_in = 0;
    for (uint32_t i = 0; i < n; i++) n_in += is_in(&all[i]);
    double share = n_in ? 0.75 * RUN_SECONDS / n_in : most;
    return keep_format("%.2f", share < most ? share : most);
}

const char *trial_run(const struct new_request *o, struct proposal *all, uint32_t n)
{
    const char *why = link_code(o, all, n, keep((n + 1) * sizeof(unsigned)));
    return why ? why
               : run_linked(all, n,
                            (const char *const[]){"--seed", "1", "--tests", TESTS, "--time",
                                                  time_each(all, n, TIME_EACH), NULL});
}

/* Counts the inputs with leaks. A leak is looked for at the end of a run, so each input is a run. */
static void sample_leaks(struct proposal *all, uint32_t n)
{
    enum { LEAK_RUNS = 8 };
    bool is_any = false;
    uint32_t *leaks = keep((n + 1) * sizeof *leaks), *others = keep((n + 1) * sizeof *others);
    for (uint32_t i = 0; i < n; i++)
        if (all[i].found && !strcmp(all[i].failed_by, "leak")) is_any = true;
        else all[i].why_not = "";
    for (unsigned run = 1; run <= LEAK_RUNS && is_any; run++) {
        run_linked(all, n,
                   (const char *const[]){"--seed", keep_format("%u", run), "--guide", "random", "--runs", "1", NULL});
        for (uint32_t i = 0; i < n; i++)
            if (all[i].n_failed) leaks[i]++;
            else others[i] += all[i].n_valid;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!all[i].why_not) all[i].n_failed = leaks[i], all[i].n_valid = others[i];
}

void trial_sample(const struct new_request *o, struct proposal *all, uint32_t n)
{
    struct proposal *leaking = keep((n + 1) * sizeof *leaking);
    memcpy(leaking, all, n * sizeof *all);
    if (link_code(o, all, n, keep((n + 1) * sizeof(unsigned)))) return;
    run_linked(all, n,
               (const char *const[]){"--seed", "1", "--guide", "random", "--keep-going", "--runs", RANDOM_CASES,
                                     "--time", time_each(all, n, RANDOM_TIME), NULL});
    sample_leaks(leaking, n);
    for (uint32_t i = 0; i < n; i++)
        if (!leaking[i].why_not && leaking[i].n_failed + leaking[i].n_valid)
            all[i].n_failed = leaking[i].n_failed, all[i].n_valid = leaking[i].n_valid;
}
