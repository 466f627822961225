/* Interest: why a run is worth remembering, by what was seen before it. */
#include "lib/cases.h"

#include "base/hash.h"
#include "feedback/judge.h"
#include "observe/observation.h"

#include <math.h>

static struct sonde_judge judge;
static uint32_t wants;

static int init(void **state)
{
    (void)state;
    cases_init(&k, &sonde_guide_uniform, 1);
    sonde_judge_init(&judge, NULL, false);
    wants = SONDE_NEW_VALID;
    return 0;
}

static int clear(void **state)
{
    (void)state;
    sonde_judge_clear(&judge);
    cases_clear(&k);
    return 0;
}

static uint32_t reasons_of(sonde_property_fn *run, uint64_t identity)
{
    cases_run(&k, run, NULL);
    return sonde_judge_case(&judge, k.t, NULL, sonde_mix(identity), wants);
}

static double utility;

static void aim(sonde *t)
{
    sonde_target(t, "height", utility);
}

static bool rises(double value)
{
    utility = value;
    return reasons_of(aim, 1) & SONDE_NEW_TARGET;
}

static void a_utility_is_news_when_it_rises(void **state)
{
    (void)state;
    assert_true(rises(-5));
    assert_false(rises(-5));
    assert_false(rises(-6));
    assert_true(rises(3));
    assert_true(rises(INFINITY));
    assert_false(rises(INFINITY));
    assert_int_equal(judge.bests.n, 1);
    assert_true(isinf(judge.bests.targets[0].best));
    assert_string_equal(judge.bests.targets[0].name, "height");
}

static int drawn;

static void draw(sonde *t)
{
    sonde_int(t, "x", drawn, drawn);
    if (drawn > 1) sonde_assume(t, drawn > 2);
    if (drawn > 3) sonde_assume(t, drawn > 4);
}

static uint32_t reasons_at(int value)
{
    drawn = value;
    return reasons_of(draw, 100 + (uint64_t)value);
}

static void a_valid_input_is_news_once(void **state)
{
    (void)state;
    assert_int_equal(reasons_at(0), SONDE_NEW_VALID);
    assert_int_equal(reasons_at(0), 0);
    assert_int_equal(reasons_at(1), SONDE_NEW_VALID);
    wants = 0;
    assert_int_equal(reasons_at(-1), 0);
    bool estimated;
    assert_int_equal(sonde_unique_count(&judge.unique, &estimated), 3);
}

static void the_way_through_assumes_is_news_when_it_is_longer(void **state)
{
    (void)state;
    assert_int_equal(reasons_at(2), 0);               /* discarded, and none passed */
    assert_int_equal(reasons_at(4), SONDE_NEW_DEPTH); /* one passed, then discarded */
    assert_int_equal(reasons_at(3), SONDE_NEW_VALID);
    assert_int_equal(reasons_at(5), SONDE_NEW_VALID | SONDE_NEW_DEPTH);
    assert_int_equal(judge.deepest, 2);
}

static bool counts_up_to_two(void *state, const struct sonde_feedback_run *run)
{
    int *seen = state;
    return run->observation->verdict == SONDE_VALID && ++*seen <= 2;
}

static void the_state_of_the_property_s_own_feedback_is_kept(void **state)
{
    (void)state;
    const struct sonde_feedback own = {.size = sizeof(int), .update = counts_up_to_two};
    struct sonde_judge with;
    sonde_judge_init(&with, &own, false);
    reasons_at(0);
    struct sonde_observation seen = sonde_observation_of(k.t, NULL, 1);
    assert_int_equal(sonde_judge_state(&with, &own, k.t, &seen), SONDE_NEW_STATE);
    assert_int_equal(sonde_judge_state(&with, &own, k.t, &seen), SONDE_NEW_STATE);
    assert_int_equal(sonde_judge_state(&with, &own, k.t, &seen), 0);
    sonde_judge_clear(&with);
}

static void an_observation_has_the_distance_of_the_assume_that_failed(void **state)
{
    (void)state;
    reasons_at(4);
    struct sonde_observation seen = sonde_observation_of(k.t, NULL, 7);
    assert_int_equal(seen.verdict, SONDE_DISCARDED);
    assert_int_equal(seen.assumes_passed, 1);
    assert_int_equal(seen.n_distances, 2);
    assert_true(seen.assume_distance < 0 && seen.distances[1] < 0 && seen.distances[0] >= 0);
    assert_int_equal(seen.identity, 7);
    assert_int_equal(seen.cost, k.t->tape.n_choices);
}

#define judge_test(test) cmocka_unit_test_setup_teardown(test, init, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        judge_test(a_utility_is_news_when_it_rises),
        judge_test(a_valid_input_is_news_once),
        judge_test(the_way_through_assumes_is_news_when_it_is_longer),
        judge_test(the_state_of_the_property_s_own_feedback_is_kept),
        judge_test(an_observation_has_the_distance_of_the_assume_that_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
