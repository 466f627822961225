/* The uniform guide: independent draws with the generator's own weights. Counts are compared with bounds more than six
 * standard deviations wide, over fixed seeds. */
#include "driver.h"

#include <math.h>
#include <string.h>

static const struct sonde_guide_setup setup = {.seed = 1};

static void check_share(uint64_t count, uint64_t n, double p)
{
    double expected = (double)n * p, deviation = sqrt((double)n * p * (1 - p));
    assert_true(fabs((double)count - expected) <= 6 * deviation + 1);
}

static void every_value_is_as_likely_as_any_other(void **state)
{
    (void)state;
    enum { N = 101000 };
    static const enum sonde_kind kinds[] = {SONDE_KIND_INT, SONDE_KIND_UINT, SONDE_KIND_PICK, SONDE_KIND_LENGTH};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct driver d;
        uint64_t count[101] = {0};
        driver_init(&d, &sonde_guide_uniform, &setup);
        for (int i = 0; i < N; i++) {
            sonde_tape_begin(&d.tape);
            count[draw(&d, 1, kinds[k], 100)]++;
        }
        for (int i = 0; i <= 100; i++) check_share(count[i], N, 1 / 101.0);
        driver_clear(&d);
    }
}

static void the_full_width_is_covered(void **state)
{
    (void)state;
    struct driver d;
    uint64_t high = 0;
    driver_init(&d, &sonde_guide_uniform, &setup);
    for (int i = 0; i < 1000; i++) {
        sonde_tape_begin(&d.tape);
        high += draw(&d, 1, SONDE_KIND_UINT, UINT64_MAX) >> 63;
        draw(&d, 2, SONDE_KIND_UINT, UINT64_C(1) << 40); /* asserts the domain */
    }
    check_share(high, 1000, 0.5);
    driver_clear(&d);
}

static void chance_follows_its_probability(void **state)
{
    (void)state;
    enum { N = 20000 };
    static const double ps[] = {0.001, 0.25, 0.5, 0.9, 1.0};
    struct driver d;
    driver_init(&d, &sonde_guide_uniform, &setup);
    for (size_t k = 0; k < sizeof ps / sizeof *ps; k++) {
        struct sonde_choice point = {.site = 1, .kind = SONDE_KIND_CHANCE, .max = 1};
        uint64_t hits = 0;
        memcpy(&point.base, &ps[k], sizeof ps[k]);
        for (int i = 0; i < N; i++) {
            sonde_tape_begin(&d.tape);
            hits += draw_point(&d, point);
        }
        check_share(hits, N, ps[k]);
    }
    driver_clear(&d);
}

static void weights_are_followed_and_zero_is_never_drawn(void **state)
{
    (void)state;
    enum { N = 20000 };
    static const unsigned weights[] = {0, 1, 0, 5, 4};
    uint64_t count[5] = {0};
    struct driver d;
    driver_init(&d, &sonde_guide_uniform, &setup);
    d.view.weights = weights;
    d.view.weight_sum = 10;
    for (int i = 0; i < N; i++) {
        sonde_tape_begin(&d.tape);
        count[draw(&d, 1, SONDE_KIND_WEIGHTED, 4)]++;
    }
    for (int i = 0; i < 5; i++) check_share(count[i], N, weights[i] / 10.0);
    driver_clear(&d);
}

static void size_is_always_full(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, &sonde_guide_uniform, &setup);
    for (int i = 0; i < 100; i++) {
        sonde_tape_begin(&d.tape);
        assert_int_equal(draw(&d, 1, SONDE_KIND_SIZE, 100), 100);
    }
    driver_clear(&d);
}

static void doubles_are_even_over_their_range(void **state)
{
    (void)state;
    enum { N = 10000 };
    struct driver d;
    uint64_t low = 0, huge = 0;
    driver_init(&d, &sonde_guide_uniform, &setup);
    for (int i = 0; i < N; i++) {
        sonde_tape_begin(&d.tape);
        double x = draw_double(&d, 1, -1, 3), y = draw_double(&d, 2, -1.7e308, 1.7e308);
        assert_true(x >= -1 && x <= 3 && isfinite(y));
        low += x < 0;
        huge += fabs(y) > 0.85e308;
    }
    check_share(low, N, 0.25);
    check_share(huge, N, 0.5);
    driver_clear(&d);
}

