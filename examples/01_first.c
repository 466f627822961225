/* 01: the first property. A binary tree, an insert() with a bug, and the check that inserting keeps the tree ordered.
 *
 * Look for: a generator (draw_tree) is any function that draws; the check is one line; and no code was written to make
 * failing inputs small. The counterexample is a tree of one node, with `value 0` and `x 0`. */
#include <sonde.h>
#include <stdbool.h>
#include <stddef.h>

struct tree {
    int value;
    struct tree *left, *right;
};

static bool ordered(const struct tree *n, int lo, int hi)
{
    return !n || (lo < n->value && n->value < hi && ordered(n->left, lo, n->value) && ordered(n->right, n->value, hi));
}

static struct tree *insert(struct tree *root, struct tree *leaf) /* the code under test; has a bug */
{
    if (!root) return leaf;
    if (leaf->value <= root->value) root->left = insert(root->left, leaf);
    else root->right = insert(root->right, leaf);
    return root;
}

static struct tree *draw_tree(sonde *t, int depth)
{
    sonde_span(t, "tree");                      /* closes when the function returns */
    struct tree *n = sonde_new(t, struct tree); /* zeroed; freed when the case ends */
    n->value = sonde_int(t, "value", 0, 10);
    if (depth < 4 && sonde_bool(t, "left")) n->left = draw_tree(t, depth + 1);
    if (depth < 4 && sonde_bool(t, "right")) n->right = draw_tree(t, depth + 1);
    return n;
}

static void insert_keeps_order(sonde *t)
{
    struct tree *root = draw_tree(t, 0);
    struct tree *leaf = sonde_new(t, struct tree);
    leaf->value = sonde_int(t, "x", 0, 10);
    sonde_assume(t, ordered(root, -1, 11));
    root = insert(root, leaf);
    sonde_check(t, ordered(root, -1, 11));
}

SONDE_MAIN(insert_keeps_order)
