/* The functions that RB_GENERATE defines: the code under test. */
#include "tree.h"

static int compare(const struct node *a, const struct node *b)
{
    return (a->key > b->key) - (a->key < b->key);
}

RB_GENERATE(tree, node, entry, compare)
