/* ablate: what is each knob worth? Sweeps the declared knobs of the guides (guide/guides.h) over canaries of the zoo and named suites, and
 * prints bench/KNOBS.md: each value beside the preset, as a ratio of tests with its interval.
 *
 * A knob is tried in the first guide that reads it, at two values: without it (0, or a quarter where there is no such value) and at four
 * times the preset, or at the end of its range if that is nearer. Both arms have the same subjects and seeds; subjects are the pairs,
 * their faults and seeds are averaged, and intervals are bootstrapped over subjects.
 *
 * Guides differ in what a search costs by a factor of forty. So an arm has a budget of processor time: each guide with
 * its presets takes subjects, in order, until that is spent, and all arms of its knobs take the same ones. The first
 * subjects have all kinds of types and preconditions; a value that changes nothing there is one that canaries do not
 * exercise: the rest of its arm is saved, and the page notes it. Rows are recorded, so that --continue resumes where a
 * sweep was ended.
 *
 *   bench/run ablate [--only KNOBS or GUIDES] [--subjects A-B] [--arm SECONDS] [--with SUITES] [--write bench/KNOBS.md] */
#include "lib/bench.h"
#include "lib/results.h"
#include "guide/guides.h"
#include "zoo/log.h"
#include "zoo/process.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *subjects = "1-220", *with = "sparse,bst,learn,target", *with_tests = "2000", *budget = "8", *written,
                  *folder;
static bool continues, is_one_bug;

static const struct bench_flag flags[] = {
    {"--subjects", NULL, "A-B: numbers of the zoo (1-220)", &subjects},
    {"--arm", NULL, "S: processor time of the subjects of one arm (8)", &budget},
    {"--with", NULL, "named suites, comma-separated (sparse,bst,learn,target); \"\": none", &with},
    {"--with-tests", NULL, "tests per row of these (2000)", &with_tests},
    {"--one-bug", &is_one_bug, "one fault that fails, instead of canaries: for knobs that are about claims", NULL},
    {"--continue", &continues, "keep what is recorded, run what is missing", NULL},
    {"--folder", NULL, "DIR: where subjects and the record are kept (build/zoo)", &folder},
    {"--write", NULL, "FILE: write the page there instead of printing it", &written},
    {NULL, NULL, NULL, NULL}};

enum { GUIDES_MAX = 16, WORDS_MAX = 8, LEAST_SUBJECTS = 8, KINDS_MAX = 64 };

/* Counts that a search left, without its time. Searches with equal counts are the same search. */
struct trace {
    uint64_t tests, valid, cost;
};

/* One guide with one setting: what each subject and each row of a suite cost. */
struct arm {
    struct bench_cost *costs; /* one per subject */
    struct trace *traces;     /* the same, over its seeds */
    unsigned n;               /* subjects that were searched */
    double cpu_s;
    struct bench_results named;
};

/* The presets of a guide, and the part of the page about its knobs. */
struct preset {
    char guide[32];
    struct arm arm;
    struct zoo_text table;
};

