/* Adapter for cmocka: runs sonde properties as tests. Include cmocka.h first, then put properties among the tests of
 * a group:
 *
 *     const struct CMUnitTest tests[] = {
 *         cmocka_unit_test(an_ordinary_test),
 *         sonde_cmocka_test(reversing_twice_changes_nothing),
 *         sonde_cmocka_test_with(sorting_sorts, .tests = 500, .seed = 7),      // anything of a sonde_config
 *     };
 *
 * In C++ the settings are statements: sonde_cmocka_test_with(f, config.tests = 500; config.seed = 7). Cases are then
 * left by an exception, so that destructors run (see sonde.hpp).
 *
 * A property that is falsified fails with its message and token, after the report on standard error. One that finds
 * too few valid inputs is skipped. Cases run in a forked worker, unless `.isolate` is set. There a crash, hang or
 * exit is a failure like any other.
 *
 * cmocka's assertions (assert_*, fail, and checks of mocks) inside a property fail the case, with their message and
 * location, and such failures shrink. That needs the GNU C library; elsewhere use sonde_check. skip() discards the
 * case. */
#ifndef SONDE_CMOCKA_H
#define SONDE_CMOCKA_H

#ifdef __cplusplus
#pragma push_macro("fail") /* cmocka's macro breaks headers of the standard library */
#undef fail
#include <deque>
#include <sonde.hpp>
#pragma pop_macro("fail")
#else
#include <sonde.h>
#endif

/* Describes an assertion that has failed inside a property; cmocka is about to jump to its runner. */
static inline void sonde_cmocka_describe_(sonde_jump_ *jump)
{
    sonde_cmocka_words_(_fail, jump);
}

/* Discards the case on skip() inside a property. cmocka would mark the whole test as skipped, even one that fails
 * afterwards. */
static inline void sonde_cmocka_skip_(const char *file, int line)
{
    sonde *t = sonde_current();
    if (t) sonde_discard_(t, file, line, "skip()");
    _skip(file, line);
}
#undef skip
#define skip() sonde_cmocka_skip_(__FILE__, __LINE__)

struct sonde_cmocka_ {
    sonde_property_fn *property;
    const char *words;
    sonde_config config;
};

static inline void sonde_cmocka_run_(void **state)
{
    const struct sonde_cmocka_ *test = (const struct sonde_cmocka_ *)*state;
    sonde_config config = test->config;
    sonde_result result;
    config.result = &result;
    if (config.isolate == SONDE_ISOLATE_DEFAULT) config.isolate = SONDE_ISOLATE_WORKER;
    sonde_jump_fn_ *before = sonde_on_jump_(sonde_cmocka_describe_);
    int status = sonde_run(test->property, &config);
    sonde_on_jump_(before);
    if (test->config.result) *test->config.result = result;
    if (status == SONDE_PASSED) return;
    if (status == SONDE_GAVE_UP) {
        print_message("%s: %s\n", config.name, result.message);
        skip();
    }
    if (!result.token[0]) fail_msg("%s\nseed %llu", result.message, (unsigned long long)result.seed);
    fail_msg("%s\nreplay with sonde_replay(%s, \"%s\")\nseed %llu", result.message, test->words, result.token,
             (unsigned long long)result.seed);
}

#ifdef __cplusplus
inline CMUnitTest sonde_cmocka_make_(const char *words, sonde_property_fn *property, void (*set)(sonde_config &config))
{
    struct kept {
        sonde_cmocka_ test;
        std::string name;
    };
    static std::deque<kept> all; /* kept until the program ends */
    all.push_back(kept());
    all.back().name = sondecpp::name_of(words);
    all.back().test.property = property;
    all.back().test.words = words;
    all.back().test.config.name = all.back().name.c_str();
    set(all.back().test.config);
    CMUnitTest test = CMUnitTest();
    test.name = all.back().name.c_str();
    test.test_func = sonde_cmocka_run_;
    test.initial_state = &all.back().test;
    return test;
}
#define sonde_cmocka_test_with(function, ...)                                                                          \
    sonde_cmocka_make_(#function, &sondecpp::property<function>, [](sonde_config &config) {                            \
        (void)config;                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    })
#define sonde_cmocka_test(function) sonde_cmocka_test_with(function, (void)0)
#else
#define sonde_cmocka_test_with(function, ...)                                                                          \
    {                                                                                                                  \
#function, sonde_cmocka_run_, NULL, NULL, &(struct sonde_cmocka_)                                              \
        {                                                                                                              \
            (function), #function,                                                                                     \
            {                                                                                                          \
                .name = #function, __VA_ARGS__                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }
#define sonde_cmocka_test(function) sonde_cmocka_test_with(function, .result = NULL)
#endif

#endif
