/* Strings that are turned back into the draws of a plain writer (src/import/retrace.c, moves.c): every kind of piece,
 * what is reported of a string that cannot be written, and what ends the search. */
#include "lib/importing.h"
#include "lib/mocka.h"

#include <stdio.h>
#include <string.h>

/* Imports a string, within so many runs, and replays the tape: it must write all of it. */
static void imports(struct importing *i, const char *text, uint64_t runs)
{
    if (!importing_text(i, text)) fail_msg("%u of %zu bytes of \"%s\"", i->out.n, strlen(text), text);
    assert_int_equal(i->out.n, strlen(text));
    assert_int_equal(importing_replay(i, &i->out.tape), strlen(text));
    assert_false(i->aim.differs);
    if (i->out.runs > runs) fail_msg("%llu runs", (unsigned long long)i->out.runs);
}

static void imports_by(sonde_property_fn *writer, const char *text, uint64_t runs)
{
    struct importing i;
    importing_init(&i, writer);
    imports(&i, text, runs);
    importing_clear(&i);
}

/* ---- Pieces */

static void numbers(sonde *t)
{
    sonde_text out = {0};
    sonde_put(t, &out, "x=%d,", sonde_int(t, "x", -1000, 1000));
    sonde_put(t, &out, "0x%x,", sonde_u32(t, "hex", 0, UINT32_MAX));
    sonde_put(t, &out, "%g;", sonde_double(t, "real", -100, 100));
    sonde_put(t, &out, "%c", sonde_int(t, "byte", 'A', 'Z'));
}

static void numbers_are_read_from_the_text(void **state)
{
    (void)state;
    imports_by(numbers, "x=-17,0xbeef,2.5;Q", 20);
}

static void put_list(sonde *t, sonde_text *out, int depth)
{
    sonde_span(t, "list");
    sonde_put(t, out, "[");
    for (sonde_list xs = sonde_list_of(t, "items", 0, 9); sonde_more(&xs);) {
        if (xs.i) sonde_put(t, out, ",");
        if (depth && sonde_bool(t, "is_list")) put_list(t, out, depth - 1);
        else sonde_put(t, out, "%d", sonde_int(t, "n", 0, 99));
    }
    sonde_put(t, out, "]");
}

static void lists(sonde *t)
{
    sonde_text out = {0};
    put_list(t, &out, 5);
}

static void lists_in_lists_end_where_the_text_ends_them(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, lists);
    imports(&i, "[1,[2,[],[3,4]],[[5]],6]", 200);
    assert_true(i.out.helped[SONDE_IMPORT_RESIZE] + i.out.helped[SONDE_IMPORT_END] > 0);
    uint64_t first = i.out.runs;
    imports(&i, "[[7,8],[],[9,[1]]]", first); /* the guess has learned what brackets mean */
    importing_clear(&i);
}

/* All elements of a row are drawn before any of it is written. */
static void rows(sonde *t)
{
    sonde_text out = {0};
    for (sonde_list rows = sonde_list_of(t, "rows", 0, 9); sonde_more(&rows);) {
        char row[64] = "";
        for (sonde_list xs = sonde_list_of(t, "cells", 1, 9); sonde_more(&xs);) {
            size_t n = strlen(row);
            snprintf(row + n, sizeof row - n, "%c", (int)('a' + sonde_pick(t, "letter", 26)));
        }
        sonde_put(t, &out, "%s\n", row);
    }
}

static void characters_that_are_drawn_ahead_are_found(void **state)
{
    (void)state;
    imports_by(rows, "abc\nzebra\nq\n", 1500);
}

static void keywords(sonde *t)
{
    static const char *const words[] = {"begin", "break", "end", "else", "elif"};
    sonde_text out = {0};
    for (sonde_list xs = sonde_list_of(t, "words", 0, 20); sonde_more(&xs);)
        sonde_put(t, &out, "%s ", sonde_element(t, "word", words));
}

static void keywords_that_begin_alike_are_told_apart(void **state)
{
    (void)state;
    imports_by(keywords, "begin elif else break end end begin ", 60);
}

