/* Arithmetic of integers. Numbers of 128 bits: the conversion for compilers without __int128 gives the same results as the one for compilers
 * with it. */
#include "lib/mocka.h"

#include "base/wide.h"

#include <sonde/extend.h>

#ifdef __SIZEOF_INT128__
static void same(sonde_wide value)
{
    double want = (double)value, is = sonde_wide_round(value);
    assert_memory_equal(&is, &want, sizeof is);
}

static void around(sonde_wide value)
{
    for (int by = -3; by <= 3; by++) {
        same(value + by);
        same(-(value + by));
    }
}

static void powers_and_halves_round_as_the_compiler_rounds(void **state)
{
    (void)state;
    for (int bit = 0; bit < 126; bit++) {
        sonde_wide power = (sonde_wide)1 << bit;
        around(power);
        /* As far above the power as half of the lowest bit that a double keeps, and with that bit set. */
        if (bit >= 54) around(power + (power >> 53));
        if (bit >= 54) around(power + (power >> 52) + (power >> 53));
    }
}

static void numbers_of_every_length_round_as_the_compiler_rounds(void **state)
{
    (void)state;
    struct sonde_rng rng;
    sonde_rng_seed(&rng, 1, 0);
    for (int i = 0; i < 100000; i++) {
        sonde_wide high = (int64_t)sonde_rng_next(&rng);
        sonde_wide value =
            (high * ((sonde_wide)1 << 62) + (int64_t)(sonde_rng_next(&rng) >> 2)) >> sonde_rng_next(&rng) % 126;
        same(value);
    }
}
#endif

static void small_numbers_stay_what_they_are(void **state)
{
    (void)state;
    for (int i = -1000; i <= 1000; i++) assert_true(sonde_wide_round(i) == i);
    assert_true(sonde_wide_round((sonde_wide)UINT64_MAX * 2) == 0x1p65);
    assert_true(sonde_wide_round(-(sonde_wide)UINT64_MAX * INT64_MAX) == -0x1p127);
}

static void common_divisors(void **state)
{
    (void)state;
    assert_int_equal(sonde_gcd(600, 400), 200);
    assert_int_equal(sonde_gcd(7, 12), 1);
    assert_int_equal(sonde_gcd(0, 9), 9);
    assert_int_equal(sonde_gcd(9, 0), 9);
    assert_int_equal(sonde_gcd(0, 0), 0);
    assert_true(sonde_gcd(UINT64_MAX, UINT64_MAX / 3) == UINT64_MAX / 3);
    assert_true(sonde_gcd(sonde_magnitude(INT64_MIN), sonde_magnitude(-6)) == 2);
}

static void magnitudes_have_no_sign(void **state)
{
    (void)state;
    assert_true(sonde_magnitude(INT64_MIN) == UINT64_C(1) << 63);
    assert_true(sonde_magnitude(INT64_MAX) == INT64_MAX);
    assert_true(sonde_magnitude(-3) == 3 && sonde_magnitude(0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef __SIZEOF_INT128__
        cmocka_unit_test(powers_and_halves_round_as_the_compiler_rounds),
        cmocka_unit_test(numbers_of_every_length_round_as_the_compiler_rounds),
#endif
        cmocka_unit_test(small_numbers_stay_what_they_are),
        cmocka_unit_test(common_divisors),
        cmocka_unit_test(magnitudes_have_no_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
