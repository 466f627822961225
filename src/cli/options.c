/* The options table and the parser over it.
 *
 * A value is checked where it is read. Every message says where the value came from (option or environment
 * variable), what it was, and what is allowed. Precedence follows the order of reading: defaults, sonde.conf,
 * environment, command line. A setting in the declaration of a property yields to an option that was given; the
 * *_given flags record which were.
 *
 * The parser and --help both read the table. The parser knows types, not options, so a new option is a row here
 * and a field in options.h. Errors are not printed here: sonde_cli_parse returns a message, and main.c prints it. */
#include "cli/options.h"

#include "base/strings.h"
#include "base/check.h"
#include "base/decimal.h"
#include "base/die.h"
#include "guide/guides.h"
#include "report/report.h"
#include "share/link.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct sonde_cli, field)
#define WHAT "What to run"
#define LONG "How long to test"
#define SEARCH "How to search"
#define SAFETY "How to run the code under test"
#define FOUND "What to do with a failure"
#define CHANGES "How to compare with an older version"
#define MUTANTS "How to find gaps in the properties"
#define OUTPUT "Output"

/* A row has the name, type, group, offset and then optional fields (options.h). The order here is the order of
 * --help; options of one group follow each other. */
const struct sonde_option sonde_option_table[] = {
    /* Which inputs to run. --replay, --list and --gdb replace the search; --regressions comes before it. */
    {"filter", SONDE_OPTION_FILTER, WHAT, AT(filters), .metavar = "PATTERN",
     .help = "run only properties whose name is PATTERN, contains it, or matches it with * and ?; may be given "
             "several times; '!PATTERN' leaves properties out"},
    {"list", SONDE_OPTION_FLAG, WHAT, AT(list), .is_private = true,
     .help = "print the names of the properties (those that --filter chooses) and stop"},
    {"replay", SONDE_OPTION_TEXT, WHAT, AT(engine.replay), .metavar = "TOKEN|FILE",
     .help = "run one input instead of searching: a token from a report, or a tape file, for example from the store"},
    {"gdb", SONDE_OPTION_FLAG, WHAT, AT(gdb), .is_private = true,
     .help = "with --replay: run that input in gdb, in one process, and stop where it fails"},
    {"regressions", SONDE_OPTION_TEXT, WHAT, AT(engine.regressions), .metavar = "DIR",
     .help = "before every search, run the inputs in the *.tape files of this directory and its subdirectories; a file "
             "that no longer produces the values it names is an error"},
    {"since", SONDE_OPTION_TEXT, WHAT, AT(since), .metavar = "REF",
     .help = "test the changes since this commit, branch or tag of git, uncommitted changes included: properties that "
             "cannot reach a changed function only run their stored inputs, the others search near the change, and "
             "the report says which changed lines were reached. With --mutate: judge only mutants on such lines"},
    {"profile", SONDE_OPTION_TEXT, WHAT, AT(profile), .metavar = "NAME",
     .help =
         "use the settings in this section of sonde.conf, a file at the root of the repository; without this option, "
         "ci if the environment variable CI is set, else dev"},
    {"strict", SONDE_OPTION_FLAG, WHAT, AT(strict),
     .help = "exit with 2 instead of 0 if the run tested less than it seems to (on in profile ci). One reason is a "
             "stored failure that could not be judged: its file is damaged, it no longer gives the values it names, "
             "or the time ran out. The others are warnings of a passing property: no_checks, check_never_reached, "
             "faults_never_happened, goal_never_reached, blind (docs/ci.md explains them)"},
    {"refresh", SONDE_OPTION_FLAG, WHAT, AT(engine.refresh), .is_private = true,
     .help = "with --regressions: if an input still produces the values it names, but the property now draws more, add "
             "the new values to its file and print what changed"},

    /* How long. If only one of --tests and --time is given, it replaces the defaults of the others (resolve_limits). */
    {"tests", SONDE_OPTION_COUNT, LONG, AT(engine.tests), .letter = 'n', .metavar = "N",
     .given = AT(engine.tests_given),
     .help = "stop after N valid cases of a property, however long they take (10000, 10k, 1M, 1e6); 0 for no limit"},
    {"time", SONDE_OPTION_SECONDS, LONG, AT(engine.seconds), .metavar = "SECONDS", .given = AT(engine.seconds_given),
     .help = "stop after this long per property, however many cases have run (a number is seconds; also 500ms, 2m, "
             "1h); 0 for no limit; with --tests, whichever comes first"},
    {"total-time", SONDE_OPTION_SECONDS, LONG, AT(total_seconds), .metavar = "SECONDS",
     .help = "stop after this long in all: each property gets an equal share of the remaining time, but at most "
             "--time, if that is given"},
    {"runs", SONDE_OPTION_COUNT, LONG, AT(engine.runs), .metavar = "N",
     .help = "stop after N cases of a property, valid and discarded ones together (--tests counts only the valid "
             "ones)"},
    {"fuzz", SONDE_OPTION_FLAG, LONG, AT(engine.fuzz),
     .help = "search until stopped (Ctrl-C), or until --time or --tests is reached; each failure is shrunk and shown "
             "when it is found, and the next run continues where this one ended"},
    {"until-flat", SONDE_OPTION_MINUTES, LONG, AT(engine.flat_seconds), .metavar = "MINUTES",
     .help = "like --fuzz, but stop when nothing new was found for this long (a number is minutes; also 90s, 2h)"},
    {"max-discards", SONDE_OPTION_COUNT, LONG, AT(engine.max_discards), .metavar = "N",
     .given = AT(engine.max_discards_given),
     .help = "give up after too many cases that were discarded, too large or failing: more than N x --tests. If "
             "--tests sets no limit: more than N x (valid cases so far + 100). 0: never give up, the default if "
             "--time, --total-time or --runs is given without --tests"},
    {"min-unique", SONDE_OPTION_LEAST, LONG, AT(engine.min_unique), .metavar = "N|N%",
     .given = AT(engine.min_unique_given),
     .help = "fail if fewer than N of a property's valid inputs, or less than N% of them, were different; has no "
             "effect if every possible input was tried"},
    {"max-choices", SONDE_OPTION_COUNT, LONG, AT(engine.max_choices), .metavar = "N", .min = 1, .max = UINT32_MAX / 2,
     .help = "end a case that makes more than N choices (a choice is one drawn value)"},

    /* How to search: with one job, these decide which inputs are tried, and in which order. */
    {"seed", SONDE_OPTION_COUNT, SEARCH, AT(engine.seed), .metavar = "N", .given = AT(engine.seed_given),
     .help = "repeat the search of a run that had this seed; without this option, every run searches differently"},
    {"guide", SONDE_OPTION_GUIDE, SEARCH, AT(engine.guide), .metavar = "NAME", .given = AT(engine.guide_given),
     .help = "how inputs are chosen; see the list below, or `help` for all guides"},
    {"guide-options", SONDE_OPTION_KNOBS, SEARCH, AT(engine.guide_options), .metavar = "K=V,...",
     .help = "set knobs of the guide; `help` lists them, `list` prints them as JSON"},
    {"seed-tests", SONDE_OPTION_COUNT, SEARCH, AT(engine.seed_tests), .metavar = "N", .min = 1,
     .help =
         "with --guide seeded: make seeds in the first N cases; without this option, in the first tenth of the run"},
    {"seed-time", SONDE_OPTION_SECONDS, SEARCH, AT(engine.seed_seconds), .metavar = "SECONDS",
     .help = "with --guide seeded: make seeds for this long; such a run cannot be repeated exactly"},
    {"characteristic", SONDE_OPTION_WORD, SEARCH, AT(engine.characteristic), .metavar = "tape|trace|branches",
     .help = "when the search and the report count two valid inputs as different. tape: their choices differ (or the "
             "values passed to sonde_characteristic); trace: they take different paths through instrumented code "
             "(which branches, and how often, to the next power of two); branches: they reach different branches"},
    {"dict", SONDE_OPTION_TEXT, SEARCH, AT(dictionary), .metavar = "FILE",
     .help = "words to try in strings and bytes, one per line as name=\"value\" (AFL's dictionary format)"},
    {"goal", SONDE_OPTION_TEXT, SEARCH, AT(goal), .metavar = "FILE:LINE|FUNCTION",
     .help = "search for valid inputs that reach this line or function of instrumented code: its conditions are solved "
             "first. The report says how many inputs reached it, and shows one. The line must begin a branch. A goal "
             "that is not reached is a warning, an error with --strict"},
    {"inputs", SONDE_OPTION_TEXT, SEARCH, AT(engine.inputs), .metavar = "PATH",
     .help = "start the search from these inputs, and let every guide learn from them. PATH is a file, or a directory "
             "that is read with its subdirectories. A file holds a tape, or tokens (one per line). Any other file "
             "becomes the first bytes or string that the property draws"},
    {"import", SONDE_OPTION_IMPORT, SEARCH, AT(engine.imports), .metavar = "FILE...",
     .help = "start the search from these files, or from the files in these directories; for properties that build a "
             "string with sonde_put. If the property cannot produce a whole file, its beginning is used, and the rest "
             "is drawn"},
    {"import-as", SONDE_OPTION_TEXT, SEARCH, AT(engine.import_as), .metavar = "exact|spaces|COMMAND",
     .help = "with --import: how to compare a file with what the property builds. exact: byte by byte, except for a "
             "line feed at the end of the file; spaces: ignoring white space; COMMAND: compare with what this command, "
             "a formatter for example, prints when the file is its input"},
    {"inputs-out", SONDE_OPTION_TEXT, SEARCH, AT(engine.inputs_out), .metavar = "DIR",
     .help = "after the search, write inputs that it made to this directory: those that showed something new, and a "
             "sample of a thousand different valid ones. --inputs, sonde filter and sonde min read them"},
    {"share", SONDE_OPTION_SHARE, SEARCH, AT(engine.share), .metavar = "PLACE",
     .help = "exchange inputs and failures with other runs of this program, on this machine or others: dir:PATH for "
             "a directory that all can access, redis://[USER@]HOST[:PORT][/DATABASE] for a server (docs/fleet.md)"},
    {"worker-report", SONDE_OPTION_FLAG, SEARCH, AT(engine.worker_report),
     .help = "with --share: print a line about this run and the others every minute, and one at the end"},
    {"memory", SONDE_OPTION_SIZE, SEARCH, AT(engine.memory), .metavar = "SIZE", .min = 65536,
     .help = "how much memory the search may use to remember inputs (bytes, or with k, M or G)"},

    /* How the code under test is run: in which processes, and within which limits. */
    {"isolate", SONDE_OPTION_WORD, SAFETY, AT(isolation), .metavar = "worker|case|none",
     .given = AT(engine.isolation_given),
     .help = "worker: run cases in a process that is replaced when it dies; case: run each case in a separate "
             "process; none: run cases in this process. With none, a crash, exit or _exit of the code under test ends "
             "the run; sonde then prints the input, and the status is not 0"},
    {"jobs", SONDE_OPTION_COUNT, SAFETY, AT(engine.jobs), .letter = 'j', .metavar = "N", .min = 1, .max = 64,
     .help = "search in N workers in parallel"},
    {"timeout", SONDE_OPTION_SECONDS, SAFETY, AT(engine.timeout_cpu), .metavar = "SECONDS",
     .given = AT(engine.timeout_cpu_given),
     .help = "a case that uses more processor time than this fails as a hang; 0 for no limit"},
    {"wall-timeout", SONDE_OPTION_SECONDS, SAFETY, AT(engine.timeout_wall), .metavar = "SECONDS",
     .given = AT(engine.timeout_wall_given),
     .help = "a case that takes longer than this, waiting included, fails as a hang; 0 for no limit"},
    {"memory-limit", SONDE_OPTION_SIZE, SAFETY, AT(engine.memory_limit), .metavar = "SIZE",
     .help = "a case fails when its process takes more memory than this; 0 for no limit"},
    {"spawn", SONDE_OPTION_FLAG, SAFETY, AT(engine.spawn),
     .help = "start the program again for each worker instead of forking; for code whose constructors start threads"},
    {"guard", SONDE_OPTION_FLAG, SAFETY, AT(engine.guard),
     .help = "put drawn bytes, strings and memory of sonde_alloc right before an inaccessible page, so that an access "
             "beyond their end crashes in any build"},
    {"no-aslr", SONDE_OPTION_FLAG, SAFETY, AT(no_aslr),
     .help = "use the same memory addresses in every run, for code whose behaviour depends on them"},

    /* Whether a failure is stored and shrunk, and whether the search continues after it. */
    {"store", SONDE_OPTION_TEXT, FOUND, AT(engine.store), .metavar = "DIR",
     .help = "keep failing inputs in this directory, and run them first the next time. Default: .sonde at the root of "
             "the repository that holds the program's source or, if there is none, the program itself; outside of "
             "repositories ~/.local/state/sonde. --stats prints the directory in use"},
    {"no-store", SONDE_OPTION_FLAG, FOUND, AT(engine.no_store),
     .help = "do not store failing inputs, and do not run stored ones"},
    {"fresh", SONDE_OPTION_FLAG, FOUND, AT(engine.fresh),
     .help = "begin the search without the inputs and the knowledge that earlier searches stored; nothing is "
             "deleted, and stored failing inputs still run first"},
    {"known-in", SONDE_OPTION_TEXT, FOUND, AT(engine.known_in), .metavar = "PROGRAM", .is_private = true,
     .help = "replay each failure in this program, which was built before a change, and report whether it fails there "
             "too. Failures that are flaky, or that need earlier cases, count as new"},
    {"only-new", SONDE_OPTION_FLAG, FOUND, AT(engine.only_new), .is_private = true,
     .help = "with --known-in: exit with 0 if every failure is known in that program; failures do not end the search"},
    {"fail-fast", SONDE_OPTION_FLAG, FOUND, AT(engine.fail_fast),
     .help = "stop searching at the first failure of a property, even if a stored input causes it"},
    {"keep-going", SONDE_OPTION_FLAG, FOUND, AT(engine.keep_going),
     .help = "after a failure, continue until --tests or --time is reached; without this option the search ends "
             "once it has run ten times as many cases as the first failure took, at most 100000 more"},
    {"no-shrink", SONDE_OPTION_NEGATED, FOUND, AT(engine.shrink),
     .help = "do not shrink; report the smallest failing input that the search found"},
    {"shrink-time", SONDE_OPTION_SECONDS, FOUND, AT(engine.shrink_seconds), .metavar = "SECONDS",
     .help = "stop shrinking a failure after this long; 0 for no limit"},
    {"shrink-calls", SONDE_OPTION_COUNT, FOUND, AT(engine.shrink_calls), .metavar = "N",
     .help = "stop shrinking a failure after running the property N times; 0 for no limit"},

    {"find-state", SONDE_OPTION_FLAG, FOUND, AT(engine.finds_state),
     .help = "if a failure depends on earlier cases, or on uninitialised memory: find the variable or other state that "
             "it depends on, by restoring it and running the input again"},

    /* Another program as the oracle. */
    {"against", SONDE_OPTION_TEXT, CHANGES, AT(engine.against), .metavar = "PROGRAM",
     .help = "run every input also in this program, built from an older version of the code with the same properties. "
             "An input is a failure, and is shrunk, if it ends differently there or passes different values to "
             "sonde_observe"},
    {"accept", SONDE_OPTION_TEXT, CHANGES, AT(engine.accepted), .metavar = "FILE",
     .help = "with --against: the differences in this file are intended, and do not count as failures. Each line has "
             "a property and the name of an observed value, or (ended) for how a case ends"},

    /* Mutants: the program must be built by sonde cc --mutants. */
    {"mutate", SONDE_OPTION_FLAG, MUTANTS, AT(mutate), .is_private = true,
     .help = "in a program built by sonde cc --mutants: run the properties on each mutant (a small change of the code "
             "under test), and print the mutants that no property notices. --time limits the whole run, --tests the "
             "search of each property. Exits with 0 whatever the score, with 1 if a property fails without a mutant"},
    {"mutant", SONDE_OPTION_COUNT, MUTANTS, AT(engine.mutant), .metavar = "N", .min = 1, .is_private = true,
     .help =
         "run with mutant N instead of the original code: search, or --replay, --gdb and --as-c; nothing is stored"},
    {"matrix", SONDE_OPTION_FLAG, MUTANTS, AT(matrix), .is_private = true,
     .help = "with --mutate: run every property on each mutant, and print what only one of them notices"},
    {"equivalent", SONDE_OPTION_TEXT, MUTANTS, AT(equivalent), .metavar = "N:REASON", .is_private = true,
     .help = "write down in sonde.equivalent, at the root of the repository, why no test can notice mutant N; later "
             "runs of --mutate leave it out of the list of survivors"},
    {"continue", SONDE_OPTION_FLAG, MUTANTS, AT(continues), .is_private = true,
     .help = "with --mutate: continue an interrupted run of the same build, seed and properties"},

    /* Which reports are written, and where. */
    {"show-output", SONDE_OPTION_FLAG, OUTPUT, AT(engine.show_output),
     .help =
         "show the output of all cases on standard error; without this option, only the output of a failing case is "
         "shown. With --tests 10, shows what a passing property does"},
    {"verbose", SONDE_OPTION_FLAG, OUTPUT, AT(verbose), .letter = 'v',
     .help = "print everything: long inputs and tables in full, statistics, what the guide learned"},
    {"quiet", SONDE_OPTION_FLAG, OUTPUT, AT(quiet), .letter = 'q', .help = "print failures only"},
    {"stats", SONDE_OPTION_FLAG, OUTPUT, AT(stats),
     .help = "print statistics of the search; with --json, in the field `stats`"},
    {"explain", SONDE_OPTION_EXPLAIN, OUTPUT, AT(explain), .metavar = "lines|search",
     .help =
         "lines: print which lines and comparisons of instrumented code distinguish failing inputs near a "
         "counterexample from passing ones, and which of its values may vary; search: print what the guide learned. "
         "Without a value: both. With --json: in the fields `explanation` of a failure and `explain`"},
    {"blockers", SONDE_OPTION_FLAG, OUTPUT, AT(engine.finds_blockers),
     .help = "after the search, print why valid cases never take some branches of instrumented code: a draw has too "
             "small a range, an assume excludes the value, or no draw influences the branch. To determine that, sonde "
             "runs inputs again with changed values"},
    {"json", SONDE_OPTION_FLAG, OUTPUT, AT(json), .help = "print one JSON object per property instead of a report"},
    {"as-c", SONDE_OPTION_FLAG, OUTPUT, AT(as_c),
     .help = "print counterexamples as a C program that fails, instead of a report"},
    {"report", SONDE_OPTION_REPORT, OUTPUT, AT(reports), .metavar = "KIND[:FILE]",
     .help = "report as terminal, json, tap, junit, github, sarif, html or tyche, to a file or to standard output; "
             "may be given several times, or separated by commas"},
    {"baseline", SONDE_OPTION_TEXT, OUTPUT, AT(baseline), .metavar = "FILE",
     .help = "with --report html: compare with this older page; the new page marks gains and losses"},
    {"serve", SONDE_OPTION_PORT, OUTPUT, AT(port), .metavar = "PORT", .given = AT(serves), .max = 65535,
     .help = "show the page of --report html during the run, in a browser on this machine; needs the sonde command. "
             "The address is printed, and the page has buttons to pause and stop. Without a port, or with 0, any "
             "free port"},
    {"plot-data", SONDE_OPTION_TEXT, OUTPUT, AT(plot_data), .metavar = "FILE",
     .help = "write the progress of the search of one property as a table (CSV): "
             "seconds,cpu_s,tests,valid,different,shapes,edges,valid_edges,guide"},
    {"color", SONDE_OPTION_WORD, OUTPUT, AT(color), .metavar = "auto|always|never",
     .help = "use colours; auto: on a terminal, unless NO_COLOR is set"},
    {"no-color", SONDE_OPTION_NEVER, OUTPUT, AT(color), .is_private = true, .help = "the same as --color=never"},
    {"no-progress", SONDE_OPTION_NEGATED, OUTPUT, AT(progress),
     .help = "do not show the progress line, which terminals get by default"},
    {"ui", SONDE_OPTION_FLAG, OUTPUT, AT(ui),
     .help = "on a terminal, show a screen of statistics instead of the progress line: rate, coverage over time, "
             "cost and yield of each guide"},
    {"version", SONDE_OPTION_FLAG, OUTPUT, AT(version), .is_private = true,
     .help = "print the version of sonde and stop"},
    {"help", SONDE_OPTION_FLAG, OUTPUT, AT(help), .letter = 'h', .is_private = true,
     .help = "print the options and stop"},
    {NULL, SONDE_OPTION_FLAG, NULL, 0, .help = NULL},
};