static void escapes(sonde *t)
{
    sonde_text out = {0};
    sonde_put(t, &out, "\"");
    for (sonde_list xs = sonde_list_of(t, "characters", 0, 40); sonde_more(&xs);) {
        if (sonde_chance(t, "is_escape", 0.1)) sonde_put(t, &out, "\\%c", "nt\"\\"[sonde_pick(t, "escape", 4)]);
        else sonde_put(t, &out, "%c", sonde_int(t, "character", '#', 'Z'));
    }
    sonde_put(t, &out, "\"");
}

static void escapes_are_followed(void **state)
{
    (void)state;
    imports_by(escapes, "\"AB\\n\\\"C\\\\\"", 150);
}

static void strings(sonde *t)
{
    sonde_text out = {0};
    sonde_put(t, &out, "%s=", sonde_string_of(t, "key", "abcdefghijklmnopqrstuvwxyz=", 1, 9));
    sonde_put(t, &out, "<%s>", sonde_string(t, "value", 0, 20));
}

static void strings_are_copied_up_to_what_follows_them(void **state)
{
    (void)state;
    imports_by(strings, "key=<a = b>", 60);
}

/* ---- Moves */

static void counts(sonde *t)
{
    sonde_text out = {0};
    int n = sonde_int(t, "n", 0, 500);
    for (int i = 0; i < n; i++) sonde_put(t, &out, "%d ", sonde_int(t, "x", 0, 9));
    sonde_put(t, &out, ".");
}

static void a_count_that_is_not_written_is_found(void **state)
{
    struct importing i;
    char text[161] = "";
    (void)state;
    for (int n = 0; n < 79; n++) strcat(text, "7 "); /* more draws than are looked at one by one */
    strcat(text, ".");
    importing_init(&i, counts);
    imports(&i, text, 100);
    assert_true(i.out.helped[SONDE_IMPORT_REPEAT] > 0);
    importing_clear(&i);
}

/* An operator is drawn before its left side. */
static void put_sum(sonde *t, sonde_text *out, int depth)
{
    sonde_span(t, "sum");
    if (!depth || !sonde_bool(t, "is_sum")) {
        sonde_put(t, out, "%d", sonde_int(t, "n", 0, 9));
        return;
    }
    size_t which = sonde_pick(t, "operator", 2);
    put_sum(t, out, depth - 1);
    sonde_put(t, out, "%c", "+-"[which]);
    sonde_put(t, out, "%d", sonde_int(t, "right", 0, 9));
}

static void sums(sonde *t)
{
    sonde_text out = {0};
    put_sum(t, &out, 9);
    sonde_put(t, &out, ";");
}

static void a_part_becomes_the_left_side_of_another(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, sums);
    imports(&i, "1-2+3-4+5;", 200);
    assert_true(i.out.helped[SONDE_IMPORT_WRAP] > 0);
    importing_clear(&i);
}

/* ---- Strings that cannot be written */

static void what_could_stand_at_an_error_is_said(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, lists);
    assert_false(importing_text(&i, "[1,2;3]"));
    assert_int_equal(i.out.n, 4);
    bool has_comma = false, has_end = false;
    for (uint32_t w = 0; w < i.out.n_can; w++) {
        has_comma |= !strcmp(i.out.can[w], ",");
        has_end |= !strcmp(i.out.can[w], "]");
    }
    assert_true(has_comma && has_end);
    assert_false(i.out.can_end);
    assert_true(importing_replay(&i, &i.out.tape) >= 3); /* what was drawn before the error */
    importing_clear(&i);
}

static void a_text_that_should_go_on_is_said_to_end(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, keywords);
    assert_false(importing_text(&i, "begin end X"));
    assert_int_equal(i.out.n, 10);
    assert_true(i.out.can_end);
    importing_clear(&i);
}

static void a_line_feed_at_the_end_need_not_be_written(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, lists);
    assert_true(importing_text(&i, "[1,2]\n"));
    assert_false(importing_text(&i, "[1,2]\n\n"));
    importing_clear(&i);
}

static void white_space_may_be_left_out(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, lists);
    i.aim.skips_space = true;
    assert_true(importing_text(&i, "[ 1 ,\n\t[ ] ]"));
    importing_clear(&i);
}

