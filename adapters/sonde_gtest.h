/* sonde properties as GoogleTest tests (1.10 or later):
 *
 *     SONDE_GTEST(Text, reversing_twice_changes_nothing)
 *     SONDE_GTEST_WITH(Text, sorting_sorts, config.tests = 500; config.seed = 7)      // statements on a sonde_config
 *
 * The property is an ordinary function, defined before. One that is falsified fails with its message and token, after
 * the report on standard error; one that finds too few valid inputs is skipped. Cases are left by an exception, so
 * destructors run, and an exception that comes out of the property is a failure (see sonde.hpp). They run in a forked
 * worker, where a crash, hang or exit is a failure like any other, unless config.isolate says otherwise.
 *
 * Inside a property use sonde_check, not EXPECT_* or ASSERT_*: they would not shrink. */
#ifndef SONDE_GTEST_H
#define SONDE_GTEST_H

#include <gtest/gtest.h>
#include <sonde.hpp>

namespace sonde_gtest_
{

struct property {
    sonde_property_fn *run;
    const char *words; /* as it was given to the macro */
    std::string name;
    const char *file;
    int line;
    void (*set)(sonde_config &config);
};

class test : public ::testing::Test
{
  public:
    explicit test(const property &p) : p_(p) {}

    void TestBody() override
    {
        sonde_result result = sonde_result();
        sonde_config config = sonde_config();
        config.name = p_.name.c_str();
        config.result = &result;
        config.isolate = SONDE_ISOLATE_WORKER;
        p_.set(config);
        int status = sonde_run(p_.run, &config);
        const sonde_result &said = config.result ? *config.result : result;
        if (status == SONDE_GAVE_UP) GTEST_SKIP() << said.message;
        if (status == SONDE_PASSED) return;
        ADD_FAILURE_AT(p_.file, p_.line) << said.message << (said.token[0] ? "\nreplay with sonde_replay(" : "")
                                         << (said.token[0] ? p_.words : "") << (said.token[0] ? ", \"" : "")
                                         << said.token << (said.token[0] ? "\")" : "") << "\nseed " << said.seed;
    }

  private:
    property p_;
};

inline ::testing::TestInfo *add(const char *suite, const property &p)
{
    return ::testing::RegisterTest(suite, p.name.c_str(), nullptr, nullptr, p.file, p.line,
                                   [p]() -> ::testing::Test * { return new test(p); });
}

} /* namespace sonde_gtest_ */

#define SONDE_GTEST_WITH(suite, function, ...)                                                                         \
    __attribute__((unused)) static ::testing::TestInfo *const SONDE_JOIN_(sonde_gtest_at_, __LINE__) =                 \
        sonde_gtest_::add(#suite, {&sondecpp::property<function>, #function, sondecpp::name_of(#function), __FILE__,   \
                                   __LINE__, [](sonde_config &config) {                                                \
                                       (void)config;                                                                   \
                                       __VA_ARGS__;                                                                    \
                                   }});
#define SONDE_GTEST(suite, function) SONDE_GTEST_WITH(suite, function, (void)0)

#endif