/* The engine sets the defaults of its options (engine/search/options.h); the others are set here. */
void sonde_cli_default(struct sonde_cli *cli)
{
    memset(cli, 0, sizeof *cli);
    sonde_options_default(&cli->engine);
    cli->isolation = "worker";
    cli->color = "auto";
    cli->progress = true;
}

/* ---- Values ----------------------------------------------------------------------------------------------------*/

/* A value to be parsed, with its source for messages. Every read_ function below takes one, and returns 0, or
 * -EINVAL after complain has written the message. */
struct reading {
    struct sonde_cli *cli;
    const struct sonde_option *option;
    const char *source; /* "--tests" or "SONDE_TESTS" */
    const char *text;
    char *message;
};

SONDE_PRINTF(2, 3)
/* Writes a message that begins with the source, as in "--tests: 'x' is not ...". Returns -EINVAL. */
static int complain(const struct reading *r, const char *format, ...)
{
    int n = snprintf(r->message, SONDE_CLI_MESSAGE, "%s: ", r->source);
    sonde_assert(n > 0 && n < SONDE_CLI_MESSAGE); /* every source is shorter than the message */
    va_list args;
    va_start(args, format);
    vsnprintf(r->message + n, SONDE_CLI_MESSAGE - (size_t)n, format, args);
    va_end(args);
    return -EINVAL;
}

