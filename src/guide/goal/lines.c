/* See lines.h. Solutions and directions are computed in long double and rounded. A solution is then checked exactly,
 * modulo 2^w; a wrong direction costs a few cases. */
#include "guide/goal/lines.h"

#include "base/wide.h"

#include <math.h>
#include <string.h>

enum { SCALES = 2000 }; /* largest factor that makes a direction whole */

/* Newton's iteration doubles the number of right bits. At first three are right: a * a = 1 modulo 8 for odd a. */
uint64_t sonde_inverse(uint64_t a)
{
    uint64_t x = a;
    for (int i = 0; i < 5; i++) x *= 2 - a * x;
    return x;
}

static bool is_in_range(const struct sonde_lines *l, uint32_t axis, int64_t step)
{
    return sonde_magnitude(step) <= (step < 0 ? l->down[axis] : l->up[axis]);
}

/* ---- Checking */

static uint64_t value_at(const struct sonde_lines *l, const struct sonde_goal_line *row, const int64_t *steps)
{
    uint64_t sum = (uint64_t)row->now;
    for (uint32_t i = 0; i < l->n_axes; i++) sum += (uint64_t)steps[i] * (uint64_t)row->slopes[i];
    return sum;
}

static bool holds(const struct sonde_lines *l, const struct sonde_goal_line *row, const int64_t *steps)
{
    return sonde_wrap(value_at(l, row, steps) - (uint64_t)row->want, row->bytes) == 0;
}

/* Reports whether the outcome of a row stays. Computed with doubles, because a product may exceed 64 bits. */
static bool keeps_sign(const struct sonde_lines *l, const struct sonde_goal_line *row, const int64_t *steps)
{
    double sum = (double)row->now;
    for (uint32_t i = 0; i < l->n_axes; i++)
        if (steps[i]) sum += (double)steps[i] * (double)row->slopes[i];
    return sum >= (double)row->least && sum <= (double)row->most;
}

static bool keeps_signs(const struct sonde_lines *l, const int64_t *steps)
{
    for (uint32_t r = 1; r < l->n_rows; r++)
        if (!l->rows[r].is_equation && !keeps_sign(l, &l->rows[r], steps)) return false;
    return true;
}

/* ---- One equation */

/* Solves slope * x = need modulo 2^w. Of all solutions, takes the one nearest to 0 on either side that is in range. */
static bool by_inverse_along(const struct sonde_lines *l, uint32_t axis, int64_t *step)
{
    const struct sonde_goal_line *goal = &l->rows[0];
    uint64_t slope = (uint64_t)goal->slopes[axis], need = (uint64_t)goal->want - (uint64_t)goal->now;
    unsigned bits = 8u * goal->bytes, even = slope ? (unsigned)__builtin_ctzll(slope) : bits;
    uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    need &= all;
    if (even >= bits || need & ((UINT64_C(1) << even) - 1)) return false;
    uint64_t ring = all >> even, x = (need >> even) * sonde_inverse(slope >> even) & ring;
    if (x <= INT64_MAX && x <= l->up[axis]) return *step = (int64_t)x, true;
    uint64_t back = (0 - x) & ring;
    if (back <= INT64_MAX && back <= l->down[axis]) return *step = -(int64_t)back, true;
    return false;
}

bool sonde_lines_is_bound(const struct sonde_lines *l, uint32_t axis)
{
    for (uint32_t r = 1; r < l->n_rows; r++)
        if (l->rows[r].is_equation && l->rows[r].slopes[axis]) return true;
    return false;
}

static bool by_inverse(const struct sonde_lines *l, struct sonde_rng *rng, int64_t *steps, uint64_t *work)
{
    uint32_t from = (uint32_t)sonde_rng_upto(rng, l->n_axes - 1);
    memset(steps, 0, l->n_axes * sizeof *steps);
    *work += l->n_axes;
    for (uint32_t k = 0; k < l->n_axes; k++) {
        uint32_t axis = (from + k) % l->n_axes;
        if (l->leaves[axis] || sonde_lines_is_bound(l, axis)) continue;
        if (by_inverse_along(l, axis, &steps[axis]) && steps[axis]) return true;
    }
    return false;
}