struct sweep {
    struct bench *b;
    struct zoo_workshop shop;
    struct zoo_animal *animals; /* those that are subjects */
    unsigned n, n_screen;       /* n_screen: the first of them, which have all kinds of types and preconditions */
    double budget;
    struct zoo_log log;
    struct preset presets[GUIDES_MAX]; /* of guides in the order of their first knobs */
    unsigned n_presets;
    unsigned n_knobs, n_arms, n_shown, n_lost;
    double cpu_s;
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
static void search_subject(struct sweep *s, struct arm *arm, unsigned i, const char *guide)
{
    double sum = 0;
    unsigned n = 0, met = 0;
    struct trace *trace = &arm->traces[i];
    for (uint64_t seed = s->b->first_seed; seed <= s->b->last_seed; seed++) {
        struct zoo_text text = {0};
        struct zoo_row row;
        int status = zoo_search(&s->log, s->b, &s->shop, &s->animals[i], guide, seed, &text);
        if (status < 0) refuse("%s: %s; --continue goes on", s->log.path, strerror(-status));
        bool is_row = status > 0 && zoo_row_read(text.s, &row);
        zoo_text_clear(&text);
        s->n_lost += !is_row;
        if (!is_row) continue;
        for (unsigned k = 0; k < row.n_bugs; k++, n++) {
            double tests;
            met += zoo_row_tests(&row, k, &tests);
            sum += log(tests > 1 ? tests : 1);
        }
        trace->tests += row.tests, trace->valid += row.valid, trace->cost += row.cost;
        arm->cpu_s += row.cpu_s;
    }
    arm->costs[i] = (struct bench_cost){n ? exp(sum / n) : 1, met == 0};
}

static bool is_same_search(const struct arm *a, const struct arm *b, unsigned i)
{
    const struct trace *x = &a->traces[i], *y = &b->traces[i];
    return x->tests == y->tests && x->valid == y->valid && x->cost == y->cost && a->costs[i].cost == b->costs[i].cost;
}

static bool is_idle(const struct arm *arm, const struct arm *preset)
{
    for (unsigned i = 0; i < arm->n; i++)
        if (!is_same_search(arm, preset, i)) return false;
    return arm->n > 0;
}

/* With presets (NULL) until the budget is spent, else what they took. */
static void search_subjects(struct sweep *s, struct arm *arm, const char *guide, const struct arm *preset)
{
    unsigned most = preset ? preset->n : s->n;
    arm->costs = calloc(s->n + 1, sizeof *arm->costs);
    arm->traces = calloc(s->n + 1, sizeof *arm->traces);
    if (!arm->costs || !arm->traces) abort();
    while (arm->n < most) {
        if (!preset && arm->cpu_s >= s->budget && arm->n >= LEAST_SUBJECTS) break;
        if (preset && arm->n == s->n_screen && is_idle(arm, preset)) break;
        search_subject(s, arm, arm->n, guide);
        arm->n++;
    }
    s->cpu_s += arm->cpu_s;
}

/* Where the rows of a suite are kept, by all that decides them. */
static void path_of_rows(const struct sweep *s, const char *suite, const char *guide, const char *options,
                         char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.3000s/ablate-%s-%s-%s-%s-%" PRIu64 "-%" PRIu64 "-%016" PRIx64 ".jsonl", s->shop.folder,
             suite, guide, options ? options : "presets", with_tests, s->b->first_seed, s->b->last_seed,
             s->shop.library);
}

/* A named suite, by its own program. */
static bool run_suite(struct sweep *s, const char *suite, const char *guide, const char *options, const char *rows)
{
    char program[PATH_MAX], part[PATH_MAX], seeds[64], *argv[16];
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    snprintf(program, sizeof program, "%s/bench/%s", build, suite);
    snprintf(part, sizeof part, "%.4000s.part", rows);
    snprintf(seeds, sizeof seeds, "%" PRIu64 "-%" PRIu64, s->b->first_seed, s->b->last_seed);
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
    if (zoo_command(argv, part) && rename(part, rows) == 0) return true;
    unlink(part);
    return false;
}

static void add_suite(struct sweep *s, const char *suite, const char *guide, const char *options,
                      struct bench_results *out)
{
    char rows[PATH_MAX];
    path_of_rows(s, suite, guide, options, rows);
    bool is_done = (continues && access(rows, R_OK) == 0) || run_suite(s, suite, guide, options, rows);
    FILE *in = is_done ? fopen(rows, "r") : NULL;
    if (in) {
        bench_results_read(out, in);
        fclose(in);
        return;
    }
    fprintf(stderr, "ablate: %s with %s did not end well and is left out\n", suite, options ? options : "presets");
    s->n_lost++;
}

static void run_suites(struct sweep *s, const char *guide, const char *options, struct bench_results *out)
{
    for (const char *at = with; *at; at += strcspn(at, ","), at += *at == ',') {
        char suite[64];
        snprintf(suite, sizeof suite, "%.*s", (int)strcspn(at, ","), at);
        for (char *c = suite; *c; c++) *c = *c == '-' ? '_' : *c; /* as the program is called */
        add_suite(s, suite, guide, options, out);
    }
}

static struct arm run_arm(struct sweep *s, const char *guide, const char *options, const struct arm *preset)
{
    struct arm arm = {0};
    s->b->guide_options = options;
    search_subjects(s, &arm, guide, preset);
    run_suites(s, guide, options, &arm.named);
    return arm;
}

static void clear_arm(struct arm *arm)
{
    free(arm->costs);
    free(arm->traces);
    bench_results_clear(&arm->named);
}

