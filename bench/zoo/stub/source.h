/* Where the draws of a probe come from, and what it reports. Known to the probe (stub/sonde.h) and to its caller
 * (calibrate.c). */
#ifndef BENCH_ZOO_STUB_SOURCE_H
#define BENCH_ZOO_STUB_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum zoo_answers {
    ZOO_RANDOM, /* each draw takes a number of the stream */
    ZOO_GIVEN,  /* each takes the next of `given` */
    ZOO_SIMPLE  /* the simplest value, but for one draw, which takes the value `step` further */
};

enum { ZOO_GIVEN_MAX = 512, ZOO_ARENA = 1 << 16 };

struct zoo_source {
    enum zoo_answers answers;
    uint64_t stream;
    unsigned at; /* draws so far */
    unsigned where, step;
    bool is_valid, is_overrun;
    uint32_t wanted;     /* atoms that are looked at, as bits */
    uint32_t holds;      /* of these, those that hold */
    int passed, reached; /* preconditions that held; of the next one, how far it got, in thousandths */
    size_t used;
    uint32_t given[ZOO_GIVEN_MAX];
    _Alignas(16) char arena[ZOO_ARENA];
};

#endif
