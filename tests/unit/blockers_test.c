/* The judgement of a branch that valid cases never take, from evidence that is written down here; and what the report
 * says if no branch was judged. */

#include "blockers/cause.h"
#include "lib/mocka.h"
#include "report/blockers.h"
#include "unit/report_fixture.h"

/* Evidence that a draw moved the comparison, in runs that all had the outcomes `seen`. */
static struct sonde_evidence moved(const struct sonde_probed *site, unsigned seen)
{
    return (struct sonde_evidence){.site = site, .seen = seen, .n_movers = 1, .is_copied = true};
}

static const char *need_of(unsigned seen, bool is_second_side)
{
    struct sonde_probed site = {.seen = seen, .bytes = 4};
    struct sonde_evidence v = moved(&site, seen);
    return sonde_blocker_need(&v, is_second_side).relation;
}

/* Outcomes of numbers that have no high bit: signed and unsigned order agree. */
enum { LESS = SONDE_IS_LESS | SONDE_IS_BELOW, EQUAL = SONDE_IS_EQUAL, GREATER = SONDE_IS_GREATER | SONDE_IS_ABOVE };

static void needs_what_no_run_had(void **state)
{
    (void)state;
    assert_string_equal(need_of(LESS, false), ">=");
    assert_string_equal(need_of(LESS, true), "<=");
    assert_string_equal(need_of(LESS | EQUAL, false), ">");
    assert_string_equal(need_of(GREATER | EQUAL, false), "<");
    assert_string_equal(need_of(GREATER, true), ">=");
    assert_string_equal(need_of(LESS | GREATER, false), "==");
    assert_string_equal(need_of(EQUAL, false), "!=");
}

/* x > 0xF0000000u for an unsigned x up to 0xC0000000: signed, x is on both sides of the constant. */
static void unsigned_numbers_are_compared_in_their_order(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = SONDE_IS_LESS | SONDE_IS_GREATER | SONDE_IS_BELOW,
                                .first = {0, (uint64_t)(int32_t)0xF0000000},
                                .is_same = {false, true},
                                .bytes = 4};
    struct sonde_evidence v = moved(&site, site.seen);
    assert_string_equal(sonde_blocker_need(&v, false).relation, ">=");
    assert_null(sonde_blocker_need(&v, false).other);
    assert_true(sonde_blocker_need(&v, false).is_unsigned);
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_RANGE);
    v.has_sign = true; /* a signed draw has values between */
    assert_string_equal(sonde_blocker_need(&v, false).relation, ">=");
    assert_true(sonde_blocker_need(&v, false).is_unsigned);
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_OPEN);
}

/* -5 and 3 are both less than 100, and on both sides of it as unsigned numbers. */
static void signed_draws_are_compared_in_their_order(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = SONDE_IS_LESS | SONDE_IS_BELOW | SONDE_IS_ABOVE, .bytes = 4};
    struct sonde_evidence v = moved(&site, site.seen);
    v.has_sign = true;
    assert_string_equal(sonde_blocker_need(&v, false).relation, ">=");
    assert_false(sonde_blocker_need(&v, false).is_unsigned);
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_RANGE);
    v.has_sign = false;
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_OPEN);
}

/* x - 100000 == 20 for an unsigned x: the differences seen were large numbers, or negative ones. */
static void sides_that_are_not_the_draw_have_no_known_order(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = SONDE_IS_LESS | SONDE_IS_GREATER | SONDE_IS_ABOVE, .bytes = 4};
    struct sonde_evidence v = moved(&site, site.seen);
    v.is_unsigned = true, v.is_copied = false;
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_OPEN);
}

/* 0 to 100 compared with -5: either x < -5 or x > 4294967290u. */
static void both_orders_are_named_if_either_is_possible(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = SONDE_IS_GREATER | SONDE_IS_BELOW, .bytes = 4};
    struct sonde_evidence v = moved(&site, site.seen);
    struct sonde_blocker_need need = sonde_blocker_need(&v, false);
    assert_string_equal(need.relation, "<=");
    assert_string_equal(need.other, ">=");
    assert_false(need.is_unsigned);
    v.is_unsigned = true;
    need = sonde_blocker_need(&v, false);
    assert_string_equal(need.relation, ">=");
    assert_string_equal(need.other, "<=");
    assert_true(need.is_unsigned);
}

static void comparison_is_complete_when_neither_order_waits(void **state)
{
    (void)state;
    struct sonde_probed s = {.seen = LESS | EQUAL | GREATER, .first = {0, 7}, .is_same = {false, true}, .bytes = 4};
    assert_true(sonde_blocker_is_complete(&s));
    s.seen = SONDE_IS_LESS | EQUAL | SONDE_IS_GREATER | SONDE_IS_BELOW;
    assert_false(sonde_blocker_is_complete(&s));
    s.first[1] = (uint64_t)-1; /* above the largest number there is nothing to wait for */
    assert_true(sonde_blocker_is_complete(&s));
    s.first[1] = 7, s.is_switch = true;
    assert_true(sonde_blocker_is_complete(&s));
    s.seen = LESS | GREATER;
    assert_false(sonde_blocker_is_complete(&s));
}