static struct preset *preset_of(struct sweep *s, const char *guide)
{
    for (unsigned i = 0; i < s->n_presets; i++)
        if (strcmp(s->presets[i].guide, guide) == 0) return &s->presets[i];
    if (s->n_presets == GUIDES_MAX) refuse("there are more than %d guides", GUIDES_MAX);
    struct preset *p = &s->presets[s->n_presets++];
    snprintf(p->guide, sizeof p->guide, "%s", guide);
    fprintf(stderr, "ablate: %s\n", guide);
    p->arm = run_arm(s, guide, NULL, NULL);
    return p;
}

/* ---- Two arms */

static double mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return n ? sum / (double)n : NAN;
}

/* Like bench_compare_pairs, with an interval that does not take logarithms of ratios for normal. */
static struct bench_pairs compare(const struct bench_cost *a, const struct bench_cost *b, size_t n)
{
    struct bench_pairs pairs = bench_compare_pairs(a, b, n);
    double *logs = calloc(n + 1, sizeof *logs);
    size_t k = 0;
    if (!logs) abort();
    for (size_t i = 0; i < n; i++)
        if (!a[i].censored || !b[i].censored) logs[k++] = log(a[i].cost / b[i].cost);
    struct bench_interval ci = bench_bootstrap(logs, k, 0.95, mean);
    pairs.ci = (struct bench_interval){exp(ci.lo), exp(ci.hi)};
    free(logs);
    return pairs;
}

/* Rows of the guide that both have; a suite may run others beside it. */
static struct bench_pairs compare_named(const struct bench_results *a, const struct bench_results *b, const char *guide)
{
    struct bench_cost *x = calloc(a->n + 1, sizeof *x), *y = calloc(a->n + 1, sizeof *y);
    size_t n = 0;
    if (!x || !y) abort();
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++) {
            const struct bench_result *p = &a->all[i], *q = &b->all[k];
            if (p->seed != q->seed || strcmp(p->row, q->row) != 0 || strcmp(p->suite, q->suite) != 0) continue;
            if (strcmp(p->guide, guide) != 0 || strcmp(q->guide, guide) != 0) continue;
            x[n] = p->cost;
            y[n++] = q->cost;
            break;
        }
    struct bench_pairs pairs = compare(x, y, n);
    free(x);
    free(y);
    return pairs;
}

/* Bold where luck alone does so once in a thousand arms. */
static void print_pairs(struct sweep *s, struct zoo_text *out, const struct bench_pairs *p)
{
    bool is_shown = p->p < 0.001;
    const char *bold = is_shown ? "**" : "";
    s->n_shown += is_shown;
    if (p->n < 2) zoo_print(out, " | %zu | - | - | -", p->n);
    else if (p->ci.lo == 1 && p->ci.hi == 1) zoo_print(out, " | %zu | same | |", p->n);
    else
        zoo_print(out, " | %zu | %s%.2f%s | %.2f .. %.2f | %.2f", p->n, bold, p->ratio, bold, p->ci.lo, p->ci.hi,
                  p->detectable);
}

static void print_arm(struct sweep *s, struct preset *preset, const struct arm *arm)
{
    const struct arm *other = &preset->arm;
    struct zoo_text *out = &preset->table;
    struct bench_pairs canaries = compare(arm->costs, other->costs, arm->n);
    struct bench_pairs named = compare_named(&arm->named, &preset->arm.named, preset->guide);
    double cpu_s = arm->n == other->n && other->cpu_s > 0 ? arm->cpu_s / other->cpu_s : NAN;
    print_pairs(s, out, &canaries);
    if (isnan(cpu_s)) zoo_print(out, " | -");
    else zoo_print(out, " | %.2f", cpu_s);
    if (*with) print_pairs(s, out, &named);
    zoo_print(out, " |\n");
}

/* ---- One knob */

static void print_value(const struct sonde_knob *knob, double value, char *out, size_t size)
{
    if (knob->words) snprintf(out, size, "%s", knob->words[(int)value]);
    else snprintf(out, size, "%.6g", value);
}

