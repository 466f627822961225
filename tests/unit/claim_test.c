/* Claims: one that holds reports nothing; one that fails is reported with its location, its words and both sides. */
#include "lib/cases.h"

#include <math.h>
#include <pthread.h>

/* The claim of a property that must fail. */
static const struct sonde_claim *failing(sonde_property_fn *run)
{
    assert_int_equal(cases_run(&k, run, NULL), SONDE_FAILED);
    return &k.t->claim;
}

/* ---- check, assume, expect, fail */

static int check_line;

static void check_false(sonde *t)
{
    check_line = __LINE__ + 1;
    sonde_check(t, (struct { int a, b; }){1, 2}.a == 2);
}

static void a_failed_check_knows_its_place_and_words(void **state)
{
    (void)state;
    const struct sonde_claim *c = failing(check_false);
    assert_int_equal(c->kind, SONDE_CLAIM_CHECK);
    assert_int_equal(c->line, check_line);
    assert_non_null(strstr(c->file, "claim_test.c"));
    assert_string_equal(c->condition, "(struct { int a, b; }){1, 2}.a == 2");
    assert_false(c->has_sides);
}

static void hold(sonde *t)
{
    sonde_check(t, 1 < 2);
    sonde_assume(t, 1 < 2);
    sonde_assume(t, 2 < 3);
    assert_true(sonde_expect(t, 1 < 2));
    sonde_check_eq(t, 1, 1);
    sonde_check_mem_eq(t, "abc", "abd", 2);
    sonde_check_mem_eq(t, NULL, NULL, 0);
    sonde_check_near(t, 1.0, 1.05, .1);
    sonde_check_near(t, INFINITY, INFINITY, 0);
}

static void claims_that_hold_leave_the_case_valid(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, hold, NULL), SONDE_VALID);
    assert_int_equal(k.t->assumes_passed, 2);
}

static void assume_second(sonde *t)
{
    sonde_assume(t, 1 < 2);
    sonde_assume(t, 2 < 1);
    sonde_fail(t, "never reached");
}

static void a_failed_assume_discards_and_is_remembered(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, assume_second, NULL), SONDE_DISCARDED);
    assert_int_equal(k.t->assumes_passed, 1);
    assert_string_equal(k.t->rejection.condition, "2 < 1");
    assert_non_null(strstr(k.t->rejection.file, "claim_test.c"));
}

static void fail_with_words(sonde *t)
{
    sonde_fail(t, "%d and %s", 7, "eight");
}

static void fail_at_length(sonde *t)
{
    char words[5000];
    memset(words, 'w', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    sonde_fail(t, "%s", words);
}

static void words_of_ones_own_are_formatted_and_bounded(void **state)
{
    (void)state;
    const struct sonde_claim *c = failing(fail_with_words);
    assert_int_equal(c->kind, SONDE_CLAIM_FAIL);
    assert_string_equal(c->message, "7 and eight");
    assert_string_equal(c->condition, "");
    assert_int_equal(strlen(failing(fail_at_length)->message), sizeof c->message - 1);
}

static bool reached;

static void expect_two(sonde *t)
{
    reached = false;
    assert_false(sonde_expect(t, 1 > 2));
    assert_false(sonde_expect(t, 3 > 4));
    reached = true;
}

static void an_expectation_records_and_goes_on(void **state)
{
    (void)state;
    const struct sonde_claim *c = failing(expect_two);
    assert_true(reached);
    assert_int_equal(c->kind, SONDE_CLAIM_EXPECT);
    assert_string_equal(c->condition, "1 > 2"); /* the first is reported */
}

static void expect_then_check(sonde *t)
{
    sonde_expect(t, 1 > 2);
    sonde_check(t, 3 > 4);
}

static void the_first_failure_is_the_one_told(void **state)
{
    (void)state;
    assert_string_equal(failing(expect_then_check)->condition, "1 > 2");
}

static void expect_then_assume(sonde *t)
{
    sonde_expect(t, 1 > 2);
    sonde_assume(t, 3 > 4);
}

static void a_failed_expect_counts_though_an_assume_ends_the_case(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, expect_then_assume, NULL), SONDE_FAILED);
    assert_string_equal(k.t->claim.condition, "1 > 2");
    assert_int_equal(cases_run(&k, hold, NULL), SONDE_VALID); /* and leaves nothing behind */
}

