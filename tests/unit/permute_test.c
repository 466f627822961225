/* sonde_shuffle, sonde_subset, sonde_unique: each answer is valid, every one can happen, the simplest comes first. */
#include <sonde.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The draws that a run asks for, and the values that the last case got. */
struct ask {
    int64_t lo, hi;
    size_t n, min, max;
    int64_t got[64];
    size_t n_got;
    unsigned seen[8192]; /* by a number that stands for the outcome */
};

static sonde_result run(sonde_property_fn *property, struct ask *ask, const char *guide, uint64_t tests)
{
    sonde_result result;
    sonde_config config = {.name = "permute",
                           .seed = 7,
                           .tests = tests,
                           .guide = guide,
                           .context = ask,
                           .store = "",
                           .quiet = true,
                           .result = &result};
    int status = sonde_run(property, &config);
    assert_int_equal(status, result.status);
    return result;
}

/* As many as there were tests means that each came once. (The engine may run a case again, to see that it repeats.) */
static size_t different_ones(const struct ask *ask)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof ask->seen / sizeof *ask->seen; i++) n += ask->seen[i] > 0;
    return n;
}

/* ---- Shuffle ------------------------------------------------------------------------------------------------------*/

static void shuffle_four(sonde *t)
{
    struct ask *ask = sonde_context(t);
    char word[] = "0123";
    sonde_shuffle(t, "word", word, 4, 1);
    ask->seen[strtol(word, NULL, 4)]++;
    for (size_t i = 0; i < 4; i++) ask->got[i] = word[i] - '0';
}

static void each_permutation_of_four_comes_exactly_once(void **state)
{
    (void)state;
    static struct ask ask;
    sonde_result result = run(shuffle_four, &ask, "enumerate", 1000);
    assert_true(result.exhausted);
    assert_int_equal(result.valid, 24);
    assert_int_equal(different_ones(&ask), 24);
}

static void the_first_shuffle_changes_nothing(void **state)
{
    (void)state;
    static struct ask ask;
    run(shuffle_four, &ask, "enumerate", 1);
    for (int i = 0; i < 4; i++) assert_int_equal(ask.got[i], i);
}

static void shuffle_large_elements(sonde *t)
{
    struct {
        unsigned char bytes[150];
    } all[20];
    size_t n = (size_t)sonde_int(t, "n", 0, 20);
    bool seen[20] = {false};
    for (size_t i = 0; i < n; i++) memset(all[i].bytes, (int)i, sizeof all[i].bytes);
    sonde_shuffle(t, "all", all, n, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        unsigned char v = all[i].bytes[0];
        for (size_t k = 1; k < sizeof all[i].bytes; k++) sonde_check_eq(t, all[i].bytes[k], v);
        sonde_check_lt(t, v, n);
        sonde_check(t, !seen[v]);
        seen[v] = true;
    }
}

static void shuffling_keeps_every_element_whole(void **state)
{
    (void)state;
    static struct ask ask;
    assert_string_equal(run(shuffle_large_elements, &ask, "random", 500).message, "");
}

static void shuffle_null(sonde *t)
{
    sonde_shuffle(t, "nothing", NULL, 0, 4);
    sonde_shuffle(t, "something", NULL, 2, 4);
}

static void shuffling_a_null_array_is_refused(void **state)
{
    (void)state;
    static struct ask ask;
    sonde_result result = run(shuffle_null, &ask, "random", 10);
    assert_int_equal(result.status, SONDE_USAGE);
    assert_non_null(strstr(result.message, "sonde_shuffle(\"something\"): the array is NULL"));
}

/* ---- Subset -------------------------------------------------------------------------------------------------------*/

static void draw_subset(sonde *t)
{
    struct ask *ask = sonde_context(t);
    size_t out[64];
    size_t n = sonde_subset(t, "set", ask->n, ask->min, ask->max, out);
    unsigned mask = 0;
    sonde_check_ge(t, n, ask->min);
    sonde_check_le(t, n, ask->max);
    for (size_t i = 0; i < n; i++) {
        sonde_check_lt(t, out[i], ask->n);
        if (i > 0) sonde_check_lt(t, out[i - 1], out[i]);
        if (out[i] < 13) mask |= 1u << out[i];
        ask->got[i] = (int64_t)out[i];
    }
    ask->n_got = n;
    ask->seen[mask]++;
}

static void subsets_are_ascending_and_within_bounds(void **state)
{
    (void)state;
    static struct ask ask;
    for (ask.n = 1; ask.n < 64; ask.n += 7) {
        ask.min = ask.n / 3;
        ask.max = ask.n / 2 + 1;
        assert_string_equal(run(draw_subset, &ask, "uniform", 200).message, "");
        assert_string_equal(run(draw_subset, &ask, "random", 200).message, "");
    }
}

static void every_subset_of_four_comes(void **state)
{
    (void)state;
    static struct ask ask = {.n = 4, .min = 0, .max = SONDE_ANY};
    assert_true(run(draw_subset, &ask, "enumerate", 1000).exhausted);
    for (size_t i = 0; i < 16; i++) assert_true(ask.seen[i] > 0);
}

