/* Moves: ways to change the script of a run that wrote a wrong byte. Each change comes with an estimate of how likely
 * the changed run is to write more right bytes.
 *
 * One of the choices before the first wrong byte was wrong. Mostly the wrong choice is one of the last, or the length
 * of a list that should have ended or continued here. It may also be the count of a loop, or the choice that began a
 * part that is still open. moves.c has the table of moves. */
#ifndef SONDE_IMPORT_MOVES_H
#define SONDE_IMPORT_MOVES_H

#include "import/guess.h"

/* One run: its tape, the position of each choice in the target, and how the run ended. */
struct sonde_import_run {
    struct sonde_tape tape;
    struct sonde_guess_at *at; /* the position of each choice in the target */
    uint32_t cap_at;
    /* number of right bytes before the first wrong one; length of the target plus 1: the whole target was written */
    uint32_t m;
    uint32_t since; /* the first choice that was drawn for the last piece passed to sonde_put */
    int wrong;      /* the wrong byte that the run wrote at position m; -1: none */
};

/* The kinds of moves. */
enum sonde_import_move {
    SONDE_IMPORT_REDRAW, /* another answer to a choice; later draws are guessed again */
    SONDE_IMPORT_ALTER,  /* another answer to a choice; later draws stay */
    SONDE_IMPORT_REPEAT, /* the count of a loop becomes the number of its rounds that were right */
    SONDE_IMPORT_RESIZE, /* a list ends before the first wrong byte, or continues */
    SONDE_IMPORT_END,    /* a list ends before the first wrong byte, and so do the lists in it */
    SONDE_IMPORT_WRAP,   /* a part becomes the first part of another one like itself, such as its left operand */
    SONDE_IMPORT_UNWRAP, /* a part is replaced by a part inside it */
    SONDE_IMPORT_MOVES
};

/* One change to a run. */
struct sonde_change {
    enum sonde_import_move move;
    uint32_t choice;            /* the choice that is blamed and gets the answer */
    struct sonde_answer answer; /* unused by UNWRAP */
    uint32_t span, part;        /* the part that is wrapped or replaced; for UNWRAP, the part that replaces it */
    double worth;               /* how likely the changed run writes more right bytes, relative to other changes */
    uint32_t order;             /* breaks ties in worth */
};

/* A growing array of changes. */
struct sonde_changes {
    struct sonde_change *all;
    uint32_t n, cap;
};

/* Replaces `out` by the changes of a run, the most likely first. Choices with an index below `floor` stay as they are,
 * except for those that decide about parts that are still open. */
void sonde_moves_find(const struct sonde_aim *aim, const struct sonde_guess *guess, const struct sonde_import_run *run,
                      uint32_t floor, struct sonde_changes *out);
/* Makes the script of a change. Strings are copied from the target of `aim`. */
void sonde_moves_apply(const struct sonde_aim *aim, const struct sonde_import_run *run,
                       const struct sonde_change *change, struct sonde_tape *script);
/* Returns the site by which sonde_guess_blame counts whether a change helped. */
uint32_t sonde_moves_blamed(const struct sonde_import_run *run, const struct sonde_change *change);

#endif