static void any_double_is_even_over_bit_patterns(void **state)
{
    (void)state;
    enum { N = 10000 };
    struct driver d;
    uint64_t negative = 0, below_one = 0;
    driver_init(&d, &sonde_guide_uniform, &setup);
    for (int i = 0; i < N; i++) {
        sonde_tape_begin(&d.tape);
        double x = draw_double(&d, 1, -INFINITY, INFINITY);
        negative += signbit(x) != 0;
        below_one += fabs(x) < 1;
    }
    check_share(negative, N, 0.5);
    check_share(below_one, N, 1023 / 2048.0);
    driver_clear(&d);
}

static void texts_have_even_lengths_and_symbols(void **state)
{
    (void)state;
    enum { N = 12000 };
    struct driver d;
    uint64_t length[4] = {0}, n_symbols = 0, n_b = 0;
    char text[64];
    driver_init(&d, &sonde_guide_uniform, &setup);
    for (int i = 0; i < N; i++) {
        sonde_tape_begin(&d.tape);
        size_t n = draw_text(&d, 1, "abc", 2, 5, text);
        length[n - 2]++;
        n_symbols += n;
        for (size_t k = 0; k < n; k++) n_b += text[k] == 'b';
    }
    for (int i = 0; i < 4; i++) check_share(length[i], N, 0.25);
    check_share(n_b, n_symbols, 1 / 3.0);
    driver_clear(&d);
}

static void open_lengths_have_a_mean_of_eight(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct driver d;
    double sum = 0;
    driver_init(&d, &sonde_guide_uniform, &setup);
    for (int i = 0; i < N; i++) {
        sonde_tape_begin(&d.tape);
        struct sonde_choice point = {.site = 1, .kind = SONDE_KIND_LENGTH, .max = 65535, .flags = SONDE_CHOICE_OPEN};
        sum += (double)draw_point(&d, point);
    }
    assert_true(fabs(sum / N - 8) < 6 * 8.5 / sqrt(N));
    driver_clear(&d);
}

static void a_seed_and_a_stream_decide_everything(void **state)
{
    (void)state;
    static const struct sonde_guide_setup setups[] = {{.seed = 7}, {.seed = 7}, {.seed = 8}, {.seed = 7, .stream = 1}};
    uint64_t first[4];
    for (int k = 0; k < 4; k++) {
        struct driver d;
        driver_init(&d, &sonde_guide_uniform, &setups[k]);
        first[k] = draw(&d, 1, SONDE_KIND_UINT, UINT64_MAX);
        driver_clear(&d);
    }
    assert_true(first[0] == first[1]);
    assert_true(first[0] != first[2]);
    assert_true(first[0] != first[3]);
}

static void guides_are_found_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; sonde_guides[i]; i++) {
        assert_ptr_equal(sonde_guide_find(sonde_guides[i]->name), sonde_guides[i]);
        assert_true(strlen(sonde_guides[i]->summary) > 0);
    }
    assert_null(sonde_guide_find("nobody"));
}

static void the_simplest_guide_answers_nothing_but_zero(void **state)
{
    (void)state;
    struct driver d;
    char text[64];
    driver_init(&d, &sonde_guide_simplest, &setup);
    assert_int_equal(draw_int(&d, 1, -5, 100), 0);
    assert_int_equal(draw(&d, 2, SONDE_KIND_SIZE, 100), 0);
    assert_int_equal(draw_text(&d, 3, "xyz", 2, 10, text), 2);
    assert_string_equal(text, "xx");
    driver_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_as_likely_as_any_other),
        cmocka_unit_test(the_full_width_is_covered),
        cmocka_unit_test(chance_follows_its_probability),
        cmocka_unit_test(weights_are_followed_and_zero_is_never_drawn),
        cmocka_unit_test(size_is_always_full),
        cmocka_unit_test(doubles_are_even_over_their_range),
        cmocka_unit_test(any_double_is_even_over_bit_patterns),
        cmocka_unit_test(texts_have_even_lengths_and_symbols),
        cmocka_unit_test(open_lengths_have_a_mean_of_eight),
        cmocka_unit_test(a_seed_and_a_stream_decide_everything),
        cmocka_unit_test(guides_are_found_by_name),
        cmocka_unit_test(the_simplest_guide_answers_nothing_but_zero),
    };
    return cmocka_run_group_tests_name("uniform", tests, NULL, NULL);
}
