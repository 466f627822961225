/* Statistics of searches. Costs of searches are skewed, and searches that found nothing are censored: their cost is only known
 * to be larger than what they spent. So ranks instead of means, logarithms instead of differences, intervals beside numbers.
 *
 * Arrays are borrowed and left as they are. Everything is deterministic: resampling has a fixed seed. */
#ifndef BENCH_LIB_STATS_H
#define BENCH_LIB_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* One search: its cost, and whether it reached its goal. A censored cost counts as larger than every cost that is not. */
struct bench_cost {
    double cost;
    bool censored;
};

struct bench_interval {
    double lo, hi;
};

/* ---- Two independent samples */

/* Mann and Whitney (1947): is one sample larger than the other? Exact where both have at most 20 elements and none are equal, else
 * by the normal approximation with corrections for ties and for continuity. */
struct bench_ranks {
    double u; /* pairs in which the first is larger; equal ones count half */
    double p; /* two-sided */
    double
        a12; /* Vargha and Delaney (2000): the chance that the first is larger; 0.5 is none, 0.56 0.64 0.71 are small, middle, large */
};
struct bench_ranks bench_mann_whitney(const struct bench_cost *a, size_t n_a, const struct bench_cost *b, size_t n_b);

/* ---- One sample */

/* INFINITY if half or more are censored; INFINITY in `hi` if the data do not bound it. */
double bench_censored_median(const struct bench_cost *costs, size_t n);
double bench_geometric_mean(const double *values, size_t n);
/* Of a statistic, by the percentile bootstrap (Efron 1979) with 2,000 resamples; `level` like 0.95. */
struct bench_interval bench_bootstrap(const double *values, size_t n, double level,
                                      double (*statistic)(const double *values, size_t n));

/* ---- Two versions on the same subjects */

/* Ratios of costs, one per subject and seed, paired. Pairs that are both censored say nothing and are left out; a pair of which one is
 * censored counts with the cost at which it was cut, which understates the difference. */
struct bench_pairs {
    size_t n;                 /* pairs that count */
    size_t n_censored;        /* of them, with one side censored */
    double ratio;             /* geometric mean of first / second */
    struct bench_interval ci; /* 95 %, by Student's t on the logarithms */
    double t, p;              /* of the hypothesis that the ratio is 1; p is two-sided */
    double detectable;        /* the ratio above 1 that n such pairs show in four of five experiments (p < 0.05) */
};
struct bench_pairs bench_compare_pairs(const struct bench_cost *a, const struct bench_cost *b, size_t n);

/* Spearman's rank correlation, with average ranks for ties; NAN if one side is constant. */
double bench_spearman(const double *x, const double *y, size_t n);

/* ---- Distributions */
double bench_normal_tail(double z);                      /* P(Z > z) */
double bench_student_tail(double t, double freedom);     /* P(T > t) */
double bench_student_quantile(double p, double freedom); /* t with P(T <= t) = p */

#endif
