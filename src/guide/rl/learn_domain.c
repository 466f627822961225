/* See learn_domain.h. In a small domain each value is a candidate. A wide domain is cut where the distance from the
 * simplest value gains a bit, and around related earlier values, which become separate candidates. No feature
 * distinguishes the values of such an interval, so one score serves all of them.
 *
 * A candidate has a *mass*: how often it would be drawn if nothing were known. That is nearly the distribution of
 * `uniform`. But a tenth goes to all orders of magnitude equally, and a twentieth to related values: otherwise a wide
 * domain would never show them. */
#include "guide/rl/learn_domain.h"

#include "tape/order.h"
#include "tape/tape.h"

#include <string.h>

enum { CUTS_MAX = 96 }; /* maximum number of cuts: more than magnitudes and related values can need */

/* ---- Intervals */

/* Computes the lowest and the highest value of a domain of whole numbers, in the order of sonde_learn_value. Unsigned
 * numbers have the top bit flipped, so that one signed comparison serves all kinds. */
static void ends_of(const struct sonde_choice *point, int64_t *lo, int64_t *hi)
{
    *lo = point->kind == SONDE_KIND_INT      ? (int64_t)point->base
          : point->kind == SONDE_KIND_UINT   ? (int64_t)(point->base ^ (UINT64_C(1) << 63))
          : point->kind == SONDE_KIND_LENGTH ? (int64_t)point->base
                                             : 0;
    *hi = (int64_t)((uint64_t)*lo + point->max);
}

/* Sorts cuts and removes duplicates. Insertion sort: there are a few dozen, nearly in order. */
static void sort_cuts(int64_t *cuts, uint32_t *n)
{
    for (uint32_t i = 1; i < *n; i++) {
        int64_t x = cuts[i];
        uint32_t k = i;
        for (; k > 0 && cuts[k - 1] > x; k--) cuts[k] = cuts[k - 1];
        cuts[k] = x;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *n; i++)
        if (kept == 0 || cuts[kept - 1] != cuts[i]) cuts[kept++] = cuts[i];
    *n = kept;
}

/* A domain of whole numbers while it is cut. */
struct cutting {
    int64_t cuts[CUTS_MAX]; /* first values of intervals */
    uint32_t n;
    int64_t lo, hi;
};

/* Adds a cut inside the domain. The first value of the domain begins an interval anyway. */
static void cut(struct cutting *x, int64_t at)
{
    if (at > x->lo && at <= x->hi && x->n < CUTS_MAX) x->cuts[x->n++] = at;
}

/* Makes each related value a separate interval, nearest ones first, while there is room. Each needs room for two cuts:
 * one before it and one after it. */
static void cut_at_members(struct cutting *x, const struct sonde_learn_context *c, uint32_t room)
{
    uint32_t before = x->n;
    for (uint32_t i = 0; i < c->n_members && x->n - before + 2 <= room; i++) {
        int64_t m = c->members[i];
        bool is_known = false;
        for (uint32_t k = 0; k < i; k++) is_known |= c->members[k] == m;
        if (is_known) continue;
        cut(x, m);
        if (m < INT64_MAX) cut(x, m + 1);
    }
}

/* Cuts where the bucket changes: 2^k from the simplest value, on both sides of it. */
static void cut_at_buckets(struct cutting *x, const struct sonde_choice *point)
{
    /* The simplest value is 0 if the domain has it, else the end nearest to 0. */
    int64_t origin = x->lo > 0 ? x->lo : x->hi < 0 ? x->hi : 0;
    if (point->kind == SONDE_KIND_UINT) origin = x->lo;
    unsigned by = sonde_learn_stride(point->max);
    for (unsigned k = 0; k < sonde_learn_bits(point->max); k += by) {
        uint64_t step = UINT64_C(1) << k;
        if ((uint64_t)x->hi - (uint64_t)origin >= step) cut(x, (int64_t)((uint64_t)origin + step));
        if ((uint64_t)origin - (uint64_t)x->lo >= step) cut(x, (int64_t)((uint64_t)origin - step + 1));
    }
}

/* A length that the user has not bounded is geometric with mean 8, as `uniform` draws it. */
static const double one_more = 8.0 / 9.0;

/* Returns one_more to the power of `from`, by squaring. Not pow(), whose last digit depends on the machine. */
static double geometric_tail(uint64_t from)
{
    double x = 1, base = one_more;
    for (; from; from >>= 1, base *= base)
        if (from & 1) x *= base;
    return x;
}