/* The search had values below 12 only, a changed input had 12 and did not take the branch: 12 is not enough. */
static void equal_sides_that_do_not_take_it_are_not_enough(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = LESS};
    struct sonde_evidence v = moved(&site, LESS | EQUAL);
    assert_string_equal(sonde_blocker_need(&v, false).relation, ">");
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_RANGE);
}

/* A run with a lifted assume took the branch: what it compared is what the branch needs. */
static void runs_that_take_it_show_nothing_of_what_is_not_enough(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = LESS};
    struct sonde_evidence v = moved(&site, LESS | EQUAL);
    v.is_guarded = true;
    assert_string_equal(sonde_blocker_need(&v, false).relation, ">=");
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_ASSUME);
    v.is_taken = true;
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_MISSED);
}

static void values_on_both_sides_leave_it_open(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = LESS | GREATER};
    struct sonde_evidence v = moved(&site, site.seen);
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_OPEN);
    v.lacks = true;
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_RANGE); /* a character that the alphabet lacks */
    site.seen = LESS;
    v.lacks = false;
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_OPEN);
}

static void constant_only_if_nothing_was_discarded(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = LESS};
    struct sonde_evidence v = {.site = &site, .seen = LESS};
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_CONSTANT);
    v.n_discarded = 1;
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_OPEN);
}

static void sides_compare_with_and_without_sign_and_doubles_by_their_order(void **state)
{
    (void)state;
    struct sonde_comparison c = {.a = (uint64_t)-3, .b = 4, .bytes = 4};
    struct sonde_approach nearest[2] = SONDE_APPROACH_NONE;
    assert_int_equal(sonde_outcome_of(&c), SONDE_IS_LESS | SONDE_IS_ABOVE);
    assert_true(sonde_approach(nearest, &c));
    assert_int_equal(nearest[0].gap, 7);
    assert_true(nearest[1].gap == UINT64_MAX - 6);
    c.a = 40;
    assert_false(sonde_approach(nearest, &c));
    assert_int_equal(nearest[1].sides[0], 40); /* nearer as an unsigned number only */
    assert_int_equal(nearest[0].sides[0], -3);
    c = (struct sonde_comparison){.a = (uint64_t)-3, .b = 4};
    assert_int_equal(sonde_outcome_of(&c), SONDE_IS_GREATER | SONDE_IS_ABOVE); /* doubles */
    c.b = c.a;
    assert_int_equal(sonde_outcome_of(&c), SONDE_IS_EQUAL);
    assert_true(sonde_approach(nearest, &c));
    assert_int_equal(nearest[0].gap, 0);
    assert_true(sonde_compared_double(UINT64_C(0xBFF0000000000000)) == 1.0);
    assert_true(sonde_compared_double(~UINT64_C(0xBFF0000000000000)) == -1.0);
    assert_true(sonde_compared_unsigned((uint64_t)-3, 1) == 253);
}

/* The probes ran out, or Ctrl-C came, before the first branch was judged: there are such branches. */
static void none_is_said_only_if_there_is_none(void **state)
{
    (void)state;
    struct sonde_report report = {.stats = {.edges = 1, .valid = 1}};
    struct sink sink;
    sink_open(&sink);
    sonde_blockers_print(sink.out, &report, 0);
    assert_string_equal(sink_text(&sink), "None.\n");
    sink_close(&sink);
    report.n_more_blockers = 3;
    sink_open(&sink);
    sonde_blockers_print(sink.out, &report, 0);
    assert_string_equal(sink_text(&sink), "3 that were not examined\n");
    sink_close(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_is_said_only_if_there_is_none),
        cmocka_unit_test(needs_what_no_run_had),
        cmocka_unit_test(unsigned_numbers_are_compared_in_their_order),
        cmocka_unit_test(signed_draws_are_compared_in_their_order),
        cmocka_unit_test(sides_that_are_not_the_draw_have_no_known_order),
        cmocka_unit_test(both_orders_are_named_if_either_is_possible),
        cmocka_unit_test(comparison_is_complete_when_neither_order_waits),
        cmocka_unit_test(equal_sides_that_do_not_take_it_are_not_enough),
        cmocka_unit_test(runs_that_take_it_show_nothing_of_what_is_not_enough),
        cmocka_unit_test(values_on_both_sides_leave_it_open),
        cmocka_unit_test(constant_only_if_nothing_was_discarded),
        cmocka_unit_test(sides_compare_with_and_without_sign_and_doubles_by_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