static void *expect_elsewhere(void *t)
{
    sonde_expect((sonde *)t, 1 > 2);
    return NULL;
}

static void expect_from_threads(sonde *t)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, expect_elsewhere, t);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

static void other_threads_may_expect(void **state)
{
    (void)state;
    const struct sonde_claim *c = failing(expect_from_threads);
    assert_int_equal(c->kind, SONDE_CLAIM_EXPECT);
    assert_string_equal(c->condition, "1 > 2");
}

/* ---- Comparisons: each property claims what does not hold */

static void assert_sides(sonde_property_fn *run, const char *text, const char *got, const char *want)
{
    const struct sonde_claim *c = failing(run);
    char condition[256];
    assert_true(c->has_sides);
    assert_string_equal(sonde_claim_condition(c, condition, sizeof condition), text);
    assert_string_equal(c->got, got);
    assert_string_equal(c->want, want);
}

static void eq_int(sonde *t)
{
    int got = 3;
    sonde_check_eq(t, got, 4);
}
static void eq_mixed(sonde *t)
{
    sonde_check_eq(t, -1, UINT64_MAX);
}
static void lt_mixed(sonde *t)
{
    sonde_check_lt(t, 0u, -1);
}
static void eq_bool(sonde *t)
{
    bool yes = true, no = false;
    sonde_check_eq(t, yes, no);
}
static void eq_char(sonde *t)
{
    char c = 'a';
    sonde_check_eq(t, c, 'b');
}
static void eq_double(sonde *t)
{
    sonde_check_eq(t, .1 + .2, .3);
}
static void eq_text(sonde *t)
{
    char text[] = "abc";
    const char *other = "abd";
    sonde_check_eq(t, text, other);
}
static void eq_null_text(sonde *t)
{
    const char *none = NULL;
    sonde_check_eq(t, "abc", none);
}
static void ne_text(sonde *t)
{
    char text[] = "abc";
    sonde_check_ne(t, text, "abc");
}
static void eq_null(sonde *t)
{
    int *none = NULL;
    sonde_check_ne(t, none, NULL);
}

static void both_sides_are_printed(void **state)
{
    (void)state;
    assert_sides(eq_int, "got == 4", "3", "4");
    assert_sides(eq_mixed, "-1 == UINT64_MAX", "-1", "18446744073709551615");
    assert_sides(lt_mixed, "0u < -1", "0", "-1");
    assert_sides(eq_bool, "yes == no", "true", "false");
    assert_sides(eq_char, "c == 'b'", "97", "98");
    assert_sides(eq_double, ".1 + .2 == .3", "0.30000000000000004", "0.29999999999999999");
    assert_sides(eq_text, "text == other", "\"abc\"", "\"abd\"");
    assert_sides(eq_null_text, "\"abc\" == none", "\"abc\"", "NULL");
    assert_sides(ne_text, "text != \"abc\"", "\"abc\"", "\"abc\"");
    assert_sides(eq_null, "none != NULL", "NULL", "NULL");
}

