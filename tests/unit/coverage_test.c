/* The observer of coverage and its feedback, driven by hand: the test plays the part of the compiler. */
#include <stdio.h>
#include "lib/mocka.h"

#include "base/mem.h"
#include "feedback/novelty.h"
#include "observe/coverage.h"
#include "observe/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b);
void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b);
void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b);
void __sanitizer_cov_trace_switch(uint64_t value, void *cases);
void __sanitizer_weak_hook_strcmp(void *pc, const char *a, const char *b, int result);
void __sanitizer_weak_hook_strncmp(void *pc, const char *a, const char *b, size_t n, int result);

/* Two modules with odd sizes, so that whole lines, words and single bytes are read. */
static uint8_t counters[203], others[5];
static uintptr_t pcs[2 * 203];

static struct sonde_coverage *coverage;

static int set_up(void **state)
{
    (void)state;
    if (pcs[0] == 0) {
        for (size_t i = 0; i < 203; i++) pcs[2 * i] = (uintptr_t)&set_up + i;
        __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters);
        __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters); /* as a second file would */
        __sanitizer_cov_pcs_init(pcs, pcs + 2 * 203);
        __sanitizer_cov_8bit_counters_init(others, others + sizeof others);
    }
    coverage = sonde_coverage_create();
    sonde_coverage_reset(coverage);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sonde_coverage_free(coverage);
    return 0;
}

static const struct sonde_coverage_view *seen_after(void (*run)(void))
{
    sonde_coverage_begin(coverage, true);
    if (run) run();
    return sonde_coverage_end(coverage);
}

static const struct sonde_feature *feature(const struct sonde_coverage_view *view, uint32_t id)
{
    for (size_t i = 0; i < view->n_features; i++)
        if (view->features[i].id == id) return &view->features[i];
    return NULL;
}

static void hit_some(void)
{
    counters[0] = 1;
    counters[64] = 9;
    counters[202] = 255;
    others[4] = 3;
}

static void every_counter_that_was_hit_is_a_feature(void **state)
{
    (void)state;
    const struct sonde_coverage_view *view = seen_after(hit_some);
    assert_int_equal(view->n_features, 4);
    assert_int_equal(view->n_edges, 4);
    assert_int_equal(view->n_ids, 203 + 5);
    assert_int_equal(feature(view, 0)->value, 1);
    assert_int_equal(feature(view, 64)->value, 9);
    assert_int_equal(feature(view, 202)->value, 255);
    assert_int_equal(feature(view, 203 + 4)->value, 3);
    assert_int_equal(view->executed, 1 + 9 + 255 + 3);
}

static void hit_all(void)
{
    memset(counters, 1, sizeof counters);
    memset(others, 2, sizeof others);
}

/* The last line of a module is read together with a part of the line before it, which must not count twice. */
static void each_counter_is_read_once_and_in_order(void **state)
{
    (void)state;
    const struct sonde_coverage_view *view = seen_after(hit_all);
    assert_int_equal(view->n_features, 203 + 5);
    for (uint32_t i = 0; i < view->n_features; i++) assert_int_equal(view->features[i].id, i);
    assert_int_equal(view->executed, 203 + 2 * 5);
}

static void reading_clears_the_counters(void **state)
{
    (void)state;
    seen_after(hit_some);
    for (size_t i = 0; i < sizeof counters; i++) assert_int_equal(counters[i], 0);
    assert_int_equal(seen_after(NULL)->n_features, 0);
}

static void hit_one(void)
{
    counters[7] = 1;
}

static void hit_it_twice(void)
{
    counters[7] = 2;
}

static void hit_another(void)
{
    counters[8] = 1;
}

static void the_edge_set_ignores_how_often(void **state)
{
    (void)state;
    struct sonde_coverage_view one = *seen_after(hit_one), twice = *seen_after(hit_it_twice);
    assert_true(one.edges == twice.edges);
    assert_true(one.trace != twice.trace);
    assert_true(one.edges != seen_after(hit_another)->edges);
}

