/* What the learner has tried, and what each place still promises.
 *
 * A trie over digits: an answer from a small domain is one digit, one from a wide domain several of five bits, the highest
 * first. Behind each answer stands a *promise*, the chance of a new valid input that the learner saw when it was last
 * there. A part of the space in which every path was taken is *used up* and folds into a mark. A path that one tape alone
 * took is kept as a string of (digit, promise) and spelled out in nodes only as far as another tape shares it.
 *
 * What holds: memory stays within the bound given to create; when it is full, known places keep their promises up to
 * date, but new ones are not taken up. A promise of an older generation reads as 1. No address decides anything.
 *
 * Example, with answers of two values each. The tape 0 1 1 alone is a tail at the root. When 0 0 1 comes, the
 * tail is pushed down as far as the two agree: a node with the one slot 0, below it a node with the slots 1
 * and 0, each with a tail of one digit. When 0 0 0 comes, both answers behind 0 0 have been given: the node
 * there folds into USED_UP in the slot of its parent, and its cells are free again. When 0 1 0 comes, so does
 * the parent, and the answer 0 at the root promises nothing any more: the learner will answer 1. */
#ifndef SONDE_GUIDE_RL_LEARN_TRIE_H
#define SONDE_GUIDE_RL_LEARN_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sonde_learn_trie;

enum { SONDE_LEARN_NARROW = 32 }; /* domains of up to so many values are one digit */

/* One answer of a tape. */
struct sonde_learn_answer {
    uint64_t index, max;
    float promise; /* of what comes after it */
    bool is_open;  /* the domain is not counted: a blob, by its hash */
};

/* `memory` in bytes bounds the cells; they grow from a few kilobytes. */
struct sonde_learn_trie *sonde_learn_trie_create(size_t memory);
void sonde_learn_trie_free(struct sonde_learn_trie *trie);
/* Takes up a tape; `is_cut`: something came after the last answer that is not told. */
void sonde_learn_trie_insert(struct sonde_learn_trie *trie, const struct sonde_learn_answer *answers, uint32_t n,
                             bool is_cut);
/* Forgets all tapes; the memory is kept. Places become invalid. */
void sonde_learn_trie_clear(struct sonde_learn_trie *trie);
/* Old promises read as 1 from now on. */
void sonde_learn_trie_new_generation(struct sonde_learn_trie *trie);
/* Every path was taken. It says nothing about validity, and it can be wrong if the property is not
 * deterministic. */
bool sonde_learn_trie_is_used_up(const struct sonde_learn_trie *trie);
bool sonde_learn_trie_is_full(const struct sonde_learn_trie *trie);
size_t sonde_learn_trie_bytes(const struct sonde_learn_trie *trie);

/* A place, while a case runs. Good until the next insert. */
struct sonde_learn_place {
    uint32_t ref; /* 0: nothing is known */
    uint32_t skip;
};
struct sonde_learn_place sonde_learn_trie_root(const struct sonde_learn_trie *trie);
/* The promises of the n answers of a narrow domain: 0 if used up, 1 if nothing is known. Writes in groups of four. */
void sonde_learn_trie_promises(const struct sonde_learn_trie *trie, struct sonde_learn_place at, uint32_t n,
                               float *out);
/* One answer of any domain: 0 if used up, 1 if nothing is known. */
float sonde_learn_trie_promise(const struct sonde_learn_trie *trie, struct sonde_learn_place at, uint64_t max,
                               uint64_t index);
/* One answer on. From where nothing is known it leads to where nothing is known. */
struct sonde_learn_place sonde_learn_trie_step(const struct sonde_learn_trie *trie, struct sonde_learn_place at,
                                               uint64_t max, uint64_t index);
/* The place will be asked about soon. */
void sonde_learn_trie_prefetch(const struct sonde_learn_trie *trie, struct sonde_learn_place at);

#endif
