/* Good and Turing's estimate, in bounded memory. */
#include "lib/mocka.h"

#include "feedback/species.h"

#include <sonde/extend.h>

static struct sonde_species s;

static int begin(void **state)
{
    (void)state;
    sonde_species_init(&s);
    return 0;
}

static int end(void **state)
{
    (void)state;
    sonde_species_clear(&s);
    return 0;
}

static void little_says_nothing(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 10; i++) assert_true(sonde_species_add(&s, i) || s.skipped);
    assert_true(sonde_species_chance_of_new(&s) < 0);
}

static void when_all_were_seen_twice_nothing_is_new(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 4000; i++) sonde_species_add(&s, i % 100);
    assert_true(sonde_species_chance_of_new(&s) == 0);
}

static void when_all_were_seen_once_all_is_new(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) sonde_species_add(&s, i);
    if (s.total >= 100) assert_true(sonde_species_chance_of_new(&s) == 1);
}

/* Of a million kinds, so many draws leave exp(-draws / kinds) of them unseen: that is the chance of a new one. */
static void the_estimate_is_right_beyond_the_memory(void **state)
{
    (void)state;
    struct sonde_rng rng;
    sonde_rng_seed(&rng, 1, 1);
    for (int i = 0; i < 1000000; i++) sonde_species_add(&s, sonde_rng_upto(&rng, 999999));
    assert_true(s.skipped > 0);
    assert_true(s.n <= 1u << SONDE_SPECIES_BITS);
    double chance = sonde_species_chance_of_new(&s);
    if (SONDE_SPECIES_BITS > 10) assert_true(chance > 0.34 && chance < 0.40); /* 1 / e */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(little_says_nothing, begin, end),
        cmocka_unit_test_setup_teardown(when_all_were_seen_twice_nothing_is_new, begin, end),
        cmocka_unit_test_setup_teardown(when_all_were_seen_once_all_is_new, begin, end),
        cmocka_unit_test_setup_teardown(the_estimate_is_right_beyond_the_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
