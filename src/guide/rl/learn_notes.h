/* What can be said in words about what was learned, for --explain. Some of the runs are noted down: which answers were
 * given at each point and how they lay to earlier values, and whether the input was valid.
 *
 * For a generator of search trees it prints, among others:
 *
 *     "value" in "tree": 5400 draws looked at, 61 % in valid inputs
 *       compared with "value" further out, inside what follows "left": less than all (93 %), otherwise (2 %) */
#ifndef SONDE_GUIDE_RL_LEARN_NOTES_H
#define SONDE_GUIDE_RL_LEARN_NOTES_H

#include "guide/rl/learn_context.h"
#include "guide/rl/learn_value.h"
#include "tape/label.h"

enum { NOTES_POINTS = 48, NOTES_RELATIONS = 8, NOTES_STATES = 16, NOTES_PENDING = 4096 };

/* How often something was seen, and how often in a valid input. */
struct sonde_learn_tally {
    uint32_t n, valid;
};

/* masks[m]: how often the answer lay so to the class; m as in rl.c, mask_of. */
struct sonde_learn_relation_note {
    struct sonde_learn_class class;
    struct sonde_learn_tally masks[8];
};

struct sonde_learn_state_note {
    struct sonde_learn_state state;
    struct sonde_learn_tally all, buckets[SONDE_LEARN_NARROW];
};

struct sonde_learn_point_note {
    struct sonde_choice point; /* as it was first met */
    uint32_t span;             /* label */
    struct sonde_learn_tally all, buckets[SONDE_LEARN_NARROW];
    struct sonde_learn_relation_note relations[NOTES_RELATIONS];
    uint32_t n_relations;
    struct sonde_learn_state_note states[NOTES_STATES];
    uint32_t n_states;
};

/* pending[0..n_pending) point into `points`; a case that touches more tallies than there is room for is
 * noted in part. */
struct sonde_learn_notes {
    struct sonde_learn_point_note points[NOTES_POINTS];
    uint32_t n_points;
    struct sonde_learn_tally *pending[NOTES_PENDING]; /* of the case at hand */
    uint32_t n_pending;
};

/* A draw of the case at hand. Answers its note, for the relations; NULL if there are too many points. */
struct sonde_learn_point_note *sonde_learn_notes_draw(struct sonde_learn_notes *notes, const struct sonde_choice *point,
                                                      uint32_t span, uint32_t bucket);
void sonde_learn_notes_relation(struct sonde_learn_notes *notes, struct sonde_learn_point_note *note,
                                const struct sonde_learn_class *class, uint32_t mask);
void sonde_learn_notes_state(struct sonde_learn_notes *notes, struct sonde_learn_point_note *note,
                             struct sonde_learn_state state, uint32_t bucket);
/* The case has ended. */
void sonde_learn_notes_end(struct sonde_learn_notes *notes, bool is_valid);
void sonde_learn_notes_print(const struct sonde_learn_notes *notes, const struct sonde_labels *names, FILE *out);

#endif
