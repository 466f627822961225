/* Truths: the distances of figure 3, without overflow, and the lemma that 0 or more means true. */
#include "lib/cases.h"
#include "lib/short.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static double of(sonde_truth x)
{
    return x.distance;
}

static void relations_have_the_distances_of_the_paper(void **state)
{
    (void)state;
    assert_float_equal(of(sonde_rel(3, <=, 10)), 7, 0);
    assert_float_equal(of(sonde_rel(3, <, 10)), 6, 0);
    assert_float_equal(of(sonde_rel(3, <, 3)), -1, 0);
    assert_float_equal(of(sonde_rel(3, ==, 10)), -7, 0);
    assert_float_equal(of(sonde_rel(3, !=, 10)), 7, 0);
    assert_float_equal(of(sonde_rel(3, !=, 3)), -1, 0);
    assert_float_equal(of(sonde_rel(3, >=, 10)), -7, 0);
    assert_float_equal(of(sonde_rel(3, >, 10)), -8, 0);
}

static void conjunctions_take_the_least_and_disjunctions_the_greatest(void **state)
{
    (void)state;
    assert_float_equal(of(sonde_all(sonde_rel(1, <=, 5), sonde_rel(9, <=, 5), true)), -4, 0);
    assert_float_equal(of(sonde_any(sonde_rel(1, ==, 5), sonde_rel(9, <=, 5), 0)), -1, 0);
    assert_float_equal(of(sonde_all(sonde_rel(1, <=, 5), sonde_rel(1, <=, 3))), 2, 0);
    assert_int_equal(sonde_all(sonde_rel(1, <=, 5), sonde_rel(9, <=, 5), true).held, 2);
}

static void all_of_none_holds_and_one_of_none_does_not(void **state)
{
    (void)state;
    assert_true(sonde_holds(sonde_all_of(NULL, 0)));
    assert_false(sonde_holds(sonde_any_of(NULL, 0)));
}

static void a_negation_of_zero_is_false(void **state)
{
    (void)state;
    assert_float_equal(of(sonde_not(sonde_rel(4, <=, 4))), -1, 0);
    assert_float_equal(of(sonde_not(sonde_rel(4, <=, 6))), -2, 0);
    assert_float_equal(of(sonde_not(sonde_rel(6, <=, 4))), 2, 0);
}

static void sixteen_parts_are_allowed(void **state)
{
    (void)state;
    assert_int_equal(sonde_all(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "text").held, 16);
    assert_false(sonde_holds(sonde_any(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)));
}

/* A fold over a list, as the paper has it: the least of so many distances as there are elements. */
static void a_list_of_any_length_has_a_distance(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    static sonde_truth parts[MANY];
    for (int i = 0; i < MANY; i++) parts[i] = sonde_rel(i, <=, MANY);
    assert_true(sonde_all_of(parts, MANY).distance == 1);
    parts[MANY / 2] = sonde_rel(30, <=, 20);
    assert_true(sonde_all_of(parts, MANY).distance == -10);
    assert_true(sonde_any_of(parts, MANY).distance == MANY);
}

static void operands_are_evaluated_once(void **state)
{
    (void)state;
    int a = 0, b = 0, c = 0; /* one each: the order of the parts is the compiler's affair */
    sonde_truth x = sonde_all(sonde_rel(++a, ==, 1), ++b == 1, sonde_not(sonde_rel(++c, !=, 1)));
    assert_int_equal(a + b + c, 3);
    assert_true(sonde_holds(x));
}

static void integers_of_any_types_do_not_overflow(void **state)
{
    (void)state;
    assert_float_equal(of(sonde_rel(INT64_MIN, <=, INT64_MAX)), 18446744073709551615.0, 0);
    assert_float_equal(of(sonde_rel(INT64_MIN, <=, UINT64_MAX)), 27670116110564327423.0, 0);
    assert_float_equal(of(sonde_rel(UINT64_MAX, <=, INT64_MIN)), -27670116110564327423.0, 0);
    assert_true(sonde_holds(sonde_rel(-1, <, 0u)));
    assert_true(sonde_holds(sonde_rel(INT64_MAX - 1, <, INT64_MAX)));
    assert_false(sonde_holds(sonde_rel(INT64_MAX, <, INT64_MAX)));
    assert_float_equal(of(sonde_rel(UINT64_MAX - 1, ==, UINT64_MAX)), -1, 0);
}

