#define _GNU_SOURCE /* program_invocation_name, environ */
/* sonde_run and sonde_replay: run a property inside another program, the host, without a command line.
 *
 * The process belongs to the host, so these differ from sonde_main:
 * - Cases are isolated only if the config or the environment asks for it, and only if the process has one thread.
 * - Signal handlers stay as they are, and no function exits.
 * - The report is plain text on standard error; nothing is printed on standard output.
 * - Of the environment, options about the search and about how much is printed apply, but not --report.
 * - A wrong call prints a message and returns SONDE_USAGE. */
#include "base/die.h"
#include "base/refusal.h"
#include "cli/dictionary.h"
#include "cli/options.h"
#include "cli/strict.h"
#include "engine/engine.h"
#include "program/place.h"
#include "guide/guides.h"
#include "report/report.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern __attribute__((weak)) void __tsan_init(void);

enum { SYMBOL = sizeof(((struct sonde_symbol *)0)->name) };

/* Runs one property and fills *result. Returns its status, which is SONDE_USAGE if --strict is not met. */
static enum sonde_status run_embedded(const sonde_property *property, const struct sonde_cli *cli, bool quiet,
                                      sonde_result *result)
{
    const struct sonde_options *options = &cli->engine;
    struct sonde_strict strict = sonde_strict_begin(cli->strict);
    struct sonde_reporter *all[2] = {&strict.base}, *reporter = NULL;
    /* Print to a copy of the descriptor, because a property may close or redirect standard error. */
    int copy = quiet ? -1 : dup(STDERR_FILENO);
    FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;
    struct sonde_terminal_style style = {.replay = options->replay != NULL,
                                         .quiet = options->replay || cli->quiet,
                                         .color = !strcmp(cli->color, "always"),
                                         .stats = cli->stats || cli->verbose,
                                         .explain = cli->explain || cli->verbose,
                                         .all = cli->verbose};
    if (out) reporter = sonde_terminal_create(out, &style);
    else if (copy >= 0) close(copy);
    size_t n = reporter ? 2 : 1;
    all[1] = reporter;
    sonde_tell(all, n, &(struct sonde_event){.kind = SONDE_EVENT_BEGIN, .n_properties = 1});
    enum sonde_status status = sonde_engine_run(property, options, all, n, result);
    if (sonde_strict_is_broken(&strict) && status != SONDE_INTERNAL) result->status = status = SONDE_USAGE;
    sonde_tell(all, n, &(struct sonde_event){.kind = SONDE_EVENT_END, .n_properties = 1, .status = status});
    if (reporter) reporter->destroy(reporter);
    if (out) fclose(out);
    return status;
}

/* Extracts the name of a C++ function f(sonde *), also from inside sondecpp::property<f>. Returns false if the
 * mangled name has another form. In the Itanium ABI it is _Z, an optional L, the length and the name. A property
 * is a plain function, so no more of the grammar is needed. */
static bool read_mangled(const char *mangled, char name[SYMBOL])
{
    const char *at = mangled, *next;
    while ((next = strstr(at + 2, "_Z"))) at = next; /* the innermost mangled name */
    at += 2;
    if (*at == 'L') at++;
    char *end;
    unsigned long n = strtoul(at, &end, 10);
    if (end == at || n == 0 || n >= SYMBOL || strlen(end) < n) return false;
    memcpy(name, end, n);
    name[n] = '\0';
    return true;
}

/* Returns the name of a function, for a property that has no name; "property" if the symbol table does not have it. */
static const char *function_name(sonde_property_fn *run, char name[SYMBOL])
{
    struct sonde_symbol symbol;
    const void *address;
    memcpy(&address, &run, sizeof address); /* C has no cast from a function pointer to void * */
    sonde_symbol_of(address, &symbol);
    /* In a stripped program the symbol is an address, which changes with every build. */
    if (strstr(symbol.name, "+0x") || strncmp(symbol.name, "0x", 2) == 0) return "property";
    if (strncmp(symbol.name, "_Z", 2) == 0) return read_mangled(symbol.name, name) ? name : "property";
    memcpy(name, symbol.name, SYMBOL);
    return name;
}

/* Returns a copy of the config's property in which the settings of the config replace the property's
 * settings. It is a copy, because the property of the caller may be constant. */
static sonde_property embedded_property(sonde_property_fn *run, const sonde_config *config)
{
    sonde_property property = {0};
    if (config->property) property = *config->property;
    property.run = run;
    if (config->name) property.name = config->name;
    if (config->context) property.context = config->context;
    if (config->tests) property.tests = config->tests;
    if (config->seconds > 0) property.seconds = config->seconds;
    if (config->guide) property.guide = config->guide;
    if (config->min_unique) property.min_unique = config->min_unique;
    return property;
}

/* Fills *result for a wrong call, prints the message unless quiet, and returns SONDE_USAGE. */
static int misused(const sonde_config *config, sonde_result *result, const char *what, const char *which)
{
    memset(result, 0, sizeof *result);
    result->status = SONDE_USAGE;
    snprintf(result->message, sizeof result->message, "%.80s%.420s", what, which);
    if (!config->quiet) sonde_complain("%s", result->message);
    return SONDE_USAGE;
}

/* Returns how many threads this process has, without the background thread of ThreadSanitizer. Returns 1 if the
 * number cannot be read. */
static unsigned count_threads(void)
{
    unsigned n = 0;
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;
    while (tasks && (entry = readdir(tasks)) != NULL) n += entry->d_name[0] != '.';
    if (tasks) closedir(tasks);
    if (n > 1 && __tsan_init) n--;
    return n ? n : 1;
}