/* Returns the address of a field. Values are copied there by memcpy; options.h lists the C type for each option
 * type. */
static void *field_of(struct sonde_cli *cli, size_t offset)
{
    return (char *)cli + offset;
}

/* Reads decimal digits, or hexadecimal ones after 0x. Returns where they end; NULL if there are none or too many. */
static const char *read_digits(const char *text, uint64_t *value)
{
    if (*text < '0' || *text > '9') return NULL;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    errno = 0;
    /* Not base 0, which would read octal: 010 means ten to most people. */
    *value = strtoull(text, &end, hex ? 16 : 10);
    return errno || end == text + (hex ? 1 : 0) ? NULL : end;
}

/* Returns the factor for a suffix k, M or G, with `step` for k (1000 or 1024); 1 for no suffix, 0 for any other. */
static uint64_t unit_of(const char *suffix, uint64_t step)
{
    if (!*suffix) return 1;
    if (suffix[1]) return 0;
    return *suffix == 'k' || *suffix == 'K' ? step
           : *suffix == 'M'                 ? step * step
           : *suffix == 'G'                 ? step * step * step
                                            : 0;
}

/* Reads a whole number: 5000, 0x1388, 5k, 5e3 or 0.005M. Returns false if it is not whole or exceeds 64 bits.
 * Plain digits are not read through a double, which cannot hold 2^53 + 1. */
