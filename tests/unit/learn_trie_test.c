/* The learner's record of what it has tried: the promise of each node, and parts that are used up. */
#include "lib/mocka.h"

#include "guide/rl/learn_trie.h"

enum { MEMORY = 1 << 16 };

static struct sonde_learn_answer answer(uint64_t index, uint64_t max, float promise)
{
    return (struct sonde_learn_answer){.index = index, .max = max, .promise = promise};
}

/* A tape of choices from two values each: "011". */
static void insert_bits(struct sonde_learn_trie *trie, const char *bits, float promise, bool is_cut)
{
    struct sonde_learn_answer answers[8];
    uint32_t n = 0;
    for (; bits[n]; n++) answers[n] = answer((uint64_t)(bits[n] - '0'), 1, promise);
    sonde_learn_trie_insert(trie, answers, n, is_cut);
}

/* Returns the promise of the last of these choices. */
static float promise_of(const struct sonde_learn_trie *trie, const char *bits)
{
    struct sonde_learn_place at = sonde_learn_trie_root(trie);
    for (; bits[1]; bits++) at = sonde_learn_trie_step(trie, at, 1, (uint64_t)(bits[0] - '0'));
    return sonde_learn_trie_promise(trie, at, 1, (uint64_t)(bits[0] - '0'));
}

static void parts_fold_when_all_their_answers_were_given(void **state)
{
    (void)state;
    struct sonde_learn_trie *trie = sonde_learn_trie_create(MEMORY);
    insert_bits(trie, "011", 1, false);
    assert_float_equal(promise_of(trie, "0"), 1, 0.01);
    assert_float_equal(promise_of(trie, "011"), 0, 0);
    assert_float_equal(promise_of(trie, "010"), 1, 0);
    insert_bits(trie, "001", 1, false);
    insert_bits(trie, "000", 1, false);
    assert_float_equal(promise_of(trie, "00"), 0, 0);
    assert_float_equal(promise_of(trie, "01"), 1, 0.01);
    insert_bits(trie, "010", 1, false);
    assert_float_equal(promise_of(trie, "0"), 0, 0);
    assert_float_equal(promise_of(trie, "1"), 1, 0);
    assert_false(sonde_learn_trie_is_used_up(trie));
    insert_bits(trie, "1", 1, false); /* a shorter one: nothing was drawn behind it */
    assert_true(sonde_learn_trie_is_used_up(trie));
    assert_int_equal(sonde_learn_trie_bytes(trie), 0);
    sonde_learn_trie_free(trie);
}

/* 41 values are two digits, the first of two and the second of 32 or of nine. */
static void a_wide_domain_is_used_up_by_its_last_value(void **state)
{
    (void)state;
    enum { LAST = 40 };
    struct sonde_learn_trie *trie = sonde_learn_trie_create(MEMORY);
    for (uint64_t i = 0; i <= LAST; i++) {
        struct sonde_learn_answer a = answer(i * 7 % (LAST + 1), LAST, 1);
        assert_float_equal(sonde_learn_trie_promise(trie, sonde_learn_trie_root(trie), LAST, a.index), 1, 0);
        assert_false(sonde_learn_trie_is_used_up(trie));
        sonde_learn_trie_insert(trie, &a, 1, false);
        assert_float_equal(sonde_learn_trie_promise(trie, sonde_learn_trie_root(trie), LAST, a.index), 0, 0);
    }
    assert_true(sonde_learn_trie_is_used_up(trie));
    sonde_learn_trie_free(trie);
}

/* The domain of a draw may depend on more than draws: then it is another one the next time. */
static void a_domain_that_grew_is_not_used_up_by_the_small_one(void **state)
{
    (void)state;
    struct sonde_learn_trie *trie = sonde_learn_trie_create(MEMORY);
    static const struct {
        uint32_t first, max, second;
    } tapes[] = {{0, 1, 0}, {1, 1, 0}, {5, 7, 0}, {0, 1, 1}, {1, 1, 1}};
    for (size_t i = 0; i < sizeof tapes / sizeof *tapes; i++) {
        const struct sonde_learn_answer two[] = {answer(tapes[i].first, tapes[i].max, 1),
                                                 answer(tapes[i].second, 1, 1)};
        sonde_learn_trie_insert(trie, two, 2, false);
    }
    assert_false(sonde_learn_trie_is_used_up(trie));
    sonde_learn_trie_free(trie);
}