/* Returns the isolation that is possible here. A forked process has only the thread that called fork, so a lock
 * held by any other thread would stay locked there forever. */
static enum sonde_isolation isolation_here(enum sonde_isolation wanted, const sonde_config *config)
{
    if (wanted == SONDE_ISOLATE_DEFAULT || wanted == SONDE_ISOLATE_NONE) return SONDE_ISOLATE_NONE;
    unsigned threads = count_threads();
    if (threads == 1) return wanted;
    if (!config->quiet)
        sonde_complain(
            "sonde: %s runs without isolation, because this program has %u threads and a fork would have only one of "
            "them; a crash will end the program",
            config->name ? config->name : "the property", threads);
    return SONDE_ISOLATE_NONE;
}

/* Adds the settings of the config, unless the environment sets them. The environment wins, as it does over
 * settings of a property. */
static void merge_config(struct sonde_cli *cli, const sonde_config *config)
{
    struct sonde_options *o = &cli->engine;
    o->embedded = true;
    /* argv[0] of the host, to find the directory of the store. No replay command is printed (embedded). */
    o->program = program_invocation_name;
    o->spawn = false; /* a spawned worker enters through sonde_main, which the host does not call */
    if (config->seed && !o->seed_given) o->seed = config->seed, o->seed_given = true;
    if (config->timeout > 0 && !o->timeout_cpu_given) o->timeout_cpu = config->timeout;
    if (config->wall_timeout > 0 && !o->timeout_wall_given) o->timeout_wall = config->wall_timeout;
    /* An empty string means: no store. */
    if (config->store && !o->store) o->store = config->store, o->no_store |= !*config->store;
    o->isolation = isolation_here(o->isolation_given ? sonde_cli_isolation(cli) : config->isolate, config);
}

/* Returns the name of a setting that is not a number of seconds; NULL if all are. `!(x >= 0)` also rejects NaN. */
static const char *wrong_seconds(const sonde_config *config)
{
    if (!(config->seconds >= 0)) return "seconds";
    if (!(config->timeout >= 0)) return "timeout";
    if (!(config->wall_timeout >= 0)) return "wall_timeout";
    return config->property && !(config->property->seconds >= 0) ? "property->seconds" : NULL;
}

/* Reports whether the call is wrong, with a message about why. Otherwise *cli holds the settings of the
 * environment. */
static bool is_wrong(sonde_property_fn *run, const sonde_config *config, struct sonde_cli *cli,
                     char message[SONDE_CLI_MESSAGE])
{
    const char *guide = config->guide ? config->guide : config->property ? config->property->guide : NULL;
    int isolate = (int)config->isolate;
    if (!run) {
        snprintf(message, SONDE_CLI_MESSAGE, "the property is NULL; give a function");
    } else if (sonde_refused()) {
        snprintf(message, SONDE_CLI_MESSAGE, "%s", sonde_refused());
    } else if (isolate < SONDE_ISOLATE_DEFAULT || isolate > SONDE_ISOLATE_CASE) {
        snprintf(message, SONDE_CLI_MESSAGE, "isolate is %d; give a value of enum sonde_isolation", isolate);
    } else if (wrong_seconds(config)) {
        snprintf(message, SONDE_CLI_MESSAGE, "%s must be a number of seconds; 0 for the default",
                 wrong_seconds(config));
    } else if (guide && !sonde_guide_find(guide)) {
        sonde_guide_missing(guide, message, SONDE_CLI_MESSAGE);
    } else {
        return sonde_cli_parse(cli, NULL, 0, NULL, environ, message) < 0;
    }
    return true;
}

#undef sonde_run /* for callers sonde_run is a macro, which records how they were compiled */

int sonde_run(sonde_property_fn *run, const sonde_config *config)
{
    static const sonde_config none;
    struct sonde_cli cli;
    struct sonde_dictionary words = {0};
    char message[SONDE_CLI_MESSAGE];
    if (!config) config = &none;
    sonde_result unused, *result = config->result ? config->result : &unused;
    if (is_wrong(run, config, &cli, message)
        || (cli.dictionary && sonde_dictionary_read(&words, cli.dictionary, message) < 0)) {
        sonde_dictionary_clear(&words); /* frees the words that were read before the wrong line */
        return misused(config, result, "sonde_run: ", message);
    }
    sonde_property property = embedded_property(run, config);
    char name[SYMBOL];
    if (!property.name) property.name = function_name(run, name);
    merge_config(&cli, config);
    cli.engine.words = (const char *const *)words.words;
    enum sonde_status status = run_embedded(&property, &cli, config->quiet, result);
    sonde_dictionary_clear(&words);
    return (int)status;
}

/* Replays strictly: a token in the source of a test must produce exactly the input that it names. Otherwise the
 * test would silently test something else. */
int sonde_replay(sonde_property_fn *run, const char *token)
{
    static const sonde_config none;
    sonde_result result;
    if (!run) return misused(&none, &result, "sonde_replay: the property is NULL; give a function", "");
    if (!token) return misused(&none, &result, "sonde_replay: the token is NULL; give one from a report", "");
    char name[SYMBOL];
    sonde_property property = {.name = function_name(run, name), .run = run};
    struct sonde_cli cli;
    sonde_cli_default(&cli);
    cli.engine.embedded = true;
    cli.engine.no_store = true;
    cli.engine.replay = token;
    cli.engine.is_strict = true;
    return (int)run_embedded(&property, &cli, false, &result);
}
