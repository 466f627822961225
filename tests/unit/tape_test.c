/* The tape: what is written can be read, copies are equal, and the order is shortlex. */
#include "lib/proper.h"
#include "lib/tapes.h"

#include <math.h>

static void everything_on_a_tape_is_proper(void **state)
{
    (void)state;
    struct tapes b;
    tapes_everything(&b);
    assert_proper(&b.tape);
    tapes_clear(&b);
}

static void a_copy_is_equal_and_its_own(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_tape copy;
    sonde_tape_init(&copy);
    tapes_everything(&b);
    sonde_tape_copy(&copy, &b.tape);
    assert_int_equal(sonde_tape_compare(&copy, &b.tape), 0);
    assert_int_equal(sonde_tape_hash(&copy), sonde_tape_hash(&b.tape));
    assert_memory_equal(copy.spans, b.tape.spans, copy.n_spans * sizeof *copy.spans);
    b.tape.choices[1].index++;
    assert_int_not_equal(sonde_tape_compare(&copy, &b.tape), 0);
    sonde_tape_clear(&copy);
    tapes_clear(&b);
}

static void swapping_twice_changes_nothing(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_tape other;
    sonde_tape_init(&other);
    sonde_tape_begin(&other);
    tapes_everything(&b);
    uint64_t hash = sonde_tape_hash(&b.tape);
    sonde_tape_swap(&b.tape, &other);
    assert_int_equal(b.tape.n_choices, 0);
    assert_int_equal(sonde_tape_hash(&other), hash);
    sonde_tape_swap(&b.tape, &other);
    assert_int_equal(sonde_tape_hash(&b.tape), hash);
    sonde_tape_clear(&other);
    tapes_clear(&b);
}

static void a_tape_begun_again_is_empty(void **state)
{
    (void)state;
    struct tapes b;
    tapes_everything(&b);
    sonde_tape_begin(&b.tape);
    sonde_tape_end(&b.tape);
    assert_int_equal(b.tape.n_choices, 0);
    assert_int_equal(b.tape.n_spans, 1);
    assert_int_equal(sonde_tape_size(&b.tape), 0);
    assert_proper(&b.tape);
    tapes_clear(&b);
}

static void the_end_closes_what_is_open(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    tapes_open(&b, "tree", 0);
    tapes_open(&b, "tree", 0);
    tapes_int(&b, "x", 0, 9, 3);
    sonde_tape_end(&b.tape);
    assert_proper(&b.tape);
    tapes_clear(&b);
}

/* ---- The order */

/* A tape of small integers: each digit is a value. */
static void digits(struct tapes *b, const char *values)
{
    tapes_begin(b);
    for (; *values; values++) tapes_int(b, "x", 0, 9, *values - '0');
    sonde_tape_end(&b->tape);
}

static int compare_digits(const char *a, const char *b)
{
    struct tapes x, y;
    digits(&x, a);
    digits(&y, b);
    int order = sonde_tape_compare(&x.tape, &y.tape);
    assert_int_equal(sonde_tape_hash(&x.tape) == sonde_tape_hash(&y.tape), order == 0);
    tapes_clear(&x);
    tapes_clear(&y);
    return order;
}