/* Values below 32 have a class each; above, classes never mix octaves. */
static uint8_t value_to_hit;
static void hit_with_value(void)
{
    counters[3] = value_to_hit;
}

static uint8_t mark_of_value(uint8_t value)
{
    value_to_hit = value;
    return seen_after(hit_with_value)->features[0].mark;
}

static void small_counts_are_told_apart_exactly(void **state)
{
    (void)state;
    for (uint8_t v = 1; v < 32; v++) assert_int_equal(mark_of_value(v), v);
    assert_int_equal(mark_of_value(32), 32);
    assert_int_equal(mark_of_value(35), 32);
    assert_int_equal(mark_of_value(36), 33);
    for (int v = 2; v < 256; v++) assert_true(mark_of_value((uint8_t)v) >= mark_of_value((uint8_t)(v - 1)));
    assert_true(mark_of_value(255) < 64);
}

static void call_edges(void)
{
    for (int i = 0; i < 300; i++) __sanitizer_cov_trace_pc();
}

static void edges_by_calls_count_up_to_255(void **state)
{
    (void)state;
    call_edges(); /* from outside a case: only tells that there is instrumentation */
    const struct sonde_coverage_view *view = seen_after(call_edges);
    assert_int_equal(view->n_features, 1);
    assert_int_equal(view->features[0].value, 255);
    assert_int_equal(view->features[0].kind, SONDE_FEATURE_COUNTER);
}

/* Not to be inlined or unrolled: it is one place in the code. */
static __attribute__((noinline)) void compare_numbers(void)
{
    static volatile uint32_t n = 3;
    for (uint32_t i = 0; i < n; i++) __sanitizer_cov_trace_cmp4(40 + i, 42);
}

static void comparisons_show_how_near_their_sides_came(void **state)
{
    (void)state;
    compare_numbers();
    const struct sonde_coverage_view *view = seen_after(compare_numbers);
    assert_int_equal(view->n_features, 3);
    assert_int_equal(view->n_edges, 0);
    for (uint8_t i = 0; i < 3; i++) assert_int_equal(view->features[i].mark, i);
    assert_int_equal(view->n_hints, 1);
    assert_int_equal(view->hints[0].a, 41);
    assert_int_equal(view->hints[0].b, 42);
}

static uint64_t sides[2];

static void compare_sides(void)
{
    __sanitizer_cov_trace_cmp8(sides[0], sides[1]);
}

/* Returns the hint that two compared addresses or numbers give. */
static struct sonde_hint hint_of(uintptr_t a, uintptr_t b)
{
    sides[0] = a;
    sides[1] = b;
    compare_sides();
    const struct sonde_coverage_view *view = seen_after(compare_sides);
    assert_int_equal(view->n_hints, 1);
    return view->hints[0];
}

static void addresses_are_compared_without_their_values(void **state)
{
    (void)state;
    if (sizeof(void *) < 8) return;
    char here[8], *heap = malloc(100), *mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t ranges[] = {0, 7, (uintptr_t)mapped, (uintptr_t)heap};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct sonde_hint hint = hint_of((uintptr_t)here, ranges[i]);
        assert_int_equal(hint.a, 1);
        assert_int_equal(hint.b, 0);
    }
    struct sonde_hint length = hint_of((uintptr_t)heap, (uintptr_t)(heap + 60));
    assert_int_equal(length.b - length.a, 60);
    struct sonde_hint numbers = hint_of(UINT64_C(1) << 50, 5000000000);
    assert_int_equal(numbers.a, UINT64_C(1) << 50);
    assert_int_equal(numbers.b, 5000000000);
    munmap(mapped, 4096);
    free(heap);
}

static void switch_over(void)
{
    static uint64_t cases[] = {2, 32, 10, 1000};
    __sanitizer_cov_trace_switch(12, cases);
}

static void cases_of_a_switch_are_hints(void **state)
{
    (void)state;
    switch_over();
    const struct sonde_coverage_view *view = seen_after(switch_over);
    assert_int_equal(view->n_hints, 2);
    assert_int_equal(view->hints[1].b, 1000);
}

