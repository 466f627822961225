/* Decimal numbers in strings; tests/cli/locale.sh reads them where the point is a comma. */
#include "lib/mocka.h"
#include "lib/short.h"

#include "base/decimal.h"

#include <sonde/extend.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <string.h>

static void assert_read(const char *text, size_t taken, double expected)
{
    double value = -1;
    assert_int_equal(sonde_read_decimal(text, strlen(text), &value), taken);
    if (taken) assert_true(value == expected);
    else assert_true(value == -1);
}

static void numbers_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    assert_read("0", 1, 0);
    assert_read("12.5", 4, 12.5);
    assert_read(".5", 2, 0.5);
    assert_read("5.", 2, 5);
    assert_read("1e3", 3, 1000);
    assert_read("1E-2x", 4, 0.01);
    assert_read("2e", 1, 2);
    assert_read("2e+", 1, 2);
    assert_read("30ms", 2, 30);
    assert_read("0,5", 1, 0);
    assert_read("", 0, 0);
    assert_read(".", 0, 0);
    assert_read("e5", 0, 0);
    assert_read("-1", 0, 0);
    assert_read("inf", 0, 0);
}

/* As printf has it, which is not to be had where this is needed. */
static void numbers_are_written_as_printf_would(void **state)
{
    (void)state;
    static const double known[] = {1,
                                   -1,
                                   0.1,
                                   1e22,
                                   1e23,
                                   9.9999999999999999e22,
                                   5e-324,
                                   -5e-324,
                                   DBL_MAX,
                                   DBL_MIN,
                                   0.5,
                                   1e-5,
                                   123456789.125,
                                   1e100,
                                   1e-100,
                                   3,
                                   -2.5,
                                   1 / 3.0,
                                   9007199254740994.0};
    struct sonde_rng rng;
    sonde_rng_seed(&rng, 1, 0);
    for (size_t i = 0; i < (is_short() ? 2000 : 20000); i++) {
        uint64_t bits = sonde_rng_next(&rng);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (i < sizeof known / sizeof *known) x = known[i];
        if (!isfinite(x) || x == 0) continue;
        char got[SONDE_DECIMAL], want[64];
        sonde_write_decimal(x, got);
        snprintf(want, sizeof want, "%.16e", x);
        assert_true(strtod(got, NULL) == x);
        assert_string_equal(got, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_as_printf_would),
        cmocka_unit_test(numbers_are_read_as_far_as_they_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
