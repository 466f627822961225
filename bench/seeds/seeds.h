/* The code under test of the suite `seeds`: each has a strict notion of what is valid, and work that only valid inputs
 * reach. The generators, in bench/seeds.c, know nothing of either. */
#ifndef BENCH_SEEDS_SEEDS_H
#define BENCH_SEEDS_SEEDS_H

#include "lib/tree.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- Documents: elements with a tag, an attribute or none (-1), and children. */
enum { SEEDS_TAGS = 8, SEEDS_CHILDREN = 4 };

struct seeds_element {
    int tag, attribute;
    size_t n;
    struct seeds_element *children[SEEDS_CHILDREN];
};

bool seeds_document_is_valid(const struct seeds_element *root);
/* Lays the document out; returns its height. */
int seeds_document_render(const struct seeds_element *root);

/* ---- Programs: expressions over integers, truths and three variables. */
enum seeds_kind { SEEDS_INT, SEEDS_BOOL, SEEDS_NAME, SEEDS_ADD, SEEDS_LESS, SEEDS_IF, SEEDS_LET };

struct seeds_expression {
    enum seeds_kind kind;
    int value; /* the number, the truth, the variable */
    struct seeds_expression *parts[3];
};

/* Typed, and every variable bound. */
bool seeds_program_is_valid(const struct seeds_expression *e);
/* Compiles for a stack machine, improves the code and runs it. */
int seeds_program_run(const struct seeds_expression *e);

/* ---- Search trees. */
bool seeds_tree_is_valid(const struct tree *tree);
/* Removes a value, balances, looks at what came out; changes the tree. */
int seeds_tree_work(struct tree *tree, int value);

#endif
