/* See region.h. Linear algebra on doubles, without any library: at most 32 unknowns. A judgement is the
 * inner loop of `target`: it walks over the remembered points and stops at the first that decides.
 *
 * A region owns the points and the assumes, in two arrays of fixed size. While a contradiction is being resolved it
 * also owns the two points and a tape. This file makes no cases: spread.c asks for judgements and makes inputs,
 * target.c passes the cases that were run. */
#include "guide/target/region.h"
#include "guide/guides.h"

#include "base/hash.h"
#include "base/mem.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    CHECKS = 6, /* number of points compared with a case that passed an assume; comparing all would cost too much */
    BLOCKED_MAX = 4, /* number of paths that are tried between two points in conflict */
    BLAMED_MAX = 6   /* if at most this many choices differ, all are blamed, otherwise one */
};
enum {
    FIT_EVERY = 32,   /* number of cases between the first FITS_OFTEN attempts to fit an assume */
    FITS_OFTEN = 16,  /* number of attempts to fit an assume before attempts become rare */
    FIT_SELDOM = 1024 /* number of cases between later attempts */
};
/* Errors and slopes, relative to the size of the numbers compared: */
static const double rounding = 1e-9; /* error of rounding */
static const double exact = 1e-6;    /* maximum error of an equation that counts as exact */
static const double flat = 1e-5;     /* a slope below this counts as none */
static const double related = 0.02;  /* minimum part of the variance that a choice must explain to be blamed */
#define NO_CHOICE UINT32_MAX

struct sonde_region *sonde_region_create(void)
{
    struct sonde_region *r = sonde_calloc(1, sizeof *r);
    r->assumes = sonde_calloc(SONDE_REGION_ASSUMES, sizeof *r->assumes);
    r->points = sonde_calloc(SONDE_REGION_POINTS, sizeof *r->points);
    r->paths = sonde_calloc(1, sizeof *r->paths);
    r->paths->work = &r->work;
    sonde_tape_init(&r->conflict_tape);
    return r;
}

void sonde_region_free(struct sonde_region *r)
{
    sonde_tape_clear(&r->conflict_tape);
    sonde_paths_clear(r->paths);
    sonde_free(r->paths);
    sonde_free(r->assumes);
    sonde_free(r->points);
    sonde_free(r);
}

/* ---- Reading tapes */

/* Returns the slot of a site. Open addressing at half load: there is always a free slot. */
static uint32_t *slot_of(struct sonde_region *r, uint32_t site)
{
    uint32_t mask = 2 * SONDE_REGION_CHOICES - 1, i = (uint32_t)sonde_mix(site) & mask;
    while (r->slots[i] && r->choices[r->slots[i] - 1].site != site) i = (i + 1) & mask;
    return &r->slots[i];
}

/* Adds a choice; returns NO_CHOICE if the table is full. Such choices are not modelled, and `target` leaves them to the
 * guide of fresh inputs. */
static uint32_t new_choice(struct sonde_region *r, uint32_t site)
{
    if (r->n_choices == SONDE_REGION_CHOICES) return NO_CHOICE;
    r->choices[r->n_choices].site = site;
    r->choices[r->n_choices].next = 0;
    r->choices[r->n_choices].read = 0;
    return r->n_choices++;
}

/* Returns the number of the next choice of this site in the tape that is being read. The cursor of a site is stored in
 * its first choice. */
static uint32_t next_of(struct sonde_region *r, uint32_t site)
{
    uint32_t *slot = slot_of(r, site);
    if (!*slot) {
        uint32_t fresh = new_choice(r, site);
        if (fresh == NO_CHOICE) return NO_CHOICE;
        *slot = fresh + 1;
    }
    uint32_t first = *slot - 1, at = first;
    if (r->choices[first].read == r->reads) {
        uint32_t last = r->choices[first].cursor;
        if (!r->choices[last].next) {
            uint32_t fresh = new_choice(r, site);
            if (fresh == NO_CHOICE) return NO_CHOICE;
            r->choices[last].next = fresh + 1;
        }
        at = r->choices[last].next - 1;
    }
    r->choices[first].read = r->reads;
    r->choices[first].cursor = at;
    return at;
}

