/* Adapter for GoogleTest (1.10 or later): runs sonde properties as tests.
 *
 *     SONDE_GTEST(Text, reversing_twice_changes_nothing)
 *     SONDE_GTEST_WITH(Text, sorting_sorts, config.tests = 500; config.seed = 7)      // statements on a sonde_config
 *
 * The property is an ordinary function, defined before. If it is falsified, the test fails with its message and token,
 * after the report on standard error. If it finds too few valid inputs, the test is skipped. Cases are left by an
 * exception, so that destructors run. An exception that escapes the property is a failure (see sonde.hpp). Cases run
 * in a forked worker, unless config.isolate is set. There a crash, hang or exit is a failure like any other.
 *
 * EXPECT_* and ASSERT_* inside a property, in its deferred functions and in its threads fail the case. The failure
 * has their message and location, and it shrinks; the test fails once. GTEST_SKIP discards the case. As usual in
 * GoogleTest, an ASSERT_* leaves the function that it is in.
 *
 * In files that include this header, sonde_run inside a TEST is sonde_gtest_run, with the same effects. In other
 * files call sonde_gtest_run: with plain sonde_run, an EXPECT_* that fails in a worker is lost. */
#ifndef SONDE_GTEST_H
#define SONDE_GTEST_H

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <sonde.hpp>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace sonde_gtest_
{

struct kept {
    ::testing::TestPartResultArray all;
};

/* While an object of this class lives, assertions are redirected to the running case, in this process and in the
 * workers that it forks. */
class listener : private kept, public ::testing::ScopedFakeTestPartResultReporter
{
  public:
    listener()
        : ScopedFakeTestPartResultReporter(INTERCEPT_ALL_THREADS, &all), process_(getpid()),
          before_(sonde_on_jump_(none))
    {
    }
    ~listener() override { sonde_on_jump_(before_); }

    void ReportTestPartResult(const ::testing::TestPartResult &result) override
    {
        sonde *t = sonde_current();
        if (result.passed()) return;
        if (!t) outside(result);
        else if (result.skipped()) sonde_discard_(t, nullptr, 0, "GTEST_SKIP");
        else sonde_failed_at(t, result.file_name(), result.line_number(), "%s", result.message());
    }

    /* Repeats the reports made while no case ran. Call it after the listener is gone. */
    static void repeat(const ::testing::TestPartResultArray &all)
    {
        for (int i = 0; i < all.size(); i++) {
            const ::testing::TestPartResult &r = all.GetTestPartResult(i);
            ADD_FAILURE_AT(r.file_name() ? r.file_name() : "", r.line_number()) << r.message();
        }
    }
    const ::testing::TestPartResultArray &reported() const { return all; }

  private:
    /* Handles a report made before or after the cases. A worker cannot pass it on: it aborts, and sonde reports the
     * location. */
    void outside(const ::testing::TestPartResult &result)
    {
        if (getpid() == process_) {
            all.Append(result);
            return;
        }
        fprintf(stderr, "%s:%d: %s\n", result.file_name() ? result.file_name() : "?", result.line_number(),
                result.message());
        abort();
    }

    static void none(sonde_jump_ *) {}

    pid_t process_;
    sonde_jump_fn_ *before_;
};

/* Runs sonde_run with the assertions of GoogleTest as failures of the case. */
inline int run(sonde_property_fn *property, const sonde_config *config)
{
    ::testing::TestPartResultArray reported;
    int status;
    {
        listener here;
        status = sonde_run(property, config);
        for (int i = 0; i < here.reported().size(); i++) reported.Append(here.reported().GetTestPartResult(i));
    }
    listener::repeat(reported);
    return status;
}

struct property {
    sonde_property_fn *run;
    const char *words; /* the property as it was written in the macro */
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
        int status = sonde_gtest_::run(p_.run, &config);
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

/* Runs a property like sonde_run, inside a TEST. Returns an enum sonde_status. */
__attribute__((warn_unused_result)) inline int sonde_gtest_run(sonde_property_fn *property, const sonde_config *config)
{
    return sonde_gtest_::run(property, config);
}
/* Replaces sonde_run, with which an EXPECT_* that fails in a worker would be lost. */
#undef sonde_run
#define sonde_run(...) sonde_gtest_run(__VA_ARGS__)

#define SONDE_GTEST_WITH(suite, function, ...)                                                                         \
    __attribute__((unused)) static ::testing::TestInfo *const SONDE_JOIN_(sonde_gtest_at_, __LINE__) =                 \
        sonde_gtest_::add(#suite, {&sondecpp::property<function>, #function, sondecpp::name_of(#function), __FILE__,   \
                                   __LINE__, [](sonde_config &config) {                                                \
                                       (void)config;                                                                   \
                                       __VA_ARGS__;                                                                    \
                                   }});
#define SONDE_GTEST(suite, function) SONDE_GTEST_WITH(suite, function, (void)0)

#endif