/* All other words; or less and more than the preset, as far as there is less and more. */
static unsigned values_of(const struct sonde_knob *knob, double values[WORDS_MAX])
{
    double preset = knob->preset, size = fabs(preset) > 0 ? fabs(preset) : knob->max <= 1 ? 0.25 : 2.5;
    double low = knob->min >= 0 ? knob->min : preset - 0.75 * size, high = preset + 3 * size;
    unsigned n = 0;
    if (knob->words) {
        for (unsigned i = 0; i <= knob->max && n < WORDS_MAX; i++)
            if ((double)i != preset) values[n++] = i;
        return n;
    }
    if (knob->min > 0) low = fmax(low, preset / 4);
    if (low < preset) values[n++] = low;
    if (fmin(high, knob->max) > preset) values[n++] = fmin(high, knob->max);
    return n;
}

static void sweep_knob(void *to, const char *guides, const struct sonde_knob *knob)
{
    struct sweep *s = to;
    char guide[32], value[64], options[128], preset_text[64];
    double values[WORDS_MAX];
    snprintf(guide, sizeof guide, "%.*s", (int)strcspn(guides, ","), guides);
    if (!bench_wants(s->b, knob->name) && !(s->b->only && bench_wants(s->b, guide))) return;
    struct preset *preset = preset_of(s, guide);
    unsigned n = values_of(knob, values);
    s->n_knobs++;
    print_value(knob, knob->preset, preset_text, sizeof preset_text);
    for (unsigned i = 0; i < n; i++) {
        print_value(knob, values[i], value, sizeof value);
        snprintf(options, sizeof options, "%s=%s", knob->name, value);
        fprintf(stderr, "ablate: %s %s\n", guide, options);
        struct arm arm = run_arm(s, guide, options, &preset->arm);
        s->n_arms++;
        zoo_print(&preset->table, "| %s%s%s | %s | %s", i ? "" : "`", i ? "" : knob->name, i ? "" : "`",
                  i ? "" : preset_text, value);
        print_arm(s, preset, &arm);
        clear_arm(&arm);
    }
}

/* ---- All of them */

static void print_command(struct zoo_text *page, int argc, char **argv)
{
    zoo_print(page, "# What the knobs of the guides are worth\n\n`bench/run ablate");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--folder") == 0 || strcmp(argv[i], "--write") == 0) i++;
        else if (strcmp(argv[i], "--continue") != 0) zoo_print(page, " %s", *argv[i] ? argv[i] : "''");
    }
}

static const char *what(void)
{
    return is_one_bug ? "single faults" : "canaries";
}

static void print_head(const struct sweep *s, struct zoo_text *page)
{
    const char *commit = getenv("ZOO_COMMIT");
    zoo_print(page,
              "` at commit %.10s: %s of the zoo, seeds %" PRIu64 "-%" PRIu64 ", %" PRIu64
              " tests, as many subjects as\na guide with its presets searches in %s s of processor time",
              commit ? commit : "(unknown)", what(), s->b->first_seed, s->b->last_seed, s->b->tests, budget);
    if (*with) zoo_print(page, "; %s, the same seeds, %s tests", with, with_tests);
    zoo_print(page, ". %u knobs, %u arms, %.0f s of processor time for the %s.\n\n", s->n_knobs, s->n_arms, s->cpu_s,
              what());
    zoo_print(
        page,
        "Tests with the value / tests with the preset, in the guide of the section: above 1 the preset is better. Subjects and seeds are\n"
        "the same in both arms. *95 %%* is the interval, bootstrapped over n subjects or rows (suites); one that holds 1 shows\n"
        "nothing. *Could show* is the ratio that so many show in four of five sweeps: smaller effects need more. *Same*: the value\n"
        "changed none of these searches. Where none changed in the first %u subjects, which have all kinds, the others were not searched. Values are 0, or a quarter\n"
        "of the preset where 0 is out of range, and four times the preset or the end of the range.\n\n"
        "Of the %d comparisons here, one in twenty leaves 1 out by luck. **Bold** ones (p < 0.001: %u of them) are likely to be\n"
        "more than that; a finding is run again on other subjects before anything is changed.\n",
        s->n_screen, (int)s->n_arms * (*with ? 2 : 1), s->n_shown);
}

static void print_section(const struct preset *p, struct zoo_text *page)
{
    zoo_print(page, "\n## %s\n\n%u subjects, which take %.1f s with the presets.\n\n", p->guide, p->arm.n,
              p->arm.cpu_s);
    zoo_print(
        page,
        "| knob | preset | value | n | %s | 95 %% | could show | CPU%s |\n|---|---|---|---|---|---|---|---%s|\n%s",
        what(), *with ? " | n | suites | 95 % | could show" : "", *with ? "|---|---|---|---" : "",
        zoo_text_of(&p->table));
}

