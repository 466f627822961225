/* See measure.h. */
#define _GNU_SOURCE
#include "measure.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- The file */

struct measure *measure_map(const char *path, bool make)
{
    struct measure *m;
    int file = open(path, make ? O_RDWR | O_CREAT : O_RDWR, 0666);
    struct stat info;
    if (file < 0) return NULL;
    /* A process that watches may see the file before it has its size. */
    if ((make && ftruncate(file, sizeof *m) < 0) || fstat(file, &info) < 0 || info.st_size < (off_t)sizeof *m) {
        close(file);
        return NULL;
    }
    m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (m == MAP_FAILED) return NULL;
    m->magic = MEASURE_MAGIC;
    return m;
}

void measure_unmap(struct measure *m)
{
    munmap(m, sizeof *m);
}

/* ---- The counters of the program. The linker knows where they are; weak, because the bench itself has none. */

extern uint8_t first_counter[] __asm__("__start___sancov_cntrs") __attribute__((weak, visibility("hidden")));
extern uint8_t last_counter[] __asm__("__stop___sancov_cntrs") __attribute__((weak, visibility("hidden")));
extern const uintptr_t first_pc[] __asm__("__start___sancov_pcs") __attribute__((weak, visibility("hidden")));

static size_t count_counters(void)
{
    size_t n = (size_t)(last_counter - first_counter);
    return n < MEASURE_EDGES ? n : MEASURE_EDGES;
}

enum { IS_SEMANTIC = 1, IS_UNSTABLE = 2 };
enum { SEEN_BY_ANY = 1, SEEN_BY_VALID = 2, SEEN_SEMANTIC = 4 };
static uint8_t kinds[MEASURE_EDGES];
static struct measure *measure;
static const struct measure *followed;
static uint64_t last_run; /* number of the last run; 0: no limit */
static size_t n_counters;

static FILE *open_setting(const char *name)
{
    const char *path = getenv(name);
    return path && *path ? fopen(path, "r") : NULL;
}

static void read_ranges(void)
{
    FILE *in = open_setting("PROGRAMS_RANGES");
    uint64_t from, to;
    while (in && fscanf(in, "%" SCNx64 " %" SCNx64, &from, &to) == 2) {
        for (size_t i = 0; i < n_counters; i++)
            if (first_pc[2 * i] >= from && first_pc[2 * i] < to) kinds[i] |= IS_SEMANTIC;
    }
    if (in) fclose(in);
}

static void read_unstable(void)
{
    FILE *in = open_setting("PROGRAMS_UNSTABLE");
    size_t i;
    while (in && fscanf(in, "%zu", &i) == 1)
        if (i < n_counters) kinds[i] |= IS_UNSTABLE;
    if (in) fclose(in);
}

static void point(void)
{
    struct measure *m = measure;
    if (m->n_series < MEASURE_SERIES) m->series[m->n_series++] = m->now;
}

/* Charges time that was spent before this search; until then nothing has been reached. */
static void charge_earlier(double spent)
{
    struct measure *m = measure;
    double step = m->budget / 60;
    while (step > 0 && step * (m->n_series + 1) < spent && spent < m->budget) {
        m->now.cpu = step * (m->n_series + 1);
        point();
    }
    m->now.cpu = spent;
}

static double setting(const char *name)
{
    const char *value = getenv(name);
    return value ? strtod(value, NULL) : 0;
}

void measure_start(void)
{
    const char *path = getenv("PROGRAMS_STATE"), *first = getenv("PROGRAMS_FOLLOW");
    n_counters = getenv("PROGRAMS_LIGHT") ? 0 : count_counters();
    if (!path || !*path) return;
    if (first) followed = measure_map(first, false);
    measure = measure_map(path, true);
    if (!measure) {
        perror(path);
        exit(2);
    }
    read_ranges();
    read_unstable();
    measure->budget = setting("PROGRAMS_SECONDS");
    last_run = (uint64_t)setting("PROGRAMS_RUNS");
    if (measure->now.runs == 0) charge_earlier(setting("PROGRAMS_SPENT"));
    measure->n_edges = (uint32_t)n_counters;
    measure->n_sem = measure->n_unstable = 0;
    for (size_t i = 0; i < n_counters; i++) {
        measure->n_sem += kinds[i] & IS_SEMANTIC;
        if (kinds[i] & IS_SEMANTIC) measure->seen[i] |= SEEN_SEMANTIC;
        measure->n_unstable += (kinds[i] & IS_UNSTABLE) != 0;
    }
    if (measure->is_running) measure->crashes++;
    measure->is_running = false;
}

