/* Structural mutation of tapes, by spans and labels. It works for every property without code by the user.
 *
 * A mutant is a script, which the replay follows by labels. So a part that was added, dropped, moved or exchanged
 * leaves the rest aligned. The replay skips surplus parts, and the guide draws missing ones. Spans of one label hold
 * values of one type, and a mutator needs to know nothing else. (FuzzChick, section 3.2, derives as much from the types
 * of a functional language.)
 *
 * The mutators are a table of names and weights. A mutant is made by one or a few of them in a row. A mutator that
 * earns more on this property gets a larger share; a minimum keeps all of them in use.
 *
 * Example: `list` doubles the first element of `xs[{v=1} {v=2}] sum=3`. The script becomes `xs[{v=1} {v=1} {v=2}]
 * sum=3`. The replay draws three elements and leaves the sum unchanged. Whether that input is valid shows only when it
 * is run. If the sum must fit, `rl`, `target` or hints have to correct it. */
#ifndef SONDE_GUIDE_MUTATE_MUTATE_H
#define SONDE_GUIDE_MUTATE_MUTATE_H

#include "base/bytes.h"
#include "corpus/parents.h"
#include "guide/mutate/hints.h"
#include "guide/plain/special.h"

enum { SONDE_MUTATORS = 9 };

/* The mutators of a guide: borrowed sources, scratch memory, knobs, and what each mutator earned. */
struct sonde_mutate {
    struct sonde_rng *rng;
    const struct sonde_parents *parents; /* the store of tapes from which mutators copy */
    const struct sonde_hints *hints;
    struct sonde_special special;
    struct sonde_tape scratch, source;
    struct sonde_label_group *groups; /* scratch: labels of spans, see mutate_span.c */
    uint32_t cap_groups;
    uint32_t *symbols; /* scratch for blobs */
    uint32_t cap_symbols;
    double twinspan;                /* knob, explained in mutate.c */
    double again;                   /* probability that one more mutator is applied */
    double follow;                  /* how far shares follow earnings: 0 not at all, 1 fully, except for the minimum */
    double weights[SONDE_MUTATORS]; /* initial weights */
    struct sonde_mutator_state {
        double tried, earned;
        uint64_t uses, finds; /* for the statistics */
    } * states;
    double shares[SONDE_MUTATORS], sum_of_shares; /* valid if has_shares; computed from the current states */
    bool has_shares;
};

/* One kind of mutation. Changes the script in place or through the scratch tape; returns false if there is nothing to
 * change. */
typedef bool sonde_mutator(struct sonde_mutate *m, struct sonde_tape *script);
/* All mutators, with their names in files and statistics, and their initial weights. */
extern const struct sonde_mutator_kind {
    const char *name;
    double weight;
    sonde_mutator *mutate;
} sonde_mutators[SONDE_MUTATORS];

extern const struct sonde_knob sonde_mutate_knobs[];

/* Initialises the mutators; free them with sonde_mutate_clear. Borrows rng, parents and hints, and reads knobs from the
 * options of the setup. */
void sonde_mutate_init(struct sonde_mutate *m, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                       const struct sonde_parents *parents, const struct sonde_hints *hints);
void sonde_mutate_clear(struct sonde_mutate *m);
/* Changes the script; returns the mutators used, a bit for each. Returns 0 if none applies. */
uint32_t sonde_mutate(struct sonde_mutate *m, struct sonde_tape *script);
/* Reports whether one of the used mutators changed two similar parts in the same way. */
bool sonde_mutate_made_twins(uint32_t used);
/* Credits the used mutators. `gain` is 0 if the mutant showed nothing new, else at most 1. */
void sonde_mutate_reward(struct sonde_mutate *m, uint32_t used, double gain);
/* Prints for each mutator how often it found something and how often it was used. */
void sonde_mutate_stats(const struct sonde_mutate *m, FILE *out);
/* Appends what the mutators earned to `out`, by their names, for the next run. */
void sonde_mutate_save(const struct sonde_mutate *m, struct sonde_bytes *out);
/* Reads what sonde_mutate_save wrote; returns false if it has another layout. */
bool sonde_mutate_load(struct sonde_mutate *m, struct sonde_reader *from);

/* ---- Building blocks, for the guides that need only these. */

/* Changes the value of one choice; returns false if the choice has no other value or the change did not apply. */
bool sonde_mutate_value(struct sonde_mutate *m, struct sonde_tape *script, uint32_t choice);
/* Changes the content of a blob; returns true. */
bool sonde_mutate_blob(struct sonde_mutate *m, struct sonde_tape *script, uint32_t choice);
/* Returns the child of `parent` that corresponds to `span`, which may be open. It has the same label, and the same
 * number of children of that label come before it. Returns SONDE_NO_SPAN if there is none. */
uint32_t sonde_mutate_like_child(const struct sonde_tape *tape, uint32_t span, uint32_t parent);
/* Assigns to a choice the value of another choice, of this or another tape. */
void sonde_mutate_assign(struct sonde_mutate *m, struct sonde_tape *script, uint32_t choice,
                         const struct sonde_tape *other, uint32_t by);

/* ---- The mutators
 *
 * Each changes the script and returns whether it did. None knows whether the result is valid. The replay corrects what
 * no longer fits (tape/script.h). */

/* Changes one value. */
bool sonde_mutate_leaf(struct sonde_mutate *m, struct sonde_tape *script);
/* Sets the same choice of two parts of one shape to the same new value. */
bool sonde_mutate_twin(struct sonde_mutate *m, struct sonde_tape *script);
/* Copies the content of one part to another part of the same label, in the same tape. */
bool sonde_mutate_copy(struct sonde_mutate *m, struct sonde_tape *script);
/* Deletes, doubles or swaps elements of a list, or inserts one that is drawn or copied. */
bool sonde_mutate_list(struct sonde_mutate *m, struct sonde_tape *script);
/* Copies to a part the content of a part of the same label in another tape of the pool. */
bool sonde_mutate_splice(struct sonde_mutate *m, struct sonde_tape *script);
/* Changes the first choice of a part, which decides the form of the part. */
bool sonde_mutate_constructor(struct sonde_mutate *m, struct sonde_tape *script);
/* Changes some values of one part. */
bool sonde_mutate_vary(struct sonde_mutate *m, struct sonde_tape *script);
/* Replaces a part by a part inside it: a tree by its subtree. */
bool sonde_mutate_descendant(struct sonde_mutate *m, struct sonde_tape *script);
/* Turns a part into a hole, so that it will be drawn again. */
bool sonde_mutate_regenerate(struct sonde_mutate *m, struct sonde_tape *script);

#endif
