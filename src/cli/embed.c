/* sonde_run and sonde_replay: a property inside another program, without options, environment or exit. The report
 * goes to standard error, in plain text, because standard output is the host's. */
#include "engine/engine.h"
#include "exec/symbol.h"
#include "guide/guides.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SYMBOL = sizeof(((struct sonde_symbol *)0)->name) };

static enum sonde_status run_embedded(const sonde_property *property, const struct sonde_options *options, bool quiet,
                                      sonde_result *result)
{
    struct sonde_reporter *reporter = NULL;
    int copy = quiet ? -1 : dup(STDERR_FILENO);
    FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;
    struct sonde_terminal_style style = {.replay = options->replay != NULL, .quiet = options->replay != NULL};
    if (out) reporter = sonde_terminal_create(out, &style);
    else if (copy >= 0) close(copy);
    size_t n = reporter ? 1 : 0;
    sonde_tell(&reporter, n, &(struct sonde_event){.kind = SONDE_EVENT_BEGIN, .n_properties = 1});
    enum sonde_status status = sonde_engine_run(property, options, &reporter, n, result);
    sonde_tell(&reporter, n, &(struct sonde_event){.kind = SONDE_EVENT_END, .n_properties = 1, .status = status});
    if (reporter) reporter->destroy(reporter);
    if (out) fclose(out);
    return status;
}

/* The name of a C++ function f(sonde *), also inside sondecpp::property<f>; false if the mangled name has another form. */
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
    if (strstr(symbol.name, "+0x") || strncmp(symbol.name, "0x", 2) == 0) return "property";
    if (strncmp(symbol.name, "_Z", 2) == 0) return read_mangled(symbol.name, name) ? name : "property";
    memcpy(name, symbol.name, SYMBOL);
    return name;
}

/* What the config says about the property wins over what the property says about itself. */
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
    return property;
}

/* A wrong call is told like any outcome: by status and message. */
static int misused(const sonde_config *config, sonde_result *result, const char *what, const char *which)
{
    memset(result, 0, sizeof *result);
    result->status = SONDE_USAGE;
    snprintf(result->message, sizeof result->message, "%s%s", what, which);
    if (!config->quiet) fprintf(stderr, "%s\n", result->message);
    return SONDE_USAGE;
}

int sonde_run(sonde_property_fn *run, const sonde_config *config)
{
    static const sonde_config none;
    if (!config) config = &none;
    sonde_result unused, *result = config->result ? config->result : &unused;
    if (!run) return misused(config, result, "sonde_run: the property is NULL; give a function", "");
    sonde_property property = embedded_property(run, config);
    char name[SYMBOL];
    if (!property.name) property.name = function_name(run, name);
    if (property.guide && !sonde_guide_find(property.guide)) {
        char missing[sizeof result->message / 2];
        sonde_guide_missing(property.guide, missing, sizeof missing);
        return misused(config, result, "sonde_run: ", missing);
    }
    struct sonde_options options;
    sonde_options_default(&options);
    options.no_store = true;
    options.seed = config->seed;
    options.seed_given = config->seed != 0;
    return (int)run_embedded(&property, &options, config->quiet, result);
}

int sonde_replay(sonde_property_fn *run, const char *token)
{
    static const sonde_config none;
    sonde_result result;
    if (!run) return misused(&none, &result, "sonde_replay: the property is NULL; give a function", "");
    if (!token) return misused(&none, &result, "sonde_replay: the token is NULL; give one from a report", "");
    char name[SYMBOL];
    sonde_property property = {.name = function_name(run, name), .run = run};
    struct sonde_options options;
    sonde_options_default(&options);
    options.no_store = true;
    options.replay = token;
    return (int)run_embedded(&property, &options, false, &result);
}
