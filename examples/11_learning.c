/* 11: a generator without knowledge, and a guide that learns. The trees drawn here have any numbers anywhere. Only one
 * in three is a search tree, and nearly all of those have one or two nodes. The bug needs five in the right shape. The
 * guide `rl` learns what makes a tree ordered, from nothing but which inputs were discarded. Then it makes hardly
 * anything else, each input only once.
 *
 * Look for: the number of tests. With --guide random it is tens of thousands, nearly all discarded. With rl (set in the
 * table at the end) it is mostly a few hundred. --explain prints what was learned: values under "right" are greater
 * than all those further out, values under "left" are less. */
#include <sonde.h>

struct tree {
    int value;
    struct tree *left, *right;
};

/* ---- The code under test: removes a value. The successor's right subtree gets lost when it is not a direct child. */

static struct tree *removed(struct tree *n, int value)
{
    if (!n) return NULL;
    if (value < n->value) n->left = removed(n->left, value);
    else if (value > n->value) n->right = removed(n->right, value);
    else if (!n->left) return n->right;
    else if (!n->right) return n->left;
    else {
        struct tree *parent = n, *next = n->right;
        while (next->left) {
            parent = next;
            next = next->left;
        }
        n->value = next->value;
        if (parent == n) n->right = next->right;
        else parent->left = NULL; /* should be next->right */
    }
    return n;
}

/* ---- The property */

static bool is_ordered(const struct tree *n, int lo, int hi)
{
    if (!n) return true;
    return lo < n->value && n->value < hi && is_ordered(n->left, lo, n->value) && is_ordered(n->right, n->value, hi);
}

static int size(const struct tree *n)
{
    return n ? 1 + size(n->left) + size(n->right) : 0;
}

static struct tree *draw_tree(sonde *t, int depth)
{
    sonde_span(t, "tree");
    struct tree *n = sonde_new(t, struct tree);
    n->value = sonde_int(t, "value", 0, 20);
    if (depth < 5 && sonde_bool(t, "left")) n->left = draw_tree(t, depth + 1);
    if (depth < 5 && sonde_bool(t, "right")) n->right = draw_tree(t, depth + 1);
    return n;
}

static void removing_the_root_removes_one(sonde *t)
{
    struct tree *root = draw_tree(t, 0);
    sonde_assume(t, is_ordered(root, -1, 21));
    int before = size(root);
    sonde_classify(t, before >= 5, "five nodes or more");
    root = removed(root, root->value);
    sonde_check_eq(t, size(root), before - 1);
}

int main(int argc, char **argv)
{
    static const sonde_property properties[] = {
        {.name = "removing_the_root_removes_one", .run = removing_the_root_removes_one, .guide = "rl"},
    };
    return sonde_main(argc, argv, properties, 1);
}
