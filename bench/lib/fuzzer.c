/* See fuzzer.h. */
#include "lib/fuzzer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const bench_fuzzers[] = {"libfuzzer", "libfuzzer-bytes", NULL};
const char *const bench_afl[] = {"afl", NULL};

static bool is_afl(const char *guide)
{
    return strcmp(guide, bench_afl[0]) == 0;
}

bool bench_is_fuzzer(const char *guide)
{
    for (size_t i = 0; bench_fuzzers[i]; i++)
        if (strcmp(guide, bench_fuzzers[i]) == 0) return true;
    return is_afl(guide);
}

static void target_path(const struct bench *b, const char *arm, char *path, size_t size)
{
    const char *build = getenv("BUILD");
    size_t start = (size_t)snprintf(path, size, "%s/bench/", build && *build ? build : "build");
    snprintf(path + start, size - start, "%s.%s", b->suite, arm);
    for (char *c = path + start; *c && *c != '.'; c++)
        if (*c == '-') *c = '_'; /* as its file of source is called */
}

/* In the child: becomes libFuzzer, with what it says out of sight unless asked for. */
SONDE_NORETURN static void become_fuzzer(const struct bench *b, const struct bench_row *row, int report, bool counts)
{
    char path[512], seed[64], runs[64], number[16];
    target_path(b, row->guide, path, sizeof path);
    snprintf(seed, sizeof seed, "-seed=%" PRIu64, row->seed);
    snprintf(runs, sizeof runs, "-runs=%" PRIu64, b->tests);
    snprintf(number, sizeof number, "%d", report);
    setenv("BENCH_PROPERTY", row->row, 1);
    setenv("BENCH_REPORT", number, 1);
    if (counts) setenv("BENCH_COUNT", "1", 1);
    else unsetenv("BENCH_COUNT");
    int nowhere = open("/dev/null", O_RDWR);
    dup2(b->stats ? 2 : nowhere, 1);
    if (!b->stats) dup2(nowhere, 2);
    execl(path, path, seed, runs, "-exact_artifact_path=/dev/null", b->stats ? "-print_final_stats=1" : "-verbosity=0",
          (char *)NULL);
    _exit(127);
}

/* Reads the report of the target; returns false if there is none. */
static bool read_report(int from, struct bench_row *row, bool counts)
{
    FILE *in = fdopen(from, "r");
    int found;
    uint64_t edges, choices;
    if (!in) abort();
    int n = fscanf(in, "%d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %lf", &found, &row->tests,
                   &row->valid, &row->unique_valid, &edges, &choices, &row->cpu_s);
    fclose(in);
    if (n != 7) return false;
    row->searches = true;
    row->found = found;
    row->tests_to_failure = found ? row->tests : 0;
    row->discarded = row->tests - row->valid - row->found;
    row->stopped = found ? "found" : "tests";
    if (counts) bench_more(row, "edges", (double)edges);
    if (counts && row->tests) bench_more(row, "choices", (double)choices / (double)row->tests);
    return true;
}

/* Once: it is the same for all rows. */
static void tell_absent(const struct bench *b, const char *arm, const char *path)
{
    static const char *told[2];
    if (told[0] == arm || told[1] == arm) return;
    told[told[0] != NULL] = arm;
    fprintf(stderr, "%s: %s is left out: %s is needed to build %s\n", b->suite, arm,
            is_afl(arm) ? "AFL++" : "clang's libFuzzer", path);
}

bool bench_fuzz(const struct bench *b, struct bench_row *row, bool counts)
{
    char path[512];
    int ends[2], status;
    target_path(b, row->guide, path, sizeof path);
    if (access(path, X_OK) != 0) {
        tell_absent(b, row->guide, path);
        return false;
    }
    if (is_afl(row->guide)) return bench_run_afl(b, row, path);
    if (pipe(ends) < 0) abort();
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        close(ends[0]);
        become_fuzzer(b, row, ends[1], counts);
    }
    close(ends[1]);
    bool told = read_report(ends[0], row, counts);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) abort();
    if (!told) fprintf(stderr, "%s: %s %s went wrong; --stats shows what it says\n", b->suite, row->row, row->guide);
    return told;
}
