/* Properties as GoogleTest tests: one holds, one is falsified, one is skipped. */
#include "sonde_gtest.h"
#include "subject.h"

SONDE_GTEST(Midpoint, midpoint_lies_between)
SONDE_GTEST_WITH(Midpoint, careless_midpoint_lies_between, config.tests = 500; config.seed = 7)
SONDE_GTEST_WITH(Midpoint, nothing_is_known, config.seconds = 0.2)
