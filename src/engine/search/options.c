/* See options.h. These are the defaults that --help and the manual page name. In the hostile build
 * limits are small, so that runs meet them. */
#include "engine/search/options.h"

#include "base/limit.h"

void sonde_options_default(struct sonde_options *options)
{
    *options = (struct sonde_options){.tests = 10000,
                                      .seconds = 10,
                                      .guide = "auto",
                                      .max_choices = SONDE_LIMIT(65536, 2000),
                                      .memory = SONDE_LIMIT(UINT64_C(64) << 20, 65536),
                                      .max_discards = 100,
                                      .gives_way = true,
                                      .shrink = true,
                                      .shrink_seconds = 60,
                                      .characteristic = "tape",
                                      .import_as = "exact",
                                      .isolation = SONDE_ISOLATE_NONE,
                                      .jobs = 1,
                                      .timeout_cpu = 1,
                                      .timeout_wall = 10,
                                      .memory_limit = UINT64_C(4) << 30};
}
