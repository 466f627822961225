/* sonde_seed_rand: a seed for code under test that generates random numbers. srand is called at once, in the thread
 * and process that run the case. The random numbers are part of the code under test; the seed is on the tape. */
#include <sonde.h>
#include <stdlib.h>

unsigned sonde_seed_rand(sonde *t, const char *label)
{
    unsigned seed = (unsigned)sonde_u64(t, label, 0, UINT_MAX);
    srand(seed);
    return seed;
}