struct kinds {
    const char *names[KINDS_MAX]; /* static strings of the grammar */
    unsigned n;
};

/* How many kinds of the subject are not known yet; notes them if `notes`. */
static unsigned new_kinds(struct kinds *known, uint64_t number, bool notes)
{
    struct zoo_subject *z = zoo_make(number);
    unsigned n = 0;
    for (unsigned i = 0; i < z->n_parts + z->n_required; i++) {
        const char *name = i < z->n_parts ? z->types[i] : z->required[i - z->n_parts].class;
        unsigned k = 0;
        while (k < known->n && strcmp(known->names[k], name) != 0) k++;
        n += k == known->n;
        if (notes && k == known->n && k < KINDS_MAX) known->names[known->n++] = name;
    }
    zoo_free(z);
    return n;
}

/* Those that add most kinds come first, until all are there. */
static void order_subjects(struct sweep *s)
{
    struct kinds known = {.n = 0};
    for (;; s->n_screen++) {
        unsigned best = s->n, most = 0;
        for (unsigned i = s->n_screen; i < s->n; i++) {
            unsigned n = new_kinds(&known, s->animals[i].number, false);
            if (n > most) most = n, best = i;
        }
        if (best == s->n) return;
        struct zoo_animal a = s->animals[best];
        memmove(&s->animals[s->n_screen + 1], &s->animals[s->n_screen], (best - s->n_screen) * sizeof *s->animals);
        s->animals[s->n_screen] = a;
        new_kinds(&known, a.number, true);
    }
}

static void take_subjects(struct sweep *s)
{
    char *rest;
    unsigned n = zoo_read_range(subjects, &s->animals);
    if (n == 0) refuse("--subjects: '%s' should read A-B, from 1 on, and be at most 100000", subjects);
    s->budget = strtod(budget, &rest);
    if (rest == budget || *rest || !(s->budget > 0))
        refuse("--arm: '%s' should be a number of seconds above 0", budget);
    zoo_prepare(&s->shop, s->animals, n);
    for (unsigned i = 0; i < n; i++)
        if (!s->animals[i].missing) s->animals[s->n++] = s->animals[i];
    if (s->n == 0) refuse("--subjects: none of '%s' is a subject", subjects);
    order_subjects(s);
}

static void write_page(const struct sweep *s, int argc, char **argv)
{
    struct zoo_text page = {0};
    print_command(&page, argc, argv);
    print_head(s, &page);
    for (unsigned i = 0; i < s->n_presets; i++) print_section(&s->presets[i], &page);
    int status = written ? zoo_write_file(written, page.s, page.n) : 0;
    if (status < 0) refuse("%s: %s", written, strerror(-status));
    if (!written) printf("%s", page.s);
    zoo_text_clear(&page);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {NULL};
    static struct bench b = {.suite = "ablate",
                             .columns = columns,
                             .flags = flags,
                             .guides = "auto",
                             .tests = 2000,
                             .first_seed = 1,
                             .last_seed = 2};
    static struct sweep s;
    char path[PATH_MAX + 32];
    bench_start(&b, argc, argv);
    s.b = &b;
    s.shop = (struct zoo_workshop){.form = is_one_bug ? ZOO_ONE : ZOO_CANARY, .jobs = 2, .is_simple = zoo_is_simple};
    int status = zoo_workshop_open(&s.shop, folder);
    if (status < 0) refuse("%s: %s", s.shop.folder, strerror(-status));
    take_subjects(&s);
    snprintf(path, sizeof path, "%s/ablate.jsonl", s.shop.folder);
    status = zoo_log_open(&s.log, path, continues);
    if (status < 0) refuse("%s: %s", path, strerror(-status));
    sonde_knobs_each(sweep_knob, &s);
    if ((status = zoo_log_close(&s.log)) < 0) refuse("%s: %s", path, strerror(-status));
    write_page(&s, argc, argv);
    for (unsigned i = 0; i < s.n_presets; i++) {
        clear_arm(&s.presets[i].arm);
        zoo_text_clear(&s.presets[i].table);
    }
    free(s.animals);
    fprintf(stderr, "ablate: %u knobs, %u arms%s\n", s.n_knobs, s.n_arms,
            s.n_lost ? "; some searches did not end well" : "");
    return s.n_lost ? 1 : bench_end(&b);
}
