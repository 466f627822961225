/* The judgement of a branch that valid cases never take, from evidence that is written down here. */

#include "blockers/cause.h"
#include "lib/mocka.h"

/* Evidence that a draw moved the comparison, in runs that all had the outcomes `seen`. */
static struct sonde_evidence moved(const struct sonde_probed *site, unsigned seen)
{
    return (struct sonde_evidence){.site = site, .seen = seen, .n_movers = 1, .is_copied = true};
}

static void needs_what_no_run_had(void **state)
{
    (void)state;
    assert_string_equal(sonde_blocker_relation(SONDE_SEEN_LESS, false), ">=");
    assert_string_equal(sonde_blocker_relation(SONDE_SEEN_LESS, true), "<=");
    assert_string_equal(sonde_blocker_relation(SONDE_SEEN_LESS | SONDE_SEEN_EQUAL, false), ">");
    assert_string_equal(sonde_blocker_relation(SONDE_SEEN_GREATER | SONDE_SEEN_EQUAL, false), "<");
    assert_string_equal(sonde_blocker_relation(SONDE_SEEN_GREATER, true), ">=");
    assert_string_equal(sonde_blocker_relation(SONDE_SEEN_LESS | SONDE_SEEN_GREATER, false), "==");
    assert_string_equal(sonde_blocker_relation(SONDE_SEEN_EQUAL, false), "!=");
}

/* The search had values below 12 only, a changed input had 12 and did not take the branch: 12 is not enough. */
static void equal_sides_that_do_not_take_it_are_not_enough(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = SONDE_SEEN_LESS};
    struct sonde_evidence v = moved(&site, SONDE_SEEN_LESS | SONDE_SEEN_EQUAL);
    assert_string_equal(sonde_blocker_relation(sonde_blocker_outcomes(&v), false), ">");
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_RANGE);
}

/* A run with a lifted assume took the branch: what it compared is what the branch needs. */
static void runs_that_take_it_show_nothing_of_what_is_not_enough(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = SONDE_SEEN_LESS};
    struct sonde_evidence v = moved(&site, SONDE_SEEN_LESS | SONDE_SEEN_EQUAL);
    v.is_guarded = true;
    assert_string_equal(sonde_blocker_relation(sonde_blocker_outcomes(&v), false), ">=");
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_ASSUME);
    v.is_taken = true;
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_MISSED);
}

static void values_on_both_sides_leave_it_open(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = SONDE_SEEN_LESS | SONDE_SEEN_GREATER};
    struct sonde_evidence v = moved(&site, site.seen);
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_OPEN);
    v.lacks = true;
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_RANGE); /* a character that the alphabet lacks */
    site.seen = SONDE_SEEN_LESS;
    v.lacks = false;
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_OPEN);
}

static void constant_only_if_nothing_was_discarded(void **state)
{
    (void)state;
    struct sonde_probed site = {.seen = SONDE_SEEN_LESS};
    struct sonde_evidence v = {.site = &site, .seen = SONDE_SEEN_LESS};
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_CONSTANT);
    v.n_discarded = 1;
    assert_int_equal(sonde_blocker_cause(&v), SONDE_BLOCKER_OPEN);
}

static void sides_compare_with_their_sign_and_doubles_by_their_order(void **state)
{
    (void)state;
    struct sonde_comparison c = {.a = (uint64_t)-3, .b = 4, .bytes = 4};
    assert_int_equal(sonde_comparison_outcome(&c), SONDE_SEEN_LESS);
    assert_int_equal(sonde_comparison_gap(&c), 7);
    c.bytes = 0; /* the bits of doubles are kept in the order of unsigned numbers */
    assert_int_equal(sonde_comparison_outcome(&c), SONDE_SEEN_GREATER);
    c.b = c.a;
    assert_int_equal(sonde_comparison_outcome(&c), SONDE_SEEN_EQUAL);
    assert_int_equal(sonde_comparison_gap(&c), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needs_what_no_run_had),
        cmocka_unit_test(equal_sides_that_do_not_take_it_are_not_enough),
        cmocka_unit_test(runs_that_take_it_show_nothing_of_what_is_not_enough),
        cmocka_unit_test(values_on_both_sides_leave_it_open),
        cmocka_unit_test(constant_only_if_nothing_was_discarded),
        cmocka_unit_test(sides_compare_with_their_sign_and_doubles_by_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