/* A tape that is longer than the model can hold is read in part; its shape is then made of that part and the length. */
void sonde_region_read(struct sonde_region *r, const struct sonde_tape *tape, struct sonde_region_point *point,
                       uint32_t *where)
{
    point->n = 0;
    point->is_cut_short = false;
    point->path = (struct sonde_trail){{0}};
    uint64_t shape = tape->n_choices;
    r->reads++;
    for (uint32_t i = 0; i < SONDE_REGION_CHOICES; i++) {
        point->values[i] = NAN;
        if (where) where[i] = UINT32_MAX;
    }
    uint32_t n = tape->n_choices < 4 * SONDE_REGION_CHOICES ? tape->n_choices : 4 * SONDE_REGION_CHOICES;
    for (uint32_t i = 0; i < n; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        /* The domain belongs to the shape: the same site with other bounds is another variable. */
        shape = sonde_hash_add(shape, ((uint64_t)c->site << 32) ^ c->max);
        if (c->max == 0 || c->kind == SONDE_KIND_BLOB) continue;
        uint32_t at = next_of(r, c->site);
        if (at == NO_CHOICE) continue;
        point->values[at] = sonde_choice_number(tape, c);
        if (where) where[at] = i;
    }
    point->shape = shape;
}

/* ---- Bounds */

/* Two slopes of exactly 0 mean that no case has shown an influence. */
bool sonde_region_matters(const struct sonde_region *r, uint32_t choice)
{
    for (uint32_t k = 0; k < r->n_assumes; k++)
        if (r->assumes[k].lo[choice] != 0 || r->assumes[k].hi[choice] != 0) return true;
    return sonde_paths_matters(r->paths, choice);
}

struct bounds {
    double lo, hi;
};

/* Bounds that reach to both sides of 0, for callers that only ask for the side of a distance. */
static const struct bounds both_sides = {-DBL_TRUE_MIN, 0};

/* Widens bounds by the change of one value. If the value rises, the least change comes from the least slope; if it
 * falls, from the greatest. */
static inline void widen_bounds(struct bounds *b, const struct sonde_region_slope *slope, double by)
{
    const double *least = &slope->sides[by > 0 ? 0 : 1];
    b->lo += by * least[0];
    b->hi += by * least[1];
}

/* Returns bounds of the distance of assume k at x, as seen from `point`. Stops early when the bounds contain `enough`
 * and nothing can narrow them any more, which for most points is soon. This is the inner loop of `target`. */
static inline struct bounds bounds_at(struct sonde_region *r, uint32_t k, const struct sonde_region_point *point,
                                      const double *x, struct bounds enough)
{
    const struct sonde_region_assume *a = &r->assumes[k];
    const double *p = point->values;
    struct bounds b = {point->distances[k], point->distances[k]};
    uint32_t i = 0, n = a->n_matters;
    for (; i < n; i++) {
        uint32_t c = a->judged[i].choice;
        if (i >= a->n_sided && b.lo <= enough.lo && b.hi >= enough.hi) break;
        if (p[c] == x[c]) continue;
        double by = x[c] - p[c];
        if (!isnan(by)) {
            widen_bounds(&b, &a->judged[i], by);
            continue;
        }
        /* One of the points does not have this choice: no slope applies. */
        if (isnan(p[c]) && isnan(x[c])) continue;
        b = (struct bounds){-INFINITY, INFINITY};
        break;
    }
    r->work += 4 + i;
    return b;
}

/* Recomputes `judged` and n_sided. Call it when slopes have changed. */
static void order_slopes(struct sonde_region_assume *a)
{
    uint32_t n = 0;
    for (int sided = 1; sided >= 0; sided--) {
        for (uint32_t i = 0; i < a->n_matters; i++) {
            uint16_t c = a->matters[i];
            if ((a->lo[c] > 0 || a->hi[c] < 0) != (sided == 1)) continue;
            a->judged[n++] = (struct sonde_region_slope){.sides = {a->lo[c], a->hi[c], a->lo[c]}, .choice = c};
        }
        if (sided) a->n_sided = n;
    }
}

/* Returns the error that rounding may have added to a distance of this size. */
static double slack(double scale)
{
    return rounding * (fabs(scale) + 1);
}

enum { TERMS_MAX = 1 << SONDE_REGION_FIT };

/* Computes the product of every subset of the choices that matter: 1, a, b, ab, c, ac, bc, abc. Bit i of a term's
 * number says whether choice i is a factor of it. */
static void terms_of(const struct sonde_region_assume *a, uint32_t m, const double *x, double *terms)
{
    terms[0] = 1;
    for (uint32_t i = 0, n = 1; i < m; i++, n *= 2) {
        double v = (x[a->matters[i]] - a->middle[i]) / a->width[i];
        for (uint32_t s = 0; s < n; s++) terms[n + s] = terms[s] * v;
    }
}

/* Returns the value of the polynomial; NaN if a choice that it needs was not drawn. */
static double fitted(const struct sonde_region_assume *a, const double *x)
{
    double terms[TERMS_MAX], sum = 0;
    terms_of(a, a->fit_matters, x, terms);
    for (uint32_t i = 0; i < 1u << a->fit_matters; i++) sum += a->fit[i] * terms[i];
    return sum;
}

