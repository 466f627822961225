/* The distance of misspelt names. */
#include "lib/mocka.h"

#include "base/strings.h"

#include <stdint.h>

static void a_distance_counts_edits(void **state)
{
    (void)state;
    assert_int_equal(sonde_distance("derive", "derive", 6), 0);
    assert_int_equal(sonde_distance("derive", "derve", 5), 1);
    assert_int_equal(sonde_distance("--sanitize", "--santize=address", 9), 1);
    assert_int_equal(sonde_distance("kitten", "sitting", 7), 3);
    assert_int_equal(sonde_distance("new", "nwe", 3), 1);
    assert_int_equal(sonde_distance("tests", "tset", 4), 2);
    assert_int_equal(sonde_distance("ab", "ba", 1), 1);
    assert_int_equal(sonde_distance("", "abc", 3), 3);
    assert_int_equal(sonde_distance("abc", "", 0), 3);
}

static void long_names_are_not_compared(void **state)
{
    (void)state;
    char name[100] = "";
    memset(name, 'x', sizeof name - 1);
    assert_true(sonde_distance("x", name, sizeof name - 1) == SIZE_MAX);
    assert_true(sonde_distance(name, "x", 1) == SIZE_MAX);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distance_counts_edits),
        cmocka_unit_test(long_names_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
