/* Searches and their report. See bench.h. */
#include "lib/bench.h"

#include "base/heap.h"
#include "base/mem.h"
#include "engine/search/loop.h"
#include "engine/workers/supervise.h"
#include "lib/fuzzer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ---- One search */

static const char *stop_word(enum sonde_stop stopped)
{
    switch (stopped) {
    case SONDE_STOP_TESTS: return "tests";
    case SONDE_STOP_FOUND: return "found";
    case SONDE_STOP_EXHAUSTED: return "exhausted";
    case SONDE_STOP_TIME:
    case SONDE_STOP_GAVE_UP: return "time";
    default: return "error";
    }
}

static struct sonde_options options_of(const struct bench *b, const char *guide, uint64_t seed)
{
    struct sonde_options options;
    sonde_options_default(&options);
    options.gives_way = false;
    options.seed = seed;
    options.guide = guide;
    options.guide_options = b->guide_options;
    options.tests = 0;
    options.runs = b->tests;
    options.seconds = b->seconds;
    options.max_discards = 0;
    options.fail_fast = true;
    return options;
}

/* Returns the row of a search that has ended. */
static struct bench_row row_of(const struct bench *b, const char *row, struct sonde_search *s, double cpu_s)
{
    if (s->misuse[0]) fprintf(stderr, "%s: %s: %s\n", b->suite, row, s->misuse);
    struct bench_row r = {.row = row,
                          .guide = s->options->guide,
                          .seed = s->options->seed,
                          .tests = s->stats.tests,
                          .valid = s->stats.valid,
                          .discarded = s->stats.discarded,
                          .cpu_s = cpu_s,
                          .stopped = stop_word(s->stopped),
                          .searches = true,
                          .found = s->n_found > 0,
                          .tests_to_failure = s->n_found ? s->found[0]->test : 0};
    if (b->stats && s->guide->ops->stats) s->guide->ops->stats(s->guide, stderr);
    r.unique_valid = sonde_unique_count(&s->judge.unique, &r.unique_estimated);
    r.shapes = sonde_levels_count(&s->judge.levels, SONDE_LEVEL_SHAPE);
    r.skeletons = sonde_levels_count(&s->judge.levels, SONDE_LEVEL_SKELETON);
    r.traces = sonde_levels_count(&s->judge.levels, SONDE_LEVEL_TRACE);
    return r;
}

static double peak_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss;
}

struct bench_row bench_search(const struct bench *b, const char *row, const char *guide, uint64_t seed,
                              const sonde_property *property)
{
    struct sonde_options options = options_of(b, guide, seed);
    struct sonde_search *s = malloc(sizeof *s);
    if (!s) abort();
    sonde_search_init(s, property, &options, 0);
    if (b->execute) s->execute = b->execute;
    sonde_search_run(s);
    struct bench_row r = row_of(b, row, s, sonde_clock_cpu() - s->cpu_started);
    r.peak_kb = peak_kb();
    sonde_search_clear(s);
    free(s);
    return r;
}

struct bench_row bench_search_in_worker(const struct bench *b, const char *row, const char *guide, uint64_t seed,
                                        const sonde_property *property)
{
    struct sonde_options options = options_of(b, guide, seed);
    options.isolation = SONDE_ISOLATE_WORKER;
    struct sonde_heap *heap = sonde_heap_create(sonde_supervise_room(&options));
    struct sonde_heap *before = sonde_heap_use(heap);
    struct sonde_search *s = sonde_malloc(sizeof *s);
    struct sonde_single single;
    sonde_search_init(s, property, &options, 0);
    sonde_single_init(&single, s);
    sonde_heap_use(before);
    double start = sonde_clock_cpu();
    struct sonde_happening happening;
    struct sonde_watch *watch = sonde_supervise_begin(&single, NULL);
    while (sonde_supervise_next(watch, &happening)) continue;
    sonde_supervise_end(watch);
    struct bench_row r = row_of(b, row, s, sonde_clock_cpu() - start);
    sonde_single_clear(&single);
    sonde_search_clear(s);
    sonde_free(s);
    sonde_heap_use(before);
    sonde_heap_destroy(heap);
    return r;
}

