/* The sample of inputs that are run again: all of a few, the same of many in whatever order and however often they come. */
#include "lib/mocka.h"
#include "lib/one_tape.h"

#include "engine/search/sample.h"
#include "tape/tape.h"

#include <stdlib.h>

static void add(struct sonde_sample *sample, uint64_t input, uint64_t test)
{
    uint64_t key = sonde_sample_key(input, 7, input % 4 != 0);
    struct sonde_sampled s = {.key = key,
                              .test = test,
                              .verdict = input % 4 ? SONDE_VALID : SONDE_DISCARDED,
                              .tape = tape};
    if (key < sample->end) sonde_sample_add(sample, &s);
}

static void few_inputs_are_all_there_once(void **state)
{
    (void)state;
    struct sonde_sample sample;
    sonde_sample_init(&sample);
    for (uint64_t i = 0; i < 20; i++) add(&sample, i % 5, i);
    assert_int_equal(sample.n, 5);
    assert_int_equal(sonde_sample_at(&sample, 4)->verdict, SONDE_DISCARDED); /* valid ones come first */
    sonde_sample_clear(&sample);
}

static void of_many_the_same_stay_in_any_order(void **state)
{
    (void)state;
    enum { N = 3 * SONDE_SAMPLE_MAX };
    struct sonde_sample up, down, halves[2];
    sonde_sample_init(&up);
    sonde_sample_init(&down);
    sonde_sample_init(&halves[0]);
    sonde_sample_init(&halves[1]);
    for (uint64_t i = 0; i < N; i++) {
        add(&up, i, i);
        add(&down, N - 1 - i, i);
        add(&halves[i % 2], i, i);
    }
    sonde_sample_merge(&halves[0], &halves[1]);
    assert_int_equal(up.n, SONDE_SAMPLE_MAX);
    assert_int_equal(down.n, SONDE_SAMPLE_MAX);
    assert_int_equal(halves[0].n, SONDE_SAMPLE_MAX);
    for (uint32_t i = 0; i < up.n; i++) {
        assert_int_equal(up.inputs[i]->key, down.inputs[i]->key);
        assert_int_equal(up.inputs[i]->key, halves[0].inputs[i]->key);
    }
    sonde_sample_clear(&up);
    sonde_sample_clear(&down);
    sonde_sample_clear(&halves[0]);
    sonde_sample_clear(&halves[1]);
}

static void the_order_is_never_that_of_the_search(void **state)
{
    (void)state;
    struct sonde_sample sample;
    sonde_sample_init(&sample);
    add(&sample, 1, 2);
    add(&sample, 2, 1);
    for (uint64_t turn = 0; turn < 2; turn++) {
        sample.inputs[0]->test = turn;
        sample.inputs[1]->test = 1 - turn;
        assert_true(sonde_sample_at(&sample, 0)->test > sonde_sample_at(&sample, 1)->test);
    }
    sonde_sample_clear(&sample);
}

/* Those that leave lend their memory to those that come, longer ones and shorter ones. */
static void tapes_stay_what_they_were(void **state)
{
    (void)state;
    enum { N = 4 * SONDE_SAMPLE_MAX, LENGTHS = 7, LONG = 300 };
    struct sonde_sample sample;
    struct sonde_choice choices[LONG] = {{0}};
    sonde_sample_init(&sample);
    for (uint64_t i = 0; i < N; i++) {
        uint32_t n = (uint32_t)(i % LENGTHS ? i % LENGTHS : LONG);
        for (uint32_t k = 0; k < n; k++) choices[k].index = i + k;
        struct sonde_sampled input = {.key = sonde_sample_key(i, 7, true),
                                      .test = i,
                                      .tape = {.choices = choices, .n_choices = n}};
        sonde_sample_add(&sample, &input);
    }
    assert_int_equal(sample.n, SONDE_SAMPLE_MAX);
    size_t bytes = 0;
    for (uint32_t i = 0; i < sample.n; i++) {
        const struct sonde_sampled *s = sample.inputs[i];
        assert_int_equal(s->key, sonde_sample_key(s->test, 7, true));
        assert_int_equal(s->tape.n_choices, s->test % LENGTHS ? s->test % LENGTHS : LONG);
        for (uint32_t k = 0; k < s->tape.n_choices; k++) assert_int_equal(s->tape.choices[k].index, s->test + k);
        bytes += sonde_tape_bytes(&s->tape);
    }
    assert_int_equal(sample.bytes, bytes);
    sonde_sample_clear(&sample);
}

/* Only inputs without room are left out. */
static void of_large_inputs_fewer_stay(void **state)
{
    (void)state;
    enum { N = 4 * SONDE_LIMIT(1000, 8), LARGE = SONDE_LIMIT(2000, 200000) };
    struct sonde_sample sample, other;
    struct sonde_choice *choices = calloc(LARGE, sizeof *choices);
    sonde_sample_init(&sample);
    sonde_sample_init(&other);
    for (uint64_t i = 0; i < N; i++) {
        struct sonde_sampled input = {.key = sonde_sample_key(i, 7, true),
                                      .test = i,
                                      .tape = {.choices = choices, .n_choices = LARGE}};
        if (input.key < sample.end) sonde_sample_add(&sample, &input);
    }
    assert_true(sample.is_cut);
    assert_in_range(sample.n, 1, SONDE_SAMPLE_MAX - 1);
    assert_in_range(sample.bytes, 1, 16 << 20);
    for (uint64_t i = 0; i < N; i++) { /* it has every input below its end */
        bool is_there = false;
        for (uint32_t k = 0; k < sample.n; k++) is_there |= sample.inputs[k]->test == i;
        assert_int_equal(is_there, sonde_sample_key(i, 7, true) < sample.end);
    }
    sonde_sample_merge(&other, &sample);
    assert_true(other.is_cut);
    assert_int_equal(other.n, sample.n);
    sonde_sample_clear(&other);
    /* a sample of small inputs keeps none where the other lacks inputs */
    sonde_sample_init(&other);
    for (uint64_t i = N; i < 2 * N; i++) {
        struct sonde_sampled input = {.key = sonde_sample_key(i, 7, true),
                                      .test = i,
                                      .tape = {.choices = choices, .n_choices = 1}};
        sonde_sample_add(&other, &input);
    }
    uint64_t end = sample.end;
    sonde_sample_merge(&other, &sample);
    assert_true(other.end <= end);
    for (uint32_t i = 0; i < other.n; i++) assert_true(other.inputs[i]->key < end);
    for (uint64_t i = 0; i < 2 * N; i++) { /* it has every input of both below its end */
        bool is_there = false;
        for (uint32_t k = 0; k < other.n; k++) is_there |= other.inputs[k]->test == i;
        if (sonde_sample_key(i, 7, true) < other.end) assert_true(is_there);
    }
    sonde_sample_clear(&other);
    sonde_sample_clear(&sample);
    free(choices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_inputs_are_all_there_once),
        cmocka_unit_test(of_many_the_same_stay_in_any_order),
        cmocka_unit_test(the_order_is_never_that_of_the_search),
        cmocka_unit_test(tapes_stay_what_they_were),
        cmocka_unit_test(of_large_inputs_fewer_stay),
    };
    return cmocka_run_group_tests(tests, open_tape, close_tape);
}
