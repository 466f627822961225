/* Seeding of xoshiro256** (the generator itself is inline in sonde/extend.h). A stream is a different seed of the
 * same family: jobs and guides each take one, so adding a guide never changes what another draws. */
#include "base/hash.h"

#include <sonde/extend.h>

void sonde_rng_seed(struct sonde_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t x = sonde_mix(seed ^ UINT64_C(0x736f6e6465)) + sonde_mix(stream + UINT64_C(0x5bf03635));
    for (int i = 0; i < 4; i++) {
        x += UINT64_C(0x9e3779b97f4a7c15);
        rng->s[i] = sonde_mix(x);
    }
    if (!(rng->s[0] | rng->s[1] | rng->s[2] | rng->s[3])) rng->s[0] = 1;
}
