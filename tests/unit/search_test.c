/* The search: case after case until a bound is met, counting all of them, deterministic by its seed. */
#include "lib/mocka.h"

#include "engine/search/loop.h"
#include "engine/search/stability.h"
#include "guide/guides.h"

#include <string.h>

static struct sonde_options options;
static struct sonde_search s;

static int init(void **state)
{
    (void)state;
    sonde_options_default(&options);
    options.seed = 1;
    options.seed_given = true;
    options.seconds = 0; /* no clock in here */
    return 0;
}

static void search(sonde_property_fn *run)
{
    static sonde_property property;
    property = (sonde_property){.name = "property", .run = run};
    sonde_search_init(&s, &property, &options, 0);
    sonde_search_run(&s);
}

static void pass(sonde *t)
{
    sonde_int(t, "x", 0, 1000000);
}

static void the_budget_counts_valid_cases(void **state)
{
    (void)state;
    options.tests = 777;
    search(pass);
    assert_int_equal(s.stats.valid, 777);
    assert_int_equal(s.stats.tests, 777);
    assert_int_equal(s.stopped, SONDE_STOP_TESTS);
    sonde_search_clear(&s);
}

static void discard_half(sonde *t)
{
    sonde_assume(t, sonde_bool(t, "b"));
    sonde_int(t, "x", 0, 1000000);
}

static void discarded_cases_are_counted_apart(void **state)
{
    (void)state;
    options.guide = "uniform";
    options.tests = 1000;
    search(discard_half);
    assert_int_equal(s.stats.valid, 1000);
    assert_in_range(s.stats.discarded, 700, 1300);
    assert_int_equal(s.stats.tests, s.stats.valid + s.stats.discarded);
    assert_int_equal(s.tally.n_assumes, 1);
    assert_int_equal(s.tally.assumes[0].rejected, s.stats.discarded);
    sonde_search_clear(&s);
}

static void runs_bound_cases_of_any_kind(void **state)
{
    (void)state;
    options.runs = 500;
    search(discard_half);
    assert_int_equal(s.stats.tests, 500);
    sonde_search_clear(&s);
}

static void discard_all(sonde *t)
{
    sonde_int(t, "x", 0, 1000000);
    sonde_assume(t, 1 > 2);
}

static void a_search_without_valid_cases_gives_up(void **state)
{
    (void)state;
    options.tests = 10;
    options.max_discards = 20;
    search(discard_all);
    assert_int_equal(s.stopped, SONDE_STOP_GAVE_UP);
    assert_int_equal(s.stats.valid, 0);
    assert_int_equal(s.stats.discarded, 201);
    sonde_search_clear(&s);
}

static void small(sonde *t)
{
    int a = sonde_int(t, "a", 0, 10);
    int b = sonde_int(t, "b", 0, 10);
    int c = sonde_int(t, "c", 0, 10);
    sonde_check(t, a + b + c >= 0);
}

static void enumeration_ends_after_exactly_all_inputs(void **state)
{
    (void)state;
    options.guide = "enumerate";
    search(small);
    assert_true(s.exhausted);
    assert_int_equal(s.stopped, SONDE_STOP_EXHAUSTED);
    assert_int_equal(s.stats.tests, 1331);
    assert_int_equal(s.stats.valid, 1331);
    sonde_search_clear(&s);
}

static void one_number(sonde *t)
{
    sonde_check(t, sonde_int(t, "x", 0, 999) >= 0);
}

/* `uniform` does not remember what it tried: chance would need 7,000 cases or more. The memory of the
 * hostile build has room for so small a space. */
static void a_space_of_known_size_is_enumerated_once_most_of_it_is_known(void **state)
{
    (void)state;
    options.guide = "uniform";
    options.tests = 6000;
    search(one_number);
    assert_int_equal(s.stopped, SONDE_STOP_EXHAUSTED);
    assert_true(s.stats.tests <= 5000); /* 4,000, then 1,000 */
    sonde_search_clear(&s);
}

static void weights(sonde *t)
{
    const unsigned odd[] = {0, 1, 0, 5, 0};
    sonde_weighted(t, "w", odd, 5);
    sonde_chance(t, "never", 0);
    sonde_chance(t, "always", 1);
    sonde_chance(t, "maybe", .001);
}

static void enumeration_counts_what_can_be_drawn(void **state)
{
    (void)state;
    options.guide = "enumerate";
    search(weights);
    assert_true(s.exhausted);
    assert_int_equal(s.stats.tests, 4);
    sonde_search_clear(&s);
}

static void fail_seldom(sonde *t)
{
    int x = sonde_int(t, "x", 0, 999);
    sonde_check(t, x % 100 != 99);
    sonde_check(t, x % 100 != 98);
}

