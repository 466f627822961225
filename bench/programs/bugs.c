/* See bugs.h. */
#define _GNU_SOURCE /* memmem */
#include "bugs.h"

#include "tools.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const struct bug bugs[] = {
    {"D1", "xsd-unpatched", "xmlSchemaCheckElem"}, /* an element that is its own substitution group, with a default */
    {"D2", "lua-ubsan", "Negation of"},            /* 1 >> 0x8000000000000000, folded */
    {"D3", "lua-close", "closed"},                 /* a generic for left by a break does not close its value */
    {"D4", "jq", "signal"},                        /* ["a"]|implode aborts */
    {"D5", "mujs-keys", "keys"},                   /* Object.keys of an array is empty */
    {"D6", "yaml", "SIGABRT"},                     /* what libyaml writes is not what it has read */
    {NULL, NULL, NULL},
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

/* Other tools work on the texts, from nothing: no seed and no dictionary, as the guides have none. */
static bool search_texts(const struct bench *b, const struct bug *bug, const char *folder, struct bench_row *row)
{
    struct measure *m = NULL;
    struct tool_row t = {.program = bug->program,
                         .arm = row->guide,
                         .seed = row->seed,
                         .seconds = b->seconds,
                         .folder = folder,
                         .data = NULL,
                         .to_failure = true};
    setenv("PROGRAMS_LIGHT", "1", 1);
    enum tool_end end = tool_run(&t, &m);
    unsetenv("PROGRAMS_LIGHT");
    if (end != TOOL_DONE || !m) return false;
    row->tests = m->now.runs + t.has_failed;
    row->valid = m->now.valid;
    row->cpu_s = m->now.cpu;
    row->found = t.has_failed;
    row->tests_to_failure = t.has_failed ? row->tests : 0;
    row->stopped = t.has_failed ? "found" : "time";
    measure_unmap(m);
    return true;
}

bool bug_search(const struct bench *b, const struct bug *bug, const char *guide, uint64_t seed, const char *folder,
                struct bench_row *row)
{
    char command[2048], words[512], *line = NULL;
    size_t cap = 0;
    struct tool_arm arm = tool_arm(guide);
    *row = (struct bench_row){.row = bug->name, .guide = guide, .seed = seed, .searches = true, .stopped = "error"};
    if (strcmp(guide, "libfuzzer-text") == 0) return search_texts(b, bug, folder, row);
    tool_words(&arm, b->seconds, words, sizeof words);
    snprintf(command, sizeof command,
             "%s%s/%s/guided%s --seed=%" PRIu64 " --tests=0 --time=%g --max-discards=0 --no-store --fail-fast "
             "--no-shrink --json 2>>%s/%s.log",
             arm.has_feedback ? "PROGRAMS_FEEDBACK=1 " : "", folder, bug->program, words, seed, b->seconds, folder,
             bug->program);
    FILE *in = popen(command, "r");
    if (!in) return false;
    bool has_report = getline(&line, &cap, in) > 0 && strncmp(line, "{\"property\"", 11) == 0;
    if (has_report) read_report(line, bug, row);
    int status = pclose(in);
    free(line);
    return has_report || !WIFEXITED(status) || WEXITSTATUS(status) != 2;
}
