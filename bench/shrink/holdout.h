/* Problems that were made up when the passes were written, to see how the passes do on problems that they were not
 * written for. The second ten were made up after what the first ones had suggested was built. */
#ifndef BENCH_SHRINK_HOLDOUT_H
#define BENCH_SHRINK_HOLDOUT_H

#include <sonde.h>

struct holdout {
    const char *name;
    sonde_property_fn *run;
    const char *minimal;
};

extern const struct holdout holdouts[];
extern const unsigned n_holdouts;
extern const struct holdout outsiders[];
extern const unsigned n_outsiders;
/* Not held out: problems that passes were written for. */
extern const struct holdout known_problems[];
extern const unsigned n_known_problems;

#endif
