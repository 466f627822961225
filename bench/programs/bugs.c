/* See bugs.h. */
#define _GNU_SOURCE /* memmem */
#include "bugs.h"

#include "tools.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* D7 to D13 are the trophies (docs/trophies.md) of libraries whose sources could be had. */
const struct bug bugs[] = {
    {"D1", "xsd-unpatched", "xmlSchemaCheckElem", true}, /* an element is its own substitution group */
    {"D2", "lua-ubsan", "Negation of", true},            /* 1 >> 0x8000000000000000, folded */
    {"D3", "lua-close", "closed", true},                 /* a for that a break leaves does not close its value */
    {"D4", "jq", "signal", true},                        /* ["a"]|implode aborts */
    {"D5", "mujs-keys", "keys", true},                   /* Object.keys of an array is empty */
    {"D6", "yaml", "SIGABRT", false},                    /* libyaml writes other events than it has read */
    {"D7", "mujs-number", "js_tonumber", false},         /* Number("-1") is NaN */
    {"D8", "mujs-exponent", "js_tostring", false},       /* 1e89 is read as another number */
    {"D9", "json-zeros", "strtod", false},               /* 1e300 is written as 1e3 */
    {"D10", "json-pieces", "is_json", false},            /* 0.+0 in two pieces is a number */
    {"D11", "bson-decimal", "strstr", false},            /* a decimal is written that is read as NaN */
    {"D12", "xml-uri", "back", false},                   /* a URI loses its path */
    {"D13", "yaml-scalar", "root", false},               /* an empty scalar is written as nothing */
    /* A schema that refers to itself: endless recursion, or an endless loop. */
    {"D14", "relaxng", "xmlRelaxNGSimplify", true},
    {NULL, NULL, NULL, false},
};

static double number(const char *line, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(line, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

static void read_report(const char *line, const struct bug *bug, struct bench_row *row)
{
    const char *failures = strstr(line, "\"failures\": [{");
    row->tests = (uint64_t)number(line, "tests");
    row->valid = (uint64_t)number(line, "valid");
    row->discarded = (uint64_t)number(line, "discarded");
    row->unique_valid = (uint64_t)number(line, "unique_valid");
    row->cpu_s = number(line, "cpu_s");
    row->stopped = failures ? "found" : "time";
    if (!failures) return;
    const char *message = strstr(failures, "\"message\": \""), *end = message ? strstr(message, "\", \"") : NULL;
    size_t n = end ? (size_t)(end - message) : 0;
    row->found = n && memmem(message, n, bug->says, strlen(bug->says));
    row->tests_to_failure = (uint64_t)number(failures, "tests_to_failure");
    fprintf(stderr, "programs: %s %s %" PRIu64 ": %.*s, test %" PRIu64 ", %.1f s of processor time%s\n", row->row,
            row->guide, row->seed, (int)(n > 12 ? n - 12 : 0), n ? message + 12 : "", row->tests_to_failure, row->cpu_s,
            row->found ? "" : " (another failure than the known one)");
}

/* Other tools work on the strings, from nothing: no seed and no dictionary, as the guides have none. */
static void read_measure(const struct tool_row *t, const struct measure *m, struct bench_row *row)
{
    row->tests = m->now.runs + t->has_failed;
    row->valid = m->now.valid;
    row->cpu_s = m->now.cpu;
    row->found = t->has_failed;
    row->tests_to_failure = t->has_failed ? row->tests : 0;
    row->stopped = t->has_failed ? "found" : "time";
}

/* The report that a search by sonde wrote into its log; false if there is none. */
static bool read_log(const struct tool_row *t, const struct bug *bug, struct bench_row *row)
{
    char path[512], *line = NULL;
    size_t cap = 0;
    bool has_report = false;
    tool_log(t, path, sizeof path);
    FILE *in = fopen(path, "r");
    while (in && !has_report && getline(&line, &cap, in) > 0) has_report = strncmp(line, "{\"property\"", 11) == 0;
    if (has_report) read_report(line, bug, row);
    free(line);
    if (in) fclose(in);
    return has_report;
}

/* Seeds are made in another process; the row counts the tests of Zest and the time of both. */
static void add_making(const struct tool_row *t, struct bench_row *row)
{
    row->cpu_s += t->made.cpu + t->seeds.cpu;
    bench_more(row, "seeds_made", (double)t->made.runs);
    bench_more(row, "seeds_selected", (double)t->seeds.selected);
    bench_more(row, "seeds_made_s", t->made.cpu + t->seeds.cpu);
}

bool bug_search(const struct bench *b, const struct bug *bug, const char *guide, uint64_t seed, const char *folder,
                struct bench_row *row)
{
    struct measure *m = NULL;
    struct tool_row t = {.program = bug->program,
                         .arm = guide,
                         .seed = seed,
                         .seconds = b->seconds,
                         .folder = folder,
                         .to_failure = true};
    *row = (struct bench_row){.row = bug->name, .guide = guide, .seed = seed, .searches = true, .stopped = "error"};
    bench_more(row, "semantic", bug->is_semantic);
    setenv("PROGRAMS_LIGHT", "1", 1); /* what a search costs is its own */
    enum tool_end end = tool_run(&t, &m);
    unsetenv("PROGRAMS_LIGHT");
    unsetenv("PROGRAMS_FEEDBACK");
    if (!m) return false;
    bool is_text = strcmp(guide, "libfuzzer-text") == 0;
    bool is_there = end == TOOL_DONE && (is_text || read_log(&t, bug, row));
    if (is_there && is_text) read_measure(&t, m, row);
    if (is_there && t.made.runs) add_making(&t, row);
    measure_unmap(m);
    return is_there;
}
