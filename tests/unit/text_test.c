/* The text form of tapes: what is written, what is read, and that every string is accepted or refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "lib/tapes.h"
#include "lib/short.h"
#include "tape/script.h"
#include "tape/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- Helpers */

static void assert_text(struct tapes *b, const char *want)
{
    sonde_tape_end(&b->tape);
    char *text = sonde_tape_to_text(&b->tape, &b->labels);
    assert_string_equal(text, want);
    sonde_free(text);
    tapes_clear(b);
}

/* Reads a string and writes what was understood. */
static void assert_reads_as(const char *text, const char *want)
{
    struct tapes b;
    struct sonde_text_error error;
    tapes_begin(&b);
    assert_int_equal(sonde_tape_from_text(&b.tape, &b.labels, text, strlen(text), &error), 0);
    assert_null(error.reason);
    assert_text(&b, want);
}

static void assert_refused(const char *text, size_t at, const char *reason)
{
    struct tapes b;
    struct sonde_text_error error;
    tapes_begin(&b);
    assert_int_equal(sonde_tape_from_text(&b.tape, &b.labels, text, strlen(text), &error), -EINVAL);
    assert_string_equal(error.reason, reason);
    assert_int_equal(error.at, at);
    assert_int_equal(b.tape.n_choices, 0);
    assert_int_equal(b.tape.n_spans, 1);
    tapes_clear(&b);
}

/* A script of the one value `v`. */
static struct sonde_choice *read_value(struct tapes *b, const char *value)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "v=%s", value);
    tapes_begin(b);
    assert_int_equal(sonde_tape_from_text(&b->tape, &b->labels, text, (size_t)n, NULL), 0);
    assert_int_equal(b->tape.n_choices, 1);
    return &b->tape.choices[0];
}

static void assert_printed(struct tapes *b, const char *want)
{
    char out[1024];
    size_t n = sonde_choice_print(&b->tape, &b->tape.choices[b->tape.n_choices - 1], out, sizeof out);
    assert_string_equal(out, want);
    assert_int_equal(n, strlen(want));
}

/* ---- Writing */

static void spans_and_choices_are_written_in_order(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    tapes_open(&b, "tree", 0);
    tapes_int(&b, "value", 0, 10, 3);
    tapes_uint(&b, SONDE_KIND_BOOL, "left", 0, 1, 1);
    tapes_open(&b, "tree", 0);
    tapes_int(&b, "value", 0, 10, 3);
    tapes_close(&b);
    tapes_close(&b);
    tapes_int(&b, "x", 0, 10, 3);
    assert_text(&b, "s1:tree{value=3 left=yes tree{value=3}} x=3");
}

static void an_empty_tape_is_its_version(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    assert_text(&b, "s1:");
}

static void elements_tell_the_length_of_a_list(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    tapes_open(&b, "xs", SONDE_SPAN_LIST);
    tapes_uint(&b, SONDE_KIND_LENGTH, SONDE_LABEL_LENGTH, 0, 5, 2);
    for (int i = 1; i <= 2; i++) {
        tapes_open(&b, "xs[]", SONDE_SPAN_ELEMENT);
        tapes_int(&b, "x", 0, 9, i);
        tapes_close(&b);
    }
    tapes_close(&b);
    assert_text(&b, "s1:xs[{x=1} {x=2}]");
}

static void a_length_without_its_elements_is_said(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    tapes_open(&b, "xs", SONDE_SPAN_LIST);
    tapes_uint(&b, SONDE_KIND_LENGTH, SONDE_LABEL_LENGTH, 0, 5, 4);
    tapes_open(&b, "xs[]", SONDE_SPAN_ELEMENT);
    tapes_close(&b);
    tapes_close(&b);
    assert_text(&b, "s1:xs[#=4 {}]");
}

static void a_list_without_a_length_stays_free(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    tapes_open(&b, "xs", SONDE_SPAN_LIST);
    tapes_open(&b, "xs[]", SONDE_SPAN_ELEMENT);
    tapes_close(&b);
    tapes_close(&b);
    assert_text(&b, "s1:xs[{} ?]");
}