/* ---- Limits that end the import */

static void silent(sonde *t)
{
    (void)sonde_int(t, "x", 0, 99);
}

static void a_property_that_writes_nothing_is_run_twice(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, silent);
    assert_false(importing_text(&i, "1"));
    assert_int_equal(i.out.n_puts, 0);
    assert_int_equal(i.out.runs, 2);
    importing_clear(&i);
}

/* The guess has learned that there are no words where a string begins as this one does. */
static void what_was_learned_does_not_hide_that_a_property_writes(void **state)
{
    struct importing i;
    struct sonde_tape nothing;
    (void)state;
    sonde_tape_init(&nothing);
    importing_init(&i, keywords);
    importing_aim(&i, "begin end ");
    importing_replay(&i, &nothing);
    assert_int_equal(i.t->tape.choices[0].kind, SONDE_KIND_LENGTH);
    sonde_guess_learn(i.guess, &i.t->tape, 0, (struct sonde_guess_at){0, 0}, true);
    imports(&i, "begin end ", 60);
    importing_clear(&i);
}

static void endless(sonde *t)
{
    sonde_text out = {0};
    sonde_put(t, &out, "%d", sonde_int(t, "x", 0, 9));
    for (;;) (void)sonde_bool(t, "more");
}

static void costly_runs_are_few(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, endless);
    assert_false(importing_text(&i, "7+"));
    assert_true(i.out.runs < 100);
    importing_clear(&i);
}

static void fails_first(sonde *t)
{
    sonde_text out = {0};
    int x = sonde_int(t, "x", 0, 9);
    sonde_check(t, x < 5);
    sonde_put(t, &out, "a%d", x);
}

static void a_property_that_fails_before_it_writes_starts_from_the_simplest(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, fails_first);
    assert_false(importing_text(&i, "a7")); /* the guess reads 7, for which it fails */
    assert_true(i.out.has_failed);
    assert_int_equal(i.out.n, 1);
    importing_clear(&i);
}

static bool is_enough(void *user)
{
    return ((struct importing *)user)->out.runs >= 5;
}

static void it_stops_when_asked_to(void **state)
{
    struct importing i;
    (void)state;
    importing_init(&i, rows);
    i.test.enough = is_enough;
    assert_false(importing_text(&i, "abc\nzebra\n"));
    assert_int_equal(i.out.runs, 5);
    importing_clear(&i);
}

static void the_same_text_takes_the_same_runs(void **state)
{
    uint64_t runs[2];
    (void)state;
    for (int n = 0; n < 2; n++) {
        struct importing i;
        importing_init(&i, escapes);
        assert_true(importing_text(&i, "\"X\\tY\""));
        runs[n] = i.out.runs;
        importing_clear(&i);
    }
    assert_int_equal(runs[0], runs[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_from_the_text),
        cmocka_unit_test(lists_in_lists_end_where_the_text_ends_them),
        cmocka_unit_test(characters_that_are_drawn_ahead_are_found),
        cmocka_unit_test(keywords_that_begin_alike_are_told_apart),
        cmocka_unit_test(escapes_are_followed),
        cmocka_unit_test(strings_are_copied_up_to_what_follows_them),
        cmocka_unit_test(a_count_that_is_not_written_is_found),
        cmocka_unit_test(a_part_becomes_the_left_side_of_another),
        cmocka_unit_test(what_could_stand_at_an_error_is_said),
        cmocka_unit_test(a_text_that_should_go_on_is_said_to_end),
        cmocka_unit_test(a_line_feed_at_the_end_need_not_be_written),
        cmocka_unit_test(white_space_may_be_left_out),
        cmocka_unit_test(a_property_that_writes_nothing_is_run_twice),
        cmocka_unit_test(what_was_learned_does_not_hide_that_a_property_writes),
        cmocka_unit_test(costly_runs_are_few),
        cmocka_unit_test(a_property_that_fails_before_it_writes_starts_from_the_simplest),
        cmocka_unit_test(it_stops_when_asked_to),
        cmocka_unit_test(the_same_text_takes_the_same_runs),
    };
    return cmocka_run_group_tests_name("retrace", tests, NULL, NULL);
}
