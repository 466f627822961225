/* sonde_main, the entry point of a test program: reads the options, chooses the properties, runs them and reports.
 *
 * The order of steps in sonde_main matters:
 * - Properties are collected first, because a spawned worker needs them.
 * - A spawned worker leaves in sonde_worker_enter, before options are read.
 * - Failed registrations are reported before options are read, because options may name what was not registered.
 * - Addresses are fixed, by executing the program again, before any file is opened. */
#include "cli/choose.h"
#include "cli/debug.h"
#include "cli/dictionary.h"
#include "cli/goal.h"
#include "cli/live.h"
#include "cli/mutate.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/registry.h"
#include "cli/since.h"
#include "cli/strict.h"

#include "base/clock.h"
#include "base/die.h"
#include "base/mem.h"
#include "base/refusal.h"
#include "base/strings.h"
#include "engine/engine.h"
#include "engine/measure.h"
#include "exec/exec.h"
#include "exec/family.h"
#include "exec/fault.h"
#include "exec/interrupt.h"
#include "program/sanitizer.h"
#include "exec/worker.h"
#include "guide/guides.h"
#include "report/page.h"
#include "report/write.h"
#include "store/home.h"
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#undef sonde_main /* for callers sonde_main is a macro, which records their source file */

extern char **environ;

static const char *source_of_main; /* the source file that calls sonde_main; set before the call */

/* Records the source file that calls sonde_main. The store is at the root of the repository that holds this file. */
void sonde_source_of_main_(const char *file)
{
    source_of_main = file;
}

/* ---- The properties --------------------------------------------------------------------------------------------*/

/* Prints the names of properties: for --list, and after an error that a misspelt name may have caused. */
static void list_properties(FILE *out, const char *indent, const sonde_property *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fputs(indent, out);
        sonde_write_line(out, all[i].name);
        fputc('\n', out);
    }
}

/* Returns the name of the program for messages; commands in reports have the whole path. */
static const char *program_name(const char *path)
{
    return sonde_last_part(path ? path : "sonde");
}

/* ---- Running ---------------------------------------------------------------------------------------------------*/

/* Returns whether a status is of the given class. Every status above SONDE_INTERRUPTED (128 + signal) is an
 * interruption. */
static bool wins(enum sonde_status status, enum sonde_status order)
{
    return order == SONDE_INTERRUPTED ? (int)status > SONDE_INTERRUPTED : status == order;
}

/* Returns the more serious status. From the most serious: internal, usage, falsified, interrupted, gave up. */
static enum sonde_status worse(enum sonde_status a, enum sonde_status b)
{
    static const enum sonde_status order[] = {SONDE_INTERNAL, SONDE_USAGE, SONDE_FALSIFIED, SONDE_INTERRUPTED,
                                              SONDE_GAVE_UP};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (wins(a, order[i])) return a;
        if (wins(b, order[i])) return b;
    }
    return SONDE_PASSED;
}

/* Returns the exit status to use. Consumers of TAP take any status but 0 for a failure, whatever the lines say. So
 * if the program prints TAP, where giving up is a SKIP, it exits with 0 in that case. */
static enum sonde_status status_for(const struct sonde_cli *cli, enum sonde_status status)
{
    for (size_t i = 0; i < cli->n_reports; i++) {
        bool prints_tap = cli->reports[i].kind == SONDE_REPORT_TAP && !cli->reports[i].file_length;
        if (prints_tap && status == SONDE_GAVE_UP) return SONDE_PASSED;
    }
    return status;
}

/* The properties that --filter chose. */
struct chosen {
    const sonde_property *all;
    size_t n_all;
    const sonde_property **some; /* pointers to the chosen properties in `all`, in the order of `all` */
    size_t n;
};

/* Reports a property that was not run, because the run was interrupted before. TAP has announced a number of lines
 * and JUnit a number of tests, so every property must be reported. */
static void tell_not_run(const struct sonde_options *o, const char *property, struct sonde_reporter *const *reporters,
                         size_t n_reporters)
{
    struct sonde_report report = {.property = property,
                                  .program = o->program,
                                  .outcome = SONDE_OUTCOME_NOT_RUN,
                                  .stopped = SONDE_STOP_INTERRUPTED,
                                  .seed = o->seed,
                                  .guide = o->guide};
    sonde_tell(reporters, n_reporters,
               &(struct sonde_event){.kind = SONDE_EVENT_PROPERTY_END, .property = property, .report = &report});
}

