/* Local moves over a tape: small changes that keep many preconditions true. Examples:
 * - A swap keeps a permutation.
 * - One number up and another down by the same amount keeps a sum.
 * - An element between two others keeps a list sorted.
 * - A balanced run from elsewhere keeps brackets balanced.
 * - Two symbols shifted in opposite directions keep a checksum.
 *
 * A move is planned first and made later, so that the most promising of several plans can be taken (wander.h). Plans
 * with the same key are of one kind. The key consists of the move, its sites, its size and, where a site has few
 * values, the values.
 *
 * A cell is the unit that a move changes: a number, or one symbol of a blob. */
#ifndef SONDE_GUIDE_TARGET_MOVES_H
#define SONDE_GUIDE_TARGET_MOVES_H

#include "guide/mutate/mutate.h"

enum {
    SONDE_MOVE_CELLS = 512, /* number of cells of a tape that moves can change: the first ones */
    SONDE_MOVE_GROUPS = 64  /* maximum number of different sites of these cells */
};

enum sonde_move {
    SONDE_MOVE_EVEN,       /* sets a cell to any value */
    SONDE_MOVE_STEP,       /* moves a cell up or down by about a power of two */
    SONDE_MOVE_TAKE,       /* takes the value that another tape has at this site */
    SONDE_MOVE_SWAP,       /* swaps two cells of a site */
    SONDE_MOVE_OPPOSITE,   /* moves one cell up, another down */
    SONDE_MOVE_SAME,       /* moves two cells up or down together */
    SONDE_MOVE_TWIN,       /* sets two equal cells to the same other value */
    SONDE_MOVE_RELABEL,    /* exchanges two values in all cells of a site: u becomes v, and v becomes u */
    SONDE_MOVE_SHUFFLE,    /* shuffles, reverses or rotates a run of cells of a site */
    SONDE_MOVE_CROSS,      /* copies a run of cells from a tape of the same shape */
    SONDE_MOVE_DIFFERENCE, /* adds the difference of two tapes of the same shape: keeps every linear equation */
    SONDE_MOVE_SPANS,      /* swaps two parts of one label */
    SONDE_MOVE_REPAIR,     /* moves a number so that a failed assume holds again; planned by wander.c */
    /* Inserts an element, with numbers between the numbers of its neighbours. This move and all below change shapes. */
    SONDE_MOVE_BETWEEN,
    SONDE_MOVE_LIST,   /* inserts, deletes or moves an element */
    SONDE_MOVE_LISTS,  /* makes SONDE_MOVE_LIST twice */
    SONDE_MOVE_BLOCK,  /* deletes a run of elements, or inserts a run from another list */
    SONDE_MOVE_RUN,    /* deletes or inserts a run of draws, in a tape without spans */
    SONDE_MOVE_BLOB,   /* inserts or deletes symbols */
    SONDE_MOVE_MUTANT, /* applies any structural mutator */
    SONDE_MOVE_COUNT
};

/* A cell of the tape that is moved. */
struct sonde_move_cell {
    uint32_t choice;
    uint32_t symbol; /* index of the symbol in a blob; UINT32_MAX: the cell is the choice itself */
    uint32_t group;  /* index of the cell's site in `groups` */
    uint64_t max;    /* greatest value */
};

/* A planned move. */
struct sonde_move_plan {
    enum sonde_move move;
    uint32_t i, j;  /* cells */
    int bits, sign; /* the size of a step is about sign * 2^bits */
    uint64_t value; /* the new value, for SONDE_MOVE_EVEN */
    uint32_t key;
};

/* The tape that is moved, as cells, and the tapes that moves may copy from. */
struct sonde_moves {
    struct sonde_rng *rng;
    struct sonde_mutate *mutate;
    /* Set by the caller, for each tape that is moved; borrowed. */
    const struct sonde_tape *other;   /* any valid tape */
    const struct sonde_tape *like[2]; /* two different tapes of the same shape, or NULL */
    uint32_t used;                    /* mutators of the last move, as bits */
    struct sonde_move_cell cells[SONDE_MOVE_CELLS];
    uint32_t n_cells;
    uint32_t groups[SONDE_MOVE_GROUPS]; /* the different sites of the cells */
    uint32_t n_groups;
    struct sonde_tape scratch;
};

extern const char *const sonde_move_names[SONDE_MOVE_COUNT];

void sonde_moves_init(struct sonde_moves *moves, struct sonde_rng *rng, struct sonde_mutate *mutate);
void sonde_moves_clear(struct sonde_moves *moves);
/* Finds the cells of the tape that is to be moved. Call it again whenever the shape of the tape may have changed. */
void sonde_moves_read(struct sonde_moves *moves, const struct sonde_tape *tape);
/* Plans a move of this kind; returns false if the tape has no cells or parts for it. */
bool sonde_move_plan(struct sonde_moves *moves, const struct sonde_tape *tape, enum sonde_move move,
                     struct sonde_move_plan *plan);
/* Plans a move EVEN or STEP of the given cell. */
void sonde_move_plan_at(struct sonde_moves *moves, const struct sonde_tape *tape, enum sonde_move move, uint32_t cell,
                        struct sonde_move_plan *plan);
/* Makes a planned move. Returns false if it changes nothing or leaves a domain; then the tape must not be used. */
bool sonde_move_make(struct sonde_moves *moves, const struct sonde_move_plan *plan, struct sonde_tape *tape);
/* Moves one cell; returns false if it did not move. Symbols wrap around; a number that would leave its domain stays. */
bool sonde_move_shift(struct sonde_tape *tape, const struct sonde_move_cell *cell, double by);
/* Returns the sum of the numbers of a site. */
double sonde_move_total(const struct sonde_tape *tape, uint32_t site);
/* Reports whether moves of this kind may change the shape of a tape. */
static inline bool sonde_move_is_structural(enum sonde_move move)
{
    return move >= SONDE_MOVE_BETWEEN;
}

#endif
