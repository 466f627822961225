/* See tables.h. */
#include "zoo/tables.h"

#include "zoo/survey.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *room_for(unsigned n)
{
    double *room = calloc(n + 1, sizeof *room);
    if (!room) abort();
    return room;
}

static double mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return n ? sum / (double)n : NAN;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *values, size_t n, double q)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return n ? values[(size_t)(q * (double)(n - 1) + 0.5)] : NAN;
}

/* ---- Guides */

/* Which guide needs the fewest tests. */
struct wins {
    double subjects[ZOO_GUIDES_MAX], faults[ZOO_GUIDES_MAX]; /* equal ones share */
    /* By one half of the seeds, and of these by the other half, too: what luck gives, it does not give twice. */
    double halves[ZOO_GUIDES_MAX], again[ZOO_GUIDES_MAX];
};

/* Adds 1, shared among those with the least; NAN if there is none. */
static void add_win(const double *tests, unsigned n, double *wins)
{
    double least = INFINITY;
    unsigned equal = 0;
    for (unsigned g = 0; g < n; g++) least = fmin(least, tests[g]);
    for (unsigned g = 0; g < n; g++) equal += tests[g] < least + 1e-9;
    for (unsigned g = 0; g < n; g++) wins[g] += tests[g] < least + 1e-9 ? 1.0 / equal : 0;
}

static void count_wins(const struct zoo_survey *s, struct wins *wins)
{
    double tests[ZOO_GUIDES_MAX];
    for (unsigned i = 0; i < s->n_measures; i++) {
        for (unsigned g = 0; g < s->n_guides; g++) {
            const struct zoo_met *met = &s->measures[i].by[g];
            tests[g] = (met->logs[0] + met->logs[1]) / (met->n[0] + met->n[1]);
        }
        add_win(tests, s->n_guides, wins->faults);
    }
    for (unsigned i = 0; i < s->n_subjects; i++) {
        double by_half[2][ZOO_GUIDES_MAX] = {{0}};
        for (unsigned g = 0; g < s->n_guides; g++) tests[g] = zoo_log_tests(s, i, g, 2);
        add_win(tests, s->n_guides, wins->subjects);
        for (int half = 0; half < 2; half++) {
            for (unsigned g = 0; g < s->n_guides; g++) tests[g] = zoo_log_tests(s, i, g, half);
            add_win(tests, s->n_guides, by_half[half]);
        }
        if (isnan(zoo_log_tests(s, i, 0, 0)) || isnan(zoo_log_tests(s, i, 0, 1))) continue; /* there is one half */
        for (unsigned g = 0; g < s->n_guides; g++) {
            wins->halves[g] += by_half[0][g] + by_half[1][g];
            wins->again[g] += 2 * by_half[0][g] * by_half[1][g];
        }
    }
}

struct guide_sums {
    double logs, cpu_logs, cost_logs, cpu_s, tests, valid, payloads;
    unsigned met, searches, rows;
};

static struct guide_sums sum_guide(const struct zoo_survey *s, unsigned g)
{
    struct guide_sums x = {0};
    for (unsigned i = 0; i < s->n_measures; i++) {
        const struct zoo_met *met = &s->measures[i].by[g];
        x.met += met->met;
        x.searches += met->n[0] + met->n[1];
    }
    for (unsigned i = 0; i < s->n_subjects; i++) {
        const struct zoo_spent *spent = &s->subjects[i].by[g];
        x.logs += zoo_log_tests(s, i, g, 2);
        x.cpu_logs += spent->cpu_logs;
        x.cost_logs += spent->cost_logs;
        x.cpu_s += spent->cpu_s;
        x.tests += (double)spent->tests;
        x.valid += (double)spent->valid;
        x.payloads += (double)spent->payloads;
        x.rows += spent->rows;
    }
    return x;
}

