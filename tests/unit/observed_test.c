/* Values that a case observes: kept only if the engine asks, compared by value, and a difference named in words. */
#include "lib/cases.h"

#include "case/observed.h"

#include <math.h>

enum color { RED, GREEN };

static int printed;

static void print_pair(FILE *out, const void *value)
{
    const int *pair = value;
    printed++;
    fprintf(out, "{%d,\n%d}", pair[0], pair[1]);
}

static void observe_all_kinds(sonde *t)
{
    const int pair[2] = {3, 4};
    const unsigned char bytes[] = {0, 0xff, 7};
    const char *nothing = NULL;
    unsigned char small = 200;
    sonde_observe(t, "int", -7);
    sonde_observe(t, "char", small);
    sonde_observe(t, "large", UINT64_MAX);
    sonde_observe(t, "least", INT64_MIN);
    sonde_observe(t, "enum", GREEN);
    sonde_observe(t, "bool", (bool)true);
    sonde_observe(t, "double", 0.1);
    sonde_observe(t, "float", 1.5F);
    sonde_observe(t, "zero", -0.0);
    sonde_observe(t, "nan", -NAN);
    sonde_observe(t, "text", "a\n\"b\"");
    sonde_observe(t, "none", nothing);
    sonde_observe(t, "bytes", bytes, sizeof bytes);
    sonde_observe(t, "empty", nothing, 0);
    sonde_observe(t, "pair", print_pair, pair);
}

static void nothing_is_kept_or_printed_unless_it_is_needed(void **state)
{
    (void)state;
    printed = 0;
    cases_run(&k, observe_all_kinds, NULL);
    assert_int_equal(printed, 0);
    assert_int_equal(k.t->observed.mark.n_all, 0);
    assert_null(k.t->observed.all);
}

static void a_shown_case_has_a_note_for_each_value(void **state)
{
    (void)state;
    k.t->shows = true;
    cases_run(&k, observe_all_kinds, NULL);
    assert_string_equal(sonde_case_notes(k.t), "int = -7\nchar = 200\nlarge = 18446744073709551615\n"
                                               "least = -9223372036854775808\nenum = 1\nbool = 1\ndouble = 0.1\n"
                                               "float = 1.5\nzero = -0.0\nnan = nan\ntext = \"a\\n\\\"b\\\"\"\n"
                                               "none = NULL\nbytes = (3 bytes) 00 ff 07\nempty = (0 bytes)\n"
                                               "pair = {3,\\n4}\n");
    k.t->shows = false;
    cases_run(&k, observe_all_kinds, NULL);
    assert_string_equal(sonde_case_notes(k.t), "");
    assert_int_equal(k.t->observed.mark.n_all, 0); /* of the case before */
}

static void observe_in_a_loop(sonde *t)
{
    for (int i = 0; i < 1000; i++) sonde_observe(t, "i", i);
}

static void a_loop_does_not_fill_the_report(void **state)
{
    (void)state;
    unsigned lines = 0;
    k.t->shows = true;
    cases_run(&k, observe_in_a_loop, NULL);
    for (const char *at = sonde_case_notes(k.t); *at; at++) lines += *at == '\n';
    assert_in_range(lines, 1, 101);
    assert_non_null(strstr(sonde_case_notes(k.t), "(more values were observed)\n"));
}

/* ---- Comparing */

/* The values that `run` observes. */
static struct sonde_observed seen_by(sonde_property_fn *run)
{
    struct sonde_observed list = {.cap = 0};
    k.t->observes = true;
    cases_run(&k, run, NULL);
    k.t->observes = false;
    assert_true(sonde_observed_is_sound(&k.t->observed, k.t));
    sonde_observed_copy(&list, &k.t->observed);
    return list;
}

/* Compares what two properties observe; `words` is "" if it is the same. */
static void assert_differ(sonde_property_fn *got, sonde_property_fn *want, const char *words)
{
    struct sonde_observed a = seen_by(got), b = seen_by(want);
    char out[1024];
    assert_int_equal(sonde_observed_differ(&a, &b, out, sizeof out), *words != '\0');
    assert_string_equal(out, words);
    sonde_observed_clear(&a);
    sonde_observed_clear(&b);
}

