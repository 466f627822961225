/* The life of a case: however it ends, what was deferred is undone, spans are closed, and misuse has its sentence. */
#include "lib/cases.h"
#include "base/heap.h"
#include "lib/short.h"
#include "lib/dying.h"
#include "lib/proper.h"
#include "lib/sanitizers.h"

#include <pthread.h>
#include <stdio.h>

/* ---- Where no case is */

static sonde *kept;

static void keep(sonde *t)
{
    kept = t;
}

static void draw_after_the_end(void)
{
    cases_run(&k, keep, NULL);
    sonde_int(kept, "late", 0, 9);
}

static void draw_again_after_the_end(void) /* the label is cached now */
{
    cases_run(&k, keep, NULL);
    sonde_bool(kept, "late");
}

static void check_after_the_end(void)
{
    cases_run(&k, keep, NULL);
    sonde_check(kept, kept == NULL);
}

static void expect_after_the_end(void)
{
    cases_run(&k, keep, NULL);
    sonde_expect(kept, kept == NULL);
}

static void defer_after_the_end(void)
{
    cases_run(&k, keep, NULL);
    sonde_alloc(kept, 1);
}

static void the_end_of_a_case_is_the_end(void **state)
{
    (void)state;
    assert_dies(draw_after_the_end, 2, "sonde: sonde_int(\"late\"): the case has ended; use the sonde * only until");
    assert_dies(draw_again_after_the_end, 2, "sonde_bool(\"late\"): the case has ended");
    assert_dies(check_after_the_end, 2, "sonde_check(\"\"): the case has ended");
    assert_dies(expect_after_the_end, 2, "the case has ended");
    assert_dies(defer_after_the_end, 2, "sonde_alloc(\"\"): the case has ended");
}

static void *draw_elsewhere(void *t)
{
    sonde_int(t, "x", 0, 9);
    return NULL;
}

static void *check_elsewhere(void *t)
{
    sonde_check((sonde *)t, t == NULL);
    return NULL;
}

static void *note_elsewhere(void *t)
{
    sonde_note(t, "hello");
    return NULL;
}

static void *assume_elsewhere(void *t)
{
    sonde_assume((sonde *)t, t == NULL);
    return NULL;
}

static void *(*elsewhere)(void *t);

static void use_a_thread(sonde *t)
{
    pthread_t thread;
    sonde_int(t, "x", 0, 9); /* the label is cached, as it mostly is */
    pthread_create(&thread, NULL, elsewhere, t);
    pthread_join(thread, NULL);
}

static void run_with_a_thread(void)
{
    cases_run(&k, use_a_thread, NULL);
}

static void another_thread_may_not_draw(void **state)
{
    (void)state;
    elsewhere = draw_elsewhere;
    assert_dies(run_with_a_thread, 2,
                "sonde_int(\"x\"): called from another thread; draw and check in the thread that runs");
    elsewhere = check_elsewhere;
    assert_dies(run_with_a_thread, 2, "sonde_check(\"\"): called from another thread");
    elsewhere = assume_elsewhere;
    assert_dies(run_with_a_thread, 2, "sonde_assume(\"\"): called from another thread");
    elsewhere = note_elsewhere;
    assert_dies(run_with_a_thread, 2, "sonde_note(\"\"): called from another thread");
}

static void draw_from_nothing(void)
{
    sonde_int(NULL, "x", 0, 9);
}

static void empty_range_of_nothing(void)
{
    sonde_int(NULL, "x", 9, 0);
}

static void chance_of_nothing(void)
{
    sonde_chance(NULL, "x", 2);
}

static void double_of_nothing(void)
{
    sonde_double(NULL, "x", 0, __builtin_inf());
}

static void open_nothing(void)
{
    sonde_open(NULL, "x");
}

static void assume_nothing(void)
{
    sonde_assume((sonde *)NULL, true);
}

static void context_of_nothing(void)
{
    sonde_context(NULL);
}

static void a_null_case_has_its_sentence(void **state)
{
    (void)state;
    static void (*const acts[])(void) = {draw_from_nothing, empty_range_of_nothing, chance_of_nothing,
                                         double_of_nothing, open_nothing,           assume_nothing,
                                         context_of_nothing};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        assert_dies(acts[i], 2, "the case is NULL; pass the sonde * that the property got");
}

/* ---- Spans */

static void close_without_open(sonde *t)
{
    sonde_close(t, "tree");
}

static void close_another(sonde *t)
{
    sonde_open(t, "tree");
    sonde_open(t, "leaf");
    sonde_close(t, "tree");
}

