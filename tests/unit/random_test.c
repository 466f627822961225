/* The random guide: small first, special values, no repeats, and no claim that it cannot make. */
#include "driver.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROOMY = 1 << 24 };

static void draw_everything(struct driver *d)
{
    static const unsigned weights[] = {1, 2, 3};
    char text[128];
    draw_int(d, 1, -1000, 1000);
    draw_int(d, 2, INT64_MIN, INT64_MAX);
    draw(d, 3, SONDE_KIND_UINT, UINT64_MAX);
    draw(d, 4, SONDE_KIND_BOOL, 1);
    draw_weighted(d, 5, weights, 3);
    draw(d, 6, SONDE_KIND_LENGTH, 20);
    draw(d, 7, SONDE_KIND_SIZE, 100);
    draw_double(d, 8, -10, 10);
    draw_double(d, 9, -INFINITY, INFINITY);
    draw_text(d, 10, NULL, 0, 20, text);
}

static void the_first_case_is_the_simplest(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct sonde_guide_setup setup = {.seed = seed, .memory = ROOMY};
        struct driver d;
        driver_init(&d, &sonde_guide_random, &setup);
        drive(&d, draw_everything);
        for (uint32_t i = 0; i < d.tape.n_choices; i++) assert_int_equal(d.tape.choices[i].index, 0);
        driver_clear(&d);
    }
}

static void the_same_seed_makes_the_same_tapes(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 3, .memory = ROOMY};
    struct driver a, b;
    driver_init(&a, &sonde_guide_random, &setup);
    driver_init(&b, &sonde_guide_random, &setup);
    for (int i = 0; i < 300; i++) {
        drive(&a, draw_everything);
        drive(&b, draw_everything);
        assert_int_equal(sonde_tape_compare(&a.tape, &b.tape), 0);
    }
    driver_clear(&a);
    driver_clear(&b);
}

static void draw_list(struct driver *d)
{
    uint64_t n = draw(d, 1, SONDE_KIND_LENGTH, 50);
    for (uint64_t i = 0; i < n; i++) draw_int(d, 2, 0, 1000);
}

static void sizes_and_lengths_grow_over_the_first_cases(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY, .tests = 10000};
    struct driver d;
    uint64_t early = 0, late = 0;
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 1100; i++) {
        drive(&d, draw_list);
        uint64_t n = d.tape.choices[0].index;
        if (i < 10) assert_true(n <= 5);
        if (i < 100) early += n;
        if (i >= 1000) late += n;
    }
    assert_true(early * 3 < late * 2);
    driver_clear(&d);
}

static void size_only(struct driver *d)
{
    draw(d, 1, SONDE_KIND_SIZE, 100);
    draw(d, 2, SONDE_KIND_UINT, UINT64_MAX);
}

static void later_cases_are_mostly_large_with_a_tail_of_small_ones(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY};
    struct driver d;
    int large = 0, small = 0;
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 1100; i++) {
        drive(&d, size_only);
        uint64_t size = d.tape.choices[0].index;
        if (i < 100) assert_int_equal(size, i);
        else if (size == 100) large++;
        else small += size < 50;
    }
    assert_in_range(large, 650, 850);
    assert_in_range(small, 60, 200);
    driver_clear(&d);
}

static void three_digits(struct driver *d)
{
    for (uint32_t i = 0; i < 3; i++) draw_int(d, i, -5, 5);
}

static void a_small_space_is_walked_once_and_then_done(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct sonde_guide_setup setup = {.seed = seed, .memory = ROOMY};
        struct driver d;
        uint8_t seen[1331] = {0};
        driver_init(&d, &sonde_guide_random, &setup);
        while (drive(&d, three_digits)) {
            const struct sonde_choice *c = d.tape.choices;
            uint8_t *flag = &seen[c[0].index * 121 + c[1].index * 11 + c[2].index];
            assert_false(*flag);
            *flag = 1;
        }
        assert_int_equal(d.cases, 1331);
        assert_false(drive(&d, three_digits));
        driver_clear(&d);
    }
}

