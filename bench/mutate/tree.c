/* Red-black trees of <sys/tree.h>: a sorted set of keys, and balanced. */
#include <sonde.h>

#include "tree.h"

enum { KEYS = 32 };

struct set {
    struct tree tree;
    struct node nodes[KEYS];
    bool has[KEYS];
};

static struct set *any_set(sonde *t)
{
    struct set *set = sonde_new(t, struct set);
    RB_INIT(&set->tree);
    for (int k = 0; k < KEYS; k++) set->nodes[k].key = k;
    for (sonde_list calls = sonde_list_of(t, "calls", 0, 40); sonde_more(&calls);) {
        int k = (int)sonde_int(t, "key", 0, KEYS - 1);
        if (sonde_chance(t, "insert", 0.6)) {
            const struct node *there = RB_INSERT(tree, &set->tree, &set->nodes[k]);
            sonde_check(t, there == (set->has[k] ? &set->nodes[k] : NULL));
            set->has[k] = true;
        } else if (set->has[k]) {
            sonde_check(t, RB_REMOVE(tree, &set->tree, &set->nodes[k]) == &set->nodes[k]);
            set->has[k] = false;
        }
    }
    return set;
}

SONDE_PROPERTY(is_a_set)
{
    struct set *set = any_set(t);
    for (int k = 0; k < KEYS; k++) {
        struct node key = {.key = k};
        const struct node *found = RB_FIND(tree, &set->tree, &key);
        sonde_check(t, found == (set->has[k] ? &set->nodes[k] : NULL));
    }
}

SONDE_PROPERTY(is_sorted)
{
    struct set *set = any_set(t);
    struct node *node = RB_MIN(tree, &set->tree);
    for (int k = 0; k < KEYS; k++) {
        if (!set->has[k]) continue;
        sonde_check(t, node == &set->nodes[k]);
        node = RB_NEXT(tree, &set->tree, node);
    }
    sonde_check(t, node == NULL);
    int last = -1;
    for (int k = 0; k < KEYS; k++)
        if (set->has[k]) last = k;
    const struct node *max = RB_MAX(tree, &set->tree);
    sonde_check(t, max == (last < 0 ? NULL : &set->nodes[last]));
}

/* Returns the number of black nodes on each path down from `node`. */
static int black_height(sonde *t, const struct node *node, const struct node *parent)
{
    if (!node) return 0;
    sonde_check(t, RB_PARENT(node, entry) == parent);
    bool is_red = RB_COLOR(node, entry) == RB_RED;
    sonde_check(t, !is_red || (parent && RB_COLOR(parent, entry) == RB_BLACK));
    int left = black_height(t, RB_LEFT(node, entry), node), right = black_height(t, RB_RIGHT(node, entry), node);
    sonde_check_eq(t, left, right);
    return left + !is_red;
}

SONDE_PROPERTY(is_balanced)
{
    struct set *set = any_set(t);
    black_height(t, RB_ROOT(&set->tree), NULL);
}

SONDE_MAIN()
