/* See root.h. */
#include "guide/goal/root.h"

#include <math.h>

enum {
    STEPS = 90,  /* values in all: a bisection of the doubles takes 64 */
    PROBES = 12, /* values without a second difference, before it gives up */
    WHOLE = 6,   /* the same of whole numbers: after 16, 4 and 1 to both sides the values would repeat */
    TOWARDS = 6  /* steps that a wall counts for: the root is rarely just in front of it */
};

void sonde_root_begin(struct sonde_root *r, double x, double f, double lo, double hi, bool is_whole)
{
    *r = (struct sonde_root){.lo = lo, .hi = hi, .is_whole = is_whole, .x = {x, x}, .f = {f, f}};
    r->step = is_whole ? 16 : ldexp(fabs(x) + 1e-3, -8);
}

static double clamped(const struct sonde_root *r, double x)
{
    return fmin(fmax(r->is_whole ? rint(x) : x, r->lo), r->hi);
}

/* Alternates between both sides; after both, the steps are smaller, because larger ones left the path or changed
 * nothing. */
static double probe(struct sonde_root *r)
{
    double x = r->x[0] + (r->steps % 2 ? -r->step : r->step);
    if (r->steps % 2) r->step = r->is_whole ? fmax(1, rint(r->step / 4)) : ldexp(r->step, -9);
    return x;
}

static double better(const struct sonde_root *r)
{
    return r->x[fabs(r->f[1]) < fabs(r->f[0])];
}

/* A whole number moves by 1 at least. */
static double secant(const struct sonde_root *r)
{
    double x = r->x[0] - r->f[0] * (r->x[1] - r->x[0]) / (r->f[1] - r->f[0]), from = better(r);
    return r->is_whole && fabs(x - from) < 1 ? from + copysign(1, x - from) : x;
}

static double inside(const struct sonde_root *r)
{
    double lo = fmin(r->x[0], r->x[1]), hi = fmax(r->x[0], r->x[1]);
    double x = secant(r);
    bool is_middle = r->steps % 3 == 0 || !(x > lo && x < hi);
    if (is_middle) x = lo / 2 + hi / 2;
    if (!r->is_whole) return x;
    x = rint(x);
    return x > lo && x < hi ? x : floor(lo / 2 + hi / 2 + 0.25);
}

/* After a value outside of the path: the middle between that value and the nearer of the two. */
static double back(const struct sonde_root *r)
{
    unsigned near = fabs(r->x[1] - r->wall) < fabs(r->x[0] - r->wall);
    return r->wall / 2 + r->x[near] / 2;
}

/* Keeps a value that is not known yet away from a wall. */
static double inside_walls(struct sonde_root *r, double x)
{
    bool is_low = r->is_wall[0] && x <= r->lo, is_high = r->is_wall[1] && x >= r->hi;
    if (!is_low && !is_high) return x;
    r->wall = is_low ? r->lo : r->hi;
    return back(r);
}

bool sonde_root_next(struct sonde_root *r, double *x)
{
    const unsigned probes = r->is_whole ? WHOLE : PROBES;
    while (r->steps < (r->has_other ? STEPS : probes)) {
        double next = !r->has_other ? probe(r) : r->has_wall ? back(r) : r->is_bracket ? inside(r) : secant(r);
        r->steps++;
        if (!isfinite(next)) return false;
        r->asked = *x = clamped(r, inside_walls(r, next));
        bool is_new = *x != r->x[0] && (!r->has_other || *x != r->x[1]);
        if (is_new) return true;
        if (r->has_other) return false; /* neighbours, or the end of the range */
    }
    return false;
}

/* Replaces one of the two values: in a bracket the one of the same sign, otherwise the one that is farther off. */
static void replace(struct sonde_root *r, double f)
{
    unsigned end = r->is_bracket ? (f > 0) != (r->f[0] > 0) : fabs(r->f[0]) < fabs(r->f[1]);
    double worst = fmax(fabs(r->f[0]), fabs(r->f[1]));
    if (!r->is_bracket && fabs(f) >= worst && (f > 0) == (r->f[0] > 0)) r->steps += 10;
    r->x[end] = r->asked, r->f[end] = f;
    if (r->f[0] == r->f[1]) r->steps = STEPS;
}

void sonde_root_learn(struct sonde_root *r, bool is_met, double f)
{
    r->has_wall = !is_met || isnan(f);
    r->wall = r->asked;
    if (r->has_wall && r->has_other) r->steps += TOWARDS;
    if (r->has_wall && r->asked > fmax(r->x[0], r->x[1])) r->hi = r->asked, r->is_wall[1] = true;
    if (r->has_wall && r->asked < fmin(r->x[0], r->x[1])) r->lo = r->asked, r->is_wall[0] = true;
    if (r->has_wall || (!r->has_other && f == r->f[0])) return;
    if (r->has_other) replace(r, f);
    else r->x[1] = r->asked, r->f[1] = f;
    r->has_other = true;
    r->is_bracket |= (r->f[0] > 0) != (r->f[1] > 0);
}
