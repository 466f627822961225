/* The shrinker's promises: it keeps the failure's identity, obeys its bounds, copes with long tapes, asks nothing twice,
 * and knows which values do not matter. Minimal counterexamples are in shrink_minimal_test.c. */
#include "lib/shrinking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- Long tapes */

enum { LONG = 50000 };

/* Lists and counts as long as they may be; two numbers of all are large, far apart. */
struct long_guide {
    struct sonde_guide guide;
    uint32_t drawn;
};

static uint64_t long_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct long_guide *g = (struct long_guide *)guide;
    if (view->point->kind == SONDE_KIND_LENGTH || view->point->max == LONG - 2) return LONG - 2;
    if (view->point->kind == SONDE_KIND_BOOL) return g->drawn < LONG / 2;
    g->drawn++;
    return g->drawn == 12345 || g->drawn == 23456 ? 950 : 1 + g->drawn % 800;
}

static void shrinks_long(sonde_property_fn *property, const char *expected)
{
    static const struct sonde_guide_ops ops = {.name = "long", .choose = long_choose};
    struct long_guide guide = {.guide.ops = &ops};
    struct shrinking s;
    shrinking_init(&s, property);
    sonde_exec_inline(s.t, &s.property, &guide.guide, NULL);
    assert_int_equal(s.t->verdict, SONDE_FAILED);
    assert_true(s.t->tape.n_choices >= LONG - 1);
    sonde_tape_copy(&s.tape, &s.t->tape);
    s.line = s.t->claim.line;
    assert_string_equal(shrinking_run(&s), expected);
    assert_true(s.result.complete);
    if (s.result.calls > 2000) fail_msg("%llu calls", (unsigned long long)s.result.calls);
    shrinking_clear(&s);
}

static void long_list(sonde *t)
{
    int large = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, LONG - 2);
    while (sonde_more(&xs)) large += sonde_int(t, "x", 0, 1000) > 900;
    sonde_check(t, large < 2);
}

static void long_loop(sonde *t)
{
    int large = 0, n = sonde_int(t, "n", 0, LONG - 2);
    for (int i = 0; i < n; i++) large += sonde_int(t, "x", 0, 1000) > 900;
    sonde_check(t, large < 2);
}

static void long_flag_loop(sonde *t)
{
    int large = 0;
    while (sonde_bool(t, "more")) large += sonde_int(t, "x", 0, 1000) > 900;
    sonde_check(t, large < 2);
}

static void long_text(sonde *t)
{
    const char *s = sonde_string(t, "s", 0, LONG);
    const char *q = strchr(s, 'q');
    sonde_check(t, !q || !strchr(q, '%'));
}

static void long_lists_shrink_in_few_calls(void **state)
{
    (void)state;
    shrinks_long(long_list, "xs[{x=901} {x=901}]");
}

static void long_loops_shrink_in_few_calls(void **state)
{
    (void)state;
    shrinks_long(long_loop, "n=2 x=901 x=901");
}

static void long_flag_loops_shrink_in_few_calls(void **state)
{
    (void)state;
    shrinks_long(long_flag_loop, "more=yes x=901 more=yes x=901 more=no");
}

static void long_texts_shrink_in_few_calls(void **state)
{
    (void)state;
    struct shrinking s;
    shrinking_init(&s, long_text);
    assert_true(shrinking_find(&s, 1, 0));
    assert_true(s.start > 1000);
    assert_string_equal(shrinking_run(&s), "s=q%25");
    assert_true(s.result.calls < 500);
    shrinking_clear(&s);
}

/* Every item matters, so there is no small core: it ends all the same, and does not claim that all was tried. */
static void all_matter(sonde *t)
{
    int64_t sum = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 10000);
    while (sonde_more(&xs)) sum += sonde_int(t, "x", 0, 1000);
    sonde_check(t, sum < 1000000);
}

static uint64_t full_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct long_guide *g = (struct long_guide *)guide;
    return view->point->kind == SONDE_KIND_LENGTH ? 10000 : 100 + g->drawn++ * 7 % 800;
}

static void a_failure_without_a_small_core_ends_in_few_calls(void **state)
{
    (void)state;
    static const struct sonde_guide_ops ops = {.name = "full", .choose = full_choose};
    struct long_guide guide = {.guide.ops = &ops};
    struct shrinking s;
    shrinking_init(&s, all_matter);
    sonde_exec_inline(s.t, &s.property, &guide.guide, NULL);
    assert_int_equal(s.t->verdict, SONDE_FAILED);
    assert_true(s.t->tape.n_choices > 10000);
    sonde_tape_copy(&s.tape, &s.t->tape);
    s.line = s.t->claim.line;
    shrinking_run(&s);
    assert_true(s.tape.n_choices < 3000);
    assert_true(s.result.calls <= 2000);
    assert_false(s.result.complete);
    assert_false(s.result.stopped);
    shrinking_clear(&s);
}

