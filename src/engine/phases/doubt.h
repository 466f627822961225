/* Finds out why a failure does not come back. A few cheap runs show what the failure may depend on, and so what the
 * user should try first.
 *
 * The input runs several times in new processes and, if the C library supports it, with memory from malloc filled with
 * two different values. The results go into `differed` of the failure; suggestions go into `advice`, the likeliest
 * first. */
#ifndef SONDE_ENGINE_DOUBT_H
#define SONDE_ENGINE_DOUBT_H

#include "engine/phases/sequence.h"

/* Fills f->differed and f->advice, which the caller frees. The sequence is the input alone, as it was found.
 * `had_earlier`: other cases ran before the input in its process, and running those again first did not bring the
 * failure back. */
void sonde_doubt_examine(struct sonde_sequence *q, bool had_earlier, struct sonde_failure *f);

#endif
