/* The draws: in their domains, simplest first, and an error message for every domain that is invalid. */
#include "lib/cases.h"
#include "lib/proper.h"

#include <math.h>
#include <stdlib.h>

static int init_uniform(void **state)
{
    (void)state;
    cases_init(&k, &sonde_guide_uniform, 7);
    return 0;
}

static int init_simplest(void **state)
{
    (void)state;
    cases_init(&k, &sonde_guide_simplest, 0);
    return 0;
}

/* ---- The simplest of each */

static void check_simplest(sonde *t)
{
    size_t n;
    const unsigned weights[] = {0, 0, 3, 5};
    assert_false(sonde_bool(t, "bool"));
    assert_false(sonde_chance(t, "chance", .99));
    assert_true(sonde_chance(t, "certain", 1));
    assert_int_equal(sonde_int(t, "int", INT_MIN, INT_MAX), 0);
    assert_int_equal(sonde_int(t, "positive", 3, 9), 3);
    assert_int_equal(sonde_int(t, "negative", -9, -3), -3);
    assert_int_equal(sonde_i64(t, "i64", INT64_MIN, INT64_MAX), 0);
    assert_int_equal(sonde_u64(t, "u64", 5, UINT64_MAX), 5);
    assert_true(sonde_double(t, "double", -1, 1) == 0);
    assert_true(sonde_double(t, "fraction", .3, .4) >= .3);
    assert_true(sonde_any_double(t, "any") == 0);
    assert_int_equal(sonde_pick(t, "pick", 10), 0);
    assert_int_equal(sonde_weighted(t, "weighted", weights, 4), 2);
    assert_int_equal(sonde_size(t), 0);
    assert_non_null(sonde_bytes(t, "bytes", 0, 10, &n));
    assert_int_equal(n, 0);
    assert_string_equal(sonde_string(t, "string", 0, 10), "");
    assert_string_equal(sonde_string(t, "three", 3, 10), "aaa");
    assert_string_equal(sonde_string_of(t, "of", "xyz", 2, 10), "xx");
    assert_string_equal(sonde_utf8(t, "utf8", 2, 10), "aa");
    sonde_list xs = sonde_list_of(t, "xs", 2, 10);
    size_t count = 0;
    while (sonde_more(&xs)) count++;
    assert_int_equal(count, 2);
}

static void index_zero_is_the_simplest_value(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, check_simplest, NULL), SONDE_VALID);
}

/* ---- The quick way */

/* Of these domains one answer of the stream in two must be drawn again, or none. */
static void draw_many(sonde *t)
{
    for (int i = 0; i < 200; i++) {
        sonde_u64(t, "half", 0, UINT64_MAX / 2 + 1);
        sonde_i64(t, "wide", INT64_MIN / 2 - 1, INT64_MAX / 2);
        sonde_u64(t, "all", 0, UINT64_MAX);
        sonde_int(t, "some", -7, 1000);
        sonde_bool(t, "one");
    }
}

static void the_quick_way_gives_the_same_answers(void **state)
{
    (void)state;
    struct cases slow;
    cases_init(&slow, &sonde_guide_uniform, 7);
    slow.guide->plain = NULL;
    for (int run = 0; run < 3; run++) { /* labels are known from the second one on */
        cases_run(&k, draw_many, NULL);
        cases_run(&slow, draw_many, NULL);
        assert_int_equal(k.t->tape.n_choices, slow.t->tape.n_choices);
        for (uint32_t i = 0; i < k.t->tape.n_choices; i++)
            assert_int_equal(k.t->tape.choices[i].index, slow.t->tape.choices[i].index);
        assert_int_equal(sonde_case_hash(k.t), sonde_case_hash(slow.t));
    }
    cases_clear(&slow);
}

/* ---- Domains */

static void check_domains(sonde *t)
{
    const unsigned weights[] = {1, 0, 3};
    const int array[] = {4, 5, 6};
    assert_in_range(sonde_int(t, "int", -3, 3) + 3, 0, 6);
    sonde_i64(t, "i64", INT64_MIN, INT64_MAX);
    assert_true(sonde_u64(t, "u64", UINT64_MAX - 1, UINT64_MAX) >= UINT64_MAX - 1);
    double d = sonde_double(t, "double", -2.5, 1e9);
    assert_true(d >= -2.5 && d <= 1e9);
    assert_true(sonde_pick(t, "pick", 3) < 3);
    assert_int_not_equal(sonde_weighted(t, "weighted", weights, 3), 1);
    assert_in_range(sonde_element(t, "element", array), 4, 6);
    assert_in_range(sonde_size(t), 0, 100);
    assert_false(sonde_chance(t, "never", 0));
    assert_true(sonde_chance(t, "always", 1));
}

