/* The trie over tapes: what is new, what is used up, what is lost, and in which order the rest would come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/short.h"
#include "tape/trie.h"

#include <stdlib.h>
#include <string.h>

enum { ROOMY = 1 << 24 };

static void begin(struct sonde_tape *tape)
{
    sonde_tape_begin(tape);
}

static void add(struct sonde_tape *tape, uint32_t site, uint64_t max, uint64_t index)
{
    sonde_tape_add(tape, &(struct sonde_choice){.site = site, .max = max, .index = index, .kind = SONDE_KIND_UINT});
}

static void add_text(struct sonde_tape *tape, uint32_t site, const char *text)
{
    uint32_t symbols[64], n = (uint32_t)strlen(text);
    struct sonde_blob shape = {.alphabet = sonde_alphabet_make(SONDE_ALPHABET_PRINTABLE, NULL), .max = 64};
    for (uint32_t i = 0; i < n; i++) symbols[i] = sonde_alphabet_symbol(&shape.alphabet, (unsigned char)text[i]);
    uint32_t base = sonde_tape_add_blob(tape, &shape, symbols, n);
    sonde_tape_add(tape,
                   &(struct sonde_choice){.site = site, .max = 64, .index = n, .base = base, .kind = SONDE_KIND_BLOB});
}

/* A tape of n choices in [0, max], at sites 1, 2, ... */
static enum sonde_trie_result insert(struct sonde_trie *trie, uint64_t max, const uint64_t *indices, uint32_t n)
{
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    begin(&tape);
    for (uint32_t i = 0; i < n; i++) add(&tape, i + 1, max, indices[i]);
    enum sonde_trie_result result = sonde_trie_insert(trie, &tape);
    sonde_tape_clear(&tape);
    return result;
}
#define INSERT(trie, max, ...)                                                                                         \
    insert((trie), (max), (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void a_tape_is_new_once(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    assert_int_equal(INSERT(trie, 9, 1, 2, 3), SONDE_TRIE_NEW);
    assert_int_equal(INSERT(trie, 9, 1, 2, 3), SONDE_TRIE_REPEAT);
    assert_int_equal(INSERT(trie, 9, 1, 2, 4), SONDE_TRIE_NEW);
    assert_int_equal(INSERT(trie, 9, 1, 2, 3), SONDE_TRIE_REPEAT);
    assert_int_equal(INSERT(trie, 9, 0, 2, 3), SONDE_TRIE_NEW);
    assert_int_equal(sonde_trie_inputs(trie), 3);
    assert_true(sonde_trie_is_exact(trie));
    sonde_trie_free(trie);
}

static void a_space_is_exhausted_by_its_last_input(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    for (uint64_t i = 0; i < 125; i++) {
        uint64_t k = i * 77 % 125; /* any order */
        assert_false(sonde_trie_is_exhausted(trie));
        assert_int_equal(INSERT(trie, 4, k % 5, k / 5 % 5, k / 25), SONDE_TRIE_NEW);
    }
    assert_true(sonde_trie_is_exhausted(trie));
    assert_true(sonde_trie_is_exact(trie));
    assert_int_equal(INSERT(trie, 4, 0, 0, 0), SONDE_TRIE_REPEAT);
    sonde_trie_free(trie);
}

static void an_empty_tape_exhausts_the_space(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    assert_int_equal(insert(trie, 0, NULL, 0), SONDE_TRIE_NEW);
    assert_true(sonde_trie_is_exhausted(trie));
    assert_int_equal(insert(trie, 0, NULL, 0), SONDE_TRIE_REPEAT);
    sonde_trie_free(trie);
}

static void used_up_parts_fold_up(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(16 << 10); /* far less than 65,536 inputs need */
    for (uint64_t i = 0; i < 1 << 16; i++) {
        uint64_t bits[16];
        for (int b = 0; b < 16; b++) bits[b] = i >> (15 - b) & 1;
        assert_int_equal(insert(trie, 1, bits, 16), SONDE_TRIE_NEW);
    }
    assert_true(sonde_trie_is_exhausted(trie));
    assert_true(sonde_trie_is_exact(trie));
    sonde_trie_free(trie);
}

static void forced_choices_are_left_out(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    for (uint64_t i = 0; i < 2; i++) {
        begin(&tape);
        for (uint32_t k = 0; k <= i; k++) add(&tape, 7, 0, 0);
        add(&tape, 1, 1, i);
        assert_int_equal(sonde_trie_insert(trie, &tape), SONDE_TRIE_NEW);
    }
    assert_true(sonde_trie_is_exhausted(trie));
    sonde_tape_clear(&tape);
    sonde_trie_free(trie);
}

static void blobs_differ_by_content(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    const char *texts[] = {"", "a", "b", "ab", "ba", "abc", "abd"};
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            begin(&tape);
            add_text(&tape, 1, texts[i]);
            add(&tape, 2, 1, 0);
            assert_int_equal(sonde_trie_insert(trie, &tape), round ? SONDE_TRIE_REPEAT : SONDE_TRIE_NEW);
        }
    }
    sonde_tape_clear(&tape);
    sonde_trie_free(trie);
}