/* ---- Sets of hashes */

static bool set_add(uint64_t *set, uint64_t hash, uint64_t n)
{
    if (n >= MEASURE_SET / 8 * 7) return false; /* full: counts no more */
    hash |= 1;
    for (size_t i = (size_t)(hash >> 8) & (MEASURE_SET - 1);; i = (i + 1) & (MEASURE_SET - 1)) {
        if (set[i] == hash) return false;
        if (set[i]) continue;
        set[i] = hash;
        return true;
    }
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

uint64_t measure_hash(const char *text, size_t n)
{
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++) hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return mix(hash);
}

/* ---- Two searches as one */

static void merge_edges(struct measure *m, const struct measure *more)
{
    for (size_t i = 0; i < MEASURE_EDGES; i++) {
        unsigned fresh = more->seen[i] & (unsigned)~m->seen[i], is_semantic = more->seen[i] & SEEN_SEMANTIC;
        if (!fresh) continue;
        *(is_semantic ? &m->now.sem_all : &m->syn_all) += (fresh & SEEN_BY_ANY) != 0;
        *(is_semantic ? &m->now.sem_valid : &m->syn_valid) += (fresh & SEEN_BY_VALID) != 0;
        m->seen[i] = (uint8_t)(m->seen[i] | fresh);
    }
}

static void merge_set(uint64_t *set, const uint64_t *more, uint64_t *n)
{
    for (size_t i = 0; i < MEASURE_SET; i++)
        if (more[i]) *n += set_add(set, more[i], *n);
}

bool measure_merge(const char *into, const char *from)
{
    struct measure *m = measure_map(into, true), *more = measure_map(from, false);
    bool is_there = m && more && more->n_edges;
    if (is_there) {
        merge_edges(m, more);
        merge_set(m->inputs, more->inputs, &m->now.unique_valid);
        merge_set(m->traces, more->traces, &m->now.diverse_valid);
        m->now.runs += more->now.runs;
        m->now.valid += more->now.valid;
        m->now.cpu += more->now.cpu;
        m->crashes += more->crashes;
        m->n_edges = more->n_edges;
        m->n_sem = more->n_sem;
        m->n_unstable = more->n_unstable;
        m->series[0] = m->now;
        m->n_series = 1;
    }
    if (m) measure_unmap(m);
    if (more) measure_unmap(more);
    return is_there;
}

/* ---- One run */

/* Returns the base-2 order of magnitude of a count, by which RLCheck tells traces apart (section 5.1): 1, 2-3, 4-7, ...,
 * 128-255; 0 stays 0. */
static unsigned magnitude(uint8_t count)
{
    return count ? 32 - (unsigned)__builtin_clz(count) : 0;
}

/* Adds up the counters; returns the hash of the stable ones. */
static uint64_t read_counters(unsigned by)
{
    uint64_t trace = 0, word;
    for (size_t i = 0; i < n_counters; i++) {
        if (i % 8 == 0 && i + 8 <= n_counters) {
            memcpy(&word, first_counter + i, sizeof word);
            if (word == 0) {
                i += 7;
                continue;
            }
        }
        if (!first_counter[i]) continue;
        if (!(kinds[i] & IS_UNSTABLE)) trace += mix((uint64_t)i << 8 | magnitude(first_counter[i]));
        unsigned fresh = by & (unsigned)~measure->seen[i];
        if (!fresh) continue;
        measure->seen[i] = (uint8_t)(measure->seen[i] | by);
        bool is_semantic = kinds[i] & IS_SEMANTIC;
        *(is_semantic ? &measure->now.sem_all : &measure->syn_all) += fresh & 1;
        *(is_semantic ? &measure->now.sem_valid : &measure->syn_valid) += fresh >> 1;
    }
    return mix(trace);
}

static void keep_input(const char *text, size_t n)
{
    static const char *folder;
    static bool has_looked;
    char path[4096];
    if (!has_looked) folder = getenv("PROGRAMS_KEEP");
    has_looked = true;
    if (!folder || !*folder) return;
    snprintf(path, sizeof path, "%s/%016" PRIx64, folder, measure_hash(text, n));
    FILE *out = fopen(path, "w");
    if (!out) return;
    fwrite(text, 1, n, out);
    fclose(out);
}

