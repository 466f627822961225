/* The guide that climbs and spreads: it reaches what chance does not, and stays where preconditions hold. */
#include "lib/mocka.h"

#include <sonde/extend.h>

#include <string.h>

static sonde_result run(sonde_property_fn *property, const char *guide, uint64_t seed, uint64_t tests)
{
    sonde_result result;
    sonde_run(property, &(sonde_config){.seed = seed,
                                        .tests = tests,
                                        .seconds = 30,
                                        .guide = guide,
                                        .store = "",
                                        .quiet = true,
                                        .result = &result});
    return result;
}

static void ridge(sonde *t)
{
    int x = sonde_int(t, "x", 0, 100000), y = sonde_int(t, "y", 0, 100000);
    sonde_target(t, "height", x + y - 1000.0 * (x > y ? x - y : y - x));
    sonde_check(t, x < 99000 || x != y);
}

static void two_numbers_that_must_rise_together_do(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        assert_int_equal(run(ridge, "target", seed, 20000).status, SONDE_FALSIFIED);
        assert_int_equal(run(ridge, "uniform", seed, 20000).status, SONDE_PASSED);
    }
}

static void discarded_summit(sonde *t)
{
    int64_t x = sonde_i64(t, "x", 0, INT64_MAX / 2);
    sonde_target(t, "low", -(double)(x > 777 ? x - 777 : 777 - x));
    sonde_assume(t, x > 760 && x < 790);
    sonde_check(t, x != 777);
}

static void utilities_of_discarded_runs_count(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        assert_int_equal(run(discarded_summit, "target", seed, 5000).status, SONDE_FALSIFIED);
}

static void far_equality(sonde *t)
{
    int64_t a = sonde_i64(t, "a", 0, 1000000000), b = sonde_i64(t, "b", 0, 1000000000);
    sonde_assume_that(t, a + 5, ==, 3 * b);
    sonde_label(t, "reached");
}

static void an_equality_of_wide_numbers_is_reached_and_kept(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        sonde_result r = run(far_equality, "target", seed, 2000);
        assert_int_equal(r.status, SONDE_PASSED);
        assert_true(r.unique_valid > 1500);
    }
}

static void sorted(sonde *t)
{
    int v[12];
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "xs", 6, 12);
    while (sonde_more(&xs)) v[n++] = sonde_int(t, "x", 0, 1000);
    for (size_t i = 1; i < n; i++) sonde_assume_that(t, v[i - 1], <, v[i]);
}

static void sorted_lists_are_many_and_different(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sonde_result r = run(sorted, "target", seed, 3000);
        assert_true(r.valid * 10 > r.tests * 7);
        assert_true(r.unique_valid * 10 > r.valid * 9);
    }
}

static void two_goals(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000), y = sonde_int(t, "y", 0, 1000000);
    sonde_target(t, "x", x);
    sonde_target(t, "little y", -y);
    sonde_check(t, x < 999990 || y > 9);
}

static void several_utilities_are_climbed_at_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        assert_int_equal(run(two_goals, "target", seed, 20000).status, SONDE_FALSIFIED);
}

static void indifferent(sonde *t)
{
    int n = sonde_int(t, "n", -999, 999), m = sonde_int(t, "m", -999, 999);
    sonde_assume(t, m != n);
}

static void a_precondition_that_nearly_always_holds_loses_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sonde_result r = run(indifferent, "target", seed, 5000);
        assert_true(r.discarded < 30);
        assert_true(r.unique_valid > 4000);
    }
}

static void seldom_by_chance(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000), y = sonde_int(t, "y", 0, 1000000);
    sonde_assume_that(t, x * 50L, <, y);
}

/* Of a hundred inputs by chance one is valid: two in a hundred cases, made to see that again, were most of what was lost. */
static void what_is_seldom_valid_by_chance_is_seldom_tried(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sonde_result r = run(seldom_by_chance, "target", seed, 20000);
        assert_true(r.discarded < 450);
        assert_true(r.unique_valid > 19000);
    }
}

/* ---- The same seed, the same search */

static uint64_t trace;

static void traced(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000), y = sonde_int(t, "y", 0, 1000);
    trace = (trace ^ (uint64_t)(x * 1001 + y)) * UINT64_C(0x9e3779b97f4a7c15);
    sonde_target(t, "sum", x + y);
    sonde_assume_that(t, x * 2, <, y);
}

static void the_same_seed_gives_the_same_search(void **state)
{
    (void)state;
    trace = 0;
    run(traced, "target", 7, 2000);
    uint64_t first = trace;
    trace = 0;
    run(traced, "target", 7, 2000);
    assert_int_equal(trace, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_numbers_that_must_rise_together_do),
        cmocka_unit_test(utilities_of_discarded_runs_count),
        cmocka_unit_test(an_equality_of_wide_numbers_is_reached_and_kept),
        cmocka_unit_test(sorted_lists_are_many_and_different),
        cmocka_unit_test(several_utilities_are_climbed_at_once),
        cmocka_unit_test(a_precondition_that_nearly_always_holds_loses_nothing),
        cmocka_unit_test(what_is_seldom_valid_by_chance_is_seldom_tried),
        cmocka_unit_test(the_same_seed_gives_the_same_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