static void the_first_subset_is_the_smallest_of_the_first(void **state)
{
    (void)state;
    static struct ask ask = {.n = 60, .min = 3, .max = 9};
    run(draw_subset, &ask, "enumerate", 1);
    assert_int_equal(ask.n_got, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(ask.got[i], i);
}

static void nothing_has_one_subset(void **state)
{
    (void)state;
    static struct ask ask = {.n = 0, .min = 0, .max = 5};
    sonde_result result = run(draw_subset, &ask, "enumerate", 10);
    assert_true(result.exhausted);
    assert_int_equal(result.valid, 1);
}

static void impossible_subsets_are_refused(void **state)
{
    (void)state;
    static struct ask ask = {.n = 3, .min = 2, .max = 1};
    sonde_result result = run(draw_subset, &ask, "random", 10);
    assert_int_equal(result.status, SONDE_USAGE);
    assert_non_null(strstr(result.message, "sonde_subset(\"set\"): min 2 is more than max 1"));
    ask.min = 4;
    ask.max = 5;
    result = run(draw_subset, &ask, "random", 10);
    assert_int_equal(result.status, SONDE_USAGE);
    assert_non_null(strstr(result.message, "min 4 is more than n, 3"));
}

/* ---- Unique -------------------------------------------------------------------------------------------------------*/

static void draw_unique(sonde *t)
{
    struct ask *ask = sonde_context(t);
    size_t n = sonde_unique(t, "ids", ask->lo, ask->hi, ask->min, ask->max, ask->got);
    ask->n_got = n;
    sonde_check_ge(t, n, ask->min);
    sonde_check_le(t, n, ask->max);
    for (size_t i = 0; i < n; i++) {
        sonde_check_ge(t, ask->got[i], ask->lo);
        sonde_check_le(t, ask->got[i], ask->hi);
        for (size_t j = 0; j < i; j++) sonde_check_ne(t, ask->got[i], ask->got[j]);
    }
}

static void unique_values_differ_and_stay_in_range(void **state)
{
    (void)state;
    static const int64_t ranges[][2] = {
        {0, 63},
        {-5, 70},
        {-70, 5},
        {-100, -20},
        {INT64_MIN, INT64_MAX},
        {INT64_MAX - 63, INT64_MAX},
        {INT64_MIN, INT64_MIN + 63},
        {INT64_MIN, 0},
        {0, INT64_MAX},
        {-32, 31},
        {INT64_MIN, 3},
        {-3, INT64_MAX},
    };
    static struct ask ask;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        ask.lo = ranges[i][0];
        ask.hi = ranges[i][1];
        for (ask.min = 0; ask.min <= 64; ask.min += 32) {
            ask.max = 64;
            assert_string_equal(run(draw_unique, &ask, "uniform", 100).message, "");
            assert_string_equal(run(draw_unique, &ask, "random", 100).message, "");
        }
    }
}

static void draw_five_of_five(sonde *t)
{
    struct ask *ask = sonde_context(t);
    draw_unique(t);
    unsigned code = 0;
    for (size_t i = 0; i < 5; i++) code = code * 5 + (unsigned)(ask->got[i] + 2);
    ask->seen[code]++;
}

static void a_range_can_be_used_up_in_every_order(void **state)
{
    (void)state;
    static struct ask ask = {.lo = -2, .hi = 2, .min = 5, .max = 5};
    sonde_result result = run(draw_five_of_five, &ask, "enumerate", 1000);
    assert_true(result.exhausted);
    assert_int_equal(result.valid, 120);
    assert_int_equal(different_ones(&ask), 120);
}

static void the_first_values_are_the_nearest_to_zero(void **state)
{
    (void)state;
    static const struct {
        int64_t lo, hi, want[5];
    } rows[] = {
        {-2, 2, {0, 1, -1, 2, -2}},        {-1, 3, {0, 1, -1, 2, 3}},
        {-3, 1, {0, 1, -1, -2, -3}},       {0, 4, {0, 1, 2, 3, 4}},
        {-4, 0, {0, -1, -2, -3, -4}},      {7, 20, {7, 8, 9, 10, 11}},
        {-20, -7, {-7, -8, -9, -10, -11}}, {INT64_MIN, INT64_MAX, {0, 1, -1, 2, -2}},
    };
    static struct ask ask;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ask.lo = rows[i].lo;
        ask.hi = rows[i].hi;
        ask.min = ask.max = 5;
        assert_int_equal(run(draw_unique, &ask, "enumerate", 1).status, SONDE_PASSED);
        for (size_t k = 0; k < 5; k++) assert_int_equal(ask.got[k], rows[i].want[k]);
    }
}

static void impossible_unique_lists_are_refused(void **state)
{
    (void)state;
    static const struct {
        int64_t lo, hi;
        size_t min, max;
        const char *reason;
    } rows[] = {
        {1, 0, 0, 1, "the range 1..0 is empty"},
        {0, 9, 3, 2, "min 3 is more than max 2"},
        {-1, 1, 4, 5, "min 4 is more than the 3 values in [-1, 1]"},
    };
    static struct ask ask;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ask.lo = rows[i].lo;
        ask.hi = rows[i].hi;
        ask.min = rows[i].min;
        ask.max = rows[i].max;
        sonde_result result = run(draw_unique, &ask, "random", 10);
        assert_int_equal(result.status, SONDE_USAGE);
        assert_non_null(strstr(result.message, rows[i].reason));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_permutation_of_four_comes_exactly_once),
        cmocka_unit_test(the_first_shuffle_changes_nothing),
        cmocka_unit_test(shuffling_keeps_every_element_whole),
        cmocka_unit_test(shuffling_a_null_array_is_refused),
        cmocka_unit_test(subsets_are_ascending_and_within_bounds),
        cmocka_unit_test(every_subset_of_four_comes),
        cmocka_unit_test(the_first_subset_is_the_smallest_of_the_first),
        cmocka_unit_test(nothing_has_one_subset),
        cmocka_unit_test(impossible_subsets_are_refused),
        cmocka_unit_test(unique_values_differ_and_stay_in_range),
        cmocka_unit_test(a_range_can_be_used_up_in_every_order),
        cmocka_unit_test(the_first_values_are_the_nearest_to_zero),
        cmocka_unit_test(impossible_unique_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
