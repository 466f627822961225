/* Solves quadratic equations of a few unknowns in Z/2^w. Pure functions: no case is run.
 *
 * A curve is the difference of two sides as a function of steps along at most four axes. First and second differences
 * at the base determine a quadratic exactly, without division:
 *
 *     value(k) = at + sum first[i] * k[i] + sum second[i][i] * k[i] * (k[i] - 1) / 2 + sum second[i][j] * k[i] * k[j]
 *
 * With three axes, third * k[0] * k[1] * k[2] is added, for products of three numbers.
 *
 * Example: the code compares a * b with 15959989, and the case had a = 10, b = 20. Then at = 200 - 15959989,
 * first = {20, 10} and second[0][1] = 1. Trying each a gives a linear equation in b. */
#ifndef SONDE_GUIDE_GOAL_CURVE_H
#define SONDE_GUIDE_GOAL_CURVE_H

#include <sonde/extend.h>

enum { SONDE_CURVE_AXES = 4 };

struct sonde_curve {
    uint32_t n;    /* number of axes, at least 1 */
    uint8_t bytes; /* width of the sides */
    int64_t at, first[SONDE_CURVE_AXES];
    int64_t second[SONDE_CURVE_AXES][SONDE_CURVE_AXES];    /* [i][j] with i <= j */
    int64_t third;                                         /* of three axes */
    uint64_t up[SONDE_CURVE_AXES], down[SONDE_CURVE_AXES]; /* the most steps that an axis allows, up and down */
};

/* Returns the value after these steps, sign-extended from the width. */
int64_t sonde_curve_value(const struct sonde_curve *curve, const int64_t *steps);
/* Fills steps[0..n) so that the curve has the value `want`; returns whether that was found. All axes but one are swept
 * or random, and the last is solved for. Adds the work done to *work, in units of about 10 ns. */
bool sonde_curve_solve(const struct sonde_curve *curve, int64_t want, struct sonde_rng *rng, int64_t *steps,
                       uint64_t *work);

#endif