/* Sets the time limit of the next property. n properties are left to run, in `left` seconds of --total-time. Shrinking
 * may have used up that time. Each property gets a moment all the same, because one that was not run must not be taken
 * for one that passes. */
static void share_time(struct sonde_options *o, const struct sonde_options *given, double left, size_t n)
{
    if (!n) n = 1;
    const double least = 0.1;
    double share = left / (double)n > least ? left / (double)n : least;
    bool is_limited = given->seconds_given && given->seconds > 0 && given->seconds < share;
    o->seconds = is_limited ? given->seconds : share;
    o->seconds_given = true;
}

/* Returns how many properties from number i on get a full search. */
static size_t left_to_search(const struct sonde_cli *cli, const struct chosen *c, size_t i)
{
    size_t n = 0;
    for (; i < c->n; i++) n += !cli->concerns || cli->concerns[c->some[i] - c->all] == SONDE_CONCERN_FULL;
    return n;
}

/* Puts the properties that a change concerns before the others, so that a fault is found sooner. On a busy machine the
 * others would use up the time of --total-time. */
static void put_concerned_first(const struct sonde_cli *cli, struct chosen *c)
{
    const sonde_property **some = sonde_calloc(c->n + 1, sizeof *some);
    size_t n = 0;
    for (int full = 1; full >= 0; full--)
        for (size_t i = 0; i < c->n; i++)
            if ((cli->concerns[c->some[i] - c->all] == SONDE_CONCERN_FULL) == full) some[n++] = c->some[i];
    memcpy(c->some, some, n * sizeof *some);
    sonde_free(some);
}

/* Runs one property after the other, each with all jobs; returns the most serious status. An interrupt ends the
 * property in progress, and the others are reported as "not run". */
static enum sonde_status run_all(const struct sonde_cli *cli, const struct chosen *c,
                                 const struct sonde_outputs *outputs)
{
    struct sonde_options options = cli->engine;
    struct sonde_reporter *const *reporters = outputs->reporters;
    enum sonde_status status = SONDE_PASSED;
    double end = sonde_clock_now() + cli->total_seconds;
    sonde_tell(reporters, outputs->n_reporters, &(struct sonde_event){.kind = SONDE_EVENT_BEGIN, .n_properties = c->n});
    for (size_t i = 0; i < c->n; i++) {
        sonde_result result;
        if (sonde_interrupted()) {
            tell_not_run(&options, c->some[i]->name, reporters, outputs->n_reporters);
            continue;
        }
        /* Properties that a change does not concern take next to no time. */
        if (cli->total_seconds > 0)
            share_time(&options, &cli->engine, end - sonde_clock_now(), left_to_search(cli, c, i));
        /* A spawned worker finds its property by this number. */
        options.property = (size_t)(c->some[i] - c->all);
        if (cli->concerns) options.concern = cli->concerns[options.property];
        options.all = c->all;
        options.n_all = c->n_all;
        status = worse(status, sonde_engine_run(c->some[i], &options, reporters, outputs->n_reporters, &result));
        /* A second Ctrl-C ends the program at once; it then exits with this status. */
        sonde_interrupt_worst((int)status);
    }
    status = worse(status, (enum sonde_status)sonde_interrupt_status());
    struct sonde_changed changed = {.since = NULL};
    if (options.change) sonde_changed_measure(options.change, options.change->by, &changed);
    sonde_tell(reporters, outputs->n_reporters,
               &(struct sonde_event){.kind = SONDE_EVENT_END,
                                     .n_properties = c->n,
                                     .status = status,
                                     .changed = options.change ? &changed : NULL});
    sonde_changed_clear(&changed);
    return status;
}

/* Returns whether the search has no limit, so that the next property would never be run. */
static bool has_no_end(const struct sonde_options *o)
{
    return o->fuzz && !o->replay && o->flat_seconds <= 0 && !(o->seconds_given && o->seconds > 0)
           && !(o->tests_given && o->tests) && !o->runs;
}

