/* The search for a maximum along one number, without cases; and the guide `goal` on properties with utilities. */
#include "lib/searches.h"
#include "lib/mocka.h"
#include "lib/short.h"

#include "guide/goal/goal.h"
#include "guide/goal/peak.h"

#include <math.h>

/* ---- Along one number */

struct climbed {
    double x, f;
    unsigned cases;
};

static struct climbed climb(double (*f)(double), double lo, double hi, double step, bool is_whole)
{
    struct sonde_peak p;
    double x;
    struct climbed c = {0};
    sonde_peak_begin(&p, f(0), lo, hi, step, is_whole);
    for (; sonde_peak_next(&p, &x); c.cases++) {
        assert_true(x >= lo && x <= hi && (!is_whole || x == rint(x)));
        sonde_peak_learn(&p, f(x));
    }
    c.x = p.x[1], c.f = p.f[1];
    return c;
}

static double parabola(double x)
{
    return -(x - 60) * (x - 60);
}

static double line(double x)
{
    return 3 * x;
}

static double kink(double x)
{
    return -fabs(x - 12345);
}

static double stairs(double x)
{
    return floor(x / 1000);
}

static double wall(double x)
{
    return x <= 777 ? x : NAN;
}

static double flat(double x)
{
    return x * 0;
}

static double falling(double x)
{
    return -fabs(x);
}

static void a_parabola_takes_few_cases(void **state)
{
    (void)state;
    struct climbed c = climb(parabola, -100000, 100000, 1, true);
    assert_true(c.x == 60 && c.cases <= 8);
    c = climb(parabola, -1e9, 1e9, 0.001, false);
    assert_true(fabs(c.x - 60) < 1e-3 && c.cases <= 12);
}

static void a_line_is_followed_to_its_end(void **state)
{
    (void)state;
    struct climbed c = climb(line, -5, 1e15, 1, true);
    assert_true(c.x == 1e15 && c.cases <= 4);
}

static void a_maximum_at_a_kink_is_found(void **state)
{
    (void)state;
    assert_true(climb(kink, -1e6, 1e6, 1, true).x == 12345);
}

static void stairs_are_climbed_by_larger_steps(void **state)
{
    (void)state;
    assert_true(climb(stairs, 0, 99999, 1, true).f == 99);
}

static void a_value_without_a_result_is_a_wall(void **state)
{
    (void)state;
    assert_true(climb(wall, 0, 1e6, 1, true).x == 777);
}

static void nothing_to_gain_ends_soon(void **state)
{
    (void)state;
    assert_true(climb(flat, -1e6, 1e6, 1, true).cases <= 8);
    assert_true(climb(falling, -1e6, 1e6, 1, true).cases <= 2);
    assert_true(climb(falling, -1e6, 1e6, 0.1, false).cases <= 8);
    assert_true(climb(flat, 0, 0, 1, true).cases == 0);
}

static void values_without_order_are_all_tried(void **state)
{
    struct sonde_peak p;
    double x, sum = 0;
    (void)state;
    sonde_peak_begin_every(&p, 0, -3, 4);
    while (sonde_peak_next(&p, &x)) {
        sum += 100 + x;
        sonde_peak_learn(&p, x == -2 ? 1 : 0);
    }
    assert_true(sum == 704 && p.x[1] == -2);
}

/* ---- Utilities */

static uint64_t tests_to_failure(sonde_property_fn *run, const char *guide, uint64_t seed, uint64_t runs)
{
    const sonde_property property = {.name = "property", .run = run};
    const struct sonde_options options = searches_options(guide, seed, runs);
    struct sonde_search *s = searches_run(&property, &options);
    uint64_t tests = s->n_found ? s->stats.tests : UINT64_MAX;
    searches_free(s);
    return tests;
}

static void assert_found(sonde_property_fn *run, uint64_t within)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        uint64_t tests = tests_to_failure(run, "goal", seed, within);
        if (tests > within) fail_msg("seed %d: not found in %d cases", (int)seed, (int)within);
    }
}

static void bowl(sonde *t)
{
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        double apart = sonde_int(t, "x", 0, 1000000) - 111111.0 * i - 5;
        sum += apart * apart;
    }
    sonde_target(t, "near", -sum);
    sonde_check(t, sum > 0);
}

static void budget(sonde *t)
{
    int x = sonde_int(t, "x", 0, 10000), y = sonde_int(t, "y", 0, 10000);
    sonde_assume(t, x + y <= 10000);
    sonde_target(t, "area", (double)x * y);
    sonde_check(t, x != 5000 || y != 5000);
}

static void narrow_ridge(sonde *t)
{
    double x = sonde_int(t, "x", 0, 1000000), y = sonde_int(t, "y", 0, 1000000);
    double off = 3 * x - 7 * y, along = 7 * x + 3 * y - 4000000;
    sonde_target(t, "height", -100 * off * off - along * along);
    sonde_check(t, fabs(off) > 10 || fabs(along) > 100);
}

static void word(sonde *t)
{
    const char *text = sonde_string_of(t, "text", "abcdefghijklmnopqrstuvwxyz", 0, 12);
    int n = 0;
    for (int i = 0; text[i]; i++) n += text[i] == "unbelievable"[i];
    sonde_target(t, "right", n);
    sonde_check(t, n < 12);
}

static void utilities_are_raised(void **state)
{
    (void)state;
    assert_found(bowl, 200);
    assert_found(budget, 300);
    assert_found(narrow_ridge, 300);
    assert_found(word, 500);
}

/* Checks a condition as code that `sonde cc` has rewritten does. */
static void checked(sonde *t)
{
    double x = sonde_int(t, "x", 0, 1000000) - 31415, y = sonde_int(t, "y", 0, 1000000) - 777777;
    sonde_check_truth_(t, sonde_rel(x * x + y * y, >=, 1.0), __FILE__, __LINE__, "x * x + y * y >= 1");
}

static void a_check_is_driven_to_fail(void **state)
{
    (void)state;
    assert_found(checked, 100);
}

static void flat_utility(sonde *t)
{
    for (int i = 0; i < 20; i++) sonde_int(t, "x", 0, 1000000);
    sonde_target(t, "same", 1);
}

/* The ascents of a flat utility become rare: a second half of the run has far fewer of them. */
static void a_utility_that_nothing_moves_is_left(void **state)
{
    (void)state;
    const sonde_property property = {.name = "property", .run = flat_utility};
    const struct sonde_options options = searches_options("goal", 1, 20000);
    struct sonde_search *s = searches_run(&property, &options);
    assert_false(sonde_goal_rises(s->guide));
    assert_false(sonde_goal_is_busy(s->guide));
    searches_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parabola_takes_few_cases),         cmocka_unit_test(a_line_is_followed_to_its_end),
        cmocka_unit_test(a_maximum_at_a_kink_is_found),       cmocka_unit_test(stairs_are_climbed_by_larger_steps),
        cmocka_unit_test(a_value_without_a_result_is_a_wall), cmocka_unit_test(nothing_to_gain_ends_soon),
        cmocka_unit_test(values_without_order_are_all_tried), cmocka_unit_test(utilities_are_raised),
        cmocka_unit_test(a_check_is_driven_to_fail),          cmocka_unit_test(a_utility_that_nothing_moves_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
