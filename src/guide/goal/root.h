/* Looks for a root of a function of one number, with one case for each value. It is a state machine: the caller asks
 * for a number, runs a case with it, and reports the difference of the sides.
 *
 * First it looks for a second value with another difference. Then it follows the secant until the sign changes. Then it
 * narrows the bracket, by secant and by middle, down to neighbouring numbers. A value at which the comparison is not
 * made any more is a wall. The next value lies nearer, and later ones stay on this side of it.
 *
 * Example: the code compares x with 1.500000001, after x > 1.5 held, and the case had x = 8. The secant through x = 8
 * and x = 8.03 meets 1.500000001, where the difference is 0. To get < instead of ==, the caller adds a small number to
 * all differences. */
#ifndef SONDE_GUIDE_GOAL_ROOT_H
#define SONDE_GUIDE_GOAL_ROOT_H

#include <sonde/extend.h>

struct sonde_root {
    double lo, hi; /* bounds of the number, and walls */
    bool is_whole; /* the number is an integer */
    bool has_other, is_bracket;
    bool has_wall;   /* the comparison was not made at the last value, `wall` */
    bool is_wall[2]; /* lo, hi is a wall */
    uint32_t steps;
    double x[2], f[2]; /* two values, and the differences there; [1] only if has_other */
    double asked;      /* the value that was asked for last */
    double step;       /* size of the steps while there is no second value */
    double wall;
};

/* Begins at x, where the difference is f. */
void sonde_root_begin(struct sonde_root *root, double x, double f, double lo, double hi, bool is_whole);
/* Writes the next value to try; returns false if there is none. */
bool sonde_root_next(struct sonde_root *root, double *x);
/* Reports the difference at the value that was asked for. is_met: the comparison was made. */
void sonde_root_learn(struct sonde_root *root, bool is_met, double f);

#endif
