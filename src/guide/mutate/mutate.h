/* Mutation of tapes: structural, by spans and labels, for every property without a line of the user's.
 *
 * A mutant is a script: the replay follows it by labels, so a part that was added, dropped, moved or exchanged leaves the
 * rest aligned, what became surplus is skipped, and what is missing is the guide's to answer. Spans of one label hold
 * values of one type, which is all that a mutator has to know (FuzzChick, section 3.2, derives as much from the types of a
 * functional language).
 *
 * The mutators are a table of names and weights. A mutant is made by one or a few of them in a row. What a mutator
 * earned on this property raises its share; a floor keeps all of them in play.
 *
 * Example: `list` doubles the first element of `xs[{v=1} {v=2}] sum=3`, which makes the script `xs[{v=1} {v=1} {v=2}]
 * sum=3`. The replay draws three elements and takes the sum as it stands. Whether that input is valid nobody
 * knows before it is run; if the sum must fit, `rl`, `target` or hints have to see to it. */
#ifndef SONDE_GUIDE_MUTATE_MUTATE_H
#define SONDE_GUIDE_MUTATE_MUTATE_H

#include "base/bytes.h"
#include "corpus/parents.h"
#include "guide/mutate/hints.h"
#include "guide/plain/special.h"

enum { SONDE_MUTATORS = 9 };

struct sonde_mutate {
    struct sonde_rng *rng;
    const struct sonde_parents *parents; /* where other tapes come from */
    const struct sonde_hints *hints;
    struct sonde_special special;
    struct sonde_tape scratch, source;
    struct sonde_label_group *groups; /* scratch: labels of spans, see mutate_span.c */
    uint32_t cap_groups;
    uint32_t *symbols; /* scratch for blobs */
    uint32_t cap_symbols;
    double large, equal, twinspan;
    double again;                   /* probability of one more mutator */
    double some;                    /* of the choices of a part that `vary` changes: how many */
    double follow;                  /* how far weights follow earnings: 0 not at all, 1 down to the floor */
    double weights[SONDE_MUTATORS]; /* at the start */
    struct sonde_mutator_state {
        double tried, earned;
        uint64_t uses, finds; /* for the statistics */
    } * states;
    double shares[SONDE_MUTATORS], sum_of_shares; /* of the states as they are, if has_shares */
    bool has_shares;
};

/* One kind of mutation. Changes the script in place or through the scratch tape; false if there is nothing to change. */
typedef bool sonde_mutator(struct sonde_mutate *m, struct sonde_tape *script);
/* Their names and weights are the first of the knobs, in the same order. */
extern sonde_mutator *const sonde_mutators[SONDE_MUTATORS];

extern const struct sonde_knob sonde_mutate_knobs[];

/* rng, parents and hints are borrowed; knobs are read from the options of the setup. */
void sonde_mutate_init(struct sonde_mutate *m, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                       const struct sonde_parents *parents, const struct sonde_hints *hints);
void sonde_mutate_clear(struct sonde_mutate *m);
/* Changes the script; answers which mutators were used, a bit for each. 0 if none applies. */
uint32_t sonde_mutate(struct sonde_mutate *m, struct sonde_tape *script);
/* Whether one of them changed two like parts in the same way. */
bool sonde_mutate_made_twins(uint32_t used);
/* What the last mutant showed: something new, or not. */
void sonde_mutate_reward(struct sonde_mutate *m, uint32_t used, double gain);
/* For each mutator how often it found something and how often it was used. */
void sonde_mutate_stats(const struct sonde_mutate *m, FILE *out);
/* What the mutators earned, for the next run, by their names; and back, false if it is of another layout. */
void sonde_mutate_save(const struct sonde_mutate *m, struct sonde_bytes *out);
bool sonde_mutate_load(struct sonde_mutate *m, struct sonde_reader *from);

/* ---- Parts of it, for the guides that need only these. */

/* Gives one choice another value. */
bool sonde_mutate_value(struct sonde_mutate *m, struct sonde_tape *script, uint32_t choice);
/* Another content for a blob. */
bool sonde_mutate_blob(struct sonde_mutate *m, struct sonde_tape *script, uint32_t choice);
/* Gives a choice the value of another, of this or another tape. */
void sonde_mutate_assign(struct sonde_mutate *m, struct sonde_tape *script, uint32_t choice,
                         const struct sonde_tape *other, uint32_t by);

/* The mutators. Each changes the script in place and answers whether it did; none knows whether the
 * result is valid. What no longer fits is mended by the replay (tape/script.h). leaf: one value becomes
 * another. */
bool sonde_mutate_leaf(struct sonde_mutate *m, struct sonde_tape *script);
/* Two parts of one shape get the same new value in the same place. */
bool sonde_mutate_twin(struct sonde_mutate *m, struct sonde_tape *script);
/* One part takes over the content of another of its label, in the same tape. */
bool sonde_mutate_copy(struct sonde_mutate *m, struct sonde_tape *script);
/* An element of a list goes, is doubled, is drawn anew, comes from elsewhere, or changes places with
 * the next. */
bool sonde_mutate_list(struct sonde_mutate *m, struct sonde_tape *script);
/* A part takes over the content of one of its label in another tape of the pool. */
bool sonde_mutate_splice(struct sonde_mutate *m, struct sonde_tape *script);
/* The first choice of a part, which says what form it has, becomes another. */
bool sonde_mutate_constructor(struct sonde_mutate *m, struct sonde_tape *script);
/* Some values of one part become others. */
bool sonde_mutate_vary(struct sonde_mutate *m, struct sonde_tape *script);
/* A part becomes one that lies in it: a tree its subtree. */
bool sonde_mutate_descendant(struct sonde_mutate *m, struct sonde_tape *script);
/* A part becomes a hole, which is drawn anew. */
bool sonde_mutate_regenerate(struct sonde_mutate *m, struct sonde_tape *script);

#endif
