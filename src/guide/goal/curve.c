/* See curve.h. The formula for quadratic equations is evaluated in long double; whether its rounded result is a
 * solution is checked exactly, modulo 2^w. */
#include "guide/goal/curve.h"

#include "base/wide.h"
#include "guide/goal/sum.h"

#include <math.h>

enum {
    SWEEP = 60000,  /* values of one of two unknowns that are tried */
    RANDOM = 10000, /* random values of all but one of three or four unknowns */
    WORK = 4        /* of one trial: two roots, and two values of the curve */
};

/* Returns k * (k - 1) / 2 modulo 2^64. */
static uint64_t pairs(int64_t k)
{
    uint64_t x = (uint64_t)k, y = x - 1;
    return k % 2 == 0 ? (uint64_t)(k / 2) * y : x * (uint64_t)((k - 1) / 2);
}

int64_t sonde_curve_value(const struct sonde_curve *c, const int64_t *steps)
{
    uint64_t sum = (uint64_t)c->at;
    for (uint32_t i = 0; i < c->n; i++) {
        sum += (uint64_t)c->first[i] * (uint64_t)steps[i] + (uint64_t)c->second[i][i] * pairs(steps[i]);
        for (uint32_t j = i + 1; j < c->n; j++)
            sum += (uint64_t)c->second[i][j] * (uint64_t)steps[i] * (uint64_t)steps[j];
    }
    if (c->n == 3) sum += (uint64_t)c->third * (uint64_t)steps[0] * (uint64_t)steps[1] * (uint64_t)steps[2];
    return sonde_wrap(sum, c->bytes);
}

static bool is_in_range(const struct sonde_curve *c, uint32_t axis, int64_t step)
{
    return step < 0 ? 0 - (uint64_t)step <= c->down[axis] : (uint64_t)step <= c->up[axis];
}

/* Solves a*x*x + b*x + at = want for the axis, with the other steps fixed. steps[axis] must be 0. */
static bool solve_along(const struct sonde_curve *c, uint32_t axis, int64_t want, int64_t *steps)
{
    long double a = (long double)c->second[axis][axis] / 2, b = (long double)c->first[axis] - a;
    for (uint32_t i = 0; i < c->n; i++)
        b += i == axis ? 0 : (long double)(i < axis ? c->second[i][axis] : c->second[axis][i]) * (long double)steps[i];
    if (c->n == 3 && c->third)
        b += (long double)c->third * (long double)steps[(axis + 1) % 3] * (long double)steps[(axis + 2) % 3];
    long double rest = (long double)sonde_curve_value(c, steps) - (long double)want, roots[2];
    unsigned n = 0;
    if (a == 0 && b != 0) roots[n++] = -rest / b;
    long double inner = b * b - 4 * a * rest;
    if (a != 0 && inner >= 0) {
        roots[n++] = (-b + sqrtl(inner)) / (2 * a);
        roots[n++] = (-b - sqrtl(inner)) / (2 * a);
    }
    for (unsigned i = 0; i < n; i++) {
        if (!(fabsl(roots[i]) < 9e18L)) continue;
        steps[axis] = (int64_t)rintl(roots[i]);
        if (is_in_range(c, axis, steps[axis]) && sonde_curve_value(c, steps) == want) return true;
    }
    steps[axis] = 0;
    return false;
}

static uint64_t width_of(const struct sonde_curve *c, uint32_t axis)
{
    uint64_t width = c->up[axis] + c->down[axis];
    return width < c->up[axis] || width > INT64_MAX ? INT64_MAX : width;
}

/* Tries the values of the narrower axis from its lower end on. */
static bool sweep(const struct sonde_curve *c, int64_t want, int64_t *steps, uint64_t *work)
{
    uint32_t along = width_of(c, 0) < width_of(c, 1) ? 1 : 0, swept = 1 - along;
    uint64_t down = c->down[swept] > INT64_MAX ? INT64_MAX : c->down[swept];
    for (uint64_t i = 0; i <= width_of(c, swept) && i < SWEEP; i++) {
        *work += WORK;
        steps[swept] = (int64_t)(i - down);
        steps[along] = 0;
        if (solve_along(c, along, want, steps)) return true;
    }
    return false;
}

