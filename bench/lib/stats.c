/* See stats.h. */
#include "lib/stats.h"

#include <math.h>
#include <sonde/extend.h>
#include <stdlib.h>
#include <string.h>

/* ---- Distributions */

double bench_normal_tail(double z)
{
    return 0.5 * erfc(z / sqrt(2));
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300, close = 1e-15;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m <= 1000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int k = 0; k < 2; k++) {
            double factor = k ? odd : even;
            d = 1 + factor * d;
            c = 1 + factor / c;
            if (fabs(d) < tiny) d = tiny;
            if (fabs(c) < tiny) c = tiny;
            d = 1 / d;
            h *= d * c;
        }
        if (fabs(d * c - 1) < close) break;
    }
    return h;
}

/* The regularised incomplete beta function. */
static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double bench_student_tail(double t, double freedom)
{
    double two_sided = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
    return t > 0 ? two_sided / 2 : 1 - two_sided / 2;
}

double bench_student_quantile(double p, double freedom)
{
    double lo = -1e3, hi = 1e3;
    for (int i = 0; i < 200; i++) {
        double middle = (lo + hi) / 2;
        if (bench_student_tail(middle, freedom) > 1 - p) lo = middle;
        else hi = middle;
    }
    return (lo + hi) / 2;
}

/* ---- Ranks */

static int compare_costs(const struct bench_cost *a, const struct bench_cost *b)
{
    if (a->censored != b->censored) return a->censored ? 1 : -1;
    if (a->censored) return 0; /* all that is known of both is that they are large */
    return (a->cost > b->cost) - (a->cost < b->cost);
}

/* How many ways there are to draw m of m + n ranks with each value of U: the number of pairs won. counts has m * n + 1 entries. */
static void count_ways(double *counts, size_t m, size_t n)
{
    size_t most = m * n;
    double *ways = calloc((m + 1) * (most + 1), sizeof *ways);
    ways[0] = 1;
    for (size_t rank = 0; rank < m + n; rank++)
        for (size_t k = m < rank + 1 ? m : rank + 1; k > 0; k--) {
            size_t won = rank - (k - 1); /* of the other sample, that this one is larger than */
            if (won > n) continue;
            for (size_t u = won; u <= most; u++) ways[k * (most + 1) + u] += ways[(k - 1) * (most + 1) + u - won];
        }
    memcpy(counts, ways + m * (most + 1), (most + 1) * sizeof *counts);
    free(ways);
}

static double exact_p(double u, size_t m, size_t n)
{
    size_t most = m * n, least = (size_t)(u < (double)most - u ? u : (double)most - u);
    double *counts = calloc(most + 1, sizeof *counts), all = 0, tail = 0;
    count_ways(counts, m, n);
    for (size_t i = 0; i <= most; i++) all += counts[i];
    for (size_t i = 0; i <= least; i++) tail += counts[i];
    free(counts);
    double p = 2 * tail / all;
    return p < 1 ? p : 1;
}

static int compare_for_sort(const void *a, const void *b)
{
    return compare_costs(a, b);
}

/* The sum of t^3 - t over groups of t equal ones. */
static double sum_of_ties(const struct bench_cost *a, size_t n_a, const struct bench_cost *b, size_t n_b)
{
    size_t n = n_a + n_b;
    struct bench_cost *all = calloc(n ? n : 1, sizeof *all);
    if (n_a) memcpy(all, a, n_a * sizeof *all);
    if (n_b) memcpy(all + n_a, b, n_b * sizeof *all);
    qsort(all, n, sizeof *all, compare_for_sort);
    double sum = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && compare_costs(&all[i], &all[end]) == 0; end++) continue;
        double t = (double)(end - i);
        sum += t * t * t - t;
    }
    free(all);
    return sum;
}

static double approximate_p(double u, double m, double n, double ties)
{
    double all = m + n, variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)));
    double away = fabs(u - m * n / 2) - 0.5;
    if (variance <= 0 || away <= 0) return 1;
    return 2 * bench_normal_tail(away / sqrt(variance));
}

struct bench_ranks bench_mann_whitney(const struct bench_cost *a, size_t n_a, const struct bench_cost *b, size_t n_b)
{
    enum { EXACT = 20 };
    struct bench_ranks r = {.p = NAN, .a12 = NAN};
    if (n_a == 0 || n_b == 0) return r;
    for (size_t i = 0; i < n_a; i++)
        for (size_t k = 0; k < n_b; k++) r.u += 0.5 * (1 + compare_costs(&a[i], &b[k]));
    double ties = sum_of_ties(a, n_a, b, n_b);
    r.a12 = r.u / ((double)n_a * (double)n_b);
    r.p = ties == 0 && n_a <= EXACT && n_b <= EXACT ? exact_p(r.u, n_a, n_b)
                                                    : approximate_p(r.u, (double)n_a, (double)n_b, ties);
    return r;
}