/* Prints what is wrong with the choice of properties; returns false if nothing is. */
static bool wrong_choice(const struct sonde_cli *cli, const char *program, const struct chosen *c,
                         const char *unmatched)
{
    if (unmatched) {
        sonde_complain("%s: --filter: no property matches '%s'; the properties are", program, unmatched);
    } else if (c->n == 0) {
        sonde_complain("%s: --filter: the patterns leave out every property; the properties are", program);
    } else if (cli->list) {
        return false;
    } else if (cli->engine.replay && c->n > 1) {
        sonde_complain(
            "%s: --replay: an input belongs to one property; choose it with --filter NAME; the properties are",
            program);
    } else if (c->n > 1 && cli->total_seconds <= 0 && has_no_end(&cli->engine)) {
        sonde_complain(
            "%s: --fuzz: the search of the first property would never end; choose one with --filter NAME, or limit "
            "each with --time or --until-flat, or all with --total-time; the properties are",
            program);
    } else if (c->n > 1 && cli->plot_data) {
        sonde_complain(
            "%s: --plot-data: a table is about one property; choose it with --filter NAME; the properties are",
            program);
    } else if (cli->gdb && !cli->engine.replay) {
        sonde_complain("%s: --gdb: the input to run is missing; give it with --replay TOKEN", program);
        return true;
    } else if (cli->engine.replay && cli->engine.explains_lines && !cli->explain) {
        sonde_complain("%s: --explain=lines: it compares inputs of a search; give it without --replay", program);
        return true;
    } else {
        return false;
    }
    list_properties(stderr, "  ", c->all, c->n_all);
    return true;
}

/* Returns whether a property has this name. A directory of --regressions may use the safe form of the name
 * (store/home.h). */
static bool knows(void *context, const char *name)
{
    const struct chosen *c = context;
    bool is_known = false;
    for (size_t i = 0; i < c->n_all && !is_known; i++) {
        char *safe = sonde_safe_name(c->all[i].name);
        is_known = !strcmp(c->all[i].name, name) || !strcmp(safe, name);
        sonde_free(safe);
    }
    return is_known;
}

/* Prints what is wrong with the files of --regressions; returns false if nothing is. A damaged file, or one whose
 * property no longer exists, is an error, because a test is missing. */
static bool wrong_regressions(const struct sonde_cli *cli, const char *program, struct chosen *c)
{
    char message[SONDE_CLI_MESSAGE];
    const char *directory = cli->engine.regressions;
    if (!directory && cli->engine.refresh) sonde_complain("%s: --refresh: give --regressions DIR as well", program);
    if (!directory) return cli->engine.refresh;
    struct sonde_store_names names = {knows, c};
    size_t n_tapes;
    long wrong = sonde_store_check_regressions(directory, &names, message, sizeof message, &n_tapes);
    if (!wrong && !n_tapes)
        sonde_warn("--regressions: '%s' has no file whose name ends in .tape; there is nothing to run", directory);
    if (!wrong) return false;
    sonde_complain("%s: --regressions: %s", program, message);
    if (wrong > 1)
        sonde_complain("%s: --regressions: %ld more files in '%s' cannot be used", program, wrong - 1, directory);
    return true;
}

/* Prints an error and returns true if --store names something that is not a directory. A full or read-only disk is only
 * a warning, later. */
static bool wrong_store(const struct sonde_cli *cli, const char *program)
{
    struct stat info;
    const char *store = cli->engine.store;
    if (!store || cli->engine.no_store || stat(store, &info) < 0 || S_ISDIR(info.st_mode)) return false;
    sonde_complain("%s: --store: '%s' is not a directory; give one, which need not exist yet, or --no-store", program,
                   store);
    return true;
}

static bool wants_page(const struct sonde_cli *cli)
{
    for (size_t i = 0; i < cli->n_reports; i++)
        if (cli->reports[i].kind == SONDE_REPORT_HTML) return true;
    return false;
}