static void every_kind_of_choice_has_a_text(void **state)
{
    (void)state;
    struct tapes b;
    tapes_everything(&b);
    assert_text(&b, "s1:#size=30 n=-3 wide=-9223372036854775808 u=18446744073709551615 yes%20no=yes often=yes pick=2 "
                    "weighted=1 only=0 x=0.1 x=-0.0 any=-inf bytes=00ff empty= dna=gattaca dna=cat "
                    "text=h%c3%a9%20%f0%9f%98%80%0a xs[#=2 {x=0} {x=0} {x=1}] tree{tree{} n=7} nothing{}");
}

static void spans_left_open_are_written_closed(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    tapes_open(&b, "a", 0);
    tapes_open(&b, "b", 0);
    tapes_int(&b, "x", 0, 9, 1);
    char *text = sonde_tape_to_text(&b.tape, &b.labels);
    assert_string_equal(text, "s1:a{b{x=1}}");
    sonde_free(text);
    tapes_clear(&b);
}

static void labels_of_users_cannot_be_taken_for_syntax(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    tapes_open(&b, "#case", 0);
    tapes_int(&b, "a=b", 0, 9, 1);
    tapes_int(&b, "", 0, 9, 2);
    tapes_int(&b, "?", 0, 9, 3);
    tapes_close(&b);
    tapes_open(&b, "", 0);
    tapes_close(&b);
    assert_text(&b, "s1:%23case{a%3db=1 %-=2 %3f=3} %-{}");
    assert_reads_as("s1:%23case{a%3db=1 %-=2 %3f=3} %-{}", "s1:%23case{a%3db=1 %-=2 %3f=3} %-{}");
}

static void doubles_are_written_shortest_and_exactly(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1e300, "1e+300"},
                 {5e-324, "4.94065645841247e-324"},
                 {-2.5, "-2.5"},
                 {123456789, "123456789"},
                 {0.0, "0"},
                 {-0.0, "-0.0"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tapes b;
        char want[64];
        tapes_begin(&b);
        tapes_double(&b, "d", -INFINITY, INFINITY, cases[i].value);
        snprintf(want, sizeof want, "s1:d=%s", cases[i].text);
        assert_text(&b, want);
    }
}

/* ---- Reading */

static void reading_gives_spans_and_literals(void **state)
{
    (void)state;
    struct tapes b;
    const char *text = "xs[{x=1} {}] t{y=2}";
    tapes_begin(&b);
    assert_int_equal(sonde_tape_from_text(&b.tape, &b.labels, text, strlen(text), NULL), 0);
    assert_int_equal(b.tape.n_spans, 5);
    assert_int_equal(b.tape.spans[1].flags, SONDE_SPAN_LIST);
    assert_int_equal(b.tape.spans[2].flags, SONDE_SPAN_ELEMENT);
    assert_int_equal(b.tape.spans[3].flags, SONDE_SPAN_ELEMENT);
    assert_int_equal(b.tape.spans[4].flags, 0);
    assert_string_equal(sonde_label_text(&b.labels, b.tape.spans[1].label), "xs");
    assert_string_equal(sonde_label_text(&b.labels, b.tape.spans[2].label), "xs[]");
    assert_int_equal(b.tape.spans[1].next, 4);
    assert_int_equal(b.tape.spans[2].parent, 1);
    assert_int_equal(b.tape.n_choices, 3);
    struct sonde_value length;
    const struct sonde_choice *c = &b.tape.choices[0];
    assert_int_equal(c->kind, SONDE_KIND_LITERAL);
    assert_int_equal(c->span, 1);
    assert_string_equal(sonde_label_text(&b.labels, c->label), SONDE_LABEL_LENGTH);
    assert_true(sonde_literal_value(&b.tape, c, &length));
    assert_int_equal(length.as.i, 2);
    assert_int_equal(b.tape.choices[2].span, 4);
    tapes_clear(&b);
}