/* Reports whether the polynomial agrees with a point. If the point lacks a choice, there is nothing to contradict. */
static bool is_fitting(const struct sonde_region_assume *a, const struct sonde_region_point *p, uint32_t k)
{
    double d = fitted(a, p->values);
    return isnan(d) || fabs(d - p->distances[k]) <= exact * (1 + fabs(d));
}

/* Judges one assume by the bounds from all points; the first point whose bounds lie on one side of 0 decides. */
static enum sonde_region_answer narrow(struct sonde_region *r, uint32_t k, const double *x)
{
    for (uint32_t i = 0; i < r->n_points; i++) {
        const struct sonde_region_point *p = &r->points[i];
        if (p->n <= k) continue;
        struct bounds b = bounds_at(r, k, p, x, both_sides);
        if (b.lo >= 0) return SONDE_REGION_IN;
        if (b.hi < 0) return SONDE_REGION_OUT;
    }
    return SONDE_REGION_OPEN;
}

/* Reports whether an assume holds at a computed distance. If all distances are whole, -0.3 means 0: the limit is half
 * between 0 and -1. */
static bool holds(const struct sonde_region_assume *a, double distance)
{
    return distance >= (a->is_broken ? -slack(distance) : -0.5);
}

bool sonde_region_refuses(struct sonde_region *r, const double *x, bool by_paths)
{
    for (uint32_t k = 0; k < r->n_assumes; k++) {
        const struct sonde_region_assume *a = &r->assumes[k];
        if (!a->is_fitted) continue;
        double d = fitted(a, x);
        r->work += 1u << a->fit_matters;
        if (!isnan(d) && !holds(a, d)) return true;
    }
    return by_paths && sonde_paths_objections(r->paths, x) > 0;
}

/* Judges one assume: by the polynomial, if it is exact; else by the bounds from `near`; else by the bounds from all
 * points. */
static enum sonde_region_answer judge_one(struct sonde_region *r, uint32_t k, const double *x,
                                          const struct sonde_region_point *near)
{
    const struct sonde_region_assume *a = &r->assumes[k];
    if (a->is_fitted) {
        double d = fitted(a, x);
        if (!isnan(d)) return holds(a, d) ? SONDE_REGION_IN : SONDE_REGION_OUT;
    }
    struct bounds b = {-INFINITY, INFINITY};
    if (near && near->n > k) b = bounds_at(r, k, near, x, both_sides);
    return b.lo >= 0 ? SONDE_REGION_IN : b.hi < 0 ? SONDE_REGION_OUT : narrow(r, k, x);
}

/* The first assume that is out decides. An assume that no case has reached is open, as is an assume that the bounds
 * leave open. */
enum sonde_region_answer sonde_region_judge(struct sonde_region *r, const double *values, uint32_t n,
                                            const struct sonde_region_point *near)
{
    enum sonde_region_answer all = SONDE_REGION_IN;
    uint64_t compared = 0, open = 0;
    if (near && sonde_paths_judge(r->paths, &near->path, values, &compared, &open) == SONDE_PATHS_LEAVES)
        return SONDE_REGION_OUT;
    if (n > SONDE_REGION_ASSUMES) n = SONDE_REGION_ASSUMES;
    for (uint32_t k = 0; k < n; k++) {
        if ((compared & ~open) >> k & 1) continue;
        enum sonde_region_answer one = k < r->n_assumes ? judge_one(r, k, values, near) : SONDE_REGION_OPEN;
        if (one == SONDE_REGION_OUT) return one;
        if (one < all) all = one;
    }
    return all;
}

/* Reports whether an assume is reached, that is, whether every choice that it depends on was drawn. */
static bool is_reached(const struct sonde_region_assume *a, const double *values)
{
    for (uint32_t i = 0; i < a->n_matters; i++)
        if (isnan(values[a->matters[i]])) return false;
    return true;
}

/* Used for mutants, which have another shape: assumes about choices that they lack do not count. */
uint32_t sonde_region_objections(struct sonde_region *r, const double *values)
{
    uint32_t n = 2 * sonde_paths_objections(r->paths, values);
    for (uint32_t k = 0; k < r->n_assumes; k++)
        if (!(r->explained >> k & 1) && is_reached(&r->assumes[k], values))
            n += SONDE_REGION_IN - judge_one(r, k, values, NULL);
    return n;
}

/* ---- The polynomial */

/* Solves n equations in place (Gauss-Jordan, with pivots). Returns false for a column without a pivot: then the points
 * do not distinguish the unknowns. */
