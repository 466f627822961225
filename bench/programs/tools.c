/* See tools.h. */
#define _GNU_SOURCE
#include "tools.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Zest as it was evaluated counts how often a branch is taken, in powers of two; its paper has a set of branches. */
#define ZEST .guide = "zest-bytes", .options = "points=classes"

/* RLCheck with the state that its authors wrote into their generators: the parents of a choice (figure 3). */
#define RLCHECK .guide = "rl-classic", .options = "state=parents"

/* As the papers have them: RLCheck sees no code, and its greybox variant does; the thesis hands seeds by RLCheck to Zest. */
static const struct tool_arm arms[] = {
    {.name = "uniform-black", .guide = "uniform", .is_black = true},
    {.name = "rl-classic-black", RLCHECK, .is_black = true},
    {.name = "rl-black", .guide = "rl", .is_black = true},
    {.name = "rl-classic-branches", RLCHECK, .told_by = "branches"},
    {.name = "rl-classic-trace", RLCHECK, .told_by = "trace"},
    {.name = "rl-branches", .guide = "rl", .told_by = "branches"},
    {.name = "zest-bytes", ZEST},
    {.name = "thesis-cho", ZEST, .has_seeds = true, .by = SONDE_FILTER_CHOICES},
    {.name = "thesis-rnd", ZEST, .has_seeds = true, .by = SONDE_FILTER_RANDOM},
    {.name = "thesis-par", ZEST, .has_seeds = true, .by = SONDE_FILTER_SEQUENCE},
    {.name = "thesis-cov", ZEST, .has_seeds = true, .by = SONDE_FILTER_GENERATOR},
    {.name = "target-coverage", .guide = "target", .has_feedback = true},
    {.name = "classic-coverage", .guide = "target-classic", .has_feedback = true},
    /* The strings of a grammar in place of what the generator draws. */
    {.name = "auto-grammar", .guide = "auto", .has_grammar = true},
    {.name = "cgpt-grammar", .guide = "cgpt", .has_grammar = true},
    {.name = "uniform-grammar", .guide = "uniform", .has_grammar = true},
    /* A fleet: so many workers, each with its share of the time. */
    {.name = "linked-8", .guide = "auto", .workers = 8, .is_linked = true, .has_habits = true},
    {.name = "alike-8", .guide = "auto", .workers = 8, .is_linked = true},
    {.name = "apart-8", .guide = "auto", .workers = 8},
    {.name = "cost-plain", .guide = "uniform", .is_light = true, .is_plain = true},
    {.name = "cost-counters", .guide = "uniform", .is_light = true},
    {.name = "cost-observed", .guide = "uniform", .is_light = true, .has_feedback = true},
};
enum { ARMS = sizeof arms / sizeof *arms };

const char *const tool_names[] = {"libfuzzer",        "libfuzzer-adapter",
                                  "libfuzzer-text",   "afl-text",
                                  "uniform-black",    "rl-classic-black",
                                  "rl-black",         "rl-classic-branches",
                                  "rl-classic-trace", "rl-branches",
                                  "thesis-cho",       "thesis-rnd",
                                  "thesis-par",       "thesis-cov",
                                  "target-coverage",  "classic-coverage",
                                  "auto-grammar",     "cgpt-grammar",
                                  "uniform-grammar",  "linked-8",
                                  "alike-8",          "apart-8",
                                  "cost-plain",       "cost-counters",
                                  "cost-observed",    NULL};

/* The thesis selects a ninth of what RLCheck makes (7,800 of 70,000 on Rhino), about a twentieth of what Zest runs in the
 * time. By number, not by the clock, so that a seed of the random numbers selects the same seeds again. */
enum { MADE_A_SECOND = 900, SEEDS_A_SECOND = 100 };

struct tool_arm tool_arm(const char *name)
{
    for (size_t i = 0; i < ARMS; i++)
        if (strcmp(arms[i].name, name) == 0) return arms[i];
    return (struct tool_arm){.name = name, .guide = name};
}