static void what_is_read_is_written_the_same(void **state)
{
    (void)state;
    struct tapes b;
    tapes_everything(&b);
    char *text = sonde_tape_to_text(&b.tape, &b.labels);
    assert_reads_as(text, text);
    sonde_free(text);
    tapes_clear(&b);
}

static void hand_written_texts_may_be_loose(void **state)
{
    (void)state;
    assert_reads_as("", "s1:");
    assert_reads_as(" \n\t ", "s1:");
    assert_reads_as("s1:", "s1:");
    assert_reads_as(" s1: a=1", "s1:a=1");
    assert_reads_as("s1=4", "s1:s1=4");
    assert_reads_as("t{ a=1\n}u{}", "s1:t{a=1} u{}");
    assert_reads_as("xs[ #=7 {x=1}{x=2} ]", "s1:xs[#=7 {x=1} {x=2}]");
    assert_reads_as("xs[#=2 {}{}]", "s1:xs[{} {}]");
    assert_reads_as("name=h\xc3\xa9", "s1:name=h%c3%a9");
    assert_reads_as("xs[y=1 {} t{}]", "s1:xs[y=1 {} t{}]");
    assert_reads_as("#=3 #size=9", "s1:#=3 #size=9");
}

static void holes_are_accepted(void **state)
{
    (void)state;
    assert_reads_as("?", "s1:?");
    assert_reads_as("x=1 ?", "s1:x=1 ?");
    assert_reads_as("a=? b=1", "s1:a=? b=1");
    assert_reads_as("t{?} u{a=1 ?}", "s1:t{?} u{a=1 ?}");
    assert_reads_as("xs[?]", "s1:xs[?]");
    assert_reads_as("xs[{x=1} ?]", "s1:xs[{x=1} ?]");
    assert_reads_as("xs[#=3 ?]", "s1:xs[#=3 ?]");
}

static void a_refusal_says_where_and_why(void **state)
{
    (void)state;
    assert_refused("s3:a=1", 0, "it was made by a newer version of sonde");
    assert_refused("s10:a=1", 0, "it was made by a newer version of sonde");
    assert_refused("t{a=1", 5, "a span is not closed: a } is missing");
    assert_refused("xs[{}", 5, "a list is not closed: a ] is missing");
    assert_refused("a=1 }", 4, "there is no open span or list to close here");
    assert_refused("t{]", 2, "this span must be closed by }");
    assert_refused("xs[}", 3, "this list must be closed by ]");
    assert_refused("{a=1}", 0, "a { without a label is allowed only in a list");
    assert_refused("=1", 0, "a label was expected; write other characters as % and two hexadecimal digits");
    assert_refused("a", 1, "a =, { or [ must follow the label");
    assert_refused("a b=1", 1, "a =, { or [ must follow the label");
    assert_refused("#{}", 1, "a = must follow here");
    assert_refused("a=%4", 2, "a % needs two hexadecimal digits after it");
    assert_refused("a=%zz", 2, "a % needs two hexadecimal digits after it");
    assert_refused("a=1{", 3, "this character cannot be part of a value; write it as % and two hexadecimal digits");
    assert_refused("a=\"x\"", 2, "this character cannot be part of a value; write it as % and two hexadecimal digits");
    assert_refused("xs[{} #=1]", 6, "the length must come first in its list, and once");
    assert_refused("xs[#=1 #=1]", 7, "the length must come first in its list, and once");
    assert_refused("t{? a=1}", 4, "only the end of its span can follow a ?");
    assert_refused("a%00b=1", 0, "a label cannot hold a NUL byte");
}

/* ---- Literals */

