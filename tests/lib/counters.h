/* Coverage that a test makes up: its properties hit counters by hand. */
#ifndef SONDE_TESTS_COUNTERS_H
#define SONDE_TESTS_COUNTERS_H

#include "lib/mocka.h"

#include <sonde.h>
#include <string.h>

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);

static uint8_t counters[64];

static inline int counters_register(void **state)
{
    (void)state;
    __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters);
    return 0;
}

/* Every kind of draw, so that every way to answer is gone; one case in four is discarded. */
static inline void everything(sonde *t)
{
    size_t n;
    static const unsigned weights[3] = {1, 0, 2};
    sonde_list xs = sonde_list_of(t, "xs", 0, SONDE_ANY);
    while (sonde_more(&xs)) {
        counters[30] = (uint8_t)(1 + sonde_weighted(t, "w", weights, 3));
        if (sonde_chance(t, "c", 0.3)) sonde_list_reject(&xs);
    }
    const uint8_t *bytes = sonde_bytes(t, "bytes", 2, 40, &n);
    assert_in_range(n, 2, 40);
    counters[31] = (uint8_t)(1 + bytes[0] / 16);
    const char *text = sonde_utf8(t, "text", 0, 10);
    counters[32] = (uint8_t)(1 + strlen(text));
    assert_true(strspn(sonde_string_of(t, "dna", "acgt", 1, 5), "acgt") > 0);
    double d = sonde_any_double(t, "d"), r = sonde_double(t, "r", -1, 1);
    counters[33] = d > 0;
    assert_true(r >= -1 && r <= 1);
    int64_t wide = sonde_i64(t, "wide", INT64_MIN, INT64_MAX);
    counters[34] = wide < 0;
    counters[35] = (uint8_t)(1 + sonde_u64(t, "u", 5, UINT64_MAX) % 7);
    sonde_assume(t, sonde_size(t) % 4 != 2);
}

#endif