static uint64_t many_cases[2 + 100] = {100, 32}, switched_on;

static void switch_over_many(void)
{
    for (uint64_t i = 0; i < 100; i++) many_cases[2 + i] = 10 * i;
    __sanitizer_cov_trace_switch(switched_on, many_cases);
}

static bool is_hint(const struct sonde_coverage_view *view, uint64_t value)
{
    for (size_t i = 0; i < view->n_hints; i++)
        if (view->hints[i].b == value) return true;
    return false;
}

static void all_cases_of_a_long_switch_are_hints(void **state)
{
    (void)state;
    static const uint64_t values[] = {5, 315, 325, 755, 985, 5000};
    switch_over_many();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        switched_on = values[i];
        for (int again = 0; again < 2; again++) {
            const struct sonde_coverage_view *view = seen_after(switch_over_many);
            uint64_t below = values[i] / 10 * 10 < 990 ? values[i] / 10 * 10 : 990;
            assert_true(is_hint(view, below));
            if (below < 990) assert_true(is_hint(view, below + 10));
        }
    }
}

/* The calls are so close that a case's number added to the address of its switch would be the address of another. */
static __attribute__((noinline)) void switch_then_compare(void)
{
    static uint64_t cases[2 + 16] = {16, 32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    __sanitizer_cov_trace_switch(8, cases);
    __sanitizer_cov_trace_const_cmp4(100, 200);
    __sanitizer_cov_trace_const_cmp4(100, 201);
    __sanitizer_cov_trace_const_cmp4(100, 202);
}

static void cases_of_a_switch_have_places_of_their_own(void **state)
{
    (void)state;
    compare_numbers();
    const struct sonde_coverage_view *view = seen_after(switch_then_compare);
    size_t places = 0;
    for (size_t i = 0; i < view->n_features; i++) {
        bool is_first = true;
        for (size_t k = 0; k < i; k++) is_first &= view->features[k].id != view->features[i].id;
        places += is_first;
    }
    assert_int_equal(places, 16 + 3);
}

static void compare_words(void)
{
    __sanitizer_weak_hook_strcmp(NULL, "abc", "magic", 1);
}

static void texts_that_were_compared_are_hints(void **state)
{
    (void)state;
    compare_numbers();
    const struct sonde_coverage_view *view = seen_after(compare_words);
    assert_int_equal(view->n_texts, 2);
    assert_int_equal(view->texts[1].n, 5);
    assert_memory_equal(view->texts[1].text, "magic", 5);
}

static const char *unterminated; /* "GIX", at the end of memory */

static void compare_starts(void)
{
    __sanitizer_weak_hook_strncmp(NULL, unterminated, "GIF89a", 6, 1);
}

/* strncmp reads up to the difference, so nothing need follow it. Once in a block of memory, which AddressSanitizer
 * watches, and once before a page that cannot be read. */
static void a_text_that_ends_without_a_nul_is_read_no_further(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *block = malloc(3);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_non_null(block);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    memcpy(pages + page - 3, "GIX", 3);
    memcpy(block, "GIX", 3);
    compare_numbers();
    unterminated = pages + page - 3;
    const struct sonde_coverage_view *view = seen_after(compare_starts);
    assert_int_equal(view->n_texts, 2);
    assert_int_equal(view->texts[0].n, 3);
    assert_memory_equal(view->texts[0].text, "GIX", 3);
    assert_memory_equal(view->texts[1].text, "GIF89a", 6);
    unterminated = block;
    view = seen_after(compare_starts);
    assert_memory_equal(view->texts[1].text, "GIF89a", 6);
    free(block);
    munmap(pages, 2 * page);
}

static void compare_much_else(void)
{
    char text[32];
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "text-%d", i);
        __sanitizer_weak_hook_strcmp(NULL, "left", text, 1);
    }
}