/* The tape 1 2 3 was there before; this one leads elsewhere after `n` equal choices. */
static void check_difference(uint32_t site, uint64_t max, uint32_t n, bool spelled_out)
{
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    INSERT(trie, 9, 1, 2, 3);
    if (spelled_out) INSERT(trie, 9, 1, 2, 4);
    assert_int_equal(sonde_trie_difference(trie), UINT32_MAX);
    begin(&tape);
    for (uint32_t i = 0; i < n; i++) add(&tape, i + 1, 9, i + 1);
    if (site) add(&tape, site, max, 0);
    assert_int_equal(sonde_trie_insert(trie, &tape), SONDE_TRIE_DIFFERS);
    assert_int_equal(sonde_trie_difference(trie), n);
    assert_false(sonde_trie_is_exact(trie));
    sonde_tape_clear(&tape);
    sonde_trie_free(trie);
}

static void the_same_answers_must_lead_to_the_same_point(void **state)
{
    (void)state;
    for (int spelled_out = 0; spelled_out < 2; spelled_out++) {
        check_difference(99, 9, 2, spelled_out); /* another site */
        check_difference(3, 8, 2, spelled_out);  /* another domain */
        check_difference(0, 0, 2, spelled_out);  /* the end */
        check_difference(4, 9, 3, true);         /* no end */
    }
}

static void a_full_trie_stays_within_its_bound_and_is_not_exact(void **state)
{
    (void)state;
    enum { MEMORY = 64 << 10 };
    struct sonde_trie *trie = sonde_trie_create(MEMORY);
    uint64_t n_lost = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        n_lost += INSERT(trie, UINT64_MAX, i * UINT64_C(0x9e3779b97f4a7c15), i, 1, 2, 3) == SONDE_TRIE_LOST;
        assert_true(sonde_trie_bytes(trie) <= MEMORY);
    }
    assert_true(n_lost > 0 && n_lost < 10000);
    assert_true(sonde_trie_is_full(trie));
    assert_false(sonde_trie_is_exact(trie));
    assert_int_equal(INSERT(trie, UINT64_MAX, 0, 0, 1, 2, 3), SONDE_TRIE_REPEAT); /* what it knows it keeps */
    sonde_trie_free(trie);
}

static void no_memory_loses_everything_and_claims_nothing(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(0);
    assert_int_equal(INSERT(trie, 1, 0), SONDE_TRIE_LOST);
    assert_int_equal(INSERT(trie, 1, 1), SONDE_TRIE_LOST);
    assert_false(sonde_trie_is_exhausted(trie));
    assert_false(sonde_trie_is_exact(trie));
    sonde_trie_free(trie);
}

static void doubt_forbids_the_claim(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    INSERT(trie, 1, 0);
    INSERT(trie, 1, 1);
    assert_true(sonde_trie_is_exact(trie));
    sonde_trie_doubt(trie);
    assert_true(sonde_trie_is_exhausted(trie));
    assert_false(sonde_trie_is_exact(trie));
    sonde_trie_free(trie);
}

