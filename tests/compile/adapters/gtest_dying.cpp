#include "dying.h"
#include "objects.hpp"
#include "sonde_gtest.h"

SONDE_GTEST_WITH(Dying, crashes, config.seed = 1; config.store = "")
SONDE_GTEST_WITH(Dying, hangs, config.seed = 1; config.store = ""; config.timeout = 0.1)
SONDE_GTEST_WITH(Dying, exits, config.seed = 1; config.store = "")
TEST(Dying, the_host_goes_on) {}

SONDE_GTEST_WITH(Objects, objects_die, config.isolate = SONDE_ISOLATE_NONE; config.store = "")
TEST(Objects, none_is_left) { EXPECT_EQ(alive, 0); }
SONDE_GTEST_WITH(Objects, throws, config.seed = 1; config.store = "")

static void the_same(sonde *t)
{
    throws(t);
}
SONDE_GTEST_WITH(Objects, sondecpp::property<the_same>, config.seed = 1; config.store = "")
