/* Looks for a maximum of a function of one number, with one case for each value. It is a state machine: the caller asks
 * for a number, runs a case with it, and reports the value of the function. The search begins at 0.
 *
 * A step that gains is repeated farther. The next number is the vertex of a parabola through three values, else the
 * end of the range, else twice as far. Once the best value lies between two others, they are narrowed, by the parabola
 * and by halves. A value without a result is a wall: the maximum lies before it. Where small steps change nothing,
 * larger ones are tried.
 *
 * Example: the utility is -(x - 70) * (x - 70), and the case had x = 10, which is t = 0. The steps 1 and 2 give -3481
 * and -3364, and the parabola through them has its vertex at t = 60. */
#ifndef SONDE_GUIDE_GOAL_PEAK_H
#define SONDE_GUIDE_GOAL_PEAK_H

#include <stdbool.h>
#include <stdint.h>

struct sonde_peak {
    double lo, hi; /* bounds; lo <= 0 <= hi */
    bool is_whole; /* only whole numbers are asked for */
    bool tried_end;
    unsigned steps;
    double step[2]; /* the next step to each side, while nothing was gained */
    double first;   /* the function at 0 */
    double x[3];    /* left, best, right; [0] and [2] only if has_side */
    double f[3];    /* -INFINITY: no result */
    bool has_side[2];
    bool is_over, is_every; /* is_every: all whole numbers of the range are asked for */
    bool has_last;          /* `last` was the best value before this one was found */
    double last, f_last;
    double asked;
};

/* Begins at 0, where the function is f. `step` is above 0. */
void sonde_peak_begin(struct sonde_peak *peak, double f, double lo, double hi, double step, bool is_whole);
/* Begins a search that asks for each whole number of the range, for values without an order. */
void sonde_peak_begin_every(struct sonde_peak *peak, double f, double lo, double hi);
/* Writes the next number to try; returns false if the maximum is known well enough, or there is nothing to gain. */
bool sonde_peak_next(struct sonde_peak *peak, double *x);
/* Reports the function at the number that was asked for; NAN: there is no result. Returns whether it is the greatest so
 * far. */
bool sonde_peak_learn(struct sonde_peak *peak, double f);

#endif
