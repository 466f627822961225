/* Earley's algorithm (1970) over the nodes of a grammar, which may be ambiguous and left-recursive.
 *
 * An *item* is a node that was begun at some position and has come to another. Its `dot` says how much of the node is
 * done. It counts the children of a SEQUENCE, or the repetitions (at most as many as matter). Of a CHOICE it is the
 * alternative plus 1.
 * The items that have come to one position are a set. Sets are worked through from left to right. An item that needs a
 * node predicts it at its position, and waits there until that node is done. Nodes that may be empty are also passed at
 * once (Aycock, Horspool 2002).
 *
 * Of several ways to an item only the first is kept, which makes the derivation unique. Each item refers only to items
 * that were made before it, so following these references ends. An item is not made if the next character cannot
 * continue it. With that, most files need a few items per byte. */
#ifndef SONDE_GRAMMAR_EARLEY_H
#define SONDE_GRAMMAR_EARLEY_H

#include "case/aim.h"
#include "grammar/syntax.h"

#define SONDE_ITEM_LEAF (SONDE_SYNTAX_NONE - 1)  /* a child that is characters */
#define SONDE_ITEM_EMPTY (SONDE_SYNTAX_NONE - 2) /* a child that is empty */

struct sonde_item {
    uint32_t node, dot;
    uint32_t begun; /* prediction of the node */
    uint32_t prev;  /* the item that this one continues; NONE: nothing is done yet */
    uint32_t child; /* the item by which it does; LEAF or EMPTY */
    uint32_t at;    /* where it has come to */
    uint32_t next;  /* in the list of its set */
};

/* A node at a position where something needs it. */
struct sonde_begun {
    uint32_t node, at;
    uint32_t waiting, by; /* the last and the first of the items that need it, in `waits` */
};

/* An item that waits: when the node is done, it comes to `dot`. */
struct sonde_wait {
    uint32_t item, dot, next;
};

/* An entry of the table of items of a set, by node, dot and prediction. */
struct sonde_item_slot {
    uint32_t at, item; /* `at`: position plus 1, so that a table need not be emptied */
};

struct sonde_grammar_firsts {
    uint64_t bits[4];
};

struct sonde_earley {
    const struct sonde_syntax *g;
    struct sonde_aim_derivation *out;
    const char *string;
    uint32_t n;
    uint32_t lax; /* at this position, items are made whatever the next character is; NONE: nowhere */
    struct sonde_grammar_firsts *firsts; /* of each node */
    struct sonde_item *items;
    struct sonde_begun *begun;
    struct sonde_wait *waits;
    uint32_t n_items, cap_items, n_begun, cap_begun, n_waits, cap_waits;
    uint32_t *sets;      /* of each position: its last item that is not worked through */
    uint32_t *predicted; /* of each node: its last prediction, plus 1 */
    struct sonde_item_slot *known;
    uint32_t n_known, cap_known;
    uint32_t furthest; /* the last position that any item has come to */
    uint32_t whole;    /* item: the start rule is done at the end; NONE */
    uint32_t n_steps;
    bool is_full; /* a limit was reached */
};

/* Prepares a parser whose g, out, string, n and lax are set. End it with sonde_earley_end. */
void sonde_earley_begin(struct sonde_earley *p);
/* Parses, from the node `start`. May be called again, with an n that is smaller. */
void sonde_earley_run(struct sonde_earley *p, uint32_t start);
/* Frees the memory of a parser. */
void sonde_earley_end(struct sonde_earley *p);

/* Returns whether a node is characters, and has no items. */
static inline bool sonde_earley_is_leaf(const struct sonde_syntax_node *x)
{
    return x->kind <= SONDE_SYNTAX_CLASS || x->kind == SONDE_SYNTAX_PROSE;
}
/* Returns the number of bytes that such a node has at a position; NONE if it does not match. */
uint32_t sonde_earley_match(const struct sonde_earley *p, const struct sonde_syntax_node *x, uint32_t at);
/* Adds what such a node stands for to p->out->expected. */
void sonde_earley_expect(struct sonde_earley *p, const struct sonde_syntax_node *x, uint32_t node);

#endif
