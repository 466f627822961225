/* See seeds.h. A tree is valid if it is a search tree without equal values. */
#include "seeds/seeds.h"

#include <limits.h>

static bool is_within(const struct tree *n, int lo, int hi)
{
    if (!n) return true;
    return lo < n->value && n->value < hi && is_within(n->left, lo, n->value) && is_within(n->right, n->value, hi);
}

bool seeds_tree_is_valid(const struct tree *tree)
{
    return is_within(tree, INT_MIN, INT_MAX);
}

static int height(const struct tree *n)
{
    if (!n) return 0;
    int left = height(n->left), right = height(n->right);
    return 1 + (left > right ? left : right);
}

static struct tree *rotate_left(struct tree *n)
{
    struct tree *up = n->right;
    n->right = up->left;
    up->left = n;
    return up;
}

static struct tree *rotate_right(struct tree *n)
{
    struct tree *up = n->left;
    n->left = up->right;
    up->right = n;
    return up;
}

static struct tree *balance(struct tree *n)
{
    if (!n) return n;
    n->left = balance(n->left);
    n->right = balance(n->right);
    int lean = height(n->left) - height(n->right);
    if (lean > 1) {
        if (height(n->left->left) < height(n->left->right)) n->left = rotate_left(n->left);
        return rotate_right(n);
    }
    if (lean < -1) {
        if (height(n->right->right) < height(n->right->left)) n->right = rotate_right(n->right);
        return rotate_left(n);
    }
    return n;
}

static struct tree *drop(struct tree *n, int value)
{
    if (!n) return n;
    if (value < n->value) {
        n->left = drop(n->left, value);
        return n;
    }
    if (value > n->value) {
        n->right = drop(n->right, value);
        return n;
    }
    if (!n->left) return n->right;
    if (!n->right) return n->left;
    struct tree *next = n->right;
    if (!next->left) {
        next->left = n->left;
        return next;
    }
    while (next->left->left) next = next->left;
    n->value = next->left->value;
    next->left = next->left->right;
    return n;
}

int seeds_tree_work(struct tree *tree, int value)
{
    int result = 0;
    tree = balance(drop(tree, value));
    int h = height(tree);
    if (h == 0) return 0;
    if (!tree->left && tree->right) result += 1;
    if (tree->left && !tree->right) result += 2;
    if (h >= 3) {
        result += 4;
        if (tree->left && tree->left->left && tree->left->right) result += 8;
        if (tree->right && tree->right->left && tree->right->right) result += 16;
    }
    if (h >= 4) result += 32;
    if (h >= 5) result += 64;
    return result;
}