static void draws_stay_in_their_domains(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) assert_int_equal(cases_run(&k, check_domains, NULL), SONDE_VALID);
    assert_proper(&k.t->tape);
}

static int often;

static void draw_chances(sonde *t)
{
    often += sonde_chance(t, "c", .9);
}

static void a_chance_has_its_probability(void **state)
{
    (void)state;
    often = 0;
    for (int i = 0; i < 10000; i++) cases_run(&k, draw_chances, NULL);
    assert_in_range(often, 8800, 9200);
}

static void ask_size_twice(sonde *t)
{
    int first = sonde_size(t);
    sonde_open(t, "deeper");
    assert_int_equal(sonde_size(t), first);
    sonde_close(t, "deeper");
}

static void the_size_is_drawn_once_per_case(void **state)
{
    (void)state;
    cases_run(&k, ask_size_twice, NULL);
    assert_int_equal(k.t->tape.n_choices, 1);
    assert_int_equal(k.t->tape.choices[0].kind, SONDE_KIND_SIZE);
}

static void force(sonde *t)
{
    assert_int_equal(sonde_int(t, "one", 4, 4), 4);
    assert_int_equal(sonde_pick(t, "one", 1), 0);
    assert_true(sonde_double(t, "one", .5, .5) == .5);
}

static void a_domain_of_one_is_recorded_as_forced(void **state)
{
    (void)state;
    cases_run(&k, force, NULL);
    assert_int_equal(k.t->tape.n_choices, 3);
    for (int i = 0; i < 3; i++) assert_true(k.t->tape.choices[i].flags & SONDE_CHOICE_FORCED);
}

static void draw_texts(sonde *t)
{
    size_t n;
    sonde_bytes(t, "bytes", 2, 5, &n);
    assert_in_range(n, 2, 5);
    const char *text = sonde_string(t, "text", 0, 8);
    assert_true(strlen(text) <= 8);
    for (; *text; text++) assert_in_range(*text, 32, 126);
    text = sonde_string_of(t, "dna", "acgt", 3, 3);
    assert_int_equal(strlen(text), 3);
    assert_int_equal(strspn(text, "acgt"), 3);
    text = sonde_utf8(t, "utf8", 1, 4);
    size_t points = 0;
    for (size_t i = 0, end = strlen(text); i < end; points++) {
        uint32_t code;
        unsigned step = sonde_utf8_decode(text + i, end - i, &code);
        assert_true(step > 1 || (unsigned char)text[i] < 0x80); /* valid throughout */
        i += step;
    }
    assert_in_range(points, 1, 4);
}

static void texts_have_their_lengths_and_alphabets(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) assert_int_equal(cases_run(&k, draw_texts, NULL), SONDE_VALID);
}

/* ---- Lists */

static size_t drawn;

static void draw_list(sonde *t)
{
    drawn = 0;
    sonde_list xs = sonde_list_of(t, "xs", 1, 6);
    while (sonde_more(&xs)) {
        assert_int_equal(xs.i, drawn);
        sonde_int(t, "x", 0, 9);
        drawn++;
    }
    assert_false(sonde_more(&xs)); /* and stays at its end */
    assert_in_range(drawn, 1, 6);
}

static void each_element_is_a_span_of_the_list(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(cases_run(&k, draw_list, NULL), SONDE_VALID);
        const struct sonde_tape *tape = &k.t->tape;
        assert_proper(tape);
        assert_int_equal(tape->n_spans, 2 + drawn);
        assert_int_equal(tape->spans[1].flags, SONDE_SPAN_LIST);
        for (size_t e = 0; e < drawn; e++) assert_int_equal(tape->spans[2 + e].flags, SONDE_SPAN_ELEMENT);
        assert_string_equal(sonde_label_text(&k.labels, tape->spans[2].label), "xs[]");
    }
}

