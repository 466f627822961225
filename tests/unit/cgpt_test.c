/* The guides that are led by coverage, on properties whose coverage the test makes up: counters are hit by hand. */
#include "lib/counters.h"
#include "lib/searches.h"
#include "lib/short.h"

#include "base/mem.h"
#include "tape/text.h"

#include <string.h>

void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b);

struct outcome {
    uint64_t tests, valid, identity;
    bool found;
};

static struct outcome search(sonde_property_fn *run, const char *guide, uint64_t seed, uint64_t runs)
{
    const sonde_property property = {.name = "property", .run = run};
    const struct sonde_options options = searches_options(guide, seed, runs);
    struct sonde_search *s = searches_run(&property, &options);
    struct outcome o = {.tests = s->stats.tests, .valid = s->stats.valid, .found = s->n_found > 0};
    o.identity = sonde_tape_hash(&s->t->tape);
    searches_free(s);
    return o;
}

/* Twelve numbers that must all be right; each that is, in order, hits a counter. By chance: one in 10^12. */
static void staircase(sonde *t)
{
    sonde_span(t, "stairs");
    for (int i = 0; i < 12; i++) {
        int x = sonde_int(t, "step", 0, 9);
        if (x != 7) return;
        counters[i]++;
    }
    sonde_check(t, !"reached the top");
}

static void coverage_leads_up_a_staircase(void **state)
{
    (void)state;
    const char *guides[] = {"cgpt", "zest", "zest-bytes", "cgpt-classic", "crowbar"};
    for (size_t i = 0; i < sizeof guides / sizeof *guides; i++)
        for (uint64_t seed = 1; seed <= seeds_of(3); seed++) {
            if (!search(staircase, guides[i], seed, 200000).found) fail_msg("%s, seed %d", guides[i], (int)seed);
        }
}

static void without_coverage_there_is_no_way_up(void **state)
{
    (void)state;
    assert_false(search(staircase, "uniform", 1, 100000).found);
}

/* Valid only if two records are equal; by chance one in 10^8. */
static void needs_a_pair(sonde *t)
{
    int x[2][4];
    for (int i = 0; i < 2; i++) {
        sonde_span(t, "record");
        for (int k = 0; k < 4; k++) x[i][k] = sonde_int(t, "field", 0, 99);
    }
    sonde_assume(t, memcmp(x[0], x[1], sizeof x[0]) == 0);
    counters[20]++;
    sonde_check(t, x[0][0] != 42 || x[0][1] != 42);
}

static void cgpt_makes_pairs_and_keeps_them_equal(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds_of(5); seed++) {
        struct outcome o = search(needs_a_pair, "cgpt", seed, 300000);
        assert_true(o.found);
        assert_true(o.valid * 20 > o.tests);
    }
}

static void the_same_seed_gives_the_same_search(void **state)
{
    (void)state;
    const char *guides[] = {"cgpt", "zest", "zest-bytes", "cgpt-classic", "crowbar"};
    for (size_t i = 0; i < sizeof guides / sizeof *guides; i++) {
        struct outcome a = search(needs_a_pair, guides[i], 7, 3000), b = search(needs_a_pair, guides[i], 7, 3000);
        assert_int_equal(a.tests, b.tests);
        assert_int_equal(a.valid, b.valid);
        assert_true(a.identity == b.identity);
    }
}

/* One key in 384 is valid, and forty numbers beside it change nothing. All cases do the same, so one discarded tape is
 * kept, whose mutants rarely change the key. */
static void needs_a_key(sonde *t)
{
    counters[60]++;
    bool is_right = sonde_int(t, "key", 0, 383) == 271;
    for (int i = 0; i < 40; i++) sonde_int(t, "payload", 0, 999);
    sonde_assume(t, is_right);
}

static void where_nothing_shows_the_way_fresh_cases_find_it(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds_of(20); seed++) {
        uint64_t valid = search(needs_a_key, "cgpt", seed, 5000).valid;
        if (valid < 100) fail_msg("seed %d: %d valid inputs", (int)seed, (int)valid);
    }
}

