/* Scripts: followed by labels, whatever the order of evaluation; and edited into proper tapes. */
#include "lib/proper.h"
#include "lib/tapes.h"

#include "tape/script.h"

static uint32_t id(struct tapes *b, const char *label)
{
    return sonde_label_intern(&b->labels, label);
}

/* The value of the script's next INT of that label; -1 if there is none. */
static int64_t next(struct sonde_script_reader *r, struct tapes *b, const char *label)
{
    const struct sonde_choice *c = sonde_script_next(r, id(b, label));
    return c ? sonde_choice_value(r->script, c).as.i : -1;
}

static void begin(struct sonde_script_reader *r, struct tapes *b)
{
    sonde_tape_end(&b->tape);
    sonde_script_init(r);
    sonde_script_begin(r, &b->tape);
}

static void end(struct sonde_script_reader *r, struct tapes *b)
{
    sonde_script_clear(r);
    tapes_clear(b);
}

/* ---- Following */

static void the_same_draws_take_the_same_choices(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    tapes_int(&b, "a", 0, 9, 1);
    tapes_int(&b, "b", 0, 9, 2);
    tapes_int(&b, "a", 0, 9, 3);
    begin(&r, &b);
    assert_int_equal(next(&r, &b, "a"), 1);
    assert_int_equal(next(&r, &b, "b"), 2);
    assert_int_equal(next(&r, &b, "a"), 3);
    assert_false(r.strayed);
    end(&r, &b);
}

/* f(draw a, draw b): gcc draws b first, clang a. */
static void draws_in_another_order_take_the_same_choices(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    for (int i = 0; i < 3; i++) {
        tapes_int(&b, "a", 0, 9, 1 + i);
        tapes_int(&b, "b", 0, 9, 5 + i);
    }
    begin(&r, &b);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(next(&r, &b, "b"), 5 + i);
        assert_int_equal(next(&r, &b, "a"), 1 + i);
    }
    end(&r, &b);
}

static void spans_in_another_order_are_the_same_spans(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    tapes_open(&b, "left", 0);
    tapes_int(&b, "x", 0, 9, 1);
    tapes_close(&b);
    tapes_open(&b, "right", 0);
    tapes_int(&b, "x", 0, 9, 2);
    tapes_close(&b);
    begin(&r, &b);
    sonde_script_open(&r, id(&b, "right"));
    assert_int_equal(next(&r, &b, "x"), 2);
    sonde_script_close(&r);
    sonde_script_open(&r, id(&b, "left"));
    assert_int_equal(next(&r, &b, "x"), 1);
    sonde_script_close(&r);
    end(&r, &b);
}

static void repeated_spans_in_another_order_keep_their_partners(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    for (int i = 0; i < 3; i++) {
        tapes_open(&b, "left", 0);
        tapes_int(&b, "x", 0, 9, i);
        tapes_close(&b);
        tapes_open(&b, "right", 0);
        tapes_int(&b, "x", 0, 9, 5 + i);
        tapes_close(&b);
    }
    begin(&r, &b);
    for (int i = 0; i < 3; i++) {
        sonde_script_open(&r, id(&b, "right"));
        assert_int_equal(next(&r, &b, "x"), 5 + i);
        sonde_script_close(&r);
        sonde_script_open(&r, id(&b, "left"));
        assert_int_equal(next(&r, &b, "x"), i);
        sonde_script_close(&r);
    }
    end(&r, &b);
}

static void what_is_missing_is_left_to_the_guide(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    tapes_int(&b, "a", 0, 9, 1);
    tapes_int(&b, "b", 0, 9, 2);
    begin(&r, &b);
    assert_int_equal(next(&r, &b, "a"), 1);
    assert_int_equal(next(&r, &b, "new"), -1);
    assert_true(r.strayed);
    assert_int_equal(r.first_stray, 1);
    assert_int_equal(next(&r, &b, "b"), 2);
    assert_int_equal(next(&r, &b, "b"), -1);
    end(&r, &b);
}

static void a_missing_span_has_nothing_in_it(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    tapes_int(&b, "x", 0, 9, 1);
    begin(&r, &b);
    sonde_script_open(&r, id(&b, "new"));
    assert_int_equal(next(&r, &b, "x"), -1);
    sonde_script_open(&r, id(&b, "deeper"));
    assert_int_equal(next(&r, &b, "x"), -1);
    sonde_script_close(&r);
    sonde_script_close(&r);
    assert_int_equal(next(&r, &b, "x"), 1);
    end(&r, &b);
}

