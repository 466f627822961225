/* speed: what the engine costs per choice, against a bare loop that draws the same numbers in the same run.
 *
 * Each repetition measures the bare loop and every guide in turn, and a ratio compares two neighbours in time: so a
 * machine that is slow for a while is slow for both. The median of the repetitions is reported, and as `quiet_ratio` the
 * quickest engine against the quickest loop, which is nearer to what an idle machine would show. Everything is on that a
 * search has on: a worker process, labels, spans, tape, verdict, uniqueness; with --here there is no worker.
 *
 *   ints   ten integers in [0, 100], summed
 *   list   a list of up to 20 integers in [0, 100], summed */
#include "base/heap.h"
#include "base/mem.h"
#include "engine/workers/supervise.h"
#include "guide/guides.h"
#include "lib/bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool here; /* no worker process */

enum { REPETITIONS = 9, TOP = 100, INTS = 10, LONGEST = 20 };

/* ---- The bare loops: xoshiro256** and multiply-shift, inlined */

struct xoshiro {
    uint64_t s[4];
};

static inline uint64_t rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

static inline uint64_t xoshiro_next(struct xoshiro *x)
{
    uint64_t *s = x->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

static inline uint64_t below(struct xoshiro *x, uint64_t n)
{
    return (xoshiro_next(x) >> 32) * n >> 32;
}

static volatile uint64_t sink; /* so that the sums are used */

static uint64_t bare_ints(struct xoshiro start, uint64_t tests)
{
    struct xoshiro x = start;
    uint64_t bad = 0;
    for (uint64_t i = 0; i < tests; i++) {
        uint64_t sum = 0;
        for (int k = 0; k < INTS; k++) sum += below(&x, TOP + 1);
        bad += sum > INTS * TOP;
        sink = sum;
    }
    return tests * INTS + bad;
}

static uint64_t bare_list(struct xoshiro start, uint64_t tests)
{
    struct xoshiro x = start;
    uint64_t choices = 0;
    for (uint64_t i = 0; i < tests; i++) {
        uint64_t sum = 0, n = below(&x, LONGEST + 1);
        for (uint64_t k = 0; k < n; k++) sum += below(&x, TOP + 1);
        choices += n + 1;
        sink = sum;
    }
    return choices;
}

/* ---- The same as properties */

static void ten_ints(sonde *t)
{
    int sum = 0;
    for (int k = 0; k < INTS; k++) sum += sonde_int(t, "x", 0, TOP);
    sonde_check(t, sum <= INTS * TOP);
}

static void short_list(sonde *t)
{
    int sum = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, LONGEST);
    while (sonde_more(&xs)) sum += sonde_int(t, "x", 0, TOP);
    sonde_check(t, sum <= LONGEST * TOP);
}

struct subject {
    const char *name;
    uint64_t (*bare)(struct xoshiro start, uint64_t tests); /* returns how many choices */
    sonde_property property;
};

static const struct subject subjects[] = {
    {"ints", bare_ints, {.name = "ten_ints", .run = ten_ints}},
    {"list", bare_list, {.name = "short_list", .run = short_list}},
};

/* ---- Measuring */

struct sample {
    double ns; /* per choice */
    double rss_kb;
};

