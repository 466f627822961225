/* How a search went: a bounded number of moments, evenly spread, that several jobs share and that may be read while they are written. */
#include "lib/mocka.h"

#include "engine/search/notebook.h"

#include <string.h>

static struct sonde_series a, b, copy;

static int init(void **state)
{
    (void)state;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    sonde_series_begin(&a);
    sonde_series_begin(&b);
    return 0;
}

static void add(struct sonde_series *s, double seconds, uint64_t tests)
{
    sonde_series_add(s, (struct sonde_series_point){
                            .seconds = seconds, .tests = tests, .valid = tests, .different = tests, .edges = tests});
}

static void a_long_run_keeps_few_moments(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        double now = (double)i / 1000;
        if (sonde_series_is_due(&a, now)) add(&a, now, i);
    }
    assert_in_range(a.n, SONDE_SERIES_MAX / 2 - 1, SONDE_SERIES_MAX);
    assert_int_equal(a.all[0].tests, 0);
    for (uint32_t i = 1; i < a.n; i++) {
        assert_true(a.all[i].seconds > a.all[i - 1].seconds);
        assert_true(a.all[i].seconds - a.all[i - 1].seconds < 3 * a.every);
    }
}

static void the_end_is_exact_and_nothing_exceeds_it(void **state)
{
    struct sonde_stats stats = {.seconds = 3, .tests = 30, .valid = 20, .unique_valid = 10, .edges = 5};
    (void)state;
    add(&a, 1, 12);
    sonde_series_end(&a, &stats, "auto");
    assert_int_equal(a.n, 2);
    assert_int_equal(a.all[0].different, 10);
    assert_int_equal(a.all[0].edges, 5);
    assert_int_equal(a.all[1].tests, 30);
    assert_string_equal(a.all[1].guide, "auto");
}

static void jobs_are_added_up(void **state)
{
    (void)state;
    add(&a, 1, 10);
    add(&a, 2, 20);
    add(&b, 1.5, 7);
    add(&b, 2.5, 9);
    sonde_series_merge(&a, &b);
    assert_int_equal(a.n, 3);
    assert_int_equal(a.all[0].tests, 10);
    assert_int_equal(a.all[1].tests, 27);
    assert_int_equal(a.all[2].tests, 29);
    assert_int_equal(a.all[1].edges, 20); /* code is what either has reached */
}

static void what_is_being_written_is_not_read(void **state)
{
    (void)state;
    add(&a, 1, 10);
    assert_true(sonde_series_copy(&a, &copy));
    assert_int_equal(copy.n, 1);
    atomic_fetch_add(&a.turn, 1); /* a worker died in the middle */
    assert_false(sonde_series_copy(&a, &copy));
    sonde_series_begin(&a); /* the next one continues */
    assert_true(sonde_series_copy(&a, &copy));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_long_run_keeps_few_moments, init),
        cmocka_unit_test_setup(the_end_is_exact_and_nothing_exceeds_it, init),
        cmocka_unit_test_setup(jobs_are_added_up, init),
        cmocka_unit_test_setup(what_is_being_written_is_not_read, init),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