static void draw_unique(sonde *t)
{
    bool seen[10] = {false};
    drawn = 0;
    sonde_list xs = sonde_list_of(t, "xs", 2, 6);
    while (sonde_more(&xs)) {
        int x = sonde_int(t, "x", 0, 9);
        if (seen[x]) {
            sonde_list_reject(&xs);
            continue;
        }
        seen[x] = true;
        drawn++;
    }
}

static void a_rejected_element_is_drawn_again(void **state)
{
    (void)state;
    bool any_rejected = false;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(cases_run(&k, draw_unique, NULL), SONDE_VALID);
        const struct sonde_tape *tape = &k.t->tape;
        size_t kept = 0;
        for (uint32_t s = 2; s < tape->n_spans; s++) kept += !(tape->spans[s].flags & SONDE_SPAN_REJECTED);
        any_rejected |= kept < tape->n_spans - 2;
        assert_int_equal(kept, drawn);
        assert_int_equal(drawn, 2 + tape->choices[0].index);
    }
    assert_true(any_rejected);
}

static size_t shortest;

static void reject_all_but_one(sonde *t)
{
    drawn = 0;
    sonde_list xs = sonde_list_of(t, "xs", shortest, 6);
    while (sonde_more(&xs)) {
        if (xs.i == 0) drawn++;
        else sonde_list_reject(&xs);
    }
    sonde_int(t, "after", 0, 9);
}

static void a_list_that_rejects_too_much_ends_there(void **state)
{
    (void)state;
    shortest = 1;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(cases_run(&k, reject_all_but_one, NULL), SONDE_VALID);
        assert_int_equal(drawn, 1);
    }
    shortest = 2;
    assert_int_equal(cases_run(&k, reject_all_but_one, NULL), SONDE_DISCARDED);
    assert_non_null(strstr(k.t->rejection.condition, "too many elements rejected"));
}

static void recurse(sonde *t, int depth)
{
    sonde_list xs = sonde_list_of(t, "xs", depth < 3 ? 1 : 0, depth < 3 ? 2 : 0);
    while (sonde_more(&xs)) recurse(t, depth + 1);
}

static void draw_nested(sonde *t)
{
    recurse(t, 0);
}

static void lists_of_one_label_nest(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(cases_run(&k, draw_nested, NULL), SONDE_VALID);
        assert_proper(&k.t->tape);
    }
}

static void draw_any_length(sonde *t)
{
    drawn = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, SONDE_ANY);
    while (sonde_more(&xs)) drawn++;
    drawn += strlen(sonde_string(t, "text", 0, SONDE_ANY));
}

static void a_length_without_bound_is_reasonable(void **state)
{
    (void)state;
    size_t sum = 0;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(cases_run(&k, draw_any_length, NULL), SONDE_VALID);
        sum += drawn;
    }
    assert_in_range(sum, 12000, 20000); /* 8 each on average */
}

/* ---- Draws that are impossible */

static void empty_int(sonde *t)
{
    sonde_int(t, "x", 5, 4);
}
static void empty_i64(sonde *t)
{
    sonde_i64(t, "x", INT64_MAX, INT64_MIN);
}
static void empty_u64(sonde *t)
{
    sonde_u64(t, "x", 5, 4);
}
static void empty_double(sonde *t)
{
    sonde_double(t, "x", 1, .5);
}
static void double_of_nan(sonde *t)
{
    sonde_double(t, "x", NAN, 1);
}
static void infinite_double(sonde *t)
{
    sonde_double(t, "x", 0, INFINITY);
}
static void no_probability(sonde *t)
{
    sonde_chance(t, "x", 1.5);
}
static void probability_of_nan(sonde *t)
{
    sonde_chance(t, "x", NAN);
}
static void pick_of_nothing(sonde *t)
{
    sonde_pick(t, "x", 0);
}
static void no_weights(sonde *t)
{
    const unsigned zero[] = {0, 0};
    sonde_weighted(t, "x", zero, 2);
}
static void no_weights_at_all(sonde *t)
{
    sonde_weighted(t, "x", NULL, 0);
}
static void weights_of_null(sonde *t)
{
    sonde_weighted(t, "x", NULL, 3);
}
static void no_alphabet(sonde *t)
{
    sonde_string_of(t, "x", "", 0, 3);
}
static void null_alphabet(sonde *t)
{
    sonde_string_of(t, "x", NULL, 0, 3);
}
static void backward_bytes(sonde *t)
{
    size_t n;
    sonde_bytes(t, "x", 5, 4, &n);
}
static void bytes_without_length(sonde *t)
{
    sonde_bytes(t, "x", 0, 4, NULL);
}
static void backward_list(sonde *t)
{
    sonde_list_of(t, "x", 5, 4);
}
static void reject_too_early(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "x", 1, 4);
    sonde_list_reject(&xs);
}