static void literals_become_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct sonde_value want;
    } cases[] = {{"0", {SONDE_VALUE_INT, {.i = 0}}},
                 {"-17", {SONDE_VALUE_INT, {.i = -17}}},
                 {"+17", {SONDE_VALUE_INT, {.i = 17}}},
                 {"007", {SONDE_VALUE_INT, {.i = 7}}},
                 {"0x1F", {SONDE_VALUE_INT, {.i = 31}}},
                 {"-0x10", {SONDE_VALUE_INT, {.i = -16}}},
                 {"9223372036854775807", {SONDE_VALUE_INT, {.i = INT64_MAX}}},
                 {"-9223372036854775808", {SONDE_VALUE_INT, {.i = INT64_MIN}}},
                 {"9223372036854775808", {SONDE_VALUE_UINT, {.u = UINT64_C(1) << 63}}},
                 {"0xffffffffffffffff", {SONDE_VALUE_UINT, {.u = UINT64_MAX}}},
                 {"18446744073709551616", {SONDE_VALUE_DOUBLE, {.d = 0x1p64}}},
                 {"-9223372036854775809", {SONDE_VALUE_DOUBLE, {.d = -0x1p63}}},
                 {"1.5", {SONDE_VALUE_DOUBLE, {.d = 1.5}}},
                 {"-.5", {SONDE_VALUE_DOUBLE, {.d = -.5}}},
                 {"3.", {SONDE_VALUE_DOUBLE, {.d = 3}}},
                 {"1e3", {SONDE_VALUE_DOUBLE, {.d = 1000}}},
                 {"2E-1", {SONDE_VALUE_DOUBLE, {.d = 0.2}}},
                 {"1e999", {SONDE_VALUE_DOUBLE, {.d = INFINITY}}},
                 {"-inf", {SONDE_VALUE_DOUBLE, {.d = -INFINITY}}},
                 {"infinity", {SONDE_VALUE_DOUBLE, {.d = INFINITY}}},
                 {"yes", {SONDE_VALUE_BOOL, {.b = true}}},
                 {"no", {SONDE_VALUE_BOOL, {.b = false}}},
                 {"true", {SONDE_VALUE_BOOL, {.b = true}}},
                 {"false", {SONDE_VALUE_BOOL, {.b = false}}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tapes b;
        struct sonde_value got;
        assert_true(sonde_literal_value(&(b).tape, read_value(&b, cases[i].text), &got));
        assert_int_equal(got.type, cases[i].want.type);
        if (got.type == SONDE_VALUE_BOOL) assert_int_equal(got.as.b, cases[i].want.as.b);
        else assert_true(got.as.u == cases[i].want.as.u);
        tapes_clear(&b);
    }
}

static void signs_of_zero_and_nan_are_kept(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_value got;
    assert_true(sonde_literal_value(&b.tape, read_value(&b, "-0.0"), &got));
    assert_true(got.type == SONDE_VALUE_DOUBLE && got.as.d == 0 && signbit(got.as.d));
    tapes_clear(&b);
    assert_true(sonde_literal_value(&b.tape, read_value(&b, "nan"), &got));
    assert_true(isnan(got.as.d) && !signbit(got.as.d));
    tapes_clear(&b);
    assert_true(sonde_literal_value(&b.tape, read_value(&b, "-nan"), &got));
    assert_true(isnan(got.as.d) && signbit(got.as.d));
    tapes_clear(&b);
}

static void other_words_are_no_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"",   "-",     "+",   "abc",  "1x", "0x",    "0xg",  "1e",   "1e+",  ".",
                                        "--", "1.2.3", "%20", "1%20", "e5", "yesno", "-yes", "nano", "1.5e", "%00"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tapes b;
        struct sonde_value got;
        assert_false(sonde_literal_value(&b.tape, read_value(&b, texts[i]), &got));
        tapes_clear(&b);
    }
}

static void assert_symbols(const char *text, struct sonde_alphabet alphabet, const char *want, uint32_t n_want)
{
    struct tapes b;
    uint32_t symbols[16], n = sonde_literal_symbols(&b.tape, read_value(&b, text), &alphabet, symbols, 16);
    assert_int_equal(n, n_want);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(symbols[i] < alphabet.size);
        assert_int_equal(sonde_alphabet_code(&alphabet, symbols[i]), (unsigned char)want[i]);
    }
    tapes_clear(&b);
}