/* Prints what is wrong with --known-in; returns false if nothing is. */
static bool wrong_base(struct sonde_cli *cli, const char *program)
{
    static char path[PATH_MAX]; /* options borrow it for the whole run */
    struct stat base, own;
    const char *given = cli->engine.known_in;
    if (!given && cli->engine.only_new) sonde_complain("%s: --only-new: give --known-in PROGRAM as well", program);
    if (!given) return cli->engine.only_new;
    if (access(given, X_OK) != 0 || stat(given, &base) != 0 || !S_ISREG(base.st_mode)) {
        sonde_complain("%s: --known-in: '%s' is not a program; give the test program built before the change", program,
                       given);
        return true;
    }
    if (stat("/proc/self/exe", &own) == 0 && own.st_dev == base.st_dev && own.st_ino == base.st_ino) {
        sonde_complain("%s: --known-in: '%s' is this program; give the one built before the change", program, given);
        return true;
    }
    /* A name without a slash would be searched for in PATH. */
    snprintf(path, sizeof path, "%s%s", strchr(given, '/') ? "" : "./", given);
    cli->engine.known_in = path;
    /* A failure that the base has must not end the search for new ones. */
    cli->engine.keep_going |= cli->engine.only_new;
    return false;
}

/* Prints what is wrong with --baseline; returns false if nothing is. */
static bool wrong_baseline(const struct sonde_cli *cli, const char *program)
{
    size_t n;
    if (!cli->baseline) return false;
    if (!wants_page(cli)) {
        sonde_complain("%s: --baseline: give --report html:FILE as well, for the page that is compared with it",
                       program);
        return true;
    }
    char *html = sonde_page_read(cli->baseline, SONDE_PAGE_MOST, &n);
    char *data = html ? sonde_page_block(html, "sonde-data") : NULL;
    if (!html) sonde_complain("%s: --baseline: cannot read '%s': %s", program, cli->baseline, strerror(errno));
    else if (!data) sonde_complain("%s: --baseline: '%s' is not a page of --report html", program, cli->baseline);
    bool is_wrong = !data;
    sonde_free(html);
    sonde_free(data);
    return is_wrong;
}

/* Prints what is wrong with --against and --accept; returns false if nothing is. The engine tries the program. */
static bool wrong_comparison(const struct sonde_cli *cli, const char *program)
{
    const struct sonde_options *o = &cli->engine;
    const char *other = cli->mutate ? "--mutate" : cli->gdb ? "--gdb" : cli->as_c ? "--as-c" : NULL;
    if (o->spawn) other = "--spawn"; /* a spawned worker does not inherit the comparison */
    if (o->accepted && !o->against) {
        sonde_complain("%s: --accept: give --against PROGRAM as well, to compare with", program);
        return true;
    }
    if (!o->against || !other) return false;
    sonde_complain("%s: --against: cannot be combined with %s; give one of them", program, other);
    return true;
}

/* Runs the chosen properties with the reporters of --strict and --serve as well as the outputs. */
static enum sonde_status run_with_reporters(const struct sonde_cli *cli, const struct chosen *c,
                                            struct sonde_outputs *outputs)
{
    struct sonde_strict strict = sonde_strict_begin(cli->strict);
    struct sonde_reporter *live = NULL;
    outputs->reporters[outputs->n_reporters++] = &strict.base;
    if (cli->serves) {
        live = sonde_live_create(program_name(cli->engine.program), (unsigned)cli->port);
        if (!live) return SONDE_USAGE;
        outputs->reporters[outputs->n_reporters++] = live;
    }
    if (cli->commit) sonde_say("profile ci: seed %" PRIu64 ", from commit %.12s", cli->engine.seed, cli->commit);
    enum sonde_status status = run_all(cli, c, outputs);
    if (sonde_strict_is_broken(&strict)) status = worse(status, SONDE_USAGE);
    if (live) live->destroy(live);
    return status_for(cli, status);
}

/* Runs the chosen properties and writes the reports. The reports are closed in any case, and an error of closing
 * makes the status worse. */
static enum sonde_status run_with_outputs(struct sonde_cli *cli, const struct chosen *c, const char *program)
{
    struct sonde_dictionary words = {0};
    struct sonde_outputs outputs = {.properties = c->all, .n_properties = c->n_all, .program = program};
    char message[SONDE_CLI_MESSAGE];
    enum sonde_status status = SONDE_USAGE;
    if (cli->dictionary && sonde_dictionary_read(&words, cli->dictionary, message) < 0) {
        sonde_complain("%s: --dict: %s", program, message);
    } else if (sonde_outputs_open(&outputs, cli)) {
        cli->engine.words = (const char *const *)words.words;
        status = run_with_reporters(cli, c, &outputs);
    }
    if (sonde_outputs_have_failed(&outputs)) status = worse(status, SONDE_USAGE);
    if (!sonde_outputs_close(&outputs)) status = worse(status, SONDE_INTERNAL);
    sonde_dictionary_clear(&words);
    return status;
}