/* ---- One sample */

double bench_censored_median(const struct bench_cost *costs, size_t n)
{
    if (n == 0) return NAN;
    struct bench_cost *sorted = calloc(n, sizeof *sorted);
    memcpy(sorted, costs, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_for_sort);
    const struct bench_cost *low = &sorted[(n - 1) / 2], *high = &sorted[n / 2];
    double median = low->censored || high->censored ? INFINITY : (low->cost + high->cost) / 2;
    free(sorted);
    return median;
}

double bench_geometric_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += log(values[i]);
    return exp(sum / (double)n);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct bench_interval bench_bootstrap(const double *values, size_t n, double level,
                                      double (*statistic)(const double *values, size_t n))
{
    enum { RESAMPLES = 2000 };
    double found[RESAMPLES], *sample = calloc(n ? n : 1, sizeof *sample);
    struct sonde_rng rng;
    sonde_rng_seed(&rng, 1, 1);
    if (n == 0) return free(sample), (struct bench_interval){NAN, NAN};
    for (int r = 0; r < RESAMPLES; r++) {
        for (size_t i = 0; i < n; i++) sample[i] = values[sonde_rng_upto(&rng, n - 1)];
        found[r] = statistic(sample, n);
    }
    free(sample);
    qsort(found, RESAMPLES, sizeof *found, compare_doubles);
    double outside = (1 - level) / 2 * (RESAMPLES - 1);
    return (struct bench_interval){found[(size_t)outside], found[RESAMPLES - 1 - (size_t)outside]};
}

/* ---- Pairs */

struct bench_pairs bench_compare_pairs(const struct bench_cost *a, const struct bench_cost *b, size_t n)
{
    struct bench_pairs r = {.ratio = NAN, .ci = {NAN, NAN}, .t = NAN, .p = NAN, .detectable = NAN};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        if (a[i].censored && b[i].censored) continue;
        double x = log(a[i].cost / b[i].cost);
        r.n++;
        r.n_censored += a[i].censored || b[i].censored;
        sum += x;
        squares += x * x;
    }
    if (r.n == 0) return r;
    double count = (double)r.n, mean = sum / count;
    r.ratio = exp(mean);
    if (r.n < 2) return r;
    double variance = (squares - sum * mean) / (count - 1), error = sqrt((variance > 0 ? variance : 0) / count);
    double wide = bench_student_quantile(0.975, count - 1) * error;
    r.ci = (struct bench_interval){exp(mean - wide), exp(mean + wide)};
    r.detectable = exp((bench_student_quantile(0.975, count - 1) + bench_student_quantile(0.8, count - 1)) * error);
    r.t = error > 0 ? mean / error : mean == 0 ? 0 : INFINITY;
    r.p = error > 0 ? 2 * bench_student_tail(fabs(r.t), count - 1) : mean == 0;
    return r;
}

/* ---- Correlation */

struct ranked {
    double value, rank;
    size_t at;
};

static int compare_ranked(const void *a, const void *b)
{
    return compare_doubles(&((const struct ranked *)a)->value, &((const struct ranked *)b)->value);
}

static void rank(const double *values, size_t n, double *ranks)
{
    struct ranked *all = calloc(n ? n : 1, sizeof *all);
    for (size_t i = 0; i < n; i++) all[i] = (struct ranked){.value = values[i], .at = i};
    qsort(all, n, sizeof *all, compare_ranked);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && all[end].value == all[i].value; end++) continue;
        for (size_t k = i; k < end; k++) ranks[all[k].at] = (double)(i + end + 1) / 2;
    }
    free(all);
}

double bench_spearman(const double *x, const double *y, size_t n)
{
    double *rx = calloc(n ? n : 1, sizeof *rx), *ry = calloc(n ? n : 1, sizeof *ry);
    double mean = ((double)n + 1) / 2, xx = 0, yy = 0, xy = 0;
    rank(x, n, rx);
    rank(y, n, ry);
    for (size_t i = 0; i < n; i++) {
        xx += (rx[i] - mean) * (rx[i] - mean);
        yy += (ry[i] - mean) * (ry[i] - mean);
        xy += (rx[i] - mean) * (ry[i] - mean);
    }
    free(rx);
    free(ry);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}