static void literals_become_symbols(void **state)
{
    (void)state;
    struct sonde_alphabet bytes = sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL);
    struct sonde_alphabet printable = sonde_alphabet_make(SONDE_ALPHABET_PRINTABLE, NULL);
    struct sonde_alphabet utf8 = sonde_alphabet_make(SONDE_ALPHABET_UTF8, NULL);
    struct sonde_alphabet dna = sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "acgt");
    assert_symbols("", bytes, "", 0);
    assert_symbols("00fFa0", bytes, "\x00\xff\xa0", 3);
    assert_symbols("hello", bytes, "hello", 5);
    assert_symbols("abc", bytes, "abc", 3);
    assert_symbols("a%20b", printable, "a b", 3);
    assert_symbols("a%0ab", printable, "ab", 2);
    assert_symbols("h%c3%a9", utf8, "h\xe9", 2);
    assert_symbols("gat-taca", dna, "gattaca", 7);
    assert_symbols("aaaaaaaaaaaaaaaaaaaaaaaa", dna, "aaaaaaaaaaaaaaaa", 16);
}

/* ---- For people */

static void values_are_printed_for_people(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    tapes_int(&b, "n", -9, 9, -3);
    assert_printed(&b, "-3");
    tapes_uint(&b, SONDE_KIND_BOOL, "b", 0, 1, 1);
    assert_printed(&b, "true");
    tapes_chance(&b, "b", 0.5, false);
    assert_printed(&b, "false");
    tapes_double(&b, "d", 0, 1, 0.5);
    assert_printed(&b, "0.5");
    tapes_text(&b, "s", "say \"\xc3\xa9\"\\\n\t");
    assert_printed(&b, "\"say \\\"\xc3\xa9\\\"\\\\\\n\\t\"");
    tapes_text(&b, "s",
               "\001"
               "2\177\xc2\x85\xe2\x80\xae");
    assert_printed(&b, "\"\\0012\\177\\302\\205\\342\\200\\256\"");
    tapes_blob(&b, "b", sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), 0, 9, "\x00\xff\x10", 3);
    assert_printed(&b, "(3 bytes) 00 ff 10");
    tapes_blob(&b, "b", sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), 0, 9, "", 0);
    assert_printed(&b, "(0 bytes)");
    tapes_blob(&b, "b", sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), 0, 9, "z", 1);
    assert_printed(&b, "(1 byte) 7a");
    b.tape.choices[b.tape.n_choices - 1].flags |= SONDE_CHOICE_HOLE;
    assert_printed(&b, "?");
    tapes_clear(&b);
}

static void many_bytes_are_cut_short(void **state)
{
    (void)state;
    struct tapes b;
    char data[100] = {0}, want[256] = "(100 bytes)";
    for (int i = 0; i < 100; i++) data[i] = (char)(i % 2);
    for (int i = 0; i < 32; i++) strcat(want, " 00 01");
    strcat(want, " ...");
    tapes_begin(&b);
    tapes_blob(&b, "b", sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), 0, 200, data, sizeof data);
    assert_printed(&b, want);
    memset(data + 1, 7, 80); /* a long run counts as one */
    tapes_blob(&b, "b", sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), 0, 200, data, 83);
    assert_printed(&b, "(83 bytes) 00 07 x 80 01 00");
    tapes_clear(&b);
}

static void literals_are_printed_for_people(void **state)
{
    (void)state;
    struct tapes b;
    read_value(&b, "0x10");
    assert_printed(&b, "16");
    tapes_clear(&b);
    static const char *const strings[] = {"007", "00000", "41414141414141414141414141"};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        char want[64];
        snprintf(want, sizeof want, "\"%s\"", strings[i]);
        read_value(&b, strings[i]);
        assert_printed(&b, want);
        tapes_clear(&b);
    }
    read_value(&b, "18446744073709551615");
    assert_printed(&b, "18446744073709551615");
    tapes_clear(&b);
    read_value(&b, "yes");
    assert_printed(&b, "true");
    tapes_clear(&b);
    read_value(&b, "two%20words");
    assert_printed(&b, "\"two words\"");
    tapes_clear(&b);
}

