#define _GNU_SOURCE /* program_invocation_name, environ */
/* sonde_run and sonde_replay: a property inside another program, without a command line or exit. The report goes to standard
 * error, in plain text, because standard output is the host's. Of the environment all counts that is about the search, and
 * how much the report says; not which reports there are.
 *
 * Differences from sonde_main, all because the process is the host's: no isolation unless asked for and
 * unless there is one thread; signals are left alone; nothing is printed on standard output; nothing
 * exits. What is wrong with the call comes back as a result with status SONDE_USAGE. */
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

static enum sonde_status run_embedded(const sonde_property *property, const struct sonde_cli *cli, bool quiet,
                                      sonde_result *result)
{
    const struct sonde_options *options = &cli->engine;
    struct sonde_strict strict = sonde_strict_begin(cli->strict);
    struct sonde_reporter *all[2] = {&strict.base}, *reporter = NULL;
    /* A copy, because a property may close or redirect standard error. */
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

/* The name of a C++ function f(sonde *), also inside sondecpp::property<f>; false if the mangled name
 * has another form. Itanium ABI: _Z, an optional L, the length, the name. A property is a plain
 * function, so no more of the grammar is needed. */
static bool read_mangled(const char *mangled, char name[SYMBOL])
{
    const char *at = mangled, *next;
    while ((next = strstr(at + 2, "_Z"))) at = next; /* the innermost */
    at += 2;
    if (*at == 'L') at++;
    char *end;
    unsigned long n = strtoul(at, &end, 10);
    if (end == at || n == 0 || n >= SYMBOL || strlen(end) < n) return false;
    memcpy(name, end, n);
    name[n] = '\0';
    return true;
}

/* For a property that nobody named: what its function is called, if the program's symbols say so. */
static const char *function_name(sonde_property_fn *run, char name[SYMBOL])
{
    struct sonde_symbol symbol;
    const void *address;
    memcpy(&address, &run, sizeof address); /* C knows no conversion */
    sonde_symbol_of(address, &symbol);
    /* A stripped program: an address is no name that means anything tomorrow. */
    if (strstr(symbol.name, "+0x") || strncmp(symbol.name, "0x", 2) == 0) return "property";
    if (strncmp(symbol.name, "_Z", 2) == 0) return read_mangled(symbol.name, name) ? name : "property";
    memcpy(name, symbol.name, SYMBOL);
    return name;
}

/* What the config says about the property wins over what the property says about itself. A copy: the
 * caller's property may be constant. */
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

/* A wrong call is told like any outcome: by status and message. */
static int misused(const sonde_config *config, sonde_result *result, const char *what, const char *which)
{
    memset(result, 0, sizeof *result);
    result->status = SONDE_USAGE;
    snprintf(result->message, sizeof result->message, "%.80s%.420s", what, which);
    if (!config->quiet) sonde_complain("%s", result->message);
    return SONDE_USAGE;
}

/* How many threads this process has; 1 where that cannot be known. The one that ThreadSanitizer starts for itself does not
 * count. */
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

/* A fork has only the thread that called it: what another one holds, a lock say, would be held for ever. */
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

/* The environment wins over the config, as it wins over what a property says of itself. */
static void merge_config(struct sonde_cli *cli, const sonde_config *config)
{
    struct sonde_options *o = &cli->engine;
    o->embedded = true;
    /* The host's argv[0], for the folder of the store; a replay command is not printed (embedded). */
    o->program = program_invocation_name;
    o->spawn = false; /* only sonde_main can be come to anew */
    if (config->seed && !o->seed_given) o->seed = config->seed, o->seed_given = true;
    if (config->timeout > 0 && !o->timeout_cpu_given) o->timeout_cpu = config->timeout;
    if (config->wall_timeout > 0 && !o->timeout_wall_given) o->timeout_wall = config->wall_timeout;
    /* An empty text means: no store. */
    if (config->store && !o->store) o->store = config->store, o->no_store |= !*config->store;
    o->isolation = isolation_here(o->isolation_given ? sonde_cli_isolation(cli) : config->isolate, config);
}

/* The setting that is no number of seconds; NULL if all are. Written so that NaN is wrong, too. */
static const char *wrong_seconds(const sonde_config *config)
{
    if (!(config->seconds >= 0)) return "seconds";
    if (!(config->timeout >= 0)) return "timeout";
    if (!(config->wall_timeout >= 0)) return "wall_timeout";
    return config->property && !(config->property->seconds >= 0) ? "property->seconds" : NULL;
}

/* What is wrong with the call, as a sentence; false if nothing is. */
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
        snprintf(message, SONDE_CLI_MESSAGE, "isolate is %d, which is none of enum sonde_isolation", isolate);
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

#undef sonde_run /* the build is the caller's */

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
        sonde_dictionary_clear(&words); /* of the lines before the wrong one */
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

/* Strict: a token in the source of a test must lead to exactly the input that it names, or the test
 * would quietly test something else. */
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
