/* The tally: what all cases said, added up; and the statistics of cover claims. */
#include "lib/cases.h"

#include "engine/search/tally.h"

static struct sonde_tally tally;

static int init(void **state)
{
    (void)state;
    cases_init(&k, &sonde_guide_uniform, 1);
    memset(&tally, 0, sizeof tally);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    sonde_tally_clear(&tally);
    cases_clear(&k);
    return 0;
}

static void rejections_are_counted_by_place(void **state)
{
    (void)state;
    struct sonde_rejection a = {.file = "a.c", .line = 1, .condition = "x"};
    struct sonde_rejection b = {.file = "a.c", .line = 2, .condition = "x"};
    for (int i = 0; i < 5; i++) sonde_tally_reject(&tally, &a);
    for (int i = 0; i < 3; i++) sonde_tally_reject(&tally, &b);
    assert_int_equal(tally.n_assumes, 2);
    assert_int_equal(tally.assumes[0].rejected, 5);
    assert_int_equal(tally.assumes[1].rejected, 3);
    assert_int_equal(tally.assumes[1].line, 2);
}

static bool condition;
static double claimed;

static void classify(sonde *t)
{
    sonde_classify(t, condition, "it holds");
    if (claimed > 0) sonde_cover(t, claimed, condition, "it is covered");
}

/* n cases of which `met` meet the condition. */
static void tell_cases(int n, int met, bool independent)
{
    for (int i = 0; i < n; i++) {
        condition = i < met;
        cases_run(&k, classify, NULL);
        sonde_tally_valid(&tally, k.t, independent);
    }
}

static void names_are_counted_over_valid_cases(void **state)
{
    (void)state;
    claimed = 0;
    tell_cases(10, 4, true);
    assert_int_equal(tally.n_labels, 1);
    assert_string_equal(tally.labels[0].name, "it holds");
    assert_int_equal(tally.labels[0].count, 4);
    assert_false(tally.has_cover);
    assert_null(sonde_tally_judge(&tally, false));
    assert_int_equal(tally.labels[0].cover, SONDE_COVER_NONE);
}

/* The verdict on a claim of `percent` after `met` of n independent cases. */
static int judged(double percent, int n, int met)
{
    sonde_tally_clear(&tally);
    claimed = percent;
    tell_cases(n, met, true);
    const struct sonde_label_count *missed = sonde_tally_judge(&tally, false);
    assert_true(tally.has_cover);
    int verdict = (int)tally.labels[1].cover;
    assert_int_equal(missed != NULL, verdict == SONDE_COVER_MISSED);
    return verdict;
}

static void a_claim_is_judged_only_when_chance_cannot_explain_it(void **state)
{
    (void)state;
    assert_int_equal(judged(50, 2000, 1000), SONDE_COVER_OPEN); /* 0.9 of the claim lies just inside the interval */
    assert_int_equal(judged(50, 6000, 3000), SONDE_COVER_MET);
    assert_int_equal(judged(50, 2000, 1900), SONDE_COVER_MET);
    assert_int_equal(judged(50, 20, 0), SONDE_COVER_OPEN); /* 20 cases say too little */
    assert_int_equal(judged(50, 100, 0), SONDE_COVER_MISSED);
    assert_int_equal(judged(50, 2000, 800), SONDE_COVER_MISSED);
    assert_int_equal(judged(1, 400, 0), SONDE_COVER_OPEN);
    assert_int_equal(judged(1, 4000, 0), SONDE_COVER_MISSED);
}

/* The ends of the interval as QuickCheck computes them: wilson k n z with z = invnormcdf(1 - 1/(2 * 10^9)). */
static void the_interval_is_wilsons(void **state)
{
    (void)state;
    int open = 0;
    while (judged(50, open + 1, 0) == SONDE_COVER_OPEN) open++;
    /* 0 of n has the upper end z^2 / (n + z^2); below one half when n > z^2 = 37.3 */
    assert_int_equal(open, 37);
}

static void guided_cases_do_not_count_for_cover(void **state)
{
    (void)state;
    claimed = 50;
    tell_cases(1000, 0, false);
    assert_null(sonde_tally_judge(&tally, false));
    assert_int_equal(tally.labels[1].sampled, 0);
    assert_int_equal(tally.labels[1].cover, SONDE_COVER_OPEN);
}

#define tally_test(test) cmocka_unit_test_setup_teardown(test, init, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        tally_test(rejections_are_counted_by_place),
        tally_test(names_are_counted_over_valid_cases),
        tally_test(a_claim_is_judged_only_when_chance_cannot_explain_it),
        tally_test(the_interval_is_wilsons),
        tally_test(guided_cases_do_not_count_for_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
