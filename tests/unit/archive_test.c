/* The archive of rl: what is kept, how a kept input is followed, and which kept inputs get cases. */
#include "lib/mocka.h"

#include "guide/rl/learn_archive.h"

#include <string.h>

static struct sonde_learn_archive a;
static struct sonde_rng rng;

static int init(void **state)
{
    (void)state;
    memset(&a, 0, sizeof a);
    sonde_rng_seed(&rng, 1, 1);
    sonde_learn_archive_init(&a);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    sonde_learn_archive_clear(&a);
    return 0;
}

static void add(uint32_t site, uint16_t depth, uint64_t index, bool is_constructor)
{
    struct sonde_learn_bone bone = {
        .site = site, .depth = depth, .index = index, .is_constructor = is_constructor, .is_narrow = is_constructor};
    sonde_learn_archive_add(&a, &bone);
}

static void end(bool is_own, bool is_good)
{
    struct sonde_learn_outcome how = {.is_own = is_own, .is_good = is_good, .is_valid = is_good};
    sonde_learn_archive_end(&a, &rng, how);
}

enum { LEFT = 10, RIGHT = 11, KEY = 12 };

/* A node with a key, and below it one to the left if it has one, and so on to the right. */
static void add_tree(uint64_t left, uint64_t right, uint64_t key)
{
    sonde_learn_archive_begin(&a);
    add(KEY, 1, key, false);
    add(LEFT, 1, left, true);
    if (left) add(KEY, 2, key + 1, false);
    add(RIGHT, 1, right, true);
    if (right) add(KEY, 2, key + 2, false);
}

static void one_input_of_each_skeleton_is_kept(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 40; i++) {
        add_tree(i & 1, i >> 1 & 1, i);
        end(false, true);
    }
    assert_in_range(a.n, 1, LEARN_ARCHIVE);
    if (LEARN_ARCHIVE > 4) assert_int_equal(a.n, 4);
    if (LEARN_KNOWN_BITS > 4) assert_int_equal(a.n_known, 4);
}

static void what_failed_is_not_kept(void **state)
{
    (void)state;
    add_tree(1, 1, 5);
    end(true, false);
    assert_int_equal(a.n, 0);
    sonde_learn_archive_choose(&a, &rng, 100000);
    assert_int_equal(a.way, LEARN_FREE); /* nothing to start from */
}

static void inputs_too_long_are_not_kept(void **state)
{
    (void)state;
    sonde_learn_archive_begin(&a);
    for (int i = 0; i <= LEARN_BONES; i++) add(KEY, 1, 0, i % 2);
    end(true, true);
    assert_int_equal(a.n, 0);
    assert_int_equal(a.n_known, 1);
}

static enum sonde_learn_wish wish(uint32_t site, uint16_t depth, bool is_constructor, uint64_t *index)
{
    struct sonde_learn_bone draw = {.site = site, .depth = depth, .is_constructor = is_constructor};
    return sonde_learn_archive_wish(&a, &draw, 100, index);
}

static void follow(enum sonde_learn_way way)
{
    add_tree(1, 1, 5);
    end(false, true);
    sonde_learn_archive_begin(&a);
    a.way = way;
    a.followed = a.kept[0];
    a.is_alike = false;
    for (int i = 0; i < LEARN_CHANGES; i++) a.changes[i] = UINT32_MAX;
}

static void dressing_draws_the_numbers_of_a_site_anew(void **state)
{
    (void)state;
    uint64_t index = 0;
    follow(LEARN_DRESS);
    a.dressed_site = KEY;
    a.dressed = 2; /* the left one alone */
    assert_int_equal(wish(KEY, 1, false, &index), LEARN_AS_KEPT);
    assert_int_equal(index, 5);
    assert_int_equal(wish(LEFT, 1, true, &index), LEARN_AS_KEPT);
    assert_int_equal(index, 1);
    assert_int_equal(wish(KEY, 2, false, &index), LEARN_AS_MODEL);
    assert_int_equal(wish(RIGHT, 1, true, &index), LEARN_AS_KEPT);
    assert_int_equal(wish(KEY, 2, false, &index), LEARN_AS_KEPT);
    assert_int_equal(index, 7);
}

/* The left node is gone: its key is passed over, and the right one has its own. */
static void what_is_not_there_any_more_is_passed_over(void **state)
{
    (void)state;
    uint64_t index = 0;
    follow(LEARN_CHANGE);
    a.changes[0] = 1;
    assert_int_equal(wish(KEY, 1, false, &index), LEARN_AS_KEPT);
    assert_int_equal(wish(LEFT, 1, true, &index), LEARN_OTHER);
    assert_int_equal(index, 1);
    sonde_learn_archive_changed(&a, 0);
    assert_int_equal(wish(RIGHT, 1, true, &index), LEARN_AS_KEPT);
    assert_int_equal(wish(KEY, 2, false, &index), LEARN_AS_KEPT);
    assert_int_equal(index, 7);
    assert_int_equal(wish(KEY, 3, false, &index), LEARN_AS_MODEL); /* a new node, deeper than any */
}

