/* Properties as test cases of Catch2: one holds, one is falsified, one is skipped. */
#define CATCH_CONFIG_MAIN
#include "sonde_catch2.h"
#include "subject.h"

TEST_CASE("the midpoint of two and four is three")
{
    CHECK(midpoint(2, 4) == 3);
}

SONDE_CATCH2(midpoint_lies_between)
SONDE_CATCH2_WITH(careless_midpoint_lies_between, config.tests = 500; config.seed = 7)
SONDE_CATCH2_WITH(nothing_is_known, config.seconds = 0.2)
