/* A red-black tree of integers from the macros of <sys/tree.h>. */
#ifndef MUTATE_TREE_H
#define MUTATE_TREE_H

#include <stddef.h>

#include <bsd/sys/tree.h>

struct node {
    RB_ENTRY(node) entry;
    int key;
};
RB_HEAD(tree, node);
RB_PROTOTYPE(tree, node, entry, )

#endif