/* Of the newest all are kept, and of the others each is as likely as any other. */
static void of_many_texts_a_sample_is_kept(void **state)
{
    (void)state;
    compare_numbers();
    const struct sonde_coverage_view *view = seen_after(compare_much_else);
    int newest = 0, first_half = 0, rest = 0;
    for (size_t i = 1; i < view->n_texts; i += 2) {
        assert_int_equal(view->texts[i - 1].n, 4);
        int number = 0;
        for (size_t k = 5; k < view->texts[i].n; k++) number = 10 * number + view->texts[i].text[k] - '0';
        if (number >= 20000 - 64) newest++;
        else if (number < 10000) first_half++;
        else rest++;
    }
    assert_int_equal(newest, 64);
    assert_int_equal(first_half + rest, 64);
    assert_in_range(first_half, 16, 48);
}

static void the_class_of_a_comparison_grows_with_the_distance(void **state)
{
    (void)state;
    assert_int_equal(sonde_comparison_class(5, 5), 0);
    assert_int_equal(sonde_comparison_class(5, 21), 16);
    assert_true(sonde_comparison_class(0, 17) > 16);
    assert_true(sonde_comparison_class(0, 1000) > sonde_comparison_class(0, 100));
    assert_true(sonde_comparison_class(0, UINT64_MAX) < 64);
}

static void features_that_differ_between_equal_runs_are_set_aside(void **state)
{
    (void)state;
    struct sonde_feature first[8];
    struct sonde_coverage_view view = *seen_after(hit_some);
    memcpy(first, view.features, view.n_features * sizeof *first);
    seen_after(hit_one); /* "the same tape": all four of the first are missing, one is new */
    assert_int_equal(sonde_coverage_compare(coverage, first, 4, true), 5);
    assert_int_equal(seen_after(hit_some)->n_features, 0);
    assert_int_equal(seen_after(hit_another)->n_features, 1);
    assert_int_equal(sonde_coverage_size(coverage).unstable, 5);
}

static void what_another_job_has_set_aside_is_set_aside_once(void **state)
{
    (void)state;
    struct sonde_feature first[8];
    struct sonde_coverage_view view = *seen_after(hit_some);
    memcpy(first, view.features, view.n_features * sizeof *first);
    struct sonde_coverage *ours = coverage;
    coverage = sonde_coverage_create();
    seen_after(hit_some);
    seen_after(hit_one);
    assert_int_equal(sonde_coverage_compare(coverage, first, 4, true), 5);
    uint32_t *ids = sonde_coverage_translate(ours, coverage);
    sonde_coverage_merge(ours, coverage, ids);
    sonde_coverage_merge(ours, coverage, ids);
    sonde_free(ids);
    sonde_coverage_free(coverage);
    coverage = ours;
    assert_int_equal(sonde_coverage_size(ours).unstable, 5);
    assert_true(sonde_coverage_is_unstable(ours, first[0].id));
    assert_int_equal(seen_after(hit_some)->n_features, 0);
}

static void equal_runs_set_nothing_aside(void **state)
{
    (void)state;
    struct sonde_feature first[8];
    struct sonde_coverage_view view = *seen_after(hit_some);
    memcpy(first, view.features, view.n_features * sizeof *first);
    seen_after(hit_some);
    assert_int_equal(sonde_coverage_compare(coverage, first, 4, true), 0);
    assert_int_equal(seen_after(hit_some)->n_features, 4);
}

static void comparisons_are_not_set_aside_for_being_unwatched_once(void **state)
{
    (void)state;
    struct sonde_feature first[8];
    compare_numbers(); /* now code is known to call */
    sonde_coverage_begin(coverage, false);
    compare_numbers();
    struct sonde_coverage_view view = *sonde_coverage_end(coverage);
    assert_false(view.compared);
    memcpy(first, view.features, view.n_features * sizeof *first);
    assert_true(seen_after(compare_numbers)->compared);
    assert_int_equal(sonde_coverage_compare(coverage, first, view.n_features, view.compared), 0);
    assert_int_equal(seen_after(compare_numbers)->n_hints, 1);
}

