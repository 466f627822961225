/* Randomness: the same everywhere, other for each stream, in range, and not visibly lopsided. */
#include "lib/mocka.h"

#include <sonde/extend.h>

static struct sonde_rng seeded(uint64_t seed, uint64_t stream)
{
    struct sonde_rng rng;
    sonde_rng_seed(&rng, seed, stream);
    return rng;
}

static void a_seed_gives_the_same_numbers_on_every_machine(void **state)
{
    (void)state;
    struct sonde_rng rng = seeded(1, 1);
    assert_int_equal(sonde_rng_next(&rng), UINT64_C(0x725b6ddbb01d84e2));
    assert_int_equal(sonde_rng_next(&rng), UINT64_C(0x6cc901378121bb70));
    assert_int_equal(sonde_rng_upto(&rng, 999), 847);
    assert_int_equal(sonde_rng_upto(&rng, UINT64_MAX / 2), UINT64_C(0x38f29ad267a445ef));
}

static void seeds_and_streams_differ(void **state)
{
    (void)state;
    uint64_t seen[64];
    for (uint64_t i = 0; i < 64; i++) {
        struct sonde_rng rng = seeded(i / 8, i % 8);
        seen[i] = sonde_rng_next(&rng);
        for (uint64_t j = 0; j < i; j++) assert_int_not_equal(seen[i], seen[j]);
    }
}

static void a_bounded_number_stays_in_its_bound(void **state)
{
    (void)state;
    const uint64_t bounds[] = {0, 1, 2, 9, 255, UINT32_MAX - 1, UINT32_MAX, (uint64_t)UINT32_MAX + 1, UINT64_MAX - 1};
    struct sonde_rng rng = seeded(5, 1);
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
        for (int i = 0; i < 2000; i++) assert_true(sonde_rng_upto(&rng, bounds[k]) <= bounds[k]);
}

static void every_number_of_a_small_bound_comes_about_as_often(void **state)
{
    (void)state;
    enum { N = 10, EACH = 10000 };
    int count[N] = {0};
    struct sonde_rng rng = seeded(11, 1);
    for (int i = 0; i < N * EACH; i++) count[sonde_rng_upto(&rng, N - 1)]++;
    for (int i = 0; i < N; i++) assert_in_range(count[i], EACH - 600, EACH + 600); /* six standard deviations */
}

static void wide_bounds_reach_both_halves(void **state)
{
    (void)state;
    struct sonde_rng rng = seeded(3, 1);
    int high = 0;
    for (int i = 0; i < 1000; i++) high += sonde_rng_upto(&rng, UINT64_MAX) >> 63 ? 1 : 0;
    assert_in_range(high, 400, 600);
    high = 0;
    for (int i = 0; i < 1000; i++) high += sonde_rng_upto(&rng, (UINT64_C(1) << 40) - 1) >> 39 ? 1 : 0;
    assert_in_range(high, 400, 600);
}

static void units_lie_in_zero_to_one(void **state)
{
    (void)state;
    struct sonde_rng rng = seeded(9, 1);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        double x = sonde_rng_unit(&rng);
        assert_true(x >= 0 && x < 1);
        sum += x;
    }
    assert_true(sum > 4800 && sum < 5200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_gives_the_same_numbers_on_every_machine),
        cmocka_unit_test(seeds_and_streams_differ),
        cmocka_unit_test(a_bounded_number_stays_in_its_bound),
        cmocka_unit_test(every_number_of_a_small_bound_comes_about_as_often),
        cmocka_unit_test(wide_bounds_reach_both_halves),
        cmocka_unit_test(units_lie_in_zero_to_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
