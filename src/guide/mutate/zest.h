/* Adding seeds to the guide `zest`, for guides that have `zest` inside. */
#ifndef SONDE_GUIDE_MUTATE_ZEST_H
#define SONDE_GUIDE_MUTATE_ZEST_H

#include <sonde/extend.h>

/* Adds the tape of a run to `zest`, even if it shows nothing new; returns whether it was kept. The guide must be
 * `zest`. Only coverage distinguishes seeds: without it, at most about a thousand seeds are kept. */
bool sonde_zest_seed(struct sonde_guide *zest, const struct sonde_run *run);

#endif