static void printing_keeps_to_its_buffer(void **state)
{
    (void)state;
    struct tapes b;
    char out[4] = "zzz";
    tapes_begin(&b);
    tapes_int(&b, "n", 0, 99999, 12345);
    assert_int_equal(sonde_choice_print(&b.tape, &b.tape.choices[0], out, 3), 5);
    assert_string_equal(out, "12");
    assert_int_equal(sonde_choice_print(&b.tape, &b.tape.choices[0], NULL, 0), 5);
    tapes_clear(&b);
}

/* ---- Replay: the draws take the values that a person wrote */

static void a_text_answers_the_draws_of_a_case(void **state)
{
    (void)state;
    struct tapes b, draws;
    const char *text = "n=-3 truth=yes d=1e-3 xs[{x=4}]";
    tapes_begin(&b);
    assert_int_equal(sonde_tape_from_text(&b.tape, &b.labels, text, strlen(text), NULL), 0);
    tapes_begin(&draws);
    tapes_int(&draws, "n", -10, 10, 0);
    tapes_uint(&draws, SONDE_KIND_BOOL, "truth", 0, 1, 0);
    tapes_double(&draws, "d", -1, 1, 0);
    tapes_uint(&draws, SONDE_KIND_LENGTH, SONDE_LABEL_LENGTH, 0, 9, 0);
    struct sonde_script_reader reader;
    sonde_script_init(&reader);
    sonde_script_begin(&reader, &b.tape);
    for (uint32_t i = 0; i < 4; i++) {
        struct sonde_choice *point = &draws.tape.choices[i];
        if (i == 3) sonde_script_open(&reader, sonde_label_intern(&b.labels, "xs"));
        const struct sonde_choice *from = sonde_script_next(&reader, point->label);
        assert_non_null(from);
        point->index = sonde_script_index(&reader, from, &draws.tape, point);
    }
    assert_int_equal(sonde_choice_value(&draws.tape, &draws.tape.choices[0]).as.i, -3);
    assert_true(sonde_choice_value(&draws.tape, &draws.tape.choices[1]).as.b);
    assert_true(sonde_choice_value(&draws.tape, &draws.tape.choices[2]).as.d == 1e-3);
    assert_int_equal(sonde_choice_value(&draws.tape, &draws.tape.choices[3]).as.u, 1);
    sonde_script_clear(&reader);
    tapes_clear(&b);
    tapes_clear(&draws);
}

/* ---- Hostile strings */

/* Reads any bytes, from a copy of exactly their size so that a sanitizer sees one byte too far. */
static int read_exactly(const char *text, size_t n)
{
    struct sonde_tape script;
    struct sonde_labels labels;
    struct sonde_text_error error;
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    sonde_tape_init(&script);
    sonde_labels_init(&labels);
    int result = sonde_tape_from_text(&script, &labels, copy, n, &error);
    free(copy);
    assert_true(result == 0 ? !error.reason : error.reason && error.at <= n);
    if (result == 0) {
        char *again = sonde_tape_to_text(&script, &labels);
        struct sonde_text_error none;
        assert_int_equal(sonde_tape_from_text(&script, &labels, again, strlen(again), &none), 0);
        sonde_free(again);
    }
    sonde_tape_clear(&script);
    sonde_labels_clear(&labels);
    return result;
}

static const char sample[] = "s1:#size=30 n=-3 yes%20no=yes x=-0.0 bytes=00ff empty= h=? xs[#=2 {x=0} {x=1}] "
                             "tree{tree{} n=7 ?}";

static void every_prefix_of_a_text_is_answered(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof sample; n++) read_exactly(sample, n);
    assert_int_equal(read_exactly(sample, sizeof sample - 1), 0);
}