/* Returns the single axes with a slope, the largest slopes first. */
static uint32_t by_slope(const struct sonde_lines *l, uint32_t *order)
{
    const int64_t *slopes = l->rows[0].slopes;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n_axes; i++) {
        if (!slopes[i] || l->is_joint[i]) continue;
        uint32_t k = n++;
        for (; k && sonde_magnitude(slopes[order[k - 1]]) < sonde_magnitude(slopes[i]); k--) order[k] = order[k - 1];
        order[k] = i;
    }
    return n;
}

/* Returns a step to a uniform value of the range, or one whose size has a uniform number of bits. */
static int64_t any_step(const struct sonde_lines *l, uint32_t axis, struct sonde_rng *rng)
{
    uint64_t up = l->up[axis], down = l->down[axis], width = up + down;
    if (width < up || width > INT64_MAX) width = INT64_MAX;
    uint64_t x = sonde_rng_next(rng);
    int64_t step = (int64_t)(sonde_rng_scale(sonde_rng_next(rng), width) - (down < width ? down : width));
    if (x % 3 == 0) {
        step = (int64_t)(sonde_rng_next(rng) >> (1 + x / 3 % 63));
        if (x >> 63) step = -step;
    }
    return is_in_range(l, axis, step) ? step : 0;
}

/* Takes random steps along some axes, and solves for another one. Every second time it is the axis with the smallest
 * slope, which divides most. The first trials take no random steps. Some trials let the sides wrap around. */
static bool by_trials(const struct sonde_lines *l, struct sonde_rng *rng, int64_t *steps, uint64_t *work)
{
    enum { TRIALS = 300, FEW = 8, PLAIN = 4, WRAPS = 8 };
    const long double most = 9e18L;
    const struct sonde_goal_line *goal = &l->rows[0];
    uint32_t axes[SONDE_LINES_AXES], n = by_slope(l, axes);
    for (uint32_t trial = 0; n && trial < (n > 1 ? TRIALS : FEW); trial++) {
        uint32_t pivot = axes[trial & 1 ? sonde_rng_upto(rng, n - 1) : n - 1];
        long double turns = trial % WRAPS == WRAPS - 1 ? (long double)sonde_rng_upto(rng, 4) - 2 : 0;
        long double need = (long double)goal->want - (long double)goal->now + ldexpl(turns, 8 * goal->bytes);
        memset(steps, 0, l->n_axes * sizeof *steps);
        *work += 5 + n / 4;
        for (uint32_t k = 0; trial >= PLAIN && k < n; k++) {
            if (axes[k] == pivot || sonde_rng_next(rng) & 1) continue;
            steps[axes[k]] = any_step(l, axes[k], rng);
            need -= (long double)steps[axes[k]] * (long double)goal->slopes[axes[k]];
        }
        long double x = rintl(need / (long double)goal->slopes[pivot]);
        if (!(fabsl(x) < most) || !is_in_range(l, pivot, (int64_t)x)) continue;
        steps[pivot] = (int64_t)x;
        if (holds(l, goal, steps)) return true;
    }
    return false;
}

static int64_t clamped(const struct sonde_lines *l, uint32_t axis, int64_t step)
{
    if (is_in_range(l, axis, step)) return step;
    return step < 0 ? -(int64_t)l->down[axis] : (int64_t)l->up[axis];
}

/* Narrows the bounds of a term by a row that depends on nothing else. */
static void tighten(const struct sonde_goal_line *row, const struct sonde_lines *l, const uint32_t *order, uint32_t n,
                    struct sonde_sum *sum)
{
    uint32_t at = n;
    for (uint32_t i = 0; i < l->n_axes; i++) {
        if (!row->slopes[i] || l->is_joint[i]) continue;
        if (at < n) return;
        for (at = 0; at < n && order[at] != i;) at++;
        if (at == n) return;
    }
    if (at == n) return;
    long double slope = (long double)row->slopes[order[at]], now = (long double)row->now;
    long double a = ((long double)row->least - now) / slope, b = ((long double)row->most - now) / slope;
    long double lo = ceill(fminl(a, b)), hi = floorl(fmaxl(a, b));
    if (lo > (long double)sum->lo[at]) sum->lo[at] = (int64_t)lo;
    if (hi < (long double)sum->hi[at]) sum->hi[at] = (int64_t)hi;
}

