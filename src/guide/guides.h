/* The guides there are: those of the library, then those that were registered (sonde/extend.h). The engine finds them by name;
 * nothing else knows them.
 *
 * A new guide: a file with a struct sonde_guide_ops, a declaration below, a line in the table of guides.c. It
 * owns what it keeps (from sonde_malloc, so that it outlives a crash of its worker), draws from the seed and
 * the stream of its setup and from nothing else, and learns only in `learn`. Then `auto` may wake it
 * (compose/auto.c: kinds), and docs/guides.md says what it is for and where it comes from. */
#ifndef SONDE_GUIDE_GUIDES_H
#define SONDE_GUIDE_GUIDES_H

#include <sonde/extend.h>

extern const struct sonde_guide_ops sonde_guide_auto;    /* all of them, by what each earns */
extern const struct sonde_guide_ops sonde_guide_uniform; /* independent draws, the generator's weights: the reference */
extern const struct sonde_guide_ops sonde_guide_random;  /* small first, boundaries, no repeats */
extern const struct sonde_guide_ops sonde_guide_enumerate; /* every input once, simplest first */
extern const struct sonde_guide_ops sonde_guide_simplest;  /* answers 0: fills the gaps when shrinking and replaying */
extern const struct sonde_guide_ops sonde_guide_rl;        /* learns what makes inputs valid and new */
extern const struct sonde_guide_ops sonde_guide_cgpt;      /* structural mutation of kept tapes, led by coverage */
extern const struct sonde_guide_ops sonde_guide_zest;      /* mutation of choice sequences, led by coverage */
extern const struct sonde_guide_ops sonde_guide_seeded;    /* zest, from seeds that rl made */
extern const struct sonde_guide_ops sonde_guide_target;    /* climbs utilities, learns preconditions */

/* The probability that `uniform` draws this tape, but for the alternatives of weighted draws, whose weights a tape does not
 * have; the case that drew them knows (case.h, `weighted_p`). Negative if it cannot be known exactly: of doubles. */
double sonde_uniform_probability(const struct sonde_tape *tape);

/* More like it is wanted. An input that fails is none of those: whether the assumes behind the failure would hold is not known, and
 * more like it would only fail again, where a search that goes on after failures is to find others. */
static inline bool sonde_is_valid_input(const struct sonde_observation *seen)
{
    return seen->verdict == SONDE_VALID;
}

/* All that a user can name, ending with NULL. */
enum { SONDE_GUIDES_MAX = 64 };
extern const struct sonde_guide_ops *sonde_guides[SONDE_GUIDES_MAX + 1];
/* Those that a user may want to name, for --help; the others are for comparisons. */
extern const struct sonde_guide_ops *const sonde_guides_common[];
/* "there is no guide 'x'; the guides are auto, random, ..."; of a published baseline, what to link. */
void sonde_guide_missing(const char *name, char *out, size_t size);
/* A published baseline, and the library that has it is not linked. */
bool sonde_guide_is_elsewhere(const char *name);

/* Mutants for a fuzzer that has its own search (engine/fuzz.c): the mutators of `cgpt`, and the tapes that parts come from. */
struct sonde_mutants;
/* The generator is borrowed. */
struct sonde_mutants *sonde_mutants_create(struct sonde_rng *rng);
void sonde_mutants_free(struct sonde_mutants *mutants);
/* Keeps a copy of the tape, whose spans and values mutants may take over. */
void sonde_mutants_add_donor(struct sonde_mutants *mutants, const struct sonde_tape *tape, bool is_valid);
/* Copies one of the valid donors; leaves `to` as it is if there is none. */
void sonde_mutants_take_valid(struct sonde_mutants *mutants, struct sonde_tape *to);
/* Changes the script by one mutator or a few. */
void sonde_mutants_change(struct sonde_mutants *mutants, struct sonde_tape *script);
/* Replaces a part of the script by one of the other tape; false if no part fits. */
bool sonde_mutants_cross(struct sonde_mutants *mutants, struct sonde_tape *script, const struct sonde_tape *other);

#endif
