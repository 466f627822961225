/* Seeding (the generator itself is inline in sonde/extend.h). A stream is another starting point of the same sequence,
 * far away: jobs and guides each take one, so adding a guide never changes what another draws. */
#include "base/hash.h"

#include <sonde/extend.h>

void sonde_rng_seed(struct sonde_rng *rng, uint64_t seed, uint64_t stream)
{
    rng->s = sonde_mix(sonde_mix(seed + UINT64_C(0x736f6e6465)) + stream);
}
