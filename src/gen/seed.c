/* Implements sonde_seed_rand: a seed for code under test that generates random numbers. Calls srand at once, in the
 * thread and process that run the case. The tape records the seed, not the random numbers. */
#include <sonde.h>
#include <stdlib.h>

unsigned sonde_seed_rand(sonde *t, const char *label)
{
    unsigned seed = (unsigned)sonde_u64(t, label, 0, UINT_MAX);
    srand(seed);
    return seed;
}