static void fewer_choices_come_first_then_smaller_ones(void **state)
{
    (void)state;
    const char *const sorted[] = {"", "0", "1", "9", "00", "01", "10", "99", "000", "100"};
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) {
            int order = compare_digits(sorted[i], sorted[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

static void blob_of(struct tapes *b, const char *text)
{
    tapes_begin(b);
    tapes_text(b, "text", text);
    sonde_tape_end(&b->tape);
}

static void symbols_of_a_blob_count_as_choices(void **state)
{
    (void)state;
    const char *const sorted[] = {"", "a", "b", "aa", "ab", "ba", "aaa"};
    for (int i = 0; i < 7; i++) {
        struct tapes x;
        blob_of(&x, sorted[i]);
        assert_int_equal(sonde_tape_size(&x.tape), 1 + strlen(sorted[i]));
        for (int j = 0; j < 7; j++) {
            struct tapes y;
            blob_of(&y, sorted[j]);
            int order = sonde_tape_compare(&x.tape, &y.tape);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
            tapes_clear(&y);
        }
        tapes_clear(&x);
    }
}

static void spans_do_not_count_in_the_order(void **state)
{
    (void)state;
    struct tapes flat, nested;
    digits(&flat, "12");
    tapes_begin(&nested);
    tapes_open(&nested, "pair", 0);
    tapes_int(&nested, "x", 0, 9, 1);
    tapes_int(&nested, "x", 0, 9, 2);
    tapes_close(&nested);
    sonde_tape_end(&nested.tape);
    assert_int_equal(sonde_tape_compare(&flat.tape, &nested.tape), 0);
    assert_int_equal(sonde_tape_hash(&flat.tape), sonde_tape_hash(&nested.tape));
    tapes_clear(&flat);
    tapes_clear(&nested);
}

/* ---- Spans */

static void pair(struct tapes *b, const char *span, const char *first, int value)
{
    tapes_open(b, span, 0);
    tapes_int(b, first, 0, 9, value);
    tapes_int(b, "y", 0, 9, value);
    tapes_close(b);
}

static void shapes_tell_labels_and_forget_values(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    pair(&b, "pair", "x", 1);
    pair(&b, "pair", "x", 7);
    pair(&b, "pair", "z", 1);
    pair(&b, "couple", "x", 1);
    sonde_tape_end(&b.tape);
    assert_int_equal(b.tape.spans[1].shape, b.tape.spans[2].shape);
    assert_int_not_equal(b.tape.spans[1].shape, b.tape.spans[3].shape);
    assert_int_not_equal(b.tape.spans[1].shape, b.tape.spans[4].shape);
    assert_int_not_equal(sonde_span_hash(&b.tape, 1), sonde_span_hash(&b.tape, 2));
    assert_int_equal(sonde_span_hash(&b.tape, 1), sonde_span_hash(&b.tape, 3));
    tapes_clear(&b);
}

static void a_site_is_label_span_and_kind(void **state)
{
    (void)state;
    uint32_t site = sonde_site(1, 2, SONDE_KIND_INT);
    assert_int_equal(site, sonde_site(1, 2, SONDE_KIND_INT));
    assert_int_not_equal(site, sonde_site(2, 2, SONDE_KIND_INT));
    assert_int_not_equal(site, sonde_site(1, 3, SONDE_KIND_INT));
    assert_int_not_equal(site, sonde_site(1, 2, SONDE_KIND_BOOL));
}

/* ---- Values */

static void values_are_those_that_were_drawn(void **state)
{
    (void)state;
    struct tapes b;
    tapes_everything(&b);
    const struct sonde_choice *c = b.tape.choices;
    assert_int_equal(sonde_choice_value(&b.tape, &c[0]).as.u, 30);
    assert_int_equal(sonde_choice_value(&b.tape, &c[1]).as.i, -3);
    assert_int_equal(sonde_choice_value(&b.tape, &c[2]).as.i, INT64_MIN);
    assert_int_equal(sonde_choice_value(&b.tape, &c[3]).as.u, UINT64_MAX);
    assert_true(sonde_choice_value(&b.tape, &c[4]).as.b);
    assert_true(sonde_choice_value(&b.tape, &c[5]).as.b);
    assert_int_equal(sonde_choice_value(&b.tape, &c[6]).as.u, 2);
    assert_true(sonde_choice_value(&b.tape, &c[9]).as.d == 0.1);
    assert_true(signbit(sonde_choice_value(&b.tape, &c[10]).as.d));
    assert_true(isinf(sonde_choice_value(&b.tape, &c[11]).as.d));
    tapes_clear(&b);
}

static void a_certain_chance_is_true(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    tapes_add(&b, "never", (struct sonde_choice){.kind = SONDE_KIND_CHANCE});
    const double one = 1;
    struct sonde_choice certain = {.kind = SONDE_KIND_CHANCE};
    memcpy(&certain.base, &one, sizeof one);
    tapes_add(&b, "always", certain);
    assert_false(sonde_choice_value(&b.tape, &b.tape.choices[0]).as.b);
    assert_true(sonde_choice_value(&b.tape, &b.tape.choices[1]).as.b);
    tapes_clear(&b);
}

/* The index in INT lo..hi that stands for a value. */
static int64_t folded(int64_t lo, int64_t hi, struct sonde_value value, bool fits)
{
    bool did_fit;
    struct sonde_tape tape = {0};
    struct sonde_choice point = {.kind = SONDE_KIND_INT, .base = (uint64_t)lo, .max = (uint64_t)hi - (uint64_t)lo};
    uint64_t index = sonde_choice_index(&tape, &point, value, &did_fit);
    assert_true(index <= point.max);
    assert_int_equal(did_fit, fits);
    return sonde_int_value(lo, point.max, index);
}

static void a_value_that_fits_is_kept_across_types(void **state)
{
    (void)state;
    assert_int_equal(folded(-10, 10, (struct sonde_value){.type = SONDE_VALUE_INT, .as.i = -7}, true), -7);
    assert_int_equal(folded(-10, 10, (struct sonde_value){.type = SONDE_VALUE_UINT, .as.u = 7}, true), 7);
    assert_int_equal(folded(-10, 10, (struct sonde_value){.type = SONDE_VALUE_DOUBLE, .as.d = -7.5}, true), -7);
    assert_int_equal(folded(-10, 10, (struct sonde_value){.type = SONDE_VALUE_BOOL, .as.b = true}, true), 1);
    assert_int_equal(folded(INT64_MIN, INT64_MAX, (struct sonde_value){.type = SONDE_VALUE_INT, .as.i = INT64_MIN},
                            true),
                     INT64_MIN);
}

static void a_value_that_does_not_fit_is_folded(void **state)
{
    (void)state;
    const struct sonde_value odd[] = {
        {.type = SONDE_VALUE_INT, .as.i = 11},          {.type = SONDE_VALUE_INT, .as.i = INT64_MIN},
        {.type = SONDE_VALUE_UINT, .as.u = UINT64_MAX}, {.type = SONDE_VALUE_DOUBLE, .as.d = 1e300},
        {.type = SONDE_VALUE_DOUBLE, .as.d = -1e300},   {.type = SONDE_VALUE_DOUBLE, .as.d = INFINITY},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        int64_t value = folded(-10, 10, odd[i], false);
        assert_true(value >= -10 && value <= 10);
    }
}

/* ---- Blobs */

static void a_blob_gives_its_text_back(void **state)
{
    (void)state;
    const char text[] = "h\xc3\xa9 \xf0\x9f\x98\x80\n";
    char out[64];
    struct tapes b;
    blob_of(&b, text);
    struct sonde_blob blob = sonde_choice_blob(&b.tape, &b.tape.choices[0]);
    assert_int_equal(blob.len, 5);
    assert_int_equal(sonde_blob_text(&blob, out), sizeof text - 1);
    assert_string_equal(out, text);
    tapes_clear(&b);
}

static void one_symbol_of_a_blob_can_be_set(void **state)
{
    (void)state;
    char out[64];
    struct tapes b;
    blob_of(&b, "aaa");
    sonde_tape_set_symbol(&b.tape, &b.tape.choices[0], 1, 2);
    struct sonde_blob blob = sonde_choice_blob(&b.tape, &b.tape.choices[0]);
    sonde_blob_text(&blob, out);
    assert_string_equal(out, "aca");
    tapes_clear(&b);
}

static void symbols_beyond_the_alphabet_are_folded(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    struct sonde_blob shape = {.alphabet = sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "ab"), .max = 3};
    const uint32_t symbols[] = {0, 1, 1000001};
    struct sonde_choice c = {.kind = SONDE_KIND_BLOB, .max = 3, .index = 3};
    c.base = sonde_tape_add_blob(&b.tape, &shape, symbols, 3);
    tapes_add(&b, "text", c);
    struct sonde_blob blob = sonde_choice_blob(&b.tape, &b.tape.choices[0]);
    for (uint32_t i = 0; i < 3; i++) assert_true(sonde_blob_symbol(&blob, i) < 2);
    tapes_clear(&b);
}

static void an_alphabet_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const texts[] = {"a", "abcdefgh", "0123456789-+.eE",
                                        "ab\xc3\xa9"
                                        "cdefghijk\xe2\x82\xac"
                                        "lm",
                                        "\xf0\x9f"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sonde_alphabet made = sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, texts[i]);
        struct sonde_blob shape = {.alphabet = made, .max = 64};
        struct sonde_choice c = {.kind = SONDE_KIND_BLOB, .max = 64, .index = made.size};
        uint32_t symbols[64], read[64];
        char text[4 * 64 + 1];
        struct tapes b;
        tapes_begin(&b);
        for (uint32_t k = 0; k < made.size; k++) symbols[k] = k;
        c.base = sonde_tape_add_blob(&b.tape, &shape, symbols, made.size);
        tapes_add(&b, "text", c);
        struct sonde_blob blob = sonde_choice_blob(&b.tape, &b.tape.choices[0]);
        assert_int_equal(blob.alphabet.size, made.size);
        assert_string_equal(blob.alphabet.text, texts[i]);
        sonde_blob_read(&blob, read, blob.len);
        assert_memory_equal(read, symbols, made.size * sizeof *symbols);
        sonde_blob_text(&blob, text); /* each symbol once, in their order: what is no character becomes one */
        assert_string_equal(text, i < 4 ? texts[i] : "\xc3\xb0\xc2\x9f");
        tapes_clear(&b);
    }
}