static bool solve(double (*m)[TERMS_MAX + 1], uint32_t n)
{
    for (uint32_t c = 0; c < n; c++) {
        uint32_t best = c;
        for (uint32_t i = c + 1; i < n; i++)
            if (fabs(m[i][c]) > fabs(m[best][c])) best = i;
        if (fabs(m[best][c]) < rounding) return false;
        for (uint32_t j = 0; j <= n; j++) {
            double t = m[c][j];
            m[c][j] = m[best][j];
            m[best][j] = t;
        }
        for (uint32_t i = 0; i < n; i++) {
            double f = i == c ? 0 : m[i][c] / m[c][c];
            if (f == 0) continue;
            for (uint32_t j = c; j <= n; j++) m[i][j] -= f * m[c][j];
        }
    }
    for (uint32_t c = 0; c < n; c++) m[c][n] /= m[c][c];
    return true;
}

/* Reports whether the polynomial is exact for all remembered points. More than twice as many points as coefficients
 * must agree; otherwise an exact fit would prove nothing. */
static bool fits_all(const struct sonde_region *r, uint32_t k)
{
    const struct sonde_region_assume *a = &r->assumes[k];
    uint32_t seen = 0;
    for (uint32_t i = 0; i < r->n_points; i++) {
        const struct sonde_region_point *p = &r->points[i];
        if (p->n <= k) continue;
        if (!is_fitting(a, p, k)) return false;
        seen++;
    }
    return seen > (2u << a->fit_matters);
}

/* Finds the scale that maps values to about -1..1, so that products of several choices stay comparable in size. */
static void find_scale(const struct sonde_region *r, uint32_t k)
{
    struct sonde_region_assume *a = &r->assumes[k];
    for (uint32_t i = 0; i < a->n_matters; i++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t j = 0; j < r->n_points; j++) {
            if (r->points[j].n <= k) continue;
            lo = fmin(lo, r->points[j].values[a->matters[i]]);
            hi = fmax(hi, r->points[j].values[a->matters[i]]);
        }
        a->middle[i] = lo / 2 + hi / 2;
        a->width[i] = hi > lo ? hi / 2 - lo / 2 : 1;
    }
}

/* Adds a point to the normal equations of a least-squares fit; the right-hand sides are the last column. */
static void add_point(double (*rows)[TERMS_MAX + 1], uint32_t n, const double *terms, double distance)
{
    for (uint32_t x = 0; x < n; x++) {
        for (uint32_t y = 0; y < n; y++) rows[x][y] += terms[x] * terms[y];
        rows[x][n] += terms[x] * distance;
    }
}

/* Fits the polynomial of assume k, with 2^m unknowns. `rows` holds 32 times 33 numbers on the stack. */
static void fit(struct sonde_region *r, uint32_t k)
{
    struct sonde_region_assume *a = &r->assumes[k];
    uint32_t m = a->n_matters, n = 1u << m;
    double rows[TERMS_MAX][TERMS_MAX + 1] = {0}, terms[TERMS_MAX];
    find_scale(r, k);
    for (uint32_t i = 0; i < r->n_points; i++) {
        const struct sonde_region_point *p = &r->points[i];
        if (p->n <= k) continue;
        terms_of(a, m, p->values, terms);
        /* The last term has all choices as factors, so it is NaN if any is. */
        if (!isnan(terms[n - 1])) add_point(rows, n, terms, p->distances[k]);
    }
    if (!solve(rows, n)) return;
    for (uint32_t x = 0; x < n; x++) a->fit[x] = rows[x][n];
    a->fit_matters = m;
    a->is_fitted = fits_all(r, k);
}

/* ---- Linear conditions
 *
 * They are found without extra cases: an exact fit of a linear function (a line) is not an accident. */

/* A fit like the polynomial, but with terms of degree one only and over up to 31 choices. So exact lines are found
 * before it is known which choices matter. */
struct line {
    uint32_t n, choices[TERMS_MAX - 1];
    double middle[TERMS_MAX - 1], width[TERMS_MAX - 1];
    double rows[TERMS_MAX][TERMS_MAX + 1];
    uint32_t points;
};

/* Reports whether every point has this choice, with more than one value among them; computes its scale. */
static bool varies(const struct sonde_region *r, uint32_t k, uint32_t c, double *middle, double *width)
{
    double lo = INFINITY, hi = -INFINITY;
    for (uint32_t i = 0; i < r->n_points; i++) {
        if (r->points[i].n <= k) continue;
        double v = r->points[i].values[c];
        if (isnan(v)) return false;
        lo = fmin(lo, v);
        hi = fmax(hi, v);
    }
    *middle = lo / 2 + hi / 2;
    *width = hi / 2 - lo / 2;
    return hi > lo;
}

static void line_terms(const struct line *l, const double *values, double *terms)
{
    terms[0] = 1;
    for (uint32_t i = 0; i < l->n; i++) terms[i + 1] = (values[l->choices[i]] - l->middle[i]) / l->width[i];
}