static void features_are_named_by_module_and_offset(void **state)
{
    (void)state;
    struct sonde_feature_name a, b, c;
    seen_after(hit_some);
    assert_true(sonde_coverage_name(coverage, 0, &a));
    assert_true(sonde_coverage_name(coverage, 64, &b));
    assert_true(sonde_coverage_name(coverage, 203 + 4, &c));
    assert_true(a.module == b.module && a.module == c.module);
    assert_int_equal(b.offset - a.offset, 64); /* as the table of code says */
    assert_false(sonde_coverage_name(coverage, 100000, &a));
}

/* ---- Feedback */

static uint32_t judge(struct sonde_novelty *n, void (*run)(void), enum sonde_verdict verdict)
{
    return sonde_novelty_judge(n, seen_after(run), verdict);
}

static void coverage_is_new_once(void **state)
{
    (void)state;
    struct sonde_novelty n;
    sonde_novelty_init(&n);
    assert_int_equal(judge(&n, hit_one, SONDE_DISCARDED), SONDE_NEW_COVERAGE | SONDE_NEW_PLACE);
    assert_int_equal(judge(&n, hit_one, SONDE_DISCARDED), 0);
    assert_int_equal(judge(&n, hit_it_twice, SONDE_DISCARDED), SONDE_NEW_COVERAGE);
    sonde_novelty_clear(&n);
}

static void valid_coverage_counts_for_itself(void **state)
{
    (void)state;
    struct sonde_novelty n;
    sonde_novelty_init(&n);
    judge(&n, hit_one, SONDE_DISCARDED);
    assert_int_equal(judge(&n, hit_one, SONDE_VALID), SONDE_NEW_VALID_COVERAGE | SONDE_NEW_PLACE);
    assert_int_equal(judge(&n, hit_one, SONDE_VALID), 0);
    assert_int_equal(judge(&n, hit_another, SONDE_VALID),
                     SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE | SONDE_NEW_PLACE);
    sonde_novelty_clear(&n);
}

static void failing_runs_are_no_news(void **state)
{
    (void)state;
    struct sonde_novelty n;
    sonde_novelty_init(&n);
    assert_int_equal(judge(&n, hit_one, SONDE_FAILED), 0);
    assert_int_equal(judge(&n, hit_one, SONDE_OVERRUN), 0);
    assert_int_equal(judge(&n, hit_one, SONDE_VALID), SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE | SONDE_NEW_PLACE);
    sonde_novelty_clear(&n);
}

static void comparisons_are_news_of_their_own(void **state)
{
    (void)state;
    struct sonde_novelty n;
    sonde_novelty_init(&n);
    compare_numbers();
    assert_int_equal(judge(&n, compare_numbers, SONDE_VALID), SONDE_NEW_COMPARISON);
    assert_int_equal(judge(&n, compare_numbers, SONDE_VALID), 0);
    sonde_novelty_clear(&n);
}

/* Two searches number what they see in their own order; together they have seen the union. */
static void what_two_searches_saw_is_counted_once(void **state)
{
    (void)state;
    struct sonde_novelty ours, theirs;
    sonde_novelty_init(&ours);
    sonde_novelty_init(&theirs);
    judge(&ours, hit_one, SONDE_DISCARDED);
    judge(&ours, compare_numbers, SONDE_VALID);
    struct sonde_coverage *first = coverage;
    coverage = sonde_coverage_create();
    judge(&theirs, compare_numbers, SONDE_VALID);
    judge(&theirs, hit_another, SONDE_VALID);
    judge(&theirs, hit_one, SONDE_VALID);
    uint32_t *ids = sonde_coverage_translate(first, coverage);
    uint32_t comparisons = ours.n_features - ours.n_places;
    assert_int_equal(ours.n_places, 1);
    assert_int_equal(theirs.n_places, 2);
    sonde_novelty_merge(&ours, &theirs, ids);
    assert_int_equal(ours.n_places, 2);
    assert_int_equal(ours.n_valid_places, 2);
    assert_int_equal(ours.n_features - ours.n_places, comparisons);
    sonde_free(ids);
    sonde_coverage_free(coverage);
    coverage = first;
    sonde_novelty_clear(&ours);
    sonde_novelty_clear(&theirs);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void compare_in_a_loop(void)
{
    for (uint32_t i = 0; i < 3; i++) __sanitizer_cov_trace_cmp4(i, 2);
    __sanitizer_cov_trace_const_cmp4(UINT32_MAX, 7);
    uint64_t cases[] = {2, 32, 10, 20};
    __sanitizer_cov_trace_switch(11, cases);
}

static void a_log_has_comparisons_in_their_order(void **state)
{
    (void)state;
    sonde_coverage_log(coverage, true);
    const struct sonde_coverage_view *view = seen_after(compare_in_a_loop);
    assert_int_equal(view->n_log, 6);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(view->log[i].a, i);
        assert_int_equal(view->log[i].b, 2);
        assert_int_equal(view->log[i].nth, i);
        assert_int_equal(view->log[i].id, view->log[0].id);
        assert_int_equal(view->log[i].bytes, 4);
        assert_int_equal(view->log[i].kind, SONDE_COMPARISON_BRANCH);
    }
    assert_true((int64_t)view->log[3].a == -1);
    assert_int_not_equal(view->log[3].id, view->log[0].id);
    assert_int_equal(view->log[4].kind, SONDE_COMPARISON_SWITCH);
    assert_int_equal(view->log[4].b, 10);
    assert_int_equal(view->log[5].b, 20);
    assert_non_null(feature(view, view->log[3].id));
}

