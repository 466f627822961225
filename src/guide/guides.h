/* The list of guides: first the guides of the library, then the registered ones (sonde/extend.h). The engine finds
 * guides by name; nothing else knows them.
 *
 * To add a guide, write a file with a struct sonde_guide_ops, a declaration below, and a line in the table of guides.c.
 * A guide owns its memory, which comes from sonde_malloc so that it survives a crash of the worker. It draws random
 * numbers only from the seed and the stream of its setup, and it learns only in `learn`. To let `auto` use the guide,
 * add it to `kinds` in compose/auto.c. Document its purpose and its source in docs/guides.md. */
#ifndef SONDE_GUIDE_GUIDES_H
#define SONDE_GUIDE_GUIDES_H

#include <sonde/extend.h>

/* lets other guides make the cases, in proportion to what each earns */
extern const struct sonde_guide_ops sonde_guide_auto;
/* a reference: independent draws with the weights of the generator */
extern const struct sonde_guide_ops sonde_guide_uniform;
extern const struct sonde_guide_ops sonde_guide_random;    /* small inputs first, boundary values, no input twice */
extern const struct sonde_guide_ops sonde_guide_enumerate; /* every input once, simplest first */
extern const struct sonde_guide_ops sonde_guide_simplest;  /* takes index 0; fills gaps when shrinking and replaying */
extern const struct sonde_guide_ops sonde_guide_rl;        /* learns what makes inputs valid and new */
extern const struct sonde_guide_ops sonde_guide_cgpt;   /* mutates kept tapes by their structure, guided by coverage */
extern const struct sonde_guide_ops sonde_guide_zest;   /* mutates sequences of choices, guided by coverage */
extern const struct sonde_guide_ops sonde_guide_seeded; /* runs `zest`, starting from inputs that `rl` made */
extern const struct sonde_guide_ops sonde_guide_goal;   /* solves for branches that no valid input has taken */
extern const struct sonde_guide_ops sonde_guide_target; /* raises utilities, and learns preconditions */

/* Returns the probability that `uniform` draws this tape, without the factors of weighted draws: a tape does not hold
 * their weights. The case that drew them has the missing factor (case.h, `weighted_p`). Returns a negative number if
 * the tape has doubles, whose probability is not known exactly. */
double sonde_uniform_probability(const struct sonde_tape *tape);

/* Reports whether the search wants more inputs like this one. False for a failed input: whether the assumes after the
 * failure would hold is not known. Similar inputs would fail in the same way, but a search that continues after
 * failures should find different ones. */
static inline bool sonde_is_valid_input(const struct sonde_observation *seen)
{
    return seen->verdict == SONDE_VALID;
}

/* All guides that a user can name; NULL marks the end. */
enum { SONDE_GUIDES_MAX = 64 };
extern const struct sonde_guide_ops *sonde_guides[SONDE_GUIDES_MAX + 1];
/* The guides that --help lists, with NULL at the end. All other guides serve only comparisons. */
extern const struct sonde_guide_ops *const sonde_guides_common[];
/* Writes "there is no guide 'x'; the guides are auto, random, ...". For a published baseline, writes what to link. */
void sonde_guide_missing(const char *name, char *out, size_t size);
/* Reports whether the name is a published baseline whose library is not linked. */
bool sonde_guide_is_elsewhere(const char *name);

/* The mutators of `cgpt` with their donor tapes, for a fuzzer that has its own search (engine/fuzz.c). */
struct sonde_mutants;
/* Creates mutators without donors; free them with sonde_mutants_free. Borrows the random generator. */
struct sonde_mutants *sonde_mutants_create(struct sonde_rng *rng);
void sonde_mutants_free(struct sonde_mutants *mutants);
/* Copies the tape as a donor: mutants may take over its spans and values. */
void sonde_mutants_add_donor(struct sonde_mutants *mutants, const struct sonde_tape *tape, bool is_valid);
/* Copies one of the valid donors to `to`; leaves `to` unchanged if there is no valid donor. */
void sonde_mutants_take_valid(struct sonde_mutants *mutants, struct sonde_tape *to);
/* Changes the script by one or a few mutators. */
void sonde_mutants_change(struct sonde_mutants *mutants, struct sonde_tape *script);
/* Replaces a part of the script by a part of the other tape; returns false if no part fits. */
bool sonde_mutants_cross(struct sonde_mutants *mutants, struct sonde_tape *script, const struct sonde_tape *other);

/* ---- Knobs (struct sonde_knob in sonde/extend.h), as --guide-options gives them: "name=value,name=value".
 *
 * A file that has knobs declares them in one table beside the code that uses them. Each guide names the tables that it
 * reads. All functions here walk those tables, so a knob that is read but unknown, or known but never read, cannot
 * exist.
 *
 * To add a knob, add a double to the guide's struct and a row to its table. The row has name, default, range, one line
 * of meaning, and the location of the evidence for the default. --guide-options help and list, the manual page and
 * the table of docs/guides.md are made from the tables. Guides may share a knob name if it means the same. */

/* Returns 0, or -EINVAL with a message about the first wrong option and the values that are allowed. */
int sonde_knobs_check(const char *options, char *message, size_t size);
/* Calls each() for every knob of every table, with the names of the guides that read the table ("cgpt, target"). */
void sonde_knobs_each(void (*each)(void *to, const char *guides, const struct sonde_knob *knob), void *to);
/* Writes "a number from 0 to 1", or "one of" and the words that are allowed. */
void sonde_knob_range(const struct sonde_knob *knob, char *out, size_t size);
/* Writes the default as a user would give it. */
void sonde_knob_preset(const struct sonde_knob *knob, char *out, size_t size);
/* Prints one JSON object per knob and line, for programs: bench/run ablate reads it. */
void sonde_knobs_list(FILE *out);

#endif
