/* Seeding; the generator itself is inline in sonde/extend.h. A stream is a different, distant starting point of the
 * same sequence. Each job and each guide has a stream, so adding a guide never changes the draws of another guide. */
#include "base/hash.h"

#include <sonde/extend.h>

void sonde_rng_seed(struct sonde_rng *rng, uint64_t seed, uint64_t stream)
{
    rng->s = sonde_mix(sonde_mix(seed + UINT64_C(0x736f6e6465)) + stream);
}

/* Finishes a bounded draw by Lemire's method. The caller found that the product of the last number and n may lie in the
 * biased part. So this function draws numbers until the product lies outside that part. */
uint64_t sonde_rng_upto_(struct sonde_rng *rng, uint64_t max)
{
    uint64_t n = max + 1, x = sonde_rng_last(rng), low;
    if (n == 0) return x;
    uint64_t surplus = (0 - n) % n, high = sonde_multiply(x, n, &low);
    while (low < surplus) high = sonde_multiply(sonde_rng_next(rng), n, &low);
    return high;
}