static bool read_whole(const char *text, uint64_t step, uint64_t *value)
{
    const char *end = read_digits(text, value);
    uint64_t unit = end ? unit_of(end, step) : 0;
    if (unit) return !__builtin_mul_overflow(*value, unit, value);
    double number = 0;
    size_t n = sonde_read_decimal(text, strlen(text), &number);
    number *= n ? (double)unit_of(text + n, step) : 0;
    /* A fraction of a unit (0.5M) is allowed if the result is whole. */
    if (number < 1 || number >= 0x1p64 || number != floor(number)) return false;
    *value = (uint64_t)number;
    return true;
}

/* Reads a whole number within the bounds of the table; max 0 means no bound. */
static int read_count(const struct reading *r)
{
    const struct sonde_option *o = r->option;
    uint64_t max = o->max ? o->max : UINT64_MAX, value = 0;
    bool is_number = read_whole(r->text, 1000, &value);
    if (!is_number || value < o->min || value > max) {
        return complain(r,
                        "'%s' is not %s; give a whole number from %" PRIu64 " to %" PRIu64
                        " (also like 10k, 2M or 1e6)",
                        r->text, is_number ? "allowed" : "a valid number", o->min, max);
    }
    memcpy(field_of(r->cli, o->offset), &value, sizeof value);
    return 0;
}

