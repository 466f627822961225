/* The workload RBT: red-black trees with insertion after Okasaki (1999) and deletion after Kahrs (2001), with fifteen mutants.
 *
 * A deletion that meets a tree which is none sets `is_broken`, and the property that asked fails, as published. */
#include "etna/etna.h"

typedef const struct etna_tree *tree;

static bool is_broken;

static tree red(tree l, tree like, tree r)
{
    return etna_node(true, l, like->key, like->value, r);
}

static tree black(tree l, tree like, tree r)
{
    return etna_node(false, l, like->key, like->value, r);
}

static tree coloured(bool is_red, tree l, tree like, tree r)
{
    return etna_node(is_red, l, like->key, like->value, r);
}

static bool is_red(tree t)
{
    return t && t->is_red;
}

static bool is_black(tree t)
{
    return t && !t->is_red;
}

static tree blacken(tree t)
{
    return t ? black(t->left, t, t->right) : NULL;
}

static tree redden(tree t)
{
    if (is_black(t)) return red(t->left, t, t->right);
    is_broken = true;
    return t;
}

/* A black node with two red ones in a row below it becomes a red one with two black ones. */
static tree balance(bool with_red, tree l, tree at, tree r)
{
    if (with_red) return red(l, at, r);
    if (is_red(l) && is_red(l->left)) {
        bool swaps = MUTANT(swap_cd);
        tree c = swaps ? r : l->right, d = swaps ? l->right : r;
        return red(black(l->left->left, l->left, l->left->right), l, black(c, at, d));
    }
    if (is_red(l) && is_red(l->right))
        return red(black(l->left, l, l->right->left), l->right, black(l->right->right, at, r));
    if (is_red(r) && is_red(r->left)) {
        bool swaps = MUTANT(swap_bc);
        tree b = swaps ? r->left->right : r->left->left, c = swaps ? r->left->left : r->left->right;
        return red(black(l, at, b), r->left, black(c, r, r->right));
    }
    if (is_red(r) && is_red(r->right))
        return red(black(l, at, r->left), r, black(r->right->left, r->right, r->right->right));
    return black(l, at, r);
}

static tree insert(int k, bool v, tree t);
static tree add(int k, bool v, tree t)
{
    if (!t) return etna_node(!MUTANT(miscolor_insert), NULL, k, v, NULL);
    if (MUTANT(insert_1)) return etna_node(true, NULL, k, v, NULL);
    if (k < t->key) {
        tree l = add(k, v, t->left);
        if (MUTANT(no_balance_insert_1)) return coloured(t->is_red, l, t, t->right);
        return balance(t->is_red, l, t, t->right);
    }
    if (k > t->key && !MUTANT(insert_2)) {
        if (MUTANT(no_balance_insert_2)) return coloured(t->is_red, t->left, t, insert(k, v, t->right));
        return balance(t->is_red, t->left, t, add(k, v, t->right));
    }
    return etna_node(t->is_red, t->left, t->key, MUTANT(insert_3) ? t->value : v, t->right);
}

static tree insert(int k, bool v, tree t)
{
    return blacken(add(k, v, t));
}

/* ---- Deletion */

/* The left side has a black node too few. */
static tree balance_left(tree l, tree at, tree r)
{
    if (is_red(l)) return red(blacken(l), at, r);
    if (is_black(r)) return balance(false, l, at, red(r->left, r, r->right));
    if (is_red(r) && is_black(r->left)) {
        tree last = MUTANT(miscolor_balLeft) ? r->right : redden(r->right);
        return red(black(l, at, r->left->left), r->left, balance(false, r->left->right, r, last));
    }
    is_broken = true;
    return NULL;
}

static tree balance_right(tree l, tree at, tree r)
{
    if (is_red(r)) return red(l, at, blacken(r));
    if (is_black(l)) return balance(false, red(l->left, l, l->right), at, r);
    if (is_red(l) && is_black(l->right)) {
        tree first = MUTANT(miscolor_balRight) ? l->left : redden(l->left);
        return red(balance(false, first, l, l->right->left), l->right, black(l->right->right, at, r));
    }
    is_broken = true;
    return NULL;
}

/* Two trees of one colour. */
static tree join(tree a, tree b);
static tree join_alike(tree a, tree b)
{
    bool are_red = a->is_red;
    tree middle = join(a->right, b->left);
    if (is_red(middle)) {
        bool is_other = are_red ? MUTANT(miscolor_join_1) : MUTANT(miscolor_join_2);
        return red(coloured(are_red != is_other, a->left, a, middle->left), middle,
                   coloured(are_red != is_other, middle->right, b, b->right));
    }
    if (are_red) return red(a->left, a, red(middle, b, b->right));
    return balance_left(a->left, a, black(middle, b, b->right));
}

