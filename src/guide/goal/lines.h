/* Solves systems of linear equations in Z/2^w, with a bounded range for each unknown. Pure functions: no case is run.
 *
 * A row is a comparison. `now` is the difference of its sides, and `want` the difference that is asked for. An axis is
 * an unknown: a number of the input, or a direction in which several numbers change together. A slope is the change of
 * a difference for a step of 1 along an axis. Computers compare numbers of w bits, so a row holds if it holds modulo
 * 2^w. A solution is a step for each axis that makes all equations hold and stays within the ranges.
 *
 * Example: the code compares 3*a + 5*b with 1003, and the case had a = 0, b = 0. The row has now = -1003, want = 0 and
 * the slopes 3 and 5. The steps a = 331, b = 2 solve it. */
#ifndef SONDE_GUIDE_GOAL_LINES_H
#define SONDE_GUIDE_GOAL_LINES_H

#include "guide/goal/sum.h"

enum {
    SONDE_LINES_AXES = 216,
    SONDE_LINES_ROWS = 32,
    SONDE_LINES_EQUATIONS = 8 /* the first row and at most this many minus one others */
};

/* A comparison as a line. */
struct sonde_goal_line {
    uint8_t bytes;       /* width: 1, 2, 4 or 8 */
    bool is_equation;    /* must hold; otherwise only its sign should stay */
    int64_t now, want;   /* differences, sign-extended from their width; `want` is 0 for rows without an equation */
    int64_t least, most; /* of a row without an equation: the differences for which it has the same outcome */
    int64_t slopes[SONDE_LINES_AXES];
};

/* A system. The first row is the goal. */
struct sonde_lines {
    uint32_t n_rows, n_axes;
    struct sonde_goal_line rows[SONDE_LINES_ROWS];
    uint64_t up[SONDE_LINES_AXES], down[SONDE_LINES_AXES]; /* the most steps that an axis allows, up and down */
    bool is_joint[SONDE_LINES_AXES];                       /* a direction made of several numbers */
    bool leaves[SONDE_LINES_AXES]; /* a step along this axis alone loses the comparison of the goal */
};

/* Ways to solve. */
enum sonde_lines_way {
    SONDE_LINES_BOUNDED, /* the goal, by branch and bound (sum.h), within what all other rows leave each number */
    SONDE_LINES_INVERSE, /* the goal, along one axis that keeps the others, by the inverse of its slope in Z/2^w */
    SONDE_LINES_TRIALS,  /* the goal alone, along single numbers, most of them by random steps */
    SONDE_LINES_NEAREST  /* one Newton step along one axis, clamped to its range; need not be a solution */
};

/* Fills steps[0..n_axes) and returns whether there is a solution (for NEAREST: whether there is a step). Adds the work
 * done to *work, in units of about 10 ns. */
bool sonde_lines_solve(const struct sonde_lines *lines, enum sonde_lines_way way, struct sonde_rng *rng, int64_t *steps,
                       uint64_t *work);

/* Reports whether an equation before the goal depends on an axis. */
bool sonde_lines_is_bound(const struct sonde_lines *lines, uint32_t axis);
/* Finds a direction: a whole number for each axis, axis `first` among them, that changes no equation except the goal.
 * Fills by[0..n_axes); returns false if there is none with small numbers. */
bool sonde_lines_direction(const struct sonde_lines *lines, uint32_t first, struct sonde_rng *rng, int64_t *by);

/* Returns x with a * x = 1 modulo 2^64; a is odd. */
uint64_t sonde_inverse(uint64_t a);

#endif