static unsigned char packed[6000];
static size_t n_packed;
static char text[6000];

#define OBSERVES(name, ...)                                                                                            \
    static void name(sonde *t)                                                                                         \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }

OBSERVES(long_seven, sonde_observe(t, "x", 7L))
OBSERVES(char_seven, sonde_observe(t, "x", (unsigned char)7))
OBSERVES(double_seven, sonde_observe(t, "x", 7.0))
OBSERVES(text_seven, sonde_observe(t, "x", "7"))
OBSERVES(no_text, sonde_observe(t, "x", (char *)NULL))
OBSERVES(five, sonde_observe(t, "x", 5))
OBSERVES(other_name, sonde_observe(t, "y", 7))
OBSERVES(nothing, (void)t)
OBSERVES(seven_twice, long_seven(t); long_seven(t))
OBSERVES(seven_five, long_seven(t); five(t))
OBSERVES(pack_right, sonde_observe(t, "packed", "\1\2\3\5", 4))
OBSERVES(pack_wrong, sonde_observe(t, "packed", "\1\2\3\7", 4))
OBSERVES(pack_short, sonde_observe(t, "packed", "\1\2\3", 3))
OBSERVES(pack_short_and_wrong, sonde_observe(t, "packed", "\1\3\3", 3))
OBSERVES(observe_packed, sonde_observe(t, "packed", packed, n_packed))
OBSERVES(observe_text, sonde_observe(t, "text", text))

static void numbers_are_compared_by_value(void **state)
{
    (void)state;
    assert_differ(long_seven, char_seven, "");
    assert_differ(long_seven, double_seven, "");
    assert_differ(observe_all_kinds, observe_all_kinds, "");
    assert_differ(nothing, nothing, "");
}

static void a_difference_is_named(void **state)
{
    (void)state;
    assert_differ(long_seven, five, "x: got 7, want 5");
    assert_differ(long_seven, text_seven, "x: got 7, want \"7\"");
    assert_differ(no_text, text_seven, "x: got NULL, want \"7\"");
    assert_differ(nothing, five, "x: got nothing, want 5");
    assert_differ(five, nothing, "x: got 5, want nothing");
    assert_differ(other_name, long_seven, "x: got nothing, want 7 (observed y instead)");
    assert_differ(seven_twice, seven_five, "x (number 2): got 7, want 5");
    assert_differ(seven_twice, long_seven, "x (number 2): got 7, want nothing");
    assert_differ(pack_wrong, pack_right, "packed: byte 3 got 07, want 05");
    assert_differ(pack_short, pack_right, "packed: got 3 bytes, want 4");
    assert_differ(pack_short_and_wrong, pack_right, "packed: byte 1 got 03, want 02; got 3 bytes, want 4");
}

static void a_difference_beyond_the_kept_bytes_is_found(void **state)
{
    (void)state;
    char words[128], out[256];
    n_packed = sizeof packed;
    memset(packed, 1, sizeof packed);
    struct sonde_observed want = seen_by(observe_packed);
    packed[sizeof packed - 1] = 2;
    struct sonde_observed got = seen_by(observe_packed);
    snprintf(words, sizeof words, "packed: differs after byte %d", SONDE_OBSERVED_BYTES);
    assert_true(sonde_observed_differ(&got, &want, out, sizeof out));
    assert_string_equal(out, words);
    sonde_observed_clear(&got);
    sonde_observed_clear(&want);
}

static void a_long_string_is_shown_where_it_differs(void **state)
{
    (void)state;
    char out[256];
    memset(text, 'a', 300);
    struct sonde_observed want = seen_by(observe_text);
    text[200] = 'b';
    struct sonde_observed got = seen_by(observe_text);
    assert_true(sonde_observed_differ(&got, &want, out, 60));
    if (SONDE_OBSERVED_BYTES > 200)
        assert_string_equal(out, "text: from byte 190 on got \"aaaaaaaaaabaaaaaaaaaaaaaaaaaaaa");
    sonde_observed_clear(&got);
    sonde_observed_clear(&want);
}

