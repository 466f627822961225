/* See curve.h. The formula for quadratic equations is evaluated in long double; whether its rounded result is a
 * solution is checked exactly, modulo 2^w. */
#include "guide/goal/curve.h"

#include "guide/goal/lines.h"

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

bool sonde_curve_solve(const struct sonde_curve *c, int64_t want, struct sonde_rng *rng, int64_t *steps, uint64_t *work)
{
    if (c->n == 2) return sweep(c, want, steps, work);
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
