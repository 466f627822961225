/* The guide that chooses values by what comes next in a string (src/import/guess.c): what it reads, what it learns,
 * what it forgets. */
#include "lib/importing.h"
#include "lib/mocka.h"
#include "lib/tapes.h"

#include <string.h>

static const struct sonde_guess_at here = {0, 0};

/* One draw of a number, and a guess about a string. */
struct guessing {
    struct tapes b;
    struct sonde_aim aim;
    struct sonde_guess *guess;
    struct sonde_answer answers[SONDE_ANSWERS];
    uint32_t n;
};

static void guessing_init(struct guessing *g, const char *text)
{
    memset(g, 0, sizeof *g);
    tapes_begin(&g->b);
    g->aim.text = text;
    g->aim.n = (uint32_t)strlen(text);
    g->guess = sonde_guess_create(&g->aim);
}

static void guessing_clear(struct guessing *g)
{
    sonde_guess_free(g->guess);
    tapes_clear(&g->b);
}

static void ask(struct guessing *g, struct sonde_guess_at at, uint32_t m)
{
    g->n = sonde_guess_answers(g->guess, &g->b.tape, 0, at, m, g->answers);
}

static bool has_value(const struct guessing *g, int64_t value)
{
    const struct sonde_choice *c = &g->b.tape.choices[0];
    for (uint32_t i = 0; i < g->n; i++)
        if (g->answers[i].index == sonde_int_index((int64_t)c->base, c->max, value)) return true;
    return false;
}

/* ---- Reading */

static void a_number_of_the_text_comes_first(void **state)
{
    struct guessing g;
    (void)state;
    guessing_init(&g, "-451,17");
    tapes_int(&g.b, "x", -1000, 1000, 3);
    ask(&g, here, 0);
    assert_int_equal(g.answers[0].index, sonde_int_index(-1000, 2000, -451));
    assert_true(has_value(&g, 17) || g.n > 1);
    guessing_clear(&g);
}

static void of_digits_as_many_are_taken_as_fit(void **state)
{
    struct guessing g;
    (void)state;
    guessing_init(&g, "12345");
    tapes_int(&g.b, "x", 0, 200, 3);
    ask(&g, here, 0);
    assert_int_equal(g.answers[0].index, 123);
    guessing_clear(&g);
}

static void a_number_is_a_byte_or_hexadecimal_too(void **state)
{
    struct guessing g;
    (void)state;
    guessing_init(&g, "ff");
    tapes_int(&g.b, "x", 0, 300, 3);
    ask(&g, here, 0);
    assert_true(has_value(&g, 'f'));
    assert_true(has_value(&g, 0xff));
    guessing_clear(&g);
}

static void the_byte_that_went_astray_is_a_place_to_look_even_before_the_draw(void **state)
{
    struct guessing g;
    (void)state;
    guessing_init(&g, "<,>,77;x");
    tapes_int(&g.b, "x", 0, 99, 3);
    ask(&g, (struct sonde_guess_at){7, 0}, 4);
    assert_true(has_value(&g, 77));
    guessing_clear(&g);
}

static void the_answer_of_the_tape_is_left_out_and_none_comes_twice(void **state)
{
    struct guessing g;
    (void)state;
    guessing_init(&g, "5 5");
    tapes_int(&g.b, "x", 0, 9, 5);
    ask(&g, here, 0);
    assert_int_equal(g.n, 9);
    for (uint32_t i = 0; i < g.n; i++) {
        assert_true(g.answers[i].index != 5);
        for (uint32_t j = 0; j < i; j++) assert_true(g.answers[i].index != g.answers[j].index);
    }
    guessing_clear(&g);
}

/* ---- Learning */

static void an_answer_that_led_on_is_the_first_where_the_text_looks_the_same(void **state)
{
    struct guessing g;
    (void)state;
    guessing_init(&g, "else if");
    tapes_uint(&g.b, SONDE_KIND_PICK, "word", 0, 7, 6);
    sonde_guess_learn(g.guess, &g.b.tape, 0, here, true);
    g.b.tape.choices[0].index = 0;
    ask(&g, here, 0);
    assert_int_equal(g.answers[0].index, 6);
    g.b.tape.choices[0].index = 6;
    for (int i = 0; i < 5; i++) sonde_guess_learn(g.guess, &g.b.tape, 0, here, false);
    g.b.tape.choices[0].index = 0;
    ask(&g, here, 0);
    assert_int_equal(g.answers[0].index, 1);
    guessing_clear(&g);
}