static void every_empty_domain_has_its_sentence(void **state)
{
    (void)state;
    assert_misuse(empty_int, "sonde_int(\"x\"): the range 5..4 is empty; lo must not exceed hi");
    assert_misuse(empty_i64,
                  "sonde_i64(\"x\"): the range 9223372036854775807..-9223372036854775808 is empty; lo must not "
                  "exceed hi");
    assert_misuse(empty_u64, "sonde_u64(\"x\"): the range 5..4 is empty; lo must not exceed hi");
    assert_misuse(empty_double, "sonde_double(\"x\"): the range 1..0.5 is empty; lo must not exceed hi");
    assert_misuse(double_of_nan, "sonde_double(\"x\"): the range nan..1 is empty; lo must not exceed hi");
    assert_misuse(infinite_double,
                  "sonde_double(\"x\"): the range 0..inf is not finite; give finite limits, or use sonde_any_double");
    assert_misuse(no_probability, "sonde_chance(\"x\"): 1.5 is not a probability; give one from 0 to 1");
    assert_misuse(probability_of_nan, "sonde_chance(\"x\"): nan is not a probability; give one from 0 to 1");
    assert_misuse(pick_of_nothing, "sonde_pick(\"x\"): there is nothing to pick from; n must be at least 1");
    assert_misuse(no_weights, "sonde_weighted(\"x\"): every weight is 0; give at least one above 0");
    assert_misuse(no_weights_at_all, "sonde_weighted(\"x\"): every weight is 0; give at least one above 0");
    assert_misuse(weights_of_null, "sonde_weighted(\"x\"): the weights are NULL; give an array of n");
    assert_misuse(no_alphabet, "sonde_string_of(\"x\"): the alphabet is empty; give at least one character");
    assert_misuse(null_alphabet, "sonde_string_of(\"x\"): the alphabet is empty; give at least one character");
    assert_misuse(backward_bytes,
                  "sonde_bytes(\"x\"): the shortest length 5 exceeds the longest, 4; min must not exceed max");
    assert_misuse(bytes_without_length,
                  "sonde_bytes(\"x\"): the address for the length is NULL; give the address of a size_t");
    assert_misuse(backward_list,
                  "sonde_list_of(\"x\"): the shortest length 5 exceeds the longest, 4; min must not exceed max");
    assert_misuse(reject_too_early,
                  "sonde_list_reject: there is no element to take back; call it inside the sonde_more loop");
}

static void bool_null(sonde *t)
{
    sonde_bool(t, NULL);
}
static void int_null(sonde *t)
{
    sonde_int(t, NULL, 0, 9);
}
static void empty_int_null(sonde *t)
{
    sonde_int(t, NULL, 9, 0);
}
static void chance_null(sonde *t)
{
    sonde_chance(t, NULL, .5);
}
static void double_null(sonde *t)
{
    sonde_double(t, NULL, 0, 1);
}
static void pick_null(sonde *t)
{
    sonde_pick(t, NULL, 3);
}
static void string_null(sonde *t)
{
    sonde_string(t, NULL, 0, 3);
}
static void list_null(sonde *t)
{
    sonde_list_of(t, NULL, 0, 3);
}

static void every_draw_refuses_a_null_label(void **state)
{
    (void)state;
    assert_misuse(bool_null, "sonde_bool: the label is NULL; every draw needs a name");
    assert_misuse(int_null, "sonde_int: the label is NULL; every draw needs a name");
    assert_misuse(empty_int_null, "sonde_int: the label is NULL; every draw needs a name");
    assert_misuse(chance_null, "sonde_chance: the label is NULL; every draw needs a name");
    assert_misuse(double_null, "sonde_double: the label is NULL; every draw needs a name");
    assert_misuse(pick_null, "sonde_pick: the label is NULL; every draw needs a name");
    assert_misuse(string_null, "sonde_string: the label is NULL; every draw needs a name");
    assert_misuse(list_null, "sonde_list_of: the label is NULL; every draw needs a name");
}

