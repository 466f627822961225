/* Orders: index and value lead to each other for every range, and the simple comes before the odd. */
#include "lib/mocka.h"
#include "lib/short.h"

#include "base/hash.h"
#include "tape/order.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Integers */

static void assert_int_bijection_at(int64_t lo, uint64_t max, uint64_t index)
{
    int64_t hi = (int64_t)((uint64_t)lo + max);
    int64_t value = sonde_int_value(lo, max, index);
    assert_true(value >= lo && value <= hi);
    assert_int_equal(sonde_int_index(lo, max, value), index);
}

static void small_ranges_hold_each_value_once(void **state)
{
    (void)state;
    for (int64_t lo = -12; lo <= 12; lo++) {
        for (uint64_t max = 0; max <= 24; max++) {
            uint32_t seen = 0;
            for (uint64_t i = 0; i <= max; i++) {
                assert_int_bijection_at(lo, max, i);
                seen |= 1u << (sonde_int_value(lo, max, i) - lo);
            }
            assert_int_equal(seen, (UINT32_C(2) << max) - 1);
        }
    }
}

static void wide_ranges_lead_there_and_back(void **state)
{
    (void)state;
    const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, INT32_MIN, -1000,         -1,       0,
                            1,         1000,          INT32_MAX, INT64_MAX - 1, INT64_MAX};
    enum { N = sizeof ends / sizeof *ends };
    for (size_t a = 0; a < N; a++) {
        for (size_t b = a; b < N; b++) {
            uint64_t max = (uint64_t)ends[b] - (uint64_t)ends[a];
            for (uint64_t i = 0; i < 50; i++) {
                uint64_t somewhere = sonde_mix(i + 1);
                assert_int_bijection_at(ends[a], max, max == UINT64_MAX ? somewhere : somewhere % (max + 1));
                if (i <= max) assert_int_bijection_at(ends[a], max, i);
                if (i <= max) assert_int_bijection_at(ends[a], max, max - i);
            }
        }
    }
}

static void zero_comes_first_then_one_then_minus_one(void **state)
{
    (void)state;
    const int64_t wanted[] = {0, 1, -1, 2, -2, 3, -3};
    for (uint64_t i = 0; i < 7; i++) {
        assert_int_equal(sonde_int_value(-1000, 2000, i), wanted[i]);
        assert_int_equal(sonde_int_value(INT64_MIN, UINT64_MAX, i), wanted[i]);
    }
}

static void beyond_the_shorter_side_the_longer_goes_on(void **state)
{
    (void)state;
    const int64_t up[] = {0, 1, -1, 2, 3, 4}, down[] = {0, 1, -1, -2, -3, -4};
    for (uint64_t i = 0; i < 6; i++) {
        assert_int_equal(sonde_int_value(-1, 5, i), up[i]);
        assert_int_equal(sonde_int_value(-4, 5, i), down[i]);
    }
}

static void without_zero_the_nearest_end_comes_first(void **state)
{
    (void)state;
    assert_int_equal(sonde_int_value(5, 10, 0), 5);
    assert_int_equal(sonde_int_value(5, 10, 10), 15);
    assert_int_equal(sonde_int_value(-15, 10, 0), -5);
    assert_int_equal(sonde_int_value(-15, 10, 10), -15);
    assert_int_equal(sonde_int_value(-15, 15, 0), 0);
}

static void the_full_width_reaches_both_ends(void **state)
{
    (void)state;
    assert_int_equal(sonde_int_value(INT64_MIN, UINT64_MAX, UINT64_MAX), INT64_MIN);
    assert_int_equal(sonde_int_value(INT64_MIN, UINT64_MAX, UINT64_MAX - 1), INT64_MIN + 1);
    assert_int_equal(sonde_int_value(INT64_MIN, UINT64_MAX, UINT64_MAX - 2), INT64_MAX);
}

/* ---- Doubles */

static const struct sonde_double_bounds any = {-INFINITY, INFINITY};

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void assert_round_trip(struct sonde_double_bounds b, double x)
{
    uint64_t index = sonde_double_index(b, x);
    assert_true(index <= sonde_double_max(b));
    double back = sonde_double_value(b, index);
    if (isnan(x)) assert_true(isnan(back) && !signbit(back) == !signbit(x));
    else assert_int_equal(bits_of(back), bits_of(x));
    assert_int_equal(sonde_double_index(b, back), index);
}

static void every_double_has_an_index(void **state)
{
    (void)state;
    const double odd[] = {0.0,          -0.0,          1,        -1,          .5,    DBL_MAX, -DBL_MAX, DBL_MIN,
                          DBL_TRUE_MIN, -DBL_TRUE_MIN, INFINITY, -INFINITY,   NAN,   -NAN,    0x1p51,   0x1p51 + 0.5,
                          0x1p52,       0x1p53,        -0x1p53,  DBL_MIN / 2, 1e-300};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_round_trip(any, odd[i]);
        if (!isfinite(odd[i])) continue;
        assert_round_trip(any, nextafter(odd[i], INFINITY));
        assert_round_trip(any, nextafter(odd[i], -INFINITY));
    }
    for (uint64_t i = 0; i < 200000; i++) assert_round_trip(any, of_bits(sonde_mix(i)));
}

