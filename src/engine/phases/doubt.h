/* Why does a failure not come back? A few runs that cost little say what it may depend on, and so what to try first.
 *
 * The input is run several times in new processes, and, where the C library can do that, with memory from malloc filled in two
 * ways. What these runs showed goes into `differed` of the failure, what to try into `advice`, the likeliest first. */
#ifndef SONDE_ENGINE_DOUBT_H
#define SONDE_ENGINE_DOUBT_H

#include "engine/phases/sequence.h"

/* The sequence is the input alone, as it was found. `had_earlier`: cases ran before it in its process, and running these again
 * did not help. Fills f->differed and f->advice, which the caller frees. */
void sonde_doubt_examine(struct sonde_sequence *q, bool had_earlier, struct sonde_failure *f);

#endif