/* A tree that is valid if each node is of the kind that is right at its depth and has no attribute. */
static int draw_tree(sonde *t, int depth)
{
    sonde_span(t, "node");
    bool is_right = sonde_pick(t, "kind", 20) == (size_t)(3 * depth + 2);
    sonde_list attributes = sonde_list_of(t, "attributes", 0, 4);
    while (sonde_more(&attributes)) is_right &= sonde_int(t, "attribute", 0, 99) > 100;
    int deepest = depth;
    sonde_list children = sonde_list_of(t, "children", 0, 3);
    while (depth < 4 && sonde_more(&children)) {
        int depth_there = draw_tree(t, depth + 1);
        if (depth_there > deepest) deepest = depth_there;
    }
    sonde_assume(t, is_right);
    counters[40 + depth]++;
    return deepest;
}

static void needs_small_parts(sonde *t)
{
    sonde_check(t, draw_tree(t, 0) < 4);
}

static void parts_made_anew_are_small_ones(void **state)
{
    (void)state;
    uint64_t tests = 0;
    for (uint64_t seed = 1; seed <= seeds_of(5); seed++) tests += search(needs_small_parts, "cgpt", seed, 40000).tests;
    assert_in_range(tests, 5, 120000); /* 78,000; with parts of any size 176,000, most seeds finding nothing */
}

/* Only a comparison knows the number. */
static void wants_a_number(sonde *t)
{
    uint32_t x = (uint32_t)sonde_u64(t, "x", 0, UINT32_MAX);
    counters[50]++;
    __sanitizer_cov_trace_const_cmp4(0xdeadbeef, x);
    sonde_check(t, x != 0xdeadbeef);
}

/* Whichever guide watches when, and whatever is run twice in between. */
static void what_is_compared_is_tried(void **state)
{
    (void)state;
    const char *guides[] = {"cgpt", "auto"};
    for (size_t i = 0; i < sizeof guides / sizeof *guides; i++)
        for (uint64_t seed = 1; seed <= seeds_of(5); seed++)
            assert_true(search(wants_a_number, guides[i], seed, 3000).found);
}

static void four_digits(sonde *t)
{
    for (int i = 0; i < 4; i++) counters[sonde_int(t, "digit", 0, 9)]++;
}

static uint64_t repeats(const char *knobs)
{
    const sonde_property property = {.name = "property", .run = four_digits};
    struct sonde_options options = searches_options("cgpt", 1, 2000);
    bool is_estimated;
    options.guide_options = knobs;
    struct sonde_search *s = searches_run(&property, &options);
    uint64_t n = s->stats.valid - sonde_unique_count(&s->judge.unique, &is_estimated);
    searches_free(s);
    return n;
}

static void a_mutant_that_was_run_is_mutated_again(void **state)
{
    (void)state;
    uint64_t before = repeats("retries=0"), now = repeats(NULL);
    if (now * 3 > before) fail_msg("%d repeats of 2000, %d without retries", (int)now, (int)before);
}

static void every_kind_of_draw_is_answered(void **state)
{
    (void)state;
    const char *guides[] = {"cgpt", "zest", "zest-bytes", "cgpt-classic", "crowbar"};
    for (size_t i = 0; i < sizeof guides / sizeof *guides; i++) {
        struct outcome o = search(everything, guides[i], 3, 5000);
        assert_false(o.found);
        assert_int_equal(o.tests, 5000);
    }
}

/* ---- From one search to the next */

static void start(struct sonde_search *s, struct sonde_options *options, const sonde_property *property, uint64_t seed)
{
    *options = searches_options("cgpt", seed, 2000);
    options->memory = 1 << 24; /* also where limits are tiny */
    sonde_search_init(s, property, options, 0);
}