static void every_exponent_has_an_index(void **state)
{
    (void)state;
    if (is_short()) return;
    for (uint64_t exponent = 0; exponent < 2047; exponent++) {
        for (uint64_t i = 0; i < 8; i++) {
            uint64_t fraction = (i < 4 ? sonde_mix(exponent * 8 + i) : i - 4) & ((UINT64_C(1) << 52) - 1);
            assert_round_trip(any, of_bits(exponent << 52 | fraction));
            assert_round_trip(any, of_bits(UINT64_C(1) << 63 | exponent << 52 | fraction));
        }
    }
}

static void assert_before(struct sonde_double_bounds b, double first, double second)
{
    if (sonde_double_index(b, first) >= sonde_double_index(b, second)) print_error("%g, %g\n", first, second);
    assert_true(sonde_double_index(b, first) < sonde_double_index(b, second));
}

static void simple_doubles_come_first(void **state)
{
    (void)state;
    const double wanted[] = {0,    1,     -1,      2,        -2,   1000,     1e15,      .5, -.5,
                             1.5,  2.5,   1000.5,  .25,      .75,  -.75,     1.25,      .1, DBL_TRUE_MIN,
                             1e16, 1e300, DBL_MAX, -DBL_MAX, -0.0, INFINITY, -INFINITY, NAN};
    for (size_t i = 1; i < sizeof wanted / sizeof *wanted; i++) assert_before(any, wanted[i - 1], wanted[i]);
    assert_int_equal(sonde_double_index(any, 0), 0);
    assert_int_equal(sonde_double_index(any, -1), 2);
}

static void doubles_stay_in_their_range(void **state)
{
    (void)state;
    if (is_short()) return;
    const struct sonde_double_bounds ranges[] = {{0, 1},
                                                 {-1, 1},
                                                 {.1, .2},
                                                 {-1e300, 1e300},
                                                 {1e10, 1e11},
                                                 {-DBL_MAX, DBL_MAX},
                                                 {0, DBL_TRUE_MIN},
                                                 {1, nextafter(1, 2)},
                                                 {-5.5, -5.25},
                                                 {0x1p60, 0x1p61},
                                                 {-0.0, 0x1p-1000},
                                                 {-1, DBL_MAX},
                                                 {1e-320, 1e-310}};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        struct sonde_double_bounds b = ranges[r];
        uint64_t max = sonde_double_max(b);
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t index = i < 1000 ? i : i < 2000 ? max - (i - 1000) : sonde_mix(i) % (max + 1);
            double x = sonde_double_value(b, index);
            assert_true(x >= b.lo && x <= b.hi);
            assert_true(sonde_double_index(b, x) <= max);
            assert_round_trip(b, x);
        }
        assert_round_trip(b, b.lo);
        assert_round_trip(b, b.hi);
    }
}

static void a_range_of_one_double_is_forced(void **state)
{
    (void)state;
    struct sonde_double_bounds b = {.3, .3};
    assert_int_equal(sonde_double_max(b), 0);
    assert_true(sonde_double_value(b, 0) == .3);
}

static void what_lies_outside_is_folded_in(void **state)
{
    (void)state;
    const double outside[] = {-1, 2, 1e300, INFINITY, NAN, -INFINITY, 2.5};
    struct sonde_double_bounds b = {0, 1};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        double x = sonde_double_value(b, sonde_double_index(b, outside[i]));
        assert_true(x >= 0 && x <= 1);
    }
    assert_true(sonde_double_value(b, sonde_double_index(b, 2.5)) == .5); /* the fraction is kept */
}

static void a_range_from_zero_has_no_minus_zero(void **state)
{
    (void)state;
    struct sonde_double_bounds from_zero = {0, 1}, from_minus_zero = {-0.0, 1};
    uint64_t max = sonde_double_max(from_zero);
    for (uint64_t i = 0; i < 10; i++) assert_false(signbit(sonde_double_value(from_zero, max - i)));
    assert_int_equal(sonde_double_index(from_zero, -0.0), 0);
    assert_round_trip(from_minus_zero, -0.0);
}

/* ---- Alphabets */

static void assert_alphabet(struct sonde_alphabet a)
{
    for (uint32_t s = 0; s < a.size; s++) {
        uint32_t code = sonde_alphabet_code(&a, s);
        assert_int_equal(sonde_alphabet_symbol(&a, code), s);
    }
    assert_int_equal(sonde_alphabet_code(&a, a.size), UINT32_MAX);
}

static void symbols_and_codes_lead_to_each_other(void **state)
{
    (void)state;
    if (is_short()) return;
    assert_alphabet(sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL));
    assert_alphabet(sonde_alphabet_make(SONDE_ALPHABET_PRINTABLE, NULL));
    assert_alphabet(sonde_alphabet_make(SONDE_ALPHABET_UTF8, NULL));
    assert_alphabet(sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "ac\xc3\xa9\xf0\x9f\x98\x80z"));
    assert_alphabet(sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "abcdefghijklmnop")); /* whole words of ASCII */
    assert_alphabet(sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "abcdefghij\xc3\xa9"
                                                               "klmnopqrstuvwxyz\xe2\x82\xac"));
}