static void open_without_a_label(sonde *t)
{
    sonde_open(t, NULL);
}

static void spans_that_do_not_match_have_their_sentences(void **state)
{
    (void)state;
    assert_misuse(close_without_open, "sonde_close(\"tree\"): no span is open; call sonde_open first");
    assert_misuse(close_another, "sonde_close(\"tree\"): the innermost open span is \"leaf\"; close that one first");
    assert_misuse(open_without_a_label, "sonde_open: the label is NULL; every draw needs a name");
}

static void nest(sonde *t)
{
    sonde_open(t, "outer");
    sonde_int(t, "a", 0, 9);
    {
        sonde_span(t, "inner");
        sonde_int(t, "b", 0, 9);
    }
    sonde_int(t, "c", 0, 9);
    sonde_close(t, "outer");
}

static void spans_nest_as_their_scopes(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, nest, NULL), SONDE_VALID);
    const struct sonde_tape *tape = &k.t->tape;
    assert_proper(tape);
    assert_int_equal(tape->n_spans, 3);
    assert_int_equal(tape->choices[0].span, 1);
    assert_int_equal(tape->choices[1].span, 2);
    assert_int_equal(tape->choices[2].span, 1);
}

static void leave_a_list_early(sonde *t)
{
    sonde_open(t, "outer");
    sonde_list xs = sonde_list_of(t, "xs", 5, 5);
    while (sonde_more(&xs))
        if (xs.i == 2) break;
    sonde_close(t, "outer");
    sonde_int(t, "after", 0, 9);
}

static void a_list_left_by_break_ends_with_the_span_around_it(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, leave_a_list_early, NULL), SONDE_VALID);
    const struct sonde_tape *tape = &k.t->tape;
    assert_proper(tape);
    assert_int_equal(tape->choices[tape->n_choices - 1].span, 0);
}

static void fail_inside(sonde *t)
{
    sonde_span(t, "outer");
    sonde_span(t, "inner");
    sonde_int(t, "x", 0, 9);
    sonde_fail(t, "here");
}

static void a_case_left_inside_spans_has_a_proper_tape(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, fail_inside, NULL), SONDE_FAILED);
    assert_proper(&k.t->tape);
    assert_int_equal(k.t->tape.n_spans, 3);
}

static void descend(sonde *t)
{
    for (;;) sonde_open(t, "deeper");
}

static void spread(sonde *t)
{
    for (;;) {
        sonde_open(t, "wider");
        sonde_close(t, "wider");
    }
}

static void draw_for_ever(sonde *t)
{
    for (;;) sonde_bool(t, "x");
}

static void eat(sonde *t)
{
    for (;;) sonde_alloc(t, 1000);
}

static void eat_at_once(sonde *t)
{
    sonde_alloc(t, SIZE_MAX);
}

static void assert_overrun(sonde_property_fn *run, const char *what)
{
    assert_int_equal(cases_run(&k, run, NULL), SONDE_OVERRUN);
    assert_string_equal(k.t->overrun, what);
    assert_proper(&k.t->tape);
}

static void too_much_of_anything_is_an_overrun(void **state)
{
    (void)state;
    assert_overrun(draw_for_ever, "choices");
    assert_int_equal(k.t->tape.n_choices, 4096);
    assert_overrun(spread, "spans");
    assert_overrun(eat, "memory");
    assert_overrun(eat_at_once, "memory");
    k.t->limits.spans = SONDE_CASE_DEPTH + 10;
    assert_overrun(descend, "nested spans");
}

/* ---- Ways out, and what happens on each */

static char journal[64];

static void note_down(void *letter)
{
    strcat(journal, letter);
}

static void defer_three(sonde *t)
{
    sonde_defer(t, note_down, "1");
    sonde_defer(t, note_down, "2");
    sonde_defer(t, note_down, "3");
}

static void return_normally(sonde *t)
{
    defer_three(t);
}

static void leave_by_check(sonde *t)
{
    defer_three(t);
    sonde_check(t, 1 > 2);
}

static void leave_by_assume(sonde *t)
{
    defer_three(t);
    sonde_assume(t, 1 > 2);
}

static void leave_by_overrun(sonde *t)
{
    defer_three(t);
    draw_for_ever(t);
}

static void leave_by_misuse(sonde *t)
{
    defer_three(t);
    sonde_pick(t, "nothing", 0);
}

static void tear_down(sonde *t)
{
    (void)t;
    note_down("T");
}