static void a_closed_answer_counts_as_used_up(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    begin(&tape);
    add(&tape, 1, 2, 2);
    sonde_trie_insert(trie, &tape);
    sonde_trie_close(trie, &tape, 0, 1);
    assert_false(sonde_trie_is_exhausted(trie));
    sonde_trie_close(trie, &tape, 0, 0);
    assert_true(sonde_trie_is_exhausted(trie));
    assert_true(sonde_trie_is_exact(trie));
    assert_int_equal(sonde_trie_inputs(trie), 1);
    sonde_tape_clear(&tape);
    sonde_trie_free(trie);
}

static void a_cursor_knows_which_answers_are_used_up(void **state)
{
    (void)state;
    for (int spelled_out = 0; spelled_out < 2; spelled_out++) {
        struct sonde_trie *trie = sonde_trie_create(ROOMY);
        struct sonde_trie_cursor cursor;
        struct sonde_trie_point first = {.max = 9, .site = 1}, second = {.max = 9, .site = 2};
        INSERT(trie, 9, 1, 2);
        if (spelled_out) INSERT(trie, 9, 2, 2);
        sonde_trie_begin(trie, &cursor);
        assert_false(sonde_trie_is_done(trie, &cursor, first, 1));
        assert_false(sonde_trie_is_done(trie, &cursor, first, 0));
        sonde_trie_step(trie, &cursor, first, 1);
        assert_true(sonde_trie_is_done(trie, &cursor, second, 2));
        assert_false(sonde_trie_is_done(trie, &cursor, second, 1));
        assert_false(sonde_trie_is_done(trie, &cursor, first, 2)); /* another point: nothing is known */
        sonde_trie_step(trie, &cursor, second, 2);
        assert_int_equal(cursor.at, 0);
        sonde_trie_free(trie);
    }
}

static void a_cursor_follows_a_tape_through_blobs(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    struct sonde_trie_cursor cursor;
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    begin(&tape);
    add_text(&tape, 1, "xyz");
    add(&tape, 2, 5, 3);
    sonde_trie_insert(trie, &tape);
    sonde_trie_begin(trie, &cursor);
    tape.n_choices = 1;
    sonde_trie_follow(trie, &cursor, &tape);
    assert_true(sonde_trie_is_done(trie, &cursor, (struct sonde_trie_point){.max = 5, .site = 2}, 3));
    assert_false(sonde_trie_is_done(trie, &cursor, (struct sonde_trie_point){.max = 5, .site = 2}, 4));
    sonde_tape_clear(&tape);
    sonde_trie_free(trie);
}

static uint32_t cost_of(uint64_t index)
{
    uint32_t bits = 0;
    for (; index; index >>= 1) bits++;
    return bits;
}

/* The space: a length in [0, 4], then so many numbers in [0, 5]: 1 + 6 + 36 + 216 + 1296 inputs. */
static void the_cheapest_input_comes_first_and_each_once(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    struct sonde_tape tape;
    uint32_t last_cost = 0, n = 0;
    sonde_tape_init(&tape);
    while (!sonde_trie_is_exhausted(trie)) {
        struct sonde_trie_cursor cursor;
        uint32_t cost = 0;
        sonde_trie_begin(trie, &cursor);
        begin(&tape);
        uint64_t length = sonde_trie_cheapest(trie, &cursor, (struct sonde_trie_point){.max = 4, .site = 1});
        add(&tape, 1, 4, length);
        cost += cost_of(length);
        for (uint64_t i = 0; i < length; i++) {
            sonde_trie_follow(trie, &cursor, &tape);
            uint64_t index = sonde_trie_cheapest(trie, &cursor, (struct sonde_trie_point){.max = 5, .site = 2});
            add(&tape, 2, 5, index);
            cost += cost_of(index);
        }
        assert_int_equal(sonde_trie_insert(trie, &tape), SONDE_TRIE_NEW);
        sonde_trie_update(trie);
        assert_true(cost >= last_cost);
        last_cost = cost;
        n++;
    }
    assert_int_equal(n, 1 + 6 + 36 + 216 + 1296);
    assert_true(sonde_trie_is_exact(trie));
    sonde_tape_clear(&tape);
    sonde_trie_free(trie);
}