/* Reports whether a line is exact for all points. Written so that a NaN does not count as exact. */
static bool line_is_exact(const struct sonde_region *r, uint32_t k, const struct line *l)
{
    double terms[TERMS_MAX];
    for (uint32_t i = 0; i < r->n_points; i++) {
        const struct sonde_region_point *p = &r->points[i];
        if (p->n <= k) continue;
        double d = 0;
        line_terms(l, p->values, terms);
        for (uint32_t j = 0; j <= l->n; j++) d += l->rows[j][l->n + 1] * terms[j];
        if (!(fabs(d - p->distances[k]) <= exact * (1 + fabs(p->distances[k])))) return false;
    }
    return true;
}

/* Takes over a line: both slopes of each choice are equal, so the bounds from any point are exact. */
static void take_line(struct sonde_region_assume *a, const struct line *l)
{
    a->n_matters = 0;
    memset(a->lo, 0, sizeof a->lo);
    memset(a->hi, 0, sizeof a->hi);
    for (uint32_t i = 0; i < l->n; i++) {
        double slope = l->rows[i + 1][l->n + 1] / l->width[i];
        /* Skip a slope that is only a rounding error: it would make the choice matter. */
        if (fabs(l->rows[i + 1][l->n + 1]) < flat) continue;
        a->lo[l->choices[i]] = a->hi[l->choices[i]] = slope;
        a->matters[a->n_matters++] = (uint16_t)l->choices[i];
    }
    order_slopes(a);
}

/* Fits a line over the first choices that vary, up to the size of the matrix; returns whether it is exact. */
static bool fit_line(struct sonde_region *r, uint32_t k)
{
    struct line *l = sonde_calloc(1, sizeof *l);
    double terms[TERMS_MAX];
    bool fits = false;
    for (uint32_t c = 0; c < r->n_choices && l->n < TERMS_MAX - 1; c++) {
        l->choices[l->n] = c;
        l->n += varies(r, k, c, &l->middle[l->n], &l->width[l->n]);
    }
    for (uint32_t i = 0; i < r->n_points; i++) {
        if (r->points[i].n <= k) continue;
        line_terms(l, r->points[i].values, terms);
        add_point(l->rows, l->n + 1, terms, r->points[i].distances[k]);
        l->points++;
    }
    if (l->points > 2 * l->n + 2 && solve(l->rows, l->n + 1)) fits = line_is_exact(r, k, l);
    if (fits) take_line(&r->assumes[k], l);
    sonde_free(l);
    return fits;
}

/* Fits a line first, because that also shows which choices matter. Then fits the polynomial over these. */
static void fit_somehow(struct sonde_region *r, uint32_t k)
{
    fit_line(r, k);
    uint32_t m = r->assumes[k].n_matters;
    if (m > 0 && m <= SONDE_REGION_FIT) fit(r, k);
}

static bool is_time_to_fit(const struct sonde_region *r, struct sonde_region_assume *a)
{
    if (!a->is_graded || a->is_fitted) return false;
    if (r->learned % (a->fit_tries < FITS_OFTEN ? FIT_EVERY : FIT_SELDOM) != FIT_EVERY - 1) return false;
    a->fit_tries++;
    return true;
}

/* ---- Learning */

/* Returns in how many choices two points differ; *one receives the last of them. A choice that both points lack counts
 * as equal. */
static uint32_t count_differences(const struct sonde_region *r, const struct sonde_region_point *p,
                                  const struct sonde_region_point *q, uint32_t *one)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_choices; i++) {
        if (p->values[i] == q->values[i] || (isnan(p->values[i]) && isnan(q->values[i]))) continue;
        n++;
        *one = i;
    }
    return n;
}

/* Reports whether the distance at q lies outside the bounds as seen from p. */
static bool contradicts(struct sonde_region *r, uint32_t k, const struct sonde_region_point *p,
                        const struct sonde_region_point *q)
{
    if (p->n <= k || q->n <= k) return false;
    double d = q->distances[k], e = slack(fmax(fabs(d), fabs(p->distances[k])));
    struct bounds b = bounds_at(r, k, p, q->values, (struct bounds){d, d});
    return d < b.lo - e || d > b.hi + e;
}

/* The slope of a condition that only shows true or false: any step, however small, may change it. */
static const double steep = 1e300;

/* Adds a choice to the set of choices that matter. Each choice is in the set once, so the array is large enough. */
static void add_matter(struct sonde_region_assume *a, uint32_t c)
{
    for (uint32_t i = 0; i < a->n_matters; i++)
        if (a->matters[i] == c) return;
    a->matters[a->n_matters++] = (uint16_t)c;
}

/* Widens the slopes of choice c to include the slope between p and q. If c has no slope yet and this slope is 0, c
 * still does not matter. */
