/* Red-black trees of <sys/tree.h>: two of them by the same calls, one by the functions without a mutant. */
#include "kills/kills.h"

#include "tree.h"

ORIGINAL(tree_RB_INSERT);
ORIGINAL(tree_RB_REMOVE);
ORIGINAL(tree_RB_FIND);
ORIGINAL(tree_RB_NFIND);
ORIGINAL(tree_RB_NEXT);
ORIGINAL(tree_RB_PREV);
ORIGINAL(tree_RB_MINMAX);

static const struct library {
    __typeof__(&tree_RB_INSERT) insert;
    __typeof__(&tree_RB_REMOVE) remove;
    __typeof__(&tree_RB_FIND) find, nfind;
    __typeof__(&tree_RB_NEXT) next, prev;
    __typeof__(&tree_RB_MINMAX) minmax;
} libraries[2] = {{tree_RB_INSERT, tree_RB_REMOVE, tree_RB_FIND, tree_RB_NFIND, tree_RB_NEXT, tree_RB_PREV,
                   tree_RB_MINMAX},
                  {original_tree_RB_INSERT, original_tree_RB_REMOVE, original_tree_RB_FIND, original_tree_RB_NFIND,
                   original_tree_RB_NEXT, original_tree_RB_PREV, original_tree_RB_MINMAX}};

enum { KEYS = 256 };

struct set {
    struct tree tree;
    struct node nodes[KEYS];
};

static int key_of(const struct node *node)
{
    return node ? node->key : -1;
}

/* One call; returns the key that it finds, -1: none. */
static int apply(const struct library *c, struct set *set, int call, int key)
{
    struct node wanted = {.key = key}, *found = c->find(&set->tree, &wanted);
    switch (call) {
    case 0:
    case 1: return key_of(c->insert(&set->tree, &set->nodes[key]));
    case 2: return found ? key_of(c->remove(&set->tree, found)) : -1;
    case 3: return key_of(c->nfind(&set->tree, &wanted));
    case 4: return found ? key_of(c->next(found)) : -1;
    case 5: return found ? key_of(c->prev(found)) : -1;
    default: return key_of(c->minmax(&set->tree, key % 2 ? 1 : -1));
    }
}

/* Compares two trees, node by node: keys, colors and parents. */
static void check_same(sonde *t, const struct node *got, const struct node *want)
{
    sonde_check_eq(t, key_of(got), key_of(want));
    if (!want) return;
    sonde_check_eq(t, (int)RB_COLOR(got, entry), (int)RB_COLOR(want, entry));
    sonde_check_eq(t, key_of(RB_PARENT(got, entry)), key_of(RB_PARENT(want, entry)));
    check_same(t, RB_LEFT(got, entry), RB_LEFT(want, entry));
    check_same(t, RB_RIGHT(got, entry), RB_RIGHT(want, entry));
}

static void agrees(sonde *t)
{
    struct set *sets[2] = {sonde_new(t, struct set), sonde_new(t, struct set)};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < KEYS; k++) sets[i]->nodes[k].key = k;
    for (sonde_list calls = sonde_list_of(t, "calls", 0, 30); sonde_more(&calls);) {
        int call = (int)sonde_pick(t, "call", 7), key = (int)sonde_int(t, "key", 0, KEYS - 1);
        int got = apply(&libraries[0], sets[0], call, key), want = apply(&libraries[1], sets[1], call, key);
        sonde_check_eq(t, got, want);
    }
    check_same(t, RB_ROOT(&sets[0]->tree), RB_ROOT(&sets[1]->tree));
}

KILLS_MAIN
