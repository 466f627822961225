/* Shares of a budget by earnings per cost. */
#include "guide/compose/bandit.h"
#include "lib/mocka.h"

#include <math.h>

static struct sonde_bandit with_arms(uint32_t n, uint32_t contests)
{
    struct sonde_bandit b;
    sonde_bandit_init(&b, NULL);
    b.n_arms = n;
    b.n_contests = contests;
    for (uint32_t c = 0; c < contests; c++) b.weights[c] = 1;
    for (uint32_t i = 0; i < n; i++) {
        b.arms[i].prior = 1;
        sonde_bandit_join(&b, i);
    }
    return b;
}

/* Runs turns in which each arm earns its rate per case; counts the cases of each. */
static void run_turns(struct sonde_bandit *b, const double *rates, const double *costs, uint32_t turns, double *cases)
{
    for (uint32_t k = 0; k < turns; k++) {
        uint32_t arm = sonde_bandit_next(b);
        for (int i = 0; i < 16; i++) {
            sonde_bandit_pay(b, arm, costs[arm], false);
            sonde_bandit_earn(b, arm, 0, rates[arm]);
        }
        cases[arm] += 16;
        sonde_bandit_end_turn(b, arm);
    }
}

static void equal_arms_share_equally(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(4, 1);
    double cases[4] = {0};
    run_turns(&b, (double[]){1, 1, 1, 1}, (double[]){10, 10, 10, 10}, 400, cases);
    for (int i = 0; i < 4; i++) assert_in_range((uint64_t)cases[i], 1500, 1700);
}

static void who_earns_more_gets_more(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(3, 1);
    double cases[3] = {0};
    run_turns(&b, (double[]){0.1, 0.9, 0.2}, (double[]){10, 10, 10}, 1000, cases);
    assert_true(cases[1] > 0.9 * 16000);
    assert_true(cases[0] > 16 && cases[2] > 16); /* they are asked again now and then */
}

static void earnings_count_per_cost(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(2, 1);
    double cases[2] = {0};
    run_turns(&b, (double[]){1, 1}, (double[]){10, 100}, 4000, cases);
    assert_true(b.arms[0].share > 0.5);
    assert_true(b.arms[0].all_cost > 20 * b.arms[1].all_cost);
    assert_true(b.arms[1].turns > 2);
}

static void shares_follow_what_is_earned_now(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(2, 1);
    double first[2] = {0}, then[2] = {0};
    run_turns(&b, (double[]){1, 0.1}, (double[]){10, 10}, 1000, first);
    run_turns(&b, (double[]){0.01, 0.1}, (double[]){10, 10}, 4000, then);
    assert_true(first[0] > 5 * first[1]);
    assert_true(then[1] > 5 * then[0]);
}

/* One lucky event in a weighty contest does not outweigh a steady lead in another. */
static void luck_is_not_merit(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(2, 2);
    double cases[2] = {0};
    b.weights[0] = 1;
    b.weights[1] = 4;
    run_turns(&b, (double[]){0.9, 0.1}, (double[]){10, 10}, 100, cases);
    sonde_bandit_earn(&b, 1, 1, 1);
    sonde_bandit_end_turn(&b, 1);
    assert_true(b.arms[0].share > b.arms[1].share);
}

static void who_joins_late_does_not_catch_up(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(2, 1);
    double cases[3] = {0};
    run_turns(&b, (double[]){1, 1}, (double[]){10, 10}, 1000, cases);
    b.n_arms = 3;
    b.arms[2] = (struct sonde_bandit_arm){.prior = 1};
    sonde_bandit_join(&b, 2);
    run_turns(&b, (double[]){1, 1, 1}, (double[]){10, 10, 10}, 300, cases);
    assert_in_range((uint64_t)cases[2], 1500, 1900);
}

/* Its first turn costs what a hundred of the other's do; then it is cheap and twice as good. */
static void an_expensive_start_is_no_bar(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(2, 1);
    double cases[2] = {0};
    run_turns(&b, (double[]){0.4, 0.4}, (double[]){10, 1000}, 2, cases);
    run_turns(&b, (double[]){0.4, 0.8}, (double[]){10, 10}, 2000, cases);
    assert_true(b.arms[1].share > 0.9);
    assert_true(cases[1] > 0.5 * 32000);
}