static void closing_skips_what_was_left(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    for (int i = 0; i < 2; i++) {
        tapes_open(&b, "pair", 0);
        tapes_int(&b, "x", 0, 9, i);
        tapes_int(&b, "gone", 0, 9, 9);
        tapes_close(&b);
    }
    tapes_int(&b, "x", 0, 9, 7);
    begin(&r, &b);
    for (int i = 0; i < 2; i++) {
        sonde_script_open(&r, id(&b, "pair"));
        assert_int_equal(next(&r, &b, "x"), i);
        sonde_script_close(&r);
    }
    assert_int_equal(next(&r, &b, "x"), 7);
    end(&r, &b);
}

static void a_draw_does_not_look_into_child_spans(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    tapes_open(&b, "inner", 0);
    tapes_int(&b, "x", 0, 9, 1);
    tapes_close(&b);
    tapes_int(&b, "x", 0, 9, 2);
    begin(&r, &b);
    assert_int_equal(next(&r, &b, "x"), 2);
    end(&r, &b);
}

static void holes_are_left_to_the_guide(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    tapes_int(&b, "x", 0, 9, 1);
    tapes_int(&b, "x", 0, 9, 2);
    tapes_open(&b, "tree", SONDE_SPAN_HOLE);
    tapes_int(&b, "y", 0, 9, 3);
    tapes_close(&b);
    b.tape.choices[0].flags |= SONDE_CHOICE_HOLE;
    begin(&r, &b);
    assert_int_equal(next(&r, &b, "x"), -1);
    assert_int_equal(next(&r, &b, "x"), 2);
    sonde_script_open(&r, id(&b, "tree"));
    assert_int_equal(next(&r, &b, "y"), -1);
    sonde_script_close(&r);
    end(&r, &b);
}

static void an_empty_script_answers_nothing(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    memset(&b, 0, sizeof b);
    sonde_script_init(&r);
    sonde_script_begin(&r, &b.tape);
    assert_int_equal(next(&r, &b, "x"), -1);
    sonde_script_open(&r, id(&b, "tree"));
    assert_int_equal(next(&r, &b, "x"), -1);
    sonde_script_close(&r);
    sonde_script_close(&r); /* once too often does no harm */
    assert_int_equal(next(&r, &b, "x"), -1);
    end(&r, &b);
}

static void a_long_script_is_followed_in_linear_time(void **state)
{
    (void)state;
    enum { N = 50000 };
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    for (int i = 0; i < N; i++) tapes_int(&b, "stale", 0, 9, i % 10);
    for (int i = 0; i < N; i++) tapes_int(&b, "x", 0, 9, i % 10);
    begin(&r, &b);
    for (int i = 0; i < N; i++) assert_int_equal(next(&r, &b, "x"), -1); /* too far ahead */
    for (int i = 0; i < N; i++) assert_int_equal(next(&r, &b, "stale"), i % 10);
    end(&r, &b);
}

/* ---- Meaning in another domain */

static int64_t meaning(struct sonde_script_reader *r, const struct sonde_choice *from, int64_t lo, int64_t hi)
{
    struct sonde_tape tape = {0};
    struct sonde_choice point = {.kind = SONDE_KIND_INT, .base = (uint64_t)lo, .max = (uint64_t)hi - (uint64_t)lo};
    uint64_t index = sonde_script_index(r, from, &tape, &point);
    assert_true(index <= point.max);
    return sonde_int_value(lo, point.max, index);
}

static void a_value_keeps_its_meaning_in_another_range(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    tapes_begin(&b);
    tapes_int(&b, "x", -100, 100, -7);
    tapes_uint(&b, SONDE_KIND_UINT, "u", 3, 90, 50);
    tapes_text(&b, "text", "no number");
    begin(&r, &b);
    assert_int_equal(meaning(&r, &b.tape.choices[0], -100, 100), -7);
    assert_int_equal(meaning(&r, &b.tape.choices[0], -10, 5), -7);
    assert_int_equal(meaning(&r, &b.tape.choices[1], 0, 60), 50);
    int64_t folded = meaning(&r, &b.tape.choices[0], 0, 3);
    assert_true(folded >= 0 && folded <= 3);
    assert_int_equal(meaning(&r, &b.tape.choices[2], 2, 9), 2); /* what has no meaning is the simplest */
    end(&r, &b);
}