static void answers_that_are_alike_change_alike(void **state)
{
    (void)state;
    uint64_t index = 0;
    sonde_learn_archive_begin(&a);
    for (int i = 0; i < 3; i++) add(LEFT, 1, i == 1 ? 2 : 1, true);
    end(false, true);
    sonde_learn_archive_begin(&a);
    a.way = LEARN_CHANGE;
    a.followed = a.kept[0];
    a.is_alike = true;
    a.alike_to = UINT64_MAX;
    a.changes[0] = 0;
    a.changes[1] = a.changes[2] = UINT32_MAX;
    assert_int_equal(wish(LEFT, 1, true, &index), LEARN_OTHER);
    sonde_learn_archive_changed(&a, 7);
    assert_int_equal(wish(LEFT, 1, true, &index), LEARN_AS_KEPT);
    assert_int_equal(index, 2); /* it was another answer */
    assert_int_equal(wish(LEFT, 1, true, &index), LEARN_AS_KEPT);
    assert_int_equal(index, 7);
}

static void a_followed_input_wanders(void **state)
{
    (void)state;
    follow(LEARN_DRESS);
    add_tree(1, 1, 50);
    end(true, true);
    assert_int_equal(a.n, 1);
    assert_int_equal(a.kept[0]->bones[0].index, 50);
}

/* Cases of each way, of n; free ones are valid with this chance and all of one skeleton, the others are valid. */
static void run(int n, double chance, uint64_t cases[LEARN_WAYS])
{
    memset(cases, 0, LEARN_WAYS * sizeof *cases);
    for (uint64_t i = 0; i < (uint64_t)n; i++) {
        sonde_learn_archive_choose(&a, &rng, i);
        enum sonde_learn_way way = a.way;
        cases[way]++;
        add_tree(way != LEARN_FREE && i % 2, 1, i % 100);
        end(true, way != LEARN_FREE || sonde_rng_unit(&rng) < chance);
    }
}

static void when_free_cases_fail_others_take_over(void **state)
{
    (void)state;
    uint64_t good[LEARN_WAYS], stuck[LEARN_WAYS];
    add_tree(1, 1, 5);
    end(false, true);
    run(20000, 1, good);
    assert_true(good[LEARN_FREE] > 15000);
    assert_true(good[LEARN_CHANGE] > 0); /* never given up */
    run(20000, 0, stuck);
    assert_true(stuck[LEARN_FREE] < 12000);
    assert_true(stuck[LEARN_DRESS] > 5000);
}

static void answers_of_valid_cases_are_counted(void **state)
{
    (void)state;
    add_tree(1, 0, 5);
    end(true, true);
    add_tree(1, 1, 5);
    end(true, false);
    assert_int_equal(*sonde_learn_archive_answer(&a, LEFT, 1), 1);
    assert_int_equal(*sonde_learn_archive_answer(&a, RIGHT, 1), 0);
    assert_int_equal(*sonde_learn_archive_answer(&a, KEY, 5), 0); /* a number with many values */
    assert_int_equal(a.n_ventures, 2);
}

/* Of n cases of which ventures succeed or not. */
static uint64_t count_ventures(int n, bool succeed)
{
    uint64_t ventures = 0;
    for (uint64_t i = 0; i < (uint64_t)n; i++) {
        sonde_learn_archive_choose(&a, &rng, i);
        bool is_venture = a.way == LEARN_VENTURE;
        ventures += is_venture;
        if (is_venture) assert_true(a.ventured_site == LEFT || a.ventured_site == RIGHT);
        add_tree(1, 1, i % 100);
        end(true, !is_venture || succeed);
    }
    return ventures;
}

static void ventures_are_few_and_fewer_where_they_fail(void **state)
{
    (void)state;
    add_tree(1, 1, 5);
    end(false, true);
    uint64_t good = count_ventures(50000, true);
    assert_in_range(good, 400, 750); /* 1.2 % at most */
    count_ventures(50000, false);    /* it takes a while to show */
    assert_in_range(count_ventures(50000, false), 50, 200);
}

static void a_venture_is_about_one_draw(void **state)
{
    (void)state;
    a.way = LEARN_VENTURE;
    a.ventured_site = LEFT;
    int n = 0;
    for (int i = 0; i < 100; i++) {
        assert_false(sonde_learn_archive_ventures(&a, RIGHT, &rng));
        n += sonde_learn_archive_ventures(&a, LEFT, &rng);
    }
    assert_int_equal(n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_input_of_each_skeleton_is_kept, init, clear),
        cmocka_unit_test_setup_teardown(what_failed_is_not_kept, init, clear),
        cmocka_unit_test_setup_teardown(inputs_too_long_are_not_kept, init, clear),
        cmocka_unit_test_setup_teardown(dressing_draws_the_numbers_of_a_site_anew, init, clear),
        cmocka_unit_test_setup_teardown(what_is_not_there_any_more_is_passed_over, init, clear),
        cmocka_unit_test_setup_teardown(answers_that_are_alike_change_alike, init, clear),
        cmocka_unit_test_setup_teardown(a_followed_input_wanders, init, clear),
        cmocka_unit_test_setup_teardown(when_free_cases_fail_others_take_over, init, clear),
        cmocka_unit_test_setup_teardown(answers_of_valid_cases_are_counted, init, clear),
        cmocka_unit_test_setup_teardown(ventures_are_few_and_fewer_where_they_fail, init, clear),
        cmocka_unit_test_setup_teardown(a_venture_is_about_one_draw, init, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
