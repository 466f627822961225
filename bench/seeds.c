/* seeds: does it pay to begin a search by mutation with seeds, when making them is counted in; and which filter should
 * select them? The two questions of Kummer's thesis on seeds for Zest.
 *
 *   document   elements of a schema          program   expressions that must type          tree   search trees
 *
 * Naive generators; the code under test (bench/seeds) is instrumented and the generators are not. A row has
 *
 *   edges       counters that valid inputs hit, at the end
 *   traces      different behaviour of valid inputs: sets of counters with how often they were hit
 *   tests_90    tests until valid inputs had hit nine tenths of all counters that any way of searching ever hit (see main)
 *   cost_90     the same in choices made and edges executed: what guides count by
 *   cost        of the whole search, seeds included
 *
 * The ways of searching: `zest`, `rl` and `cgpt` alone; `seeded`, as users get it; and as in the thesis, where zest sees the
 * selected seeds alone, `CHO`, `COV`, `PAR`, `RND` for the filters choices, generator, sequence, random. */
#include "feedback/unique.h"
#include "lib/bench.h"
#include "seeds/seeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Generators */

static struct seeds_element *draw_element(sonde *t, int level)
{
    sonde_span(t, "element");
    struct seeds_element *e = sonde_new(t, struct seeds_element);
    e->tag = (int)sonde_pick(t, "tag", SEEDS_TAGS);
    e->attribute = sonde_bool(t, "has attribute") ? (int)sonde_pick(t, "attribute", 4) : -1;
    sonde_list children = sonde_list_of(t, "children", 0, level < 4 ? SEEDS_CHILDREN : 0);
    while (sonde_more(&children)) e->children[e->n++] = draw_element(t, level + 1);
    return e;
}

static void document(sonde *t)
{
    struct seeds_element *root = draw_element(t, 0);
    sonde_assume(t, seeds_document_is_valid(root));
    seeds_document_render(root);
}

static struct seeds_expression *draw_expression(sonde *t, int level)
{
    static const int parts[] = {0, 0, 0, 2, 2, 3, 2};
    sonde_span(t, "expression");
    struct seeds_expression *e = sonde_new(t, struct seeds_expression);
    e->kind = (enum seeds_kind)sonde_pick(t, "kind", level < 4 ? 7 : 3);
    if (e->kind == SEEDS_INT) e->value = sonde_int(t, "int", 0, 9);
    else if (e->kind == SEEDS_BOOL) e->value = sonde_bool(t, "bool");
    else if (e->kind == SEEDS_NAME || e->kind == SEEDS_LET) e->value = (int)sonde_pick(t, "name", 3);
    for (int i = 0; i < parts[e->kind]; i++) e->parts[i] = draw_expression(t, level + 1);
    return e;
}

static void program(sonde *t)
{
    struct seeds_expression *e = draw_expression(t, 0);
    sonde_assume(t, seeds_program_is_valid(e));
    seeds_program_run(e);
}

static void tree(sonde *t)
{
    struct tree *root = tree_draw(t, 6, 100);
    sonde_assume(t, seeds_tree_is_valid(root));
    seeds_tree_work(root, sonde_int(t, "drop", 0, 100));
}

/* ---- Coverage of valid inputs */

enum { IDS = 1 << 16 };

static struct {
    bool is_hit[IDS];
    struct sonde_unique traces;
    uint64_t tests, cost, edges;
    uint64_t goal, tests_to_goal, cost_to_goal;
} reached;

static bool watch(void *state, const struct sonde_feedback_run *run)
{
    (void)state;
    const struct sonde_observation *o = run->observation;
    reached.tests++;
    reached.cost += o->cost;
    if (o->verdict != SONDE_VALID || !o->coverage) return false;
    sonde_unique_add(&reached.traces, o->coverage->trace);
    for (size_t i = 0; i < o->coverage->n_features; i++) {
        const struct sonde_feature *f = &o->coverage->features[i];
        if (f->kind != SONDE_FEATURE_COUNTER || f->id >= IDS || reached.is_hit[f->id]) continue;
        reached.is_hit[f->id] = true;
        if (++reached.edges != reached.goal) continue;
        reached.tests_to_goal = reached.tests;
        reached.cost_to_goal = reached.cost;
    }
    return false;
}

/* ---- Ways of searching */

static const struct way {
    const char *name, *guide, *options;
} ways[] = {{"zest", "zest", NULL},
            {"rl", "rl", NULL},
            {"cgpt", "cgpt", NULL},
            {"seeded", "seeded", NULL},
            {"CHO", "seeded", "watch=0,filter=choices"},
            {"COV", "seeded", "watch=0,filter=generator"},
            {"PAR", "seeded", "watch=0,filter=sequence"},
            {"RND", "seeded", "watch=0,filter=random"}};

static void measure(struct bench *b, const char *row, sonde_property_fn *run, uint64_t most)
{
    static const struct sonde_feedback feedback = {.size = 1, .update = watch};
    sonde_property property = {.name = row, .run = run, .feedback = &feedback};
    if (!bench_wants(b, row)) return;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        for (uint64_t seed = b->first_seed; seed <= b->last_seed; seed++) {
            memset(&reached, 0, sizeof reached);
            sonde_unique_init(&reached.traces);
            reached.goal = (most * 9 + 9) / 10;
            b->guide_options = ways[w].options;
            struct bench_row r = bench_search(b, row, ways[w].guide, seed, &property);
            bool estimated;
            r.guide = ways[w].name;
            r.searches = false;
            bench_more(&r, "edges", (double)reached.edges);
            r.traces = sonde_unique_count(&reached.traces, &estimated);
            bench_more(&r, "tests_90", reached.tests_to_goal ? (double)reached.tests_to_goal : INFINITY);
            bench_more(&r, "cost_90", reached.tests_to_goal ? (double)reached.cost_to_goal : INFINITY);
            bench_more(&r, "cost", (double)reached.cost);
            bench_report(b, &r);
            sonde_unique_clear(&reached.traces);
        }
        bench_line(b);
    }
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"valid_rate", "edges", "traces", "tests_90", "cost_90", "cost", NULL};
    static struct bench b = {.suite = "seeds",
                             .columns = columns,
                             .guides = "zest",
                             .tests = 50000,
                             .full_tests = 1000000,
                             .first_seed = 1,
                             .last_seed = 10};
    bench_start(&b, argc, argv);
    measure(&b, "document", document, 80);
    measure(&b, "program", program, 72);
    measure(&b, "tree", tree, 34);
    return bench_end(&b);
}
