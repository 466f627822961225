/* Inputs that were run are not run again: the last answer that would make one of them is changed for another
 * (case/ended.h). The guide chooses 0 for everything, so every difference between two cases is the table's. */
#include "lib/cases.h"

static struct sonde_ended ended;
static struct sonde_tape script;

static int init(void **state)
{
    (void)state;
    cases_init(&k, &sonde_guide_simplest, 0);
    sonde_tape_init(&script);
    memset(&ended, 0, sizeof ended);
    return 0;
}

static int clear(void **state)
{
    sonde_tape_clear(&script);
    return cases_teardown(state);
}

/* One execution that is to be a new one, and is noted. */
static void run_new(sonde_property_fn *run, const struct sonde_tape *from)
{
    k.t->ended = &ended;
    cases_run(&k, run, from);
    k.t->ended = NULL;
    sonde_ended_note(&ended, sonde_case_hash(k.t), k.t->verdict == SONDE_VALID);
    ended.is_changed = false;
}

static int a, b, n_runs;

static void draw_two(sonde *t)
{
    n_runs++;
    a = sonde_int(t, "a", 0, 3);
    b = sonde_int(t, "b", 0, 2);
}

/* Every b for the first a; then there is nothing left behind it, which the next case finds out, and the one after that takes
 * another a. */
static void all_inputs_come_and_few_come_twice(void **state)
{
    (void)state;
    bool met[4][3] = {{false}};
    int different = 0;
    for (n_runs = 0; n_runs < 15; different += !met[a][b], met[a][b] = true) run_new(draw_two, NULL);
    assert_int_equal(different, 12);
}

static void a_case_that_may_be_a_known_one_is_left_alone(void **state)
{
    (void)state;
    run_new(draw_two, NULL);
    cases_run(&k, draw_two, NULL);
    assert_int_equal(a, 0);
    assert_int_equal(b, 0);
}

/* A script is changed in its last answer only. */
static void a_script_is_followed_up_to_its_last_answer(void **state)
{
    (void)state;
    k.t->ended = NULL;
    cases_run(&k, draw_two, NULL);
    sonde_tape_copy(&script, &k.t->tape);
    script.choices[0].index = 2;
    script.choices[1].index = 2;
    run_new(draw_two, &script);
    assert_int_equal(a, 2);
    assert_int_equal(b, 2);
    run_new(draw_two, &script);
    assert_int_equal(a, 2);
    assert_int_equal(b, 0); /* the next one, from the beginning again */
}

static char text[8];

static void draw_text(sonde *t)
{
    strcpy(text, sonde_string_of(t, "text", "xyz", 2, 4));
}

static void a_text_is_changed_in_one_symbol(void **state)
{
    (void)state;
    run_new(draw_text, NULL);
    assert_string_equal(text, "xx");
    run_new(draw_text, NULL);
    assert_string_equal(text, "xy");
    run_new(draw_text, NULL);
    assert_string_equal(text, "yx");
}

static size_t length;

static void draw_list(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "xs", 0, 3);
    for (length = 0; sonde_more(&xs); length++) sonde_int(t, "x", 7, 7);
}

/* Elements that can be only one value: the length is all that can differ. */
static void answers_that_are_forced_are_passed_over(void **state)
{
    (void)state;
    bool met[4] = {false};
    for (int i = 0; i < 10; i++) run_new(draw_list, NULL), met[length] = true;
    assert_true(met[0] && met[1] && met[2] && met[3]);
}

static void discard_all_but_one(sonde *t)
{
    n_runs++;
    a = sonde_int(t, "a", 0, 255);
    sonde_assume(t, a == 100);
}

/* Discarded inputs are known as well. */
static void it_finds_the_only_valid_input(void **state)
{
    (void)state;
    n_runs = 0;
    do run_new(discard_all_but_one, NULL);
    while (k.t->verdict == SONDE_DISCARDED && n_runs < 300);
    assert_int_equal(k.t->verdict, SONDE_VALID);
    assert_int_equal(n_runs, 101);
}

static void draw_equals(sonde *t)
{
    a = sonde_int(t, "a", 0, 9);
    b = sonde_int(t, "b", 0, 100000);
    sonde_assume(t, a == b);
}

/* With any other last answer they are discarded: then it is better to have them again, and to try another now and then. */
static void valid_inputs_without_valid_neighbours_are_left_alone(void **state)
{
    (void)state;
    int n_valid = 0;
    for (int i = 0; i < 400; i++) {
        run_new(draw_equals, NULL);
        n_valid += i >= 300 && k.t->verdict == SONDE_VALID;
    }
    assert_in_range(n_valid, 90, 97);
}

/* The process that ran it is gone, and the case is used for replays and for shrinking next. */
static void a_case_that_died_leaves_nothing_to_replays(void **state)
{
    (void)state;
    run_new(draw_two, NULL);
    k.t->ended = &ended;
    sonde_case_begin(k.t, &k.property, k.guide, NULL);
    sonde_case_died(k.t);
    cases_run(&k, draw_two, NULL);
    assert_int_equal(a, 0);
    assert_int_equal(b, 0);
}

int main(void)
{
#define ended_test(test) cmocka_unit_test_setup_teardown(test, init, clear)
    const struct CMUnitTest tests[] = {
        ended_test(all_inputs_come_and_few_come_twice),
        ended_test(a_case_that_may_be_a_known_one_is_left_alone),
        ended_test(a_script_is_followed_up_to_its_last_answer),
        ended_test(a_text_is_changed_in_one_symbol),
        ended_test(answers_that_are_forced_are_passed_over),
        ended_test(it_finds_the_only_valid_input),
        ended_test(valid_inputs_without_valid_neighbours_are_left_alone),
        ended_test(a_case_that_died_leaves_nothing_to_replays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
