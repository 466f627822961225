/* The features of a tape that filters compare: the site and the value of each draw in a few bits, and which draw
 * followed which.
 *
 * The features are the same for a recorded tape, for its byte form, and for its text form, which has lost kinds and
 * domains. */
#ifndef SONDE_CORPUS_FILTER_DRAWS_H
#define SONDE_CORPUS_FILTER_DRAWS_H

#include "base/map.h"
#include "tape/tape.h"

/* One draw. `class` tells the value roughly. For a number it is the sign and, below 8, the number, else its bit length.
 * For a blob it tells the length in the same way. */
struct sonde_drawn {
    uint32_t place; /* label, and label of the span: a site without its kind */
    uint32_t value; /* hash of the value */
    uint32_t class;
};

/* Returns the features of one choice; a hole has no value and no class. Also works on tapes that were read from their
 * text form, whose choices have no kind yet. */
struct sonde_drawn sonde_drawn_read(const struct sonde_tape *tape, uint32_t choice);

/* A transition between two consecutive draws, and how often it occurs in one tape. */
struct sonde_transition {
    uint64_t key;
    uint32_t count;
};

/* All transitions of one tape, reused from tape to tape. The beginning and the end of the tape count as draws. */
struct sonde_transitions {
    struct sonde_transition *all; /* all transitions, in the order of their first occurrence */
    uint32_t n, cap;
    struct sonde_map index; /* maps a key to its index in `all`, + 1 */
    uint64_t *branches;     /* hashes of a draw, the class of its value and the next draw, with repeats */
    uint32_t n_branches, cap_branches;
};

/* Replaces the content of *t by the transitions of this tape; linear in the choices. sonde_transitions_clear frees
 * it. */
void sonde_transitions_of(struct sonde_transitions *t, const struct sonde_tape *tape);
/* Fills *t with transitions between draws and their values, as in "node=throw"; without beginning, end and branches. */
void sonde_transitions_of_answers(struct sonde_transitions *t, const struct sonde_tape *tape);
void sonde_transitions_clear(struct sonde_transitions *t);

#endif
