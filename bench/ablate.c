/* ablate: what is each knob worth? Sweeps the declared knobs of the guides (guide/knobs.h) over canaries of the zoo and named suites, and
 * prints bench/KNOBS.md: each value beside the preset, as a ratio of tests with its interval.
 *
 * A knob is tried in the guide that declares it: at the lower end of its range (without), at half, and at the upper end (four times, where
 * the range has no sensible end). Both arms have the same subjects and seeds; subjects are the pairs, their faults and seeds are
 * averaged. Rows are recorded, so that --continue goes on where a sweep was ended.
 *
 *   bench/run ablate [--only KNOBS or GUIDES] [--subjects A-B] [--tests N] [--with SUITES] [--write bench/KNOBS.md] */
#include "lib/bench.h"
#include "lib/results.h"
#include "guide/knobs.h"
#include "zoo/log.h"
#include "zoo/process.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *subjects = "1-60", *with = "sparse", *with_tests = "20000", *written, *folder;
static bool continues;

static const struct bench_flag flags[] = {
    {"--subjects", NULL, "A-B: numbers of the zoo (1-60)", &subjects},
    {"--with", NULL, "named suites, comma-separated (sparse); \"\": none; make bench builds all", &with},
    {"--with-tests", NULL, "tests per row of these (20000)", &with_tests},
    {"--continue", &continues, "keep what is recorded, run what is missing", NULL},
    {"--folder", NULL, "DIR: where subjects and the record are kept (build/zoo)", &folder},
    {"--write", NULL, "FILE: write the page there instead of printing it", &written},
    {NULL, NULL, NULL, NULL}};

enum { VALUES = 3, GUIDES_MAX = 16 };

/* One guide with one setting: what each subject and each row of a suite cost. */
struct arm {
    struct bench_cost *costs; /* one per subject */
    double cpu_s;
    struct bench_results named;
};

struct sweep {
    struct bench *b;
    struct zoo_workshop shop;
    struct zoo_animal *animals; /* those that are subjects */
    unsigned n;
    struct zoo_log log;
    char guides[GUIDES_MAX][32]; /* whose presets have been run */
    struct arm presets[GUIDES_MAX];
    unsigned n_guides;
    struct zoo_text page;
    unsigned n_knobs, n_lost;
};

SONDE_PRINTF(1, 2) SONDE_NORETURN static void refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "ablate: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(2);
}

/* ---- One arm */

/* The geometric mean over faults and seeds; censored if none was met. */
static struct bench_cost cost_of(struct sweep *s, const struct zoo_animal *a, const char *guide, double *cpu_s)
{
    double sum = 0;
    unsigned n = 0, met = 0;
    for (uint64_t seed = s->b->first_seed; seed <= s->b->last_seed; seed++) {
        struct zoo_text text = {0};
        struct zoo_row row;
        int status = zoo_search(&s->log, s->b, &s->shop, a, guide, seed, &text);
        if (status < 0) refuse("%s: %s; --continue goes on", s->log.path, strerror(-status));
        bool is_row = status > 0 && zoo_row_read(text.s, &row);
        zoo_text_clear(&text);
        s->n_lost += !is_row;
        for (unsigned i = 0; is_row && i < row.n_bugs; i++, n++) {
            double tests;
            met += zoo_row_tests(&row, i, &tests);
            sum += log(tests > 1 ? tests : 1);
        }
        *cpu_s += is_row ? row.cpu_s : 0;
    }
    return (struct bench_cost){n ? exp(sum / n) : 1, met == 0};
}

/* A named suite, by its own program. */
static void run_suite(struct sweep *s, const char *suite, const char *guide, const char *options,
                      struct bench_results *out)
{
    char program[PATH_MAX], rows[PATH_MAX], seeds[64], *argv[16];
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    snprintf(program, sizeof program, "%s/bench/%s", build, suite);
    snprintf(rows, sizeof rows, "%.4000s/ablate-suite.jsonl", s->shop.folder);
    snprintf(seeds, sizeof seeds, "%" PRIu64 "-%" PRIu64, s->b->first_seed, s->b->last_seed + 1);
    const char *const words[] = {program,
                                 "--json",
                                 "--guide",
                                 guide,
                                 "--seeds",
                                 seeds,
                                 "--tests",
                                 with_tests,
                                 "--seconds",
                                 "0",
                                 options ? "--guide-options" : NULL,
                                 options};
    unsigned k = 0;
    for (unsigned i = 0; i < sizeof words / sizeof *words && words[i]; i++) argv[k++] = (char *)(uintptr_t)words[i];
    argv[k] = NULL;
    bool is_done = zoo_command(argv, rows);
    FILE *in = fopen(rows, "r");
    if (is_done && in) bench_results_read(out, in);
    else fprintf(stderr, "ablate: %s with %s did not end well and is left out\n", suite, options ? options : "presets");
    s->n_lost += !is_done;
    if (in) fclose(in);
    remove(rows);
}

