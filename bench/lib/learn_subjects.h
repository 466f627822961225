/* Naive generators whose inputs are rarely valid: what a learner is measured on. Each is written as a user would write
 * it: draws, spans, one assume, no word about states. Each tells the value it built through sonde_characteristic, so
 * that unique inputs are counted by value. */
#ifndef BENCH_LIB_LEARN_SUBJECTS_H
#define BENCH_LIB_LEARN_SUBJECTS_H

#include <sonde.h>

struct learn_subject {
    const char *name;
    sonde_property_fn *run;
};

/* The name of the suite, which says what compiled the subjects. */
extern const char learn_suite[];

/* Ends with a NULL name. The first five were required from the start; the others were added to them. */
extern const struct learn_subject learn_subjects[];

/* Three of them with states written by hand, as RLCheck's authors write them (w = 4). */
extern const struct learn_subject learn_with_states[];

/* Cheap properties with a planted bug: nothing, or little, is there to be learned. */
extern const struct learn_subject learn_planted[];

/* Search trees, the naive generator. */
void learn_bst(sonde *t);
/* The same with the states of RLCheck's figure 3 ("Tree L/R"), and with those that do not say which way a subtree hangs
 * ("Tree"). */
void learn_bst_states(sonde *t);
void learn_bst_tree(sonde *t);
/* Of the tree drawn last. */
extern unsigned learn_bst_size;
extern uint64_t learn_bst_value;

#endif
