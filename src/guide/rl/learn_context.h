/* The state of a draw, derived from the tape. It has *rows*, hashes of choices before it: in its span, on the path of
 * open spans, in the previous sibling. It also has *relations* to earlier values. learn_context.c explains why.
 *
 * Example: a generator of search trees draws value, then left, then perhaps a tree, then right, then perhaps a tree.
 * Take the value in the left subtree of a root with value 5. Its rows are:
 * - its site (value in tree) alone;
 * - its position: first child after `left` of a tree that began with 5, and of each such tree on the path;
 * - the sibling before it (none).
 * It has one class of relations: values of ancestors under the edge `left`, with the member 5. A candidate below 5 is
 * "less" than that class, others are "greater" or "equal". After some discarded trees the weight of "less" in that row
 * is high and the other weights are low. That holds for every depth at once, because the site does not contain the
 * path. */
#ifndef SONDE_GUIDE_RL_LEARN_CONTEXT_H
#define SONDE_GUIDE_RL_LEARN_CONTEXT_H

#include "guide/rl/learn_balance.h"

enum {
    LEARN_ROWS = 75,   /* maximum number of rows of one draw; an assertion in learn_context.c adds up all kinds */
    LEARN_MARKS = 6,   /* maximum number of values whose first occurrence is remembered */
    LEARN_CLASSES = 8, /* maximum number of classes of earlier values that a draw is related to */
    LEARN_KINDS = 16,  /* maximum number of kinds of spans with equations */
    LEARN_CLOSED = 64, /* number of closed spans of a case whose equations are examined */
    LEARN_MEMBERS = 40 /* maximum number of values in all classes together */
};

/* Kinds of classes. */
enum sonde_learn_sort {
    LEARN_OWN_NEAREST = 11,
    LEARN_OWN,
    LEARN_SIBLING_NEAREST,
    LEARN_SIBLINGS,
    LEARN_ANCESTORS,
    LEARN_BALANCE, /* the value that would balance an equation (learn_balance.h) */
    LEARN_MIRROR,  /* the element as far from the start of the list as this one is from the end */
    LEARN_PAIRED,  /* values of siblings that followed the same value */
    LEARN_PARENT   /* the value that the equations within the parent leave */
};

/* A class: earlier values (members) with which a candidate is compared. Which of <, =, > occur is a feature. Members of
 * all classes are in one array of the context (members, class_of). */
struct sonde_learn_class {
    uint32_t key;
    enum sonde_learn_sort sort;
    uint32_t label; /* label of the members */
    uint32_t by;    /* for LEARN_ANCESTORS: label of the ancestor's draw that leads down to this span */
    int64_t min, max;
};

/* The first occurrence of a value in this case: its depth, and how many spans on the path began with index 0. */
struct sonde_learn_mark {
    uint32_t key;
    int32_t depth, firsts;
};

/* A coarse description of a draw's position, for --explain. */
struct sonde_learn_state {
    uint32_t key;   /* hash of the position; 0: the draw is at the top */
    uint32_t label; /* label of the first draw in the parent of the draw's span; 0: none */
    int64_t value;  /* value of that first draw */
    uint32_t by;    /* label of the last draw before the draw's span opened */
};

struct sonde_learn_frame;
struct sonde_learn_trace;

/* Equations within a span (learn_balance.h), for spans of one label that drew the same among few values. */
struct sonde_learn_kind {
    uint32_t key;
    struct sonde_learn_balance *equations;
};

/* The facts of a closed span of the running case. */
struct sonde_learn_closed {
    uint32_t kind;
    struct sonde_learn_facts facts;
};

/* The context of the running case. frames[0] is the root and always present; frames[i] is the span around frames[i +
 * 1]. trace[i] describes choice i of the tape. Both arrays are reused from case to case. rows, classes and members
 * belong to one draw; sonde_learn_context_follow recomputes them. When the choice is added, its relations are noted and
 * cleared.
 *
 * Memory of a draw is bounded by the constants above, so each choice costs about the same in a tape of any length. */
struct sonde_learn_context {
    struct sonde_learn_frame *frames; /* the open spans */
    uint32_t n_frames, cap_frames;
    struct sonde_learn_trace *trace; /* the choices so far */
    uint32_t n_trace, cap_trace;
    uint32_t next_span;
    uint32_t entered; /* index of the choice whose spans are open; UINT32_MAX: none */
    struct sonde_learn_balance balance;
    bool is_deep; /* use more views of the state, which costs more */
    struct sonde_learn_mark marks[LEARN_MARKS];
    uint32_t n_marks;
    /* Equations within spans, used if is_deep. */
    struct sonde_learn_kind kinds[LEARN_KINDS];
    uint32_t n_kinds;
    struct sonde_learn_facts *facts; /* indexed as frames */
    uint32_t cap_facts;
    struct sonde_learn_closed *closed; /* LEARN_CLOSED of them */
    uint32_t n_closed;
    /* The current draw. */
    uint32_t rows[LEARN_ROWS + 4]; /* where each row begins in the table of weights; a row of zeros follows */
    uint32_t n_rows;
    struct sonde_learn_class classes[LEARN_CLASSES];
    uint32_t n_classes;
    int64_t members[LEARN_MEMBERS];
    uint8_t class_of[LEARN_MEMBERS];
    uint32_t n_members;
};

/* Returns the state of the current draw. */
struct sonde_learn_state sonde_learn_context_state(const struct sonde_learn_context *c);
/* Frees the arrays of the context. */
void sonde_learn_context_clear(struct sonde_learn_context *c);
/* Prepares for the first draw of a case. A new context is all zeros (calloc). */
void sonde_learn_context_begin(struct sonde_learn_context *c);
/* Advances to the draw of `point`, which is choice i of the tape, and computes its rows and relations. Choices before
 * it are read from the tape, each once. May be called again for the same i; going back needs
 * sonde_learn_context_begin. */
void sonde_learn_context_follow(struct sonde_learn_context *c, const struct sonde_tape *tape,
                                const struct sonde_choice *point, uint32_t i);
/* Returns the number of kinds of spans that have useful equations. */
uint32_t sonde_learn_context_relations(const struct sonde_learn_context *c);
/* Follows the tape of a case that has ended to its end, and learns which equations hold within its spans. */
void sonde_learn_context_end(struct sonde_learn_context *c, const struct sonde_tape *tape, bool is_valid);

#endif