static void finish(void)
{
    if (!followed) point();
    measure->is_over = true;
    if (!measure->is_watched) _exit(0);
}

/* Adds the time since the last call; a process is charged from its start. */
static void read_clock(void)
{
    static double last;
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    double spent = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    measure->now.cpu += spent - last;
    last = spent;
}

static void charge(void)
{
    read_clock();
    if (last_run && measure->now.runs >= last_run) finish();
    if (measure->budget <= 0) return;
    double step = measure->budget / 60;
    if (measure->now.cpu >= step * (double)(measure->n_series + 1) && measure->now.cpu < measure->budget) point();
    if (measure->now.cpu >= measure->budget) finish();
}

/* The time is the other's: at its points, and between them not known. */
static void follow(void)
{
    struct measure *m = measure;
    while (m->n_series < followed->n_series && m->now.runs >= followed->series[m->n_series].runs) {
        m->now.cpu = followed->series[m->n_series].cpu;
        point();
    }
    if (m->now.runs >= followed->now.runs) finish();
}

/* Where a worker was replaced, measure_start is not called. */
static void note_crash(void)
{
    if (measure->is_running) measure->crashes++;
    measure->is_running = true;
}

/* sonde runs a case again now and then, at once, to see whether it does the same: in instrumented code more often. One that is
 * equal to the one before counts as one, so that the same search has the same number of runs in both. */
static bool is_again(const char *text, size_t n)
{
    static uint64_t last;
    uint64_t hash = measure_hash(text, n) | 1, before = last;
    last = hash;
    return measure->is_watched && hash == before;
}

bool measure_run(const char *text, size_t n, bool (*run)(const char *text, size_t n))
{
    struct measure *m = measure;
    if (!m || m->is_over || is_again(text, n)) return run(text, n);
    note_crash();
    memset(first_counter, 0, n_counters); /* not every tool does, and what is left would count for this input */
    bool is_valid = run(text, n);
    m->is_running = false;
    uint64_t trace = read_counters(is_valid ? 3 : 1);
    m->now.runs++;
    if (is_valid) {
        m->now.valid++;
        if (set_add(m->inputs, measure_hash(text, n), m->now.unique_valid)) {
            m->now.unique_valid++;
            keep_input(text, n);
        }
        m->now.diverse_valid += set_add(m->traces, trace, m->now.diverse_valid);
    }
    if (followed) follow();
    else if (m->now.runs % 8 == 0 || m->now.runs == last_run) charge();
    return is_valid;
}

void measure_end_seeds(void)
{
    struct measure *m = measure;
    if (!m || m->is_over || m->has_seeds) return;
    read_clock();
    m->seeds = m->now;
    m->has_seeds = true;
}

void measure_tick(void)
{
    if (!measure || measure->is_over) return;
    measure->now.runs++;
    if (measure->now.runs % 8 == 0 || measure->now.runs == last_run) charge();
}

bool measure_is_over(void)
{
    return measure && measure->is_over;
}

/* ---- Counters that are not the input's doing */

static void run_counted(const char *text, size_t n, bool (*run)(const char *text, size_t n), uint8_t *counters)
{
    memset(first_counter, 0, n_counters);
    run(text, n);
    memcpy(counters, first_counter, n_counters);
}

static void compare_counters(const uint8_t *a, const uint8_t *b)
{
    for (size_t i = 0; i < n_counters; i++)
        if (magnitude(a[i]) != magnitude(b[i])) kinds[i] |= IS_UNSTABLE;
}

/* At once, and with the next input in between: some programs remember. */
void measure_calibrate(const char *text, size_t n, bool (*run)(const char *text, size_t n))
{
    static uint8_t first[MEASURE_EDGES], again[MEASURE_EDGES], before[MEASURE_EDGES];
    static char *last;
    static size_t n_last;
    n_counters = count_counters();
    run_counted(text, n, run, first);
    run_counted(text, n, run, again);
    compare_counters(first, again);
    if (last) {
        run_counted(last, n_last, run, again);
        compare_counters(before, again);
    }
    memcpy(before, first, n_counters);
    last = realloc(last, n + 1);
    if (!last) abort();
    memcpy(last, text, n);
    last[n] = '\0';
    n_last = n;
}

bool measure_calibrated(const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out) return false;
    for (size_t i = 0; i < n_counters; i++)
        if (kinds[i] & IS_UNSTABLE) fprintf(out, "%zu\n", i);
    return fclose(out) == 0;
}