static void every_change_of_one_byte_is_answered(void **state)
{
    (void)state;
    if (is_short()) return;
    char text[sizeof sample];
    for (size_t i = 0; i + 1 < sizeof sample; i++) {
        memcpy(text, sample, sizeof sample);
        for (int byte = 0; byte < 256; byte++) {
            text[i] = (char)byte;
            read_exactly(text, sizeof sample - 1);
        }
    }
}

static void random_texts_are_answered(void **state)
{
    (void)state;
    if (is_short()) return;
    static const char likely[] = "ab{}[]=?#% \n1-.s:";
    int n_read = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct sonde_rng rng;
        sonde_rng_seed(&rng, seed, 0);
        for (int round = 0; round < 2000; round++) {
            char text[40];
            size_t n = sonde_rng_upto(&rng, sizeof text - 1);
            for (size_t i = 0; i < n; i++) {
                text[i] = likely[sonde_rng_upto(&rng, sizeof likely - 2)];
                if (sonde_rng_upto(&rng, 31) == 0) text[i] = (char)sonde_rng_next(&rng);
            }
            n_read += read_exactly(text, n) == 0;
        }
    }
    assert_true(n_read > 100); /* else the test tests little */
}

/* `open` n times, then `close` n times. */
static char *nest(const char *open, const char *close, size_t n)
{
    char *text = malloc(n * (strlen(open) + strlen(close)) + 1), *p = text;
    for (size_t i = 0; i < n; i++) p += sprintf(p, "%s", open);
    for (size_t i = 0; i < n; i++) p += sprintf(p, "%s", close);
    return text;
}

static int read_nest(const char *open, const char *close, size_t n)
{
    char *text = nest(open, close, n);
    int result = read_exactly(text, strlen(text));
    free(text);
    return result;
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    const unsigned many = is_short() ? 10000 : 1000000;
    assert_int_equal(read_nest("t{", "}", SONDE_READ_DEPTH_MAX), 0);
    assert_int_equal(read_nest("t{", "}", SONDE_READ_DEPTH_MAX + 1), -EINVAL);
    assert_int_equal(read_nest("t{", "", many), -EINVAL);
    assert_int_equal(read_nest("xs[{", "}]", 100), 0);
    assert_int_equal(read_nest("xs[{", "", many), -EINVAL);
    assert_int_equal(read_nest("", "}", many), -EINVAL);
}

static void counts_have_limits(void **state)
{
    (void)state;
    if (is_short()) return;
    assert_int_equal(read_nest("a=1 ", "", SONDE_READ_CHOICES_MAX), 0);
    assert_int_equal(read_nest("a=1 ", "", SONDE_READ_CHOICES_MAX + 1), -EINVAL);
    assert_int_equal(read_nest("t{}", "", SONDE_READ_SPANS_MAX - 1), 0);
    assert_int_equal(read_nest("t{}", "", SONDE_READ_SPANS_MAX), -EINVAL);
}

static void long_labels_are_refused(void **state)
{
    (void)state;
    char text[SONDE_LABEL_LENGTH_MAX + 8];
    memset(text, 'a', sizeof text);
    memcpy(text + SONDE_LABEL_LENGTH_MAX, "={}", 3);
    assert_int_equal(read_exactly(text, SONDE_LABEL_LENGTH_MAX + 1), 0);
    text[SONDE_LABEL_LENGTH_MAX] = '['; /* the label of its elements is longer */
    text[SONDE_LABEL_LENGTH_MAX + 1] = ']';
    assert_int_equal(read_exactly(text, SONDE_LABEL_LENGTH_MAX + 2), -EINVAL);
    memset(text, 'a', sizeof text);
    text[SONDE_LABEL_LENGTH_MAX + 1] = '=';
    assert_int_equal(read_exactly(text, SONDE_LABEL_LENGTH_MAX + 2), -EINVAL);
}