static void widen(struct sonde_region *r, uint32_t k, const struct sonde_region_point *p,
                  const struct sonde_region_point *q, uint32_t c)
{
    struct sonde_region_assume *a = &r->assumes[k];
    double by = q->values[c] - p->values[c], rise = q->distances[k] - p->distances[k];
    if (isnan(by) || by == 0) return;
    double slope = a->is_graded || rise == 0 ? rise / by : (by > 0) == (rise > 0) ? steep : -steep;
    if (a->lo[c] == 0 && a->hi[c] == 0) {
        if (slope == 0) return;
        add_matter(a, c);
        a->lo[c] = a->is_graded ? slope : fmin(slope, 0);
        a->hi[c] = a->is_graded ? slope : fmax(slope, 0);
        a->is_fitted = false;
    } else {
        if (slope < a->lo[c]) a->lo[c] = slope;
        if (slope > a->hi[c]) a->hi[c] = slope;
    }
    order_slopes(a);
}

/* Handles a conflict of two points over assume k. If one choice differs, its slopes are widened; else a bisection
 * between the points begins, unless another one is running. */
static void resolve(struct sonde_region *r, uint32_t k, const struct sonde_region_point *p,
                    const struct sonde_region_point *q, const struct sonde_tape *tape)
{
    uint32_t c, n = count_differences(r, p, q, &c);
    if (n == 1) widen(r, k, p, q, c);
    if (n < 2 || r->has_conflict) return;
    r->has_conflict = true;
    r->is_across_shapes = p->shape != q->shape;
    r->conflict_assume = k;
    r->conflict_blocked = 0;
    r->left = *p;
    r->right = *q;
    /* `tape` is NULL when a half is bisected further: conflict_tape is still the tape of the right point. */
    if (tape) sonde_tape_copy(&r->conflict_tape, tape);
}

/* Returns the part of a distance that the slopes do not explain. */
static double residue(const struct sonde_region_assume *a, const struct sonde_region_point *p, uint32_t k)
{
    double d = p->distances[k];
    for (uint32_t i = 0; i < a->n_matters; i++) {
        uint32_t c = a->matters[i];
        if (!isnan(p->values[c])) d -= (a->lo[c] + a->hi[c]) / 2 * p->values[c];
    }
    return d;
}

/* Returns the square of Pearson's correlation between a choice and the residue over all remembered points, and the
 * slope. Returns 0 for fewer than eight points, where a correlation would be an accident. */
static double correlation(const struct sonde_region *r, uint32_t k, uint32_t c, double *slope)
{
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (uint32_t i = 0; i < r->n_points; i++) {
        const struct sonde_region_point *p = &r->points[i];
        if (p->n <= k || isnan(p->values[c])) continue;
        double v = p->values[c], d = residue(&r->assumes[k], p, k);
        n++, x += v, y += d, xx += v * v, yy += d * d, xy += v * d;
    }
    double vx = xx - x * x / n, vy = yy - y * y / n, both = xy - x * y / n;
    *slope = both / vx;
    return n >= 8 && vx > 0 && vy > 0 ? both * both / (vx * vy) : 0;
}

/* Blames the choice that correlates best with the unexplained residue. The estimate of its slope is rough, so slopes
 * from 0 to twice the estimate are allowed; further cases only widen that. */
static void blame_one(struct sonde_region *r, uint32_t k)
{
    struct sonde_region_assume *a = &r->assumes[k];
    double most = related, slope = 0, best_slope = 0;
    uint32_t best = NO_CHOICE;
    if (!a->is_graded) return;
    for (uint32_t c = 0; c < r->n_choices; c++) {
        double much = a->lo[c] == 0 && a->hi[c] == 0 ? correlation(r, k, c, &slope) : 0;
        if (much > most) most = much, best = c, best_slope = slope;
    }
    if (best == NO_CHOICE) return;
    add_matter(a, best);
    a->lo[best] = fmin(0, 2 * best_slope);
    a->hi[best] = fmax(0, 2 * best_slope);
    order_slopes(a);
    a->is_fitted = false;
    if (a->n_matters <= SONDE_REGION_FIT) fit(r, k);
}

/* Blames the differing choices for a conflict that bisection could not resolve. Any of them may be the reason, so the
 * slopes of all are widened both ways. If some of them matter to an assume already, only the slopes of these are
 * widened. If there are many, only the one that best explains the residue is blamed: a model in which everything
 * matters predicts nothing. */