/* Returns the probability of an interval under `uniform`. A size has half of its mass on the full size, which is the
 * only one that `uniform` draws. */
static double plain_mass(const struct sonde_choice *point, int64_t lo, int64_t hi, int64_t top)
{
    double size = (double)((uint64_t)hi - (uint64_t)lo) + 1;
    if (point->kind == SONDE_KIND_LENGTH && point->flags & SONDE_CHOICE_OPEN)
        return geometric_tail((uint64_t)lo - point->base) - geometric_tail((uint64_t)hi - point->base + 1);
    double share = size / ((double)point->max + 1);
    if (point->kind == SONDE_KIND_SIZE) return 0.5 * share + (hi == top ? 0.5 : 0);
    return share;
}

/* Uses own_mass, with zeros after the last candidate, because masses are read four at a time. */
static void set_own_mass(struct sonde_learn_domain *out)
{
    for (uint32_t i = out->n; i < LEARN_CANDIDATES; i++) out->own_mass[i] = 0;
    out->mass = out->own_mass;
}

/* The parts of the mass of all candidates. They add up to 1: */
static const double by_values = 0.85, /* this part is divided among candidates by their number of values */
    by_candidates = 0.1,              /* this part is divided equally among all candidates */
    by_single_values = 0.05; /* this part is divided equally among candidates of one value, such as earlier values */
/* The parts for candidates that are doubles: */
static const float by_draws = 0.9f, /* this part is divided among doubles that `uniform` would draw */
    by_echoes = 0.1f;               /* this part is divided among earlier doubles */

/* Fills in the intervals of a domain of whole numbers. Cuts by magnitude come first, because they make the intervals;
 * related values take the room that is left. */
