/* Adapter for the Check framework: runs sonde properties as tests. Outside of any function, define a test for a
 * property; then add it like any other:
 *
 *     SONDE_CHECK_TEST(reversing_test, reversing_twice_changes_nothing)
 *     SONDE_CHECK_TEST_WITH(sorting_test, sorting_sorts, .tests = 500, .seed = 7)      // anything of a sonde_config
 *     ...
 *     tcase_add_test(tcase, reversing_test);
 *     tcase_set_timeout(tcase, 60);
 *
 * In C++ the settings are statements: SONDE_CHECK_TEST_WITH(test, f, config.tests = 500; config.seed = 7). Cases are
 * then left by an exception, so that destructors run (see sonde.hpp).
 *
 * A property that is falsified, or finds too few valid inputs, fails with its message and token. Cases run in a
 * forked worker, unless `.isolate` is set. There a crash, hang or exit is a failure like any other.
 *
 * Check ends a test after 4 seconds, so a property gets 2 here unless `.seconds` is set. Shrinking takes extra time,
 * most of all for a hang: raise Check's limit with tcase_set_timeout.
 *
 * ck_assert and related macros inside a property fail the case, with their message and location, and such failures
 * shrink. That holds for files that include this header, with and without Check's fork mode. In other files the
 * message is missing. */
#ifndef SONDE_CHECK_H
#define SONDE_CHECK_H

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#ifdef __cplusplus
#include <sonde.hpp>
#else
#include <sonde.h>
#endif

/* Reports a failed assertion of Check; every failed assertion calls this. In a property it fails the case;
 * elsewhere it calls Check. */
__attribute__((noreturn, format(printf, 4, 5))) static inline void sonde_check_failed_(const char *file, int line,
                                                                                       const char *expression,
                                                                                       const char *format, ...)
{
    char text[1024];
    sonde *t = sonde_current();
    va_list args;
    snprintf(text, sizeof text, "%s", expression);
    va_start(args, format);
    if (format) vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (t) sonde_fail_at(t, file, line, "%s", text);
    _ck_assert_failed(file, line, expression, "%s", text);
}
#define _ck_assert_failed(...) sonde_check_failed_(__VA_ARGS__)

static inline void sonde_check_no_words_(sonde_jump_ *jump)
{
    (void)jump;
}

static inline void sonde_check_run_(sonde_property_fn *property, const char *words, sonde_config config)
{
    sonde_result result, *wanted = config.result;
    config.result = &result;
    if (config.seconds <= 0) config.seconds = 2;
    if (config.isolate == SONDE_ISOLATE_DEFAULT) config.isolate = SONDE_ISOLATE_WORKER;
    sonde_jump_fn_ *before = sonde_on_jump_(sonde_check_no_words_);
    int status = sonde_run(property, &config);
    sonde_on_jump_(before);
    if (wanted) *wanted = result;
    if (status == SONDE_FALSIFIED && result.token[0])
        ck_abort_msg("%s\nreplay with sonde_replay(%s, \"%s\")\nseed %llu", result.message, words, result.token,
                     (unsigned long long)result.seed);
    if (status != SONDE_PASSED) ck_abort_msg("%s\nseed %llu", result.message, (unsigned long long)result.seed);
}

#ifdef __cplusplus
#define SONDE_CHECK_TEST_WITH(test, function, ...)                                                                     \
    START_TEST(test)                                                                                                   \
    {                                                                                                                  \
        static const std::string name = sondecpp::name_of(#function); /* survives the longjmp of a failure */          \
        sonde_config config = sonde_config();                                                                          \
        config.name = name.c_str();                                                                                    \
        __VA_ARGS__;                                                                                                   \
        sonde_check_run_(&sondecpp::property<function>, #function, config);                                            \
    }                                                                                                                  \
    END_TEST
#define SONDE_CHECK_TEST(test, function) SONDE_CHECK_TEST_WITH(test, function, (void)0)
#else
#define SONDE_CHECK_TEST_WITH(test, function, ...)                                                                     \
    START_TEST(test)                                                                                                   \
    {                                                                                                                  \
        sonde_config config = {.name = #function, __VA_ARGS__};                                                        \
        sonde_check_run_((function), #function, config);                                                               \
    }                                                                                                                  \
    END_TEST
#define SONDE_CHECK_TEST(test, function) SONDE_CHECK_TEST_WITH(test, function, .result = NULL)
#endif

#endif
