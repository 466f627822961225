/* See sum.h. Bounds are computed in long double and are a little wide; a solution is checked exactly. */
#include "guide/goal/sum.h"

#include "base/check.h"
#include "base/wide.h"

#include <math.h>
#include <string.h>

enum {
    NODES = 4000, /* values that are tried in all */
    VALUES = 16   /* values of one unknown that are tried */
};

int64_t sonde_wrap(uint64_t value, uint8_t bytes)
{
    switch (bytes) {
    case 1: return (int8_t)value;
    case 2: return (int16_t)value;
    case 4: return (int32_t)value;
    default: return (int64_t)value;
    }
}

struct search {
    const struct sonde_sum *sum;
    struct sonde_rng *rng;
    uint32_t order[SONDE_SUM_TERMS];                                   /* terms, the largest factor first */
    long double least[SONDE_SUM_TERMS + 1], most[SONDE_SUM_TERMS + 1]; /* of the terms from here on */
    int64_t need;
    int64_t *x;
    uint32_t nodes;
};

/* Returns what a term adds, modulo 2^64. */
static int64_t effect_of(const struct sonde_sum *sum, uint32_t i, int64_t x)
{
    if (sum->effects[i]) return x ? sum->effects[i][x - 1] : 0;
    return (int64_t)((uint64_t)x * (uint64_t)sum->by[i]);
}

static bool holds(const struct search *s)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < s->sum->n; i++) all += (uint64_t)effect_of(s->sum, i, s->x[i]);
    if (sonde_wrap(all - (uint64_t)s->need, s->sum->bytes) != 0) return false;
    return !s->sum->accepts || s->sum->accepts(s->sum->of, s->x);
}

/* Finds the values of the term at this level for which the terms below can make up the rest. */
static bool range_of(const struct search *s, uint32_t level, long double rest, int64_t *lo, int64_t *hi)
{
    uint32_t i = s->order[level];
    long double by = (long double)s->sum->by[i];
    long double a = (rest - s->most[level + 1]) / by, b = (rest - s->least[level + 1]) / by;
    long double from = fmaxl(ceill(fminl(a, b) - 1e-6L), (long double)s->sum->lo[i]);
    long double to = fminl(floorl(fmaxl(a, b) + 1e-6L), (long double)s->sum->hi[i]);
    if (!(from <= to)) return false;
    *lo = (int64_t)from;
    *hi = (int64_t)to;
    return true;
}

/* Returns the value to begin with: the nearest to 0, or a random one. */
static int64_t first_of(const struct search *s, int64_t lo, int64_t hi)
{
    if (!s->rng) return lo > 0 ? lo : hi < 0 ? hi : 0;
    uint64_t width = (uint64_t)hi - (uint64_t)lo;
    return (int64_t)((uint64_t)lo + sonde_rng_upto(s->rng, width));
}

static bool descend(struct search *s, uint32_t level, long double rest);

/* Tries all options of a term for which the terms below can make up the rest. */
static bool choose(struct search *s, uint32_t level, long double rest)
{
    uint32_t i = s->order[level];
    uint64_t n = (uint64_t)s->sum->hi[i] + 1, from = s->rng ? sonde_rng_upto(s->rng, n - 1) : 0;
    for (uint64_t k = 0; k < n && s->nodes < NODES; k++) {
        s->x[i] = (int64_t)((from + k) % n);
        int64_t effect = effect_of(s->sum, i, s->x[i]);
        long double left = rest - (long double)effect;
        if ((s->x[i] && !effect) || left < s->least[level + 1] - 1 || left > s->most[level + 1] + 1) continue;
        s->nodes++;
        if (descend(s, level + 1, left)) return true;
    }
    s->x[i] = 0;
    return false;
}

static bool descend(struct search *s, uint32_t level, long double rest)
{
    int64_t lo, hi;
    if (level == s->sum->n) return holds(s);
    if (s->sum->effects[s->order[level]]) return choose(s, level, rest);
    if (!range_of(s, level, rest, &lo, &hi)) return false;
    uint32_t i = s->order[level];
    int64_t first = first_of(s, lo, hi);
    for (int64_t k = 0; k < 2 * VALUES && s->nodes < NODES; k++) {
        int64_t by = k % 2 ? (k + 1) / 2 : -(k / 2); /* 0, 1, -1, 2, -2, ... */
        if (by > 0 ? by > hi - first : by < lo - first) continue;
        s->x[i] = first + by;
        s->nodes++;
        if (descend(s, level + 1, rest - (long double)s->x[i] * (long double)s->sum->by[i])) return true;
    }
    s->x[i] = 0;
    return false;
}

/* Insertion sort: most inputs have few numbers that matter. */
static void sort_terms(struct search *s)
{
    for (uint32_t i = 0; i < s->sum->n; i++) {
        uint32_t at = i;
        for (; at > 0 && sonde_magnitude(s->sum->by[s->order[at - 1]]) < sonde_magnitude(s->sum->by[i]); at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i;
    }
}

bool sonde_sum_solve(const struct sonde_sum *sum, int64_t need, struct sonde_rng *rng, int64_t *x, uint64_t *work)
{
    struct search s = {.sum = sum, .rng = rng, .need = need, .x = x};
    sonde_assert(sum->n <= SONDE_SUM_TERMS);
    memset(x, 0, sum->n * sizeof *x);
    sort_terms(&s);
    for (uint32_t level = sum->n; level-- > 0;) {
        uint32_t i = s.order[level];
        long double a = (long double)sum->by[i] * (long double)sum->lo[i];
        long double b = (long double)sum->by[i] * (long double)sum->hi[i];
        if (sum->effects[i]) a = b = 0;
        for (int64_t k = 1; sum->effects[i] && k <= sum->hi[i]; k++) {
            a = fminl(a, (long double)effect_of(sum, i, k));
            b = fmaxl(b, (long double)effect_of(sum, i, k));
        }
        s.least[level] = s.least[level + 1] + fminl(a, b);
        s.most[level] = s.most[level + 1] + fmaxl(a, b);
    }
    bool is_found = false;
    const int turns[] = {0, 1, -1}; /* sides that wrapped around */
    for (unsigned k = 0; k < sizeof turns / sizeof *turns && !is_found; k++) {
        s.nodes = 0;
        is_found = descend(&s, 0, (long double)need + ldexpl(turns[k], 8 * sum->bytes));
        *work += s.nodes + sum->n;
    }
    return is_found;
}