static void all_kinds_small(struct driver *d)
{
    static const unsigned weights[] = {0, 3, 0, 1, 0}; /* two alternatives that can be drawn */
    char text[64];
    draw(d, 1, SONDE_KIND_BOOL, 1);
    draw_weighted(d, 2, weights, 4);
    draw_text(d, 3, "ab", 0, 2, text); /* 1 + 2 + 4 */
    uint64_t n = draw(d, 4, SONDE_KIND_LENGTH, 2);
    for (uint64_t i = 0; i < n; i++) draw(d, 5, SONDE_KIND_PICK, 2); /* 1 + 3 + 9 */
    draw_text(d, 6, "x", 1, 2, text);                                /* 2 */
}

static void every_kind_of_choice_can_be_exhausted(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY};
    struct driver d;
    driver_init(&d, &sonde_guide_random, &setup);
    while (d.cases < 2000 && drive(&d, all_kinds_small)) continue;
    assert_false(drive(&d, all_kinds_small));
    assert_int_equal(d.cases, 2 * 2 * 7 * 13 * 2);
    driver_clear(&d);
}

static void overrunning_digits(struct driver *d)
{
    three_digits(d);
    if (d->tape.choices[0].index == 10) d->verdict = SONDE_OVERRUN;
}

static void no_claim_after_an_overrun(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY};
    struct driver d;
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 5000; i++) assert_true(drive(&d, overrunning_digits));
    driver_clear(&d);
}

static void no_claim_and_no_end_when_memory_is_short(void **state)
{
    (void)state;
    static const size_t memories[] = {0, 1, 1000, 8000};
    for (size_t k = 0; k < sizeof memories / sizeof *memories; k++) {
        struct sonde_guide_setup setup = {.seed = 1, .memory = memories[k]};
        struct driver d;
        driver_init(&d, &sonde_guide_random, &setup);
        for (int i = 0; i < 5000; i++) assert_true(drive(&d, three_digits));
        driver_clear(&d);
    }
}

static void fickle(struct driver *d)
{
    draw(d, 1, SONDE_KIND_BOOL, 1);
    if (d->cases % 3 == 1) draw(d, 2, SONDE_KIND_BOOL, 1);
}

static void no_claim_for_a_property_that_is_not_deterministic(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY};
    struct driver d;
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 100; i++) assert_true(drive(&d, fickle));
    driver_clear(&d);
}

static int64_t last_int;

static void any_int(struct driver *d)
{
    last_int = draw_int(d, 1, INT64_MIN, INT64_MAX);
}

static void boundary_values_and_the_dictionary_turn_up(void **state)
{
    (void)state;
    static const int64_t numbers[] = {123456789, -987654321};
    static const int64_t wanted[] = {0,   1,    -1,        INT64_MIN, INT64_MAX,  INT64_MIN + 1, INT64_MAX - 1, 255,
                                     256, -128, INT32_MAX, INT32_MIN, UINT32_MAX, 123456789,     -987654321};
    enum { N = sizeof wanted / sizeof *wanted };
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY, .numbers = numbers, .n_numbers = 2};
    bool seen[N] = {false};
    struct driver d;
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 40000; i++) {
        drive(&d, any_int);
        for (int k = 0; k < N; k++) seen[k] |= last_int == wanted[k];
    }
    for (int k = 0; k < N; k++) assert_true(seen[k]);
    driver_clear(&d);
}

static void wide_integers_come_in_all_widths(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 1};
    struct driver d;
    int widths[65] = {0};
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 20000; i++) {
        drive(&d, any_int);
        uint64_t index = d.tape.choices[0].index;
        widths[index ? 64 - __builtin_clzll(index) : 0]++;
    }
    for (int i = 0; i <= 64; i++) assert_true(widths[i] >= 30);
    assert_true(widths[64] > 3000); /* the uniform ones */
    driver_clear(&d);
}

static double last_double;

static void any_double(struct driver *d)
{
    last_double = draw_double(d, 1, -INFINITY, INFINITY);
}

static void odd_doubles_turn_up(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY};
    struct driver d;
    bool nan_seen = false, inf = false, minus_inf = false, minus_zero = false, subnormal = false, largest = false,
         third = false, tenth = false;
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 20000; i++) {
        drive(&d, any_double);
        double x = last_double;
        nan_seen |= isnan(x);
        inf |= isinf(x) && x > 0;
        minus_inf |= isinf(x) && x < 0;
        minus_zero |= x == 0 && signbit(x);
        subnormal |= x == 0x1p-1074;
        largest |= x == DBL_MAX;
        third |= x == 1.0 / 3;
        tenth |= x == 0.1;
    }
    assert_true(nan_seen && inf && minus_inf && minus_zero && subnormal && largest && third && tenth);
    driver_clear(&d);
}