static void nothing_but_being_unequal_holds_for_nan(void **state)
{
    (void)state;
    assert_false(sonde_holds(sonde_rel(NAN, <, 1.0)));
    assert_false(sonde_holds(sonde_rel(NAN, >=, 1.0)));
    assert_false(sonde_holds(sonde_rel(NAN, ==, NAN)));
    assert_true(sonde_holds(sonde_rel(NAN, !=, NAN)));
    assert_true(sonde_holds(sonde_not(sonde_rel(NAN, <, 1.0))));
}

static void infinities_give_finite_distances(void **state)
{
    (void)state;
    assert_float_equal(of(sonde_rel(-INFINITY, <=, INFINITY)), DBL_MAX, 0);
    assert_float_equal(of(sonde_rel(INFINITY, ==, INFINITY)), 0, 0);
    assert_float_equal(of(sonde_rel(INFINITY, ==, 1)), -DBL_MAX, 0);
}

static void texts_are_near_when_few_letters_differ(void **state)
{
    (void)state;
    assert_true(sonde_holds(sonde_rel("abc", ==, "abc")));
    assert_true(of(sonde_rel("abd", ==, "abc")) > of(sonde_rel("axd", ==, "abc")));
    assert_true(of(sonde_rel("ab", ==, "abc")) > of(sonde_rel("a", ==, "abc")));
}

static void addresses_tell_only_their_truth(void **state)
{
    (void)state;
    int x[2] = {0};
    void *a = &x[0], *b = &x[1];
    assert_float_equal(of(sonde_rel(a, ==, b)), -1, 0);
    assert_float_equal(of(sonde_rel(a, !=, b)), 1, 0);
}

/* ---- The lemma, over many values */

static struct cases k;

#define AGREES(t, a, op, b) sonde_check_eq(t, sonde_holds(sonde_rel(a, op, b)), (a)op(b))
#define ALL_AGREE(t, a, b)                                                                                             \
    AGREES(t, a, <, b), AGREES(t, a, <=, b), AGREES(t, a, >, b), AGREES(t, a, >=, b), AGREES(t, a, ==, b),             \
        AGREES(t, a, !=, b)

static void lemma_of_integers(sonde *t)
{
    int64_t a = sonde_i64(t, "a", INT64_MIN, INT64_MAX), near = sonde_i64(t, "near", -2, 2);
    int64_t b = sonde_bool(t, "is near") && a > INT64_MIN + 2 && a < INT64_MAX - 2
                    ? a + near
                    : sonde_i64(t, "b", INT64_MIN, INT64_MAX);
    ALL_AGREE(t, a, b);
    uint64_t u = (uint64_t)a, v = (uint64_t)b;
    ALL_AGREE(t, u, v);
}

static void lemma_of_doubles(sonde *t)
{
    double a = sonde_any_double(t, "a"), b = sonde_any_double(t, "b");
    if (sonde_bool(t, "is near")) b = nextafter(a, sonde_bool(t, "up") ? INFINITY : -INFINITY);
    ALL_AGREE(t, a, b);
}

/* A condition of a few levels, both as a truth and as C sees it. */
static sonde_truth condition(sonde *t, int depth, bool *plain)
{
    sonde_span(t, "condition");
    size_t kind = sonde_pick(t, "kind", depth < 4 ? 6 : 3);
    if (kind < 3) {
        double d = sonde_any_double(t, "d");
        int a = sonde_int(t, "a", -3, 3), b = sonde_int(t, "b", -3, 3);
        *plain = kind == 0 ? a <= b : kind == 1 ? a == b : d < a;
        return kind == 0 ? sonde_rel(a, <=, b) : kind == 1 ? sonde_rel(a, ==, b) : sonde_rel(d, <, a);
    }
    bool p, q;
    sonde_truth x = condition(t, depth + 1, &p);
    if (kind == 3) {
        *plain = !p;
        return sonde_not(x);
    }
    sonde_truth y = condition(t, depth + 1, &q);
    *plain = kind == 4 ? p && q : p || q;
    return kind == 4 ? sonde_all(x, y) : sonde_any(x, y);
}

static void lemma_of_conditions(sonde *t)
{
    bool plain;
    sonde_truth x = condition(t, 0, &plain);
    sonde_check_eq(t, sonde_holds(x), plain);
}

static void run_often(sonde_property_fn *run)
{
    const uint64_t tests = is_short() ? 500 : 20000;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sonde_result result;
        sonde_run(run, &(sonde_config){
                           .seed = seed, .tests = tests, .seconds = 30, .store = "", .quiet = true, .result = &result});
        if (result.status != SONDE_PASSED) fail_msg("seed %d: %s", (int)seed, result.token);
    }
}

