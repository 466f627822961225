/* What `rl` promises, on short runs with fixed seeds: unique valid inputs where a naive generator makes few, and bugs
 * found no later than by `uniform` where there is nothing to learn. Deterministic: a failure is a change, not bad luck. */
#include "engine/search.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- Subjects */

struct tree {
    int value;
    struct tree *left, *right;
};

static bool is_ordered(const struct tree *n, int lo, int hi)
{
    if (!n) return true;
    return lo < n->value && n->value < hi && is_ordered(n->left, lo, n->value) && is_ordered(n->right, n->value, hi);
}

static struct tree *draw_tree(sonde *t, int depth)
{
    sonde_span(t, "tree");
    struct tree *n = sonde_new(t, struct tree);
    n->value = sonde_int(t, "value", 0, 10);
    if (depth < 4 && sonde_bool(t, "left")) n->left = draw_tree(t, depth + 1);
    if (depth < 4 && sonde_bool(t, "right")) n->right = draw_tree(t, depth + 1);
    return n;
}

static void search_trees(sonde *t)
{
    sonde_assume(t, is_ordered(draw_tree(t, 0), -1, 11));
}

static void sorted_lists(sonde *t)
{
    int last = 0;
    bool ok = true;
    sonde_list xs = sonde_list_of(t, "xs", 0, 12);
    while (sonde_more(&xs)) {
        int x = sonde_int(t, "x", 0, 100);
        ok &= last <= x;
        last = x;
    }
    sonde_assume(t, ok);
}

static void brackets(sonde *t)
{
    size_t stack[20];
    int depth = 0;
    bool ok = true;
    for (int i = 0; i < 20; i++) {
        size_t token = sonde_pick(t, "token", 5);
        if (token == 0) break;
        if (token <= 2) stack[depth++] = token;
        else ok &= depth > 0 && stack[--depth] == token - 2;
        if (!ok) break;
    }
    sonde_assume(t, ok && depth == 0);
}

static void planted_number(sonde *t)
{
    sonde_check(t, sonde_int(t, "x", 0, 200) != 77);
}

static void planted_pair(sonde *t)
{
    int a = sonde_int(t, "a", 0, 15), b = sonde_int(t, "b", 0, 15);
    sonde_check(t, a + b != 29);
}

/* Here one in ten cases is discarded, so it does learn. */
static void planted_behind_an_assume(sonde *t)
{
    int a = sonde_int(t, "a", 0, 9), b = sonde_int(t, "b", 0, 9), c = sonde_int(t, "c", 0, 9);
    sonde_assume(t, a != b);
    sonde_check(t, !(a == 7 && c == 3));
}

/* ---- Measuring */

struct measured {
    uint64_t unique, tests;
};

static struct measured search(sonde_property_fn *run, const char *guide, uint64_t seed, uint64_t runs)
{
    struct sonde_options options;
    sonde_options_default(&options);
    options.guide = guide;
    options.seed = seed;
    options.tests = 0;
    options.runs = runs;
    options.seconds = 0;
    options.max_discards = 0;
    options.fail_fast = true;
    sonde_property property = {.name = "subject", .run = run};
    struct sonde_search *s = calloc(1, sizeof *s);
    if (!s) abort();
    sonde_search_init(s, &property, &options, 0);
    sonde_search_run(s);
    bool estimated;
    struct measured m = {sonde_unique_count(&s->unique, &estimated), s->n_found ? s->found[0]->test : s->stats.tests};
    sonde_search_clear(s);
    free(s);
    return m;
}

static int failures;

static void expect(bool ok, const char *what, double got, double bound)
{
    if (ok) return;
    fprintf(stderr, "%s: %g, but the bound is %g\n", what, got, bound);
    failures++;
}

static void expect_unique(sonde_property_fn *run, const char *what, uint64_t least)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        uint64_t unique = search(run, "rl", seed, 20000).unique;
        expect(unique >= least, what, (double)unique, (double)least);
    }
}

static void expect_no_harm(sonde_property_fn *run, const char *what, uint64_t seeds)
{
    double mine = 0, reference = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        mine += (double)search(run, "rl", seed, 100000).tests;
        reference += (double)search(run, "uniform", seed, 100000).tests;
    }
    expect(mine <= 1.2 * reference, what, mine / (double)seeds, 1.2 * reference / (double)seeds);
}

int main(void)
{
    expect_unique(search_trees, "unique search trees of 20,000", 18500);
    expect_unique(sorted_lists, "unique sorted lists of 20,000", 18500);
    expect_unique(brackets, "unique bracket words of 20,000", 14000);
    uint64_t classic = search(search_trees, "rl-classic", 1, 20000).unique;
    expect(classic > 1500 && classic < 15000, "unique search trees of rl-classic", (double)classic, 1500);
    expect_no_harm(planted_number, "tests to a planted number", 150);
    expect_no_harm(planted_pair, "tests to a planted pair", 150);
    expect_no_harm(planted_behind_an_assume, "tests to a bug behind an assume", 150);
    return failures > 0;
}
