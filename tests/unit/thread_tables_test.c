/* Records of memory and locks in a run of threads: the tables of addresses, and the clocks. */
#include "lib/mocka.h"

#include "../../addons/threads/heap.h"
#include "../../addons/threads/objects.h"
#include "../../addons/threads/shadow.h"
#include "../../addons/threads/table.h"

/* ---- Stand-ins for control.c and heap.c, which replace functions of the C library */

struct sonde_control sonde_control;
struct sonde_range sonde_freed = SONDE_NOTHING;

static struct sonde_schedule_result result;
static jmp_buf end;

struct sonde_schedule_result *sonde_result_of_run(void)
{
    return &result;
}

void sonde_end_run(enum sonde_schedule_end why, const void *site, const char *format, ...)
{
    (void)site, (void)format;
    result.end = why;
    longjmp(end, 1);
}

void sonde_misused(const void *site, const char *format, ...)
{
    (void)site, (void)format;
    longjmp(end, 2);
}

void sonde_note_of(const struct sonde_fiber *f, const char *what, const void *site)
{
    (void)f, (void)what, (void)site;
}

uint32_t sonde_wake(const void *object, uint32_t most)
{
    (void)object, (void)most;
    return 0;
}

void sonde_gone_look(const void *p, const char *kind, const void *site)
{
    (void)p, (void)kind, (void)site;
}

/* ---- A run of three threads */

static struct sonde_fiber fibers[3];
static struct sonde_schedule schedule;
static struct sonde_schedule_plan plan;

static void check_all(void)
{
    sonde_sites_check();
    sonde_shadow_check();
    sonde_objects_check();
    sonde_happens_check();
}

static int begin(void **state)
{
    (void)state;
    plan = (struct sonde_schedule_plan){.finds_races = true, .schedule = &schedule};
    for (uint32_t i = 0; i < 3; i++) fibers[i] = (struct sonde_fiber){.id = i};
    sonde_control = (struct sonde_control){
        .running = &fibers[0], .fibers = fibers, .n_fibers = 3, .run = sonde_control.run + 1, .plan = &plan};
    result = (struct sonde_schedule_result){.end = SONDE_SCHEDULE_DONE};
    sonde_happens_begin();
    sonde_fork_seen(&fibers[1]);
    sonde_fork_seen(&fibers[2]);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    check_all();
    return 0;
}

static void run(uint32_t thread)
{
    sonde_control.running = &fibers[thread];
}

/* Whether the access ends the run. */
static bool is_race(const void *p, size_t size, bool writes)
{
    if (setjmp(end)) return true;
    sonde_shadow_use(
        &(struct sonde_use){.address = (uintptr_t)p, .size = size, .reads = !writes, .writes = writes, .site = p});
    return false;
}

/* ---- The table */

struct entry {
    struct sonde_slot slot;
    int value;
};
static struct entry entries[8];
static const struct sonde_table table = SONDE_TABLE(entries, 4);
static char keys[64];

static struct entry *enter(const void *key, uint32_t at_run, bool *is_new)
{
    return sonde_table_enter(&table, key, at_run, is_new);
}

static void an_entry_is_found_by_its_address_in_its_run(void **state)
{
    bool is_new;
    (void)state;
    for (uint32_t at_run = 1; at_run < 100; at_run++) {
        int n = 0;
        for (int i = 0; i < 64; i++) {
            assert_null(sonde_table_find(&table, &keys[i], at_run));
            struct entry *e = enter(&keys[i], at_run, &is_new);
            if (!e) continue; /* no room, so it is not there */
            assert_true(is_new);
            e->value = i;
            n++;
            assert_ptr_equal(enter(&keys[i], at_run, &is_new), e);
            assert_false(is_new);
        }
        assert_true(n >= 4 && n <= 8);
        for (int i = 0; i < 64; i++) {
            const struct entry *e = sonde_table_find(&table, &keys[i], at_run);
            assert_true(!e || e->value == i);
        }
        sonde_table_check(&table, at_run, NULL);
    }
}

/* ---- Clocks */

static void what_was_released_is_known_to_who_acquires(void **state)
{
    static int lock;
    (void)state;
    uint32_t at = sonde_clock_of(0);
    assert_false(sonde_is_before(0, at, 2));
    sonde_release_seen(&lock);
    assert_false(sonde_is_before(0, at, 2));
    run(2);
    sonde_acquire_seen(&lock);
    assert_true(sonde_is_before(0, at, 2));
    assert_false(sonde_is_before(0, sonde_clock_of(0), 2)); /* what it does later */
    assert_false(sonde_is_before(0, at, 1));
}

/* A vector has an entry for each thread, also for one that began after the lock was used first. */
static void clocks_of_late_threads_count(void **state)
{
    static int lock;
    (void)state;
    sonde_happens_begin();
    sonde_release_seen(&lock);
    sonde_fork_seen(&fibers[1]);
    sonde_fork_seen(&fibers[2]);
    run(2);
    uint32_t at = sonde_clock_of(2);
    sonde_release_seen(&lock);
    run(1);
    sonde_acquire_seen(&lock);
    assert_true(sonde_is_before(2, at, 1));
}

static void a_relaxed_store_orders_nothing(void **state)
{
    static int atomic;
    (void)state;
    uint32_t at = sonde_clock_of(0);
    sonde_store_seen(&atomic, __ATOMIC_RELAXED);
    run(1);
    sonde_load_seen(&atomic, __ATOMIC_ACQUIRE);
    assert_false(sonde_is_before(0, at, 1));
    run(0);
    sonde_store_seen(&atomic, __ATOMIC_RELEASE);
    run(1);
    sonde_load_seen(&atomic, __ATOMIC_RELAXED);
    assert_false(sonde_is_before(0, at, 1));
    sonde_fence_seen(__ATOMIC_ACQUIRE); /* takes up what the load found */
    assert_true(sonde_is_before(0, at, 1));
}

