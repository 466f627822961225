/* programs: real C and C++ programs with a syntax stage and a semantic stage, from the source packages of the Debian
 * release that this runs on. Each is driven by the guides of sonde and by other tools, all on the same code and counted
 * by one module (programs/measure.h). A row is a program, an arm and a seed, and so many CPU seconds of it; what has
 * been recorded is not run again.
 *
 *   bench/run programs                       the default set: XSD, Lua, SQL, WebAssembly
 *   bench/run programs --only pcap --guide uniform,zest --seconds 10
 *   bench/run programs --bugs                known bugs, by auto, five seeds
 *   bench/run programs --record              into bench/results, with plots; else into the build directory
 */
#include "lib/bench.h"
#include "programs/bugs.h"
#include "programs/plot.h"
#include "programs/record.h"
#include "programs/tools.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_ARMS "uniform,rl,zest,cgpt,seeded,auto,zest-bytes,libfuzzer"
#define FULL_ARMS DEFAULT_ARMS ",target,rl-classic,libfuzzer-text,afl-text"

static const struct {
    const char *name;
    bool is_default;
} programs[] = {{"xsd", true},   {"relaxng", false}, {"lua", true},   {"lua-load", false},
                {"mujs", false}, {"sql", true},      {"pcap", false}, {"tcc", false},
                {"wasm", true},  {"asn1", false},    {"yaml", false}};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static bool records, wants_bugs;
static const char *jobs_wanted = "1";
static char results[600], folder[512];

static const char *build_folder(void)
{
    const char *build = getenv("BUILD");
    return build && *build ? build : "build";
}

/* Gets and builds the program; returns false, after an error message, if it cannot be had. */
static bool prepare(const char *program, const char *targets)
{
    char command[1024];
    snprintf(command, sizeof command, "bench/programs/build %s %s %s", program, build_folder(), targets);
    int status = system(command);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Writes the targets that these arms need, after `first`. */
static void targets_of(const char *arms, const char *first, char *targets, size_t size)
{
    bool is_plain = strstr(arms, "-black") || strstr(arms, "cost-plain") || strstr(arms, "thesis-");
    snprintf(targets, size, "%s%s%s%s", first, strstr(arms, "-text") ? " texts" : "", is_plain ? " plain" : "",
             strstr(arms, "thesis-cov") ? " maker" : "");
}

/* ---- Running rows, some side by side */

static void tell_crashes(const struct tool_row *t, const struct measure *m)
{
    char log[512];
    tool_log(t, log, sizeof log);
    fprintf(stderr, "programs: %s %s %" PRIu64 ": the program died %" PRIu64 " times; see %s\n", t->program, t->arm,
            t->seed, m->crashes, log);
}

/* The inputs that RLCheck made count as time only. Edges are counted for the seeds that Zest has run. */
static void add_seeds(struct bench_row *row, const struct tool_row *t, const struct measure *m)
{
    bench_more(row, "seeds_made", (double)t->made.runs);
    bench_more(row, "seeds_made_valid", (double)t->made.valid);
    bench_more(row, "seeds_selected", (double)t->seeds.selected);
    bench_more(row, "seeds_end", (double)m->seeds.runs);
    bench_more(row, "seeds_valid", (double)m->seeds.valid);
    bench_more(row, "seeds_made_s", t->made.cpu + t->seeds.cpu);
    bench_more(row, "seeds_end_s", m->seeds.cpu);
    bench_more(row, "seeds_sem_all", (double)m->seeds.sem_all);
    bench_more(row, "seeds_sem_valid", (double)m->seeds.sem_valid);
}

static void run_row(const struct bench *b, struct bench_row *row)
{
    struct measure *m = NULL;
    struct tool_row t = {.program = row->row,
                         .arm = row->guide,
                         .seed = row->seed,
                         .seconds = b->seconds,
                         .folder = folder,
                         .data = "bench/programs/data"};
    enum tool_end end = tool_run(&t, &m);
    if (end == TOOL_ABSENT) {
        fprintf(stderr, "programs: %s %s: not there\n", row->row, row->guide);
        return;
    }
    if (end == TOOL_BROKEN || !m) {
        char log[512];
        tool_log(&t, log, sizeof log);
        fprintf(stderr, "programs: %s %s %" PRIu64 " went wrong; see %s\n", row->row, row->guide, row->seed, log);
        return;
    }
    if (m->crashes) tell_crashes(&t, m);
    row->tests = m->now.runs;
    row->valid = m->now.valid;
    row->discarded = m->now.runs - m->now.valid;
    row->unique_valid = m->now.unique_valid;
    row->cpu_s = m->now.cpu;
    row->stopped = "time";
    if (m->has_seeds) add_seeds(row, &t, m);
    record_add(results, b, row, b->seconds, m);
    fprintf(stderr,
            "programs: %s %s %" PRIu64 ": %" PRIu64 " runs, %.3g %% valid, %" PRIu64 " different, SEM %" PRIu64
            " and %" PRIu64 " by valid ones\n",
            row->row, row->guide, row->seed, m->now.runs,
            100.0 * (double)m->now.valid / (double)(m->now.runs + !m->now.runs), m->now.unique_valid, m->now.sem_all,
            m->now.sem_valid);
    measure_unmap(m);
}

static void start_row(const struct bench *b, const char *program, const char *arm, uint64_t seed)
{
    static int running;
    struct bench_row row = {.row = program, .guide = arm, .seed = seed};
    int most = atoi(jobs_wanted);
    if (record_find(results, &row, b->seconds, NULL)) return;
    for (; running >= (most > 0 ? most : 1); running--) wait(NULL);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        run_row(b, &row);
        _exit(0);
    }
    running += child > 0;
}

