/* The set that counts different inputs: exact up to its limit, an estimate beyond, the same by either way in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/mem.h"
#include "feedback/unique.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Below the limit, and far more than a stage. */
enum { MANY = SONDE_UNIQUE_EXACT / 8 };

static struct sonde_unique set;

static int make(void **state)
{
    (void)state;
    sonde_unique_init(&set);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    sonde_unique_clear(&set);
    return 0;
}

static void log_range(uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++) sonde_unique_add_later(&set, sonde_mix(i + 1));
}

static uint64_t exact_count(void)
{
    bool estimated;
    uint64_t n = sonde_unique_count(&set, &estimated);
    assert_false(estimated);
    return n;
}

static void an_empty_set_counts_nothing(void **state)
{
    (void)state;
    assert_int_equal(exact_count(), 0);
    assert_int_equal(sonde_unique_about(&set), 0);
}

static void adding_tells_what_is_new(void **state)
{
    (void)state;
    assert_true(sonde_unique_add(&set, 7));
    assert_false(sonde_unique_add(&set, 7));
    assert_true(sonde_unique_add(&set, 8));
    assert_int_equal(exact_count(), 2);
}

static void zero_is_a_hash_like_any_other(void **state)
{
    (void)state;
    sonde_unique_add_later(&set, 0);
    sonde_unique_add_later(&set, 0);
    assert_int_equal(exact_count(), 1);
    assert_false(sonde_unique_add(&set, 0));
}

static void a_log_is_counted_without_its_repeats(void **state)
{
    (void)state;
    for (int round = 0; round < 5; round++) {
        log_range(0, MANY);
        assert_int_equal(exact_count(), MANY);
    }
    log_range(MANY / 2, 2 * MANY);
    assert_int_equal(exact_count(), 2 * MANY);
}

static void counting_in_between_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3000; i++) {
        log_range(i, i + 40);
        if (i % 7 == 0) assert_int_equal(exact_count(), i + 40);
    }
    assert_int_equal(exact_count(), 3039);
}

static void a_stream_of_repeats_stays_small(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) log_range(0, 1000);
    uint64_t waiting = 0;
    for (uint32_t p = 0; p < SONDE_UNIQUE_PARTS; p++) waiting += set.parts[p].before;
    assert_in_range(waiting, 0, 3000 * 1000 - 1);
    assert_int_equal(exact_count(), 1000);
}

static void hashes_of_one_part_are_all_counted(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 2; round++)
        for (uint64_t i = 0; i < MANY; i++) sonde_unique_add_later(&set, sonde_mix(i) >> SONDE_UNIQUE_PART_BITS);
    assert_int_equal(exact_count(), MANY);
}

static void asking_turns_a_log_into_a_table(void **state)
{
    (void)state;
    log_range(0, MANY);
    log_range(0, 10);
    assert_false(sonde_unique_add(&set, sonde_mix(1)));
    assert_true(sonde_unique_add(&set, sonde_mix(MANY + 1)));
    assert_int_equal(exact_count(), MANY + 1);
    log_range(0, 2 * MANY);
    assert_int_equal(exact_count(), 2 * MANY);
}

static void what_is_known_without_work_is_near(void **state)
{
    (void)state;
    log_range(0, MANY);
    assert_int_equal(sonde_unique_about(&set), MANY);
    exact_count();
    log_range(0, MANY);
    assert_in_range(sonde_unique_about(&set), MANY, 2 * MANY);
}

static void assert_estimate_near(uint64_t truth)
{
    bool estimated;
    double n = (double)sonde_unique_count(&set, &estimated);
    assert_true(estimated);
    assert_true(fabs(n / (double)truth - 1) < 0.0123); /* six times the standard error */
}

static void the_last_exact_count_is_exact(void **state)
{
    (void)state;
    log_range(0, SONDE_UNIQUE_EXACT - 1);
    assert_int_equal(exact_count(), SONDE_UNIQUE_EXACT - 1);
    log_range(0, 1000);
    assert_int_equal(exact_count(), SONDE_UNIQUE_EXACT - 1);
}

static void beyond_the_limit_a_log_is_estimated(void **state)
{
    (void)state;
    log_range(0, SONDE_UNIQUE_EXACT);
    assert_estimate_near(SONDE_UNIQUE_EXACT);
    log_range(0, 6000000);
    assert_estimate_near(6000000);
}

static void beyond_the_limit_a_table_is_estimated(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 5000000; i++) sonde_unique_add(&set, sonde_mix(i + 1));
    assert_estimate_near(5000000);
}

static void beyond_the_limit_what_is_new_is_still_called_new(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3 * SONDE_UNIQUE_EXACT; i++) {
        assert_true(sonde_unique_add(&set, sonde_mix(i + 1)));
        if (i > SONDE_UNIQUE_EXACT) assert_false(sonde_unique_add(&set, sonde_mix(i + 1)));
    }
    uint64_t known = 0;
    for (uint64_t i = 3 * SONDE_UNIQUE_EXACT - MANY; i < 3 * SONDE_UNIQUE_EXACT; i++)
        known += !sonde_unique_add(&set, sonde_mix(i + 1));
    assert_in_range(known, MANY * 3 / 4, MANY); /* most of the last ones are remembered */
    assert_estimate_near(3 * SONDE_UNIQUE_EXACT);
}