/* Against a plain array of flags, over a space where the length depends on the first choices. */
/* Costs are bit lengths: 1, 1 costs two bits, 9, 9 eight. */
static void an_input_is_far_by_what_it_costs_more(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    struct sonde_tape near, far;
    sonde_tape_init(&near);
    sonde_tape_init(&far);
    begin(&near), add(&near, 1, 9, 1), add(&near, 2, 9, 1);
    begin(&far), add(&far, 1, 9, 9), add(&far, 2, 9, 9);
    assert_false(sonde_trie_is_far(trie, &near, 2));
    assert_true(sonde_trie_is_far(trie, &near, 1));
    assert_true(sonde_trie_is_far(trie, &far, 7));
    assert_false(sonde_trie_is_far(trie, &far, 8));
    /* All that costs one bit or less was tried, so the cheapest costs two. */
    INSERT(trie, 9, 0, 0), sonde_trie_update(trie);
    INSERT(trie, 9, 0, 1), sonde_trie_update(trie);
    INSERT(trie, 9, 1, 0), sonde_trie_update(trie);
    assert_false(sonde_trie_is_far(trie, &near, 0));
    assert_false(sonde_trie_is_far(trie, &far, 6));
    assert_true(sonde_trie_is_far(trie, &far, 5));
    sonde_tape_clear(&near);
    sonde_tape_clear(&far);
    sonde_trie_free(trie);
}

static void the_trie_agrees_with_a_plain_set(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct sonde_trie *trie = sonde_trie_create(ROOMY);
        struct sonde_rng rng;
        uint8_t seen[3 * 10 * 10 * 10] = {0};
        uint32_t n_seen = 0;
        sonde_rng_seed(&rng, seed, 0);
        while (n_seen < 10 + 100 + 1000) {
            uint64_t x[4] = {sonde_rng_upto(&rng, 2)};
            uint32_t n = (uint32_t)x[0] + 2, key = 0;
            for (uint32_t i = 1; i < n; i++) key = key * 10 + (uint32_t)(x[i] = sonde_rng_upto(&rng, 9));
            uint8_t *flag = &seen[x[0] * 1000 + key];
            struct sonde_tape tape;
            sonde_tape_init(&tape);
            begin(&tape);
            add(&tape, 1, 2, x[0]);
            for (uint32_t i = 1; i < n; i++) add(&tape, i + 1, 9, x[i]);
            assert_false(sonde_trie_is_exhausted(trie));
            assert_int_equal(sonde_trie_insert(trie, &tape), *flag ? SONDE_TRIE_REPEAT : SONDE_TRIE_NEW);
            sonde_tape_clear(&tape);
            n_seen += !*flag;
            *flag = 1;
        }
        assert_true(sonde_trie_is_exhausted(trie));
        sonde_trie_free(trie);
    }
}

static void long_tapes_survive_being_pushed_down(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    uint64_t x[200] = {0};
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < (is_short() ? 300 : 2000); i++) {
            for (uint32_t k = 0; k < 200; k++) x[k] = k < 100 ? 0 : i * (k + 1) % 251 + (i >> 3) * 1000;
            x[i % 100] = 1 + i / 100;
            assert_int_equal(insert(trie, UINT32_MAX, x, 200), round ? SONDE_TRIE_REPEAT : SONDE_TRIE_NEW);
        }
    }
    sonde_trie_free(trie);
}