/* ---- Identity */

static void two_bugs(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_check(t, x < 5 || x > 500); /* smaller inputs fail here */
    sonde_check(t, x < 700000);
}

static void a_failure_never_slips_into_another(void **state)
{
    (void)state;
    struct shrinking s;
    shrinking_init(&s, two_bugs);
    assert_true(shrinking_start(&s, "x=812345"));
    assert_string_equal(shrinking_run(&s), "x=700000");
    shrinking_clear(&s);
}

/* A predicate that tells nothing of runs that do not fail, as after a crash, and now and then forgets to fail. */
struct moody {
    struct shrinking *s;
    unsigned calls;
};

static bool moody_fails(void *user, const struct sonde_tape *script, struct sonde_tape *actual)
{
    struct moody *m = user;
    bool fails = shrinking_fails(m->s, script, actual) && ++m->calls % 5 != 0;
    if (!fails) actual->n_choices = 0;
    return fails;
}

static void a_flaky_failure_is_still_a_failure_in_the_end(void **state)
{
    (void)state;
    struct shrinking s;
    struct moody moody = {.s = &s};
    shrinking_init(&s, long_list);
    assert_true(shrinking_find(&s, 3, 0));
    s.test.fails = moody_fails;
    s.test.discarded = NULL;
    s.test.user = &moody;
    shrinking_run(&s);
    struct sonde_tape actual;
    sonde_tape_init(&actual);
    assert_true(shrinking_fails(&s, &s.tape, &actual));
    assert_int_equal(sonde_tape_compare(&s.tape, &actual), 0);
    assert_true(s.tape.n_choices <= 8);
    sonde_tape_clear(&actual);
    shrinking_clear(&s);
}

/* ---- Bounds */

static void the_bound_on_calls_is_kept(void **state)
{
    (void)state;
    struct shrinking s;
    for (uint64_t bound = 1; bound < 60; bound += 7) {
        shrinking_init(&s, long_list);
        assert_true(shrinking_find(&s, 2, 0));
        s.test.max_calls = bound;
        shrinking_run(&s);
        assert_true(s.result.calls <= bound);
        assert_true(!s.result.complete || s.result.calls < bound);
        shrinking_clear(&s);
    }
}

/* A tree in Polish notation: the number of children, then these. */
static char *draw_wide(sonde *t, char *at)
{
    sonde_span(t, "node");
    size_t n = sonde_pick(t, "n", 7);
    *at++ = (char)('0' + n);
    if (n == 0) *at++ = (char)('a' + sonde_int(t, "leaf", 0, 9));
    while (n-- > 0) at = draw_wide(t, at);
    return at;
}

/* Only one input fails, so every pass tries its candidates in vain. */
static void wide_and_narrow(sonde *t)
{
    char text[100000] = "";
    draw_wide(t, draw_wide(t, text));
    sonde_check(t, strcmp(text, sonde_context(t)) != 0);
}

static bool tries_all(const char *fails, const char *tape)
{
    struct shrinking s;
    shrinking_init(&s, wide_and_narrow);
    s.property.context = (void *)(uintptr_t)fails;
    assert_true(shrinking_start(&s, tape));
    shrinking_run(&s);
    shrinking_clear(&s);
    return s.result.complete;
}

/* The surroundings of the narrow node could be put around each child of the wide ones: too many to try them all. */
static void a_limit_of_a_pass_is_not_called_complete(void **state)
{
    (void)state;
    static const char row[] = "node{n=6 node{n=0 leaf=1} node{n=0 leaf=2} node{n=0 leaf=3} node{n=0 leaf=4} "
                              "node{n=0 leaf=5} node{n=0 leaf=6}}";
    char tape[2000];
    snprintf(tape, sizeof tape, "node{n=6 %s %s %s %s %s %s} node{n=1 node{n=0 leaf=0}}", row, row, row, row, row, row);
    assert_true(tries_all("20b0c10a", "node{n=2 node{n=0 leaf=1} node{n=0 leaf=2}} node{n=1 node{n=0 leaf=0}}"));
    assert_false(tries_all("660b0c0d0e0f0g60b0c0d0e0f0g60b0c0d0e0f0g60b0c0d0e0f0g60b0c0d0e0f0g60b0c0d0e0f0g10a", tape));
}

static bool stop_at_once(void *user)
{
    (void)user;
    return true;
}

