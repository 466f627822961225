/* sonde_rng_seed: random numbers for guides.
 * Also: sonde_rng_next sonde_rng_last sonde_rng_scale sonde_rng_upto sonde_rng_unit sonde_multiply
 * See also: sonde_guide_register */
#include <sonde/extend.h>

int main(void)
{
    struct sonde_rng a, b;
    sonde_rng_seed(&a, 1, 0);
    sonde_rng_seed(&b, 1, 0);
    for (int i = 0; i < 100; i++) {
        uint64_t die = sonde_rng_upto(&a, 5);
        if (die > 5 || die != sonde_rng_upto(&b, 5)) return 1; /* one seed, one stream */
    }
    double unit = sonde_rng_unit(&a);
    return unit >= 0 && unit < 1 ? 0 : 1;
}
