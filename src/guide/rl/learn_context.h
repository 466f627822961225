/* The state of a draw, derived from the tape: what came before it in its span, on the path of open spans, in the previous
 * sibling; and *relations* to earlier values. learn_context.c has the argument.
 *
 * Example: a generator of search trees draws value, then left, then perhaps a tree, then right, then perhaps
 * a tree. For the value in the left subtree of a root with value 5, the draw has rows for: its site (value in
 * tree) alone; where it stands (first child behind `left` of a tree that began with 5, and of any such tree on
 * the path); the sibling before it (none). It has the class of ancestors' values under the edge `left`, with
 * the member 5. Candidates below 5 lie "less" to that class, others "greater" or "equal". After some discarded
 * trees the weight of "less" in that row is high and that of the others low, for every depth at once, since
 * the site does not contain the path. */
#ifndef SONDE_GUIDE_RL_LEARN_CONTEXT_H
#define SONDE_GUIDE_RL_LEARN_CONTEXT_H

#include "guide/rl/learn_balance.h"

enum {
    LEARN_ROWS = 75,   /* of weights for one draw; learn_context.c adds them up */
    LEARN_MARKS = 6,   /* first times that are remembered */
    LEARN_CLASSES = 8, /* sets of earlier values that a draw is related to */
    LEARN_MEMBERS = 40 /* in all of them */
};

/* Sorts of earlier values. */
enum sonde_learn_sort {
    LEARN_OWN_NEAREST = 11,
    LEARN_OWN,
    LEARN_SIBLING_NEAREST,
    LEARN_SIBLINGS,
    LEARN_ANCESTORS,
    LEARN_BALANCE, /* the value that would balance an account */
    LEARN_MIRROR,
    LEARN_PAIRED /* with the same draw before it */
};

/* Earlier values that a candidate is compared with: which of <, =, > occur is a feature. Members of all
 * classes lie in one array of the context (members, class_of); min and max are theirs. */
struct sonde_learn_class {
    uint32_t key;
    enum sonde_learn_sort sort;
    uint32_t label; /* of the members */
    uint32_t by;    /* of an ancestor: label of the draw that led here */
    int64_t min, max;
};

/* Where an answer was first given in this case: how deep, and how many on the path began with their first value. */
struct sonde_learn_mark {
    uint32_t key;
    int32_t depth, firsts;
};

/* The coarsest view of where a draw stands, for words: below which answer. */
struct sonde_learn_state {
    uint32_t key;   /* 0: at the top */
    uint32_t label; /* of the first draw of the span around it, 0 if it has none, */
    int64_t value;  /* and its value */
    uint32_t by;    /* label of the last draw before its own span opened */
};

struct sonde_learn_frame;
struct sonde_learn_trace;

/* frames[0] is the root and always there; frames[i] is the span around frames[i + 1]. trace[i]
 * describes choice i of the tape. Both arrays are kept from case to case. rows, classes and members
 * belong to one draw and are made anew by _follow; adding the choice notes its relations and clears
 * them.
 *
 * Memory of a draw is bounded by the constants above, so following a tape costs about the same for each
 * choice, however long it is. */
struct sonde_learn_context {
    struct sonde_learn_frame *frames; /* the open spans */
    uint32_t n_frames, cap_frames;
    struct sonde_learn_trace *trace; /* the choices so far */
    uint32_t n_trace, cap_trace;
    uint32_t next_span;
    uint32_t entered; /* the choice whose spans are open, UINT32_MAX for none */
    struct sonde_learn_balance balance;
    bool is_deep; /* look at more, which costs more */
    struct sonde_learn_mark marks[LEARN_MARKS];
    uint32_t n_marks;
    /* Of the draw at hand. */
    uint32_t rows[LEARN_ROWS + 4]; /* where they begin in the table of weights; one of zeros follows */
    uint32_t n_rows;
    struct sonde_learn_class classes[LEARN_CLASSES];
    uint32_t n_classes;
    int64_t members[LEARN_MEMBERS];
    uint8_t class_of[LEARN_MEMBERS];
    uint32_t n_members;
};

/* Of the draw that it was brought up to. */
struct sonde_learn_state sonde_learn_context_state(const struct sonde_learn_context *c);
void sonde_learn_context_clear(struct sonde_learn_context *c);
/* Before the first draw of a case. The context itself starts as zeros (calloc); _clear frees the two
 * arrays. */
void sonde_learn_context_begin(struct sonde_learn_context *c);
/* Brings it up to the draw of `point`, which is choice i of the tape; the choices before it are taken
 * as they are. For the same i again, nothing is read twice: rows are made again. Going back needs
 * _begin. */
void sonde_learn_context_follow(struct sonde_learn_context *c, const struct sonde_tape *tape,
                                const struct sonde_choice *point, uint32_t i);

#endif
