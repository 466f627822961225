/* The inputs that a run saves for the next one. */
#include "lib/mocka.h"

#include "corpus/harvest.h"
#include "lib/tapes.h"

static struct sonde_saved h;

struct told {
    struct tapes tapes;
    struct sonde_feature features[8];
    struct sonde_target_value target;
    struct sonde_coverage_view view;
    struct sonde_observation seen;
};

/* Offers a tape that its number identifies, with counts of the features 0, 1, ...; 0: it was not hit. */
static void offer(enum sonde_verdict verdict, uint32_t reasons, int number, const uint8_t *counts, int n)
{
    struct told t = {0};
    tapes_begin(&t.tapes);
    tapes_int(&t.tapes, "x", 0, 1000, number);
    for (int i = 0; i < n; i++)
        if (counts[i])
            t.features[t.view.n_features++] =
                (struct sonde_feature){.id = (uint32_t)i, .value = counts[i], .kind = SONDE_FEATURE_COUNTER};
    t.view.features = t.features;
    t.view.n_ids = (uint32_t)n;
    t.seen.verdict = verdict;
    t.seen.coverage = n ? &t.view : NULL;
    struct sonde_run run = {.tape = &t.tapes.tape, .observation = &t.seen, .interest = {.reasons = reasons}};
    sonde_saved_offer(&h, &run);
    tapes_clear(&t.tapes);
}

static void offer_code(enum sonde_verdict verdict, int number, uint8_t a, uint8_t b)
{
    offer(verdict, SONDE_NEW_COVERAGE, number, (uint8_t[]){a, b}, 2);
}

static void offer_target(int number, double value)
{
    struct told t = {.target = {.label = 7, .value = value}};
    tapes_begin(&t.tapes);
    tapes_int(&t.tapes, "x", 0, 1000, number);
    t.seen.targets = &t.target;
    t.seen.n_targets = 1;
    struct sonde_run run = {.tape = &t.tapes.tape, .observation = &t.seen, .interest = {.reasons = SONDE_NEW_TARGET}};
    sonde_saved_offer(&h, &run);
    tapes_clear(&t.tapes);
}

static bool holds(int number)
{
    for (int i = 0; i < SONDE_SAVED_MAX; i++)
        if (h.slots[i] && h.slots[i]->kept->tape.choices[0].index == (uint64_t)number) return true;
    return false;
}

static int begin(void **state)
{
    (void)state;
    sonde_saved_init(&h, NULL, 1 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    sonde_saved_clear(&h);
    return 0;
}

static void what_shows_nothing_more_is_not_kept(void **state)
{
    (void)state;
    offer_code(SONDE_VALID, 1, 1, 0);
    offer_code(SONDE_VALID, 2, 1, 0);
    assert_int_equal(h.n, 1);
    offer_code(SONDE_VALID, 3, 1, 1);
    assert_int_equal(h.n, 2);
    assert_true(holds(1) && holds(3) && !holds(2));
}

static void counts_are_told_apart_roughly(void **state)
{
    (void)state;
    offer_code(SONDE_VALID, 1, 40, 0);
    offer_code(SONDE_VALID, 2, 33, 0);
    assert_int_equal(h.n, 1);
    offer_code(SONDE_VALID, 3, 2, 0);
    assert_int_equal(h.n, 2);
}

static void the_furthest_of_a_loop_is_kept(void **state)
{
    (void)state;
    offer_code(SONDE_VALID, 1, 33, 0);
    offer_code(SONDE_VALID, 2, 34, 0);
    offer_code(SONDE_VALID, 3, 35, 0);
    assert_true(holds(1)); /* of its class */
    assert_true(holds(3)); /* the furthest */
    assert_false(holds(2));
}

static void a_valid_tape_takes_over_from_a_discarded_one(void **state)
{
    (void)state;
    offer_code(SONDE_DISCARDED, 1, 1, 1);
    offer_code(SONDE_VALID, 2, 1, 0);
    assert_int_equal(h.n, 2);
    offer_code(SONDE_VALID, 3, 0, 1);
    assert_int_equal(h.n, 2);
    assert_false(holds(1));
    offer_code(SONDE_DISCARDED, 4, 1, 1);
    assert_false(holds(4));
}

static void failures_and_overruns_are_not_kept(void **state)
{
    (void)state;
    offer_code(SONDE_FAILED, 1, 1, 1);
    offer_code(SONDE_OVERRUN, 2, 1, 1);
    assert_int_equal(h.n, 0);
}

static void ids_may_come_a_few_at_a_time(void **state)
{
    (void)state;
    uint8_t counts[8] = {0};
    for (int i = 0; i < 8; i++) {
        counts[i] = 255;
        offer(SONDE_VALID, SONDE_NEW_COVERAGE, i, counts, i + 1);
    }
    assert_int_equal(h.n, SONDE_SAVED_MAX < 8 ? SONDE_SAVED_MAX : 8);
}

static void only_the_best_of_a_target_is_kept(void **state)
{
    (void)state;
    offer_target(1, 5);
    offer_target(2, 9);
    offer_target(3, 7);
    assert_int_equal(h.n, 1);
    assert_true(holds(2));
}

static void where_there_is_no_room_the_least_goes(void **state)
{
    (void)state;
    for (int i = 0; i < SONDE_SAVED_MAX + 3; i++) offer(SONDE_VALID, SONDE_NEW_STATE, i, NULL, 0);
    assert_true(h.n <= SONDE_SAVED_MAX);
    assert_true(h.n <= SONDE_SAVED_STATES);
    assert_true(holds(SONDE_SAVED_MAX + 2));
}

static void bytes_are_bounded(void **state)
{
    (void)state;
    sonde_saved_clear(&h);
    sonde_saved_init(&h, NULL, 4096);
    for (int i = 0; i < 100; i++) {
        offer(SONDE_VALID, SONDE_NEW_STATE, i, NULL, 0);
        assert_true(h.bytes <= 4096);
    }
    assert_true(h.n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_shows_nothing_more_is_not_kept, begin, end),
        cmocka_unit_test_setup_teardown(counts_are_told_apart_roughly, begin, end),
        cmocka_unit_test_setup_teardown(the_furthest_of_a_loop_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(a_valid_tape_takes_over_from_a_discarded_one, begin, end),
        cmocka_unit_test_setup_teardown(failures_and_overruns_are_not_kept, begin, end),
        cmocka_unit_test_setup_teardown(ids_may_come_a_few_at_a_time, begin, end),
        cmocka_unit_test_setup_teardown(only_the_best_of_a_target_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(where_there_is_no_room_the_least_goes, begin, end),
        cmocka_unit_test_setup_teardown(bytes_are_bounded, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