void tool_words(const struct tool_arm *arm, char *words, size_t size)
{
    int n = snprintf(words, size, " --guide=%s", arm->guide);
    if (arm->told_by) n += snprintf(words + n, size - (size_t)n, " --characteristic=%s", arm->told_by);
    if (arm->options) snprintf(words + n, size - (size_t)n, " --guide-options=%s", arm->options);
}

enum { WORDS = 64, RESTARTS = 500, LONGEST = 4096, LOOK = 20000 /* microseconds between two looks */ };

/* A command: words and settings of the environment, in one buffer. */
struct command {
    char *words[WORDS];
    unsigned n;
    char text[16 * LONGEST];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static char *word(struct command *c, const char *format, ...)
{
    va_list args;
    char *at = c->text + c->used;
    size_t room = sizeof c->text - c->used;
    va_start(args, format);
    int n = vsnprintf(at, room, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= room || c->n + 1 >= WORDS) abort();
    c->used += (size_t)n + 1;
    c->words[c->n++] = at;
    c->words[c->n] = NULL;
    return at;
}

__attribute__((format(printf, 2, 3))) static void setting(const char *name, const char *format, ...)
{
    char value[LONGEST];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    setenv(name, value, 1);
}

void tool_log(const struct tool_row *row, char *path, size_t size)
{
    snprintf(path, size, "%s/logs/%s.%s.%" PRIu64 ".log", row->folder, row->program, row->arm, row->seed);
}

/* Files of one row, under this name with an ending. */
static void scratch(const struct tool_row *row, const char *ending, char *path)
{
    snprintf(path, LONGEST, "%s/scratch/%s.%s.%" PRIu64 "%s", row->folder, row->program, row->arm, row->seed, ending);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

static void remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_folders(const struct tool_row *row)
{
    char path[LONGEST];
    snprintf(path, sizeof path, "%s/logs", row->folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/scratch", row->folder);
    mkdir(path, 0777);
}

/* Seconds of processor time of a process that runs, without its children. */
static double cpu_of(pid_t process)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* A process that was started, and the state that says when its time is over; NULL: it ends by itself. A fuzzer that runs the
 * program in other processes is ended when it and they have used up a budget (0: they look themselves). */
struct process {
    pid_t child;
    const char *state;
    double budget;
    struct measure *counted;
    bool is_told, has_ended;
    int status; /* -1: there is none */
};

static struct process start(const struct tool_row *row, const struct command *c, const char *state, double budget)
{
    char log[LONGEST];
    tool_log(row, log, sizeof log);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
        if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(127);
        int in = open("/dev/null", O_RDONLY);
        if (in >= 0) dup2(in, 0);
        execvp(c->words[0], c->words);
        _exit(127);
    }
    return (struct process){.child = child, .state = state, .budget = budget, .has_ended = child < 0, .status = -1};
}

/* This process ends a search by sonde from outside: a signal that a worker sent would be a failure of the code under
 * test. */
static bool has_ended(struct process *p)
{
    if (p->has_ended) return true;
    pid_t ended = waitpid(p->child, &p->status, p->state ? WNOHANG : 0);
    p->has_ended = ended > 0 || (ended < 0 && errno != EINTR);
    if (ended < 0) p->status = -1;
    if (!p->has_ended && p->state) {
        if (!p->counted) p->counted = measure_map(p->state, false);
        if (p->is_told || !p->counted) return false;
        if (p->budget > 0 ? p->counted->now.cpu + cpu_of(p->child) < p->budget : !p->counted->is_over) return false;
        kill(p->child, SIGINT);
        p->is_told = true;
    }
    if (p->has_ended && p->counted) measure_unmap(p->counted);
    return p->has_ended;
}

/* Its status, or -1. Ended by our signal, it dies of it, as programs do. */
static int status_of(const struct process *p)
{
    if (p->status >= 0 && WIFSIGNALED(p->status) && WTERMSIG(p->status) == SIGINT && p->state) return 0;
    return p->status >= 0 && WIFEXITED(p->status) ? WEXITSTATUS(p->status) : -1;
}

/* Runs a command with its output in the log, until it ends or, if `state` is given, its time is over; its status, or -1. */
static int run_until(const struct tool_row *row, const struct command *c, const char *state, double budget)
{
    struct process p = start(row, c, state, budget);
    while (!has_ended(&p))
        if (state) usleep(LOOK);
    return status_of(&p);
}

static int run(const struct tool_row *row, const struct command *c)
{
    return run_until(row, c, NULL, 0);
}

static void set_measure(const struct tool_row *row, const char *state, const char *program, double seconds)
{
    setting("PROGRAMS_STATE", "%s", state);
    setting("PROGRAMS_SECONDS", "%g", seconds);
    setting("PROGRAMS_RANGES", "%s/%s/%s.ranges", row->folder, row->program, program);
    setting("PROGRAMS_UNSTABLE", "%s/%s/unstable", row->folder, row->program);
}

/* ---- The guides of sonde */

static void add_words(struct command *c, const char *words)
{
    while (*words) {
        size_t n = strcspn(words, " ");
        if (n) word(c, "%.*s", (int)n, words);
        words += n + (words[n] == ' ');
    }
}

/* `program` is one of guided and plain. Some programs hash addresses (Lua), so with other ones a seed has other counts. */
static void add_search(struct command *c, const struct tool_row *row, const char *program)
{
    *c = (struct command){.n = 0};
    word(c, "%s/%s/%s", row->folder, row->program, program);
    add_words(c, "--tests=0 --time=0 --max-discards=0 --no-store --no-progress --no-aslr --stats");
}

static void add_program(struct command *c, const struct tool_row *row, const char *program)
{
    add_search(c, row, program);
    add_words(c, row->to_failure ? "--fail-fast --no-shrink --json" : "--keep-going --shrink-time=5");
}

static enum tool_end end_of(int status)
{
    return status == 2 ? TOOL_ABSENT : status < 0 || (status > 77 && status != 128 + SIGINT) ? TOOL_BROKEN : TOOL_DONE;
}

static enum tool_end run_program(const struct tool_row *row, const char *program, const char *state)
{
    static struct command c;
    char words[LONGEST];
    struct tool_arm arm = tool_arm(row->arm);
    if (arm.has_feedback) setting("PROGRAMS_FEEDBACK", "1");
    if (arm.has_grammar) setting("PROGRAMS_GRAMMAR", "bench/programs/grammars/%s.ebnf", row->program);
    tool_words(&arm, words, sizeof words);
    add_program(&c, row, program);
    add_words(&c, words);
    if (row->inputs) word(&c, "--inputs=%s", row->inputs);
    word(&c, "--seed=%" PRIu64, row->seed);
    return end_of(run_until(row, &c, state, 0));
}

/* Black-box arms run where nothing is counted. Their coverage is counted by the same search in instrumented code, which
 * makes the same inputs because the guide does not look at coverage. If it did not, that is an error. */
static enum tool_end run_black(const struct tool_row *row, const char *state)
{
    char first[LONGEST];
    scratch(row, ".first", first);
    remove(first);
    set_measure(row, first, "plain", row->seconds);
    enum tool_end end = run_program(row, "plain", first);
    if (end != TOOL_DONE) return end;
    set_measure(row, state, "guided", 0);
    setting("PROGRAMS_FOLLOW", "%s", first);
    end = run_program(row, "guided", state);
    unsetenv("PROGRAMS_FOLLOW");
    struct measure *plain = measure_map(first, false), *again = measure_map(state, false);
    bool is_same = plain && again && plain->now.runs == again->now.runs && plain->now.valid == again->now.valid
                   && plain->now.unique_valid == again->now.unique_valid;
    if (end == TOOL_DONE && !is_same) {
        fprintf(stderr, "programs: %s %s %" PRIu64 ": instrumented, the same search made other inputs\n", row->program,
                row->arm, row->seed);
        end = TOOL_BROKEN;
    }
    if (plain && again) again->now.cpu = plain->now.cpu;
    if (plain) measure_unmap(plain);
    if (again) measure_unmap(again);
    remove(first);
    return end;
}

/* ---- Seeds by RLCheck, for Zest */

/* RLCheck makes inputs in code without instrumentation, and every one of them is written; with COV the generator is
 * instrumented, and those are written that take a new branch of it. A failure of the program does
 * not end this: its input is one of those that may be selected. */
static enum tool_end make_seeds(struct tool_row *row, const char *tapes)
{
    static const struct tool_arm maker = {RLCHECK};
    static struct command c;
    const char *program = row->seeds.by == SONDE_FILTER_GENERATOR ? "maker" : "plain";
    char words[LONGEST], state[LONGEST];
    scratch(row, ".made", state);
    remove(state);
    remove(tapes);
    set_measure(row, state, program, 0);
    setting("PROGRAMS_RUNS", "%d", (int)(MADE_A_SECOND * row->seconds) + 1);
    setting("PROGRAMS_TAPES", "%s", tapes);
    tool_words(&maker, words, sizeof words);
    add_search(&c, row, program);
    add_words(&c, "--keep-going --no-shrink");
    add_words(&c, words);
    word(&c, "--seed=%" PRIu64, row->seed);
    enum tool_end end = end_of(run_until(row, &c, state, 0));
    unsetenv("PROGRAMS_RUNS");
    unsetenv("PROGRAMS_TAPES");
    struct measure *m = measure_map(state, false);
    if (m) row->made = m->now;
    if (m) measure_unmap(m);
    remove(state);
    return end == TOOL_DONE && !m ? TOOL_BROKEN : end;
}

/* The time of making and selecting is part of the row's time, as in the thesis. Edges are counted in the runs of Zest,
 * which begin with the seeds. */
static enum tool_end run_seeded(struct tool_row *row, const char *state)
{
    char tapes[LONGEST], seeds[LONGEST];
    struct tool_arm arm = tool_arm(row->arm);
    scratch(row, ".tapes", tapes);
    scratch(row, ".seeds", seeds);
    row->seeds = (struct seeds){.by = arm.by, .size = (uint32_t)(SEEDS_A_SECOND * row->seconds) + 1, .seed = row->seed};
    enum tool_end end = make_seeds(row, tapes);
    if (end == TOOL_DONE && !seeds_select(&row->seeds, tapes, seeds)) end = TOOL_BROKEN;
    if (end == TOOL_DONE) {
        set_measure(row, state, "guided", row->seconds);
        setting("PROGRAMS_SPENT", "%.9f", row->made.cpu + row->seeds.cpu);
        setting("PROGRAMS_MUTATOR", "%s", arm.guide);
        row->inputs = seeds;
        end = run_program(row, "guided", state);
        unsetenv("PROGRAMS_SPENT");
        unsetenv("PROGRAMS_MUTATOR");
    }
    row->inputs = NULL;
    remove(tapes);
    remove(seeds);
    return end;
}

/* ---- A fleet of sonde's: workers that begin together, each with its part of the time, and are counted together. */

enum { WORKERS_MAX = 64 };

/* As schedulers start it: the number of the worker decides its seed and, where the arm does not settle that, its habits. */
static struct process start_worker(const struct tool_row *row, unsigned i, const char *place, const char *state)
{
    static struct command c;
    struct tool_arm arm = tool_arm(row->arm);
    remove(state);
    set_measure(row, state, "guided", row->seconds / arm.workers);
    setting("JOB_COMPLETION_INDEX", "%u", i);
    setting("HOSTNAME", "%" PRIu64, row->seed);
    add_program(&c, row, "guided");
    if (arm.is_linked) word(&c, "--share=dir:%s", place);
    if (arm.is_linked) word(&c, "--worker-report");
    if (!arm.is_linked) word(&c, "--seed=%" PRIu64, row->seed * WORKERS_MAX + i);
    if (!arm.has_habits) word(&c, "--guide=%s", arm.guide);
    return start(row, &c, state, 0);
}

static enum tool_end run_fleet(const struct tool_row *row, const char *state)
{
    static struct process all[WORKERS_MAX];
    static char states[WORKERS_MAX][LONGEST];
    char place[LONGEST], ending[32];
    unsigned n = tool_arm(row->arm).workers, n_ended = 0;
    enum tool_end end = TOOL_DONE;
    scratch(row, ".place", place);
    remove_tree(place);
    for (unsigned i = 0; i < n; i++) {
        snprintf(ending, sizeof ending, ".state.%u", i);
        scratch(row, ending, states[i]);
        all[i] = start_worker(row, i, place, states[i]);
    }
    for (; n_ended < n; usleep(LOOK)) {
        n_ended = 0;
        for (unsigned i = 0; i < n; i++) n_ended += has_ended(&all[i]);
    }
    for (unsigned i = 0; i < n; i++) {
        if (end == TOOL_DONE) end = end_of(status_of(&all[i]));
        if (end == TOOL_DONE && !measure_merge(state, states[i])) end = TOOL_BROKEN;
        remove(states[i]);
    }
    remove_tree(place);
    return end;
}

static enum tool_end run_guide(struct tool_row *row, const char *state)
{
    struct tool_arm arm = tool_arm(row->arm);
    if (arm.workers) return run_fleet(row, state);
    const char *program = arm.is_plain || arm.is_black ? "plain" : "guided";
    if (arm.is_black && !row->to_failure) return run_black(row, state);
    if (arm.has_seeds) return run_seeded(row, state);
    if (arm.is_light) setting("PROGRAMS_LIGHT", "1");
    set_measure(row, state, program, row->seconds);
    return run_program(row, program, state);
}

/* Returns the name of the program's seed and dictionary: lua-load has the same as lua. */
static const char *data_of(const struct tool_row *row)
{
    static char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(row->program, "-"), row->program);
    return name;
}

/* ---- libFuzzer: ends at a crash, so it is started again with what it has, until the time is over. */

static enum tool_end run_libfuzzer(struct tool_row *row, const char *state, const char *program)
{
    char corpus[LONGEST], path[LONGEST];
    static struct command c;
    bool on_texts = strcmp(program, "texts") == 0;
    scratch(row, ".corpus", corpus);
    remove_tree(corpus);
    mkdir(corpus, 0777);
    set_measure(row, state, program, row->seconds);
    for (unsigned i = 0; i < RESTARTS; i++) {
        c = (struct command){.n = 0};
        word(&c, "%s/%s/%s", row->folder, row->program, program);
        word(&c, "-seed=%" PRIu64, row->seed + 1000003 * (uint64_t)i);
        word(&c, "-max_len=4096");
        word(&c, "-timeout=5");
        word(&c, "-rss_limit_mb=4096");
        word(&c, "-verbosity=0");
        word(&c, "-artifact_prefix=%s.", corpus);
        if (row->data) snprintf(path, sizeof path, "%s/%s.dict", row->data, data_of(row));
        if (row->data && on_texts && access(path, R_OK) == 0) word(&c, "-dict=%s", path);
        word(&c, "%s", corpus);
        if (row->data && on_texts) word(&c, "%s/%s", row->data, data_of(row));
        int status = run(row, &c);
        struct measure *m = measure_map(state, false);
        bool is_over = m && m->is_over;
        row->has_failed = m && !is_over && m->is_running;
        if (m) measure_unmap(m);
        if (is_over || (row->has_failed && row->to_failure)) break;
        if (status == 127 || !m || row->to_failure) return TOOL_BROKEN;
    }
    remove_tree(corpus);
    return TOOL_DONE;
}

/* ---- AFL++: counts in its own build; what it kept, and all that was valid, is run again where edges are counted. */

static void replay_folder(const struct tool_row *row, const char *folder)
{
    static struct command c;
    c = (struct command){.n = 0};
    word(&c, "find");
    word(&c, "%s", folder);
    for (const char *const *w = (const char *const[]){"-maxdepth", "1", "-type", "f", "-exec", NULL}; *w; w++)
        word(&c, "%s", *w);
    word(&c, "%s/%s/replay", row->folder, row->program);
    word(&c, "{}");
    word(&c, "+");
    run(row, &c);
}

static enum tool_end run_afl(const struct tool_row *row, const char *state)
{
    char out[LONGEST], keep[LONGEST], second[LONGEST], path[2 * LONGEST];
    static struct command c;
    c = (struct command){.n = 0};
    snprintf(path, sizeof path, "%s/%s/afl", row->folder, row->program);
    if (access(path, X_OK) != 0) return TOOL_ABSENT;
    scratch(row, ".afl", out);
    scratch(row, ".keep", keep);
    scratch(row, ".second", second);
    remove_tree(out);
    remove_tree(keep);
    mkdir(keep, 0777);
    set_measure(row, state, "replay", 0);
    setting("PROGRAMS_KEEP", "%s", keep);
    for (const char *const *w = (const char *const[]){"AFL_NO_UI", "AFL_SKIP_CPUFREQ", "AFL_NO_AFFINITY", "AFL_QUIET",
                                                      "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "AFL_FAST_CAL", NULL};
         *w; w++)
        setting(*w, "1");
    word(&c, "afl-fuzz");
    word(&c, "-V%d", 60 + 20 * (int)row->seconds); /* by the clock, if all else fails */
    word(&c, "-s%" PRIu64, row->seed);
    word(&c, "-t1000");
    word(&c, "-mnone");
    word(&c, "-i%s/%s", row->data, data_of(row));
    word(&c, "-o%s", out);
    snprintf(path, sizeof path, "%s/%s.dict", row->data, data_of(row));
    if (access(path, R_OK) == 0) word(&c, "-x%s", path);
    word(&c, "--");
    word(&c, "%s/%s/afl", row->folder, row->program);
    if (run_until(row, &c, state, row->seconds) == 127) return TOOL_ABSENT;
    unsetenv("PROGRAMS_KEEP");
    remove(second);
    setting("PROGRAMS_STATE", "%s", second);
    snprintf(path, sizeof path, "%s/default/queue", out);
    replay_folder(row, path);
    replay_folder(row, keep);
    struct measure *m = measure_map(state, false), *edges = measure_map(second, false);
    if (m && edges) {
        m->now.sem_all = edges->now.sem_all;
        m->now.sem_valid = edges->now.sem_valid;
        m->syn_all = edges->syn_all;
        m->syn_valid = edges->syn_valid;
        m->now.diverse_valid = edges->now.diverse_valid;
        m->now.cpu = row->seconds;
        m->n_edges = edges->n_edges;
        m->n_sem = edges->n_sem;
        m->series[0] = m->now;
        m->n_series = 1;
    }
    if (m) measure_unmap(m);
    if (edges) measure_unmap(edges);
    remove(second);
    remove_tree(out);
    remove_tree(keep);
    return m && edges ? TOOL_DONE : TOOL_BROKEN;
}

enum tool_end tool_run(struct tool_row *row, struct measure **counted)
{
    char state[LONGEST], log[LONGEST];
    enum tool_end end;
    make_folders(row);
    scratch(row, ".state", state);
    remove(state);
    tool_log(row, log, sizeof log);
    remove(log);
    if (strcmp(row->arm, "libfuzzer") == 0) end = run_libfuzzer(row, state, "bytes");
    else if (strcmp(row->arm, "libfuzzer-adapter") == 0) end = run_libfuzzer(row, state, "adapter");
    else if (strcmp(row->arm, "libfuzzer-text") == 0) end = run_libfuzzer(row, state, "texts");
    else if (strcmp(row->arm, "afl-text") == 0) end = run_afl(row, state);
    else end = run_guide(row, state);
    *counted = measure_map(state, false);
    remove(state);
    return end == TOOL_DONE && !*counted ? TOOL_BROKEN : end;
}