/* Reads a size in bytes. k is 1024 here, while it is 1000 for counts. */
static int read_size(const struct reading *r)
{
    const struct sonde_option *o = r->option;
    uint64_t value = 0;
    if (!read_whole(r->text, 1024, &value))
        return complain(r, "'%s' is not a size; give bytes, or a number with k, M or G, like 64M", r->text);
    if (value < o->min) return complain(r, "'%s' is not allowed; give at least %" PRIu64 " bytes", r->text, o->min);
    memcpy(field_of(r->cli, o->offset), &value, sizeof value);
    return 0;
}

/* Reads a number, or a percentage if % follows. 0 means no requirement. */
static int read_least(const struct reading *r)
{
    struct sonde_least least = {0};
    const char *end = read_digits(r->text, &least.n);
    least.is_percent = end && *end == '%';
    if (!end || end[least.is_percent] || (least.is_percent && least.n > 100))
        return complain(
            r, "'%s' is neither a number nor a share; give a whole number, or one up to 100 with %%, like 10%%",
            r->text);
    memcpy(field_of(r->cli, r->option->offset), &least, sizeof least);
    return 0;
}

/* Reads a time. Without a suffix the unit depends on the option: minutes for --until-flat, else seconds. */
static int read_seconds(const struct reading *r)
{
    static const struct {
        const char *suffix;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 0.001}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    bool in_minutes = r->option->type == SONDE_OPTION_MINUTES;
    double value = 0;
    size_t n = sonde_read_decimal(r->text, strlen(r->text), &value);
    for (size_t i = 0; n && i < sizeof units / sizeof *units; i++) {
        if (strcmp(r->text + n, units[i].suffix) != 0 || !isfinite(value * units[i].seconds)) continue;
        value *= i == 0 && in_minutes ? 60 : units[i].seconds;
        if (in_minutes && value <= 0) return complain(r, "'%s' is not allowed; give more than 0 minutes", r->text);
        memcpy(field_of(r->cli, r->option->offset), &value, sizeof value);
        return 0;
    }
    return complain(r, "'%s' is not a time; give %s, like 10 or 0.5, or a number with ms, s, m, h or d, like 90s or 2h",
                    r->text, in_minutes ? "minutes" : "seconds");
}

/* Stores a string, borrowed: argv and the environment live as long as the process. */
static int read_text(const struct reading *r)
{
    if (!*r->text) return complain(r, "the value is empty; give %s", r->option->metavar);
    memcpy(field_of(r->cli, r->option->offset), &r->text, sizeof r->text);
    return 0;
}

/* Returns whether a string is one of the words of the metavar "a|b|c". */
static bool is_word_of(const struct sonde_option *option, const char *text)
{
    size_t n = strlen(text);
    if (!n || strchr(text, '|')) return false;
    for (const char *word = option->metavar; word; word = strchr(word, '|')) {
        if (*word == '|') word++;
        if (!strncmp(word, text, n) && (word[n] == '|' || !word[n])) return true;
    }
    return false;
}

/* Reads one of the words of the metavar "a|b|c", which the help shows, too. */
static int read_word(const struct reading *r)
{
    if (is_word_of(r->option, r->text)) return read_text(r);
    return complain(r, "'%s' is not one of %s", r->text, r->option->metavar);
}

/* Reads the name of a guide. If only a separate library has it, the message names that library (guide/guides.h). */
static int read_guide(const struct reading *r)
{
    if (!strcmp(r->text, "help")) r->cli->help_guides = true;
    if (r->cli->help_guides || sonde_guide_find(r->text)) return read_text(r);
    char missing[SONDE_CLI_MESSAGE / 2];
    sonde_guide_missing(r->text, missing, sizeof missing);
    return complain(r, "%s", missing);
}

/* Reads knobs and checks them against all guides, because --guide may follow on the command line. */
static int read_knobs(const struct reading *r)
{
    char wrong[SONDE_CLI_MESSAGE / 2];
    if (!strcmp(r->text, "help")) r->cli->help_knobs = true;
    else if (!strcmp(r->text, "list")) r->cli->list_knobs = true;
    else if (sonde_knobs_check(r->text, wrong, sizeof wrong) < 0) return complain(r, "%s", wrong);
    return read_text(r);
}

static int read_share(const struct reading *r)
{
    const char *wrong = sonde_link_check(r->text);
    return wrong ? complain(r, "%s", wrong) : read_text(r); /* the value is not quoted: it may hold a password */
}