static void enough_stops_it_before_the_next_call(void **state)
{
    (void)state;
    struct shrinking s;
    shrinking_init(&s, long_list);
    assert_true(shrinking_find(&s, 2, 0));
    s.test.enough = stop_at_once;
    shrinking_run(&s);
    assert_int_equal(s.result.calls, 0);
    assert_false(s.result.complete);
    assert_true(s.result.stopped);
    assert_int_equal(sonde_tape_size(&s.tape), s.start);
    shrinking_clear(&s);
}

static bool stop_after_some(void *user)
{
    return ((struct shrinking *)user)->result.calls++ >= 25; /* no result yet: a counter until then */
}

static void what_stops_it_leaves_the_best_so_far(void **state)
{
    (void)state;
    struct shrinking s;
    struct sonde_tape actual;
    shrinking_init(&s, long_list);
    sonde_tape_init(&actual);
    assert_true(shrinking_find(&s, 2, 0));
    s.test.enough = stop_after_some;
    shrinking_run(&s);
    assert_int_equal(s.result.calls, 25);
    assert_true(s.result.stopped);
    assert_false(s.result.complete);
    assert_true(sonde_tape_size(&s.tape) < s.start);
    assert_true(shrinking_fails(&s, &s.tape, &actual));
    assert_int_equal(sonde_tape_compare(&s.tape, &actual), 0);
    sonde_tape_clear(&actual);
    shrinking_clear(&s);
}

/* ---- Each improvement is smaller, and no run is repeated */

struct watcher {
    struct shrinking s; /* first: shrinking_fails takes it */
    struct sonde_tape last;
    uint64_t runs[4096];
    unsigned n_runs, repeats, improvements;
};

static bool watched_fails(void *user, const struct sonde_tape *script, struct sonde_tape *actual)
{
    struct watcher *w = user;
    bool fails = shrinking_fails(&w->s, script, actual);
    uint64_t hash = sonde_tape_hash(actual);
    for (unsigned i = 0; i < w->n_runs; i++) w->repeats += w->runs[i] == hash;
    if (w->n_runs < sizeof w->runs / sizeof *w->runs) w->runs[w->n_runs++] = hash;
    return fails;
}

static void watch_better(void *user, const struct sonde_tape *best)
{
    struct watcher *w = user;
    assert_true(sonde_tape_compare(best, &w->last) < 0);
    sonde_tape_copy(&w->last, best);
    w->improvements++;
}

static void every_step_goes_down_and_no_run_is_repeated(void **state)
{
    (void)state;
    static struct watcher w;
    memset(&w, 0, sizeof w);
    shrinking_init(&w.s, long_list);
    sonde_tape_init(&w.last);
    assert_true(shrinking_find(&w.s, 4, 0));
    sonde_tape_copy(&w.last, &w.s.tape);
    w.s.test.fails = watched_fails;
    w.s.test.better = watch_better;
    shrinking_run(&w.s);
    assert_true(w.improvements > 3);
    assert_int_equal(w.repeats, 0);
    assert_true(w.s.result.saved > 0);
    sonde_tape_clear(&w.last);
    shrinking_clear(&w.s);
}

static void shrinking_twice_finds_nothing_more(void **state)
{
    (void)state;
    struct shrinking s;
    shrinking_init(&s, long_list);
    assert_true(shrinking_find(&s, 5, 0));
    char first[256], second[256];
    snprintf(first, sizeof first, "%s", shrinking_run(&s));
    snprintf(second, sizeof second, "%s", shrinking_run(&s));
    assert_string_equal(first, second);
    shrinking_clear(&s);
}

/* ---- Properties made at random: whatever they draw and claim, the shrinker ends, and with a failure. */

struct muddle {
    uint64_t seed;
    uint64_t hash; /* of what was drawn so far */
    unsigned left; /* draws that it may still make */
};

