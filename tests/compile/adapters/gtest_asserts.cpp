/* GoogleTest's own assertions inside of properties; tests/compile/asserts.sh says what is expected. */
#include "sonde_gtest.h"

#include <thread>

static int draw(sonde *t)
{
    return sonde_int(t, "n", 0, 1000);
}

static void expects(sonde *t)
{
    EXPECT_LT(draw(t), 500) << "words of the test";
}

static void assert_small(int n)
{
    SCOPED_TRACE("the trace");
    ASSERT_LT(n, 500);
}

static void asserts_and_assumes(sonde *t)
{
    int n = draw(t);
    assert_small(n);
    sonde_assume(t, n < 500);
}

static void expects_in_thread(sonde *t)
{
    int n = draw(t);
    std::thread([n] { EXPECT_LT(n, 500); }).join();
}

static void expect_false(void *what)
{
    EXPECT_FALSE(*static_cast<bool *>(what));
}

static void expects_when_deferred(sonde *t)
{
    bool *is_large = sonde_new(t, bool);
    *is_large = draw(t) >= 500;
    sonde_defer(t, expect_false, is_large);
}

/* Skipping an input is not a failure. */
static void skips(sonde *t)
{
    if (draw(t) >= 500) GTEST_SKIP();
}

SONDE_GTEST_WITH(Asserts, expects, config.seed = 1)
SONDE_GTEST_WITH(Asserts, asserts_and_assumes, config.seed = 1)
SONDE_GTEST_WITH(Asserts, expects_in_thread, config.seed = 1)
SONDE_GTEST_WITH(Asserts, expects_when_deferred, config.seed = 1)
SONDE_GTEST_WITH(Asserts, skips, config.seed = 1)

TEST(Asserts, a_run_of_my_own)
{
    sonde_config config = sonde_config();
    config.isolate = SONDE_ISOLATE_WORKER;
    config.seed = 1;
    EXPECT_EQ(sonde_gtest_run(sondecpp::property<expects>, &config), SONDE_FALSIFIED);
    EXPECT_EQ(sonde_run(sondecpp::property<expects>, &config), SONDE_FALSIFIED);
}

TEST(Asserts, the_host_goes_on)
{
    printf("the host goes on\n");
}
