/* sonde properties as tests of the Check framework. Outside of any function, turn a property into a test; then add it
 * like any other:
 *
 *     SONDE_CHECK_TEST(reversing_test, reversing_twice_changes_nothing)
 *     SONDE_CHECK_TEST_WITH(sorting_test, sorting_sorts, .tests = 500, .seed = 7)      // anything of a sonde_config
 *     ...
 *     tcase_add_test(tcase, reversing_test);
 *
 * A property that is falsified, or finds too few valid inputs, fails with its message and token. Check ends a test
 * after 4 seconds; so a property gets 2 here unless `.seconds` and tcase_set_timeout say otherwise. Inside a property
 * use sonde_check, not ck_assert. */
#ifndef SONDE_CHECK_H
#define SONDE_CHECK_H

#include <check.h>
#include <sonde.h>

static inline void sonde_check_run_(sonde_property_fn *property, sonde_config config)
{
    sonde_result result, *wanted = config.result;
    config.result = &result;
    int status = sonde_run(property, &config);
    if (wanted) *wanted = result;
    if (status == SONDE_FALSIFIED)
        ck_abort_msg("%s\nreplay with sonde_replay(%s, \"%s\")", result.message, config.name, result.token);
    if (status != SONDE_PASSED) ck_abort_msg("%s", result.message);
}

#define SONDE_CHECK_TEST_WITH(test, property, ...)                                                                     \
    static sonde_config test##_config_(void)                                                                           \
    {                                                                                                                  \
        sonde_config config = {.name = #property, __VA_ARGS__};                                                        \
        if (config.seconds <= 0) config.seconds = 2;                                                                   \
        return config;                                                                                                 \
    }                                                                                                                  \
    START_TEST(test)                                                                                                   \
    {                                                                                                                  \
        sonde_check_run_((property), test##_config_());                                                                \
    }                                                                                                                  \
    END_TEST
#define SONDE_CHECK_TEST(test, property) SONDE_CHECK_TEST_WITH(test, property, .result = NULL)

#endif