static void every_way_out_undoes_last_in_first_out(void **state)
{
    (void)state;
    const struct {
        sonde_property_fn *run;
        enum sonde_verdict verdict;
    } ways[] = {{return_normally, SONDE_VALID},
                {leave_by_check, SONDE_FAILED},
                {leave_by_assume, SONDE_DISCARDED},
                {leave_by_overrun, SONDE_OVERRUN},
                {leave_by_misuse, SONDE_MISUSE}};
    k.property.teardown = tear_down;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        journal[0] = '\0';
        assert_int_equal(cases_run(&k, ways[i].run, NULL), ways[i].verdict);
        assert_string_equal(journal, "321T");
    }
}

static sonde *undoing;

static void fail_when_undone(void *letter)
{
    note_down(letter);
    sonde_fail(undoing, "while undoing");
}

static void defer_failures(sonde *t)
{
    undoing = t;
    sonde_defer(t, note_down, "1");
    sonde_defer(t, fail_when_undone, "2");
    sonde_defer(t, fail_when_undone, "3");
    sonde_defer(t, note_down, "4");
}

static void one_that_fails_does_not_keep_the_others_from_running(void **state)
{
    (void)state;
    journal[0] = '\0';
    k.property.teardown = tear_down;
    assert_int_equal(cases_run(&k, defer_failures, NULL), SONDE_FAILED);
    assert_string_equal(journal, "4321T");
    assert_string_equal(k.t->claim.message, "while undoing");
}

static void discard_and_fail_later(sonde *t)
{
    undoing = t;
    sonde_defer(t, fail_when_undone, "1");
    sonde_assume(t, 1 > 2);
}

static void an_assume_does_not_excuse_what_fails_while_undoing(void **state)
{
    (void)state;
    assert_int_equal(cases_run(&k, discard_and_fail_later, NULL), SONDE_FAILED);
    assert_string_equal(k.t->claim.message, "while undoing");
}

static void set_up(sonde *t)
{
    sonde_defer(t, note_down, "s");
    sonde_int(t, "from set-up", 0, 9);
}

static void fail_in_setup(sonde *t)
{
    sonde_defer(t, note_down, "s");
    sonde_check(t, 1 > 2);
}

static void set_up_is_part_of_the_case(void **state)
{
    (void)state;
    journal[0] = '\0';
    k.property.setup = set_up;
    k.property.teardown = tear_down;
    assert_int_equal(cases_run(&k, return_normally, NULL), SONDE_VALID);
    assert_string_equal(journal, "321sT");
    assert_int_equal(k.t->tape.n_choices, 1);
    journal[0] = '\0';
    k.property.setup = fail_in_setup;
    assert_int_equal(cases_run(&k, return_normally, NULL), SONDE_FAILED);
    assert_string_equal(journal, "sT");
}

static void fail_in_teardown(sonde *t)
{
    sonde_fail(t, "left open");
}

static void a_tear_down_may_fail_the_case(void **state)
{
    (void)state;
    k.property.teardown = fail_in_teardown;
    assert_int_equal(cases_run(&k, return_normally, NULL), SONDE_FAILED);
    assert_string_equal(k.t->claim.message, "left open");
}

static void use_context(sonde *t)
{
    *(int *)sonde_context(t) += 1;
}

static void the_context_reaches_the_property(void **state)
{
    (void)state;
    int calls = 0;
    k.property.context = &calls;
    cases_run(&k, use_context, NULL);
    cases_run(&k, use_context, NULL);
    assert_int_equal(calls, 2);
}

static void remember(sonde *t)
{
    sonde_int(t, "a", 0, 1000000);
    sonde_string(t, "s", 0, 20);
    sonde_list xs = sonde_list_of(t, "xs", 0, 20);
    while (sonde_more(&xs)) sonde_any_double(t, "x");
}

static void a_tape_replays_itself(void **state)
{
    (void)state;
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    for (int i = 0; i < 100; i++) {
        cases_run(&k, remember, NULL);
        uint64_t identity = sonde_case_identity(k.t);
        sonde_tape_copy(&tape, &k.t->tape);
        cases_run(&k, remember, &tape);
        assert_int_equal(sonde_tape_compare(&tape, &k.t->tape), 0);
        assert_int_equal(sonde_case_identity(k.t), identity);
        assert_false(k.t->reader.strayed);
    }
    sonde_tape_clear(&tape);
}

static void one_bool(sonde *t)
{
    sonde_bool(t, "b");
}