/* Over faults; of a fault, the mean over seeds. */
static double median_tests(const struct zoo_survey *s, unsigned g)
{
    struct bench_cost *costs = calloc(s->n_measures + 1, sizeof *costs);
    if (!costs) abort();
    for (unsigned i = 0; i < s->n_measures; i++) {
        const struct zoo_met *met = &s->measures[i].by[g];
        costs[i].cost = exp((met->logs[0] + met->logs[1]) / (met->n[0] + met->n[1]));
        costs[i].censored = 2 * met->met < met->n[0] + met->n[1];
    }
    double median = bench_censored_median(costs, s->n_measures);
    free(costs);
    return median;
}

static void print_guides(const struct zoo_survey *s)
{
    struct wins wins = {{0}, {0}, {0}, {0}};
    count_wins(s, &wins);
    printf("%-14s %8s %10s %10s %11s %9s %8s %7s %10s %12s %7s %7s\n", "guide", "met", "tests", "median", "cost",
           "CPU ms", "CPU s", "valid", "different", "best on", "again", "faults");
    for (unsigned g = 0; g < s->n_guides; g++) {
        struct guide_sums x = sum_guide(s, g);
        char median[32], again[32] = "-";
        double m = median_tests(s, g);
        snprintf(median, sizeof median, isinf(m) ? "never" : "%.0f", m);
        if (wins.halves[g] > 0) snprintf(again, sizeof again, "%.0f %%", 100 * wins.again[g] / wins.halves[g]);
        printf("%-14s %6.1f %% %10.0f %10s %11.0f %9.2f %8.1f %5.0f %% %8.0f %% %5.1f (%2.0f %%) %7s %5.0f %%\n",
               s->guides[g], 100.0 * x.met / x.searches, exp(x.logs / s->n_subjects), median, exp(x.cost_logs / x.rows),
               1e3 * exp(x.cpu_logs / x.rows), x.cpu_s, 100 * x.valid / x.tests,
               x.valid > 0 ? 100 * x.payloads / x.valid : 0, wins.subjects[g], 100 * wins.subjects[g] / s->n_subjects,
               again, 100 * wins.faults[g] / s->n_measures);
    }
    printf(
        "tests, cost, CPU ms: geometric means; different: inputs, of the valid ones; best on: subjects, by the mean of "
        "all seeds;\nagain: of the subjects that it is best on by one half of the seeds, by the other half as well; "
        "faults: best on, of all faults\n\n");
}

/* ---- Against one guide */

static void print_pairs(const struct zoo_survey *s, int against)
{
    struct bench_cost *a = calloc(s->n_subjects + 1, sizeof *a), *b = calloc(s->n_subjects + 1, sizeof *b);
    if (!a || !b) abort();
    printf("%-14s %6s %8s %18s %9s %6s %12s\n", "against", "n", "tests", "95 %", "p", "A12", "could show");
    for (unsigned g = 0; g < s->n_guides; g++) {
        if ((int)g == against) continue;
        for (unsigned i = 0; i < s->n_subjects; i++) {
            a[i] = (struct bench_cost){exp(zoo_log_tests(s, i, (unsigned)against, 2)),
                                       zoo_met_none(s, i, (unsigned)against)};
            b[i] = (struct bench_cost){exp(zoo_log_tests(s, i, g, 2)), zoo_met_none(s, i, g)};
        }
        struct bench_pairs pairs = bench_compare_pairs(a, b, s->n_subjects);
        struct bench_ranks ranks = bench_mann_whitney(a, s->n_subjects, b, s->n_subjects);
        printf("%-14s %6zu %8.2f %8.2f .. %6.2f %9.2g %6.2f %12.2f\n", s->guides[g], pairs.n, pairs.ratio, pairs.ci.lo,
               pairs.ci.hi, pairs.p, ranks.a12, pairs.detectable);
    }
    printf(
        "tests of %s / tests of the other, paired by subject; could show: the ratio that so many subjects show in four of five\n\n",
        s->guides[against]);
    free(a);
    free(b);
}

