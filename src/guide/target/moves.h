/* Local moves over a tape: small changes that many preconditions survive. A permutation survives a swap, a sum what one number
 * gains and another loses, a sorted list an element between two others, brackets a balanced run from elsewhere, a check
 * sum two symbols that go opposite ways round.
 *
 * A move is planned, then made: so that of several plans the one that promises most can be taken (wander.h). The key of a plan says
 * which plans are of a kind: the move, the sites it is about, how far it goes, and, where a site has few values, which values.
 *
 * A cell is what a move changes: a number, or one symbol of a string. */
#ifndef SONDE_GUIDE_TARGET_MOVES_H
#define SONDE_GUIDE_TARGET_MOVES_H

#include "guide/mutate/mutate.h"

enum { SONDE_MOVE_CELLS = 512, SONDE_MOVE_GROUPS = 64 };

enum sonde_move {
    SONDE_MOVE_EVEN,       /* any value */
    SONDE_MOVE_STEP,       /* up or down by about a power of two */
    SONDE_MOVE_TAKE,       /* the value that another tape has at this site */
    SONDE_MOVE_SWAP,       /* two of a site */
    SONDE_MOVE_OPPOSITE,   /* one up, another down */
    SONDE_MOVE_SAME,       /* two up or down together */
    SONDE_MOVE_TWIN,       /* two equal ones get another value, the same */
    SONDE_MOVE_RELABEL,    /* u for v and v for u, at a site */
    SONDE_MOVE_SHUFFLE,    /* a run of a site: shuffled, reversed or rotated */
    SONDE_MOVE_CROSS,      /* a run of cells from a tape of the same shape */
    SONDE_MOVE_DIFFERENCE, /* by what two tapes of the same shape differ: keeps every linear equation */
    SONDE_MOVE_SPANS,      /* two parts of one label */
    SONDE_MOVE_REPAIR,     /* makes up for what the move before broke: planned by wander.c */
    SONDE_MOVE_BETWEEN, /* one more element, with numbers between those of its neighbours; this and those below change shapes */
    SONDE_MOVE_LIST,   /* an element more or less, or elsewhere */
    SONDE_MOVE_LISTS,  /* the same twice */
    SONDE_MOVE_BLOCK,  /* a run of elements goes, or comes from another list */
    SONDE_MOVE_RUN,    /* of a tape without parts: a run of draws goes, or comes once more */
    SONDE_MOVE_BLOB,   /* symbols come or go */
    SONDE_MOVE_MUTANT, /* any structural mutator */
    SONDE_MOVE_COUNT
};

struct sonde_move_cell {
    uint32_t choice;
    uint32_t symbol; /* UINT32_MAX: the choice itself */
    uint32_t group;  /* its site */
    uint64_t max;
};

struct sonde_move_plan {
    enum sonde_move move;
    uint32_t i, j; /* cells */
    int bits, sign;
    uint64_t value;
    uint32_t key;
};

struct sonde_moves {
    struct sonde_rng *rng;
    struct sonde_mutate *mutate;
    /* Set by the caller, for each tape that is moved; borrowed. */
    const struct sonde_tape *other;   /* any valid one */
    const struct sonde_tape *like[2]; /* two different ones of its shape, or NULL */
    uint32_t used;                    /* mutators of the last move */
    struct sonde_move_cell cells[SONDE_MOVE_CELLS];
    uint32_t n_cells;
    uint32_t groups[SONDE_MOVE_GROUPS]; /* sites that cells have */
    uint32_t n_groups;
    struct sonde_tape scratch;
};

extern const char *const sonde_move_names[SONDE_MOVE_COUNT];

void sonde_moves_init(struct sonde_moves *moves, struct sonde_rng *rng, struct sonde_mutate *mutate);
void sonde_moves_clear(struct sonde_moves *moves);
/* Finds the cells of the tape that is to be moved; again whenever its shape may have changed. */
void sonde_moves_read(struct sonde_moves *moves, const struct sonde_tape *tape);
/* A plan for a move of this kind; false if the tape has nothing for it. */
bool sonde_move_plan(struct sonde_moves *moves, const struct sonde_tape *tape, enum sonde_move move,
                     struct sonde_move_plan *plan);
/* The same for a move of one cell, EVEN or STEP, with the cell given. */
void sonde_move_plan_at(struct sonde_moves *moves, const struct sonde_tape *tape, enum sonde_move move, uint32_t cell,
                        struct sonde_move_plan *plan);
/* Makes it; false if that changes nothing or leads out of a domain: the tape is of no use then. */
bool sonde_move_make(struct sonde_moves *moves, const struct sonde_move_plan *plan, struct sonde_tape *tape);
/* Moves one cell; symbols go round, numbers refuse to leave their domain. */
bool sonde_move_shift(struct sonde_tape *tape, const struct sonde_move_cell *cell, double by);
/* What the numbers of a site add up to. */
double sonde_move_total(const struct sonde_tape *tape, uint32_t site);
/* Moves of this kind may change the shape of a tape. */
static inline bool sonde_move_is_structural(enum sonde_move move)
{
    return move >= SONDE_MOVE_BETWEEN;
}

#endif