/* Runs inputs that the corpus commands of `sonde` send through standard input, and replies with what each covered. */
static enum sonde_status measure(const struct sonde_cli *cli, const struct chosen *c, const char *program)
{
    if (c->n == 1) return sonde_measure(c->some[0], &cli->engine);
    sonde_complain("%s: a corpus belongs to one property; choose it with --filter NAME", program);
    return SONDE_USAGE;
}

/* Finds the code of --goal. Prints what is wrong; returns false if nothing is. */
static bool wrong_goal(struct sonde_cli *cli, const char *program, const struct chosen *c)
{
    /* Static, because options borrow it for the whole run. */
    static struct sonde_destination destination;
    char message[1024];
    if (!cli->goal || c->n == 0) return false;
    destination = (struct sonde_destination){.name = cli->goal};
    cli->engine.destination = &destination;
    if (sonde_cli_find_goal(&destination, c->some[0]->run, message, sizeof message)) return false;
    sonde_complain("%s: %s", program, message);
    return true;
}

/* Runs the input in gdb; in gdb, runs it there. Some failures cannot be seen by a program that is debugged: then this
 * prints which. */
static enum sonde_status debug(struct sonde_cli *cli, const char *program, struct chosen *c)
{
    if (!sonde_cli_is_debugged()) {
        /* sonde_cli_debug returns only if gdb could not be executed. */
        sonde_complain("%s: --gdb: cannot start gdb: %s; install gdb, or run the program in another debugger with "
                       "--isolate=none",
                       program, strerror(-sonde_cli_debug(cli->argv)));
        return SONDE_USAGE;
    }
    sonde_last_words_debug(true);
    enum sonde_status status = run_with_outputs(cli, c, program);
    sonde_last_words_debug(false);
    if (status == SONDE_PASSED)
        sonde_say("--gdb: this input did not fail in the debugger; leaks and races of sanitizers are found only "
                  "without it, and their reports name the locations: replay the input without --gdb");
    return status;
}

/* Finds what --since asks about. If that is not possible, says why, and the run is the ordinary one. */
static void find_changes(struct sonde_cli *cli, struct sonde_since *since, struct chosen *c)
{
    if (!cli->since || cli->mutate || cli->engine.replay || cli->gdb || !c->n) return;
    if (!sonde_since_find(since, cli, c->all, c->n_all)) {
        sonde_warn("--since: %s", since->note);
        return;
    }
    if (since->note[0]) sonde_say("--since: %s", since->note);
    cli->engine.is_for_change = true;
    cli->engine.change = &since->code;
    cli->concerns = since->concerns;
    put_concerned_first(cli, c);
}

/* Lists, debugs or runs the chosen properties. Reports wrong options before anything is opened or run. */
static enum sonde_status run_chosen(struct sonde_cli *cli, struct chosen *c, const char *unmatched)
{
    const char *program = program_name(cli->engine.program);
    if (getenv(SONDE_AGAINST_VARIABLE)) return sonde_serve(c->all, c->n_all, &cli->engine);
    if (wrong_choice(cli, program, c, unmatched)) return SONDE_USAGE;
    if (cli->list) {
        for (size_t i = 0; i < c->n; i++) list_properties(stdout, "", c->some[i], 1);
        return fflush(stdout) ? SONDE_INTERNAL : SONDE_PASSED;
    }
    if (wrong_base(cli, program) || wrong_baseline(cli, program) || wrong_store(cli, program)
        || wrong_regressions(cli, program, c))
        return SONDE_USAGE;
    if (wrong_comparison(cli, program) || sonde_cli_wrong_mutants(cli, program) || wrong_goal(cli, program, c))
        return SONDE_USAGE;
    if (cli->equivalent) return sonde_cli_add_equivalent(cli, program);
    if (cli->mutate) return sonde_cli_mutate(cli, program, c->some, c->n);
    if (cli->engine.mutant) sonde_cli_switch_on(cli);
    if (cli->gdb) return debug(cli, program, c);
    if (getenv("SONDE_MEASURE")) return measure(cli, c, program);
    struct sonde_since since = {.concerns = NULL};
    find_changes(cli, &since, c);
    enum sonde_status status = run_with_outputs(cli, c, program);
    sonde_since_clear(&since);
    return status;
}

