/* Notes and labels of a property, besides claims: only what will be shown is formatted, names are counted once per
 * case. */
#include "base/valgrind.h"
#include "lib/cases.h"

#include <math.h>

/* ---- Notes and printers */

static int printed;

static void print_number(FILE *out, const void *value)
{
    printed++;
    fprintf(out, "<%d>", *(const int *)value);
}

static void say_much(sonde *t)
{
    int x = 7;
    sonde_note(t, "x is %d", x);
    sonde_span(t, "thing");
    sonde_show(t, print_number, &x);
    sonde_note(t, "and %s", "more");
}

static void nothing_is_formatted_unless_it_is_shown(void **state)
{
    (void)state;
    printed = 0;
    cases_run(&k, say_much, NULL);
    assert_int_equal(printed, 0);
    assert_string_equal(sonde_case_notes(k.t), "");
    assert_int_equal(k.t->n_shown, 0);
}

static void a_shown_case_has_notes_and_prints(void **state)
{
    (void)state;
    k.t->shows = true;
    cases_run(&k, say_much, NULL);
    assert_string_equal(sonde_case_notes(k.t), "x is 7\nand more\n");
    assert_int_equal(k.t->n_shown, 1);
    assert_string_equal(k.t->shown[0].text, "<7>");
    assert_int_equal(k.t->shown[0].span, 1);
    cases_run(&k, say_much, NULL); /* afresh */
    assert_string_equal(sonde_case_notes(k.t), "x is 7\nand more\n");
    k.t->shows = false;
    cases_run(&k, say_much, NULL);
    assert_string_equal(sonde_case_notes(k.t), "");
}

/* ---- Names */

static void name_things(sonde *t)
{
    for (int i = 0; i < 3; i++) sonde_label(t, "named");
    sonde_classify(t, false, "no");
    sonde_classify(t, false, "late");
    sonde_classify(t, true, "late");
    sonde_cover(t, 30, true, "covered");
}

static const struct sonde_hit *hit(const char *name)
{
    uint32_t id = sonde_label_find_n(&k.labels, name, strlen(name));
    for (uint32_t i = 0; i < k.t->n_hits; i++)
        if (k.t->hits[i].name == id) return &k.t->hits[i];
    fail_msg("%s was not said", name);
    return NULL;
}

static void a_name_counts_once_per_case(void **state)
{
    (void)state;
    cases_run(&k, name_things, NULL);
    assert_int_equal(k.t->n_hits, 4);
    assert_true(hit("named")->met);
    assert_false(hit("no")->met);
    assert_true(hit("late")->met);
    assert_true(hit("covered")->wanted == 30);
}

static void name_without_end(sonde *t)
{
    char name[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "name %d", i);
        sonde_label(t, name);
    }
}
static void name_nothing(sonde *t)
{
    sonde_label(t, NULL);
}
static void classify_nothing(sonde *t)
{
    sonde_classify(t, true, NULL);
}
static void cover_all(sonde *t)
{
    sonde_cover(t, 100, true, "x");
}
static void cover_none(sonde *t)
{
    sonde_cover(t, 0, true, "x");
}
static void cover_nan(sonde *t)
{
    sonde_cover(t, NAN, true, "x");
}
static void defer_nothing(sonde *t)
{
    sonde_defer(t, NULL, t);
}
static void show_nothing(sonde *t)
{
    sonde_show(t, NULL, t);
}

static void misuse_has_its_sentence(void **state)
{
    (void)state;
    assert_misuse(name_without_end, "sonde_label(\"name 256\"): more than 256 names in one case; use fewer");
    assert_misuse(name_nothing, "sonde_label: the name is NULL; give one");
    assert_misuse(classify_nothing, "sonde_classify: the name is NULL; give one");
    assert_misuse(cover_all,
                  "sonde_cover(\"x\"): 100 percent cannot be checked; give a percentage above 0 and below 100");
    assert_misuse(cover_none,
                  "sonde_cover(\"x\"): 0 percent cannot be checked; give a percentage above 0 and below 100");
    assert_misuse(cover_nan,
                  "sonde_cover(\"x\"): nan percent cannot be checked; give a percentage above 0 and below 100");
    assert_misuse(defer_nothing, "sonde_defer: the function is NULL; give one");
    assert_misuse(show_nothing, "sonde_show: the printer is NULL; give one");
}

/* ---- Utilities */

static void aim(sonde *t)
{
    sonde_target(t, "height", 3);
    sonde_target(t, "height", 5);
    sonde_target(t, "height", 4);
    sonde_target(t, "height", NAN);
    sonde_target(t, "depth", -INFINITY);
}

static void the_best_of_a_case_is_its_utility(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, aim, NULL), SONDE_VALID);
    assert_int_equal(k.t->n_targets, 2);
    assert_true(k.t->targets[0].value == 5);
}

/* ---- Memory */

static void allocate(sonde *t)
{
    unsigned char *p = sonde_alloc(t, 10000);
    for (size_t i = 0; i < 10000; i++) assert_int_equal(p[i], 0);
    memset(p, 1, 10000);
    assert_non_null(sonde_alloc(t, 0));
    struct cases *c = sonde_new(t, struct cases);
    assert_null(c->t);
}

