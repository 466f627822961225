/* sonde_size: how large this case should be.
 * See also: sonde_list_of sonde_int */
#include <sonde.h>

struct tree {
    struct tree *left, *right;
};

static struct tree *draw_tree(sonde *t, int depth)
{
    sonde_span(t, "tree");
    struct tree *tree = sonde_new(t, struct tree);
    if (depth > 0 && sonde_bool(t, "left")) tree->left = draw_tree(t, depth - 1);
    if (depth > 0 && sonde_bool(t, "right")) tree->right = draw_tree(t, depth - 1);
    return tree;
}

static int height(const struct tree *tree)
{
    if (!tree) return 0;
    int left = height(tree->left), right = height(tree->right);
    return 1 + (left > right ? left : right);
}

static void trees_are_small_at_first(sonde *t)
{
    int most = sonde_size(t) / 10; /* 0 to 10: small trees come first */
    sonde_check_le(t, height(draw_tree(t, most)), most + 1);
}

SONDE_MAIN(trees_are_small_at_first)
