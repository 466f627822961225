/* See subjects.h. */
#include "throughput/subjects.h"

void tree_init(struct tree *t)
{
    t->root = TREE_NONE;
}

static int height(const struct tree *t, int at)
{
    return at == TREE_NONE ? 0 : t->height[at];
}

static void measure(struct tree *t, int at)
{
    int left = height(t, t->left[at]), right = height(t, t->right[at]);
    t->height[at] = (int8_t)(1 + (left > right ? left : right));
}

static int rotate_left(struct tree *t, int at)
{
    int up = t->right[at];
    t->right[at] = t->left[up];
    t->left[up] = (int8_t)at;
    measure(t, at);
    measure(t, up);
    return up;
}

static int rotate_right(struct tree *t, int at)
{
    int up = t->left[at];
    t->left[at] = t->right[up];
    t->right[up] = (int8_t)at;
    measure(t, at);
    measure(t, up);
    return up;
}

static int lean(const struct tree *t, int at)
{
    return height(t, t->left[at]) - height(t, t->right[at]);
}

/* The root of this part of the tree once it is balanced. */
static int balance(struct tree *t, int at)
{
    measure(t, at);
    if (lean(t, at) > 1) {
        if (lean(t, t->left[at]) < 0) t->left[at] = (int8_t)rotate_left(t, t->left[at]);
        return rotate_right(t, at);
    }
    if (lean(t, at) < -1) {
        if (lean(t, t->right[at]) > 0) t->right[at] = (int8_t)rotate_right(t, t->right[at]);
        return rotate_left(t, at);
    }
    return at;
}

static int insert_below(struct tree *t, int at, int key)
{
    if (at == TREE_NONE) {
        t->left[key] = t->right[key] = TREE_NONE;
        t->height[key] = 1;
        return key;
    }
    if (key < at) t->left[at] = (int8_t)insert_below(t, t->left[at], key);
    else t->right[at] = (int8_t)insert_below(t, t->right[at], key);
    return balance(t, at);
}

bool tree_has(const struct tree *t, int key)
{
    int at = t->root;
    while (at != TREE_NONE && at != key) at = key < at ? t->left[at] : t->right[at];
    return at == key;
}

bool tree_insert(struct tree *t, int key)
{
    if (tree_has(t, key)) return false;
    t->root = insert_below(t, t->root, key);
    return true;
}

/* Takes the smallest key out; what is left. */
static int take_first(struct tree *t, int at, int *first)
{
    if (t->left[at] == TREE_NONE) {
        *first = at;
        return t->right[at];
    }
    t->left[at] = (int8_t)take_first(t, t->left[at], first);
    return balance(t, at);
}

static int remove_below(struct tree *t, int at, int key)
{
    if (key < at) t->left[at] = (int8_t)remove_below(t, t->left[at], key);
    else if (key > at) t->right[at] = (int8_t)remove_below(t, t->right[at], key);
    else if (t->left[at] == TREE_NONE) return t->right[at];
    else if (t->right[at] == TREE_NONE) return t->left[at];
    else {
        int next, rest = take_first(t, t->right[at], &next);
        t->left[next] = t->left[at];
        t->right[next] = (int8_t)rest;
        at = next;
    }
    return balance(t, at);
}

bool tree_remove(struct tree *t, int key)
{
    if (!tree_has(t, key)) return false;
    t->root = remove_below(t, t->root, key);
    return true;
}

int tree_floor(const struct tree *t, int key)
{
    int best = TREE_NONE;
    for (int at = t->root; at != TREE_NONE;) {
        if (at > key) at = t->left[at];
        else {
            best = at;
            at = t->right[at];
        }
    }
    return best;
}

int tree_ceiling(const struct tree *t, int key)
{
    int best = TREE_NONE;
    for (int at = t->root; at != TREE_NONE;) {
        if (at < key) at = t->right[at];
        else {
            best = at;
            at = t->left[at];
        }
    }
    return best;
}

int tree_remove_range(struct tree *t, int lo, int hi)
{
    int n = 0;
    for (int at = tree_ceiling(t, lo); at != TREE_NONE && at <= hi; at = tree_ceiling(t, lo)) {
        tree_remove(t, at);
        n++;
    }
    return n;
}

static bool is_sound_within(const struct tree *t, int at, int lo, int hi)
{
    if (at == TREE_NONE) return true;
    if (at < lo || at > hi) return false;
    int left = height(t, t->left[at]), right = height(t, t->right[at]);
    if (left - right > 1 || right - left > 1) return false;
    if (t->height[at] != 1 + (left > right ? left : right)) return false;
    return is_sound_within(t, t->left[at], lo, at - 1) && is_sound_within(t, t->right[at], at + 1, hi);
}

bool tree_is_sound(const struct tree *t)
{
    return is_sound_within(t, t->root, 0, TREE_KEYS - 1);
}