static void what_was_learned_can_be_forgotten(void **state)
{
    struct guessing g;
    (void)state;
    guessing_init(&g, "else if");
    tapes_uint(&g.b, SONDE_KIND_PICK, "word", 0, 7, 6);
    sonde_guess_learn(g.guess, &g.b.tape, 0, here, true);
    sonde_guess_blame(g.guess, g.b.tape.choices[0].site, true);
    double before = sonde_guess_blamed(g.guess, g.b.tape.choices[0].site);
    sonde_guess_forget(g.guess);
    g.b.tape.choices[0].index = 0;
    ask(&g, here, 0);
    assert_int_equal(g.answers[0].index, 1);
    assert_true(sonde_guess_blamed(g.guess, g.b.tape.choices[0].site) < before);
    guessing_clear(&g);
}

static void a_site_that_helps_is_blamed_more_and_none_is_given_up(void **state)
{
    struct guessing g;
    (void)state;
    guessing_init(&g, "x");
    for (int i = 0; i < 100; i++) {
        sonde_guess_blame(g.guess, 1, false);
        sonde_guess_blame(g.guess, 2, i % 2 == 0);
    }
    assert_true(sonde_guess_blamed(g.guess, 1) > 0.05);
    assert_true(sonde_guess_blamed(g.guess, 2) > 3 * sonde_guess_blamed(g.guess, 1));
    assert_true(sonde_guess_blamed(g.guess, 3) > sonde_guess_blamed(g.guess, 1));
    guessing_clear(&g);
}

/* ---- While a property runs */

static uint32_t bytes_right_at_once(sonde_property_fn *writer, const char *text)
{
    struct importing i;
    struct sonde_tape nothing, actual;
    importing_init(&i, writer);
    importing_aim(&i, text);
    sonde_tape_init(&nothing);
    sonde_tape_init(&actual);
    i.test.run(&i, &nothing, sonde_guess_guide(i.guess), &actual);
    uint32_t n = i.aim.at;
    sonde_tape_clear(&nothing);
    sonde_tape_clear(&actual);
    importing_clear(&i);
    return n;
}

static void pieces(sonde *t)
{
    sonde_text out = {0};
    sonde_put(t, &out, "%d", sonde_int(t, "a", 0, 999));
    sonde_put(t, &out, "(%s", sonde_string_of(t, "s", "abc", 0, 9));
    sonde_put(t, &out, ")%d", sonde_int(t, "b", 0, 999));
}

static void numbers_and_strings_are_right_at_once(void **state)
{
    (void)state;
    assert_int_equal(bytes_right_at_once(pieces, "17(cab)452"), 10);
}

static void together(sonde *t)
{
    sonde_text out = {0};
    int a = sonde_int(t, "a", 0, 999);
    const char *s = sonde_string_of(t, "s", "abc", 0, 9);
    sonde_put(t, &out, "%d%s%d", a, s, sonde_int(t, "b", 0, 999));
}

/* The second draw looks behind where the first one is going to be written, once that is known of its site. */
static void values_that_are_drawn_before_any_is_written_stand_in_a_row(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, together);
    assert_true(importing_text(&i, "17cab452"));
    assert_true(importing_text(&i, "9bb31"));
    if (i.out.runs > 20) fail_msg("%u runs", (unsigned)i.out.runs);
    importing_clear(&i);
}

static void letters(sonde *t)
{
    sonde_text out = {0};
    for (sonde_list xs = sonde_list_of(t, "xs", 0, 40); sonde_more(&xs);)
        sonde_put(t, &out, "%c", (int)('a' + sonde_pick(t, "letter", 26)));
}

static void letters_that_were_never_seen_follow_from_two_that_were(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, letters);
    assert_true(importing_text(&i, "abc"));
    assert_true(importing_text(&i, "thequickbrownfox"));
    if (i.out.runs > 5) fail_msg("%u runs", (unsigned)i.out.runs);
    importing_clear(&i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_of_the_text_comes_first),
        cmocka_unit_test(of_digits_as_many_are_taken_as_fit),
        cmocka_unit_test(a_number_is_a_byte_or_hexadecimal_too),
        cmocka_unit_test(the_byte_that_went_astray_is_a_place_to_look_even_before_the_draw),
        cmocka_unit_test(the_answer_of_the_tape_is_left_out_and_none_comes_twice),
        cmocka_unit_test(an_answer_that_led_on_is_the_first_where_the_text_looks_the_same),
        cmocka_unit_test(what_was_learned_can_be_forgotten),
        cmocka_unit_test(a_site_that_helps_is_blamed_more_and_none_is_given_up),
        cmocka_unit_test(numbers_and_strings_are_right_at_once),
        cmocka_unit_test(values_that_are_drawn_before_any_is_written_stand_in_a_row),
        cmocka_unit_test(letters_that_were_never_seen_follow_from_two_that_were),
    };
    return cmocka_run_group_tests_name("guess", tests, NULL, NULL);
}
