/* sonde properties as GoogleTest tests:
 *
 *     SONDE_GTEST(Text, reversing_twice_changes_nothing)
 *     SONDE_GTEST_WITH(Text, sorting_sorts, config.tests = 500; config.seed = 7)      // statements on a sonde_config
 *
 * The property is an ordinary function, defined before. One that is falsified fails with its message and token, after
 * the report on standard error; one that finds too few valid inputs is skipped. Inside a property use sonde_check, not
 * EXPECT_* or ASSERT_*: they would not shrink. */
#ifndef SONDE_GTEST_H
#define SONDE_GTEST_H

#include <gtest/gtest.h>
#include <sonde.h>

#define SONDE_GTEST_WITH(suite, property, settings)                                                                    \
    TEST(suite, property)                                                                                              \
    {                                                                                                                  \
        sonde_result result = sonde_result();                                                                          \
        sonde_config config = sonde_config();                                                                          \
        config.name = #property;                                                                                       \
        config.result = &result;                                                                                       \
        settings;                                                                                                      \
        int status = sonde_run(property, &config);                                                                     \
        if (status == SONDE_GAVE_UP) GTEST_SKIP() << result.message;                                                   \
        if (status != SONDE_PASSED)                                                                                    \
            FAIL() << result.message << "\nreplay with sonde_replay(" #property ", \"" << result.token << "\")";       \
    }
#define SONDE_GTEST(suite, property) SONDE_GTEST_WITH(suite, property, (void)0)

#endif
