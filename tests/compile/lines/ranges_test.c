#include "ranges.h"

#include <stdio.h>

static void reads_what_was_written(sonde *t)
{
    char text[256];
    size_t n = 0;
    unsigned long long want = 0, got;
    bool is_good = true;
    int parts = (int)sonde_int(t, "parts", 1, 4);
    for (int i = 0; i < parts; i++) {
        unsigned from = (unsigned)sonde_int(t, "from", 0, 66), to = from;
        bool is_range = sonde_bool(t, "range");
        if (is_range) to = (unsigned)sonde_int(t, "to", 0, 66);
        n += (size_t)snprintf(text + n, sizeof text - n, i ? ",%u" : "%u", from);
        if (is_range) n += (size_t)snprintf(text + n, sizeof text - n, "-%u", to);
        is_good &= from <= to && to < 64;
        for (unsigned k = from; is_good && k <= to; k++) want |= 1ull << k;
    }
    bool good = read_ranges(text, &got);
    sonde_check(t, good == is_good);
    if (good) sonde_check(t, got == want);
}
SONDE_MAIN(reads_what_was_written)