static void tapes_as_long_as_a_case_may_be_can_differ_at_their_end(void **state)
{
    (void)state;
    enum { N = 65536 };
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    uint64_t *x = calloc(N, sizeof *x);
    for (uint64_t i = 0; i < 3; i++) {
        x[N - 1] = i;
        assert_int_equal(insert(trie, 2, x, N), SONDE_TRIE_NEW);
        assert_int_equal(insert(trie, 2, x, N), SONDE_TRIE_REPEAT);
    }
    assert_true(sonde_trie_is_exact(trie));
    free(x);
    sonde_trie_free(trie);
}

static void pruning_keeps_what_is_used_up(void **state)
{
    (void)state;
    struct sonde_trie *trie = sonde_trie_create(ROOMY);
    struct sonde_trie_cursor cursor;
    struct sonde_trie_point first = {.max = 9, .site = 1}, second = {.max = 9, .site = 2};
    for (uint64_t i = 0; i < 10; i++) INSERT(trie, 9, 3, i);
    for (uint64_t i = 0; i < 10; i++) INSERT(trie, 9, 4, 7, i);
    for (uint64_t i = 0; i < 9; i++) INSERT(trie, 9, 5, 7, i);
    size_t before = sonde_trie_bytes(trie);
    sonde_trie_prune(trie);
    assert_true(sonde_trie_bytes(trie) <= before);
    assert_false(sonde_trie_is_exact(trie));
    sonde_trie_begin(trie, &cursor);
    assert_true(sonde_trie_is_done(trie, &cursor, first, 3));
    assert_false(sonde_trie_is_done(trie, &cursor, first, 4));
    sonde_trie_step(trie, &cursor, first, 5);
    assert_int_equal(cursor.at, 0); /* nothing there was used up */
    sonde_trie_begin(trie, &cursor);
    sonde_trie_step(trie, &cursor, first, 4);
    assert_true(sonde_trie_is_done(trie, &cursor, second, 7));
    assert_int_equal(INSERT(trie, 9, 0, 0), SONDE_TRIE_LOST);
    sonde_trie_free(trie);
}

static void a_trie_of_any_state_can_be_pruned(void **state)
{
    (void)state;
    for (int n = 0; n < 3; n++) { /* empty, a leaf, a node */
        struct sonde_trie *trie = sonde_trie_create(ROOMY);
        for (int i = 0; i < n; i++) INSERT(trie, 9, (uint64_t)i, 0, 0);
        sonde_trie_prune(trie);
        assert_false(sonde_trie_is_exhausted(trie));
        assert_int_equal(INSERT(trie, 9, 0, 0, 0), SONDE_TRIE_LOST);
        sonde_trie_free(trie);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tape_is_new_once),
        cmocka_unit_test(a_space_is_exhausted_by_its_last_input),
        cmocka_unit_test(an_empty_tape_exhausts_the_space),
        cmocka_unit_test(used_up_parts_fold_up),
        cmocka_unit_test(forced_choices_are_left_out),
        cmocka_unit_test(blobs_differ_by_content),
        cmocka_unit_test(the_same_answers_must_lead_to_the_same_point),
        cmocka_unit_test(a_full_trie_stays_within_its_bound_and_is_not_exact),
        cmocka_unit_test(no_memory_loses_everything_and_claims_nothing),
        cmocka_unit_test(doubt_forbids_the_claim),
        cmocka_unit_test(a_closed_answer_counts_as_used_up),
        cmocka_unit_test(a_cursor_knows_which_answers_are_used_up),
        cmocka_unit_test(a_cursor_follows_a_tape_through_blobs),
        cmocka_unit_test(the_cheapest_input_comes_first_and_each_once),
        cmocka_unit_test(an_input_is_far_by_what_it_costs_more),
        cmocka_unit_test(the_trie_agrees_with_a_plain_set),
        cmocka_unit_test(pruning_keeps_what_is_used_up),
        cmocka_unit_test(a_trie_of_any_state_can_be_pruned),
        cmocka_unit_test(long_tapes_survive_being_pushed_down),
        cmocka_unit_test(tapes_as_long_as_a_case_may_be_can_differ_at_their_end),
    };
    return cmocka_run_group_tests_name("trie", tests, NULL, NULL);
}