static void failures_are_told_apart_by_their_place(void **state)
{
    (void)state;
    options.guide = "uniform";
    options.keep_going = true;
    options.tests = 5000;
    search(fail_seldom);
    assert_int_equal(s.n_found, 2);
    assert_int_not_equal(s.found[0]->identity, s.found[1]->identity);
    assert_int_equal(s.stats.tests, s.stats.valid + s.found[0]->hits + s.found[1]->hits);
    assert_true(s.found[0]->test < s.found[1]->test);
    sonde_search_clear(&s);
}

static void the_smallest_failing_input_is_kept_beside_the_first(void **state)
{
    (void)state;
    options.guide = "uniform";
    options.keep_going = true;
    options.tests = 5000;
    search(fail_seldom);
    for (uint32_t i = 0; i < s.n_found; i++) {
        const struct sonde_tape *smaller = &s.found[i]->smaller;
        assert_true((smaller->n_spans ? smaller : &s.found[i]->tape)->choices[0].index < 100);
    }
    sonde_search_clear(&s);
}

static void fail_fast_stops_at_once(void **state)
{
    (void)state;
    options.guide = "uniform";
    options.fail_fast = true;
    search(fail_seldom);
    assert_int_equal(s.n_found, 1);
    assert_int_equal(s.stopped, SONDE_STOP_FOUND);
    assert_int_equal(s.stats.tests, s.found[0]->test);
    sonde_search_clear(&s);
}

static void a_search_goes_on_for_ten_times_what_the_first_took(void **state)
{
    (void)state;
    options.guide = "uniform";
    search(fail_seldom);
    assert_int_equal(s.stopped, SONDE_STOP_FOUND);
    assert_int_equal(s.stats.tests, 10 * s.found[0]->test);
    sonde_search_clear(&s);
}

static void overrun_half(sonde *t)
{
    if (sonde_bool(t, "b"))
        for (;;) sonde_bool(t, "more");
}

static void overruns_are_counted_and_are_no_failures(void **state)
{
    (void)state;
    options.guide = "uniform";
    options.max_choices = 100;
    options.tests = 200;
    search(overrun_half);
    assert_int_equal(s.stats.valid, 200);
    assert_in_range(s.stats.overruns, 100, 350);
    assert_int_equal(s.n_found, 0);
    assert_string_equal(s.overrun, "choices");
    sonde_search_clear(&s);
}

static void an_overrun_forbids_the_claim_of_exhaustion(void **state)
{
    (void)state;
    options.guide = "enumerate";
    options.max_choices = 3;
    options.tests = 100;
    search(overrun_half);
    assert_false(s.exhausted);
    sonde_search_clear(&s);
}

static int calls;

static void forgetful(sonde *t)
{
    sonde_int(t, "x", 0, ++calls);
}

static void a_nondeterministic_property_is_told_at_its_first_difference(void **state)
{
    (void)state;
    calls = 0;
    options.tests = 100;
    search(forgetful);
    assert_non_null(strstr(s.warning,
                           "the property is not deterministic: with the same choices, draw 1 (\"x\") differed: "
                           "its range was different"));
    sonde_search_clear(&s);
}

static void misuse(sonde *t)
{
    sonde_pick(t, "x", 0);
}

static void misuse_stops_the_search(void **state)
{
    (void)state;
    search(misuse);
    assert_int_equal(s.stopped, SONDE_STOP_ERROR);
    assert_int_equal(s.stats.tests, 1);
    assert_non_null(strstr(s.misuse, "sonde_pick(\"x\"): there is nothing to pick from"));
    sonde_search_clear(&s);
}

static void one_of_ten(sonde *t)
{
    sonde_pick(t, "x", 10);
}

static void unique_inputs_are_counted(void **state)
{
    (void)state;
    options.guide = "uniform";
    options.tests = 1000;
    search(one_of_ten);
    bool estimated;
    assert_int_equal(sonde_unique_count(&s.judge.unique, &estimated), 10);
    assert_false(estimated);
    sonde_search_clear(&s);
}

static uint64_t sum;

static void add_up(sonde *t)
{
    size_t n;
    sum = sum * 31 + sonde_u64(t, "u", 0, UINT64_MAX);
    sonde_bytes(t, "bytes", 0, 20, &n);
    sum = sum * 31 + n;
    sonde_list xs = sonde_list_of(t, "xs", 0, 10);
    while (sonde_more(&xs)) sum = sum * 31 + (uint64_t)sonde_int(t, "x", -5, 5);
}

static uint64_t sum_of(const char *guide, uint64_t seed)
{
    sum = 0;
    options.guide = guide;
    options.seed = seed;
    options.tests = 300;
    search(add_up);
    sonde_search_clear(&s);
    return sum;
}