static void intervals(const struct sonde_learn_context *c, const struct sonde_choice *point,
                      struct sonde_learn_domain *out)
{
    struct cutting x = {.n = 0};
    ends_of(point, &x.lo, &x.hi);
    x.cuts[x.n++] = x.lo;
    if (point->kind == SONDE_KIND_SIZE) cut(&x, x.hi);
    cut_at_buckets(&x, point);
    sort_cuts(x.cuts, &x.n);
    if (x.n < LEARN_CANDIDATES) cut_at_members(&x, c, LEARN_CANDIDATES - x.n);
    sort_cuts(x.cuts, &x.n);
    uint32_t n = x.n < LEARN_CANDIDATES ? x.n : LEARN_CANDIDATES, alone = 0;
    for (uint32_t i = 0; i < n; i++) {
        out->lo[i] = x.cuts[i];
        out->hi[i] = i + 1 < n ? x.cuts[i + 1] - 1 : x.hi;
        /* The tape is NULL, since only doubles need it, for their bounds. */
        out->bucket[i] = (uint8_t)sonde_learn_bucket(point, sonde_learn_index(NULL, point, out->lo[i]));
        sonde_assert(out->lo[i] <= out->hi[i] && out->hi[i] <= x.hi);
        alone += out->lo[i] == out->hi[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        double mass = by_values * plain_mass(point, out->lo[i], out->hi[i], x.hi) + by_candidates / n;
        if (out->lo[i] == out->hi[i]) mass += by_single_values / alone;
        sonde_assert(mass > 0 && mass <= 1);
        out->own_mass[i] = (float)mass;
    }
    out->n = n;
    set_own_mass(out);
}

/* ---- Doubles: a few that `uniform` would draw, and related ones. */

/* Fills in the candidates for a draw of a double. Each candidate is a single value: twelve are random, and up to six
 * are related values of the context. */
static void doubles(const struct sonde_learn_context *c, const struct sonde_view *view, struct sonde_rng *rng,
                    struct sonde_learn_domain *out)
{
    enum {
        DRAWN = 12,   /* number of candidates drawn at random */
        ECHOES = 6,   /* related values */
        KEY_BITS = 62 /* bits of the random number that is a position in the order of all doubles */
    };
    static const double widest = 1e308; /* a wider range is not multiplied, since it might overflow */
    struct sonde_double_bounds bounds = sonde_choice_bounds(view->tape, view->point);
    uint32_t n = 0;
    for (; n < DRAWN; n++) {
        double x;
        /* A wider range is drawn by the order of all doubles, that is, by magnitude. */
        if (bounds.hi - bounds.lo <= widest) x = bounds.lo + sonde_rng_unit(rng) * (bounds.hi - bounds.lo);
        else
            x = sonde_learn_key_double((int64_t)(sonde_rng_next(rng) >> (64 - KEY_BITS))
                                       - (INT64_C(1) << (KEY_BITS - 1)));
        if (!(x >= bounds.lo && x <= bounds.hi)) x = bounds.lo;
        out->lo[n] = sonde_learn_double_key(x);
        out->own_mass[n] = by_draws / DRAWN;
    }
    for (uint32_t i = 0; i < c->n_members && n < DRAWN + ECHOES; i++) {
        double x = sonde_learn_key_double(c->members[i]);
        if (!(x >= bounds.lo && x <= bounds.hi)) continue;
        out->lo[n] = c->members[i];
        out->own_mass[n++] = by_echoes / ECHOES;
    }
    for (uint32_t i = 0; i < n; i++) {
        out->hi[i] = out->lo[i];
        out->bucket[i] =
            (uint8_t)sonde_learn_bucket(view->point, sonde_double_index(bounds, sonde_learn_key_double(out->lo[i])));
    }
    out->n = n;
    set_own_mass(out);
}

/* ---- Small domains */

/* Takes the generator's probabilities as the mass: the model then has to learn only the deviations. */
static void set_weights(const struct sonde_view *view, struct sonde_learn_domain *out)
{
    double p = 0.5;
    if (view->point->kind == SONDE_KIND_CHANCE) memcpy(&p, &view->point->base, sizeof p);
    out->own_mass[0] = (float)(1 - p);
    out->own_mass[1] = (float)p;
    for (uint32_t i = 0; view->weights && i < out->n; i++)
        out->own_mass[i] = (float)view->weights[i] / (float)view->weight_sum;
    set_own_mass(out);
}

static void each_value(const struct sonde_learn_context *c, const struct sonde_view *view,
                       struct sonde_learn_domain *out)
{
#define ONES 1, 1, 1, 1, 1, 1, 1, 1
    static const float ones_then_zeros[2 * LEARN_CANDIDATES] = {ONES, ONES, ONES, ONES};
    const struct sonde_choice *point = view->point;
    _Static_assert(LEARN_CANDIDATES == 4 * 8, "as many ones as there can be values");
    sonde_assert(point->max < LEARN_CANDIDATES);
    out->n = (uint32_t)point->max + 1;
    /* Most draws come here: a window into a constant table, n ones and then zeros, instead of a loop. */
    out->mass = ones_then_zeros + LEARN_CANDIDATES - out->n;
    if (view->weights || point->kind == SONDE_KIND_CHANCE) set_weights(view, out);
    if (c->n_classes == 0) return;
    /* Signed domains that reach below 0 have another order, by simplicity. */
    out->is_ascending = point->kind != SONDE_KIND_INT || (int64_t)point->base >= 0;
    uint32_t told = out->is_ascending ? 1 : out->n;
    for (uint32_t i = 0; i < told; i++) out->lo[i] = sonde_learn_value(view->tape, point, i);
}

void sonde_learn_candidates(const struct sonde_learn_context *c, const struct sonde_view *view, struct sonde_rng *rng,
                            struct sonde_learn_domain *out)
{
    const struct sonde_choice *point = view->point;
    out->is_ascending = false;
    out->is_narrow = point->max < SONDE_LEARN_NARROW && point->kind != SONDE_KIND_DOUBLE;
    if (out->is_narrow) each_value(c, view, out);
    else if (point->kind == SONDE_KIND_DOUBLE) doubles(c, view, rng, out);
    else intervals(c, point, out);
}

/* Within an interval of unbounded lengths the draw is still geometric, or the last interval would give only huge
 * lengths. */
int64_t sonde_learn_sample(const struct sonde_learn_domain *d, uint32_t j, const struct sonde_choice *point,
                           struct sonde_rng *rng)
{
    uint64_t spread = (uint64_t)d->hi[j] - (uint64_t)d->lo[j], n = 0;
    if (spread == 0) return d->lo[j];
    if (point->kind == SONDE_KIND_LENGTH && point->flags & SONDE_CHOICE_OPEN) {
        while (n < spread && sonde_rng_upto(rng, 8) != 0) n++;
        return d->lo[j] + (int64_t)n;
    }
    return (int64_t)((uint64_t)d->lo[j] + sonde_rng_upto(rng, spread));
}
