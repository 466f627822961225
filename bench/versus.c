/* How much does it cost not to know the best guide? Reads the JSON lines of suites that were run with several guides and auto
 * (bench/run SUITE --guide uniform,rl,cgpt,target,auto --json), from files or standard input.
 *
 * For each row: the best single guide, chosen on the odd seeds, and how many times its tests auto needs, on the even seeds: the medians,
 * where a search that found nothing counts with all it made; whether that could be chance (Mann and Whitney's p) and how large it is
 * (Vargha and Delaney's A12: how often auto needs more). For each suite the geometric mean, with its interval over rows, and the
 * ratio that so many rows show in four of five experiments. */
#include "lib/results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COSTS_MAX = 1000, ROWS_MAX = 1000, GUIDES_MAX = 32 };

struct sample {
    struct bench_cost costs[COSTS_MAX];
    size_t n;
};

static struct sample sample_of(const struct bench_results *all, const struct bench_result *like, const char *guide,
                               unsigned half)
{
    struct sample s = {.n = 0};
    for (size_t i = 0; i < all->n && s.n < COSTS_MAX; i++) {
        const struct bench_result *r = &all->all[i];
        bool is_its = r->seed % 2 == half && strcmp(r->guide, guide) == 0 && strcmp(r->row, like->row) == 0;
        if (is_its && strcmp(r->suite, like->suite) == 0) s.costs[s.n++] = r->cost;
    }
    return s;
}

static int compare_costs(const void *a, const void *b)
{
    double x = ((const struct bench_cost *)a)->cost, y = ((const struct bench_cost *)b)->cost;
    return (x > y) - (x < y);
}

/* The median of what was spent. */
static struct bench_cost median_of(struct sample *s)
{
    bool finds = !isinf(bench_censored_median(s->costs, s->n));
    qsort(s->costs, s->n, sizeof *s->costs, compare_costs);
    return (struct bench_cost){(s->costs[(s->n - 1) / 2].cost + s->costs[s->n / 2].cost) / 2, !finds};
}

static const char *best_of(const struct bench_results *all, const struct bench_result *row, const char *const *guides,
                           size_t n)
{
    const char *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        struct sample odd = sample_of(all, row, guides[i], 1), even = sample_of(all, row, guides[i], 0);
        if (strcmp(guides[i], "auto") == 0 || odd.n == 0 || even.n == 0) continue;
        double cost = median_of(&odd).cost;
        if (cost < least) least = cost, best = guides[i];
    }
    return best;
}

struct suite {
    struct bench_cost ours[ROWS_MAX], theirs[ROWS_MAX];
    size_t n;
    double worst;
    const char *worst_row;
};

static void print_suite(const char *name, const struct suite *s)
{
    char rows[64];
    if (s->n == 0) return;
    if (s->n == 1) { /* one row has no spread */
        putchar('\n');
        return;
    }
    struct bench_pairs p = bench_compare_pairs(s->ours, s->theirs, s->n);
    snprintf(rows, sizeof rows, "geometric mean of %zu", p.n);
    printf("%-14s %-26s %-12s %12s %12s %7.2f  95 %% %.2f .. %.2f, p %.2g, could show %.2f; worst %.2f (%s)\n\n", name,
           rows, "", "", "", p.ratio, p.ci.lo, p.ci.hi, p.p, p.detectable, s->worst, s->worst_row);
}

static void print_row(const struct bench_results *all, const struct bench_result *row, const char *best,
                      struct suite *suite)
{
    struct sample ours = sample_of(all, row, "auto", 0), theirs = sample_of(all, row, best, 0);
    if (ours.n == 0 || suite->n == ROWS_MAX) return;
    struct bench_ranks ranks = bench_mann_whitney(ours.costs, ours.n, theirs.costs, theirs.n);
    struct bench_cost a = median_of(&ours), b = median_of(&theirs);
    double times = a.cost / b.cost;
    printf("%-14s %-26s %-12s %12.6g %12.6g %7.2f  n %zu, p %.2g, A12 %.2f\n", row->suite, row->row, best, b.cost,
           a.cost, times, ours.n, ranks.p, ranks.a12);
    suite->ours[suite->n] = a;
    suite->theirs[suite->n++] = b;
    if (times > suite->worst) suite->worst = times, suite->worst_row = row->row;
}

static bool is_first_of_row(const struct bench_results *all, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(all->all[k].row, all->all[i].row) == 0 && strcmp(all->all[k].suite, all->all[i].suite) == 0)
            return false;
    return true;
}

static void print_all(const struct bench_results *all)
{
    static struct suite suite;
    const char *guides[GUIDES_MAX], *last = "";
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++) {
        size_t k = 0;
        while (k < n && strcmp(guides[k], all->all[i].guide) != 0) k++;
        if (k == n && n < GUIDES_MAX) guides[n++] = all->all[i].guide;
    }
    printf("%-14s %-26s %-12s %12s %12s %7s\n", "suite", "row", "best guide", "its tests", "of auto", "times");
    for (size_t i = 0; i < all->n; i++) {
        const struct bench_result *row = &all->all[i];
        if (!is_first_of_row(all, i)) continue;
        if (strcmp(row->suite, last) != 0) {
            print_suite(last, &suite);
            suite.n = 0;
            suite.worst = 0;
            last = row->suite;
        }
        const char *best = best_of(all, row, guides, n);
        if (best) print_row(all, row, best, &suite);
    }
    print_suite(last, &suite);
}

int main(int argc, char **argv)
{
    struct bench_results all = {0};
    if (argc < 2) bench_results_read(&all, stdin);
    for (int i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "r");
        if (!in) {
            fprintf(stderr, "versus: %s: %s\n", argv[i], strerror(errno));
            return 2;
        }
        bench_results_read(&all, in);
        fclose(in);
    }
    if (!all.n) {
        fprintf(
            stderr,
            "versus: no row was read; a row is a line of JSON with suite, row, guide, seed, found, tests and tests_to_failure\n");
        return 2;
    }
    print_all(&all);
    bench_results_clear(&all);
    return 0;
}