static void an_open_domain_is_never_used_up(void **state)
{
    (void)state;
    struct sonde_learn_trie *trie = sonde_learn_trie_create(MEMORY);
    for (uint64_t i = 0; i < 2; i++) {
        struct sonde_learn_answer a = answer(i, 1, 1);
        a.is_open = true;
        sonde_learn_trie_insert(trie, &a, 1, false);
    }
    assert_false(sonde_learn_trie_is_used_up(trie));
    assert_float_equal(promise_of(trie, "0"), 0, 0);
    sonde_learn_trie_free(trie);
}

static void a_cut_tape_promises_and_uses_nothing_up(void **state)
{
    (void)state;
    struct sonde_learn_trie *trie = sonde_learn_trie_create(MEMORY);
    insert_bits(trie, "0", 0.25f, true);
    insert_bits(trie, "1", 0.25f, true);
    assert_false(sonde_learn_trie_is_used_up(trie));
    assert_float_equal(promise_of(trie, "0"), 0.25, 0.01);
    assert_float_equal(promise_of(trie, "1"), 0.25, 0.01);
    sonde_learn_trie_free(trie);
}

static void promises_are_of_their_generation(void **state)
{
    (void)state;
    float all[4];
    struct sonde_learn_trie *trie = sonde_learn_trie_create(MEMORY);
    insert_bits(trie, "000", 0.04f, false);
    insert_bits(trie, "011", 0.04f, false);
    assert_float_equal(promise_of(trie, "0"), 0.04, 0.005);
    sonde_learn_trie_new_generation(trie);
    assert_float_equal(promise_of(trie, "0"), 1, 0);
    insert_bits(trie, "010", 0.5f, false);
    sonde_learn_trie_promises(trie, sonde_learn_trie_root(trie), 2, all);
    assert_float_equal(all[0], 0.5, 0.01);
    assert_float_equal(all[1], 1, 0);
    assert_float_equal(promise_of(trie, "000"), 0, 0); /* what was taken stays taken */
    sonde_learn_trie_free(trie);
}

static void a_full_trie_keeps_to_its_memory_and_what_it_knows(void **state)
{
    (void)state;
    enum { WIDE = 1000, LITTLE = 4096 };
    struct sonde_learn_trie *trie = sonde_learn_trie_create(LITTLE);
    for (uint64_t i = 0; i < WIDE; i++) {
        struct sonde_learn_answer two[2] = {answer(i, WIDE, 0.25f), answer(i, WIDE, 1)};
        sonde_learn_trie_insert(trie, two, 2, false);
    }
    assert_true(sonde_learn_trie_is_full(trie));
    assert_in_range(sonde_learn_trie_bytes(trie), 1, LITTLE);
    struct sonde_learn_place root = sonde_learn_trie_root(trie);
    assert_float_equal(sonde_learn_trie_promise(trie, root, WIDE, 0), 0.25, 0.01);
    struct sonde_learn_answer again[2] = {answer(0, WIDE, 0.5f), answer(0, WIDE, 1)};
    sonde_learn_trie_insert(trie, again, 2, false);
    assert_float_equal(sonde_learn_trie_promise(trie, sonde_learn_trie_root(trie), WIDE, 0), 0.5, 0.01);
    sonde_learn_trie_clear(trie);
    assert_false(sonde_learn_trie_is_full(trie));
    assert_float_equal(sonde_learn_trie_promise(trie, sonde_learn_trie_root(trie), WIDE, 0), 1, 0);
    sonde_learn_trie_free(trie);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_fold_when_all_their_answers_were_given),
        cmocka_unit_test(a_wide_domain_is_used_up_by_its_last_value),
        cmocka_unit_test(a_domain_that_grew_is_not_used_up_by_the_small_one),
        cmocka_unit_test(an_open_domain_is_never_used_up),
        cmocka_unit_test(a_cut_tape_promises_and_uses_nothing_up),
        cmocka_unit_test(promises_are_of_their_generation),
        cmocka_unit_test(a_full_trie_keeps_to_its_memory_and_what_it_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
