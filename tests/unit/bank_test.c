/* The inputs that are kept to judge mutants by: enough for each site, however late it is reached, the best ones first. */
#include "lib/mocka.h"
#include "lib/one_tape.h"

#include "base/mem.h"
#include "mutate/bank.h"

enum { SITES = 200 };

static void offer(struct sonde_bank *b, uint32_t first, uint32_t n, bool is_news)
{
    uint64_t sites[SITES / 64 + 1] = {0};
    for (uint32_t s = first; s < first + n; s++) sites[s / 64] |= UINT64_C(1) << s % 64;
    sonde_bank_offer(b, &tape, sites, n, is_news);
}

static void a_site_gets_as_many_inputs_as_the_quota(void **state)
{
    (void)state;
    struct sonde_bank b;
    sonde_bank_init(&b, SITES, 1 << 20);
    for (int i = 0; i < 100; i++) offer(&b, 1, 1, false);
    assert_int_equal(b.n, SONDE_BANK_QUOTA);
    assert_int_equal(b.reached[1], 100);
    offer(&b, 1, 2, false); /* site 2 has none yet */
    assert_int_equal(b.n, SONDE_BANK_QUOTA + 1);
    assert_int_equal(b.have[1], SONDE_BANK_QUOTA + 1);
    sonde_bank_check(&b);
    sonde_bank_clear(&b);
}

static void a_full_bank_still_keeps_inputs_of_late_sites(void **state)
{
    (void)state;
    struct sonde_bank b;
    sonde_bank_init(&b, SITES, 1); /* full after the first input */
    for (int i = 0; i < 100; i++) offer(&b, 1, 50, false);
    assert_int_equal(b.n, SONDE_BANK_LEAST);
    for (uint32_t s = 51; s <= SITES; s++)
        for (int i = 0; i < 5; i++) offer(&b, s, 1, true);
    for (uint32_t s = 1; s <= SITES; s++) assert_int_equal(b.have[s], SONDE_BANK_LEAST);
    sonde_bank_clear(&b);
}

static void new_code_is_a_reason_until_there_are_many(void **state)
{
    (void)state;
    struct sonde_bank b;
    sonde_bank_init(&b, SITES, 1 << 30);
    for (int i = 0; i < 2 * SONDE_BANK_NEWS; i++) offer(&b, 1, 1, true);
    assert_int_equal(b.n, SONDE_BANK_NEWS);
    sonde_bank_clear(&b);
}

static void inputs_with_most_kills_come_first_then_those_that_reach_more(void **state)
{
    (void)state;
    struct sonde_bank b;
    uint32_t order[4];
    sonde_bank_init(&b, SITES, 1 << 20);
    offer(&b, 1, 1, false);
    offer(&b, 1, 3, false);
    offer(&b, 2, 1, false); /* does not reach site 1 */
    offer(&b, 1, 2, false);
    offer(&b, 1, 2, false);
    b.inputs[4].kills = 7;
    assert_int_equal(sonde_bank_order(&b, 1, SONDE_BANK_BY_KILLS, order, 4), 4);
    const uint32_t want[] = {4, 1, 3, 0};
    assert_memory_equal(order, want, sizeof want);
    assert_int_equal(sonde_bank_order(&b, 1, SONDE_BANK_BY_KILLS, order, 2), 2);
    assert_memory_equal(order, want, 2 * sizeof *want);
    assert_int_equal(sonde_bank_order(&b, 100, SONDE_BANK_BY_SIZE, order, 4), 0);
    assert_int_equal(sonde_bank_order(&b, 1, SONDE_BANK_BY_KILLS, order, 0), 0);
    sonde_bank_clear(&b);
}

static void removed_inputs_no_longer_count(void **state)
{
    (void)state;
    struct sonde_bank b, copy;
    const unsigned char is_bad[] = {1, 0, 1};
    sonde_bank_init(&b, SITES, 1 << 20);
    offer(&b, 1, 1, false);
    offer(&b, 1, 2, false);
    offer(&b, 1, 3, false);
    sonde_bank_remove(&b, is_bad);
    assert_int_equal(b.n, 1);
    assert_int_equal(b.have[1], 1);
    assert_int_equal(b.have[2], 1);
    assert_int_equal(b.have[3], 0);
    assert_int_equal(b.reached[3], 1);
    sonde_bank_copy(&copy, &b);
    sonde_bank_check(&copy);
    assert_int_equal(copy.n, 1);
    assert_int_equal(copy.reached[1], 3);
    sonde_bank_clear(&b);
    sonde_bank_clear(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_site_gets_as_many_inputs_as_the_quota),
        cmocka_unit_test(a_full_bank_still_keeps_inputs_of_late_sites),
        cmocka_unit_test(new_code_is_a_reason_until_there_are_many),
        cmocka_unit_test(inputs_with_most_kills_come_first_then_those_that_reach_more),
        cmocka_unit_test(removed_inputs_no_longer_count),
    };
    return cmocka_run_group_tests(tests, open_tape, close_tape);
}
