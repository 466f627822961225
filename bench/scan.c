/* scan: what reading and clearing the counters of instrumented code costs after each test, in nanoseconds per KB of
 * counters, by how many of them were hit. 256 KB of counters, positions and values drawn once; the best of several
 * rounds. */
#include "observe/coverage.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { KB = 256, ROUNDS = 40, REPEATS = 25 };

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);

static uint8_t counters[KB * 1024];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Writing the hits is not what is measured. */
static double round_of(struct sonde_coverage *coverage, const uint32_t *places, uint32_t n)
{
    double spent = 0;
    for (int i = 0; i < REPEATS; i++) {
        for (uint32_t k = 0; k < n; k++) counters[places[k]] = (uint8_t)(1 + k % 40);
        double started = now();
        sonde_coverage_begin(coverage, true);
        (void)sonde_coverage_end(coverage);
        spent += now() - started;
    }
    return spent / REPEATS / KB;
}

int main(void)
{
    static const uint32_t hits[] = {0, 1, 2, 4, 8, 16, 64};
    static uint32_t places[64 * KB];
    struct sonde_rng rng;
    __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters);
    struct sonde_coverage *coverage = sonde_coverage_create();
    printf("hits per KB   ns per KB\n");
    for (size_t h = 0; h < sizeof hits / sizeof *hits; h++) {
        double best = 1e9;
        sonde_rng_seed(&rng, 1, h);
        for (uint32_t k = 0; k < hits[h] * KB; k++) places[k] = (uint32_t)sonde_rng_upto(&rng, sizeof counters - 1);
        for (int i = 0; i < ROUNDS; i++) {
            double spent = round_of(coverage, places, hits[h] * KB);
            best = spent < best ? spent : best;
        }
        printf("%11u   %9.1f\n", hits[h], best);
    }
    sonde_coverage_free(coverage);
    return 0;
}
