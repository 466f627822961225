/* Searches in workers: what they hand to their supervisor, in which order, and how often. */
#include "lib/mocka.h"
#include "lib/searches.h"

#include "base/heap.h"
#include "base/mem.h"
#include "engine/workers/supervise.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = SONDE_HAPPENED_END + 1, TOO_MANY = 20 };

static struct sonde_options options;
static struct sonde_heap *heap;
static struct sonde_search *search;
static struct sonde_single *single;
static unsigned seen[KINDS];
static bool settles;     /* failures are due as soon as they are found */
static bool was_running; /* an event came after the end of a search */

static void two_bugs(sonde *t)
{
    int x = sonde_int(t, "x", 0, 99);
    if (x == 13) sonde_fail(t, "thirteen");
    sonde_check(t, x != 42);
}

static void dies(sonde *t)
{
    if (sonde_int(t, "x", 0, 9) == 3) abort();
}

static int init(void **state)
{
    (void)state;
    options = searches_options("uniform", 1, 2000);
    options.fail_fast = false;
    options.keep_going = true;
    options.isolation = SONDE_ISOLATE_WORKER;
    settles = was_running = false;
    memset(seen, 0, sizeof seen);
    return 0;
}

/* As the engine does: what workers see lies in their heap, all else outside. */
static void make(const sonde_property *property)
{
    bool is_isolated = options.isolation != SONDE_ISOLATE_NONE;
    heap = is_isolated ? sonde_heap_create(sonde_supervise_room(&options)) : NULL;
    struct sonde_heap *before = sonde_single_enter(heap);
    search = sonde_malloc(sizeof *search);
    single = sonde_malloc(sizeof *single);
    sonde_search_init(search, property, &options, 0);
    sonde_single_init(single, search);
    sonde_single_leave(before);
}

static int clear(void **state)
{
    (void)state;
    sonde_single_clear(single);
    sonde_search_clear(search);
    sonde_free(single);
    sonde_free(search);
    sonde_heap_destroy(heap);
    return 0;
}

static void deal_with(const struct sonde_happening *h)
{
    assert_true(++seen[h->kind] < TOO_MANY || h->kind < SONDE_HAPPENED_FOUND);
    if (h->kind != SONDE_HAPPENED_END && seen[SONDE_HAPPENED_END]) was_running = true;
    if (h->kind == SONDE_HAPPENED_FOUND) h->found->is_due = settles;
    if (h->kind != SONDE_HAPPENED_DUE) return;
    const struct sonde_tape *script = &h->found->tape;
    assert_true(sonde_single_fails(single, &script, 1, true, sonde_claim_brief(&h->found->claim)));
    search->pace.runs = search->stats.tests + 1000; /* it had no bound before */
}

static void run(sonde_property_fn *body)
{
    static sonde_property property;
    struct sonde_happening happening;
    property = (sonde_property){.name = "property", .run = body};
    make(&property);
    struct sonde_watch *watch = sonde_supervise_begin(single, NULL);
    while (sonde_supervise_next(watch, &happening)) deal_with(&happening);
    sonde_supervise_end(watch);
    assert_null(sonde_heap_current());
}

static void each_failure_is_handed_out_once(void **state)
{
    (void)state;
    run(two_bugs);
    assert_int_equal(search->n_found, 2);
    assert_int_equal(seen[SONDE_HAPPENED_FOUND], 2);
    assert_int_equal(seen[SONDE_HAPPENED_DUE], 0); /* no caller has asked for it */
    assert_int_equal(search->stats.tests, 2000);
}

static void a_failure_that_is_due_can_be_run_while_the_search_pauses(void **state)
{
    (void)state;
    settles = true;
    options.runs = 0;
    options.seconds = 100; /* not met */
    run(two_bugs);
    assert_int_equal(seen[SONDE_HAPPENED_FOUND], search->n_found);
    assert_in_range(seen[SONDE_HAPPENED_DUE], 1, search->n_found);
    assert_int_equal(search->stopped, SONDE_STOP_TESTS); /* it continued after the pause */
    for (unsigned i = 0; i < seen[SONDE_HAPPENED_DUE]; i++) assert_true(search->found[i]->is_handled);
}

static void every_search_ends_once_and_is_added_to_the_first(void **state)
{
    (void)state;
    options.jobs = 3;
    run(two_bugs);
    assert_int_equal(seen[SONDE_HAPPENED_END], 3);
    assert_false(was_running);
    assert_int_equal(search->stats.tests, 2000);
    assert_int_equal(search->n_found, 2); /* whichever found them */
}

static void a_worker_that_dies_is_replaced(void **state)
{
    (void)state;
    options.runs = 40;
    run(dies);
    assert_int_equal(search->stats.tests, 40);
    assert_int_equal(search->n_found, 1);
    assert_int_equal(search->found[0]->claim.kind, SONDE_CLAIM_CRASH);
    assert_true(search->found[0]->hits > 1); /* by several workers */
}

static void without_workers_only_the_end_is_told(void **state)
{
    (void)state;
    options.isolation = SONDE_ISOLATE_NONE;
    run(two_bugs);
    assert_int_equal(seen[SONDE_HAPPENED_END], 1);
    assert_int_equal(seen[SONDE_HAPPENED_FOUND] + seen[SONDE_HAPPENED_TURN], 0);
    assert_int_equal(search->n_found, 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, init, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_failure_is_handed_out_once),
        TEST(a_failure_that_is_due_can_be_run_while_the_search_pauses),
        TEST(every_search_ends_once_and_is_added_to_the_first),
        TEST(a_worker_that_dies_is_replaced),
        TEST(without_workers_only_the_end_is_told),
    };
    return cmocka_run_group_tests_name("supervise", tests, NULL, NULL);
}