/* Chooses and runs properties. When this returns, every process that the code under test started has ended. */
static enum sonde_status run_with_family(struct sonde_cli *cli, const sonde_property *properties, size_t n)
{
    if (cli->engine.isolation != SONDE_ISOLATE_NONE) {
        sonde_family_adopt();
        sonde_fault_watch();
    }
    const char *unmatched = NULL;
    struct chosen chosen = {properties, n, sonde_calloc(n, sizeof *chosen.some), 0};
    chosen.n = sonde_choose(properties, n, cli->filters, cli->n_filters, chosen.some, &unmatched);
    enum sonde_status status = run_chosen(cli, &chosen, unmatched);
    sonde_free(chosen.some);
    sonde_fault_leave();
    sonde_family_release();
    return status;
}

/* Returns the value of --replay, with an @ in front if it names a file and does not have one. A value that cannot
 * be a token counts as the name of a missing file. The result is valid until the next call. */
static const char *replay_of(const char *token)
{
    /* Static, because options borrow their strings for the whole run. */
    static char *file;
    if (!token || token[0] == '@') return token;
    bool may_be_token = !*token || strpbrk(token, "={[?;:");
    if (may_be_token && access(token, R_OK) != 0) return token;
    size_t n = strlen(token) + 1;
    sonde_free(file);
    file = sonde_malloc(n + 1);
    file[0] = '@';
    memcpy(file + 1, token, n);
    return file;
}

/* Fixes addresses for --no-aslr, --spawn and mutants, which restarts the program. Workers are forked, after a
 * warning, if addresses cannot be fixed. */
static void fix_addresses(struct sonde_cli *cli, char **argv)
{
    bool *spawns = &cli->engine.spawn;
    /* A mutant may read and write anywhere: with the same addresses, it does so in every run. */
    bool is_implied = cli->mutate || cli->engine.mutant;
    if (cli->engine.isolation == SONDE_ISOLATE_NONE) *spawns = false;
    if (*spawns && sonde_spawn_obstacle()) {
        sonde_warn("--spawn: %s; workers are forked instead", sonde_spawn_obstacle());
        *spawns = false;
    }
    if (!(cli->no_aslr || *spawns || is_implied) || sonde_cli_fix_addresses(argv)) return;
    if (cli->no_aslr) sonde_warn("--no-aslr: the system does not allow it; addresses differ from run to run");
    if (*spawns) sonde_warn("--spawn: the system does not allow fixed addresses; workers are forked instead");
    *spawns = false;
}

/* Prints what is wrong with the declaration of a property; returns false if nothing is. */
static bool wrong_property(const char *program, const sonde_property *properties, size_t i)
{
    const sonde_property *p = &properties[i];
    if (!(p->seconds >= 0)) {
        sonde_complain("%s: .seconds of property '%s' must be a number of seconds; 0 for the default", program,
                       p->name);
        return true;
    }
    if (!p->guide || sonde_guide_find(p->guide)) return false;
    char missing[1024];
    sonde_guide_missing(p->guide, missing, sizeof missing);
    sonde_complain("%s: .guide of property '%s': %s", program, p->name, missing);
    return true;
}

/* Reads sonde.conf, the environment and the command line into *cli. Returns 0, or a negative value with a message.
 * The profile is static, because options borrow its strings as they borrow from argv. */
static int read_settings(struct sonde_cli *cli, int argc, char **argv, const char *source, char *message)
{
    static struct sonde_profile profile;
    char *program = sonde_home_executable(argc > 0 ? argv[0] : NULL);
    sonde_profile_clear(&profile);
    int error = sonde_profile_read(&profile, argc, argv, program, source, message, SONDE_CLI_MESSAGE);
    sonde_free(program);
    if (!error) error = sonde_cli_parse(cli, &profile, argc, argv, environ, message);
    if (error < 0 || !cli->engine.finds_blockers || !sonde_tools_has_address()) return error;
    snprintf(message, SONDE_CLI_MESSAGE,
             "--blockers: this build has a sanitizer, which adds branches; build without it");
    return -1;
}