/* All six relations between two values, in the order == != < <= > >=: 1 where they hold. */
#define relation_property(name, a, b)                                                                                  \
    static void name##_eq(sonde *t)                                                                                    \
    {                                                                                                                  \
        sonde_check_eq(t, a, b);                                                                                       \
    }                                                                                                                  \
    static void name##_ne(sonde *t)                                                                                    \
    {                                                                                                                  \
        sonde_check_ne(t, a, b);                                                                                       \
    }                                                                                                                  \
    static void name##_lt(sonde *t)                                                                                    \
    {                                                                                                                  \
        sonde_check_lt(t, a, b);                                                                                       \
    }                                                                                                                  \
    static void name##_le(sonde *t)                                                                                    \
    {                                                                                                                  \
        sonde_check_le(t, a, b);                                                                                       \
    }                                                                                                                  \
    static void name##_gt(sonde *t)                                                                                    \
    {                                                                                                                  \
        sonde_check_gt(t, a, b);                                                                                       \
    }                                                                                                                  \
    static void name##_ge(sonde *t)                                                                                    \
    {                                                                                                                  \
        sonde_check_ge(t, a, b);                                                                                       \
    }                                                                                                                  \
    static void name(const char *wanted)                                                                               \
    {                                                                                                                  \
        sonde_property_fn *const all[] = {name##_eq, name##_ne, name##_lt, name##_le, name##_gt, name##_ge};           \
        for (int i = 0; i < 6; i++) assert_int_equal(cases_run(&k, all[i], NULL) == SONDE_VALID, wanted[i] == '1');    \
    }

relation_property(ints_less, -5, 3) relation_property(signed_against_unsigned, -1, 0u)
    relation_property(unsigned_against_signed, UINT64_MAX, INT64_MAX) relation_property(widths, (short)-7, -7LL)
        relation_property(negatives, INT64_MIN, (int64_t)-1) relation_property(nan_and_one, NAN, 1.0)
            relation_property(nan_and_nan, NAN, NAN) relation_property(zeros, 0.0, -0.0)
                relation_property(int_and_double, 2, 1.5f) relation_property(big_and_double, INT64_MAX, 0x1p63)
                    relation_property(zero_and_less, 0, -.5) relation_property(minus_one_and_more, -1, -.5)
                        relation_property(zero_and_more, 0u, .5) relation_property(huge, UINT64_MAX, 1e300)
                            relation_property(hugely_negative, -5, -1e300) relation_property(double_and_int, 3.0, 3)
                                relation_property(double_and_nan, 3.0, NAN) relation_property(texts, "abc", "abd")
                                    relation_property(no_text, (const char *)NULL, "")
                                        relation_property(bool_and_int, (bool)true, 1)

                                            static void relations_are_mathematical(void **state)
{
    (void)state;
    ints_less("011100"); /* == != < <= > >= */
    signed_against_unsigned("011100");
    unsigned_against_signed("010011");
    widths("100101");
    negatives("011100");
    nan_and_one("010000");
    nan_and_nan("010000");
    zeros("100101");
    int_and_double("010011");
    big_and_double("011100");
    zero_and_less("010011");
    minus_one_and_more("011100");
    zero_and_more("011100");
    huge("011100");
    hugely_negative("010011");
    double_and_int("100101");
    double_and_nan("010000");
    texts("011100");
    no_text("011100");
    bool_and_int("100101");
}

static void compare_addresses(sonde *t)
{
    static int a[2];
    sonde_check_lt(t, &a[0], &a[1]);
    sonde_check_ne(t, (void *)&a[0], (void *)&a[1]);
    sonde_check_eq(t, &a[1], &a[1]);
}

static void pointers_compare_by_address(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, compare_addresses, NULL), SONDE_VALID);
}

static void eq_long_texts(sonde *t)
{
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    sonde_check_eq(t, (const char *)text, "y");
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    const struct sonde_claim *c = failing(eq_long_texts);
    assert_true(strlen(c->got) < sizeof c->got);
    assert_string_equal(c->want, "\"y\"");
}

static void mem_differs(sonde *t)
{
    unsigned char a[40] = {0}, b[40] = {0};
    b[30] = 0xff;
    sonde_check_mem_eq(t, a, b, sizeof a);
}