static void one_alphabet_is_stored_once(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    struct sonde_alphabet dna = sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "acgt");
    tapes_blob(&b, "dna", dna, 0, 9, "gattaca", 7);
    uint32_t first = b.tape.n_bytes;
    tapes_blob(&b, "dna", dna, 0, 9, "gattaca", 7);
    assert_int_equal(b.tape.n_bytes - first, first - 9); /* the size, the string and its NUL are there already */
    tapes_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_on_a_tape_is_proper),
        cmocka_unit_test(a_copy_is_equal_and_its_own),
        cmocka_unit_test(swapping_twice_changes_nothing),
        cmocka_unit_test(a_tape_begun_again_is_empty),
        cmocka_unit_test(the_end_closes_what_is_open),
        cmocka_unit_test(fewer_choices_come_first_then_smaller_ones),
        cmocka_unit_test(symbols_of_a_blob_count_as_choices),
        cmocka_unit_test(spans_do_not_count_in_the_order),
        cmocka_unit_test(shapes_tell_labels_and_forget_values),
        cmocka_unit_test(a_site_is_label_span_and_kind),
        cmocka_unit_test(values_are_those_that_were_drawn),
        cmocka_unit_test(a_certain_chance_is_true),
        cmocka_unit_test(a_value_that_fits_is_kept_across_types),
        cmocka_unit_test(a_value_that_does_not_fit_is_folded),
        cmocka_unit_test(a_blob_gives_its_text_back),
        cmocka_unit_test(one_symbol_of_a_blob_can_be_set),
        cmocka_unit_test(symbols_beyond_the_alphabet_are_folded),
        cmocka_unit_test(an_alphabet_comes_back_as_it_was),
        cmocka_unit_test(one_alphabet_is_stored_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
