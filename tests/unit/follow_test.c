/* Predicates that are followed: the further one got the better, then the nearer the better; the truth is its own. */
#include "lib/cases.h"
#include "observe/follow.h"

void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b);
void __sanitizer_cov_trace_const_cmp1(uint8_t a, uint8_t b);
void __sanitizer_cov_trace_cmpd(double a, double b);
void __sanitizer_cov_trace_switch(uint64_t value, void *cases);
void __sanitizer_weak_hook_strcmp(void *pc, const char *a, const char *b, int result);

static sonde_boxed_ nothing(void)
{
    return sonde_box_pointer_(NULL);
}

/* Strictly increasing, as instrumented code would tell it. */
static sonde_truth sorted(const int *v, int n)
{
    bool holds = true;
    sonde_follow_();
    for (int i = 1; i < n && holds; i++) {
        __sanitizer_cov_trace_cmp4((uint32_t)v[i - 1], (uint32_t)v[i]);
        holds = v[i - 1] < v[i];
    }
    sonde_follow_stop_();
    return sonde_followed_(nothing(), holds);
}

static bool is_better(sonde_truth a, sonde_truth b)
{
    return a.held != b.held ? a.held > b.held : a.distance > b.distance;
}

static void further_is_better_then_nearer(void **state)
{
    (void)state;
    sonde_truth early = sorted((int[]){5, 1, 2, 3}, 4), late = sorted((int[]){1, 2, 9, 3}, 4),
                near = sorted((int[]){1, 2, 4, 3}, 4), all = sorted((int[]){1, 2, 3, 4}, 4);
    assert_true(is_better(late, early));
    assert_true(is_better(near, late));
    assert_true(is_better(all, near));
    assert_float_equal(near.distance, -2, 0);
    assert_true(sonde_holds(all) && !sonde_holds(early) && !sonde_holds(late) && !sonde_holds(near));
}

static void what_holds_is_further_than_any_failure(void **state)
{
    (void)state;
    static int v[40];
    for (int i = 0; i < 40; i++) v[i] = i;
    v[39] = 0;
    sonde_truth all = sonde_truth_and_(sorted((int[]){1, 2}, 2), sonde_truth_of_(false));
    assert_true(is_better(all, sorted(v, 40)));
}

static void a_predicate_that_is_not_instrumented_has_its_truth(void **state)
{
    (void)state;
    sonde_follow_();
    sonde_follow_stop_();
    assert_float_equal(sonde_followed_(nothing(), false).distance, -1, 0);
    assert_float_equal(sonde_followed_(nothing(), true).distance, 1, 0);
}

static void nothing_is_counted_outside(void **state)
{
    (void)state;
    sonde_follow_();
    sonde_follow_stop_();
    __sanitizer_cov_trace_cmp4(1, 2);
    assert_int_equal(sonde_following.n, 0);
}

static void all_kinds_of_comparisons_count(void **state)
{
    (void)state;
    uint64_t cases[] = {2, 32, 10, 20};
    sonde_follow_();
    __sanitizer_cov_trace_const_cmp1(0xff, 1);
    assert_float_equal(sonde_following.apart, 2, 0); /* -1 and 1 */
    __sanitizer_cov_trace_cmpd(1.5, 4);
    assert_float_equal(sonde_following.apart, 2.5, 0);
    __sanitizer_cov_trace_switch(17, cases);
    assert_float_equal(sonde_following.apart, 3, 0);
    assert_int_equal(sonde_following.n, 3);
    __sanitizer_weak_hook_strcmp(NULL, "abcx", "abcz", -1);
    assert_float_equal(sonde_following.apart, 2, 0);
    assert_int_equal(sonde_following.n, 7); /* three symbols were the same */
    sonde_follow_stop_();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(further_is_better_then_nearer),
        cmocka_unit_test(what_holds_is_further_than_any_failure),
        cmocka_unit_test(a_predicate_that_is_not_instrumented_has_its_truth),
        cmocka_unit_test(nothing_is_counted_outside),
        cmocka_unit_test(all_kinds_of_comparisons_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