static void wait_for_all(void)
{
    while (wait(NULL) > 0) continue;
}

/* ---- Showing them */

static void write_plots(const char *program, const struct plot_arm *arms, unsigned n)
{
    static const struct {
        enum plot_of what;
        const char *name, *title;
    } plots[] = {{PLOT_SEM_VALID, "sem-valid", "semantic edges by valid inputs"},
                 {PLOT_SEM_ALL, "sem-all", "semantic edges by all inputs"},
                 {PLOT_UNIQUE_VALID, "unique-valid", "different valid inputs"},
                 {PLOT_DIVERSE_VALID, "diverse-valid", "valid inputs with different traces"}};
    for (size_t i = 0; n && i < sizeof plots / sizeof *plots; i++) {
        char path[700], title[200];
        snprintf(path, sizeof path, "%s/programs-%s-%s.svg", records ? "bench/results" : folder, program,
                 plots[i].name);
        snprintf(title, sizeof title, "%s: %s", program, plots[i].title);
        if (plot_write(path, title, plots[i].what, arms, n) < 0) perror(path);
    }
}

static void show(struct bench *b, const char *program)
{
    static struct record all[PLOT_ARMS][32];
    struct plot_arm arms[PLOT_ARMS];
    unsigned n = 0;
    const char *arm;
    for (unsigned i = 0; (arm = bench_guide(b, i)) != NULL && n < PLOT_ARMS; i++) {
        arms[n] = (struct plot_arm){.name = arm, .records = all[n]};
        for (uint64_t seed = b->first_seed; seed <= b->last_seed && arms[n].n < 32; seed++) {
            struct bench_row asked = {.row = program, .guide = arm, .seed = seed};
            struct record *r = &all[n][arms[n].n];
            if (!record_find(results, &asked, b->seconds, r)) continue;
            bench_report(b, &r->row);
            arms[n].n++;
        }
        bench_line(b);
        n += arms[n].n > 0;
    }
    write_plots(program, arms, n);
}

/* ---- The programs asked for */

static bool is_asked(struct bench *b, size_t i)
{
    return b->only ? bench_wants(b, programs[i].name) : programs[i].is_default || b->full;
}

/* ---- Known bugs */

static void settle_bugs(struct bench *b)
{
    static const char *const columns[] = {"found", "tests_to_failure", "cpu_s", "valid", "tests", "semantic", NULL};
    b->columns = columns;
    b->guides = "auto";
    b->last_seed = 5;
    b->seconds = 120;
}

static void settle_full(struct bench *b)
{
    b->guides = FULL_ARMS;
    b->last_seed = 5;
}

static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0) return true;
    return false;
}

static int find_bugs(struct bench *b)
{
    for (const struct bug *bug = bugs; bug->name; bug++) {
        const char *guide;
        char targets[40];
        targets_of(b->guides, "guided", targets, sizeof targets);
        if (!bench_wants(b, bug->name) || !prepare(bug->program, targets)) continue;
        for (unsigned i = 0; (guide = bench_guide(b, i)) != NULL; i++) {
            for (uint64_t seed = b->first_seed; seed <= b->last_seed; seed++) {
                struct bench_row row;
                if (bug_search(b, bug, guide, seed, folder, &row)) bench_report(b, &row);
                else fprintf(stderr, "programs: %s %s: not there\n", bug->name, guide);
            }
            bench_line(b);
        }
    }
    return bench_end(b);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"tests",   "valid_percent", "unique_valid", "diverse_valid",
                                          "sem_all", "sem_valid",     "crashes",      NULL};
    static struct bench b = {.suite = "programs",
                             .columns = columns,
                             .guides = DEFAULT_ARMS,
                             .others = tool_names,
                             .seconds = 30,
                             .first_seed = 1,
                             .last_seed = 3};
    static const struct bench_flag flags[] = {
        {"--bugs", &wants_bugs, "time to known bugs instead", NULL},
        {"--arms", NULL,
         "the same as --guide, which also takes the arms of other tools and of the papers (bench/README.md)",
         &b.guides},
        {"--record", &records, "keep rows and plots in bench/results", NULL},
        {"--jobs", NULL, "rows side by side (1)", &jobs_wanted},
        {NULL, NULL, NULL, NULL}};
    b.flags = flags;
    /* These have other defaults, which the user's own options then replace. */
    if (has_word(argc, argv, "--bugs")) settle_bugs(&b);
    else if (has_word(argc, argv, "--full")) settle_full(&b);
    bench_start(&b, argc, argv);
    snprintf(folder, sizeof folder, "%s/programs", build_folder());
    snprintf(results, sizeof results, "%s/programs.jsonl", records ? "bench/results" : folder);
    if (records) mkdir("bench/results", 0777);
    mkdir(folder, 0777);
    if (wants_bugs) return find_bugs(&b);
    char targets[40];
    targets_of(b.guides, "all", targets, sizeof targets);
    bool is_there[PROGRAMS] = {false};
    for (size_t i = 0; i < PROGRAMS; i++) {
        const char *arm;
        if (!is_asked(&b, i) || !prepare(programs[i].name, targets)) continue;
        is_there[i] = true;
        for (uint64_t seed = b.first_seed; seed <= b.last_seed; seed++)
            for (unsigned k = 0; (arm = bench_guide(&b, k)) != NULL; k++) start_row(&b, programs[i].name, arm, seed);
    }
    wait_for_all();
    for (size_t i = 0; i < PROGRAMS; i++)
        if (is_there[i]) show(&b, programs[i].name);
    return bench_end(&b);
}
