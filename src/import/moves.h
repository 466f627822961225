/* Moves: ways to make another script from a run that went astray, each with an estimate of how likely it gets further.
 *
 * One of the choices before the first wrong byte was wrong: mostly one of the last; or the length of a list that should have ended or
 * continued here; or a count that a loop used; or what a part that is still open was begun as. moves.c has the table of them. */
#ifndef SONDE_IMPORT_MOVES_H
#define SONDE_IMPORT_MOVES_H

#include "import/guess.h"

/* One run: its tape, how far the text was written at each choice, and how it ended. */
struct sonde_import_run {
    struct sonde_tape tape;
    struct sonde_guess_at *at;
    uint32_t cap_at;
    uint32_t m;     /* bytes as they should be; n + 1: the whole text */
    uint32_t since; /* choices from there on were drawn for the last piece that was put */
    int wrong;      /* the byte that it wrote there instead; -1: none */
};

enum sonde_import_move {
    SONDE_IMPORT_REDRAW, /* another answer to a choice; what was drawn behind it is guessed anew */
    SONDE_IMPORT_ALTER,  /* another answer; what was drawn behind it stays */
    SONDE_IMPORT_REPEAT, /* a number that says how often something is done becomes as often as it was done rightly */
    SONDE_IMPORT_RESIZE, /* a list ends before the difference, or continues */
    SONDE_IMPORT_END,    /* a list ends there, and so do those within it */
    SONDE_IMPORT_WRAP,   /* a part becomes the first part of another one like itself: the left side of what follows */
    SONDE_IMPORT_UNWRAP, /* a part becomes a part of itself */
    SONDE_IMPORT_MOVES
};

struct sonde_change {
    enum sonde_import_move move;
    uint32_t choice;            /* that is blamed and gets the answer */
    struct sonde_answer answer; /* to it; not of UNWRAP */
    uint32_t span, part;        /* the part that is wrapped or replaced; and by which, of UNWRAP */
    double worth;               /* how likely it gets further, against others */
    uint32_t order;             /* of those that are worth the same */
};

struct sonde_changes {
    struct sonde_change *all;
    uint32_t n, cap;
};

/* Replaces `out` by the changes of a run, the most likely first. Choices below `floor` are left as they are, but for those that decide
 * about open parts. */
void sonde_moves_find(const struct sonde_aim *aim, const struct sonde_guess *guess, const struct sonde_import_run *run,
                      uint32_t floor, struct sonde_changes *out);
/* Makes the script of a change. Strings are copied from the text of `aim`. */
void sonde_moves_apply(const struct sonde_aim *aim, const struct sonde_import_run *run,
                       const struct sonde_change *change, struct sonde_tape *script);
/* What successes and failures of a change are counted under, for sonde_guess_blame. */
uint32_t sonde_moves_blamed(const struct sonde_import_run *run, const struct sonde_change *change);

#endif
