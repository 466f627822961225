/* The workload BST: search trees after "How to Specify It" (Hughes 2019), with eight mutants. */
#include "etna/etna.h"

static const struct etna_tree *node(const struct etna_tree *l, const struct etna_tree *like, bool value,
                                    const struct etna_tree *r)
{
    return etna_node(false, l, like->key, value, r);
}

static const struct etna_tree *insert(int k, bool v, const struct etna_tree *t)
{
    if (!t || MUTANT(insert_1)) return etna_node(false, NULL, k, v, NULL);
    if (k < t->key) return node(insert(k, v, t->left), t, t->value, t->right);
    if (k > t->key && !MUTANT(insert_2)) return node(t->left, t, t->value, insert(k, v, t->right));
    return node(t->left, t, MUTANT(insert_3) ? t->value : v, t->right);
}

/* All keys of the first tree are below all keys of the second. */
static const struct etna_tree *join(const struct etna_tree *a, const struct etna_tree *b)
{
    if (!a) return b;
    if (!b) return a;
    return node(a->left, a, a->value, node(join(a->right, b->left), b, b->value, b->right));
}

static const struct etna_tree *erase(int k, const struct etna_tree *t)
{
    if (!t) return NULL;
    if (k == t->key) return join(t->left, t->right);
    bool goes_left = MUTANT(delete_5) ? k > t->key : k < t->key;
    if (MUTANT(delete_4)) return erase(k, goes_left ? t->left : t->right);
    if (goes_left) return node(erase(k, t->left), t, t->value, t->right);
    return node(t->left, t, t->value, erase(k, t->right));
}

static const struct etna_tree *below(int k, const struct etna_tree *t)
{
    if (!t) return NULL;
    return k <= t->key ? below(k, t->left) : node(t->left, t, t->value, below(k, t->right));
}

static const struct etna_tree *above(int k, const struct etna_tree *t)
{
    if (!t) return NULL;
    return k >= t->key ? above(k, t->right) : node(above(k, t->left), t, t->value, t->right);
}

/* The first has precedence. */
static const struct etna_tree *unite(const struct etna_tree *a, const struct etna_tree *b)
{
    if (!a) return b;
    if (!b) return a;
    bool is_7 = MUTANT(union_7), is_8 = MUTANT(union_8);
    if (MUTANT(union_6) || (is_7 && a->key < b->key))
        return node(a->left, a, a->value, node(unite(a->right, b->left), b, b->value, b->right));
    if (!is_7 && !is_8) return node(unite(a->left, below(a->key, b)), a, a->value, unite(a->right, above(a->key, b)));
    if (a->key == b->key) return node(unite(a->left, b->left), a, a->value, unite(a->right, b->right));
    if (a->key > b->key) return unite(b, a);
    const struct etna_tree *rest = node(above(a->key, b->left), b, b->value, b->right);
    return node(unite(a->left, below(a->key, b->left)), a, a->value, unite(a->right, rest));
}

/* ---- Preconditions */

static bool is_valid(const struct etna_property *property, const struct etna_input *in)
{
    for (unsigned i = 0; i < property->assumed; i++)
        if (!etna_is_search_tree(in->trees[i])) return false;
    return true;
}

static void draw(sonde *t, const struct etna_property *property, struct etna_input *in)
{
    etna_draw_trees(t, property, false, in);
    for (unsigned i = 0; i < property->assumed; i++) sonde_assume(t, etna_is_search_tree(in->trees[i]));
}

/* ---- Properties. The input's trees are a, b, c, its keys k, j, its values v, w. */

#define A in->trees[0]
#define B in->trees[1]
#define C in->trees[2]
#define K in->keys[0]
#define J in->keys[1]
#define V in->values[0]
#define W in->values[1]

static bool insert_valid(const struct etna_input *in)
{
    return etna_is_search_tree(insert(K, V, A));
}

static bool delete_valid(const struct etna_input *in)
{
    return etna_is_search_tree(erase(K, A));
}

static bool union_valid(const struct etna_input *in)
{
    return etna_is_search_tree(unite(A, B));
}

static bool insert_post(const struct etna_input *in)
{
    return etna_find(insert(K, V, A), J) == (K == J ? V : etna_find(A, J));
}

static bool delete_post(const struct etna_input *in)
{
    return etna_find(erase(K, A), J) == (K == J ? -1 : etna_find(A, J));
}