static void blame_all(struct sonde_region *r, uint32_t k, const struct sonde_region_point *p,
                      const struct sonde_region_point *q)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < r->n_choices; c++)
        n += p->values[c] != q->values[c] && !isnan(p->values[c]) && !isnan(q->values[c]);
    if (n > BLAMED_MAX) {
        blame_one(r, k);
        return;
    }
    bool any = false;
    for (int strict = 1; strict >= 0 && !any; strict--) {
        for (uint32_t c = 0; c < r->n_choices; c++) {
            double by = q->values[c] - p->values[c];
            if (isnan(by) || by == 0 || (strict && !sonde_region_matters(r, c))) continue;
            struct sonde_region_point turned = *p;
            turned.distances[k] = 2 * q->distances[k] - p->distances[k];
            widen(r, k, p, q, c);
            widen(r, k, q, &turned, c); /* the same slope with the opposite sign */
            any = true;
        }
    }
}

/* Continues the bisection: the point between left and right is in conflict with one of them again. */
static void continue_bisection(struct sonde_region *r, const struct sonde_region_point *point)
{
    uint32_t k = r->conflict_assume;
    struct sonde_region_point left = r->left, right = r->right;
    r->has_conflict = false;
    if (point->shape != right.shape || point->n <= k) {
        /* Another assume fails between left and right: try other paths, then blame all choices that differ. */
        r->has_conflict = ++r->conflict_blocked < BLOCKED_MAX;
        if (!r->has_conflict) blame_all(r, k, &left, &right);
        return;
    }
    if (!r->is_across_shapes && contradicts(r, k, &left, point)) resolve(r, k, &left, point, NULL);
    else if (contradicts(r, k, point, &right)) resolve(r, k, point, &right, NULL);
}

/* Resets an assume when it first shows a distance other than 1 and -1. Slopes learned from true and false (steep) would
 * swamp real ones. */
static void become_graded(struct sonde_region_assume *a)
{
    memset(a, 0, sizeof *a);
    a->is_graded = true;
}

/* Copies the distances of a case to its point. Assumes are numbered in the order in which a case reaches them, so a
 * loop over a list has one assume for each element. */
static void note_distances(struct sonde_region *r, const struct sonde_observation *o, struct sonde_region_point *point)
{
    point->n = (uint32_t)(o->n_distances < SONDE_REGION_ASSUMES ? o->n_distances : SONDE_REGION_ASSUMES);
    point->is_cut_short = o->verdict == SONDE_DISCARDED;
    memcpy(point->distances, o->distances, point->n * sizeof *point->distances);
    if (point->n > r->n_assumes) r->n_assumes = point->n;
    for (uint32_t k = 0; k < point->n; k++) {
        if (fabs(point->distances[k]) != 1 && !r->assumes[k].is_graded) become_graded(&r->assumes[k]);
        if (point->distances[k] != floor(point->distances[k])) r->assumes[k].is_broken = true;
    }
}

static void keep_point(struct sonde_region *r, const struct sonde_region_point *point, struct sonde_rng *rng)
{
    uint32_t at = r->n_points < SONDE_REGION_POINTS ? r->n_points++ : (uint32_t)sonde_rng_upto(rng, r->n_points - 1);
    r->points[at] = *point;
}

/* Checks a case that passed assume k against a few points only. Checking all points would cost as many bounds per
 * case. */
static void check_some(struct sonde_region *r, uint32_t k, const struct sonde_region_point *point,
                       const struct sonde_tape *tape, struct sonde_rng *rng)
{
    for (uint32_t i = 0; i < CHECKS && r->n_points; i++) {
        const struct sonde_region_point *p = &r->points[sonde_rng_upto(rng, r->n_points - 1)];
        if (contradicts(r, k, p, point)) resolve(r, k, p, point, tape);
    }
}

/* Checks a case that failed assume k against all points: every point whose bounds exclude the failure misleads. The
 * conflict with the nearest such point is resolved: the fewer choices differ, the fewer extra cases that takes. Another
 * shape counts as if every choice differed. */
static void check_all(struct sonde_region *r, uint32_t k, const struct sonde_region_point *point,
                      const struct sonde_tape *tape)
{
    const struct sonde_region_point *nearest = NULL;
    uint32_t least = UINT32_MAX, one = 0;
    for (uint32_t i = 0; i < r->n_points; i++) {
        const struct sonde_region_point *p = &r->points[i];
        if (!contradicts(r, k, p, point)) continue;
        uint32_t n = count_differences(r, p, point, &one) + (p->shape == point->shape ? 0 : SONDE_REGION_CHOICES);
        if (n == 1) widen(r, k, p, point, one);
        if (n < least) least = n, nearest = p;
    }
    if (nearest && least > 1) resolve(r, k, nearest, point, tape);
}

/* Returns the assumes, as bits, all of whose comparisons are lines. */
static uint64_t explained_at(struct sonde_region *r, const struct sonde_region_point *point)
{
    uint64_t compared = 0, open = 0;
    sonde_paths_judge(r->paths, &point->path, point->values, &compared, &open);
    return compared & ~open;
}