static void double_in_range(struct driver *d)
{
    last_double = draw_double(d, 1, -2.5, 7.5);
}

static void the_ends_of_a_double_range_turn_up_and_nothing_outside(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY};
    struct driver d;
    bool lo = false, hi = false, zero = false;
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 5000; i++) {
        drive(&d, double_in_range);
        assert_true(last_double >= -2.5 && last_double <= 7.5);
        lo |= last_double == -2.5;
        hi |= last_double == 7.5;
        zero |= last_double == 0;
    }
    assert_true(lo && hi && zero);
    driver_clear(&d);
}

static char first_text[256], second_text[256];

static void two_texts(struct driver *d)
{
    draw_text(d, 1, NULL, 0, 30, first_text);
    draw_text(d, 2, NULL, 3, 30, second_text);
}

static void words_turn_up_whole_and_inside_and_texts_repeat(void **state)
{
    (void)state;
    static const char *const words[] = {"select", "N\xc3\xa4h", NULL}; /* the second is not printable ASCII */
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY, .words = words};
    struct driver d;
    int whole = 0, inside = 0, equal = 0, one_symbol = 0, empty = 0;
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 3000; i++) {
        drive(&d, two_texts);
        size_t n = strlen(first_text);
        whole += strcmp(first_text, "select") == 0;
        inside += n > 6 && strstr(first_text, "select") != NULL;
        equal += n >= 5 && strcmp(first_text, second_text) == 0;
        one_symbol += n >= 5 && strspn(first_text, (char[]){first_text[0], '\0'}) == n;
        empty += n == 0;
    }
    assert_true(whole > 5 && inside > 5 && equal > 3 && one_symbol > 5 && empty > 5);
    driver_clear(&d);
}

static void two_wide_ints(struct driver *d)
{
    draw_int(d, 1, 0, INT64_MAX);
    draw_int(d, 2, 0, INT64_MAX);
}

static void equal_values_turn_up(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY};
    struct driver d;
    int equal = 0;
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 5000; i++) {
        drive(&d, two_wide_ints);
        equal += d.tape.choices[0].index == d.tape.choices[1].index && d.tape.choices[0].index > 1000;
    }
    assert_true(equal > 3);
    driver_clear(&d);
}

static void ten_ints(struct driver *d)
{
    for (uint32_t i = 0; i < 10; i++) draw_int(d, i, 0, 100);
}

static void a_large_space_is_tested_on_and_on(void **state)
{
    (void)state;
    struct sonde_guide_setup setup = {.seed = 1, .memory = ROOMY};
    struct driver d;
    driver_init(&d, &sonde_guide_random, &setup);
    for (int i = 0; i < 150000; i++) assert_true(drive(&d, ten_ints)); /* past the point where the trie goes */
    driver_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_case_is_the_simplest),
        cmocka_unit_test(the_same_seed_makes_the_same_tapes),
        cmocka_unit_test(sizes_and_lengths_grow_over_the_first_cases),
        cmocka_unit_test(later_cases_are_mostly_large_with_a_tail_of_small_ones),
        cmocka_unit_test(a_small_space_is_walked_once_and_then_done),
        cmocka_unit_test(every_kind_of_choice_can_be_exhausted),
        cmocka_unit_test(no_claim_after_an_overrun),
        cmocka_unit_test(no_claim_and_no_end_when_memory_is_short),
        cmocka_unit_test(no_claim_for_a_property_that_is_not_deterministic),
        cmocka_unit_test(boundary_values_and_the_dictionary_turn_up),
        cmocka_unit_test(wide_integers_come_in_all_widths),
        cmocka_unit_test(odd_doubles_turn_up),
        cmocka_unit_test(the_ends_of_a_double_range_turn_up_and_nothing_outside),
        cmocka_unit_test(words_turn_up_whole_and_inside_and_texts_repeat),
        cmocka_unit_test(equal_values_turn_up),
        cmocka_unit_test(a_large_space_is_tested_on_and_on),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