static uint64_t stir(struct muddle *m, uint64_t x)
{
    m->hash = (m->hash ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    m->hash ^= m->hash >> 31;
    return m->hash;
}

static void draw_muddle(sonde *t, struct muddle *m, int depth)
{
    static const char *const labels[] = {"a", "b", "c"};
    static const unsigned weights[] = {3, 0, 2};
    uint64_t dice = m->seed * (unsigned)(depth + 1) + (m->hash >> 60) * (m->seed & 1);
    const char *label = labels[dice % 3];
    size_t n;
    if (m->left == 0) return;
    m->left--;
    switch (dice / 3 % 9) {
    case 0: stir(m, (uint64_t)sonde_int(t, label, -20, 1000)); break;
    case 1: stir(m, sonde_bool(t, label)); break;
    case 2: stir(m, (uint64_t)(int64_t)sonde_double(t, label, -3, 8)); break;
    case 3: {
        const uint8_t *bytes = sonde_bytes(t, label, 0, 9, &n);
        stir(m, n ? bytes[0] + n : 0);
        break;
    }
    case 4: stir(m, sonde_weighted(t, label, weights, 3)); break;
    case 5: {
        sonde_list xs = sonde_list_of(t, label, dice % 2, 6);
        while (sonde_more(&xs)) {
            if (depth < 4) draw_muddle(t, m, depth + 1);
            if (stir(m, 1) % 5 == 0) sonde_list_reject(&xs);
        }
        break;
    }
    case 6: {
        int count = sonde_int(t, "n", 0, 6);
        for (int i = 0; i < count; i++) draw_muddle(t, m, depth + 1);
        break;
    }
    case 7: stir(m, sonde_pick(t, label, 1 + m->left)); break;
    default: {
        sonde_span(t, label);
        if (depth < 4) draw_muddle(t, m, depth + 1);
        if (depth < 4) draw_muddle(t, m, depth + 1);
    }
    }
}

static void muddled(sonde *t)
{
    const uint64_t *seed = sonde_context(t);
    struct muddle m = {.seed = *seed, .left = 60};
    for (int i = 0; i < 8; i++) {
        m.seed = m.seed * 6364136223846793005u + 1442695040888963407u;
        struct muddle here = {.seed = m.seed >> 33, .hash = m.hash, .left = m.left};
        draw_muddle(t, &here, 0);
        m.hash = here.hash;
        m.left = here.left;
    }
    sonde_assume(t, m.hash % 7 != 3);
    sonde_check(t, m.hash % 3 != 1);
}

static void any_property_shrinks_to_a_failure(void **state)
{
    (void)state;
    struct shrinking s;
    struct sonde_tape actual;
    uint64_t seed;
    shrinking_init(&s, muddled);
    s.property.context = &seed;
    s.test.max_calls = 3000;
    sonde_tape_init(&actual);
    for (seed = 1; seed <= 200; seed++) {
        if (!shrinking_find(&s, seed, 0)) continue;
        shrinking_run(&s);
        if (!shrinking_fails(&s, &s.tape, &actual)) fail_msg("seed %llu", (unsigned long long)seed);
        assert_int_equal(sonde_tape_compare(&s.tape, &actual), 0);
        assert_true(sonde_tape_size(&s.tape) <= s.start);
    }
    sonde_tape_clear(&actual);
    shrinking_clear(&s);
}

/* ---- Values that do not matter */

static void some_matter(sonde *t)
{
    sonde_int(t, "any", 0, 1000);
    int x = sonde_int(t, "x", 0, 1000);
    bool b = sonde_bool(t, "b");
    sonde_bool(t, "c");
    sonde_check(t, x < 10 || b);
}

static void values_that_do_not_matter_are_found(void **state)
{
    (void)state;
    struct shrinking s;
    uint8_t is_free[4];
    shrinking_init(&s, some_matter);
    assert_true(shrinking_start(&s, "any=77 x=812 b=no c=yes"));
    assert_string_equal(shrinking_run(&s), "any=0 x=10 b=no c=no");
    assert_int_equal(sonde_shrink_free_choices(&s.tape, &s.test, is_free), 2);
    assert_memory_equal(is_free, ((const uint8_t[]){4, 0, 0, 1}), 4);
    shrinking_clear(&s);
}

static void free_values_obey_the_bound_on_calls(void **state)
{
    (void)state;
    struct shrinking s;
    uint8_t is_free[4];
    shrinking_init(&s, some_matter);
    assert_true(shrinking_start(&s, "any=0 x=10 b=no c=no"));
    s.test.max_calls = 2;
    assert_int_equal(sonde_shrink_free_choices(&s.tape, &s.test, is_free), 0);
    shrinking_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_lists_shrink_in_few_calls),
        cmocka_unit_test(long_loops_shrink_in_few_calls),
        cmocka_unit_test(long_flag_loops_shrink_in_few_calls),
        cmocka_unit_test(long_texts_shrink_in_few_calls),
        cmocka_unit_test(a_failure_without_a_small_core_ends_in_few_calls),
        cmocka_unit_test(a_failure_never_slips_into_another),
        cmocka_unit_test(a_flaky_failure_is_still_a_failure_in_the_end),
        cmocka_unit_test(the_bound_on_calls_is_kept),
        cmocka_unit_test(a_limit_of_a_pass_is_not_called_complete),
        cmocka_unit_test(enough_stops_it_before_the_next_call),
        cmocka_unit_test(what_stops_it_leaves_the_best_so_far),
        cmocka_unit_test(every_step_goes_down_and_no_run_is_repeated),
        cmocka_unit_test(shrinking_twice_finds_nothing_more),
        cmocka_unit_test(any_property_shrinks_to_a_failure),
        cmocka_unit_test(values_that_do_not_matter_are_found),
        cmocka_unit_test(free_values_obey_the_bound_on_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