static void draw_long_label(sonde *t)
{
    char label[SONDE_LABEL_LENGTH_MAX + 10];
    memset(label, 'x', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    sonde_int(t, label, 0, 9);
}

static void a_label_too_long_has_its_sentence(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, draw_long_label, NULL), SONDE_MISUSE);
    assert_non_null(strstr(k.t->claim.message, "xxx\"): the label is too long"));
}

/* ---- A billion of something */

enum { BILLION = 1000000000 };

static void a_billion_elements(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "xs", BILLION, BILLION);
    while (sonde_more(&xs)) sonde_bool(t, "x");
}
static void a_billion_empty_elements(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "xs", BILLION, BILLION);
    while (sonde_more(&xs)) {}
}
static void a_billion_bytes(sonde *t)
{
    size_t n;
    sonde_bytes(t, "bytes", BILLION, BILLION, &n);
}
static void all_the_bytes(sonde *t)
{
    size_t n;
    sonde_bytes(t, "bytes", SIZE_MAX - 1, SIZE_MAX, &n);
}
static void a_billion_characters(sonde *t)
{
    sonde_utf8(t, "text", BILLION, BILLION);
}
static void up_to_a_billion_bytes(sonde *t)
{
    size_t n;
    sonde_bytes(t, "bytes", 0, BILLION, &n);
}

static void a_billion_of_anything_is_an_overrun(void **state)
{
    (void)state;
    sonde_property_fn *const greedy[] = {a_billion_elements, a_billion_empty_elements, a_billion_bytes, all_the_bytes,
                                         a_billion_characters};
    for (size_t i = 0; i < sizeof greedy / sizeof *greedy; i++) {
        assert_int_equal(cases_run(&k, greedy[i], NULL), SONDE_OVERRUN);
        assert_non_null(k.t->overrun);
        assert_proper(&k.t->tape);
    }
    enum sonde_verdict verdict = cases_run(&k, up_to_a_billion_bytes, NULL); /* as much as there is room for */
    assert_true(verdict == SONDE_VALID || verdict == SONDE_OVERRUN);
}

#define uniform_test(test) cmocka_unit_test_setup_teardown(test, init_uniform, cases_teardown)

/* Labels in memory that can change are not cached, so their draws take the slow path. */
static char changing_label[] = "x";
static const char *label_of_x;

static void draw_x(sonde *t)
{
    sonde_int(t, label_of_x, 0, 7);
}

/* Runs cases that may not repeat each other, where the draw allows that; returns a hash of all values. */
static uint64_t hash_of_values(const char *label)
{
    struct sonde_ended *ended = calloc(1, sizeof *ended);
    struct cases own;
    uint64_t hash = 1;
    cases_init(&own, &sonde_guide_uniform, 5);
    label_of_x = label;
    for (int i = 0; i < 40; i++) {
        own.t->ended = ended;
        cases_run(&own, draw_x, NULL);
        sonde_ended_note(ended, sonde_case_hash(own.t), true);
        hash = sonde_hash_add(hash, own.t->tape.choices[0].index);
    }
    cases_clear(&own);
    free(ended);
    return hash;
}

static void the_quick_and_the_slow_path_draw_the_same(void **state)
{
    (void)state;
    assert_int_equal(hash_of_values("x"), hash_of_values(changing_label));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quick_and_the_slow_path_draw_the_same),
        cmocka_unit_test_setup_teardown(index_zero_is_the_simplest_value, init_simplest, cases_teardown),
        uniform_test(the_quick_way_gives_the_same_answers),
        uniform_test(draws_stay_in_their_domains),
        uniform_test(a_chance_has_its_probability),
        uniform_test(the_size_is_drawn_once_per_case),
        uniform_test(a_domain_of_one_is_recorded_as_forced),
        uniform_test(texts_have_their_lengths_and_alphabets),
        uniform_test(each_element_is_a_span_of_the_list),
        uniform_test(a_rejected_element_is_drawn_again),
        uniform_test(a_list_that_rejects_too_much_ends_there),
        uniform_test(lists_of_one_label_nest),
        uniform_test(a_length_without_bound_is_reasonable),
        uniform_test(every_empty_domain_has_its_sentence),
        uniform_test(every_draw_refuses_a_null_label),
        uniform_test(a_label_too_long_has_its_sentence),
        uniform_test(a_billion_of_anything_is_an_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