/* ---- Products of three numbers: one of them divides the constant, so it is found by dividing. */

/* Returns the curve of two axes that is left when one of three axes has taken a step. */
static struct sonde_curve fixed(const struct sonde_curve *c, uint32_t axis, int64_t step)
{
    uint32_t x = axis == 0, y = axis == 2 ? 1 : 2;
    int64_t steps[SONDE_CURVE_AXES] = {0};
    struct sonde_curve rest = {.n = 2, .bytes = c->bytes};
    steps[axis] = step;
    rest.at = sonde_curve_value(c, steps);
    rest.first[0] = (int64_t)((uint64_t)c->first[x]
                              + (uint64_t)c->second[x < axis ? x : axis][x < axis ? axis : x] * (uint64_t)step);
    rest.first[1] = (int64_t)((uint64_t)c->first[y]
                              + (uint64_t)c->second[y < axis ? y : axis][y < axis ? axis : y] * (uint64_t)step);
    rest.second[0][1] = (int64_t)((uint64_t)c->second[x][y] + (uint64_t)c->third * (uint64_t)step);
    rest.up[0] = c->up[x], rest.down[0] = c->down[x];
    rest.up[1] = c->up[y], rest.down[1] = c->down[y];
    return rest;
}

/* Reports whether the wanted value differs from the curve at 0 by a multiple of what all its steps are multiples of. */
static bool may_solve(const struct sonde_curve *c, int64_t want)
{
    uint64_t all = sonde_gcd(sonde_gcd(sonde_magnitude(c->first[0]), sonde_magnitude(c->first[1])),
                             sonde_magnitude(c->second[0][1]));
    uint64_t need = sonde_magnitude(sonde_wrap((uint64_t)want - (uint64_t)c->at, c->bytes));
    return all ? need % all == 0 : need == 0;
}

/* Tries the values of the narrowest axis. */
static bool sweep_three(const struct sonde_curve *c, int64_t want, int64_t *steps, uint64_t *work)
{
    enum { SWEEPS = 24 };
    uint32_t axis = 0, n = 0;
    for (uint32_t i = 1; i < c->n; i++)
        if (width_of(c, i) < width_of(c, axis)) axis = i;
    uint64_t down = c->down[axis] > INT64_MAX ? INT64_MAX : c->down[axis];
    for (uint64_t i = 0; i <= width_of(c, axis) && i < SWEEP && n < SWEEPS; i++) {
        int64_t two[SONDE_CURVE_AXES] = {0}, step = (int64_t)(i - down);
        struct sonde_curve rest = fixed(c, axis, step);
        *work += WORK;
        if (!may_solve(&rest, want)) continue;
        n++;
        if (!sweep(&rest, want, two, work)) continue;
        steps[axis] = step;
        steps[axis == 0] = two[0];
        steps[axis == 2 ? 1 : 2] = two[1];
        return sonde_curve_value(c, steps) == want;
    }
    return false;
}

static bool is_product(const struct sonde_curve *c)
{
    return c->n == 3 && c->third && !c->second[0][0] && !c->second[1][1] && !c->second[2][2];
}

bool sonde_curve_solve(const struct sonde_curve *c, int64_t want, struct sonde_rng *rng, int64_t *steps, uint64_t *work)
{
    if (c->n == 2) return sweep(c, want, steps, work);
    if (is_product(c)) return sweep_three(c, want, steps, work);
    uint32_t trials = c->n == 1 ? 1 : RANDOM;
    for (uint32_t trial = 0; trial < trials; trial++) {
        uint32_t along = (uint32_t)sonde_rng_upto(rng, c->n - 1);
        *work += WORK;
        for (uint32_t i = 0; i < c->n; i++) {
            uint64_t down = c->down[i] > INT64_MAX ? INT64_MAX : c->down[i];
            steps[i] = i == along ? 0 : (int64_t)(sonde_rng_scale(sonde_rng_next(rng), width_of(c, i)) - down);
            if (!is_in_range(c, i, steps[i])) steps[i] = 0;
        }
        if (solve_along(c, along, want, steps)) return true;
    }
    return false;
}
