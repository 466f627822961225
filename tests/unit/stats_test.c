/* The statistics of benches, on values that textbooks and other programs have. */
#include "lib/mocka.h"

#include "lib/stats.h"

#include <math.h>

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.10g is not %.10g within %g", got, want, tolerance);
}

#define COSTS(name, ...)                                                                                               \
    static const double name##_values[] = {__VA_ARGS__};                                                               \
    struct bench_cost name[sizeof name##_values / sizeof *name##_values];                                              \
    const size_t n_##name = sizeof name / sizeof *name;                                                                \
    for (size_t i = 0; i < n_##name; i++) name[i] = (struct bench_cost)                                                \
        {                                                                                                              \
            name##_values[i], false                                                                                    \
        }

static void tails_are_those_of_the_tables(void **state)
{
    (void)state;
    near(bench_normal_tail(0), 0.5, 1e-12);
    near(bench_normal_tail(1.959963985), 0.025, 1e-9);
    near(bench_student_tail(2.228138852, 10), 0.025, 1e-9);
    near(bench_student_tail(12.70620474, 1), 0.025, 1e-9);
    near(bench_student_tail(-1.0, 5), 1 - 0.1816087338, 1e-9);
    near(bench_student_quantile(0.975, 10), 2.228138852, 1e-8);
    near(bench_student_quantile(0.95, 30), 1.697260887, 1e-8);
}

/* Of C(7, 3) = 35 ways to deal out the ranks, one on each side is as extreme. */
static void small_samples_are_judged_exactly(void **state)
{
    (void)state;
    COSTS(a, 1, 2, 3);
    COSTS(b, 4, 5, 6, 7);
    struct bench_ranks r = bench_mann_whitney(a, n_a, b, n_b);
    near(r.u, 0, 0);
    near(r.a12, 0, 0);
    near(r.p, 2.0 / 35, 1e-12);
    r = bench_mann_whitney(b, n_b, a, n_a);
    near(r.u, 12, 0);
    near(r.p, 2.0 / 35, 1e-12);
}

/* Hollander and Wolfe, Nonparametric Statistical Methods, example 4.1: permeability of membranes, R's wilcox.test: W = 35, two-sided p = 0.2544. */
static void a_textbook_example_comes_out(void **state)
{
    (void)state;
    COSTS(x, 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46);
    COSTS(y, 1.15, 0.88, 0.90, 0.74, 1.21);
    struct bench_ranks r = bench_mann_whitney(x, n_x, y, n_y);
    near(r.u, 35, 0);
    near(r.p, 0.2544, 5e-5);
    near(r.a12, 0.7, 1e-12);
}

/* By hand: U = 6; three 2s and three 3s make the variance 25/12 * (11 - 48/90) = 21.806; z = (6.5 - 0.5) / 4.6696. */
static void ties_are_corrected_for(void **state)
{
    (void)state;
    COSTS(a, 1, 2, 2, 3, 4);
    COSTS(b, 2, 3, 3, 5, 6);
    struct bench_ranks r = bench_mann_whitney(a, n_a, b, n_b);
    near(r.u, 6, 0);
    near(r.p, 0.19883, 5e-6);
}

static void samples_that_are_alike_are_not_told_apart(void **state)
{
    (void)state;
    COSTS(a, 5, 5, 5);
    struct bench_ranks r = bench_mann_whitney(a, n_a, a, n_a);
    near(r.a12, 0.5, 0);
    near(r.p, 1, 0);
    assert_true(isnan(bench_mann_whitney(a, 0, a, n_a).p));
}

static void what_found_nothing_is_larger_than_all_that_did(void **state)
{
    (void)state;
    struct bench_cost a[] = {{10, true}, {20, true}, {100, false}}, b[] = {{1000, false}};
    near(bench_mann_whitney(a, 3, b, 1).u, 2, 0);
    near(bench_mann_whitney(a, 2, a, 2).a12, 0.5, 0); /* two censored ones are equal, whatever they spent */
    assert_true(isinf(bench_censored_median(a, 3)));
    struct bench_cost c[] = {{10, true}, {2, false}, {4, false}};
    near(bench_censored_median(c, 3), 4, 0);
    struct bench_cost d[] = {{2, false}, {4, false}, {6, false}, {9, true}};
    near(bench_censored_median(d, 4), 5, 0);
    assert_true(isnan(bench_censored_median(d, 0)));
}

static double mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

/* For a mean the percentile bootstrap comes near mean +- 1.96 s / sqrt(n), with the population's s. */
static void resampling_gives_the_known_interval_of_a_mean(void **state)
{
    (void)state;
    double values[400];
    for (int i = 0; i < 400; i++) values[i] = i % 2 ? 1 : 0; /* s is 0.5 */
    struct bench_interval ci = bench_bootstrap(values, 400, 0.95, mean);
    near(ci.lo, 0.5 - 1.96 * 0.025, 0.006);
    near(ci.hi, 0.5 + 1.96 * 0.025, 0.006);
    near(bench_geometric_mean((double[]){1, 10, 100}, 3), 10, 1e-9);
}

/* Student's sleep data (1908) as ratios: t = -4.0621 with 9 degrees of freedom, p = 0.002833; here exp() makes logarithms of them. */
static void pairs_are_compared_by_their_ratios(void **state)
{
    (void)state;
    static const double one[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double two[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    struct bench_cost a[11], b[11];
    for (int i = 0; i < 10; i++) {
        a[i] = (struct bench_cost){exp(one[i]), false};
        b[i] = (struct bench_cost){exp(two[i]), false};
    }
    a[10] = b[10] = (struct bench_cost){7, true}; /* says nothing */
    struct bench_pairs r = bench_compare_pairs(a, b, 11);
    assert_int_equal(r.n, 10);
    near(log(r.ratio), -1.58, 1e-9);
    near(r.t, -4.0621, 5e-5);
    near(r.p, 0.002833, 5e-7);
    near(log(r.ci.lo), -2.4598858, 1e-6);
    near(log(r.ci.hi), -0.7001142, 1e-6);
    assert_true(r.detectable > 1 && log(r.detectable) < 1.58);
}

/* Wikipedia's example, IQ and hours of television: rho = -29/165. */
static void ranks_correlate(void **state)
{
    (void)state;
    static const double iq[] = {106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
                        tv[] = {7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
    near(bench_spearman(iq, tv, 10), -29.0 / 165, 1e-12);
    near(bench_spearman(iq, iq, 10), 1, 1e-12);
    near(bench_spearman((double[]){1, 2, 2, 3}, (double[]){1, 3, 2, 4}, 4), 0.9486832981, 1e-9);
    assert_true(isnan(bench_spearman((double[]){1, 1}, iq, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_are_those_of_the_tables),
        cmocka_unit_test(small_samples_are_judged_exactly),
        cmocka_unit_test(a_textbook_example_comes_out),
        cmocka_unit_test(ties_are_corrected_for),
        cmocka_unit_test(samples_that_are_alike_are_not_told_apart),
        cmocka_unit_test(what_found_nothing_is_larger_than_all_that_did),
        cmocka_unit_test(resampling_gives_the_known_interval_of_a_mean),
        cmocka_unit_test(pairs_are_compared_by_their_ratios),
        cmocka_unit_test(ranks_correlate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