/* Lists the registered kinds of reports, each after a comma. Returns `out`. */
static const char *registered_kinds(char *out, size_t size)
{
    size_t n = 0;
    *out = 0;
    for (size_t i = 0; sonde_reporter_at(i) && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, ", %s", sonde_reporter_at(i)->name);
    return out;
}

/* Reads one report of --report, KIND or KIND:FILE, of n characters. */
static int read_report(const struct reading *r, const char *text, size_t n)
{
    const char *colon = memchr(text, ':', n);
    size_t word = colon ? (size_t)(colon - text) : n, kind = 0;
    const char *const *kinds = sonde_report_kinds;
    while (kinds[kind] && (strncmp(kinds[kind], text, word) != 0 || strlen(kinds[kind]) != word)) kind++;
    const struct sonde_reporter_ops *own = kinds[kind] ? NULL : sonde_reporter_find(text, word);
    if (!kinds[kind] && !own) {
        char others[256];
        return complain(
            r,
            "'%.*s' is not a kind of report; give terminal, json, tap, junit, github, sarif, html or tyche%s, "
            "and :FILE to write it to a file",
            (int)n, text, registered_kinds(others, sizeof others));
    }
    if (colon && word + 1 == n) return complain(r, "'%.*s' lacks a file name after the colon; add one", (int)n, text);
    struct sonde_cli *cli = r->cli;
    if (cli->n_reports == SONDE_REPORT_REQUESTS_MAX) {
        return complain(r, "more than %d reports; give fewer", SONDE_REPORT_REQUESTS_MAX);
    }
    struct sonde_report_request *request = &cli->reports[cli->n_reports++];
    request->kind = own ? SONDE_REPORT_OWN : (enum sonde_report_kind)kind;
    request->own = own;
    /* The file name is not NUL-terminated: a comma and the next report may follow. */
    request->file = colon ? colon + 1 : text + n;
    request->file_length = colon ? n - word - 1 : 0;
    if (request->file_length == 1 && *request->file == '-') request->file_length = 0;
    return 0;
}

/* Appends a pattern. As with reports, the first pattern of a source replaces the patterns of earlier sources. */
static int read_filter(const struct reading *r)
{
    struct sonde_cli *cli = r->cli;
    if (!cli->filters_given) cli->n_filters = 0;
    cli->filters_given = true;
    if (!r->text[r->text[0] == '!']) return complain(r, "the value is empty; give %s", r->option->metavar);
    if (cli->n_filters == SONDE_FILTERS_MAX) return complain(r, "more than %d patterns; give fewer", SONDE_FILTERS_MAX);
    cli->filters[cli->n_filters++] = r->text;
    return 0;
}

/* Appends a file to import. The first one of a source replaces the files of earlier sources. */
static int read_import(const struct reading *r)
{
    struct sonde_options *o = &r->cli->engine;
    if (!r->cli->imports_given) o->n_imports = 0;
    r->cli->imports_given = true;
    if (!*r->text) return complain(r, "the value is empty; give %s", r->option->metavar);
    if (o->n_imports == SONDE_IMPORTS_MAX)
        return complain(r, "more than %d files; give the directory that holds them", SONDE_IMPORTS_MAX);
    o->imports[o->n_imports++] = r->text;
    return 0;
}

/* Appends the reports of one --report, which commas separate. */
static int read_reports(const struct reading *r)
{
    /* The first --report of a source (environment, then command line) replaces the reports of the source before. */
    if (!r->cli->reports_given) r->cli->n_reports = 0;
    r->cli->reports_given = true;
    for (const char *text = r->text;; text++) {
        size_t n = strcspn(text, ",");
        int error = read_report(r, text, n);
        if (error) return error;
        text += n;
        if (!*text) return 0;
    }
}

/* Sets or clears a flag. In the environment and in sonde.conf it has a value, on or off. */
static int read_flag(const struct reading *r)
{
    static const char *const on[] = {"1", "yes", "true", "on"}, *const off[] = {"", "0", "no", "false", "off"};
    bool value = r->option->type == SONDE_OPTION_FLAG;
    bool *field = field_of(r->cli, r->option->offset);
    for (size_t i = 0; r->text && i < sizeof off / sizeof *off; i++) {
        if (strcmp(r->text, off[i]) != 0) continue;
        *field = !value; /* needed, because an earlier source may have switched the flag on */
        return 0;
    }
    bool is_on = !r->text;
    for (size_t i = 0; !is_on && i < sizeof on / sizeof *on; i++) is_on = !strcmp(r->text, on[i]);
    if (!is_on) return complain(r, "'%s' is not one of 1, yes, true, on, 0, no, false, off", r->text);
    *field = value;
    return 0;
}

/* Reads --explain. A word (lines, search) switches that part on, and several words add up. No word, or a value such as
 * on or off, switches both parts. */
static int read_explain(const struct reading *r)
{
    if (r->text && is_word_of(r->option, r->text)) {
        if (!strcmp(r->text, "lines")) r->cli->engine.explains_lines = true;
        else r->cli->explain = true;
        return 0;
    }
    struct reading flag = *r;
    struct sonde_option as_flag = *r->option;
    as_flag.type = SONDE_OPTION_FLAG;
    flag.option = &as_flag;
    if (read_flag(&flag)) return complain(r, "'%s' is not one of %s", r->text, r->option->metavar);
    r->cli->engine.explains_lines = r->cli->explain;
    return 0;
}

