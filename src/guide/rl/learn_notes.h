/* Notes of `rl` for --explain, which prints in words what was learned. For some cases it notes the value at each point,
 * its relation to earlier values, and whether the input was valid. A point is a draw's site.
 *
 * For a generator of search trees it prints, among others:
 *
 *     "value" in "tree": 5400 draws examined, 61 % in valid inputs
 *       compared with every "value" of an enclosing span, reached through "left": less than all (93 %), otherwise
 *       (2 %) */
#ifndef SONDE_GUIDE_RL_LEARN_NOTES_H
#define SONDE_GUIDE_RL_LEARN_NOTES_H

#include "guide/rl/learn_context.h"
#include "guide/rl/learn_value.h"
#include "tape/label.h"

enum {
    NOTES_POINTS = 48,   /* maximum number of points that are explained: the first ones that appear */
    NOTES_RELATIONS = 8, /* maximum number of relations noted for a point */
    NOTES_STATES = 16,   /* maximum number of states noted for a point */
    NOTES_PENDING = 4096 /* maximum number of tallies that one case can touch */
};

/* A tally: how often something was seen, and how often in a valid input. */
struct sonde_learn_tally {
    uint32_t n, valid;
};

/* Tallies of a point's relations to a class of earlier values, by mask (rl.c, mask_of). */
struct sonde_learn_relation_note {
    struct sonde_learn_class class;
    struct sonde_learn_tally masks[8];
};

/* Tallies of a point's values in one state. */
struct sonde_learn_state_note {
    struct sonde_learn_state state;
    struct sonde_learn_tally all, buckets[SONDE_LEARN_NARROW];
};

/* All tallies of one point. */
struct sonde_learn_point_note {
    struct sonde_choice point; /* the first draw of this site */
    uint32_t span;             /* label of its span */
    struct sonde_learn_tally all, buckets[SONDE_LEARN_NARROW];
    struct sonde_learn_relation_note relations[NOTES_RELATIONS];
    uint32_t n_relations;
    struct sonde_learn_state_note states[NOTES_STATES];
    uint32_t n_states;
};

/* The notes. pending[0..n_pending) point into `points`. A case that touches more tallies than NOTES_PENDING is noted in
 * part. */
struct sonde_learn_notes {
    struct sonde_learn_point_note points[NOTES_POINTS];
    uint32_t n_points;
    struct sonde_learn_tally *pending[NOTES_PENDING]; /* tallies that the running case touched */
    uint32_t n_pending;
};

/* Notes a draw of the running case. Returns its note, for the two functions below; NULL if there are too many
 * points. */
struct sonde_learn_point_note *sonde_learn_notes_draw(struct sonde_learn_notes *notes, const struct sonde_choice *point,
                                                      uint32_t span, uint32_t bucket);
/* Notes the relation of the draw to a class of earlier values. */
void sonde_learn_notes_relation(struct sonde_learn_notes *notes, struct sonde_learn_point_note *note,
                                const struct sonde_learn_class *class, uint32_t mask);
/* Notes the state in which the draw was made. */
void sonde_learn_notes_state(struct sonde_learn_notes *notes, struct sonde_learn_point_note *note,
                             struct sonde_learn_state state, uint32_t bucket);
/* Counts the tallies of the running case, which has ended. */
void sonde_learn_notes_end(struct sonde_learn_notes *notes, bool is_valid);
/* Prints all notes, with the names of the labels. */
void sonde_learn_notes_print(const struct sonde_learn_notes *notes, const struct sonde_labels *names, FILE *out);

#endif
