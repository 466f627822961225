/* Seeds for `zest`, from guides that own one. */
#ifndef SONDE_GUIDE_MUTATE_ZEST_H
#define SONDE_GUIDE_MUTATE_ZEST_H

#include <sonde/extend.h>

/* Has a guide that is `zest` keep the tape of a run, whatever was new in it; without coverage, which alone
 * can tell seeds apart, up to a thousand. Answers whether it was kept. */
bool sonde_zest_seed(struct sonde_guide *zest, const struct sonde_run *run);

#endif