struct bounded {
    const struct sonde_lines *lines;
    const uint32_t *order;
    uint32_t n;
};

static bool keeps_rows(const void *of, const int64_t *x)
{
    const struct bounded *b = of;
    int64_t steps[SONDE_LINES_AXES] = {0};
    for (uint32_t k = 0; k < b->n; k++) steps[b->order[k]] = x[k];
    for (uint32_t r = 1; r < b->lines->n_rows; r++)
        if (b->lines->rows[r].is_equation && !holds(b->lines, &b->lines->rows[r], steps)) return false;
    return keeps_signs(b->lines, steps);
}

static bool by_bounds(const struct sonde_lines *l, struct sonde_rng *rng, int64_t *steps, uint64_t *work)
{
    const struct sonde_goal_line *goal = &l->rows[0];
    uint32_t order[SONDE_LINES_AXES], n = by_slope(l, order);
    struct bounded of = {l, order, n};
    struct sonde_sum sum = {.n = n, .bytes = goal->bytes, .accepts = keeps_rows, .of = &of};
    int64_t x[SONDE_LINES_AXES];
    for (uint32_t k = 0; k < n; k++) {
        uint64_t up = l->up[order[k]], down = l->down[order[k]];
        sum.by[k] = goal->slopes[order[k]];
        sum.hi[k] = up > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)up;
        sum.lo[k] = down > INT64_MAX / 2 ? -(INT64_MAX / 2) : -(int64_t)down;
    }
    for (uint32_t r = 1; r < l->n_rows; r++)
        if (!l->rows[r].is_equation) tighten(&l->rows[r], l, order, n, &sum);
    memset(steps, 0, l->n_axes * sizeof *steps);
    int64_t need = sonde_wrap((uint64_t)goal->want - (uint64_t)goal->now, goal->bytes);
    if (!sonde_sum_solve(&sum, need, rng, x, work)) return false;
    for (uint32_t k = 0; k < n; k++) steps[order[k]] = x[k];
    return true;
}

static bool nearest(const struct sonde_lines *l, struct sonde_rng *rng, int64_t *steps)
{
    const struct sonde_goal_line *goal = &l->rows[0];
    uint32_t from = (uint32_t)sonde_rng_upto(rng, l->n_axes - 1);
    memset(steps, 0, l->n_axes * sizeof *steps);
    for (uint32_t k = 0; k < l->n_axes; k++) {
        uint32_t axis = (from + k) % l->n_axes;
        if (!goal->slopes[axis]) continue;
        double x = rint(((double)goal->want - (double)goal->now) / (double)goal->slopes[axis]);
        if (fabs(x) < 9e18) steps[axis] = clamped(l, axis, (int64_t)x);
        return steps[axis] != 0;
    }
    return false;
}

bool sonde_lines_solve(const struct sonde_lines *l, enum sonde_lines_way way, struct sonde_rng *rng, int64_t *steps,
                       uint64_t *work)
{
    if (l->n_axes == 0) return false;
    switch (way) {
    case SONDE_LINES_BOUNDED: return by_bounds(l, rng, steps, work);
    case SONDE_LINES_INVERSE: return by_inverse(l, rng, steps, work);
    case SONDE_LINES_TRIALS: return by_trials(l, rng, steps, work);
    default: return nearest(l, rng, steps);
    }
}

/* ---- Directions */

/* The equations before the goal, and the axes that they depend on. */
struct part {
    uint32_t rows[SONDE_LINES_EQUATIONS], n_rows;
    uint32_t axes[SONDE_LINES_AXES], n_axes;
};

