/* See peak.h. */
#include "guide/goal/peak.h"

#include <math.h>

enum {
    STEPS = 40,  /* values in all */
    TRIES = 6,   /* values without any gain around a double */
    LARGER = 256 /* factor of the steps where smaller ones changed nothing */
};
static const double near = 0x1p-20;   /* a bracket that is this small, relative to its ends, counts as one number */
static const double little = 0x1p-10; /* a gain that is this small, relative to all gains, ends the search */

void sonde_peak_begin(struct sonde_peak *p, double f, double lo, double hi, double step, bool is_whole)
{
    *p = (struct sonde_peak){
        .lo = lo, .hi = hi, .is_whole = is_whole, .step = {step, step}, .first = f, .f = {-INFINITY, f, -INFINITY}};
    p->has_side[0] = lo >= 0;
    p->has_side[1] = hi <= 0;
}

void sonde_peak_begin_every(struct sonde_peak *p, double f, double lo, double hi)
{
    *p = (struct sonde_peak){.lo = lo, .hi = hi, .is_every = true, .asked = lo - 1, .f = {-INFINITY, f, -INFINITY}};
}

/* Returns the vertex of the parabola through three points; NAN if it has no maximum. */
static double vertex(const double x[3], const double f[3])
{
    double a = x[0] - x[1], b = x[2] - x[1], da = f[0] - f[1], db = f[2] - f[1];
    double bent = (db / b - da / a) / (b - a);
    return bent < 0 ? x[1] - (da / a - bent * a) / (2 * bent) : NAN;
}

static double clamped(const struct sonde_peak *p, double x)
{
    return fmin(fmax(p->is_whole ? rint(x) : x, p->lo), p->hi);
}

/* Returns the next number in the direction that gained. That is the vertex of a parabola through three values, the end
 * of the range, or a number twice as far. */
static double beyond(struct sonde_peak *p, int side)
{
    double from = p->x[2 - 2 * side], by = p->x[1] - from, end = side ? p->hi : p->lo;
    if (p->has_last && p->last != from) {
        const double x[3] = {p->last, from, p->x[1]}, f[3] = {p->f_last, p->f[2 - 2 * side], p->f[1]};
        double top = vertex(x, f);
        if (isfinite(top) && (top - p->x[1]) * by > 0) return top;
        if (!p->tried_end && isnan(top)) {
            p->tried_end = true;
            return end;
        }
    }
    return p->x[1] + by + by;
}

static double inside(const struct sonde_peak *p)
{
    bool is_bent = isfinite(p->f[0]) && isfinite(p->f[2]) && p->steps % 3;
    double x = is_bent ? vertex(p->x, p->f) : NAN;
    if (p->is_whole) x = rint(x);
    int side = p->x[2] - p->x[1] > p->x[1] - p->x[0];
    if (p->is_whole && x == p->x[1]) return x + (side ? 1 : -1);
    if (x > p->x[0] && x < p->x[2]) return x;
    x = p->x[1] / 2 + p->x[2 * side] / 2;
    return p->is_whole ? (side ? ceil(x) : floor(x)) : x;
}

static bool is_narrow(const struct sonde_peak *p)
{
    double least = p->is_whole ? 1 : near * (fabs(p->x[0]) + fabs(p->x[2]));
    return p->x[1] - p->x[0] <= least && p->x[2] - p->x[1] <= least;
}

bool sonde_peak_next(struct sonde_peak *p, double *x)
{
    if (p->is_every) {
        p->asked += p->asked == -1 ? 2 : 1;
        *x = p->asked;
        return *x <= p->hi;
    }
    if (p->is_over || p->steps++ >= STEPS) return false;
    double next;
    if (p->has_side[0] && p->has_side[1]) {
        if (is_narrow(p) || (!p->has_last && (p->is_whole || p->f[0] == p->f[2] || p->steps > TRIES))) return false;
        next = inside(p);
    } else {
        int side = !p->has_side[1]; /* the side that is not known, the upper one first */
        bool has_gained = p->has_last && p->has_side[1 - side];
        next = has_gained ? beyond(p, side) : p->x[1] + (side ? p->step[1] : -p->step[0]);
    }
    p->asked = *x = clamped(p, next);
    return *x != p->x[1] && isfinite(*x);
}

/* Handles a value that is not greater. Where small steps change nothing, a larger one is next. */
static void learn_side(struct sonde_peak *p, int side, double f)
{
    double end = side ? p->hi : p->lo;
    bool is_flat = f == p->f[1] && !p->has_last && p->asked != end;
    if (is_flat) p->step[side] *= LARGER;
    p->has_side[side] = !is_flat;
    p->x[2 * side] = p->asked;
    p->f[2 * side] = isnan(f) ? -INFINITY : f;
}

bool sonde_peak_learn(struct sonde_peak *p, double f)
{
    int side = p->asked > p->x[1], behind = 1 - side;
    if (!(f > p->f[1])) {
        learn_side(p, side, f);
        return false;
    }
    p->last = p->has_side[behind] ? p->x[2 * behind] : p->x[1];
    p->f_last = p->has_side[behind] ? p->f[2 * behind] : p->f[1];
    p->has_last = p->has_side[behind] = true;
    p->x[2 * behind] = p->x[1];
    p->f[2 * behind] = p->f[1];
    p->is_over = p->asked == (side ? p->hi : p->lo) || (!p->is_whole && f - p->f[1] < little * (f - p->first));
    p->x[1] = p->asked;
    p->f[1] = f;
    return true;
}
