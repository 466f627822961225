/* See single.h (sonde_known_judge). Both programs are started like any test program, by --replay, and answer in JSON.
 * So the base may have been built with another version of sonde, and nothing of it is loaded here.
 *
 * Each program replays the input many times, each in a new process. A failure may depend on addresses, the time, or
 * memory that was never written: one run that differs is enough to call it unknown. */
#include "engine/workers/single.h"

#include "base/command.h"
#include "base/mem.h"
#include "base/strings.h"
#include "exec/interrupt.h"
#include "program/sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* No clock decides how often: on a busy machine a flaky failure would be taken for a known one. */
enum {
    RUNS = 60,          /* replays in each program: a failure of 19 runs in 20 passes all 120 with a chance of 0.2 % */
    SLOW_RUNS = 3,      /* the same for hangs, which take all of their time limit */
    TOKEN_MAX = 100000, /* longer ones do not fit a command line */
    ANSWER_MAX = 64 << 20
};
static const double PATIENCE = 120;

/* A replay: how it ended, and the parts of its first failure as JSON has them, with quotes. */
struct answer {
    int status; /* of the program; negative: it did not answer */
    char *text;
    const char *id, *kind, *condition, *message; /* in `text`; "" if missing */
    const char *values;                          /* all drawn values as JSON objects, also in `text` */
};

/* Returns the JSON string that follows a name, and ends it there with a NUL; "" if there is none. */
static const char *cut_value(char **at, const char *name)
{
    char *value = strstr(*at, name), *end;
    if (!value) return "";
    value += strlen(name);
    if (*value != '"') return "";
    for (end = value + 1; *end && *end != '"'; end++)
        if (*end == '\\' && end[1]) end++;
    if (!*end || !end[1]) return "";
    end[1] = '\0';
    *at = end + 2;
    return value;
}

/* Reads the first failure. Fields are in this order. A quote in a string has a backslash before it, so no string
 * contains a name with its quotes. */
static void read_failure(struct answer *a)
{
    char *at = a->text ? strstr(a->text, "\"failures\": [{") : NULL;
    a->id = a->kind = a->message = a->condition = a->values = "";
    if (!at) return;
    a->id = cut_value(&at, "\"id\": ");
    a->kind = cut_value(&at, "\"kind\": ");
    a->message = cut_value(&at, "\"message\": ");
    char *token = strstr(at, "\"token\": "), *condition = strstr(at, "\"condition\": ");
    if (condition && (!token || condition < token)) a->condition = cut_value(&at, "\"condition\": ");
    char *values = strstr(at, "\"values\": ["), *end = values ? strstr(values, "], \"values_complete\"") : NULL;
    if (!end) return;
    *end = '\0';
    a->values = values + strlen("\"values\": [");
}

static struct answer replay(const struct sonde_known_setup *setup, const char *program, const char *token)
{
    char cpu[32], wall[32], memory[32];
    struct answer a = {.status = -1};
    const struct sonde_options *o = setup->options;
    size_t n;
    snprintf(cpu, sizeof cpu, "%g", o->timeout_cpu);
    snprintf(wall, sizeof wall, "%g", o->timeout_wall);
    snprintf(memory, sizeof memory, "%" PRIu64, o->memory_limit);
    /* Not profile ci, which writes annotations. */
    const char *argv[] = {program,
                          "--profile",
                          "dev",
                          "--filter",
                          setup->property,
                          "--replay",
                          token,
                          "--report",
                          "json",
                          "--no-store",
                          "--timeout",
                          cpu,
                          "--wall-timeout",
                          wall,
                          "--memory-limit",
                          memory,
                          o->guard ? "--guard" : NULL,
                          NULL};
    struct sonde_command command = {
        .argv = argv, .input = -1, .seconds = PATIENCE, .max = ANSWER_MAX, .is_over = sonde_interrupted};
    int status = sonde_command_run(&command, &a.text, &n);
    if (status >= 0 && WIFEXITED(status)) a.status = WEXITSTATUS(status);
    read_failure(&a);
    return a;
}

static void clear(struct answer *a)
{
    sonde_free(a->text);
}

/* Compares messages without their numbers, which are lines, addresses and sizes. */
static bool is_same_message(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a >= '0' && *a <= '9') a++;
        while (*b >= '0' && *b <= '9') b++;
        if (*a != *b) return false;
        if (!*a) return true;
    }
}

struct sites {
    const char *text;
    unsigned n;
};

static void count_site(const struct sonde_declared *site, void *user)
{
    struct sites *s = user;
    s->n += site->text && !strcmp(site->text, s->text);
}

/* Returns whether several checks of the program have this condition, so that it does not tell which one failed. */
static bool is_ambiguous(const struct sonde_known_setup *setup)
{
    struct sites s = {.text = setup->condition};
    if (*s.text) sonde_sites_each(count_site, &s);
    return s.n > 1;
}

/* Returns whether both programs failed in the same way. Lines may differ: the change may have moved them. */
static bool is_same(const struct sonde_known_setup *setup, const struct answer *a, const struct answer *b)
{
    if (!*a->kind || strcmp(a->kind, b->kind) != 0) return false;
    if (!strcmp(a->id, b->id)) return true;
    if (is_ambiguous(setup)) return false;
    if (*a->condition || *b->condition) return !strcmp(a->condition, b->condition);
    return is_same_message(a->message, b->message);
}

