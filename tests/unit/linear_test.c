/* Histories of a register and of a queue: which of them are linearizable. */
#include "case/linear.h"
#include "lib/mocka.h"

/* ---- A register: a call writes a value, or has read one. */

struct access {
    bool writes;
    int value;
};

static bool accesses(void *model, const void *call)
{
    int *value = model;
    const struct access *a = call;
    if (a->writes) *value = a->value;
    return *value == a->value;
}

static const struct access write_1 = {true, 1}, write_2 = {true, 2}, read_0 = {false, 0}, read_1 = {false, 1},
                           read_2 = {false, 2};

static bool holds(const struct sonde_linear_call *calls, size_t n)
{
    int zero = 0;
    return sonde_linear_holds(&(struct sonde_linear){.calls = calls, .n = n, .model = &zero, .size = sizeof zero});
}
#define HOLDS(...)                                                                                                     \
    holds((const struct sonde_linear_call[]){__VA_ARGS__},                                                             \
          sizeof(const struct sonde_linear_call[]){__VA_ARGS__} / sizeof(struct sonde_linear_call))
#define CALL(from, to, what)                                                                                           \
    {                                                                                                                  \
        from, to, &(what), accesses, NULL                                                                              \
    }

static void calls_that_overlap_may_have_either_order(void **state)
{
    (void)state;
    assert_true(HOLDS(CALL(0, 3, write_1), CALL(1, 2, read_0)));
    assert_true(HOLDS(CALL(0, 3, write_1), CALL(1, 2, read_1)));
    assert_false(HOLDS(CALL(0, 3, write_1), CALL(1, 2, read_2)));
}

static void one_that_has_returned_comes_first(void **state)
{
    (void)state;
    assert_false(HOLDS(CALL(0, 1, write_1), CALL(2, 3, read_0)));
    assert_true(HOLDS(CALL(0, 1, write_1), CALL(2, 3, read_1)));
}

static void two_readers_agree_on_the_order_of_writes(void **state)
{
    (void)state;
    assert_true(HOLDS(CALL(0, 9, write_1), CALL(1, 8, write_2), CALL(2, 3, read_1), CALL(4, 5, read_2)));
    assert_false(
        HOLDS(CALL(0, 9, write_1), CALL(1, 8, write_2), CALL(2, 3, read_1), CALL(4, 5, read_2), CALL(6, 7, read_1)));
}

/* Answers with nothing that is known. */
static bool raises(void *model, const void *call)
{
    (void)call;
    ++*(int *)model;
    return false;
}

static bool waits_at_0(const void *model, const void *call)
{
    (void)call;
    return *(const int *)model == 0;
}

static void a_call_that_is_left_waits_in_the_model_too(void **state)
{
    (void)state;
    assert_true(HOLDS({0, SONDE_PENDING, &read_1, accesses, waits_at_0}, CALL(1, 2, read_0)));
    assert_false(HOLDS({0, SONDE_PENDING, &read_1, accesses, waits_at_0}, CALL(1, 2, write_1)));
    assert_true(HOLDS({0, SONDE_PENDING, &read_1, accesses, NULL}, CALL(1, 2, write_1)));
}

static void a_pending_call_may_have_happened_or_not(void **state)
{
    (void)state;
    assert_true(HOLDS(CALL(0, SONDE_PENDING, write_1), CALL(1, 2, read_0)));
    assert_true(HOLDS(CALL(0, SONDE_PENDING, write_1), CALL(1, 2, read_1)));
    assert_true(HOLDS(CALL(0, SONDE_PENDING, write_1)));
    assert_false(HOLDS(CALL(0, SONDE_PENDING, write_1), CALL(1, 2, read_1), CALL(3, 4, read_0)));
    assert_true(
        HOLDS({0, SONDE_PENDING, NULL, raises, NULL}, CALL(1, 2, read_1))); /* whatever it would have answered */
}

static void no_calls_hold(void **state)
{
    (void)state;
    assert_true(sonde_linear_holds(&(struct sonde_linear){.n = 0}));
}

/* Fifty writes of one value and a read of another that all overlap: without a memory, fifty factorial orders. */
static void what_was_tried_is_remembered(void **state)
{
    struct sonde_linear_call calls[51];
    (void)state;
    for (uint64_t i = 0; i < 50; i++)
        calls[i] =
            (struct sonde_linear_call){i < 16 ? i : 100 + i, i < 16 ? 50 + i : 200 + i, &write_1, accesses, NULL};
    for (uint64_t i = 16; i < 50; i++) calls[i].began = 1000 + 2 * i, calls[i].ended = calls[i].began + 1;
    calls[50] = (struct sonde_linear_call){0, 2000, &read_2, accesses, NULL};
    assert_false(holds(calls, 51));
    calls[50].call = &read_1;
    assert_true(holds(calls, 51));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_overlap_may_have_either_order),
        cmocka_unit_test(one_that_has_returned_comes_first),
        cmocka_unit_test(two_readers_agree_on_the_order_of_writes),
        cmocka_unit_test(a_pending_call_may_have_happened_or_not),
        cmocka_unit_test(a_call_that_is_left_waits_in_the_model_too),
        cmocka_unit_test(no_calls_hold),
        cmocka_unit_test(what_was_tried_is_remembered),
    };
    return cmocka_run_group_tests_name("linear", tests, NULL, NULL);
}