/* Reads a value by its type. Sets `given` only if there was no error. */
static int read_value(const struct reading *r)
{
    int error = 0;
    static const char never[] = "never", *const never_text = never;
    switch (r->option->type) {
    case SONDE_OPTION_FLAG:
    case SONDE_OPTION_NEGATED: error = read_flag(r); break;
    case SONDE_OPTION_NEVER: memcpy(field_of(r->cli, r->option->offset), &never_text, sizeof never_text); break;
    case SONDE_OPTION_EXPLAIN: error = read_explain(r); break;
    case SONDE_OPTION_PORT: error = r->text ? read_count(r) : 0; break;
    case SONDE_OPTION_COUNT: error = read_count(r); break;
    case SONDE_OPTION_SIZE: error = read_size(r); break;
    case SONDE_OPTION_LEAST: error = read_least(r); break;
    case SONDE_OPTION_SECONDS:
    case SONDE_OPTION_MINUTES: error = read_seconds(r); break;
    case SONDE_OPTION_TEXT: error = read_text(r); break;
    case SONDE_OPTION_WORD: error = read_word(r); break;
    case SONDE_OPTION_GUIDE: error = read_guide(r); break;
    case SONDE_OPTION_KNOBS: error = read_knobs(r); break;
    case SONDE_OPTION_SHARE: error = read_share(r); break;
    case SONDE_OPTION_FILTER: error = read_filter(r); break;
    case SONDE_OPTION_IMPORT: error = read_import(r); break;
    case SONDE_OPTION_REPORT: error = read_reports(r); break;
    }
    if (!error && r->option->given) *(bool *)field_of(r->cli, r->option->given) = true;
    return error;
}

/* Returns whether an option takes a value, or may take one. The types are ordered for this comparison (options.h). */
static bool takes_value(const struct sonde_option *option)
{
    return option->type > SONDE_OPTION_NEVER;
}

bool sonde_option_may_lack_value(const struct sonde_option *option)
{
    return option->type == SONDE_OPTION_EXPLAIN || option->type == SONDE_OPTION_PORT;
}

/* Returns whether the next word of the command line is the value of an option whose value is optional. */
static bool is_value_of(const struct sonde_option *option, const char *text)
{
    if (option->type == SONDE_OPTION_PORT) return *text && !text[strspn(text, "0123456789")];
    return is_word_of(option, text);
}

/* ---- Finding options -------------------------------------------------------------------------------------------*/

/* Returns the option with this name, or NULL. Abbreviations are not accepted, only suggested (nearest_option). */
static const struct sonde_option *find_option(const char *name, size_t n)
{
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) {
        if (!strncmp(o->name, name, n) && !o->name[n]) return o;
    }
    return NULL;
}

static const struct sonde_option *find_letter(char letter)
{
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) {
        if (o->letter == letter) return o;
    }
    return NULL;
}

const char *sonde_option_variable(const struct sonde_option *option, char out[SONDE_OPTION_VARIABLE])
{
    snprintf(out, SONDE_OPTION_VARIABLE, "SONDE_%s", option->name);
    for (char *c = out; *c; c++) *c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
    return out;
}

/* Returns the option that a misspelt name may mean; NULL if none is similar. */
static const struct sonde_option *nearest_option(const char *text, size_t n)
{
    const struct sonde_option *best = NULL;
    size_t least = sonde_distance_limit(n);
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) {
        size_t d = sonde_distance(o->name, text, n);
        if (n >= 3 && !strncmp(o->name, text, n)) d = 1; /* an abbreviation */
        if (d >= least) continue;
        least = d;
        best = o;
    }
    return best;
}

/* Writes a message about an unknown option. It quotes 200 characters at most, in case a long string was pasted by
 * accident. */
static int unknown_option(const char *argument, char *message)
{
    bool is_long = argument[0] == '-' && argument[1] == '-';
    const char *name = argument + (is_long ? 2 : 1);
    size_t n = is_long ? strcspn(name, "=") : strlen(name);
    if (n > 200) n = 200;
    const struct sonde_option *near = nearest_option(name, n);
    int dashes = is_long ? 2 : 1;
    if (near) {
        snprintf(message, SONDE_CLI_MESSAGE, "unknown option %.*s; did you mean --%s? (--help lists the options)",
                 (int)n + dashes, argument, near->name);
    } else {
        snprintf(message, SONDE_CLI_MESSAGE, "unknown option %.*s; --help lists the options", (int)n + dashes,
                 argument);
    }
    return -EINVAL;
}

/* ---- Sources ---------------------------------------------------------------------------------------------------*/

/* Warns about a variable whose name differs from an option's variable by one letter, and which therefore has no
 * effect. */
static void warn_of_misspelling(const char *variable, size_t n)
{
    const struct sonde_option *near = NULL;
    char name[SONDE_OPTION_VARIABLE];
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) {
        size_t d = o->is_private ? SIZE_MAX : sonde_distance(sonde_option_variable(o, name), variable, n);
        if (d == 0) return;
        if (d == 1) near = o;
    }
    if (near)
        sonde_warn("the environment variable %.*s has no effect; did you mean %s?", (int)n, variable,
                   sonde_option_variable(near, name));
}

/* Reads the settings of sonde.conf. Only options that the environment may set are allowed; --list or --replay
 * belong on the command line. Settings of other profiles are checked, too, so that a misspelt one is found before
 * that profile is used. */
static int read_profile(struct sonde_cli *cli, const struct sonde_profile *profile, char *message)
{
    static const char *const not_settings[] = {"replay", "profile"};
    for (size_t i = 0; i < profile->n; i++) {
        const struct sonde_setting *s = &profile->settings[i];
        const struct sonde_option *o = find_option(s->key, strlen(s->key)), *near;
        bool is_setting = o && !o->is_private;
        for (size_t k = 0; k < sizeof not_settings / sizeof *not_settings; k++)
            is_setting &= strcmp(s->key, not_settings[k]) != 0;
        char source[SONDE_CLI_MESSAGE / 2];
        snprintf(source, sizeof source, "%s:%d: %s", profile->file, s->line, s->key);
        struct reading r = {cli, o, source, s->value, message};
        if (!o) {
            near = nearest_option(s->key, strlen(s->key));
            return complain(&r, "there is no such option%s%s%s; --help lists the options",
                            near ? "; did you mean " : "", near ? near->name : "", near ? "?" : "");
        }
        if (!is_setting) return complain(&r, "this option is allowed only on the command line; give it there");
        if (!s->applies) continue;
        int error = *s->value ? read_value(&r) : complain(&r, "the value is missing; write %s = VALUE", s->key);
        if (error) return error;
    }
    cli->reports_given = cli->filters_given = cli->imports_given = false; /* cleared before the next source is read */
    return 0;
}