/* Returns whether each value that the base drew is one of the input. If the token lacks a value, the base draws the
 * simplest one, and may fail for that. */
static bool is_same_input(const struct answer *own, const struct answer *base)
{
    size_t n = strlen(base->values);
    return !strncmp(own->values, base->values, n) && (!n || !own->values[n] || own->values[n] == ',');
}

/* Compares one replay in each program. Returns what they show, and writes why. */
static enum sonde_in_base compare_once(const struct sonde_known_setup *setup, const char *token, char *note,
                                       size_t size)
{
    struct answer own = replay(setup, "/proc/self/exe", token), base = replay(setup, setup->program, token);
    enum sonde_in_base result = SONDE_IN_BASE_UNKNOWN;
    if (sonde_interrupted()) snprintf(note, size, "the run was interrupted");
    else if (own.status != SONDE_FALSIFIED)
        snprintf(note, size, "replayed in a new process, it does not fail each time in this program either");
    else if (base.status == SONDE_PASSED || base.status == SONDE_GAVE_UP) {
        result = SONDE_IN_BASE_NEW;
        snprintf(note, size, base.status == SONDE_PASSED ? "it holds there" : "its input is not valid there");
    } else if (base.status < 0) snprintf(note, size, "%.200s could not be run, or did not answer", setup->program);
    else if (base.status != SONDE_FALSIFIED)
        snprintf(note, size, "%.200s could not run its input: its status was %d", setup->program, base.status);
    else if (!is_same_input(&own, &base))
        snprintf(note, size, "%.200s draws other values, so its input cannot be replayed there", setup->program);
    else if (is_same(setup, &own, &base)) {
        result = SONDE_IN_BASE_KNOWN;
        snprintf(note, size, "%s", "");
    } else {
        result = SONDE_IN_BASE_NEW;
        snprintf(note, size, "its input fails there in another way: %.300s", base.message);
    }
    clear(&own);
    clear(&base);
    return result;
}

/* Compares until one replay shows that the failure is not known, or is known only now and then. */
static enum sonde_in_base compare(const struct sonde_known_setup *setup, const char *token, char *note, size_t size)
{
    int runs = setup->is_slow ? SLOW_RUNS : RUNS;
    enum sonde_in_base first = compare_once(setup, token, note, size);
    if (first != SONDE_IN_BASE_KNOWN) return first;
    for (int i = 1; i < runs; i++) {
        if (compare_once(setup, token, note, size) == SONDE_IN_BASE_KNOWN) continue;
        snprintf(note, size, "run again %d times, it did not fail each time in both programs", i + 1);
        return SONDE_IN_BASE_UNKNOWN;
    }
    return SONDE_IN_BASE_KNOWN;
}

/* Compares other inputs that failed in the same way: the change may have added some that do not fail in the base. One
 * that does not fail in this program alone says nothing about the base, but then the failure is not known either. */
static enum sonde_in_base compare_others(const struct sonde_known_setup *setup, char *note, size_t size)
{
    uint32_t n = setup->is_slow && setup->n_others > SLOW_RUNS ? SLOW_RUNS : setup->n_others;
    for (uint32_t i = 0; i < n; i++) {
        const char *token = setup->others[i];
        if (strlen(token) > TOKEN_MAX) {
            snprintf(note, size, "the token of another input is too long for a command line");
            return SONDE_IN_BASE_UNKNOWN;
        }
        enum sonde_in_base result = compare_once(setup, token, note, size);
        if (result == SONDE_IN_BASE_KNOWN) continue;
        if (result == SONDE_IN_BASE_NEW)
            snprintf(note, size,
                     "another input that fails here does not fail there in the same way: --replay '%.300s%s'", token,
                     strlen(token) > 300 ? "..." : "");
        return result;
    }
    return SONDE_IN_BASE_KNOWN;
}

enum sonde_in_base sonde_known_judge(const struct sonde_known_setup *setup, char *note, size_t size)
{
    if (setup->is_unsure) {
        snprintf(note, size, "it does not fail each time, or only after other cases");
        return SONDE_IN_BASE_UNKNOWN;
    }
    if (strlen(setup->token) > TOKEN_MAX || (setup->original && strlen(setup->original) > TOKEN_MAX)) {
        snprintf(note, size, "its token is too long for a command line");
        return SONDE_IN_BASE_UNKNOWN;
    }
    enum sonde_in_base shrunk = compare(setup, setup->token, note, size);
    if (shrunk != SONDE_IN_BASE_KNOWN) return shrunk;
    if (!setup->original || !strcmp(setup->original, setup->token)) return compare_others(setup, note, size);
    /* Shrinking may lead from a new failure to an old one of the same check. */
    enum sonde_in_base original = compare_once(setup, setup->original, note, size);
    if (original == SONDE_IN_BASE_KNOWN) return compare_others(setup, note, size);
    if (original == SONDE_IN_BASE_NEW)
        snprintf(note, size, "the input as it was found does not fail there in the same way: --replay '%.300s%s'",
                 setup->original, strlen(setup->original) > 300 ? "..." : "");
    return original;
}