static void a_distance_of_zero_or_more_means_true(void **state)
{
    (void)state;
    run_often(lemma_of_integers);
    run_often(lemma_of_doubles);
    run_often(lemma_of_conditions);
}

/* ---- Assumes */

static void two_hold_and_one_does_not(sonde *t)
{
    sonde_assume(t, true);
    sonde_assume_that(t, 3, <, 10);
    sonde_assume_that(t, sonde_all(sonde_rel(1, ==, 1), sonde_rel(20, <=, 15)));
    sonde_fail(t, "not reached");
}

static void an_assume_that_fails_leaves_its_distance(void **state)
{
    (void)state;
    cases_init(&k, &sonde_guide_uniform, 1);
    assert_int_equal(cases_run(&k, two_hold_and_one_does_not, NULL), SONDE_DISCARDED);
    assert_int_equal(k.t->assumes_passed, 2);
    assert_float_equal(k.t->distances[0], 1, 0);
    assert_float_equal(k.t->distances[1], 6, 0);
    assert_float_equal(k.t->distances[2], -5, 0);
    assert_float_equal(k.t->rejected.distance, -5, 0);
    assert_int_equal(k.t->rejected.held, 1);
    assert_string_equal(k.t->rejection.condition, "sonde_all(sonde_rel(1, ==, 1), sonde_rel(20, <=, 15))");
    cases_clear(&k);
}

static void conjunction(sonde *t)
{
    const sonde_truth parts[] = {sonde_rel(3, <, 7), sonde_rel(1, ==, 1), sonde_rel(20, <=, 15), sonde_rel(1, <, 9)};
    sonde_assume_parts_(t, parts, 2, "file", 1, "3 < 7 && 1 == 1");
    sonde_assume_parts_(t, parts, 4, "file", 2, "all of them");
}

static void each_part_of_a_conjunction_counts_as_an_assume(void **state)
{
    (void)state;
    cases_init(&k, &sonde_guide_uniform, 1);
    assert_int_equal(cases_run(&k, conjunction, NULL), SONDE_DISCARDED);
    assert_int_equal(k.t->assumes_passed, 4);
    const double wanted[] = {3, 0, 3, 0, -5};
    for (int i = 0; i < 5; i++) assert_float_equal(k.t->distances[i], wanted[i], 0);
    assert_float_equal(k.t->rejected.distance, -5, 0);
    assert_string_equal(k.t->rejection.condition, "all of them");
    cases_clear(&k);
}

static void comparing(sonde *t)
{
    int low = 7;
    sonde_assume_that(t, low * 2, >=, 15);
}

static void an_assumed_relation_is_told_as_written(void **state)
{
    (void)state;
    cases_init(&k, &sonde_guide_uniform, 1);
    assert_int_equal(cases_run(&k, comparing, NULL), SONDE_DISCARDED);
    assert_string_equal(k.t->rejection.condition, "low * 2 >= 15");
    cases_clear(&k);
}

/* ---- Relations of C, as sonde cc asks for them */

#define BOX(x, what) sonde_box_at_(&(__typeof__(x)){x}, sizeof(x), what)
enum { SIGNED_ = 1, UNSIGNED_ = 2, FLOATING_ = 3, LESS_ = 4, EQUAL_ = 2, OTHER_ = 5, TEST_ = 0 };

static void sides_are_converted_as_c_does(void **state)
{
    (void)state;
    /* -1 < 1u is false in C, by as much as 2^32 - 1 exceeds 1, and one */
    assert_float_equal(of(sonde_relate_as_(BOX(-1, SIGNED_), LESS_, BOX(1u, UNSIGNED_), false)), -4294967295.0, 0);
    assert_float_equal(of(sonde_relate_as_(BOX(-1L, SIGNED_), LESS_, BOX(1u, UNSIGNED_), true)), 1, 0);
    assert_float_equal(of(sonde_relate_as_(BOX((signed char)-1, SIGNED_), LESS_, BOX((unsigned char)1, UNSIGNED_),
                                           true)),
                       1, 0);
    assert_float_equal(of(sonde_relate_as_(BOX(UINT64_MAX, UNSIGNED_), EQUAL_, BOX(-1, SIGNED_), true)), 0, 0);
}

static void where_distance_and_truth_disagree_the_truth_counts(void **state)
{
    (void)state;
    float f = 16777216;
    assert_float_equal(of(sonde_relate_as_(BOX(f, FLOATING_), EQUAL_, BOX(16777217, SIGNED_), true)), 1, 0);
    assert_float_equal(of(sonde_relate_as_(sonde_box_pointer_("a"), EQUAL_, sonde_box_pointer_("b"), false)), -1, 0);
    assert_float_equal(of(sonde_truth_number_(BOX((double)NAN, FLOATING_), true)), 1, 0);
}

