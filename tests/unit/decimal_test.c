/* Decimal numbers in texts; tests/cli/locale.sh reads them where the point is a comma. */
#include "lib/mocka.h"

#include "base/decimal.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_far_as_they_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