static void text_keeps_its_characters_in_another_alphabet(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_script_reader r;
    uint32_t symbols[16];
    tapes_begin(&b);
    tapes_text(&b, "text", "gXattYaca");
    tapes_int(&b, "x", 0, 9, 1);
    begin(&r, &b);
    struct sonde_alphabet dna = sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "acgt");
    assert_int_equal(sonde_script_symbols(&r, &b.tape.choices[0], &dna, symbols, 16), 7); /* X and Y are dropped */
    const uint32_t wanted[] = {2, 0, 3, 3, 0, 1, 0};
    assert_memory_equal(symbols, wanted, sizeof wanted);
    assert_int_equal(sonde_script_symbols(&r, &b.tape.choices[0], &dna, symbols, 4), 4);
    assert_int_equal(sonde_script_symbols(&r, &b.tape.choices[1], &dna, symbols, 16), 0);
    end(&r, &b);
}

/* ---- Editing */

/* {xs: [1 2 3 4]} and a number behind it. Spans: 1 the list, 2..5 its elements. */
static void make_list(struct tapes *b)
{
    tapes_begin(b);
    tapes_open(b, "xs", SONDE_SPAN_LIST);
    tapes_uint(b, SONDE_KIND_LENGTH, SONDE_LABEL_LENGTH, 0, 9, 4);
    for (int i = 1; i <= 4; i++) {
        tapes_open(b, "xs[]", SONDE_SPAN_ELEMENT);
        tapes_int(b, "x", 0, 9, i);
        tapes_close(b);
    }
    tapes_close(b);
    tapes_int(b, "after", 0, 9, 9);
    sonde_tape_end(&b->tape);
}

/* That list, and a tape for what is made of it. */
static struct tapes list;
static struct sonde_tape edited;

static int begin_edit(void **state)
{
    (void)state;
    sonde_tape_init(&edited);
    make_list(&list);
    return 0;
}

static int end_edit(void **state)
{
    (void)state;
    sonde_tape_clear(&edited);
    tapes_clear(&list);
    return 0;
}

/* The indices as digits: the length first, then the elements, then what follows. */
static void assert_digits(const struct sonde_tape *tape, const char *wanted)
{
    char digits[64];
    uint32_t n = tape->n_choices;
    assert_true(n < sizeof digits);
    for (uint32_t i = 0; i < n; i++) digits[i] = (char)('0' + tape->choices[i].index);
    digits[n] = '\0';
    assert_string_equal(digits, wanted);
    assert_proper(tape);
}

static void leaving_elements_out_lowers_the_length(void **state)
{
    (void)state;
    sonde_script_without(&edited, &list.tape, (const uint32_t[]){3, 5}, 2);
    assert_digits(&edited, "2139");
    sonde_script_without(&edited, &list.tape, NULL, 0);
    assert_digits(&edited, "412349");
    sonde_script_without(&edited, &list.tape, (const uint32_t[]){1}, 1);
    assert_digits(&edited, "9");
}

static void a_rejected_element_did_not_count(void **state)
{
    (void)state;
    list.tape.spans[3].flags |= SONDE_SPAN_REJECTED;
    sonde_script_without(&edited, &list.tape, (const uint32_t[]){3}, 1);
    assert_digits(&edited, "41349");
}

static void a_replacement_takes_label_and_place(void **state)
{
    (void)state;
    sonde_script_replace(&edited, &list.tape, 3, &list.tape, 5);
    assert_digits(&edited, "414349");
    sonde_script_replace(&edited, &list.tape, 3, &list.tape, 1); /* a list inside an element of itself */
    assert_digits(&edited, "4141234349");
    assert_int_equal(edited.spans[3].label, list.tape.spans[3].label);
    assert_int_equal(edited.spans[3].flags, SONDE_SPAN_ELEMENT);
}

static void an_inserted_element_raises_the_length(void **state)
{
    (void)state;
    sonde_script_insert(&edited, &list.tape, 1, 3, &list.tape, 5);
    assert_digits(&edited, "5142349");
    sonde_script_insert(&edited, &list.tape, 1, SONDE_NO_SPAN, &list.tape, 2);
    assert_digits(&edited, "5123419");
}

static void swapped_spans_stand_in_each_others_place(void **state)
{
    (void)state;
    sonde_script_swap(&edited, &list.tape, 2, 5);
    assert_digits(&edited, "442319");
    sonde_script_swap(&edited, &list.tape, 5, 2);
    assert_digits(&edited, "442319");
}

static void choices_can_be_left_out_and_spans_stay(void **state)
{
    (void)state;
    sonde_script_without_choices(&edited, &list.tape, 2, 4);
    assert_digits(&edited, "4149");
    assert_int_equal(edited.n_spans, list.tape.n_spans);
    sonde_script_prefix(&edited, &list.tape, 2);
    assert_digits(&edited, "41");
}

