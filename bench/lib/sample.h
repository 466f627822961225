/* Independent cases of a property, run one after another with the guide `uniform`: for measuring a subject rather than
 * a search. The property puts its results into its context. */
#ifndef BENCH_LIB_SAMPLE_H
#define BENCH_LIB_SAMPLE_H

#include <sonde.h>

void bench_sample(const sonde_property *property, uint64_t tests, uint64_t seed);

#endif