static void bytes_are_shown_around_the_first_difference(void **state)
{
    (void)state;
    const struct sonde_claim *c = failing(mem_differs);
    assert_string_equal(c->got, "00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    assert_string_equal(c->want, "00 00 00 00 ff 00 00 00 00 00 00 00 00 00");
    assert_string_equal(c->message, "40 bytes, first difference at byte 30 (shown from byte 26)");
}

static void not_near(sonde *t)
{
    sonde_check_near(t, 1.0, 2.0, .5);
}
static void near_nan(sonde *t)
{
    sonde_check_near(t, NAN, NAN, .5);
}

static void nearness_has_a_tolerance(void **state)
{
    (void)state;
    assert_string_equal(failing(not_near)->message, "they differ by 1, which is more than 0.5");
    assert_string_equal(failing(near_nan)->got, "nan");
}

static void long_doubles(sonde *t)
{
    long double x = 0.1L, third = 1.0L / 3;
    sonde_check_eq(t, x, 0.1L);
    sonde_check_eq(t, (long double)3, 3);
    sonde_check_lt(t, 1, 1.5L);
    sonde_check_eq(t, (long double)0.25, 0.25);
    sonde_check_ne(t, (long double)NAN, (long double)NAN);
    sonde_check_gt(t, (long double)INFINITY, 1e300L);
    sonde_assume_that(t, third, <, 0.5L);
    volatile long double next = 1.0L + 0x1p-63L;
    if (next == 1.0L) return; /* no more digits than a double: so on some machines, and in valgrind everywhere */
    sonde_check_ne(t, third, (double)third);
    sonde_check_lt(t, 1.0L, 1.0L + 0x1p-63L);
    sonde_check_gt(t, -1.0L, -1.0L - 0x1p-63L);
}

static void long_double_differs(sonde *t)
{
    sonde_check_eq(t, 1.5L, 2.25L);
}

static void long_doubles_compare_to_the_last_digit(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, long_doubles, NULL), SONDE_VALID);
    const struct sonde_claim *c = failing(long_double_differs);
    assert_string_equal(c->got, "1.5");
    assert_string_equal(c->want, "2.25");
}

static void assert_condition(sonde_property_fn *run, const char *expected)
{
    char text[256];
    assert_string_equal(sonde_claim_condition(failing(run), text, sizeof text), expected);
}

static struct {
    int a, b;
} pair = {1, 2}, *at = &pair;

static void plain_sides(sonde *t)
{
    sonde_check_eq(t, at->a + 1, (pair.b * 3) - strcmp("(==", ")"));
}

static void relation_in_a_side(sonde *t)
{
    sonde_check_eq(t, pair.a == pair.b, 1 < 2);
}

static void one_side(sonde *t)
{
    sonde_check_lt(t, pair.a & 1, -pair.b);
}

static void address_of(sonde *t)
{
    sonde_check_ne(t, (const void *)&pair, (const void *)at);
}

static void brackets_of_ones_own(sonde *t)
{
    sonde_check(t, (pair.a) == (pair.b));
}

static void sides_are_bracketed_where_they_must_be(void **state)
{
    (void)state;
    assert_condition(plain_sides, "at->a + 1 == (pair.b * 3) - strcmp(\"(==\", \")\")");
    assert_condition(relation_in_a_side, "(pair.a == pair.b) == (1 < 2)");
    assert_condition(one_side, "(pair.a & 1) < -pair.b");
    assert_condition(address_of, "((const void *)&pair) != (const void *)at");
    assert_condition(brackets_of_ones_own, "(pair.a) == (pair.b)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        case_test(a_failed_check_knows_its_place_and_words),
        case_test(claims_that_hold_leave_the_case_valid),
        case_test(a_failed_assume_discards_and_is_remembered),
        case_test(words_of_ones_own_are_formatted_and_bounded),
        case_test(an_expectation_records_and_goes_on),
        case_test(the_first_failure_is_the_one_told),
        case_test(a_failed_expect_counts_though_an_assume_ends_the_case),
        case_test(other_threads_may_expect),
        case_test(both_sides_are_printed),
        case_test(relations_are_mathematical),
        case_test(pointers_compare_by_address),
        case_test(long_texts_are_cut),
        case_test(bytes_are_shown_around_the_first_difference),
        case_test(nearness_has_a_tolerance),
        case_test(long_doubles_compare_to_the_last_digit),
        case_test(sides_are_bracketed_where_they_must_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