static void a_seed_decides_everything(void **state)
{
    (void)state;
    static const char *const guides[] = {"uniform", "random", "enumerate"};
    for (size_t i = 0; i < 3; i++) assert_int_equal(sum_of(guides[i], 5), sum_of(guides[i], 5));
    assert_int_not_equal(sum_of("uniform", 5), sum_of("uniform", 6));
    assert_int_not_equal(sum_of("random", 5), sum_of("random", 6));
}

/* ---- The path in instrumented code as what tells inputs apart: counters are hit by hand. */

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);

static uint8_t counters[64];

/* Two of the counters; the second 1 to 16 times, which are five orders of magnitude. */
static void goes_eighty_ways(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000), times = 1 + x / 16 % 16;
    counters[x % 16]++;
    counters[16] = (uint8_t)(counters[16] + times);
}

static uint64_t unique_by(const char *characteristic)
{
    bool estimated;
    options.guide = "uniform";
    options.tests = 2000;
    options.characteristic = characteristic;
    search(goes_eighty_ways);
    uint64_t n = sonde_unique_count(&s.judge.unique, &estimated);
    sonde_search_clear(&s);
    return n;
}

static void inputs_of_one_trace_count_as_one(void **state)
{
    (void)state;
    assert_in_range(unique_by("tape"), 1900, 2000);
    assert_in_range(unique_by("trace"), 1900, 2000); /* nothing is instrumented yet */
    __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters);
    assert_in_range(unique_by("tape"), 1900, 2000);
    assert_int_equal(unique_by("trace"), 80);
    assert_int_equal(unique_by("branches"), 16);
}

/* Of the three counters one is hit by every second case only, whatever that draws. */
static void goes_two_ways(sonde *t)
{
    static unsigned turns = 1;
    counters[sonde_int(t, "x", 0, 1000000) % 2]++;
    counters[2] = (uint8_t)(counters[2] + turns++ % 2);
}

static void places_whose_counters_are_unstable_are_not_counted(void **state)
{
    (void)state;
    options.tests = 1000;
    search(goes_two_ways);
    assert_int_equal(sonde_coverage_size(s.coverage).unstable, 1);
    assert_int_equal(s.judge.novelty.n_places, 3);
    assert_int_equal(sonde_search_places(&s, false), 2); /* the same during the search as at its end */
    assert_int_equal(sonde_search_places(&s, true), 2);
    sonde_search_clear(&s);
}

/* Behind one x of twenty there are 32 ways, behind the others one. */
static void has_a_part_of_many_ways(sonde *t)
{
    int x = sonde_int(t, "x", 0, 19), y = sonde_int(t, "y", 0, 1000);
    counters[x == 19 ? 1 + y % 32 : 0]++;
}

static uint64_t ways_found(const char *guide)
{
    bool estimated;
    options.guide = guide;
    options.tests = 200;
    options.characteristic = "trace";
    search(has_a_part_of_many_ways);
    uint64_t n = sonde_unique_count(&s.judge.unique, &estimated);
    sonde_search_clear(&s);
    return n;
}

static void learners_are_paid_for_new_traces(void **state)
{
    (void)state;
    uint64_t learned = 0, by_chance = 0;
    for (options.seed = 1; options.seed <= 5; options.seed++) {
        learned += ways_found("rl-classic");
        by_chance += ways_found("uniform");
    }
    assert_true(learned > by_chance * 3 / 2);
}

#define search_test(test) cmocka_unit_test_setup(test, init)

int main(void)
{
    const struct CMUnitTest tests[] = {
        search_test(the_budget_counts_valid_cases),
        search_test(discarded_cases_are_counted_apart),
        search_test(runs_bound_cases_of_any_kind),
        search_test(a_search_without_valid_cases_gives_up),
        search_test(enumeration_ends_after_exactly_all_inputs),
        search_test(a_space_of_known_size_is_enumerated_once_most_of_it_is_known),
        search_test(enumeration_counts_what_can_be_drawn),
        search_test(failures_are_told_apart_by_their_place),
        search_test(the_smallest_failing_input_is_kept_beside_the_first),
        search_test(fail_fast_stops_at_once),
        search_test(a_search_goes_on_for_ten_times_what_the_first_took),
        search_test(overruns_are_counted_and_are_no_failures),
        search_test(an_overrun_forbids_the_claim_of_exhaustion),
        search_test(a_nondeterministic_property_is_told_at_its_first_difference),
        search_test(misuse_stops_the_search),
        search_test(unique_inputs_are_counted),
        search_test(a_seed_decides_everything),
        search_test(inputs_of_one_trace_count_as_one),
        search_test(places_whose_counters_are_unstable_are_not_counted),
        search_test(learners_are_paid_for_new_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
