/* What filters see of a tape: where each draw stands and how it was answered, in a few bits; which draw followed which.
 *
 * It is the same for a recorded tape, its byte form and its text, which has lost kinds and domains. */
#ifndef SONDE_GUIDE_SEEDED_FILTER_DRAWS_H
#define SONDE_GUIDE_SEEDED_FILTER_DRAWS_H

#include "base/map.h"
#include "tape/tape.h"

struct sonde_drawn {
    uint32_t place; /* label, and label of the span: a site without its kind */
    uint32_t value; /* hash of the answer */
    uint32_t class
        ; /* the answer, roughly: small numbers, else sign and bit length; of a text the bit length of its length */
};

/* A hole has a place and no answer. Works on tapes that were read from text, too, whose choices have no
 * kind yet. */
struct sonde_drawn sonde_drawn_read(const struct sonde_tape *tape, uint32_t choice);

/* How often each of the transitions between consecutive draws occurs in one tape; the first draw follows the beginning and
 * the end follows the last. Emptied and filled again for each tape. */
struct sonde_transition {
    uint64_t key;
    uint32_t count;
};

struct sonde_transitions {
    struct sonde_transition *all; /* in the order of their first occurrence */
    uint32_t n, cap;
    struct sonde_map index; /* by key: transition + 1 */
    uint64_t *branches;     /* a place, the class of its answer and what came next, with repeats */
    uint32_t n_branches, cap_branches;
};

/* Replaces what was in *t; linear in the choices. */
void sonde_transitions_of(struct sonde_transitions *t, const struct sonde_tape *tape);
/* The same between draws with their answers, as in "node=throw"; without beginning, end and branches. */
void sonde_transitions_of_answers(struct sonde_transitions *t, const struct sonde_tape *tape);
void sonde_transitions_clear(struct sonde_transitions *t);

#endif