static void different_cases_have_different_identities(void **state)
{
    (void)state;
    uint64_t seen[2] = {0};
    for (int i = 0; i < 50; i++) {
        cases_run(&k, one_bool, NULL);
        seen[k.t->tape.choices[0].index] = sonde_case_identity(k.t);
    }
    assert_int_not_equal(seen[0], seen[1]);
    cases_run(&k, keep, NULL);
    assert_int_not_equal(sonde_case_identity(k.t), seen[0]);
    assert_int_not_equal(sonde_case_identity(k.t), seen[1]);
}

static void number_the_label(sonde *t)
{
    char label[16];
    for (int i = 0; i < 3; i++) {
        snprintf(label, sizeof label, "x%d", i);
        sonde_int(t, label, 0, 9);
    }
}

static void a_label_may_live_in_a_buffer(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        cases_run(&k, number_the_label, NULL);
        assert_string_equal(sonde_label_text(&k.labels, k.t->tape.choices[0].label), "x0");
        assert_string_equal(sonde_label_text(&k.labels, k.t->tape.choices[2].label), "x2");
    }
}

static void number_without_end(sonde *t)
{
    char label[16];
    static int i;
    for (int n = 0; n < 1000; n++) {
        snprintf(label, sizeof label, "x%d", i++);
        sonde_int(t, label, 0, 9);
    }
}

static void labels_without_end_have_their_sentence(void **state)
{
    (void)state;
    if (is_short()) return;
    enum sonde_verdict verdict = SONDE_VALID;
    for (int i = 0; i < 100 && verdict == SONDE_VALID; i++) verdict = cases_run(&k, number_without_end, NULL);
    assert_int_equal(verdict, SONDE_MISUSE);
    assert_non_null(strstr(k.t->claim.message, "there are more than 65536 different labels; give every element"));
}

/* ---- Where its memory goes */

static void take_sixty_kilobytes(sonde *t)
{
    for (int i = 0; i < 15; i++) memset(sonde_alloc(t, 4000), i, 4000);
}

static void make_and_free_a_case(void)
{
    struct cases own;
    cases_init(&own, &sonde_guide_uniform, 1);
    cases_run(&own, take_sixty_kilobytes, NULL);
    cases_clear(&own);
}

#if HAS_ADDRESS_SANITIZER
/* From sanitizer/allocator_interface.h, which gcc does not install. */
size_t __sanitizer_get_current_allocated_bytes(void);

/* Freed blocks stay resident for a while, so the allocator is asked. */
static long memory_kb(void)
{
    return (long)(__sanitizer_get_current_allocated_bytes() / 1024);
}
#else
static long memory_kb(void)
{
    char line[256];
    long kb = 0;
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &kb) == 1) break;
    fclose(file);
    return kb;
}
#endif

/* A property may run cases itself, in a worker, where the shared heap is current. */
static void a_case_in_the_shared_heap_returns_its_memory(void **state)
{
    (void)state;
    struct sonde_heap *heap = sonde_heap_create((size_t)1 << 28);
    assert_non_null(heap);
    sonde_heap_use(heap);
    for (int i = 0; i < 20; i++) make_and_free_a_case();
    long before = memory_kb();
    for (int i = 0; i < 1000; i++) make_and_free_a_case();
    long grown = memory_kb() - before;
    sonde_heap_use(NULL);
    sonde_heap_destroy(heap);
    assert_true(grown < 32 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        case_test(a_case_in_the_shared_heap_returns_its_memory),
        case_test(the_end_of_a_case_is_the_end),
        case_test(another_thread_may_not_draw),
        case_test(a_null_case_has_its_sentence),
        case_test(spans_that_do_not_match_have_their_sentences),
        case_test(spans_nest_as_their_scopes),
        case_test(a_list_left_by_break_ends_with_the_span_around_it),
        case_test(a_case_left_inside_spans_has_a_proper_tape),
        case_test(too_much_of_anything_is_an_overrun),
        case_test(every_way_out_undoes_last_in_first_out),
        case_test(one_that_fails_does_not_keep_the_others_from_running),
        case_test(an_assume_does_not_excuse_what_fails_while_undoing),
        case_test(set_up_is_part_of_the_case),
        case_test(a_tear_down_may_fail_the_case),
        case_test(the_context_reaches_the_property),
        case_test(a_tape_replays_itself),
        case_test(different_cases_have_different_identities),
        case_test(a_label_may_live_in_a_buffer),
        case_test(labels_without_end_have_their_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