static void remainders_count_from_both_sides(void **state)
{
    (void)state;
    for (int x = -20; x <= 20; x++) {
        double d = of(sonde_relate_mod_(BOX(x % 8, SIGNED_), BOX(8, SIGNED_), EQUAL_, BOX(0, SIGNED_), x % 8 == 0));
        int away = abs(x) % 8;
        assert_float_equal(d, -(away < 4 ? away : 8 - away), 0);
        assert_true((d >= 0) == (x % 8 == 0));
    }
    assert_float_equal(of(sonde_relate_mod_(BOX(9u, UNSIGNED_), BOX(10u, UNSIGNED_), OTHER_, BOX(0, SIGNED_), true)), 1,
                       0);
    assert_float_equal(of(sonde_relate_mod_(BOX(0, SIGNED_), BOX(3, SIGNED_), TEST_, BOX(0, SIGNED_), false)), -1, 0);
    assert_float_equal(of(sonde_relate_mod_(BOX(-3, SIGNED_), BOX(5, SIGNED_), EQUAL_, BOX(2, SIGNED_), false)), -5, 0);
}

static double bits(unsigned value, unsigned mask, unsigned relation, unsigned want, bool holds)
{
    return of(sonde_relate_bits_(BOX(value, UNSIGNED_), BOX(mask, UNSIGNED_), relation, BOX(want, UNSIGNED_), holds));
}

static void bits_have_a_distance(void **state)
{
    (void)state;
    assert_float_equal(bits(0x10, 0x18, TEST_, 0, true), 1, 0);
    assert_float_equal(bits(0x18, 0x18, TEST_, 0, true), 2, 0);
    assert_float_equal(bits(0x06, 0x18, TEST_, 0, false), -2, 0); /* 8 is two further */
    assert_float_equal(bits(0x20, 0x18, TEST_, 0, false), -1, 0); /* 31 is one less */
    assert_float_equal(bits(0xff, 0, TEST_, 0, false), -1, 0);
    assert_float_equal(bits(0x50, 0x50, EQUAL_, 0x10, false), -1, 0);
    assert_float_equal(bits(0x40, 0x50, EQUAL_, 0x10, false), -2, 0);
    assert_float_equal(bits(7, 7, EQUAL_, 0, false), -1, 0); /* the lowest bits are a remainder */
    assert_float_equal(bits(0x10, 0x50, EQUAL_, 0x10, true), 0, 0);
}

static void numbers_are_true_when_not_zero(void **state)
{
    (void)state;
    assert_float_equal(of(sonde_truth_number_(BOX(-7, SIGNED_), true)), 7, 0);
    assert_float_equal(of(sonde_truth_number_(BOX(0, SIGNED_), false)), -1, 0);
    assert_float_equal(of(sonde_truth_number_(sonde_box_pointer_(NULL), true)), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_have_the_distances_of_the_paper),
        cmocka_unit_test(conjunctions_take_the_least_and_disjunctions_the_greatest),
        cmocka_unit_test(all_of_none_holds_and_one_of_none_does_not),
        cmocka_unit_test(a_negation_of_zero_is_false),
        cmocka_unit_test(sixteen_parts_are_allowed),
        cmocka_unit_test(a_list_of_any_length_has_a_distance),
        cmocka_unit_test(operands_are_evaluated_once),
        cmocka_unit_test(integers_of_any_types_do_not_overflow),
        cmocka_unit_test(nothing_but_being_unequal_holds_for_nan),
        cmocka_unit_test(infinities_give_finite_distances),
        cmocka_unit_test(texts_are_near_when_few_letters_differ),
        cmocka_unit_test(addresses_tell_only_their_truth),
        cmocka_unit_test(a_distance_of_zero_or_more_means_true),
        cmocka_unit_test(an_assume_that_fails_leaves_its_distance),
        cmocka_unit_test(an_assumed_relation_is_told_as_written),
        cmocka_unit_test(sides_are_converted_as_c_does),
        cmocka_unit_test(where_distance_and_truth_disagree_the_truth_counts),
        cmocka_unit_test(remainders_count_from_both_sides),
        cmocka_unit_test(bits_have_a_distance),
        cmocka_unit_test(numbers_are_true_when_not_zero),
        cmocka_unit_test(each_part_of_a_conjunction_counts_as_an_assume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
