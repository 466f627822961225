/* The code under test of the suite `sparse`, and the claims about it. */
#ifndef BENCH_SPARSE_SPARSE_H
#define BENCH_SPARSE_SPARSE_H

#include <sonde.h>

struct sparse_tree {
    int value;
    struct sparse_tree *left, *right;
};

/* Inserts x into a list that has room for one more; the result is wrong if there were k elements or more. */
void sparse_check_sorted(sonde *t, int *list, size_t n, int x, size_t k);
/* The same for a search tree without equal values. */
void sparse_check_tree(sonde *t, struct sparse_tree *root, int x, size_t k);

#endif