static bool depends(const struct sonde_lines *l, const struct part *p, uint32_t axis)
{
    for (uint32_t r = 0; r < p->n_rows; r++)
        if (l->rows[p->rows[r]].slopes[axis]) return true;
    return false;
}

static bool has_slope(const struct sonde_lines *l, uint32_t row)
{
    for (uint32_t i = 0; i < l->n_axes; i++)
        if (l->rows[row].slopes[i]) return true;
    return false;
}

/* Solves each equation for one axis, with axis `first` as the only free one. column[r] receives the axis of row r, or
 * SONDE_LINES_AXES, and a[r][0] the number that it moves by when `first` moves by 1. */
static const long double tiny = 1e-9L;
static bool reduce(long double a[][SONDE_LINES_AXES + 1], const struct part *p, uint32_t from, uint32_t *column)
{
    uint32_t n = p->n_axes;
    for (uint32_t r = 0; r < p->n_rows; r++) {
        uint32_t c = SONDE_LINES_AXES;
        for (uint32_t k = 0; k < n && c == SONDE_LINES_AXES; k++)
            if (fabsl(a[r][(from + k) % n]) > tiny) c = (from + k) % n;
        column[r] = c;
        if (c == SONDE_LINES_AXES && fabsl(a[r][n]) > tiny) return false;
        if (c == SONDE_LINES_AXES) continue;
        long double pivot = a[r][c];
        for (uint32_t k = 0; k <= n; k++) a[r][k] /= pivot;
        for (uint32_t o = 0; o < p->n_rows; o++) {
            long double factor = a[o][c];
            for (uint32_t k = 0; o != r && k <= n; k++) a[o][k] -= factor * a[r][k];
        }
    }
    return true;
}

/* Returns the least factor that makes all numbers of a column whole; 0 if there is none up to SCALES. */
static uint32_t scale_of(long double a[][SONDE_LINES_AXES + 1], const struct part *p, const uint32_t *column)
{
    const long double close = 1e-7L, large = 1e15L;
    for (uint32_t scale = 1; scale <= SCALES; scale++) {
        bool is_whole = true;
        for (uint32_t r = 0; r < p->n_rows && is_whole; r++) {
            long double x = column[r] == SONDE_LINES_AXES ? 0 : scale * a[r][p->n_axes];
            is_whole = fabsl(x - rintl(x)) < close && fabsl(x) < large;
        }
        if (is_whole) return scale;
    }
    return 0;
}

bool sonde_lines_direction(const struct sonde_lines *l, uint32_t first, struct sonde_rng *rng, int64_t *by)
{
    struct part p = {.n_rows = 0};
    long double a[SONDE_LINES_EQUATIONS][SONDE_LINES_AXES + 1];
    uint32_t column[SONDE_LINES_EQUATIONS];
    for (uint32_t r = 1; r < l->n_rows && p.n_rows < SONDE_LINES_EQUATIONS; r++)
        if (l->rows[r].is_equation && has_slope(l, r)) p.rows[p.n_rows++] = r;
    if (p.n_rows == 0 || !depends(l, &p, first)) return false;
    for (uint32_t i = 0; i < l->n_axes; i++)
        if (depends(l, &p, i) && !l->is_joint[i]) p.axes[p.n_axes++] = i;
    for (uint32_t r = 0; r < p.n_rows; r++) {
        const int64_t *slopes = l->rows[p.rows[r]].slopes;
        for (uint32_t k = 0; k < p.n_axes; k++) a[r][k] = p.axes[k] == first ? 0 : (long double)slopes[p.axes[k]];
        a[r][p.n_axes] = -(long double)slopes[first];
    }
    if (!reduce(a, &p, (uint32_t)sonde_rng_upto(rng, p.n_axes - 1), column)) return false;
    uint32_t scale = scale_of(a, &p, column);
    if (scale == 0) return false;
    memset(by, 0, l->n_axes * sizeof *by);
    by[first] = scale;
    for (uint32_t r = 0; r < p.n_rows; r++)
        if (column[r] != SONDE_LINES_AXES) by[p.axes[column[r]]] = (int64_t)rintl(scale * a[r][p.n_axes]);
    return true;
}
