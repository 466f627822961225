/* Adapter for Catch2 (2.13, or 3): runs sonde properties as test cases. Include it before, or in place of, the headers
 * of Catch2. In one file, define CATCH_CONFIG_MAIN before it as usual for Catch2 2.
 *
 *     SONDE_CATCH2(reversing_twice_changes_nothing)
 *     SONDE_CATCH2_WITH(sorting_sorts, config.tests = 500; config.seed = 7)      // statements on a sonde_config
 *
 * The property is an ordinary function, defined before. Its test case has its name and the tag [sonde]. If it is
 * falsified, the test case fails with its message and token, after the report on standard error. If it finds too few
 * valid inputs, the test case is skipped, or warns with versions before 3.3, which cannot skip. Cases are left by an
 * exception, so that destructors run. Cases run in a forked worker, unless config.isolate is set. There a crash, hang
 * or exit is a failure like any other.
 *
 * CHECK, REQUIRE, FAIL and their relatives inside a property fail the case, also in deferred functions. The failure has
 * their message and location, and it shrinks; the test case fails once. Use sonde_catch2_run in place of sonde_run
 * inside a TEST_CASE: with plain sonde_run, a CHECK that fails in a worker is lost.
 *
 * SECTION inside a property is an error: Catch2 enters a section once, so all other cases would check nothing. GENERATE
 * gives its first value only; draw values with sonde instead. */
#ifndef SONDE_CATCH2_H
#define SONDE_CATCH2_H

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_all.hpp>
#elif __has_include(<catch_amalgamated.hpp>)
#include <catch_amalgamated.hpp>
#else
#define CATCH_CONFIG_EXTERNAL_INTERFACES /* the classes of listeners */
#include <catch2/catch.hpp>
#endif
#include <sonde.hpp>

#include <string>

namespace sonde_catch2_
{

#if defined CATCH_VERSION_MAJOR && CATCH_VERSION_MAJOR >= 3
using listener_base = Catch::EventListenerBase;
#else
using listener_base = Catch::TestEventListenerBase;
#endif

/* Redirects assertions that fail inside a case to that case. */
class listener : public listener_base
{
  public:
    using listener_base::listener_base;

#if defined CATCH_VERSION_MAJOR && CATCH_VERSION_MAJOR >= 3
    void assertionEnded(Catch::AssertionStats const &stats) override
    {
        report(stats);
    }
#else
    bool assertionEnded(Catch::AssertionStats const &stats) override
    {
        report(stats);
        return true;
    }
#endif

    void sectionStarting(Catch::SectionInfo const &section) override
    {
        listener_base::sectionStarting(section);
        sonde *t = sonde_current();
        if (t)
            sonde_misuse_(t,
                          "SECTION(\"%s\") is inside a property: Catch2 enters it in one case only; write its code "
                          "without SECTION",
                          section.name.c_str());
    }

  private:
    static void report(Catch::AssertionStats const &stats)
    {
        const Catch::AssertionResult &result = stats.assertionResult;
        sonde *t = sonde_current();
        if (!t) return;
        if (result.isOk()) {
            sonde_expect(t, true); /* counts as a check, so that the report does not warn that there is none */
            return;
        }
        std::string text = result.hasExpression() ? result.getExpressionInMacro() : std::string();
        if (result.hasExpandedExpression()
            && std::string(result.getExpandedExpression()) != std::string(result.getExpression()))
            text += ": " + std::string(result.getExpandedExpression());
        if (result.hasMessage()) text += (text.empty() ? "" : ": ") + std::string(result.getMessage());
        if (text.empty()) text = "an assertion of Catch2 failed";
        const Catch::SourceLineInfo where = result.getSourceInfo();
        sonde_failed_at(t, where.file, static_cast<int>(where.line), "%s", text.c_str());
    }
};

/* Registers the listener once, in whichever file comes first. */
inline bool listen()
{
    static const Catch::ListenerRegistrar<listener> registrar
#if defined CATCH_VERSION_MAJOR && CATCH_VERSION_MAJOR >= 3
        ("sonde");
#else
        ;
#endif
    (void)registrar;
    return true;
}
__attribute__((unused)) static const bool listens = listen();

/* Skips the test case, or warns where Catch2 cannot skip. */
inline void give_up(const char *message)
{
#ifdef SKIP
    SKIP(message);
#else
    WARN("skipped: " << message);
#endif
}

inline void run(sonde_property_fn *property, const char *words, const std::string &name, void (*set)(sonde_config &))
{
    sonde_result result = sonde_result();
    sonde_config config = sonde_config();
    config.name = name.c_str();
    config.result = &result;
    config.isolate = SONDE_ISOLATE_WORKER;
    set(config);
    int status = sonde_run(property, &config);
    const sonde_result &said = config.result ? *config.result : result;
    if (status == SONDE_GAVE_UP) return give_up(said.message);
    if (status == SONDE_PASSED) {
        SUCCEED();
        return;
    }
    std::string replay =
        said.token[0] ? std::string("\nreplay with sonde_replay(") + words + ", \"" + said.token + "\")" : "";
    FAIL(said.message << replay << "\nseed " << said.seed);
}

} /* namespace sonde_catch2_ */

/* Runs a property like sonde_run, inside a TEST_CASE. Cases run in a worker unless the config says otherwise. Returns
 * an enum sonde_status. */
__attribute__((warn_unused_result)) inline int sonde_catch2_run(sonde_property_fn *property, const sonde_config *config)
{
    sonde_config settings = config ? *config : sonde_config();
    if (!settings.isolate) settings.isolate = SONDE_ISOLATE_WORKER;
    return sonde_run(property, &settings);
}

#define SONDE_CATCH2_WITH(function, ...)                                                                               \
    TEST_CASE(#function, "[sonde]")                                                                                    \
    {                                                                                                                  \
        sonde_catch2_::run(&sondecpp::property<function>, #function, sondecpp::name_of(#function),                     \
                           [](sonde_config &config) {                                                                  \
                               (void)config;                                                                           \
                               __VA_ARGS__;                                                                            \
                           });                                                                                         \
    }
#define SONDE_CATCH2(function) SONDE_CATCH2_WITH(function, (void)0)

#endif
