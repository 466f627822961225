/* The enumerating guide: every input once, the simplest first, and an end that is a proof or none at all. */
#include "driver.h"

#include "tape/trie.h"

#include <math.h>
#include <string.h>

enum { ROOMY = 1 << 24 };
static const struct sonde_guide_setup roomy = {.seed = 1, .memory = ROOMY};

/* Runs to the end; returns how many cases there were, or max. */
static uint64_t count(const struct sonde_guide_setup *setup, drawn_property *property, uint64_t max)
{
    struct driver d;
    driver_init(&d, &sonde_guide_enumerate, setup);
    while (d.cases < max && drive(&d, property)) continue;
    uint64_t n = d.cases;
    driver_clear(&d);
    return n;
}

static void three_digits(struct driver *d)
{
    for (uint32_t i = 0; i < 3; i++) draw_int(d, i, -5, 5);
}

static void nothing(struct driver *d)
{
    (void)d;
}

static void a_bool_chain(struct driver *d)
{
    for (uint32_t i = 0; i < 300 && draw(d, 1, SONDE_KIND_BOOL, 1); i++) continue;
}

static void lists_of_lists(struct driver *d)
{
    uint64_t n = draw(d, 1, SONDE_KIND_LENGTH, 2);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t m = draw(d, 2, SONDE_KIND_LENGTH, 2);
        for (uint64_t k = 0; k < m; k++) draw(d, 3, SONDE_KIND_PICK, 2);
    }
}

static void texts(struct driver *d)
{
    char text[64];
    draw_text(d, 1, "abc", 1, 3, text);
    draw_text(d, 2, "x", 0, 4, text);
    draw_text(d, 3, "01", 4, 4, text);
}

static void zero_weights(struct driver *d)
{
    static const unsigned weights[] = {0, 1, 0, 2, 1};
    draw_weighted(d, 1, weights, 5);
    draw(d, 2, SONDE_KIND_BOOL, 1);
}

static void it_ends_after_exactly_all_inputs(void **state)
{
    (void)state;
    assert_int_equal(count(&roomy, three_digits, 5000), 1331);
    assert_int_equal(count(&roomy, nothing, 5000), 1);
    assert_int_equal(count(&roomy, a_bool_chain, 5000), 301);
    assert_int_equal(count(&roomy, lists_of_lists, 5000), 1 + 13 + 13 * 13);
    assert_int_equal(count(&roomy, texts, 5000), (3 + 9 + 27) * 5 * 16);
}

static void alternatives_of_weight_zero_do_not_keep_it_busy(void **state)
{
    (void)state;
    assert_int_equal(count(&roomy, zero_weights, 5000), 6);
}

static void no_input_comes_twice_and_costs_only_grow(void **state)
{
    (void)state;
    struct driver d;
    uint8_t seen[1331] = {0};
    unsigned last = 0;
    driver_init(&d, &sonde_guide_enumerate, &roomy);
    while (drive(&d, three_digits)) {
        const struct sonde_choice *c = d.tape.choices;
        uint8_t *flag = &seen[c[0].index * 121 + c[1].index * 11 + c[2].index];
        unsigned cost = 0;
        assert_false(*flag);
        *flag = 1;
        for (int i = 0; i < 3; i++) cost += c[i].index ? 32 - (unsigned)__builtin_clz((unsigned)c[i].index) : 0;
        assert_true(cost >= last);
        if (d.cases == 1) assert_int_equal(cost, 0);
        last = cost;
    }
    driver_clear(&d);
}

static void others_runs_are_not_tried_again(void **state)
{
    (void)state;
    struct driver d, other;
    driver_init(&d, &sonde_guide_enumerate, &roomy);
    driver_init(&other, &sonde_guide_uniform, &roomy);
    struct sonde_observation observation = {.verdict = SONDE_FAILED};
    struct sonde_trie *distinct = sonde_trie_create(ROOMY);
    for (int i = 0; i < 500; i++) {
        drive(&other, three_digits);
        sonde_trie_insert(distinct, &other.tape);
        struct sonde_run run = {.tape = &other.tape, .observation = &observation};
        d.guide->ops->learn(d.guide, &run);
    }
    while (drive(&d, three_digits)) {
        assert_int_equal(sonde_trie_insert(distinct, &d.tape), SONDE_TRIE_NEW);
    }
    assert_int_equal(sonde_trie_inputs(distinct), 1331);
    sonde_trie_free(distinct);
    driver_clear(&d);
    driver_clear(&other);
}

static void overrunning(struct driver *d)
{
    three_digits(d);
    if (d->cases == 700) d->verdict = SONDE_OVERRUN;
}

static void fickle(struct driver *d)
{
    draw(d, 1, SONDE_KIND_PICK, 9);
    if (d->cases == 5) draw(d, 2, SONDE_KIND_PICK, 9);
    draw(d, 3, SONDE_KIND_PICK, 9);
}

static void without_exactness_it_goes_on_and_claims_nothing(void **state)
{
    (void)state;
    static const size_t memories[] = {0, 1000, 8000};
    assert_int_equal(count(&roomy, overrunning, 5000), 5000);
    assert_int_equal(count(&roomy, fickle, 5000), 5000);
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        struct sonde_guide_setup setup = {.seed = 1, .memory = memories[i]};
        assert_int_equal(count(&setup, three_digits, 5000), 5000);
    }
}

static double last_double;

static void unit_double(struct driver *d)
{
    last_double = draw_double(d, 1, 0, 1);
}

static void doubles_come_in_their_order_without_repeats(void **state)
{
    (void)state;
    struct driver d;
    double seen[300];
    uint32_t n = 0, repeats = 0;
    driver_init(&d, &sonde_guide_enumerate, &roomy);
    for (int i = 0; i < 300; i++) {
        assert_true(drive(&d, unit_double));
        bool is_new = true;
        for (uint32_t k = 0; k < n; k++) is_new &= seen[k] != last_double;
        if (is_new) seen[n++] = last_double;
        else repeats++;
    }
    assert_true(seen[0] == 0 && seen[1] == 1);
    assert_true(n + repeats == 300 && n > 2); /* a further name of a value is met once, not forever */
    driver_clear(&d);
}

static void two_wide(struct driver *d)
{
    draw(d, 1, SONDE_KIND_UINT, UINT64_MAX);
    draw(d, 2, SONDE_KIND_UINT, UINT64_MAX);
}

static void wide_domains_are_walked_from_the_small_end(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, &sonde_guide_enumerate, &roomy);
    for (int i = 0; i < 20000; i++) {
        assert_true(drive(&d, two_wide));
        assert_true(d.tape.choices[0].index < 1 << 13 && d.tape.choices[1].index < 1 << 13);
    }
    driver_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_after_exactly_all_inputs),
        cmocka_unit_test(alternatives_of_weight_zero_do_not_keep_it_busy),
        cmocka_unit_test(no_input_comes_twice_and_costs_only_grow),
        cmocka_unit_test(others_runs_are_not_tried_again),
        cmocka_unit_test(without_exactness_it_goes_on_and_claims_nothing),
        cmocka_unit_test(doubles_come_in_their_order_without_repeats),
        cmocka_unit_test(wide_domains_are_walked_from_the_small_end),
    };
    return cmocka_run_group_tests_name("enumerate", tests, NULL, NULL);
}