static void memory_is_zeroed_in_every_case(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) assert_int_equal(cases_run(&k, allocate, NULL), SONDE_VALID);
}

static unsigned char filled[2][100];

static void take_buffers(sonde *t)
{
    sonde_int(t, "x", 0, 1000000);
    memcpy(filled[0], sonde_buffer(t, sizeof filled[0]), sizeof filled[0]);
    memcpy(filled[1], sonde_buffer(t, sizeof filled[1]), sizeof filled[1]);
    assert_non_null(sonde_buffer(t, 0));
    /* To read a buffer that nothing was written to is a fault that valgrind reports; here it is what is tested. */
    sonde_valgrind(SONDE_MEMCHECK_DEFINED, (struct sonde_valgrind_arguments){(uintptr_t)filled, sizeof filled, 0, 0});
}

static void a_buffer_holds_the_same_when_the_case_is_run_again(void **state)
{
    (void)state;
    unsigned char first[2][100];
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    assert_int_equal(cases_run(&k, take_buffers, NULL), SONDE_VALID);
    sonde_tape_copy(&tape, &k.t->tape);
    memcpy(first, filled, sizeof first);
    assert_memory_not_equal(first[0], first[1], sizeof first[0]); /* two buffers differ */
    assert_int_equal(cases_run(&k, take_buffers, NULL), SONDE_VALID);
    assert_memory_not_equal(first[0], filled[0], sizeof first[0]); /* so do two cases */
    assert_int_equal(cases_run(&k, take_buffers, &tape), SONDE_VALID);
    assert_memory_equal(first, filled, sizeof first);
    sonde_tape_clear(&tape);
}

static void undo_nothing(void *what)
{
    (void)what;
}

static void defer_a_local(sonde *t)
{
    int local[4] = {0};
    sonde_defer(t, undo_nothing, &local[1]);
}

static __attribute__((noinline)) void defer_from_below(sonde *t, int *p)
{
    sonde_defer(t, undo_nothing, p);
    __asm__ volatile("");
}

static void defer_a_local_of_a_caller(sonde *t)
{
    int local = 0;
    defer_from_below(t, &local);
}

static void a_local_variable_cannot_be_undone(void **state)
{
    (void)state;
    const char *sentence =
        "sonde_defer: this is the address of a local variable, which no longer exists when the function is called; "
        "take the memory from sonde_new or sonde_alloc, or make the variable static";
    assert_misuse(defer_a_local, sentence);
    assert_misuse(defer_a_local_of_a_caller, sentence);
}

static int *outside;

static void defer_what_stays(sonde *t)
{
    static int fixed;
    sonde_defer(t, undo_nothing, &fixed);
    sonde_defer(t, undo_nothing, outside);
    sonde_defer(t, undo_nothing, sonde_alloc(t, 4));
    sonde_defer(t, undo_nothing, NULL);
    sonde_defer(t, undo_nothing, (void *)(uintptr_t)3);
}

static void what_outlives_the_property_can_be_undone(void **state)
{
    (void)state;
    int of_the_test = 0;
    outside = &of_the_test;
    assert_int_equal(cases_run(&k, defer_what_stays, NULL), SONDE_VALID);
}

/* ---- For guides that learn */

static uint64_t told;

static void tell_number(sonde *t)
{
    sonde_int(t, "x", 0, 1000000);
    if (told) sonde_characteristic(t, told);
}

static uint64_t identity_with(uint64_t number)
{
    told = number;
    cases_run(&k, tell_number, NULL);
    return sonde_case_identity(k.t);
}

static void equal_characteristics_make_inputs_equal(void **state)
{
    (void)state;
    assert_int_not_equal(identity_with(0), identity_with(0)); /* the draws differ */
    assert_int_equal(identity_with(5), identity_with(5));
    assert_int_not_equal(identity_with(5), identity_with(6));
}

static void draw_in_states(sonde *t)
{
    sonde_bool(t, "none");
    sonde_state(t, 12345);
    sonde_bool(t, "some");
    sonde_bool(t, "same");
    sonde_state(t, 0);
    sonde_bool(t, "none again");
}

static void a_state_holds_until_the_next(void **state)
{
    (void)state;
    cases_run(&k, draw_in_states, NULL);
    const struct sonde_choice *c = k.t->tape.choices;
    assert_int_equal(c[0].state, 0);
    assert_int_not_equal(c[1].state, 0);
    assert_int_equal(c[1].state, c[2].state);
    assert_int_equal(c[3].state, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        case_test(nothing_is_formatted_unless_it_is_shown),
        case_test(a_shown_case_has_notes_and_prints),
        case_test(a_name_counts_once_per_case),
        case_test(misuse_has_its_sentence),
        case_test(the_best_of_a_case_is_its_utility),
        case_test(memory_is_zeroed_in_every_case),
        case_test(a_buffer_holds_the_same_when_the_case_is_run_again),
        case_test(a_local_variable_cannot_be_undone),
        case_test(what_outlives_the_property_can_be_undone),
        case_test(equal_characteristics_make_inputs_equal),
        case_test(a_state_holds_until_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
