/* Properties among the tests of a cmocka group: one holds, one is falsified, one is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sonde_cmocka.h"
#include "subject.h"

static void midpoint_of_two_and_four_is_three(void **state)
{
    (void)state;
    assert_int_equal(midpoint(2, 4), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(midpoint_of_two_and_four_is_three),
        sonde_cmocka_test(midpoint_lies_between),
        sonde_cmocka_test_with(careless_midpoint_lies_between, .tests = 500, .seed = 7),
        sonde_cmocka_test_with(nothing_is_known, .seconds = 0.2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