static void run_suites(struct sweep *s, const char *guide, const char *options, struct bench_results *out)
{
    for (const char *at = with; *at; at += strcspn(at, ","), at += *at == ',') {
        char suite[64];
        snprintf(suite, sizeof suite, "%.*s", (int)strcspn(at, ","), at);
        for (char *c = suite; *c; c++) *c = *c == '-' ? '_' : *c; /* as the program is called */
        run_suite(s, suite, guide, options, out);
    }
}

static struct arm run_arm(struct sweep *s, const char *guide, const char *options)
{
    struct arm arm = {.costs = calloc(s->n + 1, sizeof *arm.costs)};
    if (!arm.costs) abort();
    s->b->guide_options = options;
    for (unsigned i = 0; i < s->n; i++) arm.costs[i] = cost_of(s, &s->animals[i], guide, &arm.cpu_s);
    run_suites(s, guide, options, &arm.named);
    return arm;
}

static void clear_arm(struct arm *arm)
{
    free(arm->costs);
    bench_results_clear(&arm->named);
}

static const struct arm *preset_of(struct sweep *s, const char *guide)
{
    for (unsigned i = 0; i < s->n_guides; i++)
        if (strcmp(s->guides[i], guide) == 0) return &s->presets[i];
    if (s->n_guides == GUIDES_MAX) refuse("there are more than %d guides", GUIDES_MAX);
    snprintf(s->guides[s->n_guides], sizeof s->guides[0], "%s", guide);
    s->presets[s->n_guides] = run_arm(s, guide, NULL);
    return &s->presets[s->n_guides++];
}

/* ---- Two arms */

static void print_pairs(struct zoo_text *out, const struct bench_pairs *p)
{
    if (p->n < 2) zoo_print(out, " | - | - | -");
    else zoo_print(out, " | %.2f | %.2f .. %.2f | %.2f", p->ratio, p->ci.lo, p->ci.hi, p->detectable);
}

/* Rows that both have. */
static struct bench_pairs compare_named(const struct bench_results *a, const struct bench_results *b)
{
    struct bench_cost *x = calloc(a->n + 1, sizeof *x), *y = calloc(a->n + 1, sizeof *y);
    size_t n = 0;
    if (!x || !y) abort();
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++) {
            const struct bench_result *p = &a->all[i], *q = &b->all[k];
            if (p->seed != q->seed || strcmp(p->row, q->row) != 0 || strcmp(p->suite, q->suite) != 0) continue;
            x[n] = p->cost;
            y[n++] = q->cost;
            break;
        }
    struct bench_pairs pairs = bench_compare_pairs(x, y, n);
    free(x);
    free(y);
    return pairs;
}

static void print_arm(struct sweep *s, const struct arm *arm, const struct arm *preset)
{
    struct bench_pairs canaries = bench_compare_pairs(arm->costs, preset->costs, s->n);
    struct bench_pairs named = compare_named(&arm->named, &preset->named);
    print_pairs(&s->page, &canaries);
    zoo_print(&s->page, " | %.2f", preset->cpu_s > 0 ? arm->cpu_s / preset->cpu_s : NAN);
    if (*with) print_pairs(&s->page, &named);
    zoo_print(&s->page, " |\n");
}

/* ---- One knob */

static void print_value(const struct sonde_knob *knob, double value, char *out, size_t size)
{
    if (knob->words) snprintf(out, size, "%s", knob->words[(int)value]);
    else snprintf(out, size, "%.6g", value);
}

/* Those that differ from the preset and from each other. */
static unsigned values_of(const struct sonde_knob *knob, double values[VALUES])
{
    const double wide = 100, preset = knob->preset, size = fabs(preset) > 0 ? fabs(preset) : 1;
    double lowest = knob->min < -wide * size ? -4 * size : knob->min,
           highest = knob->max > wide * size ? preset + 3 * size : knob->max;
    const double tries[VALUES] = {lowest, knob->words ? preset : preset / 2, highest};
    unsigned n = 0;
    for (unsigned i = 0; i < VALUES; i++) {
        bool is_new = tries[i] != preset && tries[i] >= knob->min && tries[i] <= knob->max;
        for (unsigned k = 0; k < n; k++) is_new &= tries[i] != values[k];
        if (is_new) values[n++] = tries[i];
    }
    return n;
}