static tree join(tree a, tree b)
{
    if (!a) return b;
    if (!b) return a;
    if (a->is_red == b->is_red) return join_alike(a, b);
    if (b->is_red) return red(join(a, b->left), b, b->right);
    return red(a->left, a, join(a->right, b));
}

static tree take(int k, tree t)
{
    if (!t) return NULL;
    if (k == t->key) return join(t->left, t->right);
    bool goes_left = MUTANT(delete_5) ? k > t->key : k < t->key;
    tree from = goes_left ? t->left : t->right, rest = take(k, from);
    if (MUTANT(delete_4)) return rest;
    if (goes_left) return is_black(from) ? balance_left(rest, t, t->right) : red(rest, t, t->right);
    return is_black(from) ? balance_right(t->left, t, rest) : red(t->left, t, rest);
}

static tree erase(int k, tree t)
{
    tree rest = take(k, t);
    return MUTANT(miscolor_delete) ? rest : blacken(rest);
}

/* ---- Preconditions */

/* Black nodes on each path to an empty tree; -1: not the same number on all. */
static int black_height(tree t)
{
    if (!t) return 1;
    int l = black_height(t->left), r = black_height(t->right);
    return l < 0 || l != r ? -1 : l + !t->is_red;
}

static bool has_no_red_red(tree t)
{
    if (!t) return true;
    if (t->is_red && (is_red(t->left) || is_red(t->right))) return false;
    return has_no_red_red(t->left) && has_no_red_red(t->right);
}

static bool is_red_black(tree t)
{
    return etna_is_search_tree(t) && black_height(t) >= 0 && has_no_red_red(t) && !is_red(t);
}

static bool is_valid(const struct etna_property *property, const struct etna_input *in)
{
    return property->assumed == 0 || is_red_black(in->trees[0]);
}

static void draw(sonde *t, const struct etna_property *property, struct etna_input *in)
{
    etna_draw_trees(t, property, true, in);
    sonde_assume(t, is_red_black(in->trees[0]));
}

/* ---- Properties. The input's tree is a, its keys k, j, its values v, w. A broken tree is a failure. */

#define A in->trees[0]
#define K in->keys[0]
#define J in->keys[1]
#define V in->values[0]
#define W in->values[1]

static bool unbroken(bool holds)
{
    bool was_broken = is_broken;
    is_broken = false;
    return holds && !was_broken;
}

static bool insert_valid(const struct etna_input *in)
{
    return unbroken(is_red_black(insert(K, V, A)));
}

static bool delete_valid(const struct etna_input *in)
{
    return unbroken(is_red_black(erase(K, A)));
}

static bool insert_post(const struct etna_input *in)
{
    return unbroken(etna_find(insert(K, V, A), J) == (K == J ? V : etna_find(A, J)));
}

static bool delete_post(const struct etna_input *in)
{
    return unbroken(etna_find(erase(K, A), J) == (K == J ? -1 : etna_find(A, J)));
}

static bool insert_model(const struct etna_input *in)
{
    return unbroken(etna_is_with(insert(K, V, A), A, K, V));
}

static bool delete_model(const struct etna_input *in)
{
    return unbroken(etna_is_without(erase(K, A), A, K));
}

static bool insert_insert(const struct etna_input *in)
{
    tree other = K == J ? insert(K, V, A) : insert(J, W, insert(K, V, A));
    return unbroken(etna_alike(insert(K, V, insert(J, W, A)), other));
}

static bool insert_delete(const struct etna_input *in)
{
    tree other = K == J ? insert(K, V, A) : erase(J, insert(K, V, A));
    return unbroken(etna_alike(insert(K, V, erase(J, A)), other));
}

static bool delete_insert(const struct etna_input *in)
{
    tree other = K == J ? erase(K, A) : insert(J, V, erase(K, A));
    return unbroken(etna_alike(erase(K, insert(J, V, A)), other));
}

static bool delete_delete(const struct etna_input *in)
{
    return unbroken(etna_alike(erase(K, erase(J, A)), erase(J, erase(K, A))));
}

static const struct etna_property properties[] = {
    {"InsertValid", 1, 1, 1, 1, insert_valid},
    {"DeleteValid", 1, 1, 0, 1, delete_valid},
    {"InsertPost", 1, 2, 1, 1, insert_post},
    {"DeletePost", 1, 2, 0, 1, delete_post},
    {"InsertModel", 1, 1, 1, 1, insert_model},
    {"DeleteModel", 1, 1, 0, 1, delete_model},
    {"InsertInsert", 1, 2, 2, 1, insert_insert},
    {"InsertDelete", 1, 2, 1, 1, insert_delete},
    {"DeleteInsert", 1, 2, 1, 1, delete_insert},
    {"DeleteDelete", 1, 2, 0, 1, delete_delete},
    {0},
};

const struct etna_workload etna_rbt = {"RBT", properties, draw, is_valid};
