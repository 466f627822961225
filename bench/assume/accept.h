/* How a case of the suite reports what got through. */
#ifndef BENCH_ASSUME_ACCEPT_H
#define BENCH_ASSUME_ACCEPT_H

#include "assume/cases.h"

uint64_t assume_mix(uint64_t hash, int64_t x);
/* These values are the tuple and the variables. */
void assume_accept(sonde *t, const int64_t *values, size_t n);
#define ASSUME_ACCEPT(t, ...)                                                                                          \
    assume_accept((t), (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

#endif