static void too_many_labels_are_refused(void **state)
{
    (void)state;
    if (is_short()) return;
    size_t n = SONDE_LABELS_MAX + 1;
    char *text = malloc(n * 12), *p = text;
    for (size_t i = 0; i < n; i++) p += sprintf(p, "a%zu=1 ", i);
    assert_int_equal(read_exactly(text, (size_t)(p - text)), -EINVAL);
    free(text);
}

/* Or a damaged file could take the room that the labels of a property need. */
static void a_refused_text_leaves_no_labels(void **state)
{
    (void)state;
    struct sonde_tape script;
    struct sonde_labels labels;
    sonde_tape_init(&script);
    sonde_labels_init(&labels);
    const char *bad = "a=1 b{c=2 xs[{d=3}]", *good = "a=1 b{c=2}";
    assert_int_equal(sonde_tape_from_text(&script, &labels, bad, strlen(bad), NULL), -EINVAL);
    assert_int_equal(labels.n, 0);
    assert_int_equal(sonde_tape_from_text(&script, &labels, good, strlen(good), NULL), 0);
    assert_int_equal(labels.n, 3);
    sonde_tape_clear(&script);
    sonde_labels_clear(&labels);
}

static void texts_leave_half_of_the_labels_to_properties(void **state)
{
    (void)state;
    struct sonde_tape script;
    struct sonde_labels labels;
    sonde_tape_init(&script);
    sonde_labels_init(&labels);
    for (unsigned i = 0; i < SONDE_LABELS_MAX; i += 4) {
        char text[80];
        int n = snprintf(text, sizeof text, "a%u=1 a%u=2 a%u=3 a%u=4", i, i + 1, i + 2, i + 3);
        int expected = i < SONDE_LABELS_MAX / 2 ? 0 : -EINVAL;
        assert_int_equal(sonde_tape_from_text(&script, &labels, text, (size_t)n, NULL), expected);
    }
    assert_int_equal(labels.n, SONDE_LABELS_MAX / 2);
    assert_int_equal(sonde_tape_from_text(&script, &labels, "a7=1", 4, NULL), 0); /* one that is known */
    sonde_tape_clear(&script);
    sonde_labels_clear(&labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_and_choices_are_written_in_order),
        cmocka_unit_test(an_empty_tape_is_its_version),
        cmocka_unit_test(elements_tell_the_length_of_a_list),
        cmocka_unit_test(a_length_without_its_elements_is_said),
        cmocka_unit_test(a_list_without_a_length_stays_free),
        cmocka_unit_test(every_kind_of_choice_has_a_text),
        cmocka_unit_test(spans_left_open_are_written_closed),
        cmocka_unit_test(labels_of_users_cannot_be_taken_for_syntax),
        cmocka_unit_test(doubles_are_written_shortest_and_exactly),
        cmocka_unit_test(reading_gives_spans_and_literals),
        cmocka_unit_test(what_is_read_is_written_the_same),
        cmocka_unit_test(hand_written_texts_may_be_loose),
        cmocka_unit_test(holes_are_accepted),
        cmocka_unit_test(a_refusal_says_where_and_why),
        cmocka_unit_test(literals_become_numbers),
        cmocka_unit_test(signs_of_zero_and_nan_are_kept),
        cmocka_unit_test(other_words_are_no_numbers),
        cmocka_unit_test(literals_become_symbols),
        cmocka_unit_test(values_are_printed_for_people),
        cmocka_unit_test(many_bytes_are_cut_short),
        cmocka_unit_test(literals_are_printed_for_people),
        cmocka_unit_test(printing_keeps_to_its_buffer),
        cmocka_unit_test(a_text_answers_the_draws_of_a_case),
        cmocka_unit_test(every_prefix_of_a_text_is_answered),
        cmocka_unit_test(every_change_of_one_byte_is_answered),
        cmocka_unit_test(random_texts_are_answered),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(counts_have_limits),
        cmocka_unit_test(a_refused_text_leaves_no_labels),
        cmocka_unit_test(texts_leave_half_of_the_labels_to_properties),
        cmocka_unit_test(long_labels_are_refused),
        cmocka_unit_test(too_many_labels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
