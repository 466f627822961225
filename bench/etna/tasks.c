/* The published tasks: which properties should notice which mutant (tool/benchtool/Tasks.py; for STLC both). Properties that a
 * workload lacks are left out. */
#include "etna/etna.h"

#include <stdlib.h>
#include <string.h>

#define NAME(mutant) [ETNA_##mutant] = #mutant
const char *const etna_mutant_names[ETNA_MUTANTS_END] = {NAME(base),
                                                         NAME(insert_1),
                                                         NAME(insert_2),
                                                         NAME(insert_3),
                                                         NAME(delete_4),
                                                         NAME(delete_5),
                                                         NAME(union_6),
                                                         NAME(union_7),
                                                         NAME(union_8),
                                                         NAME(miscolor_insert),
                                                         NAME(miscolor_delete),
                                                         NAME(miscolor_balLeft),
                                                         NAME(miscolor_balRight),
                                                         NAME(miscolor_join_1),
                                                         NAME(miscolor_join_2),
                                                         NAME(no_balance_insert_1),
                                                         NAME(no_balance_insert_2),
                                                         NAME(swap_cd),
                                                         NAME(swap_bc),
                                                         NAME(shift_var_none),
                                                         NAME(shift_var_all),
                                                         NAME(shift_var_leq),
                                                         NAME(shift_abs_no_incr),
                                                         NAME(subst_var_all),
                                                         NAME(subst_var_none),
                                                         NAME(subst_abs_no_shift),
                                                         NAME(subst_abs_no_incr),
                                                         NAME(substTop_no_shift),
                                                         NAME(substTop_no_shift_back)};

static enum etna_mutant used;

void etna_use(enum etna_mutant mutant)
{
    used = mutant;
}

bool etna_is(enum etna_mutant mutant)
{
    return used == mutant;
}

static const char *const noticed_by[ETNA_MUTANTS_END] = {
    [ETNA_insert_1] = "InsertPost InsertModel DeleteInsert InsertInsert InsertUnion UnionDeleteInsert",
    [ETNA_insert_2] = "InsertPost InsertModel InsertDelete DeleteInsert InsertInsert InsertUnion UnionDeleteInsert",
    [ETNA_insert_3] = "InsertPost InsertModel InsertDelete InsertInsert InsertUnion UnionDeleteInsert",
    [ETNA_delete_4] = "DeleteModel DeletePost DeleteDelete DeleteInsert DeleteUnion InsertDelete UnionDeleteInsert",
    [ETNA_delete_5] = "DeleteModel DeletePost DeleteDelete DeleteInsert DeleteUnion UnionDeleteInsert",
    [ETNA_union_6] = "UnionValid UnionPost UnionModel DeleteUnion InsertUnion UnionDeleteInsert UnionUnionAssoc "
                     "UnionUnionIdem",
    [ETNA_union_7] = "UnionValid UnionPost UnionModel DeleteUnion InsertUnion UnionDeleteInsert UnionUnionAssoc",
    [ETNA_union_8] = "UnionPost UnionModel DeleteUnion InsertUnion UnionDeleteInsert UnionUnionAssoc",
    [ETNA_miscolor_insert] = "InsertValid DeleteInsert",
    [ETNA_miscolor_delete] = "DeleteValid",
    [ETNA_miscolor_balLeft] = "DeleteValid DeleteDelete",
    [ETNA_miscolor_balRight] = "DeleteValid DeleteDelete",
    [ETNA_miscolor_join_1] = "DeleteValid",
    [ETNA_miscolor_join_2] = "DeleteValid DeleteDelete",
    [ETNA_no_balance_insert_1] = "InsertValid DeleteInsert InsertDelete",
    [ETNA_no_balance_insert_2] = "InsertValid DeleteInsert InsertDelete",
    [ETNA_swap_cd] = "InsertValid InsertModel InsertPost DeleteValid DeletePost DeleteModel DeleteDelete DeleteInsert "
                     "InsertDelete InsertInsert",
    [ETNA_swap_bc] = "InsertValid InsertModel InsertPost DeleteValid DeletePost DeleteModel DeleteDelete DeleteInsert "
                     "InsertDelete InsertInsert",
};

enum { TASKS_MAX = 256 };
static struct etna_task all[TASKS_MAX];
static unsigned n_all;

static const struct etna_property *property_of(const struct etna_workload *w, const char *name, size_t n)
{
    for (const struct etna_property *p = w->properties; p->name; p++)
        if (strlen(p->name) == n && strncmp(p->name, name, n) == 0) return p;
    return NULL;
}

static void add(const struct etna_workload *w, enum etna_mutant mutant, const char *names)
{
    for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        const struct etna_property *p = property_of(w, at, strcspn(at, " "));
        if (p && n_all == TASKS_MAX) abort();
        if (p) all[n_all++] = (struct etna_task){w, mutant, p};
    }
}

unsigned etna_tasks(const struct etna_task **tasks)
{
    *tasks = all;
    if (n_all) return n_all;
    for (enum etna_mutant m = ETNA_insert_1; m <= ETNA_union_8; m++) add(&etna_bst, m, noticed_by[m]);
    for (enum etna_mutant m = ETNA_insert_1; m <= ETNA_delete_5; m++) add(&etna_rbt, m, noticed_by[m]);
    for (enum etna_mutant m = ETNA_miscolor_insert; m <= ETNA_swap_bc; m++) add(&etna_rbt, m, noticed_by[m]);
    for (enum etna_mutant m = ETNA_shift_var_none; m < ETNA_MUTANTS_END; m++)
        add(&etna_stlc, m, "SinglePreserve MultiPreserve");
    return n_all;
}
