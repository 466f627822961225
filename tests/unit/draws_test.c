/* The record of draws: which bin a value falls into, and how few cases of a long run are looked at. */
#include "lib/mocka.h"

#include "feedback/insight.h"
#include "lib/tapes.h"

#include <string.h>

static struct sonde_draws draws;

static int init(void **state)
{
    (void)state;
    memset(&draws, 0, sizeof draws);
    return 0;
}

static void add(int64_t min, int64_t max, int64_t value, bool is_valid)
{
    struct tapes t;
    tapes_begin(&t);
    tapes_int(&t, "x", min, max, value);
    sonde_draws_add(&draws, &t.tape, is_valid);
    tapes_clear(&t);
}

/* The draw itself: the first entry is about the sizes of cases. */
static struct sonde_tried shown(void)
{
    struct sonde_labels labels;
    sonde_labels_init(&labels);
    struct sonde_tried t = sonde_draws_show(&draws.all[1], &labels);
    assert_string_equal(t.kind, "int");
    sonde_labels_clear(&labels);
    t.label = "";
    return t;
}

static void small_domains_have_a_bin_for_each_value(void **state)
{
    (void)state;
    for (int x = -5; x <= 5; x++) add(-5, 5, x, x > 0);
    add(-5, 5, 3, true);
    struct sonde_tried t = shown();
    assert_int_equal(t.n_bins, 11);
    assert_int_equal(t.n, 12);
    assert_int_equal(t.n_valid, 6);
    assert_true(t.from[0] < -4.5 && t.to[0] < -4.5);
    assert_int_equal(t.count[8], 2);
    assert_int_equal(t.valid[0], 0);
}

static void middling_ones_have_bins_of_equal_width(void **state)
{
    (void)state;
    for (int x = 1900; x <= 2100; x++) add(1900, 2100, x, true);
    struct sonde_tried t = shown();
    assert_int_equal(t.n_bins, 51);
    assert_int_equal(t.count[0], 4);
    assert_int_equal(t.count[50], 1);
    assert_true(t.from[50] > 2099.5 && t.from[50] < 2100.5);
}

static void large_ones_have_a_bin_for_each_power_of_four(void **state)
{
    static const int64_t values[] = {0, 1, 2, -7, 900, INT64_MIN, INT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) add(INT64_MIN, INT64_MAX, values[i], true);
    struct sonde_tried t = shown();
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t.n_bins; i++) {
        sum += t.count[i];
        assert_true(t.from[i] <= t.to[i]);
        assert_true(i == 0 || t.to[i - 1] <= t.from[i]);
        if (t.from[i] <= 1 && t.to[i] >= 2) assert_int_equal(t.count[i], 2);
        if (t.from[i] <= 900 && t.to[i] >= 900) assert_int_equal(t.count[i], 1);
    }
    assert_int_equal(sum, 7);
}

static void a_long_run_is_sampled(void **state)
{
    uint64_t looked = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000000; i++) looked += sonde_draws_wants(&draws);
    assert_in_range(looked, 1000, 8000);
}

static void places_without_room_are_counted(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * SONDE_DRAWS_MAX; i++) {
        char label[16];
        struct tapes t;
        snprintf(label, sizeof label, "x%d", i);
        tapes_begin(&t);
        tapes_int(&t, label, 0, 9, 3);
        sonde_draws_add(&draws, &t.tape, true);
        tapes_clear(&t);
    }
    assert_int_equal(draws.n, SONDE_DRAWS_MAX);
    assert_int_equal(draws.left_out, SONDE_DRAWS_MAX + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(small_domains_have_a_bin_for_each_value, init),
        cmocka_unit_test_setup(middling_ones_have_bins_of_equal_width, init),
        cmocka_unit_test_setup(large_ones_have_a_bin_for_each_power_of_four, init),
        cmocka_unit_test_setup(a_long_run_is_sampled, init),
        cmocka_unit_test_setup(places_without_room_are_counted, init),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