static void sweep_knob(void *to, const char *guides, const struct sonde_knob *knob)
{
    struct sweep *s = to;
    char guide[32], value[64], options[128], preset_text[64];
    double values[VALUES];
    snprintf(guide, sizeof guide, "%.*s", (int)strcspn(guides, ","), guides);
    if (!bench_wants(s->b, knob->name) && !(s->b->only && bench_wants(s->b, guide))) return;
    const struct arm *preset = preset_of(s, guide);
    unsigned n = values_of(knob, values);
    s->n_knobs++;
    print_value(knob, knob->preset, preset_text, sizeof preset_text);
    for (unsigned i = 0; i < n; i++) {
        print_value(knob, values[i], value, sizeof value);
        snprintf(options, sizeof options, "%s=%s", knob->name, value);
        fprintf(stderr, "ablate: %s %s\n", guide, options);
        struct arm arm = run_arm(s, guide, options);
        zoo_print(&s->page, "| %s%s%s | %s | %s | %s", i ? "" : "`", i ? "" : knob->name, i ? "" : "`", i ? "" : guide,
                  i ? "" : preset_text, value);
        print_arm(s, &arm, preset);
        clear_arm(&arm);
    }
}

/* ---- All of them */

static void print_head(struct sweep *s, int argc, char **argv)
{
    const char *commit = getenv("ZOO_COMMIT");
    zoo_print(&s->page, "# What the knobs of the guides are worth\n\n`bench/run ablate");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--folder") == 0 || strcmp(argv[i], "--write") == 0) i++;
        else if (strcmp(argv[i], "--continue") != 0) zoo_print(&s->page, " %s", argv[i]);
    }
    zoo_print(&s->page,
              "` at commit %.10s: %u subjects of the zoo with canaries, seeds %" PRIu64 "-%" PRIu64 ", %" PRIu64
              " tests",
              commit ? commit : "(unknown)", s->n, s->b->first_seed, s->b->last_seed, s->b->tests);
    if (*with)
        zoo_print(&s->page, "; %s, seeds %" PRIu64 "-%" PRIu64 ", %s tests", with, s->b->first_seed,
                  s->b->last_seed + 1, with_tests);
    zoo_print(
        &s->page,
        ".\n\nTests with the value / tests with the preset, in the guide that declares the knob: above 1 the preset is better. *95 %%* is\n"
        "the interval; one that holds 1 shows nothing. *Could show* is the ratio that so many subjects show in four of five sweeps:\n"
        "smaller effects need more subjects. With so many knobs, one in twenty intervals leaves 1 out by luck: a finding is run again on\n"
        "other subjects before anything is changed. The first value is the lower end of the range, then half of the preset, then the\n"
        "upper end, or four times the preset where the range has no sensible end.\n\n");
    zoo_print(
        &s->page,
        "| knob | guide | preset | value | canaries | 95 %% | could show | CPU%s |\n|---|---|---|---|---|---|---|---%s|\n",
        *with ? " | named suites | 95 % | could show" : "", *with ? "|---|---|---" : "");
}

static void take_subjects(struct sweep *s)
{
    unsigned n = zoo_read_range(subjects, &s->animals);
    if (n == 0) refuse("--subjects: '%s' should read A-B, from 1 on, and be at most 100000", subjects);
    zoo_prepare(&s->shop, s->animals, n);
    for (unsigned i = 0; i < n; i++)
        if (!s->animals[i].missing) s->animals[s->n++] = s->animals[i];
    if (s->n == 0) refuse("--subjects: none of '%s' is a subject", subjects);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {NULL};
    static struct bench b = {.suite = "ablate",
                             .columns = columns,
                             .flags = flags,
                             .guides = "auto",
                             .tests = 5000,
                             .first_seed = 1,
                             .last_seed = 1};
    static struct sweep s;
    char path[PATH_MAX + 32];
    bench_start(&b, argc, argv);
    s.b = &b;
    s.shop = (struct zoo_workshop){.form = ZOO_CANARY, .jobs = 2, .is_simple = zoo_is_simple};
    int status = zoo_workshop_open(&s.shop, folder);
    if (status < 0) refuse("%s: %s", s.shop.folder, strerror(-status));
    take_subjects(&s);
    snprintf(path, sizeof path, "%s/ablate.jsonl", s.shop.folder);
    status = zoo_log_open(&s.log, path, continues);
    if (status < 0) refuse("%s: %s", path, strerror(-status));
    print_head(&s, argc, argv);
    sonde_knobs_each(sweep_knob, &s);
    if ((status = zoo_log_close(&s.log)) < 0) refuse("%s: %s", path, strerror(-status));
    if (!written) printf("%s", zoo_text_of(&s.page));
    else if ((status = zoo_write_file(written, s.page.s, s.page.n)) < 0) refuse("%s: %s", written, strerror(-status));
    fprintf(stderr, "ablate: %u knobs%s\n", s.n_knobs, s.n_lost ? "; some searches did not end well" : "");
    return s.n_lost ? 1 : bench_end(&b);
}
