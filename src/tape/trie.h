/* A trie over tapes: which inputs have been tried, which parts of the space are used up, where to go next.
 *
 * A tape is read as a list of *steps*, each a point (site, number of the last index) and an index. A draw with one
 * possible value is no step. A blob is several: its length, then its symbols. So an input is a path from the root, and
 * the same answers always lead to the same next point; if they once do not, the property is not deterministic.
 *
 * A path that only one tape took is not spelled out: it is kept as a few bytes that name its steps, and is pushed down
 * a node at a time when another tape comes along. A subtree in which every path has been taken folds up into a single
 * mark, so the memory for a small space shrinks again while it fills.
 *
 * What holds:
 *   - bytes() never exceeds the bound given to create. A tape that does not fit is *lost*: nothing known is thrown
 *     away, but from then on the trie is not exact.
 *   - is_exhausted() is true only if every path has been inserted. It is a proof that every input was tried if
 *     is_exact() holds too: nothing lost, no property that differed, nobody called sonde_trie_doubt.
 *   - The order of insertion decides everything; no address and no hash order shows.
 *
 * Example, `n = draw 0..1, then n booleans`: the inputs are 0, 1 false and 1 true. After 0 and 1 false the trie
 * has a node for n: behind its answer 0 nothing is left, behind 1 one input is known. After 1 true both answers
 * there are used up, the node folds into a mark, then the node for n does, and the trie is exhausted. */
#ifndef SONDE_TAPE_TRIE_H
#define SONDE_TAPE_TRIE_H

#include "tape/tape.h"

struct sonde_trie;

/* `memory` is in bytes and counts everything. The trie takes its memory from the heap that is current
 * at each insert. */
struct sonde_trie *sonde_trie_create(size_t memory);
void sonde_trie_free(struct sonde_trie *trie); /* NULL is fine */

enum sonde_trie_result {
    SONDE_TRIE_NEW,    /* not seen before */
    SONDE_TRIE_REPEAT, /* seen before */
    SONDE_TRIE_LOST,   /* new, but there is no room for it */
    SONDE_TRIE_DIFFERS /* the same answers led to another point, or to the end, before */
};
enum sonde_trie_result sonde_trie_insert(struct sonde_trie *trie, const struct sonde_tape *tape);
/* Marks an answer at one choice of a tape as leading nowhere new. For answers that a case records as another: a further
 * name of the same double, an alternative of weight 0. Does nothing where something is known already. */
void sonde_trie_close(struct sonde_trie *trie, const struct sonde_tape *tape, uint32_t choice, uint64_t answer);

/* Every input that the trie knows of was tried; whether that is all there are, _is_exact says. */
bool sonde_trie_is_exhausted(const struct sonde_trie *trie);
/* Nothing was left out for lack of memory, no run was doubted, and no two runs contradicted each other. */
bool sonde_trie_is_exact(const struct sonde_trie *trie);
/* From now on not exact: a case overran, say, so that what lies behind it was not seen. */
void sonde_trie_doubt(struct sonde_trie *trie);
/* Where the first tape that DIFFERS did so: the number of its choice, which may be one past its end. UINT32_MAX if none
 * has. */
uint32_t sonde_trie_difference(const struct sonde_trie *trie);
bool sonde_trie_is_full(const struct sonde_trie *trie);    /* something was lost */
uint64_t sonde_trie_inputs(const struct sonde_trie *trie); /* how many were NEW */
size_t sonde_trie_bytes(const struct sonde_trie *trie);

/* Forgets everything but the subtrees that are used up and the ways to them: what a full trie is still good for, in
 * little memory. It counts as full from then on, and takes up nothing more. */
void sonde_trie_prune(struct sonde_trie *trie);

/* ---- Walking along with a run in progress. A cursor is good until the next insert. */

struct sonde_trie_point {
    uint64_t max;
    uint32_t site;
};
static inline struct sonde_trie_point sonde_trie_point(const struct sonde_choice *choice)
{
    return (struct sonde_trie_point){.max = choice->max, .site = choice->site};
}
/* The point of each symbol of a blob drawn at `site`. */
struct sonde_trie_point sonde_trie_symbol_point(uint32_t site, uint32_t alphabet_size);

struct sonde_trie_cursor {
    uint32_t at;     /* what is known about the place; 0: nothing */
    uint32_t choice; /* so many choices of the run were followed; no more once nothing is known */
};
/* At the root. A cursor is good until the next insert. */
void sonde_trie_begin(const struct sonde_trie *trie, struct sonde_trie_cursor *cursor);
/* Follows the choices recorded since the last call. */
void sonde_trie_follow(const struct sonde_trie *trie, struct sonde_trie_cursor *cursor, const struct sonde_tape *tape);
/* Follows one step that is not on the tape yet: within a blob. */
void sonde_trie_step(const struct sonde_trie *trie, struct sonde_trie_cursor *cursor, struct sonde_trie_point point,
                     uint64_t index);

/* Has every continuation of this answer been tried? At least one answer at a known place has not. */
bool sonde_trie_is_done(const struct sonde_trie *trie, const struct sonde_trie_cursor *cursor,
                        struct sonde_trie_point point, uint64_t index);

/* ---- The cheapest untried input. The cost of an input is the sum of the bit lengths of its indices, so 0 is free and
 * long and wide inputs come later. Each node keeps the least cost of an untried continuation; `update` brings those
 * on the path of the last insert up to date. Whoever follows `cheapest` from the root, inserts and updates meets every
 * input once, in the order of cost; an untried continuation counts as if zeros came after it. */
void sonde_trie_update(struct sonde_trie *trie);
uint64_t sonde_trie_cheapest(const struct sonde_trie *trie, const struct sonde_trie_cursor *cursor,
                             struct sonde_trie_point point);
/* Whether an input costs more than the cheapest untried one, by more than so many bits. */
bool sonde_trie_is_far(const struct sonde_trie *trie, const struct sonde_tape *tape, uint32_t bits);

#endif
