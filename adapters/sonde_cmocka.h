/* sonde properties as cmocka tests. Include cmocka.h first, then put properties among the tests of a group:
 *
 *     const struct CMUnitTest tests[] = {
 *         cmocka_unit_test(an_ordinary_test),
 *         sonde_cmocka_test(reversing_twice_changes_nothing),
 *         sonde_cmocka_test_with(sorting_sorts, .tests = 500, .seed = 7),      // anything of a sonde_config
 *     };
 *
 * A property that is falsified fails with its message and token, after the report on standard error; one that finds
 * too few valid inputs is skipped. Inside a property use sonde_check, not assert_*: those leave without telling. */
#ifndef SONDE_CMOCKA_H
#define SONDE_CMOCKA_H

#include <sonde.h>

struct sonde_cmocka_ {
    sonde_property_fn *property;
    sonde_config config;
};

static inline void sonde_cmocka_run_(void **state)
{
    const struct sonde_cmocka_ *test = (const struct sonde_cmocka_ *)*state;
    sonde_config config = test->config;
    sonde_result result;
    config.result = &result;
    int status = sonde_run(test->property, &config);
    if (test->config.result) *test->config.result = result;
    if (status == SONDE_PASSED) return;
    if (status == SONDE_GAVE_UP) {
        print_message("%s: %s\n", config.name, result.message);
        skip();
    }
    fail_msg("%s\nreplay with sonde_replay(%s, \"%s\")", result.message, config.name, result.token);
}

#define sonde_cmocka_test_with(property, ...)                                                                          \
    {                                                                                                                  \
#property, sonde_cmocka_run_, NULL, NULL, &(struct sonde_cmocka_)                                              \
        {                                                                                                              \
            (property),                                                                                                \
            {                                                                                                          \
                .name = #property, __VA_ARGS__                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }
#define sonde_cmocka_test(property) sonde_cmocka_test_with(property, .result = NULL)

#endif