static void who_is_learning_has_a_share_while_there_is_something_to_gain(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(2, 1);
    double cases[2] = {0};
    b.arms[1].learning = 0.5;
    run_turns(&b, (double[]){0.5, 0}, (double[]){10, 10}, 1000, cases);
    assert_in_range((uint64_t)cases[1], 2900, 3700); /* nothing that the other makes is new: all of its practice */
    for (int i = 0; i < 10000; i++) sonde_bandit_pay(&b, 0, 10, true);
    sonde_bandit_end_turn(&b, 0);
    assert_true(b.arms[1].share < 0.1);
}

static void learners_leave_a_share_to_the_others(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(4, 1);
    b.practice = 0.4;
    for (uint32_t i = 1; i < 4; i++) b.arms[i].learning = 1;
    sonde_bandit_end_turn(&b, 0);
    assert_true(b.arms[0].share > 0 && fabs(b.arms[0].share + 3 * b.arms[1].share - 1) < 1e-9);
}

static void what_was_forgotten_decides_nothing(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(2, 1);
    double cases[2] = {0};
    run_turns(&b, (double[]){1, 0.1}, (double[]){10, 10}, 100, cases);
    assert_true(b.arms[0].share > 0.9);
    double owed = b.arms[0].credit;
    sonde_bandit_forget(&b);
    sonde_bandit_end_turn(&b, 0);
    assert_true(fabs(b.arms[0].share - b.arms[1].share) < 1e-9);
    assert_true(fabs(b.arms[0].credit - owed) < 1e-9 && sonde_bandit_part(&b, 0) < 1e-9);
}

static void who_left_gets_nothing(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(3, 1);
    double cases[3] = {0};
    sonde_bandit_leave(&b, 0);
    run_turns(&b, (double[]){1, 1, 1}, (double[]){10, 10, 10}, 100, cases);
    assert_true(cases[0] == 0);
    double sum = b.arms[1].share + b.arms[2].share;
    assert_true(sum > 0.999 && sum < 1.001);
}

static void rates_can_be_saved(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(2, 2), again = with_arms(2, 2);
    double cases[2] = {0};
    struct sonde_bytes bytes = {0};
    run_turns(&b, (double[]){0.1, 1}, (double[]){10, 10}, 100, cases);
    for (uint32_t i = 0; i < 2; i++) sonde_bandit_save(&b, i, &bytes);
    struct sonde_reader from = sonde_reader(bytes.data, bytes.n);
    for (uint32_t i = 0; i < 2; i++) sonde_bandit_load(&again, i, &from);
    assert_false(from.is_short);
    for (uint32_t i = 0; i < 2; i++) assert_true(fabs(again.arms[i].share - b.arms[i].share) < 0.05);
    sonde_bytes_clear(&bytes);
}

static void what_was_saved_wrongly_is_nothing(void **state)
{
    (void)state;
    struct sonde_bandit b = with_arms(2, 2);
    uint8_t bytes[64];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0xff; /* NaN, everywhere */
    struct sonde_reader from = sonde_reader(bytes, sizeof bytes);
    sonde_bandit_load(&b, 0, &from);
    for (uint32_t i = 0; i < 2; i++) assert_true(b.arms[i].share > 0 && b.arms[i].share < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_arms_share_equally),
        cmocka_unit_test(who_earns_more_gets_more),
        cmocka_unit_test(earnings_count_per_cost),
        cmocka_unit_test(shares_follow_what_is_earned_now),
        cmocka_unit_test(luck_is_not_merit),
        cmocka_unit_test(who_joins_late_does_not_catch_up),
        cmocka_unit_test(an_expensive_start_is_no_bar),
        cmocka_unit_test(who_is_learning_has_a_share_while_there_is_something_to_gain),
        cmocka_unit_test(learners_leave_a_share_to_the_others),
        cmocka_unit_test(what_was_forgotten_decides_nothing),
        cmocka_unit_test(who_left_gets_nothing),
        cmocka_unit_test(rates_can_be_saved),
        cmocka_unit_test(what_was_saved_wrongly_is_nothing),
    };
    return cmocka_run_group_tests_name("bandit", tests, NULL, NULL);
}
