/* Two runs agree if they drew the same values, whatever the ranges were. */
#include "lib/cases.h"

#include "tape/agree.h"
#include "tape/text.h"

static int64_t top = 10;
static const char *second = "b";
static bool draws_more, takes_string;

static void draw(sonde *t)
{
    sonde_int(t, "a", 0, top);
    sonde_int(t, second, 0, 5);
    sonde_double(t, "d", 0, (double)top);
    if (takes_string) sonde_string(t, "s", 0, (size_t)top);
    if (draws_more) sonde_bool(t, "more");
}

/* Runs the property by a token, and copies its tape. */
static void run(struct sonde_tape *to, const char *token)
{
    struct sonde_tape script;
    sonde_tape_init(&script);
    assert_int_equal(sonde_tape_from_text(&script, &k.labels, token, strlen(token), NULL), 0);
    cases_run(&k, draw, &script);
    sonde_tape_copy(to, &k.t->tape);
    sonde_tape_clear(&script);
}

static struct sonde_tape first, other;
static struct sonde_disagreement where;

static bool agree(bool first_is_cut, bool second_is_cut)
{
    return sonde_tape_agrees((struct sonde_agreed){&first, first_is_cut}, (struct sonde_agreed){&other, second_is_cut},
                             k.t->labels, &where);
}

static void begin(void)
{
    sonde_tape_init(&first);
    sonde_tape_init(&other);
    top = 10;
    second = "b";
    draws_more = takes_string = false;
    run(&first, "a=3 b=2 d=0.5");
}

static void end(void)
{
    sonde_tape_clear(&first);
    sonde_tape_clear(&other);
}

static void another_range_with_the_same_values_agrees(void **state)
{
    (void)state;
    begin();
    top = 1000;
    run(&other, "a=3 b=2 d=0.5");
    assert_true(agree(false, false));
    takes_string = true;
    run(&first, "a=3 b=2 d=0.5 s=hello");
    top = 7;
    run(&other, "a=3 b=2 d=0.5 s=hello");
    assert_true(agree(false, false));
    run(&other, "a=3 b=2 d=0.5 s=help");
    assert_false(agree(false, false));
    end();
}

static void another_value_or_label_is_named(void **state)
{
    (void)state;
    begin();
    run(&other, "a=3 b=4 d=0.5");
    assert_false(agree(false, false));
    assert_int_equal(where.in_first, 1);
    assert_string_equal(where.text, "draw 2 (\"b\") is 2 in the new program and 4 in the old");
    second = "c";
    run(&other, "a=3 c=2 d=0.5");
    assert_false(agree(false, false));
    assert_string_equal(where.text, "draw 2 is \"b\" in the new program and \"c\" in the old");
    second = "b";
    run(&other, "a=3 b=2 d=0.25");
    assert_false(agree(false, false));
    assert_int_equal(where.in_second, 2);
    end();
}

static void draws_that_are_missing_count_unless_the_run_was_cut_short(void **state)
{
    (void)state;
    begin();
    draws_more = true;
    run(&other, "a=3 b=2 d=0.5 more=yes");
    assert_false(agree(false, false));
    assert_string_equal(where.text, "draw 4 (\"more\") is made in the old program only");
    assert_true(agree(true, false));
    assert_false(agree(false, true));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        case_test(another_range_with_the_same_values_agrees),
        case_test(another_value_or_label_is_named),
        case_test(draws_that_are_missing_count_unless_the_run_was_cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
