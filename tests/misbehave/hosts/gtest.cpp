/* The faults as tests of GoogleTest. */
#include "../faults.h"
#include "quiet.h"
#include "sonde_gtest.h"

static void settings(sonde_config &config)
{
    config.seed = 1;
    config.tests = 60;
    config.timeout = 0.3;
    config.store = "";
}

SONDE_GTEST_WITH(Faults, overrun, settings(config))
SONDE_GTEST_WITH(Faults, use_after_free, settings(config))
SONDE_GTEST_WITH(Faults, race, settings(config))
SONDE_GTEST_WITH(Faults, uninitialised, settings(config))
SONDE_GTEST_WITH(Faults, leak, settings(config))
SONDE_GTEST_WITH(Faults, division, settings(config))
SONDE_GTEST_WITH(Faults, aborts, settings(config))
SONDE_GTEST_WITH(Faults, hang, settings(config))
SONDE_GTEST_WITH(Faults, exits, settings(config))