void bench_more(struct bench_row *row, const char *name, double value)
{
    if (row->n_more == BENCH_MORE_MAX) abort();
    row->more[row->n_more].name = name;
    row->more[row->n_more++].value = value;
}

void bench_property(struct bench *b, const char *row, const sonde_property *property)
{
    if (!bench_wants(b, row)) return;
    const char *guide;
    for (unsigned i = 0; (guide = bench_guide(b, i)) != NULL; i++) {
        for (uint64_t seed = b->first_seed; seed <= b->last_seed; seed++) {
            struct bench_row r = {.row = row, .guide = guide, .seed = seed};
            if (!bench_is_fuzzer(guide)) r = bench_search(b, row, guide, seed, property);
            else if (!bench_fuzz(b, &r, false)) break; /* the next seed would fare no better */
            bench_report(b, &r);
        }
        bench_line(b);
    }
}

/* ---- JSON */

void bench_print_json(FILE *out, const struct bench *b, const struct bench_row *r)
{
    fprintf(out,
            "{\"suite\":\"%s\",\"row\":\"%s\",\"guide\":\"%s\",\"seed\":%" PRIu64 ",\"tests\":%" PRIu64
            ",\"valid\":%" PRIu64 ",\"discarded\":%" PRIu64 ",\"unique_valid\":%" PRIu64,
            b->suite, r->row, r->guide, r->seed, r->tests, r->valid, r->discarded, r->unique_valid);
    if (r->unique_estimated) fprintf(out, ",\"unique_estimated\":true");
    if (r->shapes) fprintf(out, ",\"shapes\":%" PRIu64 ",\"skeletons\":%" PRIu64, r->shapes, r->skeletons);
    if (r->traces) fprintf(out, ",\"traces\":%" PRIu64, r->traces);
    if (r->searches) fprintf(out, ",\"found\":%s", r->found ? "true" : "false");
    if (r->found) fprintf(out, ",\"tests_to_failure\":%" PRIu64, r->tests_to_failure);
    for (unsigned i = 0; i < r->n_more; i++) {
        if (isfinite(r->more[i].value)) fprintf(out, ",\"%s\":%.10g", r->more[i].name, r->more[i].value);
        else fprintf(out, ",\"%s\":null", r->more[i].name);
    }
    if (r->peak_kb > 0) fprintf(out, ",\"peak_kb\":%.0f", r->peak_kb);
    if (r->json) fprintf(out, ",%s", r->json);
    fprintf(out, ",\"stopped\":\"%s\",\"cpu_s\":%.3f}\n", r->stopped, r->cpu_s);
    fflush(out);
}

/* ---- The table */

enum { NAME_WIDTH = 24, GUIDE_WIDTH = 15, COLUMN_WIDTH = 24 };

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bench_median(double *values, unsigned n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    double lower = values[(n - 1) / 2], upper = values[n / 2];
    return lower == upper ? lower : (lower + upper) / 2; /* both may be infinite */
}

/* A field by its name; NaN if the row has none of that name. */
static double field(const struct bench_row *r, const char *name)
{
    if (strcmp(name, "tests") == 0) return (double)r->tests;
    if (strcmp(name, "valid") == 0) return (double)r->valid;
    if (strcmp(name, "discarded") == 0) return (double)r->discarded;
    if (strcmp(name, "unique_valid") == 0) return (double)r->unique_valid;
    if (strcmp(name, "shapes") == 0) return (double)r->shapes;
    if (strcmp(name, "skeletons") == 0) return (double)r->skeletons;
    if (strcmp(name, "traces") == 0) return (double)r->traces;
    if (strcmp(name, "valid_rate") == 0) return r->tests ? (double)r->valid / (double)r->tests : 0;
    if (strcmp(name, "cpu_s") == 0) return r->cpu_s;
    if (strcmp(name, "peak_kb") == 0) return r->peak_kb;
    if (strcmp(name, "tests_to_failure") == 0) return r->found ? (double)r->tests_to_failure : INFINITY;
    for (unsigned i = 0; i < r->n_more; i++)
        if (strcmp(r->more[i].name, name) == 0) return r->more[i].value;
    return NAN;
}