static int last;

static void observe_many(sonde *t)
{
    for (int i = 0; i < 10000; i++) sonde_observe(t, "i", i < 9999 ? i : last);
}

static void values_that_are_not_kept_still_count(void **state)
{
    (void)state;
    char out[256];
    last = 1;
    struct sonde_observed want = seen_by(observe_many), same = seen_by(observe_many);
    last = 2;
    struct sonde_observed got = seen_by(observe_many);
    assert_int_equal(want.mark.n_all, 10000);
    assert_in_range(want.mark.n, 1, SONDE_OBSERVED_VALUES);
    assert_in_range(want.mark.n_bytes, 1, SONDE_OBSERVED_ALL_BYTES);
    assert_false(sonde_observed_differ(&same, &want, out, sizeof out));
    assert_true(sonde_observed_differ(&got, &want, out, sizeof out));
    assert_non_null(strstr(out, " observed values are the same, a later one differs"));
    sonde_observed_clear(&got);
    sonde_observed_clear(&want);
    sonde_observed_clear(&same);
}

/* ---- Machines, and damage */

static void observe_and_assume(sonde *t, void *world)
{
    (void)world;
    sonde_observe(t, "n", 1);
    sonde_assume(t, false);
}

static void take_back_calls(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(observe_and_assume)};
    static const sonde_machine machine = {SONDE_RULES(rules), .steps = {0, 9}};
    sonde_observe(t, "x", 7);
    sonde_drive(t, "calls", &machine);
}

static void calls_that_are_taken_back_observed_nothing(void **state)
{
    (void)state;
    assert_differ(take_back_calls, long_seven, "");
}

static void damage_is_noticed(void **state)
{
    (void)state;
    k.t->observes = true;
    cases_run(&k, pack_right, NULL);
    struct sonde_observed *list = &k.t->observed;
    const struct sonde_observed_value whole = list->all[0];
    const struct sonde_observed_mark mark = list->mark;
    assert_true(sonde_case_is_whole(k.t));
    list->all[0].n = UINT32_MAX;
    assert_false(sonde_case_is_whole(k.t));
    list->all[0] = whole;
    list->all[0].name = whole.at;
    assert_false(sonde_case_is_whole(k.t));
    list->all[0] = whole;
    list->bytes[whole.at - 1] = 'x';
    assert_false(sonde_case_is_whole(k.t));
    list->bytes[whole.at - 1] = 0;
    list->mark.n = list->cap + 1;
    assert_false(sonde_case_is_whole(k.t));
    list->mark = mark;
    assert_true(sonde_case_is_whole(k.t));
}

OBSERVES(no_name, sonde_observe(t, NULL, 1))
OBSERVES(no_bytes, sonde_observe(t, "x", (void *)NULL, 3))
OBSERVES(no_printer, sonde_observe(t, "x", (void (*)(FILE *, const void *))NULL, t))

static void misuse_has_its_sentence(void **state)
{
    (void)state;
    assert_misuse(no_name, "sonde_observe: the name is NULL; give one");
    assert_misuse(no_bytes, "sonde_observe(\"x\"): the bytes are NULL, but their number is 3");
    assert_misuse(no_printer, "sonde_observe(\"x\"): the printer is NULL; give one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        case_test(nothing_is_kept_or_printed_unless_it_is_needed),
        case_test(a_shown_case_has_a_note_for_each_value),
        case_test(a_loop_does_not_fill_the_report),
        case_test(numbers_are_compared_by_value),
        case_test(a_difference_is_named),
        case_test(a_difference_beyond_the_kept_bytes_is_found),
        case_test(a_long_string_is_shown_where_it_differs),
        case_test(values_that_are_not_kept_still_count),
        case_test(calls_that_are_taken_back_observed_nothing),
        case_test(damage_is_noticed),
        case_test(misuse_has_its_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
