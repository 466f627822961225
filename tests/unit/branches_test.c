/* Repair of computed equalities in branches: what the copies change, which comparisons are left alone, and whole
 * searches of properties that report their comparisons by hand. */
#include "lib/counters.h"
#include "lib/searches.h"
#include "lib/short.h"

#include "guide/goal/branches.h"

#include <string.h>

void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b);

/* A hash that no solver inverts. Guides that put compared values into inputs meet it now and then. */
static uint32_t hash_of(const uint8_t *d, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ d[i]) * 16777619u + (h >> 13) * (h >> 7 | 1);
    return h;
}

static uint64_t n_cases, n_passed;

static void judge(uint32_t computed, uint32_t drawn)
{
    counters[0]++;
    n_cases++;
    __sanitizer_cov_trace_cmp4(computed, drawn);
    if (computed != drawn) return;
    counters[1]++;
    n_passed++;
}

static void field(sonde *t)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 4, 8, &n);
    judge(hash_of(d, n), sonde_u32(t, "hash", 0, UINT32_MAX));
}

static void big_endian(sonde *t)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 8, 12, &n);
    judge(hash_of(d + 4, n - 4), (uint32_t)d[0] << 24 | (uint32_t)d[1] << 16 | (uint32_t)d[2] << 8 | d[3]);
}

static void little_endian(sonde *t)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 8, 12, &n);
    uint32_t hash = hash_of(d, n - 4);
    d += n - 4;
    judge(hash, (uint32_t)d[3] << 24 | (uint32_t)d[2] << 16 | (uint32_t)d[1] << 8 | d[0]);
}

static uint64_t passed(sonde_property_fn *run, const char *knobs)
{
    const sonde_property property = {.name = "property", .run = run};
    struct sonde_options options = searches_options("auto", 1, 2000);
    options.guide_options = knobs;
    n_cases = n_passed = 0;
    searches_free(searches_run(&property, &options));
    return n_passed;
}

static void a_hash_is_repaired(sonde_property_fn *run)
{
    uint64_t without = passed(run, "repair=0,goal=0"), with = passed(run, "repair=1,goal=0");
    if (with < 100 || with < 4 * without) fail_msg("%d of 2,000 cases, %d without", (int)with, (int)without);
}

static void a_drawn_number_is_set(void **state)
{
    (void)state;
    a_hash_is_repaired(field);
}

static void bytes_are_set_in_either_order(void **state)
{
    (void)state;
    a_hash_is_repaired(big_endian);
    a_hash_is_repaired(little_endian);
}

/* ---- Single cases */

static struct sonde_branches branches;
static struct sonde_tape tape, script;

static void number(sonde *t)
{
    sonde_u32(t, "x", 0, UINT32_MAX);
}

static int make(void **state)
{
    (void)state;
    const sonde_property property = {.name = "property", .run = number};
    const struct sonde_options options = searches_options("random", 1, 1);
    sonde_branches_init(&branches, 1, 0);
    sonde_tape_init(&tape);
    sonde_tape_init(&script);
    struct sonde_search *s = searches_run(&property, &options);
    sonde_tape_copy(&tape, &s->t->tape);
    searches_free(s);
    return 0;
}

static int end(void **state)
{
    (void)state;
    sonde_branches_clear(&branches);
    sonde_tape_clear(&tape);
    sonde_tape_clear(&script);
    return 0;
}

/* Shows a case with unequal sides, the second of which was drawn; returns whether it is repaired. */
static bool show(uint64_t computed, uint32_t drawn, enum sonde_verdict verdict)
{
    const struct sonde_hint hint = {.a = computed, .b = drawn, .bytes = 4, .id = 3};
    const struct sonde_coverage_view view = {.compared = true, .hints = &hint, .n_hints = 1};
    const struct sonde_observation seen = {.verdict = verdict, .coverage = &view};
    tape.choices[tape.n_choices - 1].index = drawn;
    return sonde_branches_consider(&branches, &(struct sonde_run){.tape = &tape, .observation = &seen}, &script);
}

/* Ends a repair: the sides are equal, or not. */
static void learn(bool is_equal)
{
    const struct sonde_feature equal = {.id = 3, .mark = 0, .kind = SONDE_FEATURE_COMPARISON};
    const struct sonde_coverage_view view = {.compared = true, .features = &equal, .n_features = is_equal};
    const struct sonde_observation seen = {.coverage = &view};
    sonde_branches_learn(&branches, &(struct sonde_run){.tape = &tape, .observation = &seen});
}

static void the_computed_side_is_put_where_the_drawn_one_stands(void **state)
{
    (void)state;
    uint32_t i = 0;
    while (i < 100 && !show(1000 + i, 5000 + i, SONDE_VALID)) i++;
    assert_true(i > 0 && i < 100);
    assert_int_equal(script.choices[script.n_choices - 1].index, 1000 + i);
}

static void constants_are_left_alone(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100; i++) assert_false(show(1000, 5000 + i, SONDE_VALID));
}

static void discarded_inputs_are_left_to_repair(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100; i++) assert_false(show(1000 + i, 5000 + i, SONDE_DISCARDED));
}

static void copies_that_do_not_help_end(void **state)
{
    (void)state;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 1000; i++)
        if (show(1000 + i, 5000 + i, SONDE_VALID)) n++, learn(false);
    assert_int_equal(n, 8);
}

static void repairs_without_news_become_rare(void **state)
{
    (void)state;
    uint32_t n[2] = {0, 0};
    for (uint32_t i = 0; i < 4000; i++)
        if (show(1000 + i, 5000 + i, SONDE_VALID)) n[i >= 2000]++, learn(true);
    assert_true(n[0] > 2 * n[1] && n[1] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drawn_number_is_set),
        cmocka_unit_test(bytes_are_set_in_either_order),
        cmocka_unit_test_setup_teardown(the_computed_side_is_put_where_the_drawn_one_stands, make, end),
        cmocka_unit_test_setup_teardown(constants_are_left_alone, make, end),
        cmocka_unit_test_setup_teardown(discarded_inputs_are_left_to_repair, make, end),
        cmocka_unit_test_setup_teardown(copies_that_do_not_help_end, make, end),
        cmocka_unit_test_setup_teardown(repairs_without_news_become_rare, make, end),
    };
    return cmocka_run_group_tests(tests, counters_register, NULL);
}