static void letters_come_first_and_all_printable_ones_are_there(void **state)
{
    (void)state;
    struct sonde_alphabet a = sonde_alphabet_make(SONDE_ALPHABET_PRINTABLE, NULL);
    assert_int_equal(a.size, 95);
    assert_int_equal(sonde_alphabet_code(&a, 0), 'a');
    assert_int_equal(sonde_alphabet_code(&a, 1), 'b');
    assert_int_equal(sonde_alphabet_symbol(&a, '\n'), UINT32_MAX);
    assert_int_equal(sonde_alphabet_symbol(&a, 0xe9), UINT32_MAX);
}

static void utf8_has_every_code_point_but_nul_and_surrogates(void **state)
{
    (void)state;
    struct sonde_alphabet a = sonde_alphabet_make(SONDE_ALPHABET_UTF8, NULL);
    assert_int_equal(a.size, 0x110000 - 0x800 - 1);
    assert_int_equal(sonde_alphabet_symbol(&a, 0), UINT32_MAX);
    assert_int_equal(sonde_alphabet_symbol(&a, 0xd800), UINT32_MAX);
    assert_int_equal(sonde_alphabet_symbol(&a, 0xdfff), UINT32_MAX);
    assert_int_equal(sonde_alphabet_symbol(&a, 0x110000), UINT32_MAX);
}

static void a_custom_alphabet_counts_characters_not_bytes(void **state)
{
    (void)state;
    struct sonde_alphabet a = sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "\xc3\xa4\xc3\xb6z");
    assert_int_equal(a.size, 3);
    assert_int_equal(sonde_alphabet_code(&a, 1), 0xf6);
    assert_int_equal(sonde_alphabet_symbol(&a, 'y'), UINT32_MAX);
}

static void utf8_is_written_as_it_is_read(void **state)
{
    (void)state;
    if (is_short()) return;
    for (uint32_t code = 1; code < 0x110000; code += code < 0x1000 ? 1 : 37) {
        if (code >= 0xd800 && code < 0xe000) continue;
        char text[4];
        uint32_t back;
        unsigned n = sonde_utf8_encode(code, text);
        assert_int_equal(sonde_utf8_decode(text, n, &back), n);
        assert_int_equal(back, code);
    }
}

static void broken_utf8_is_read_byte_by_byte(void **state)
{
    (void)state;
    const char *const broken[] = {"\x80", "\xff", "\xc3", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                  "\xc3z"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        uint32_t code;
        assert_int_equal(sonde_utf8_decode(broken[i], strlen(broken[i]), &code), 1);
        assert_int_equal(code, (unsigned char)broken[i][0]);
    }
}

/* hi - lo overflows; each share of the way must be another value all the same. */
static void shares_of_the_widest_range_differ(void **state)
{
    (void)state;
    const struct sonde_double_bounds widest = {-DBL_MAX, DBL_MAX}, narrow = {2, 6};
    assert_true(sonde_double_between(widest, 0) == -DBL_MAX && sonde_double_between(widest, 1) == DBL_MAX);
    assert_true(sonde_double_between(widest, 0.5) == 0);
    for (int i = 0; i < 64; i++)
        assert_true(sonde_double_between(widest, i / 64.0) < sonde_double_between(widest, (i + 1) / 64.0));
    assert_true(sonde_double_between(narrow, 0.25) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_ranges_hold_each_value_once),
        cmocka_unit_test(wide_ranges_lead_there_and_back),
        cmocka_unit_test(zero_comes_first_then_one_then_minus_one),
        cmocka_unit_test(beyond_the_shorter_side_the_longer_goes_on),
        cmocka_unit_test(without_zero_the_nearest_end_comes_first),
        cmocka_unit_test(the_full_width_reaches_both_ends),
        cmocka_unit_test(every_double_has_an_index),
        cmocka_unit_test(every_exponent_has_an_index),
        cmocka_unit_test(simple_doubles_come_first),
        cmocka_unit_test(shares_of_the_widest_range_differ),
        cmocka_unit_test(doubles_stay_in_their_range),
        cmocka_unit_test(a_range_of_one_double_is_forced),
        cmocka_unit_test(what_lies_outside_is_folded_in),
        cmocka_unit_test(a_range_from_zero_has_no_minus_zero),
        cmocka_unit_test(symbols_and_codes_lead_to_each_other),
        cmocka_unit_test(letters_come_first_and_all_printable_ones_are_there),
        cmocka_unit_test(utf8_has_every_code_point_but_nul_and_surrogates),
        cmocka_unit_test(a_custom_alphabet_counts_characters_not_bytes),
        cmocka_unit_test(utf8_is_written_as_it_is_read),
        cmocka_unit_test(broken_utf8_is_read_byte_by_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