/* A spawned worker enters here, too, and leaves before options are read: its orders are in the environment. */
int sonde_main(int argc, char **argv, const sonde_property *given, size_t n_given)
{
    struct sonde_cli cli;
    char message[SONDE_CLI_MESSAGE];
    const char *path = argc > 0 ? argv[0] : NULL, *program = program_name(path);
    size_t n;
    const sonde_property *properties = sonde_registry_all(given, n_given, &n, message, sizeof message);
    if (!properties) {
        sonde_complain("%s: %s", program, message);
        return SONDE_USAGE;
    }
    if (sonde_worker_enter(argv, properties, n)) return SONDE_PASSED;
    if (sonde_refused()) {
        sonde_complain("%s: %s", program, sonde_refused());
        return SONDE_USAGE;
    }
    for (size_t i = 0; i < n; i++)
        if (wrong_property(program, properties, i)) return SONDE_USAGE;
    const char *source = source_of_main ? source_of_main : sonde_registry_file();
    if (read_settings(&cli, argc, argv, source, message) < 0) {
        sonde_complain("%s: %s", program, message);
        return SONDE_USAGE;
    }
    cli.argv = argv;
    cli.engine.program = path;
    cli.engine.source = source;
    cli.engine.isolation = sonde_cli_isolation(&cli);
    cli.engine.watched = cli.ui;
    cli.engine.served = cli.serves;
    cli.engine.insight = wants_page(&cli) || cli.serves || cli.plot_data;
    cli.engine.replay = replay_of(cli.engine.replay);
    fix_addresses(&cli, argv);
    /* Without isolation Ctrl-C belongs to the program. A sanitizer that reports an error only once per process
     * must be configured to repeat it, which restarts the program. */
    if (cli.engine.isolation != SONDE_ISOLATE_NONE) sonde_interrupt_watch();
    else sonde_tools_repeat(argv);
    if (cli.help) sonde_cli_help(stdout, program);
    else if (cli.version) puts("sonde " SONDE_VERSION);
    else if (cli.help_guides) sonde_cli_help_guides(stdout);
    else if (cli.help_knobs) sonde_cli_help_knobs(stdout);
    else if (cli.list_knobs) sonde_knobs_list(stdout);
    else if (n > 0) return (int)run_with_family(&cli, properties, n);
    else
        sonde_complain(
            "%s: there are no properties; write SONDE_PROPERTY(name) { ... }, or give some to SONDE_MAIN or sonde_main",
            program);
    if (cli.help || cli.version || cli.help_guides || cli.help_knobs || cli.list_knobs)
        return fflush(stdout) ? SONDE_INTERNAL : SONDE_PASSED;
    return SONDE_USAGE;
}

/* Returns the i-th of the names that the preprocessor joined with commas; the caller frees it. SONDE_MAIN(a, b)
 * gives the string "a, b". & and parentheses are stripped, so that &f works. */
static char *split_name(const char *names, size_t i)
{
    while (i-- > 0) {
        names += strcspn(names, ",");
        if (*names) names++;
    }
    size_t n = strcspn(names, ",");
    while (n && strchr(" \t\n&(", *names)) names++, n--;
    while (n && strchr(" \t\n)", names[n - 1])) n--;
    return sonde_strndup(names, n);
}

int sonde_main_(int argc, char **argv, sonde_property_fn *const *properties, size_t n, const char *names)
{
    sonde_property *all = sonde_calloc(n, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        all[i].run = properties[i];
        all[i].name = split_name(names, i);
    }
    int status = sonde_main(argc, argv, all, n);
    for (size_t i = 0; i < n; i++) sonde_free((char *)(uintptr_t)all[i].name);
    sonde_free(all);
    /* Only SONDE_MAIN ends the process by the signal. sonde_main returns the status, and its caller decides. */
    if (status > SONDE_INTERRUPTED) sonde_interrupt_die();
    return status;
}
