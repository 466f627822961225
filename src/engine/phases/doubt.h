/* Finds out why a failure does not come back. A few cheap runs show what it may depend on, and so what to try first.
 *
 * The input runs several times in new processes and, if the C library can do that, with memory from malloc filled in
 * two ways. The results go into `differed` of the failure; what to try goes into `advice`, the likeliest first. */
#ifndef SONDE_ENGINE_DOUBT_H
#define SONDE_ENGINE_DOUBT_H

#include "engine/phases/sequence.h"

/* Fills f->differed and f->advice, which the caller frees. The sequence is the input alone, as it was found.
 * `had_earlier`: cases ran before it in its process, and running these again did not help. */
void sonde_doubt_examine(struct sonde_sequence *q, bool had_earlier, struct sonde_failure *f);

#endif
