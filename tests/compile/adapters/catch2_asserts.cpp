/* Catch2's own assertions inside of properties; tests/compile/adapters.sh says what is expected. */
#define CATCH_CONFIG_MAIN
#include "sonde_catch2.h"

#include <stdexcept>

static int draw(sonde *t)
{
    return sonde_int(t, "n", 0, 1000);
}

static void checks(sonde *t)
{
    int n = draw(t);
    CHECK(n < 500);
}

static void requires_two(sonde *t)
{
    int n = draw(t);
    REQUIRE(n >= 0);
    INFO("words of the test");
    REQUIRE_FALSE(n >= 600);
}

static void fails_by_words(sonde *t)
{
    if (draw(t) >= 700) FAIL("far too large");
}

static void throws_and_is_caught(sonde *t)
{
    int n = draw(t);
    CHECK_THROWS_AS(n < 800 ? throw std::runtime_error("small") : 0, std::runtime_error);
}

static void crashes(sonde *t)
{
    if (draw(t) >= 900) *static_cast<volatile int *>(nullptr) = 0;
}

static void holds(sonde *t)
{
    int n = draw(t);
    CHECK(n <= 1000);
    REQUIRE(n >= 0);
}

/* Catch2 enters the section in the first case only, so nearly all cases would check nothing. */
static void has_a_section(sonde *t)
{
    int n = draw(t);
    SECTION("where it fails")
    {
        CHECK(n != 777);
    }
}

SONDE_CATCH2_WITH(checks, config.seed = 1)
SONDE_CATCH2_WITH(requires_two, config.seed = 1)
SONDE_CATCH2_WITH(fails_by_words, config.seed = 1)
SONDE_CATCH2_WITH(throws_and_is_caught, config.seed = 1)
SONDE_CATCH2_WITH(crashes, config.seed = 1)
SONDE_CATCH2_WITH(holds, config.seed = 1)
SONDE_CATCH2_WITH(has_a_section, config.seed = 1)

TEST_CASE("a run of my own")
{
    CHECK(sonde_catch2_run(&sondecpp::property<checks>, nullptr) == SONDE_FALSIFIED);
}

TEST_CASE("the last")
{
    WARN("the host goes on");
}