/* Reads every variable that sets an option; warns about those with similar names. */
static int read_environment(struct sonde_cli *cli, char *const *environment, char *message)
{
    for (; environment && *environment; environment++) {
        const char *equals = strchr(*environment, '=');
        if (!equals || strncmp(*environment, "SONDE_", 6) != 0) continue;
        size_t n = (size_t)(equals - *environment);
        warn_of_misspelling(*environment, n);
        for (const struct sonde_option *o = sonde_option_table; o->name; o++) {
            char name[SONDE_OPTION_VARIABLE];
            sonde_option_variable(o, name);
            if (o->is_private || strncmp(name, *environment, n) != 0 || name[n]) continue;
            if (!equals[1]) continue; /* an empty variable counts as not set */
            int error = read_value(&(struct reading){cli, o, name, equals + 1, message});
            if (error) return error;
        }
    }
    /* These flags are cleared before the next source is read. */
    cli->reports_given = cli->filters_given = cli->imports_given = false;
    return 0;
}

/* Reads the option at argv[*i], which starts with a dash, and moves *i to its last word. */
static int read_argument(struct sonde_cli *cli, int argc, char *const *argv, int *i, char *message)
{
    const char *argument = argv[*i], *value = NULL;
    const struct sonde_option *option;
    char source[64];
    if (argument[1] == '-') {
        size_t n = strcspn(argument + 2, "=");
        option = find_option(argument + 2, n);
        if (option && argument[2 + n]) value = argument + 2 + n + 1;
    } else {
        option = find_letter(argument[1]);
        if (option && argument[2]) value = argument + 2;
        if (option && value && !takes_value(option)) option = NULL; /* -verbose */
    }
    if (!option) return unknown_option(argument, message);
    snprintf(source, sizeof source, "--%s", option->name);
    struct reading r = {cli, option, source, value, message};
    if (sonde_option_may_lack_value(option)) {
        if (!value && *i + 1 < argc && is_value_of(option, argv[*i + 1])) r.text = argv[++*i];
    } else if (takes_value(option)) {
        if (!value && *i + 1 == argc) return complain(&r, "a value is missing; write %s %s", source, option->metavar);
        if (!value) r.text = argv[++*i];
    } else if (value) {
        return complain(&r, "takes no value, but '%s' was given", value);
    }
    int error = read_value(&r);
    while (!error && option->type == SONDE_OPTION_IMPORT && *i + 1 < argc && argv[*i + 1][0] != '-') {
        r.text = argv[++*i];
        error = read_value(&r);
    }
    return error;
}

/* Lets a limit that was given replace the defaults of the other limits. --tests 50000 means all 50000 cases, also on a
 * slow machine, and --time 60 means the whole minute, also if nearly every case is discarded. A run without end needs 0
 * for both. */
static void resolve_limits(struct sonde_options *options, bool has_total)
{
    bool counts = options->runs > 0 || (options->tests_given && options->tests > 0);
    bool times = options->runs > 0 || has_total || (options->seconds_given && options->seconds > 0);
    if (counts && !options->seconds_given) {
        options->seconds = 0;
        options->seconds_given = true;
    }
    if (times && !options->tests_given) {
        options->tests = 0;
        options->tests_given = true;
        if (!options->max_discards_given) options->max_discards = 0;
    }
}

/* Adds what profile ci implies. The seed is derived from the commit, so that a second run of the commit repeats
 * the search. Runs that share inputs (--share) keep their random seeds; with one seed they would all do the same.
 * In GitHub Actions, a report with annotations is added. */
static void apply_ci_profile(struct sonde_cli *cli)
{
    const char *commit = sonde_profile_commit(), *actions = getenv("GITHUB_ACTIONS");
    bool annotates = actions && !strcmp(actions, "true");
    if (commit && !cli->engine.seed_given && !cli->engine.share) {
        char digits[9];
        snprintf(digits, sizeof digits, "%s", commit);
        cli->engine.seed = strtoul(digits, NULL, 16);
        cli->engine.seed_given = true;
        cli->commit = commit;
    }
    for (size_t i = 0; i < cli->n_reports; i++) annotates &= cli->reports[i].kind != SONDE_REPORT_GITHUB;
    if (annotates && cli->n_reports < SONDE_REPORT_REQUESTS_MAX)
        cli->reports[cli->n_reports++] = (struct sonde_report_request){SONDE_REPORT_GITHUB, "", 0, NULL};
}

int sonde_cli_parse(struct sonde_cli *cli, const struct sonde_profile *profile, int argc, char *const *argv,
                    char *const *environment, char message[SONDE_CLI_MESSAGE])
{
    sonde_cli_default(cli);
    if (profile && profile->is_ci) cli->strict = true;
    int error = profile ? read_profile(cli, profile, message) : 0;
    if (!error) error = read_environment(cli, environment, message);
    for (int i = 1; !error && i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1]) {
            error = read_argument(cli, argc, argv, &i, message);
        } else {
            snprintf(message, SONDE_CLI_MESSAGE,
                     "unexpected argument '%s'; to choose properties write --filter '%s'; --help lists the options",
                     argv[i], argv[i]);
            error = -EINVAL;
        }
    }
    if (!error) resolve_limits(&cli->engine, cli->total_seconds > 0);
    if (!error && profile && profile->is_ci) apply_ci_profile(cli);
    return error;
}

enum sonde_isolation sonde_cli_isolation(const struct sonde_cli *cli)
{
    if (!strcmp(cli->isolation, "none")) return SONDE_ISOLATE_NONE;
    return !strcmp(cli->isolation, "case") ? SONDE_ISOLATE_CASE : SONDE_ISOLATE_WORKER;
}
