/* The workloads BST, RBT and STLC of ETNA (Shi, Keles, Goldstein, Pierce, Lampropoulos: Etna, an Evaluation Platform for Property-Based
 * Testing, ICFP 2023): its mutants, its properties and its tasks, under the published names (github.com/jwshii/etna, workloads/Haskell and
 * tool/benchtool/Tasks.py at f22b56b). The code is written here. A task is a mutant and a property that should notice it.
 *
 * Inputs are built apart from the properties, so that one can also be read from a file (etna_read). Trees and terms live until
 * etna_reset. */
#ifndef BENCH_ETNA_H
#define BENCH_ETNA_H

#include <sonde.h>

#include <stdio.h>

/* BST and RBT: a tree of keys with values; NULL is the empty tree. BST has no colours. */
struct etna_tree {
    bool is_red;
    const struct etna_tree *left;
    int key;
    bool value;
    const struct etna_tree *right;
};

/* STLC: a type; NULL in `from` and `to` is the type of booleans. */
struct etna_type {
    const struct etna_type *from, *to;
};

/* STLC: a term. Variables are de Bruijn indices. */
struct etna_term {
    enum { ETNA_VAR, ETNA_BOOL, ETNA_ABS, ETNA_APP } kind;
    int n; /* the index of a variable, the value of a boolean */
    const struct etna_type *type;
    const struct etna_term *body;    /* of an abstraction, or what is applied */
    const struct etna_term *operand; /* of an application */
};

enum { ETNA_TREES = 3, ETNA_KEYS = 2, ETNA_VALUES = 2 };

/* Arguments of a property, which uses the first few of each kind. */
struct etna_input {
    const struct etna_tree *trees[ETNA_TREES];
    int keys[ETNA_KEYS];
    bool values[ETNA_VALUES];
    const struct etna_term *term;
};

struct etna_property {
    const char *name; /* as published, without prop_ */
    unsigned trees, keys, values;
    unsigned assumed; /* how many of the trees are assumed to be valid */
    bool (*holds)(const struct etna_input *in);
};

struct etna_workload {
    const char *name;
    const struct etna_property *properties; /* ends without a name */
    /* Draws with the naive generator, and leaves the case where the published precondition does not hold. */
    void (*draw)(sonde *t, const struct etna_property *property, struct etna_input *in);
    bool (*is_valid)(const struct etna_property *property, const struct etna_input *in);
};
extern const struct etna_workload etna_bst, etna_rbt, etna_stlc;

/* ---- Mutants, by their published names */

enum etna_mutant {
    ETNA_base,
    ETNA_insert_1,
    ETNA_insert_2,
    ETNA_insert_3,
    ETNA_delete_4,
    ETNA_delete_5,
    ETNA_union_6,
    ETNA_union_7,
    ETNA_union_8,
    ETNA_miscolor_insert,
    ETNA_miscolor_delete,
    ETNA_miscolor_balLeft,
    ETNA_miscolor_balRight,
    ETNA_miscolor_join_1,
    ETNA_miscolor_join_2,
    ETNA_no_balance_insert_1,
    ETNA_no_balance_insert_2,
    ETNA_swap_cd,
    ETNA_swap_bc,
    ETNA_shift_var_none,
    ETNA_shift_var_all,
    ETNA_shift_var_leq,
    ETNA_shift_abs_no_incr,
    ETNA_subst_var_all,
    ETNA_subst_var_none,
    ETNA_subst_abs_no_shift,
    ETNA_subst_abs_no_incr,
    ETNA_substTop_no_shift,
    ETNA_substTop_no_shift_back,
    ETNA_MUTANTS_END
};
extern const char *const etna_mutant_names[ETNA_MUTANTS_END];

/* Sets the mutant that runs; ETNA_base is the correct version. */
void etna_use(enum etna_mutant mutant);
/* Out of line and not instrumented, so that guides see nothing of the choice. */
bool etna_is(enum etna_mutant mutant);
#define MUTANT(name) etna_is(ETNA_##name)

struct etna_task {
    const struct etna_workload *workload;
    enum etna_mutant mutant;
    const struct etna_property *property;
};

/* All 131 tasks, in the order of the published list. */
unsigned etna_tasks(const struct etna_task **tasks);

/* ---- Memory of one case */

void etna_reset(void);
/* True if a case needed more memory than there is: a mutant of STLC can make terms grow without end. */
bool etna_is_full(void);
const struct etna_tree *etna_node(bool is_red, const struct etna_tree *left, int key, bool value,
                                  const struct etna_tree *right);
const struct etna_type *etna_function(const struct etna_type *from, const struct etna_type *to);
const struct etna_term *etna_term(struct etna_term term);

/* ---- Shared by the properties of both trees */

enum { ETNA_ENTRIES = 4096 };
struct etna_list {
    unsigned n;
    struct {
        int key;
        bool value;
    } at[ETNA_ENTRIES];
};
/* Keys and values from left to right; appends. */
void etna_to_list(const struct etna_tree *tree, struct etna_list *list);
bool etna_same_list(const struct etna_list *a, const struct etna_list *b);
/* Do both have the same keys and values in the same order? */
bool etna_alike(const struct etna_tree *a, const struct etna_tree *b);
/* The value of the key, found as in a search tree: 0 or 1; -1: there is none. */
int etna_find(const struct etna_tree *tree, int key);
void etna_list_add(struct etna_list *list, int key, bool value); /* in order */
/* Returns whether `got` has what `tree` has, but for the key, which has that value (insert) or is missing (erase). */
bool etna_is_with(const struct etna_tree *got, const struct etna_tree *tree, int key, bool value);
bool etna_is_without(const struct etna_tree *got, const struct etna_tree *tree, int key);
/* Returns whether all keys are in order, each once. */
bool etna_is_search_tree(const struct etna_tree *tree);

/* Draws trees, keys and values for a property, with or without colours. */
void etna_draw_trees(sonde *t, const struct etna_property *property, bool has_colours, struct etna_input *in);

/* ---- Inputs as text: E or (T l k v r), with colours (T R l k v r); terms as x0, true, (\TYPE BODY), (BODY OPERAND) */

bool etna_read(const char *text, const struct etna_workload *w, const struct etna_property *p, struct etna_input *in);
void etna_print(FILE *out, const struct etna_workload *w, const struct etna_property *p, const struct etna_input *in);

#endif