static void a_log_is_written_only_on_demand(void **state)
{
    (void)state;
    assert_int_equal(seen_after(compare_in_a_loop)->n_log, 0);
    sonde_coverage_log(coverage, true);
    sonde_coverage_begin(coverage, false);
    compare_in_a_loop();
    assert_int_equal(sonde_coverage_end(coverage)->n_log, 0);
    assert_int_equal(seen_after(compare_in_a_loop)->n_log, 6);
    sonde_coverage_log(coverage, false);
    assert_int_equal(seen_after(compare_in_a_loop)->n_log, 0);
}

static void compare_often(void)
{
    for (uint32_t i = 0; i < 5000; i++) __sanitizer_cov_trace_cmp4(i, 2);
    __sanitizer_cov_trace_const_cmp4(3, 7);
}

static void a_loop_does_not_fill_the_log(void **state)
{
    (void)state;
    sonde_coverage_log(coverage, true);
    const struct sonde_coverage_view *view = seen_after(compare_often);
    assert_int_equal(view->n_log, SONDE_TRACE_LOG_SITE + 1);
    assert_int_equal(view->log[view->n_log - 1].b, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_counter_that_was_hit_is_a_feature),
        TEST(each_counter_is_read_once_and_in_order),
        TEST(reading_clears_the_counters),
        TEST(the_edge_set_ignores_how_often),
        TEST(small_counts_are_told_apart_exactly),
        TEST(edges_by_calls_count_up_to_255),
        TEST(comparisons_show_how_near_their_sides_came),
        TEST(addresses_are_compared_without_their_values),
        TEST(cases_of_a_switch_are_hints),
        TEST(all_cases_of_a_long_switch_are_hints),
        TEST(cases_of_a_switch_have_places_of_their_own),
        TEST(texts_that_were_compared_are_hints),
        TEST(a_text_that_ends_without_a_nul_is_read_no_further),
        TEST(of_many_texts_a_sample_is_kept),
        TEST(the_class_of_a_comparison_grows_with_the_distance),
        TEST(features_that_differ_between_equal_runs_are_set_aside),
        TEST(what_another_job_has_set_aside_is_set_aside_once),
        TEST(equal_runs_set_nothing_aside),
        TEST(comparisons_are_not_set_aside_for_being_unwatched_once),
        TEST(features_are_named_by_module_and_offset),
        TEST(coverage_is_new_once),
        TEST(valid_coverage_counts_for_itself),
        TEST(failing_runs_are_no_news),
        TEST(comparisons_are_news_of_their_own),
        TEST(what_two_searches_saw_is_counted_once),
        cmocka_unit_test_setup_teardown(a_log_has_comparisons_in_their_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_log_is_written_only_on_demand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_loop_does_not_fill_the_log, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