/* ---- Regret */

static void print_regret(const struct zoo_survey *s, int guide)
{
    double *logs = room_for(2 * s->n_subjects);
    unsigned n = zoo_regrets(s, guide, NULL, logs);
    if (n == 0) printf("regret of %s: needs odd and even seeds\n\n", s->guides[guide]);
    else {
        struct bench_interval ci = bench_bootstrap(logs, n, 0.95, mean);
        double centre = exp(mean(logs, n));
        printf(
            "regret of %s: %.2f times the tests of the best other guide (95 %% %.2f .. %.2f), median %.2f; n = %u.\n",
            s->guides[guide], centre, exp(ci.lo), exp(ci.hi), exp(quantile(logs, n, 0.5)), n);
        printf("The best guide of each subject is chosen by one half of the seeds and judged by the other half.\n\n");
    }
    free(logs);
}

/* ---- By kind */

struct tags {
    char names[128][ZOO_TAG];
    unsigned n;
};

static void note_tag(struct tags *tags, const char *name)
{
    unsigned i = 0;
    while (i < tags->n && strcmp(tags->names[i], name) != 0) i++;
    if (i == tags->n && tags->n < 128) snprintf(tags->names[tags->n++], ZOO_TAG, "%s", name);
}

static int compare_tags(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void collect_tags(const struct zoo_survey *s, struct tags *tags)
{
    for (unsigned i = 0; i < s->n_measures; i++) {
        const struct zoo_surveyed *z = &s->subjects[s->measures[i].subject];
        for (unsigned k = 0; k < 3; k++) note_tag(tags, s->measures[i].tags[k]);
        for (unsigned k = 0; k < z->n_tags; k++) note_tag(tags, z->tags[k]);
    }
    qsort(tags->names, tags->n, ZOO_TAG, compare_tags);
}

static void print_group(const struct zoo_survey *s, const char *tag, int guide, double *logs)
{
    double sums[ZOO_GUIDES_MAX] = {0};
    unsigned n = 0, searches[ZOO_GUIDES_MAX] = {0};
    for (unsigned i = 0; i < s->n_measures; i++) {
        if (!zoo_has_tag(s, i, tag)) continue;
        n++;
        for (unsigned g = 0; g < s->n_guides; g++) {
            const struct zoo_met *met = &s->measures[i].by[g];
            sums[g] += met->logs[0] + met->logs[1];
            searches[g] += met->n[0] + met->n[1];
        }
    }
    printf("%-26s %5u", tag, n);
    for (unsigned g = 0; g < s->n_guides; g++) printf(" %10.0f", exp(sums[g] / searches[g]));
    unsigned regrets = zoo_regrets(s, guide, tag, logs);
    if (regrets) printf(" %8.2f", exp(mean(logs, regrets)));
    printf("\n");
}

static void print_kinds(const struct zoo_survey *s, int guide)
{
    static struct tags tags;
    double *logs = room_for(2 * s->n_subjects);
    tags.n = 0;
    collect_tags(s, &tags);
    printf("%-26s %5s", "kind", "n");
    for (unsigned g = 0; g < s->n_guides; g++) printf(" %10s", s->guides[g]);
    printf(guide >= 0 ? " %8s\n" : "\n", "regret");
    for (unsigned i = 0; i < tags.n; i++) print_group(s, tags.names[i], guide, logs);
    printf(
        "geometric means of tests to a fault; n: faults; a search that did not meet it counts with all of its tests\n\n");
    free(logs);
}

/* ---- Is the zoo right? */

/* Of one subject: faults that `uniform` met, and how many p says, known to the statistic below by the subject's index. */
static struct {
    double *met, *expected;
} agreement;

static double ratio_of(const double *subjects, size_t n)
{
    double met = 0, expected = 0;
    for (size_t i = 0; i < n; i++) {
        met += agreement.met[(size_t)subjects[i]];
        expected += agreement.expected[(size_t)subjects[i]];
    }
    return expected > 0 ? met / expected : NAN;
}

/* Under independent draws the tests to a fault are geometric, so hits / (p x tests while it was not met) is 1 in the mean. Subjects are
 * resampled, because p was counted too, in a sample: what it is off by is the same in all searches of a subject. */
static void print_agreement_of(const struct zoo_survey *s, unsigned uniform, bool is_counted)
{
    double *indices = room_for(s->n_subjects), met = 0, expected = 0;
    agreement.met = room_for(s->n_subjects);
    agreement.expected = room_for(s->n_subjects);
    for (unsigned i = 0; i < s->n_measures; i++) {
        const struct zoo_measure *m = &s->measures[i];
        if (m->is_counted != is_counted) continue;
        agreement.met[m->subject] += m->by[uniform].met;
        agreement.expected[m->subject] += m->p * m->by[uniform].exposure;
    }
    for (unsigned i = 0; i < s->n_subjects; i++) {
        indices[i] = i;
        met += agreement.met[i];
        expected += agreement.expected[i];
    }
    if (expected > 0) {
        struct bench_interval ci = bench_bootstrap(indices, s->n_subjects, 0.95, ratio_of);
        printf("uniform met %.0f faults where p says %.1f (%.2f, 95 %% %.2f .. %.2f): p %s\n", met, expected,
               met / expected, ci.lo, ci.hi, is_counted ? "was counted" : "is an estimate");
    }
    free(indices);
    free(agreement.met);
    free(agreement.expected);
}

static void print_agreement(const struct zoo_survey *s)
{
    int uniform = zoo_guide_index(s, "uniform");
    if (uniform < 0) return;
    print_agreement_of(s, (unsigned)uniform, true);
    print_agreement_of(s, (unsigned)uniform, false);
}

/* Subjects are dealt into halves; do both rank the guides alike? */
static void print_halves(const struct zoo_survey *s)
{
    enum { DEALS = 300 };
    double found[DEALS];
    struct zoo_rng rng = {1};
    unsigned n = 0, same = 0;
    for (unsigned d = 0; d < DEALS && s->n_guides > 2 && s->n_subjects > 3; d++) {
        double sums[2][ZOO_GUIDES_MAX] = {{0}};
        unsigned counts[2] = {0}, best[2] = {0};
        for (unsigned i = 0, left = s->n_subjects, wanted = s->n_subjects / 2; i < s->n_subjects; i++, left--) {
            int half = zoo_below(&rng, (int)left) < (int)wanted;
            wanted -= (unsigned)half;
            counts[half]++;
            for (unsigned g = 0; g < s->n_guides; g++) sums[half][g] += zoo_log_tests(s, i, g, 2);
        }
        for (unsigned g = 1; g < s->n_guides; g++)
            for (int half = 0; half < 2; half++)
                if (sums[half][g] < sums[half][best[half]]) best[half] = g;
        found[n++] = bench_spearman(sums[0], sums[1], s->n_guides);
        same += best[0] == best[1];
    }
    if (n == 0) return;
    printf(
        "disjoint halves of the subjects rank the guides alike: Spearman %.2f in the median, %.2f in 19 of 20; the same winner in %.0f %%\n",
        quantile(found, n, 0.5), quantile(found, n, 0.05), 100.0 * same / n);
}

/* ---- All of them */

int zoo_print_tables(const char *path)
{
    struct zoo_survey s;
    int status = zoo_survey_read(&s, path);
    if (status < 0) {
        fprintf(stderr, "zoo: %s: %s\n", path, strerror(-status));
        return 2;
    }
    if (s.n_subjects == 0) {
        fprintf(stderr, "zoo: %s: there are no rows to make tables of\n", path);
        zoo_survey_clear(&s);
        return 2;
    }
    int reference = zoo_guide_index(&s, "auto");
    printf("%u subjects (%s), %u faults, %" PRIu64 " tests at most", s.n_subjects, s.form, s.n_measures, s.limit);
    if (s.n_left_out) printf("; %u rows or subjects of another kind, or not complete, are left out", s.n_left_out);
    printf("\n\n");
    print_guides(&s);
    if (reference >= 0 && s.n_guides > 1) print_pairs(&s, reference);
    if (reference >= 0 && s.n_guides > 1) print_regret(&s, reference);
    print_kinds(&s, s.n_guides > 1 ? reference : -1);
    print_agreement(&s);
    print_halves(&s);
    zoo_survey_clear(&s);
    return 0;
}

/* ---- Two records */

static int subject_at(const struct zoo_survey *s, uint64_t number)
{
    for (unsigned i = 0; i < s->n_subjects; i++)
        if (s->subjects[i].number == number) return (int)i;
    return -1;
}

static void compare_guide(const struct zoo_survey *old, const struct zoo_survey *new, unsigned g, unsigned h)
{
    struct bench_cost *a = calloc(new->n_subjects + 1, sizeof *a), *b = calloc(new->n_subjects + 1, sizeof *b);
    unsigned n = 0;
    double cpu[2] = {0};
    if (!a || !b) abort();
    for (unsigned i = 0; i < new->n_subjects; i++) {
        int k = subject_at(old, new->subjects[i].number);
        if (k < 0) continue;
        a[n] = (struct bench_cost){exp(zoo_log_tests(new, i, h, 2)), zoo_met_none(new, i, h)};
        b[n] = (struct bench_cost){exp(zoo_log_tests(old, (unsigned)k, g, 2)), zoo_met_none(old, (unsigned)k, g)};
        cpu[1] += new->subjects[i].by[h].cpu_s;
        cpu[0] += old->subjects[k].by[g].cpu_s;
        n++;
    }
    struct bench_pairs p = bench_compare_pairs(a, b, n);
    struct bench_ranks r = bench_mann_whitney(a, n, b, n);
    printf("%-14s %6zu %8.3f %8.3f .. %6.3f %9.2g %6.2f %12.3f %8.2f\n", new->guides[h], p.n, p.ratio, p.ci.lo, p.ci.hi,
           p.p, r.a12, p.detectable, cpu[0] > 0 ? cpu[1] / cpu[0] : NAN);
    free(a);
    free(b);
}

int zoo_print_comparison(const char *paths)
{
    char first[4096];
    const char *comma = strchr(paths, ',');
    struct zoo_survey old, new;
    if (!comma) {
        fprintf(stderr, "zoo: --compare: '%s' should read OLD,NEW\n", paths);
        return 2;
    }
    snprintf(first, sizeof first, "%.*s", (int)(comma - paths), paths);
    int status = zoo_survey_read(&old, first), other = status < 0 ? 0 : zoo_survey_read(&new, comma + 1);
    if (status < 0 || other < 0) {
        fprintf(stderr, "zoo: %s: %s\n", status < 0 ? first : comma + 1, strerror(-(status < 0 ? status : other)));
        return 2;
    }
    if (strcmp(old.form, new.form) != 0 || old.limit != new.limit) {
        fprintf(stderr, "zoo: --compare: one record has %s and %" PRIu64 " tests, the other %s and %" PRIu64 "\n",
                old.form, old.limit, new.form, new.limit);
        return 2;
    }
    printf("%-14s %6s %8s %18s %9s %6s %12s %8s\n", "new / old", "n", "tests", "95 %", "p", "A12", "could show", "CPU");
    for (unsigned h = 0; h < new.n_guides; h++) {
        int g = zoo_guide_index(&old, new.guides[h]);
        if (g >= 0) compare_guide(&old, &new, (unsigned)g, h);
    }
    zoo_survey_clear(&old);
    zoo_survey_clear(&new);
    return 0;
}
