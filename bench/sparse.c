/* sparse: two bugs behind a sparse precondition. The generators are naive, the precondition is only an assume, and the
 * bug shows only in inputs of at least K elements.
 *
 *   sorted-K   a list of 0..20 integers, assumed sorted; x is inserted in order
 *   bst-K      a tree of depth 6 at most, each child there with probability 1/2, assumed to be a search tree; x is
 *              inserted
 *
 * The code under test is in bench/sparse, to be instrumented alone. */
#include "lib/bench.h"
#include "sparse/sparse.h"

enum { LONGEST = 20, TOP = 100, DEEPEST = 6 };

static void sorted_insert(sonde *t)
{
    const size_t *k = sonde_context(t);
    int list[LONGEST + 1];
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, LONGEST);
    while (sonde_more(&xs)) list[n++] = sonde_int(t, "x", 0, TOP);
    sparse_check_sorted(t, list, n, sonde_int(t, "new", 0, TOP), *k);
}

static struct sparse_tree *draw_tree(sonde *t, int depth)
{
    sonde_span(t, "tree");
    struct sparse_tree *n = sonde_new(t, struct sparse_tree);
    n->value = sonde_int(t, "value", 0, TOP);
    if (depth < DEEPEST && sonde_bool(t, "has left")) n->left = draw_tree(t, depth + 1);
    if (depth < DEEPEST && sonde_bool(t, "has right")) n->right = draw_tree(t, depth + 1);
    return n;
}

static void bst_insert(sonde *t)
{
    const size_t *k = sonde_context(t);
    struct sparse_tree *root = draw_tree(t, 1);
    sparse_check_tree(t, root, sonde_int(t, "new", 0, TOP), *k);
}

int main(int argc, char **argv)
{
    static size_t easy = 6, hard = 9;
    static const struct {
        const char *name;
        sonde_property property;
    } rows[] = {{"sorted-6", {.run = sorted_insert, .context = &easy}},
                {"sorted-9", {.run = sorted_insert, .context = &hard}},
                {"bst-6", {.run = bst_insert, .context = &easy}},
                {"bst-9", {.run = bst_insert, .context = &hard}}};
    static const char *const columns[] = {"found", "tests_to_failure", "valid_rate", "unique_valid", "cpu_s", NULL};
    static struct bench b = {.suite = "sparse",
                             .columns = columns,
                             .guides = "uniform",
                             .tests = 1000000,
                             .full_tests = 1000000000,
                             .seconds = 60,
                             .first_seed = 1,
                             .last_seed = 20};
    bench_start(&b, argc, argv);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) bench_property(&b, rows[i].name, &rows[i].property);
    return bench_end(&b);
}