static bool compare(struct sonde_region *r, const struct sonde_run *run, struct sonde_region_point *point)
{
    if (!run->observation->n_compared) return false;
    bool surprising = sonde_paths_learn(r->paths, run->observation, point->values, r->n_choices, &point->path);
    if (sonde_is_valid_input(run->observation)) r->explained = explained_at(r, point);
    return surprising;
}

void sonde_region_compare(struct sonde_region *r, const struct sonde_run *run, struct sonde_region_point *point)
{
    if (!run->observation->n_compared) return;
    sonde_region_read(r, run->tape, point, NULL);
    compare(r, run, point);
}

bool sonde_region_is_explained(struct sonde_region *r, const struct sonde_region_point *point)
{
    uint64_t all = point->n < 64 ? (UINT64_C(1) << point->n) - 1 : UINT64_MAX;
    return point->n && (explained_at(r, point) & all) == all;
}

/* Reports whether the model cannot judge this point. */
static bool is_new(struct sonde_region *r, const struct sonde_region_point *point)
{
    return sonde_region_judge(r, point->values, point->n, NULL) == SONDE_REGION_OPEN;
}

void sonde_region_learn(struct sonde_region *r, const struct sonde_run *run, struct sonde_region_point *point,
                        const struct sonde_region_point *from, bool is_asked, struct sonde_rng *rng)
{
    note_distances(r, run->observation, point);
    if (point->n == 0) return;
    bool surprising = compare(r, run, point);
    uint64_t explained = explained_at(r, point);
    if (r->has_conflict && is_asked) continue_bisection(r, point);
    for (uint32_t k = 0; k < point->n; k++) {
        struct sonde_region_assume *a = &r->assumes[k];
        if (explained >> k & 1 || (a->is_fitted && is_fitting(a, point, k))) continue;
        surprising |= a->is_fitted;
        a->is_fitted = false;
        if (from && contradicts(r, k, from, point)) resolve(r, k, from, point, run->tape);
        if (point->distances[k] < 0) check_all(r, k, point, run->tape);
        else check_some(r, k, point, run->tape, rng);
        if (is_time_to_fit(r, a)) fit_somehow(r, k);
    }
    /* Keep the first points and surprising ones. Otherwise a point that the model can judge already teaches little. */
    if (r->learned++ < SONDE_REGION_POINTS / 4 || surprising
        || (!sonde_region_is_explained(r, point) && is_new(r, point)))
        keep_point(r, point, rng);
    sonde_region_check(r);
}

#ifdef SONDE_CHECKED

static void check_assume(const struct sonde_region *r, const struct sonde_region_assume *a)
{
    bool is_there[SONDE_REGION_CHOICES] = {false};
    sonde_assert(a->n_matters <= SONDE_REGION_CHOICES && a->fit_matters <= SONDE_REGION_FIT);
    for (uint32_t i = 0; i < a->n_matters; i++) {
        uint32_t c = a->matters[i];
        sonde_assert(c < r->n_choices && !is_there[c]);
        is_there[c] = true;
    }
    for (uint32_t c = 0; c < r->n_choices; c++) {
        sonde_assert(!(a->lo[c] > a->hi[c]));
        sonde_assert(is_there[c] || (a->lo[c] == 0 && a->hi[c] == 0));
    }
}

void sonde_region_check(const struct sonde_region *r)
{
    sonde_assert(r->n_choices <= SONDE_REGION_CHOICES && r->n_points <= SONDE_REGION_POINTS);
    sonde_assert(r->n_assumes <= SONDE_REGION_ASSUMES && (!r->has_conflict || r->conflict_assume < r->n_assumes));
    for (uint32_t k = 0; k < r->n_assumes; k++) check_assume(r, &r->assumes[k]);
}

#endif

/* Takes the tape of the right point; half of the differing choices get the left point's values. */
bool sonde_region_ask(struct sonde_region *r, struct sonde_tape *script)
{
    uint32_t where[SONDE_REGION_CHOICES], one, half, changed = 0;
    struct sonde_region_point template;
    if (!r->has_conflict) return false;
    sonde_region_read(r, &r->conflict_tape, &template, where);
    half = count_differences(r, &r->left, &r->right, &one) / 2;
    sonde_tape_copy(script, &r->conflict_tape);
    for (uint32_t i = 0; i < r->n_choices; i++) {
        double a = r->left.values[i], b = r->right.values[i];
        if (where[i] == UINT32_MAX || isnan(a) || isnan(b)) continue;
        /* After a blocked path take another half, chosen by a hash. It is not a random number, so that asking does not
         * change the random stream. */
        bool differs = a != b, right = r->conflict_blocked ? sonde_mix(r->learned + i) & 1 : changed < half;
        sonde_choice_set_number(script, where[i], differs && right && !r->is_across_shapes ? b : a);
        changed += differs;
    }
    return true;
}