/* ---- Memory */

static void two_accesses_race_if_nothing_orders_them(void **state)
{
    static uint64_t word, other;
    static int lock;
    (void)state;
    assert_false(is_race(&word, 8, true));
    assert_false(is_race(&other, 8, false));
    sonde_release_seen(&lock);
    assert_false(is_race(&other, 4, false));
    run(1);
    assert_false(is_race(&other, 8, false)); /* two that read */
    assert_true(is_race(&word, 1, false));
    assert_int_equal(result.end, SONDE_SCHEDULE_RACE);
    sonde_acquire_seen(&lock);
    assert_false(is_race(&word, 8, true));
    assert_true(is_race(&other, 8, true)); /* the second read of it came behind the release */
}

static void different_bytes_of_a_word_do_not_race(void **state)
{
    static char bytes[16] __attribute__((aligned(8)));
    (void)state;
    assert_false(is_race(bytes, 3, true));
    run(1);
    assert_false(is_race(bytes + 3, 5, true));
    assert_true(is_race(bytes + 2, 1, true));
    run(2);
    assert_true(is_race(bytes + 7, 2, false)); /* over the end of the word */
}

static void a_run_does_not_know_accesses_of_another(void **state)
{
    static uint64_t word;
    assert_false(is_race(&word, 8, true));
    begin(state);
    run(1);
    assert_false(is_race(&word, 8, true));
}

/* ---- Locks */

static void a_lock_is_held_until_it_is_given_back(void **state)
{
    static int a, b;
    (void)state;
    struct sonde_object *o = sonde_object_at(&a, "mutex");
    assert_ptr_equal(sonde_object_at(&a, "mutex"), o);
    assert_int_equal(o->owner, SONDE_NO_OWNER);
    sonde_object_take(o, &a);
    sonde_object_take(sonde_object_at(&b, "mutex"), &b);
    assert_int_equal(fibers[0].locks_held, 2);
    check_all();
    sonde_object_give(o);
    const void *site;
    assert_string_equal(sonde_held_by(&fibers[0], &site), "mutex");
    assert_ptr_equal(site, &b);
    sonde_object_reset(&b);
    assert_null(sonde_held_by(&fibers[0], &site));
}

static void more_locks_than_there_is_room_for_are_a_misuse(void **state)
{
    static char all[20000];
    volatile int n = 0;
    (void)state;
    int why = setjmp(end);
    while (!why && n < 20000) sonde_object_at(&all[n++], "mutex");
    assert_int_equal(why, 2);
    assert_int_equal(n, (1 << 14) + 1);
}

/* ---- Sites */

/* The test itself stands for code: sites are addresses in it. */
static bool is_step(const void *site, const void *p, bool writes)
{
    return sonde_site_is_step(site, (uintptr_t)p, 4, writes);
}

static void sites_that_share_memory_are_steps(void **state)
{
    static uint64_t common, own; /* not in one unit */
    static const char writer, reader, alone, never;
    struct sonde_learned *learned = sonde_sites_prepare(7);
    assert_non_null(learned);
    sonde_sites_begin();
    assert_true(is_step(&writer, &common, true));
    assert_true(is_step(&alone, &own, true));
    run(1);
    assert_true(is_step(&reader, &common, false));
    check_all();
    learned->is_frozen = true;
    assert_true(is_step(&writer, &common, true));
    assert_true(is_step(&reader, &common, false));
    assert_false(is_step(&alone, &own, true));
    assert_true(is_step(&never, &own, true)); /* the warm-up did not see it */
    assert_ptr_equal(sonde_sites_prepare(7), learned);
    assert_false(sonde_sites_prepare(8)->is_frozen);
    begin(state);
    assert_false(sonde_site_shares_local(&writer, (uintptr_t)&common, false)); /* forgotten */
}

static void a_site_is_an_offset_in_its_module(void **state)
{
    (void)state;
    const char *code = (const char *)(uintptr_t)sites_that_share_memory_are_steps;
    struct sonde_segment s = sonde_segment_of((uintptr_t)code);
    assert_true(s.base <= s.from && s.from <= (uintptr_t)code && (uintptr_t)code < s.end);
    assert_int_equal(sonde_site_offset(code + 1), sonde_site_offset(code) + 1);
    assert_int_equal(sonde_site_offset(code), (uintptr_t)code - s.base);
    assert_int_equal(sonde_site_offset(NULL), 1);
}

#define RUN_TEST(test) cmocka_unit_test_setup_teardown(test, begin, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_is_found_by_its_address_in_its_run),
        RUN_TEST(what_was_released_is_known_to_who_acquires),
        RUN_TEST(clocks_of_late_threads_count),
        RUN_TEST(a_relaxed_store_orders_nothing),
        RUN_TEST(two_accesses_race_if_nothing_orders_them),
        RUN_TEST(different_bytes_of_a_word_do_not_race),
        RUN_TEST(a_run_does_not_know_accesses_of_another),
        RUN_TEST(a_lock_is_held_until_it_is_given_back),
        RUN_TEST(more_locks_than_there_is_room_for_are_a_misuse),
        RUN_TEST(sites_that_share_memory_are_steps),
        RUN_TEST(a_site_is_an_offset_in_its_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
