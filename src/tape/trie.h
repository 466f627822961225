/* A trie over tapes: which inputs have been tried, which parts of the space are exhausted, where to search next.
 *
 * A tape is read as a list of *steps*, each a point (site and last index of the domain) and an index. A draw with one
 * possible value is not a step. A blob is several: its length, then its symbols. So an input is a path from the root,
 * and equal indices always lead to the same next point; otherwise the property is not deterministic.
 *
 * A path that only one tape took is not stored as nodes: a few bytes list its steps. When another tape takes the
 * beginning of that path, the common steps become nodes. A subtree in which every path was taken folds into a single
 * mark, so the memory for a small space shrinks again while it fills.
 *
 * Invariants:
 * - bytes() never exceeds the bound given to create. A tape that does not fit is *lost*: known paths are kept, but from
 *   then on the trie is not exact.
 * - is_exhausted() is true only if every path was inserted. Every input was tried if is_exact() holds, too: nothing was
 *   lost, no insert returned DIFFERS, and sonde_trie_doubt was not called.
 * - Only the order of insertion matters; addresses and hash order have no effect.
 *
 * Example, `n = draw 0..1, then n booleans`: the inputs are 0, 1 false and 1 true. After 0 and 1 false the trie has a
 * node for n: its index 0 is exhausted, and below index 1 one input is known. After 1 true both values of the boolean
 * are exhausted. Its node folds into a mark, then the node for n does, and the trie is exhausted. */
#ifndef SONDE_TAPE_TRIE_H
#define SONDE_TAPE_TRIE_H

#include "tape/tape.h"

struct sonde_trie;

/* Creates a trie of at most `memory` bytes, which include everything. It allocates from the heap that is current at
 * each insert. */
struct sonde_trie *sonde_trie_create(size_t memory);
/* Frees a trie; NULL is allowed. */
void sonde_trie_free(struct sonde_trie *trie);

/* The result of an insert. */
enum sonde_trie_result {
    SONDE_TRIE_NEW,    /* the input was not seen before */
    SONDE_TRIE_REPEAT, /* the input was seen before */
    SONDE_TRIE_LOST,   /* the input is new, but there is no room for it */
    SONDE_TRIE_DIFFERS /* in an earlier tape, the same indices led to another point, or to the end */
};
/* Inserts an input. */
enum sonde_trie_result sonde_trie_insert(struct sonde_trie *trie, const struct sonde_tape *tape);
/* Marks all inputs that begin like `tape` up to `choice`, and have `answer` as the index of that choice, as tried. Used
 * for an index that a case never records: a second index of the same double, or an alternative of weight 0. Does
 * nothing if an input with that beginning was inserted before. */
void sonde_trie_close(struct sonde_trie *trie, const struct sonde_tape *tape, uint32_t choice, uint64_t answer);

/* Returns whether every input that the trie knows of was tried. These are all inputs only if sonde_trie_is_exact holds
 * as well. */
bool sonde_trie_is_exhausted(const struct sonde_trie *trie);
/* Returns whether nothing was lost for lack of memory, no run was doubted, and no two runs contradicted each other. */
bool sonde_trie_is_exact(const struct sonde_trie *trie);
/* Makes the trie inexact. For example, a case overran its limits, so inputs that continue it were not seen. */
void sonde_trie_doubt(struct sonde_trie *trie);
/* Returns the index of the choice at which the first tape with the result DIFFERS differed; it may be one past the last
 * choice. UINT32_MAX: no tape differed. */
uint32_t sonde_trie_difference(const struct sonde_trie *trie);
/* Returns whether a tape was lost for lack of memory. */
bool sonde_trie_is_full(const struct sonde_trie *trie);
/* Returns how many inserts had the result NEW. */
uint64_t sonde_trie_inputs(const struct sonde_trie *trie);
/* Returns the memory in use, in bytes. */
size_t sonde_trie_bytes(const struct sonde_trie *trie);

/* Discards everything but the exhausted subtrees and the paths to them: the useful part of a full trie, in little
 * memory. The trie counts as full from then on and accepts nothing more. */
void sonde_trie_prune(struct sonde_trie *trie);

/* ---- Walking along with a run in progress. A cursor is valid until the next insert. */

/* A draw as the trie sees it. */
struct sonde_trie_point {
    uint64_t max;
    uint32_t site;
};
/* Returns the point of a choice that is not a blob's symbol. */
static inline struct sonde_trie_point sonde_trie_point(const struct sonde_choice *choice)
{
    return (struct sonde_trie_point){.max = choice->max, .site = choice->site};
}
/* Returns the point of each symbol of a blob drawn at `site`. */
struct sonde_trie_point sonde_trie_symbol_point(uint32_t site, uint32_t alphabet_size);

/* A position in the trie. */
struct sonde_trie_cursor {
    uint32_t at;     /* reference to the part of the trie below this position; 0: nothing is known */
    uint32_t choice; /* number of choices of the run that were followed while something was known */
};
/* Sets the cursor to the root. It is valid until the next insert. */
void sonde_trie_begin(const struct sonde_trie *trie, struct sonde_trie_cursor *cursor);
/* Follows the choices recorded since the last call. */
void sonde_trie_follow(const struct sonde_trie *trie, struct sonde_trie_cursor *cursor, const struct sonde_tape *tape);
/* Follows one step that is not on the tape yet, within a blob. */
void sonde_trie_step(const struct sonde_trie *trie, struct sonde_trie_cursor *cursor, struct sonde_trie_point point,
                     uint64_t index);

/* Returns whether every continuation of this index was tried. At a known position at least one index has an untried
 * continuation. */
bool sonde_trie_is_done(const struct sonde_trie *trie, const struct sonde_trie_cursor *cursor,
                        struct sonde_trie_point point, uint64_t index);

/* ---- The cheapest untried input. The cost of an input is the sum of the bit lengths of its indices. So 0 is free,
 * and long and wide inputs come later. Each node keeps the least cost of an untried continuation; `update` refreshes
 * these costs on the path of the last insert. Following `cheapest` from the root, then inserting and updating, meets
 * every input once, in the order of cost. The cost of an untried continuation assumes that only zeros follow. */

/* Brings the costs on the path of the last insert up to date. */
void sonde_trie_update(struct sonde_trie *trie);
/* Returns the index of the cheapest untried continuation. */
uint64_t sonde_trie_cheapest(const struct sonde_trie *trie, const struct sonde_trie_cursor *cursor,
                             struct sonde_trie_point point);
/* Returns whether an input costs more than the cheapest untried one by more than this many bits. */
bool sonde_trie_is_far(const struct sonde_trie *trie, const struct sonde_tape *tape, uint32_t bits);

#endif