static double resident_kb(void)
{
    long pages = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    if (!in) return 0;
    if (fscanf(in, "%*s %ld", &pages) != 1) pages = 0;
    fclose(in);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static double bare_ns(const struct subject *subject, const struct bench *b)
{
    struct xoshiro x = {{b->first_seed + 1, 2, 3, 4}};
    double start = sonde_clock_cpu();
    uint64_t choices = subject->bare(x, b->tests);
    return 1e9 * (sonde_clock_cpu() - start) / (double)choices;
}

/* In the worker, after its last case. */
static void note_memory(void *context)
{
    double *rss_kb = context;
    *rss_kb = resident_kb();
}

static struct sonde_options options_of(const struct bench *b, const char *guide)
{
    struct sonde_options options;
    sonde_options_default(&options);
    options.gives_way = false;
    options.seed = b->first_seed;
    options.guide = guide;
    options.tests = 0;
    options.runs = b->tests;
    options.seconds = 0;
    options.isolation = here ? SONDE_ISOLATE_NONE : SONDE_ISOLATE_WORKER;
    return options;
}

/* A search as the engine runs it, without report and store. The time of the worker counts, with its start and end. */
static struct sample engine_sample(const struct subject *subject, const struct bench *b, const char *guide,
                                   struct bench_row *row)
{
    struct sonde_options options = options_of(b, guide);
    struct sonde_heap *heap = here ? NULL : sonde_heap_create(sonde_supervise_room(&options));
    struct sonde_heap *before = sonde_heap_use(heap);
    struct sonde_search *s = sonde_malloc(sizeof *s);
    double *rss_kb = sonde_calloc(1, sizeof *rss_kb);
    sonde_property property = subject->property;
    property.worker_teardown = note_memory;
    property.context = rss_kb;
    struct sonde_single single;
    sonde_search_init(s, &property, &options, 0);
    sonde_single_init(&single, s);
    sonde_heap_use(before);
    double start = sonde_clock_cpu();
    struct sonde_happening happening;
    struct sonde_watch *watch = sonde_supervise_begin(&single, NULL);
    while (sonde_supervise_next(watch, &happening)) continue;
    sonde_supervise_end(watch);
    row->unique_valid = sonde_unique_count(&s->judge.unique, &row->unique_estimated);
    row->cpu_s = sonde_clock_cpu() - start;
    if (here) note_memory(rss_kb);
    struct sample sample = {.ns = 1e9 * row->cpu_s / (double)s->stats.choices, .rss_kb = *rss_kb};
    row->tests = s->stats.tests;
    row->valid = s->stats.valid;
    row->discarded = s->stats.discarded;
    row->stopped = s->exhausted ? "exhausted" : "tests";
    sonde_single_clear(&single);
    sonde_search_clear(s);
    sonde_free(rss_kb);
    sonde_free(s);
    sonde_heap_use(before);
    if (heap) sonde_heap_destroy(heap);
    return sample;
}

/* The same search in this process, right after: what isolation costs is the ratio of the two. */
static double inline_ns(const struct subject *subject, const struct bench *b, const char *guide)
{
    struct bench_row unused = {0};
    bool was_here = here;
    here = true;
    double ns = engine_sample(subject, b, guide, &unused).ns;
    here = was_here;
    return ns;
}

static void measure(struct bench *b, const struct subject *subject)
{
    double bare[REPETITIONS], ns[BENCH_GUIDES_MAX][REPETITIONS], ratio[BENCH_GUIDES_MAX][REPETITIONS];
    double isolation[BENCH_GUIDES_MAX][REPETITIONS];
    struct bench_row rows[BENCH_GUIDES_MAX] = {0};
    double rss[BENCH_GUIDES_MAX];
    unsigned n = 0;
    for (int k = 0; k < REPETITIONS; k++) {
        const char *guide;
        bare[k] = bare_ns(subject, b);
        for (n = 0; n < BENCH_GUIDES_MAX && (guide = bench_guide(b, n)) != NULL; n++) {
            rows[n] = (struct bench_row){.row = subject->name, .guide = guide, .seed = b->first_seed};
            struct sample sample = engine_sample(subject, b, guide, &rows[n]);
            isolation[n][k] = sample.ns / inline_ns(subject, b, guide);
            double after = bare_ns(subject, b);
            ns[n][k] = sample.ns;
            ratio[n][k] = 2 * sample.ns / (bare[k] + after);
            rss[n] = sample.rss_kb;
            bare[k] = after;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        bench_more(&rows[i], "ratio", bench_median(ratio[i], REPETITIONS));
        bench_more(&rows[i], "ns_per_choice", bench_median(ns[i], REPETITIONS));
        bench_more(&rows[i], "bare_ns", bench_median(bare, REPETITIONS));
        bench_more(&rows[i], "isolation", bench_median(isolation[i], REPETITIONS));
        bench_more(&rows[i], "quiet_ratio", ns[i][0] / bare[0]); /* sorted by now */
        bench_more(&rows[i], "rss_kb", rss[i]);
        bench_report(b, &rows[i]);
        bench_line(b);
    }
}

/* Lists the guides that choose by their own policy, as far as there are any. */
static void list_guides(char *out, size_t size)
{
    static const char *const wanted[] = {"uniform", "random", "rl", "cgpt", "zest", "target", "auto"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (sonde_guide_find(wanted[i])) n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "," : "", wanted[i]);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"ratio", "quiet_ratio",  "isolation", "ns_per_choice", "bare_ns", "rss_kb",
                                          "tests", "unique_valid", NULL};
    static const struct bench_flag flags[] = {{"--here", &here, "without a worker process", NULL},
                                              {NULL, NULL, NULL, NULL}};
    static struct bench b = {.suite = "speed",
                             .columns = columns,
                             .flags = flags,
                             .tests = 1000000,
                             .full_tests = 100000000,
                             .first_seed = 1,
                             .last_seed = 1};
    char guides[128] = "";
    list_guides(guides, sizeof guides);
    b.guides = guides;
    bench_start(&b, argc, argv);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (bench_wants(&b, subjects[i].name)) measure(&b, &subjects[i]);
    return bench_end(&b);
}