static bool union_post(const struct etna_input *in)
{
    int first = etna_find(A, K);
    return etna_find(unite(A, B), K) == (first >= 0 ? first : etna_find(B, K));
}

static bool insert_model(const struct etna_input *in)
{
    return etna_is_with(insert(K, V, A), A, K, V);
}

static bool delete_model(const struct etna_input *in)
{
    return etna_is_without(erase(K, A), A, K);
}

static bool union_model(const struct etna_input *in)
{
    static struct etna_list got, want, second;
    got.n = want.n = second.n = 0;
    etna_to_list(unite(A, B), &got);
    etna_to_list(A, &want);
    etna_to_list(B, &second);
    for (unsigned i = 0; i < second.n; i++)
        if (etna_find(A, second.at[i].key) < 0) etna_list_add(&want, second.at[i].key, second.at[i].value);
    return etna_same_list(&got, &want);
}

static bool insert_insert(const struct etna_input *in)
{
    const struct etna_tree *other = K == J ? insert(K, V, A) : insert(J, W, insert(K, V, A));
    return etna_alike(insert(K, V, insert(J, W, A)), other);
}

static bool insert_delete(const struct etna_input *in)
{
    const struct etna_tree *other = K == J ? insert(K, V, A) : erase(J, insert(K, V, A));
    return etna_alike(insert(K, V, erase(J, A)), other);
}

static bool insert_union(const struct etna_input *in)
{
    return etna_alike(insert(K, V, unite(A, B)), unite(insert(K, V, A), B));
}

static bool delete_insert(const struct etna_input *in)
{
    const struct etna_tree *other = K == J ? erase(K, A) : insert(J, V, erase(K, A));
    return etna_alike(erase(K, insert(J, V, A)), other);
}

static bool delete_delete(const struct etna_input *in)
{
    return etna_alike(erase(K, erase(J, A)), erase(J, erase(K, A)));
}

static bool delete_union(const struct etna_input *in)
{
    return etna_alike(erase(K, unite(A, B)), unite(erase(K, A), erase(K, B)));
}

static bool union_delete_insert(const struct etna_input *in)
{
    return etna_alike(unite(erase(K, A), insert(K, V, B)), insert(K, V, unite(A, B)));
}

static bool union_union_idem(const struct etna_input *in)
{
    return etna_alike(unite(A, A), A);
}

static bool is_same(const struct etna_tree *a, const struct etna_tree *b)
{
    if (!a || !b) return a == b;
    return a->key == b->key && a->value == b->value && is_same(a->left, b->left) && is_same(a->right, b->right);
}

/* As published by structure, not by contents. */
static bool union_union_assoc(const struct etna_input *in)
{
    return is_same(unite(unite(A, B), C), unite(A, unite(B, C)));
}

static const struct etna_property properties[] = {
    {"InsertValid", 1, 1, 1, 1, insert_valid},
    {"DeleteValid", 1, 1, 0, 1, delete_valid},
    {"UnionValid", 2, 0, 0, 2, union_valid},
    {"InsertPost", 1, 2, 1, 1, insert_post},
    {"DeletePost", 1, 2, 0, 1, delete_post},
    {"UnionPost", 2, 1, 0, 1, union_post}, /* as published, the second tree is any */
    {"InsertModel", 1, 1, 1, 1, insert_model},
    {"DeleteModel", 1, 1, 0, 1, delete_model},
    {"UnionModel", 2, 0, 0, 2, union_model},
    {"InsertInsert", 1, 2, 2, 1, insert_insert},
    {"InsertDelete", 1, 2, 1, 1, insert_delete},
    {"InsertUnion", 2, 1, 1, 2, insert_union},
    {"DeleteInsert", 1, 2, 1, 1, delete_insert},
    {"DeleteDelete", 1, 2, 0, 1, delete_delete},
    {"DeleteUnion", 2, 1, 0, 2, delete_union},
    {"UnionDeleteInsert", 2, 1, 1, 2, union_delete_insert},
    {"UnionUnionIdem", 1, 0, 0, 1, union_union_idem},
    {"UnionUnionAssoc", 3, 0, 0, 3, union_union_assoc},
    {0},
};

const struct etna_workload etna_bst = {"BST", properties, draw, is_valid};
