/* sonde_shuffle: permute an array, or draw different elements.
 * Also: sonde_subset sonde_unique
 * See also: sonde_list_of sonde_pick */
#include <sonde.h>

static void shuffling_keeps_the_sum(sonde *t)
{
    int64_t xs[8];
    size_t n = sonde_unique(t, "xs", 0, 1000, 0, 8, xs);
    int64_t before = 0, after = 0;
    for (size_t i = 0; i < n; i++) before += xs[i];
    sonde_shuffle(t, "order", xs, n, sizeof *xs);
    for (size_t i = 0; i < n; i++) after += xs[i];
    sonde_check_eq(t, after, before);

    size_t chosen[8];
    size_t k = sonde_subset(t, "chosen", n, 0, n, chosen);
    for (size_t i = 1; i < k; i++) sonde_check_lt(t, chosen[i - 1], chosen[i]);
}

SONDE_MAIN(shuffling_keeps_the_sum)