static void write_number(char *out, size_t size, double x)
{
    if (isnan(x)) snprintf(out, size, "-");
    else if (isinf(x)) snprintf(out, size, "never");
    else if (fabs(x) >= 1e6) snprintf(out, size, "%.4gM", x / 1e6);
    else if (fabs(x) >= 1e4) snprintf(out, size, "%.4gk", x / 1e3);
    else snprintf(out, size, "%.4g", x);
}

static void print_cell(const struct bench *b, const char *name)
{
    double values[BENCH_SEEDS_MAX];
    char text[4][32], cell[128];
    unsigned found = 0;
    for (unsigned i = 0; i < b->n_rows; i++) {
        values[i] = field(&b->rows[i], name);
        found += b->rows[i].found;
    }
    double median = bench_median(values, b->n_rows), least = values[0], most = values[b->n_rows - 1];
    write_number(text[0], sizeof text[0], median);
    write_number(text[1], sizeof text[1], least);
    write_number(text[2], sizeof text[2], most);
    if (strcmp(name, "found") == 0) snprintf(cell, sizeof cell, "%u/%u", found, b->n_rows);
    else if (least == most || isnan(least)) snprintf(cell, sizeof cell, "%s", text[0]);
    else snprintf(cell, sizeof cell, "%s [%s..%s]", text[0], text[1], text[2]);
    printf(" %*s", COLUMN_WIDTH, cell);
}

static bool has_found(const struct bench_cost *costs, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!costs[i].censored) return true;
    return false;
}

/* Behind the line of another guide than the first: can the difference be chance, and how often does this one need more? */
static void print_comparison(struct bench *b)
{
    struct bench_cost costs[2][BENCH_SEEDS_MAX];
    for (unsigned i = 0; i < b->n_rows; i++) {
        const struct bench_row *r = &b->rows[i];
        bool is_found = r->searches && r->found;
        costs[0][i] = (struct bench_cost){(double)(is_found ? r->tests_to_failure : r->tests), !is_found};
        costs[1][i] = (struct bench_cost){(double)r->tests / ((double)r->unique_valid + 0.5), false};
    }
    if (strncmp(b->first_row, b->rows[0].row, sizeof b->first_row - 1) != 0) {
        for (unsigned k = 0; k < 2; k++) memcpy(b->first[k], costs[k], b->n_rows * sizeof *costs[k]);
        b->n_first = b->n_rows;
        snprintf(b->first_row, sizeof b->first_row, "%s", b->rows[0].row);
        return;
    }
    bool by_inputs = !has_found(costs[0], b->n_rows) && !has_found(b->first[0], b->n_first);
    struct bench_ranks r = bench_mann_whitney(costs[by_inputs], b->n_rows, b->first[by_inputs], b->n_first);
    if (b->n_rows > 1 && b->n_first > 1) printf("  p %.2g, A12 %.2f", r.p, r.a12);
}

void bench_line(struct bench *b)
{
    if (b->json || b->n_rows == 0) return;
    if (!b->has_header) {
        printf("%-*s %-*s", NAME_WIDTH, b->suite, GUIDE_WIDTH, "guide");
        for (unsigned i = 0; b->columns[i]; i++) printf(" %*s", COLUMN_WIDTH, b->columns[i]);
        printf("\n");
        b->has_header = true;
    }
    printf("%-*s %-*s", NAME_WIDTH, b->rows[0].row, GUIDE_WIDTH, b->rows[0].guide);
    for (unsigned i = 0; b->columns[i]; i++) print_cell(b, b->columns[i]);
    print_comparison(b);
    printf("\n");
    fflush(stdout);
    b->n_rows = 0;
}

void bench_report(struct bench *b, const struct bench_row *row)
{
    if (b->json) {
        bench_print_json(stdout, b, row);
        return;
    }
    if (b->n_rows == BENCH_SEEDS_MAX) abort();
    b->rows[b->n_rows++] = *row;
}
