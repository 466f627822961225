/* Binary trees of numbers and the naive generator of them, which knows nothing of order. */
#ifndef BENCH_LIB_TREE_H
#define BENCH_LIB_TREE_H

#include <sonde.h>

struct tree {
    int value;
    struct tree *left, *right;
};

/* With values up to `max` and at most so many levels below the root. */
static inline struct tree *tree_draw(sonde *t, int levels, int max)
{
    sonde_span(t, "tree");
    struct tree *n = sonde_new(t, struct tree);
    n->value = sonde_int(t, "value", 0, max);
    if (levels > 0 && sonde_bool(t, "left")) n->left = tree_draw(t, levels - 1, max);
    if (levels > 0 && sonde_bool(t, "right")) n->right = tree_draw(t, levels - 1, max);
    return n;
}

#endif
