/* Levels of difference: what counts as another shape, as another skeleton, and how well few and many are counted. */
#include "lib/cases.h"

#include "base/hash.h"
#include "feedback/judge.h"
#include "feedback/registers.h"

#include <string.h>

static struct sonde_levels levels;

static int init(void **state)
{
    (void)state;
    memset(&levels, 0, sizeof levels);
    cases_init(&k, &sonde_guide_uniform, 1);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    cases_clear(&k);
    return 0;
}

static int n_bools, n_ints, n_parts;

/* Draws as many parts, numbers and truth values as the test asks for; their values are random. */
static void draw(sonde *t)
{
    for (int i = 0; i < n_parts; i++) {
        sonde_span(t, "part");
        for (int j = 0; j < n_ints; j++) sonde_int(t, "number", 0, 1000000);
    }
    for (int i = 0; i < n_bools; i++) sonde_bool(t, "truth");
}

static void run(int parts, int ints, int bools)
{
    n_parts = parts;
    n_ints = ints;
    n_bools = bools;
    cases_run(&k, draw, NULL);
    sonde_levels_add(&levels, &k.t->tape, NULL);
}

static uint64_t shapes(void)
{
    return sonde_levels_count(&levels, SONDE_LEVEL_SHAPE);
}

static uint64_t skeletons(void)
{
    return sonde_levels_count(&levels, SONDE_LEVEL_SKELETON);
}

static void numbers_make_no_shape_and_no_skeleton(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) run(2, 3, 0);
    assert_int_equal(shapes(), 1);
    assert_int_equal(skeletons(), 1);
    assert_int_equal(sonde_levels_count(&levels, SONDE_LEVEL_TRACE), 0);
}

static void truth_values_make_skeletons_of_one_shape(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) run(1, 2, 4);
    assert_int_equal(shapes(), 1);
    assert_int_equal(skeletons(), 16);
}

static void spans_and_draws_make_shapes(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) run(i % 4, i % 3, 0);
    assert_int_equal(shapes(), 10); /* without parts, all is one */
    assert_int_equal(skeletons(), 10);
}

/* Not only a count: which part holds what. */
static void the_place_of_a_draw_is_part_of_the_shape(void **state)
{
    (void)state;
    run(1, 2, 0);
    run(2, 1, 0);
    assert_int_equal(shapes(), 2);
}

/* Up to a few dozen, nearly every one of the registers is still free. */
static void few_are_counted_and_many_estimated(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) run(0, 0, 12);
    assert_int_equal(shapes(), 1);
    assert_true(skeletons() > 3800 && skeletons() < 4400); /* 4,064 of 4,096 are expected */
}

static void jobs_add_up_to_what_one_would_have_seen(void **state)
{
    (void)state;
    static struct sonde_levels other;
    memset(&other, 0, sizeof other);
    for (int i = 0; i < 100; i++) run(1 + i % 2, 1, 0);
    other = levels;
    memset(&levels, 0, sizeof levels);
    for (int i = 0; i < 100; i++) run(2 + i % 2, 1, 0);
    sonde_levels_merge(&levels, &other);
    assert_int_equal(shapes(), 3);
    assert_int_equal(levels.n, 200);
}

static void in_a_long_run_some_are_looked_at(void **state)
{
    (void)state;
    levels.n = SONDE_LEVELS_ALL;
    for (int i = 0; i < SONDE_LEVELS_ONE_IN - 1; i++) run(i, 1, 0);
    assert_int_equal(shapes(), 0);
    run(9, 1, 0);
    assert_int_equal(shapes(), 1);
}

static void registers_estimate_within_their_error(void **state)
{
    (void)state;
    static uint8_t registers[1 << SONDE_LEVEL_BITS];
    uint64_t n = 0;
    for (uint64_t end = 10; end <= 1000000; end *= 10) {
        for (; n < end; n++) sonde_registers_raise(registers, SONDE_LEVEL_BITS, sonde_mix(n + 1));
        uint64_t about = sonde_registers_estimate(registers, SONDE_LEVEL_BITS);
        assert_in_range(about, end - end / 16, end + end / 16); /* four standard errors */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_make_no_shape_and_no_skeleton, init, clear),
        cmocka_unit_test_setup_teardown(truth_values_make_skeletons_of_one_shape, init, clear),
        cmocka_unit_test_setup_teardown(spans_and_draws_make_shapes, init, clear),
        cmocka_unit_test_setup_teardown(the_place_of_a_draw_is_part_of_the_shape, init, clear),
        cmocka_unit_test_setup_teardown(few_are_counted_and_many_estimated, init, clear),
        cmocka_unit_test_setup_teardown(jobs_add_up_to_what_one_would_have_seen, init, clear),
        cmocka_unit_test_setup_teardown(in_a_long_run_some_are_looked_at, init, clear),
        cmocka_unit_test(registers_estimate_within_their_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
