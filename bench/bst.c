/* Unique valid search trees out of 100,000 (RLCheck, section 4.3.1, figures 4 and 5). Row "bst" is the naive generator,
 * "bst-states" the same with the paper's L/R states given through sonde_state, which is what rl-classic needs,
 * "bst-tree" with the states of its abstraction Tree; rl-classic on "bst" is Sequence. The window is 4, as in that
 * section. The sizes of the unique valid trees are printed as size_1 to size_11 (--json) or as a line below the
 * table's.
 *
 *   bst [--tests N] [--seeds A-B] [--guide NAMES] [--only ROWS] [--json] */
#include "lib/bench.h"
#include "lib/learn_subjects.h"

#include "feedback/unique.h"

#include <inttypes.h>
#include <string.h>

enum { SIZES = 12 };

/* The unique valid trees of one search. */
static struct sonde_unique seen;
static uint64_t sizes[SIZES];

static void count_tree(void)
{
    if (sonde_unique_add(&seen, learn_bst_value) && learn_bst_size < SIZES) sizes[learn_bst_size]++;
}

static void naive(sonde *t)
{
    learn_bst(t);
    count_tree();
}

static void with_states(sonde *t)
{
    learn_bst_states(t);
    count_tree();
}

static void with_tree(sonde *t)
{
    learn_bst_tree(t);
    count_tree();
}

static void run_row(struct bench *b, const sonde_property *property, const char *guide)
{
    static const char *const names[SIZES] = {"",       "size_1", "size_2", "size_3", "size_4",  "size_5",
                                             "size_6", "size_7", "size_8", "size_9", "size_10", "size_11"};
    for (uint64_t seed = b->first_seed; seed <= b->last_seed; seed++) {
        sonde_unique_init(&seen);
        memset(sizes, 0, sizeof sizes);
        struct bench_row row = bench_search(b, property->name, guide, seed, property);
        for (int i = 1; i < SIZES; i++) bench_more(&row, names[i], (double)sizes[i]);
        bench_report(b, &row);
        sonde_unique_clear(&seen);
    }
    bench_line(b);
    if (b->json) return;
    printf("  sizes, last seed:");
    for (int i = 1; i < SIZES; i++) printf(" %d:%" PRIu64, i, sizes[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"valid", "unique_valid", "cpu_s", NULL};
    static struct bench b = {.suite = "bst",
                             .columns = columns,
                             .guides = "uniform,rl-classic,rl",
                             .tests = 100000,
                             .full_tests = 100000,
                             .guide_options = "window=4",
                             .first_seed = 1,
                             .last_seed = 10};
    static const sonde_property properties[] = {{.name = "bst", .run = naive},
                                                {.name = "bst-tree", .run = with_tree},
                                                {.name = "bst-states", .run = with_states}};
    bench_start(&b, argc, argv);
    for (size_t p = 0; p < sizeof properties / sizeof *properties; p++) {
        if (!bench_wants(&b, properties[p].name)) continue;
        const char *guide;
        for (unsigned i = 0; (guide = bench_guide(&b, i)) != NULL; i++) run_row(&b, &properties[p], guide);
    }
    return bench_end(&b);
}
