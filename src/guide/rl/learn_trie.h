/* A trie of all tapes that `rl` has tried, with a promise after each answer.
 *
 * The trie is over digits. An answer from a small domain is one digit; one from a wide domain is several digits of five
 * bits, the highest first. The *promise* of an answer is the chance of a new valid input after it, as computed when a
 * case was last there. A part of the space in which every path was taken is *used up* and folds into a mark. A path
 * that only one tape took is a *tail*: a string of (digit, promise). It is spelled out in nodes only as far as another
 * tape shares it.
 *
 * Invariants: memory stays within the bound given to create. When it is full, known nodes are still updated, but no
 * nodes are added. A promise of an older generation reads as 1. Nothing depends on addresses.
 *
 * Example, with domains of two values. The tape 0 1 1 alone is a tail at the root. When 0 0 1 comes, the tail is pushed
 * down as far as the two agree. That gives a node with the only slot 0, and below it a node with the slots 1 and 0.
 * Each of these has a tail of one digit. When 0 0 0 comes, both values after 0 0 were taken. The node there folds into
 * USED_UP in the slot of its parent, and its cells are free again. When 0 1 0 comes, the parent folds too. Now the
 * answer 0 at the root promises nothing any more, and the learner takes 1. */
#ifndef SONDE_GUIDE_RL_LEARN_TRIE_H
#define SONDE_GUIDE_RL_LEARN_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sonde_learn_trie;

enum { SONDE_LEARN_NARROW = 32 }; /* domains of up to this many values are one digit */

/* One answer of a tape. */
struct sonde_learn_answer {
    uint64_t index, max;
    float promise; /* the promise after this answer */
    bool is_open;  /* a blob, represented by its hash: its domain is never used up */
};

/* Creates an empty trie; free it with sonde_learn_trie_free. The cells grow from a few kilobytes up to `memory`
 * bytes. */
struct sonde_learn_trie *sonde_learn_trie_create(size_t memory);
void sonde_learn_trie_free(struct sonde_learn_trie *trie);
/* Inserts a tape, or updates its promises. `is_cut`: the tape had more choices than are given. */
void sonde_learn_trie_insert(struct sonde_learn_trie *trie, const struct sonde_learn_answer *answers, uint32_t n,
                             bool is_cut);
/* Removes all tapes but keeps the memory. Positions become invalid. */
void sonde_learn_trie_clear(struct sonde_learn_trie *trie);
/* Makes all promises so far read as 1. */
void sonde_learn_trie_new_generation(struct sonde_learn_trie *trie);
/* Reports whether every path was taken. It says nothing about validity, and it can be wrong if the property is not
 * deterministic. */
bool sonde_learn_trie_is_used_up(const struct sonde_learn_trie *trie);
/* Reports whether an insertion ever failed because the memory was full. */
bool sonde_learn_trie_is_full(const struct sonde_learn_trie *trie);
/* Returns the bytes in use. */
size_t sonde_learn_trie_bytes(const struct sonde_learn_trie *trie);

/* A position in the trie while a case runs. Valid until the next insertion. */
struct sonde_learn_place {
    uint32_t ref;  /* reference to a node or a tail; 0: nothing is known here */
    uint32_t skip; /* digits of the tail that were passed */
};
/* Returns the position before the first answer. */
struct sonde_learn_place sonde_learn_trie_root(const struct sonde_learn_trie *trie);
/* Fills in the promises of the n values of a narrow domain: 0 if used up, 1 if nothing is known. Writes in groups of
 * four. */
void sonde_learn_trie_promises(const struct sonde_learn_trie *trie, struct sonde_learn_place at, uint32_t n,
                               float *out);
/* Returns the promise of one answer of any domain: 0 if used up, 1 if nothing is known. */
float sonde_learn_trie_promise(const struct sonde_learn_trie *trie, struct sonde_learn_place at, uint64_t max,
                               uint64_t index);
/* Returns the position after one more answer. If nothing is known at `at`, nothing is known at the result either. */
struct sonde_learn_place sonde_learn_trie_step(const struct sonde_learn_trie *trie, struct sonde_learn_place at,
                                               uint64_t max, uint64_t index);
/* Prefetches a position that will be read soon. */
void sonde_learn_trie_prefetch(const struct sonde_learn_trie *trie, struct sonde_learn_place at);

#endif
