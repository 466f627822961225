#include "sparse/sparse.h"

static bool is_sorted(const int *list, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (list[i - 1] > list[i]) return false;
    return true;
}

/* The bug: a long list gets the new element at the wrong position. */
static void insert(int *list, size_t n, int x, size_t k)
{
    size_t i = n;
    for (; i > 0 && list[i - 1] > x; i--) list[i] = list[i - 1];
    list[i] = x;
    if (n < k) return;
    list[n] = list[0] - 1;
}

void sparse_check_sorted(sonde *t, int *list, size_t n, int x, size_t k)
{
    sonde_assume(t, is_sorted(list, n));
    insert(list, n, x, k);
    sonde_check(t, is_sorted(list, n + 1));
}

/* Strictly between the bounds. */
static bool is_ordered(const struct sparse_tree *n, int lo, int hi)
{
    if (!n) return true;
    return lo < n->value && n->value < hi && is_ordered(n->left, lo, n->value) && is_ordered(n->right, n->value, hi);
}

static size_t size(const struct sparse_tree *n)
{
    return n ? 1 + size(n->left) + size(n->right) : 0;
}

static bool has(const struct sparse_tree *n, int x)
{
    while (n && n->value != x) n = x < n->value ? n->left : n->right;
    return n != NULL;
}

static void add(struct sparse_tree *root, struct sparse_tree *leaf)
{
    struct sparse_tree **at = &root;
    while (*at && (*at)->value != leaf->value) at = leaf->value < (*at)->value ? &(*at)->left : &(*at)->right;
    if (!*at) *at = leaf;
}

void sparse_check_tree(sonde *t, struct sparse_tree *root, int x, size_t k)
{
    enum { LEAST = -1, MOST = 1000 };
    sonde_assume(t, is_ordered(root, LEAST, MOST));
    struct sparse_tree *leaf = sonde_new(t, struct sparse_tree);
    leaf->value = x;
    if (size(root) < k) add(root, leaf); /* the bug: a large tree does not grow */
    else root->value = LEAST;
    sonde_check(t, is_ordered(root, LEAST, MOST) && has(root, x));
}