/* A span with a double and two strings in it. */
static void make_record(struct tapes *b, const char *text)
{
    tapes_begin(b);
    tapes_int(b, "before", 0, 9, 1);
    tapes_open(b, "record", 0);
    tapes_double(b, "d", -1, 1, .5);
    tapes_blob(b, "dna", sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "acgt"), 0, 9, text, strlen(text));
    tapes_text(b, "text", text);
    tapes_close(b);
    sonde_tape_end(&b->tape);
}

static void assert_blob_text(const struct sonde_tape *tape, uint32_t choice, const char *wanted)
{
    char out[64];
    struct sonde_blob blob = sonde_choice_blob(tape, &tape->choices[choice]);
    sonde_blob_text(&blob, out);
    assert_string_equal(out, wanted);
}

static void what_lies_beside_a_tape_comes_along(void **state)
{
    (void)state;
    struct tapes a, b;
    struct sonde_tape to;
    sonde_tape_init(&to);
    make_record(&a, "acca");
    make_record(&b, "gatta");
    sonde_script_replace(&to, &a.tape, 1, &b.tape, 1);
    assert_proper(&to);
    assert_blob_text(&to, 2, "gatta");
    assert_blob_text(&to, 3, "gatta");
    assert_true(sonde_choice_value(&to, &to.choices[1]).as.d == .5);
    sonde_script_insert(&to, &a.tape, 0, SONDE_NO_SPAN, &b.tape, 1);
    assert_proper(&to);
    assert_blob_text(&to, 2, "acca");
    assert_blob_text(&to, 5, "gatta");
    sonde_tape_clear(&to);
    tapes_clear(&a);
    tapes_clear(&b);
}

/* A part that was copied within its tape shares its strings with the original. */
static void text_that_two_choices_share_comes_along_once(void **state)
{
    (void)state;
    struct tapes a, b;
    struct sonde_tape twice, to;
    sonde_tape_init(&twice);
    sonde_tape_init(&to);
    make_record(&a, "acca");
    make_record(&b, "gatta");
    sonde_script_insert(&twice, &b.tape, 1, SONDE_NO_SPAN, &b.tape, 1);
    assert_int_equal(twice.choices[2].base, twice.choices[5].base);
    sonde_script_replace(&to, &a.tape, 1, &twice, 1);
    assert_true(sonde_tape_is_sound(&to, true));
    assert_proper(&to);
    assert_blob_text(&to, 2, "gatta");
    assert_blob_text(&to, 5, "gatta");
    sonde_tape_clear(&to);
    sonde_tape_clear(&twice);
    tapes_clear(&a);
    tapes_clear(&b);
}

static void the_length_of_a_list_is_found(void **state)
{
    (void)state;
    struct tapes b;
    make_list(&b);
    assert_int_equal(sonde_list_length(&b.tape, 1), 0);
    assert_int_equal(sonde_list_length(&b.tape, 0), UINT32_MAX);
    assert_int_equal(sonde_list_length(&b.tape, 2), UINT32_MAX);
    tapes_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_draws_take_the_same_choices),
        cmocka_unit_test(draws_in_another_order_take_the_same_choices),
        cmocka_unit_test(spans_in_another_order_are_the_same_spans),
        cmocka_unit_test(repeated_spans_in_another_order_keep_their_partners),
        cmocka_unit_test(what_is_missing_is_left_to_the_guide),
        cmocka_unit_test(a_missing_span_has_nothing_in_it),
        cmocka_unit_test(closing_skips_what_was_left),
        cmocka_unit_test(a_draw_does_not_look_into_child_spans),
        cmocka_unit_test(holes_are_left_to_the_guide),
        cmocka_unit_test(an_empty_script_answers_nothing),
        cmocka_unit_test(a_long_script_is_followed_in_linear_time),
        cmocka_unit_test(a_value_keeps_its_meaning_in_another_range),
        cmocka_unit_test(text_keeps_its_characters_in_another_alphabet),
        cmocka_unit_test_setup_teardown(leaving_elements_out_lowers_the_length, begin_edit, end_edit),
        cmocka_unit_test_setup_teardown(a_rejected_element_did_not_count, begin_edit, end_edit),
        cmocka_unit_test_setup_teardown(a_replacement_takes_label_and_place, begin_edit, end_edit),
        cmocka_unit_test_setup_teardown(an_inserted_element_raises_the_length, begin_edit, end_edit),
        cmocka_unit_test_setup_teardown(swapped_spans_stand_in_each_others_place, begin_edit, end_edit),
        cmocka_unit_test_setup_teardown(choices_can_be_left_out_and_spans_stay, begin_edit, end_edit),
        cmocka_unit_test(what_lies_beside_a_tape_comes_along),
        cmocka_unit_test(text_that_two_choices_share_comes_along_once),
        cmocka_unit_test(the_length_of_a_list_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