/* Saves the snapshot of a search as the next search gets it. */
static void bequeath(struct sonde_search *from, struct sonde_legacy *legacy, struct sonde_labels *labels)
{
    sonde_search_take_snapshot(from);
    struct sonde_reader reader = sonde_snapshot_tapes(&from->snapshot);
    struct sonde_snapshot_tape kept;
    while (sonde_snapshot_next(&reader, &kept)) {
        legacy->tapes = sonde_grow(legacy->tapes, &legacy->cap, legacy->n + 1u, sizeof *legacy->tapes);
        struct sonde_tape *tape = &legacy->tapes[legacy->n++];
        sonde_tape_init(tape);
        assert_int_equal(sonde_tape_from_text(tape, labels, kept.text, strlen(kept.text), NULL), 0);
    }
    sonde_bytes_add(&legacy->learned, from->snapshot.learned.data, from->snapshot.learned.n);
}

static void clear_legacy(struct sonde_legacy *legacy)
{
    for (uint32_t i = 0; i < legacy->n; i++) sonde_tape_clear(&legacy->tapes[i]);
    sonde_free(legacy->tapes);
    sonde_bytes_clear(&legacy->learned);
}

static void a_search_goes_on_where_the_last_one_ended(void **state)
{
    (void)state;
    const sonde_property property = {.name = "property", .run = staircase};
    struct sonde_options options;
    struct sonde_search *s = test_malloc(sizeof *s);
    struct sonde_labels labels;
    struct sonde_legacy legacy = {0};
    uint32_t reached = 0;
    bool found = false;
    sonde_labels_init(&labels);
    for (uint64_t seed = 1; seed <= 40 && !found; seed++) {
        start(s, &options, &property, seed);
        sonde_search_inherit(s, &legacy);
        sonde_search_run(s);
        assert_int_equal(s->n_inherited, legacy.n);
        assert_true(s->judge.novelty.n_places >= reached); /* what was reached is reached again */
        assert_true(s->stats.tests <= options.runs + legacy.n);
        reached = s->judge.novelty.n_places;
        found = s->n_found > 0;
        clear_legacy(&legacy);
        legacy = (struct sonde_legacy){0};
        bequeath(s, &legacy, &labels);
        assert_true(legacy.n > 0 || found);
        sonde_search_clear(s);
    }
    assert_true(found);
    clear_legacy(&legacy);
    sonde_labels_clear(&labels);
    test_free(s);
}

static void inherited_tapes_come_on_top_of_the_budget(void **state)
{
    (void)state;
    const sonde_property property = {.name = "property", .run = everything};
    struct sonde_options options;
    struct sonde_search *s = test_malloc(sizeof *s);
    struct sonde_labels labels;
    struct sonde_legacy legacy = {0};
    sonde_labels_init(&labels);
    start(s, &options, &property, 1);
    sonde_search_run(s);
    bequeath(s, &legacy, &labels);
    sonde_search_clear(s);
    assert_true(legacy.n > 0);
    start(s, &options, &property, 2);
    sonde_search_inherit(s, &legacy);
    sonde_search_run(s);
    assert_int_equal(s->stats.tests, options.runs + legacy.n);
    sonde_search_take_snapshot(s);
    uint32_t first = s->snapshot.tapes.n;
    sonde_search_take_snapshot(s);
    assert_true(first > 0);
    assert_int_equal(s->snapshot.tapes.n, 0); /* each is written down once */
    sonde_search_clear(s);
    clear_legacy(&legacy);
    sonde_labels_clear(&labels);
    test_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_goes_on_where_the_last_one_ended),
        cmocka_unit_test(inherited_tapes_come_on_top_of_the_budget),
        cmocka_unit_test(coverage_leads_up_a_staircase),
        cmocka_unit_test(without_coverage_there_is_no_way_up),
        cmocka_unit_test(cgpt_makes_pairs_and_keeps_them_equal),
        cmocka_unit_test(where_nothing_shows_the_way_fresh_cases_find_it),
        cmocka_unit_test(the_same_seed_gives_the_same_search),
        cmocka_unit_test(every_kind_of_draw_is_answered),
        cmocka_unit_test(parts_made_anew_are_small_ones),
        cmocka_unit_test(what_is_compared_is_tried),
        cmocka_unit_test(a_mutant_that_was_run_is_mutated_again),
    };
    return cmocka_run_group_tests(tests, counters_register, NULL);
}