static void beyond_the_limit_of_a_log_news_can_be_asked_for(void **state)
{
    (void)state;
    log_range(0, 4 * SONDE_UNIQUE_EXACT);
    assert_non_null(set.registers);
    assert_true(sonde_unique_add(&set, 7));
    assert_false(sonde_unique_add(&set, 7));
    assert_estimate_near(4 * SONDE_UNIQUE_EXACT);
}

/* In a heap of fixed size, more memory than that would end the test. A freed block is only reused for its size, so the
 * heap holds all tables that the largest one has replaced. */
static void memory_does_not_grow_with_the_number_of_hashes(void **state)
{
    (void)state;
    const size_t chunks = (size_t)3 << 20, bytes_per_hash[2] = {20, 40};
    for (int asks = 0; asks < 2; asks++) {
        struct sonde_heap *heap = sonde_heap_create(SONDE_UNIQUE_EXACT * bytes_per_hash[asks] + chunks);
        assert_non_null(heap);
        struct sonde_heap *before = sonde_heap_use(heap);
        for (uint64_t i = 0; i < 8 * SONDE_UNIQUE_EXACT; i++) {
            uint64_t hash = sonde_mix(i % 8 < 7 ? i : i / 2); /* some are repeats */
            if (asks) sonde_unique_add(&set, hash);
            else sonde_unique_add_later(&set, hash);
        }
        assert_non_null(set.registers);
        sonde_unique_clear(&set);
        sonde_heap_use(before);
        sonde_heap_destroy(heap);
    }
}

/* When counting happens depends on clocks; what is counted must not. */
static void an_estimate_does_not_depend_on_when_it_began(void **state)
{
    (void)state;
    bool estimated;
    log_range(0, 9000000);
    uint64_t late = sonde_unique_count(&set, &estimated);
    sonde_unique_clear(&set);
    log_range(0, 4500000);
    sonde_unique_count(&set, &estimated);
    assert_true(estimated);
    log_range(4500000, 9000000);
    assert_int_equal(sonde_unique_count(&set, &estimated), late);
}

/* ---- After a crash */

static void a_set_left_in_the_middle_is_given_up_and_works_again(void **state)
{
    (void)state;
    bool estimated;
    log_range(0, MANY);
    assert_true(sonde_unique_recover(&set)); /* no process was changing it */
    assert_int_equal(sonde_unique_count(&set, &estimated), MANY);
    struct sonde_unique whole = set;
    set.busy = 1;
    set.parts[3].current = set.parts[4].first; /* nonsense that would be followed forever */
    set.tails[3].at = set.tails[5].at;
    assert_false(sonde_unique_recover(&set));
    log_range(MANY, 2 * MANY);
    uint64_t n = sonde_unique_count(&set, &estimated);
    assert_true(estimated);
    assert_in_range(n, 2 * MANY - SONDE_UNIQUE_STAGE, 2 * MANY);
    sonde_unique_clear(&whole);
}

/* A process that adds is killed at any moment; the next one continues. */
static void who_adds_may_be_killed(void **state)
{
    (void)state;
    struct sonde_heap *heap = sonde_heap_create((size_t)1 << 30);
    assert_non_null(heap);
    struct sonde_heap *before = sonde_heap_use(heap);
    for (int asks = 0; asks < 2; asks++) {
        struct sonde_unique *shared = sonde_calloc(1, sizeof *shared);
        uint64_t *added = sonde_calloc(1, sizeof *added);
        for (int round = 0; round < 60; round++) {
            pid_t child = fork();
            if (child == 0) {
                for (;; ++*(volatile uint64_t *)added) {
                    if (asks) sonde_unique_add(shared, sonde_mix(*added));
                    else sonde_unique_add_later(shared, sonde_mix(*added));
                }
            }
            usleep((unsigned)(500 + round * 97 % 3000));
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
            sonde_unique_recover(shared);
        }
        bool estimated;
        uint64_t n = sonde_unique_count(shared, &estimated);
        assert_true((double)n <= 1.05 * (double)*added + 60);
        assert_true(n > *added / 2);
    }
    sonde_heap_use(before);
    sonde_heap_destroy(heap);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_set_counts_nothing),
        TEST(adding_tells_what_is_new),
        TEST(zero_is_a_hash_like_any_other),
        TEST(a_log_is_counted_without_its_repeats),
        TEST(counting_in_between_changes_nothing),
        TEST(a_stream_of_repeats_stays_small),
        TEST(hashes_of_one_part_are_all_counted),
        TEST(asking_turns_a_log_into_a_table),
        TEST(what_is_known_without_work_is_near),
        TEST(the_last_exact_count_is_exact),
        TEST(beyond_the_limit_a_log_is_estimated),
        TEST(beyond_the_limit_a_table_is_estimated),
        TEST(beyond_the_limit_what_is_new_is_still_called_new),
        TEST(beyond_the_limit_of_a_log_news_can_be_asked_for),
        TEST(memory_does_not_grow_with_the_number_of_hashes),
        TEST(an_estimate_does_not_depend_on_when_it_began),
        TEST(a_set_left_in_the_middle_is_given_up_and_works_again),
        TEST(who_adds_may_be_killed),
    };
    return cmocka_run_group_tests_name("unique", tests, NULL, NULL);
}
