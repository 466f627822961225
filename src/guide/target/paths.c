/* See paths.h. Lines are found by orthogonal matching pursuit: the choice that best explains the residual is added,
 * until the residual is 0. Comparisons involve few choices, so few cases are enough. */
#include "guide/target/paths.h"

#include "base/hash.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

enum {
    SPARE = 4,   /* a line must agree with this many cases more than it has terms */
    WRONGS = 7,  /* each wrong line, up to this many, doubles the time to the next attempt */
    ENOUGH = 20, /* number of valid cases that must have made a comparison before it counts for tapes of other shapes */
    PLACES = 64  /* maximum number of locations and calls counted in one case; a power of two */
};
enum { LESS = 1, EQUAL = 2, GREATER = 4, ANY = 7 };
static const double exact = 1e-6; /* relative error below which a line counts as exact */
static const double flat =
    1e-9; /* a choice whose values vary less, relative to their size at first, counts as constant */
#define NO_SLOT UINT32_MAX

void sonde_paths_clear(struct sonde_paths *p)
{
    sonde_free(p->pursuit);
}

/* ---- Slots */

static uint32_t slot_for(struct sonde_paths *p, const struct sonde_compared *c, uint32_t nth)
{
    uint32_t mask = 2 * SONDE_PATH_SLOTS - 1;
    uint32_t i = (uint32_t)sonde_mix(c->place ^ (uint64_t)c->call << 48 ^ (uint64_t)nth << 32) & mask;
    for (; p->table[i]; i = (i + 1) & mask) {
        const struct sonde_paths_slot *s = &p->slots[p->table[i] - 1];
        if (s->place == c->place && s->call == c->call && s->nth == nth) return p->table[i] - 1;
    }
    if (p->n_slots == SONDE_PATH_SLOTS) return NO_SLOT;
    struct sonde_paths_slot *s = &p->slots[p->n_slots];
    *s = (struct sonde_paths_slot){
        .place = c->place, .call = c->call, .nth = nth, .assume = c->assume, .fit_at = 6, .first = c->by};
    for (uint32_t k = 0; k < SONDE_PATHS_RUNS; k++) p->by[k][p->n_slots] = NAN;
    p->table[i] = ++p->n_slots;
    return p->n_slots - 1;
}

/* A hash table that counts comparisons by location and call. */
struct counter {
    struct {
        uint64_t place;
        uint32_t call, n;
    } all[PLACES];
};

static uint32_t count_one(struct counter *counter, const struct sonde_compared *c)
{
    uint32_t at = (uint32_t)sonde_mix(c->place ^ (uint64_t)c->call << 48) & (PLACES - 1);
    for (uint32_t k = 0; k < PLACES; k++, at = (at + 1) & (PLACES - 1)) {
        if (counter->all[at].n && (counter->all[at].place != c->place || counter->all[at].call != c->call)) continue;
        counter->all[at].place = c->place;
        counter->all[at].call = c->call;
        return counter->all[at].n++;
    }
    return NO_SLOT;
}

static bool has(const struct sonde_trail *path, uint32_t slot)
{
    return path->bits[slot / 64] >> slot % 64 & 1;
}

static uint8_t sign_of(double by)
{
    return by < 0 ? LESS : by > 0 ? GREATER : EQUAL;
}

static bool is_known(const struct sonde_paths_slot *s)
{
    return s->is_exact && s->signs != 0 && s->signs != ANY;
}

static double rounded(double x)
{
    double whole = nearbyint(x);
    return fabs(x - whole) <= exact * (1 + fabs(x)) ? whole : x;
}

static double line_at(const struct sonde_paths_slot *s, const double *x)
{
    double by = s->constant;
    for (uint32_t i = 0; i < s->n; i++) {
        double v = x[s->choices[i]];
        by += isnan(v) ? 0 : s->slopes[i] * v;
    }
    return rounded(by);
}

static bool is_right(const struct sonde_paths_slot *s, const double *x, double by)
{
    return fabs(line_at(s, x) - by) <= exact * (1 + fabs(by));
}

/* ---- Finding lines */

/* The state of a search for a line. y is the residual; columns[c] are the values of choice c, orthogonal to the chosen
 * columns. r and g are the triangular system for the slopes. */
struct sonde_paths_pursuit {
    uint32_t m, n; /* number of cases, number of choices */
    double y[SONDE_PATHS_RUNS], mean_y;
    bool is_whole; /* all differences are whole numbers */
    double columns[SONDE_PATHS_CHOICES][SONDE_PATHS_RUNS], means[SONDE_PATHS_CHOICES], first[SONDE_PATHS_CHOICES];
    /* of each column in `left`: its product with itself, and with the residual */
    double sizes[SONDE_PATHS_CHOICES], along[SONDE_PATHS_CHOICES];
    double r[SONDE_PATHS_TERMS][SONDE_PATHS_CHOICES], g[SONDE_PATHS_TERMS];
    uint32_t chosen[SONDE_PATHS_TERMS], n_chosen;
    uint32_t left[SONDE_PATHS_CHOICES], n_left; /* choices that vary and are not in the line yet, in ascending order */
};

static double dot(const double *a, const double *b, uint32_t m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m; i++) sum += a[i] * b[i];
    return sum;
}

/* Computes the products of column c with itself and with the residual. */
static void measure(struct sonde_paths_pursuit *f, uint32_t c)
{
    const double *v = f->columns[c];
    double size = 0, along = 0;
    for (uint32_t i = 0; i < f->m; i++) {
        size += v[i] * v[i];
        along += v[i] * f->y[i];
    }
    f->sizes[c] = size;
    f->along[c] = along;
}

static double centre(double *v, uint32_t m)
{
    double mean = 0;
    for (uint32_t i = 0; i < m; i++) mean += v[i] / m;
    for (uint32_t i = 0; i < m; i++) v[i] -= mean;
    return mean;
}

static void begin_pursuit(const struct sonde_paths *p, struct sonde_paths_pursuit *f, uint32_t slot, uint32_t n)
{
    f->n = n;
    f->m = f->n_chosen = f->n_left = 0;
    f->is_whole = true;
    uint32_t runs = p->runs < SONDE_PATHS_RUNS ? (uint32_t)p->runs : SONDE_PATHS_RUNS;
    for (uint32_t k = 0; k < runs; k++) {
        if (isnan(p->by[k][slot])) continue;
        for (uint32_t i = 0; i < p->n_varying; i++) f->columns[p->varying[i]][f->m] = p->values[k][p->varying[i]];
        f->is_whole &= p->by[k][slot] == floor(p->by[k][slot]);
        f->y[f->m++] = p->by[k][slot];
    }
    f->mean_y = centre(f->y, f->m);
    for (uint32_t i = 0; i < p->n_varying && p->varying[i] < n; i++) {
        uint32_t c = p->varying[i];
        f->means[c] = centre(f->columns[c], f->m);
        measure(f, c);
        f->first[c] = f->sizes[c];
        /* a choice of one value can never be in the line */
        if (f->first[c] > flat * (1 + f->first[c])) f->left[f->n_left++] = c;
    }
}

/* Returns the choice that explains most of the residual; UINT32_MAX if none explains anything. */
static uint32_t best_column(const struct sonde_paths_pursuit *f)
{
    uint32_t best = UINT32_MAX;
    double most = 0;
    for (uint32_t i = 0; i < f->n_left; i++) {
        uint32_t c = f->left[i];
        if (f->sizes[c] <= flat * (1 + f->first[c])) continue;
        double much = f->along[c] * f->along[c] / f->sizes[c];
        if (much > most * (1 + 1e-9)) most = much, best = c;
    }
    return best;
}

/* Removes a choice from those that are left. */
static void take_out(struct sonde_paths_pursuit *f, uint32_t c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_left; i++)
        if (f->left[i] != c) f->left[n++] = f->left[i];
    f->n_left = n;
}

/* Adds a choice to the line and makes the residual and all columns orthogonal to it (Gram and Schmidt). */
static void choose_column(struct sonde_paths_pursuit *f, uint32_t c)
{
    double q[SONDE_PATHS_RUNS], size = sqrt(dot(f->columns[c], f->columns[c], f->m));
    uint32_t t = f->n_chosen++;
    for (uint32_t i = 0; i < f->m; i++) q[i] = f->columns[c][i] / size;
    f->chosen[t] = c;
    take_out(f, c);
    f->r[t][c] = size;
    f->g[t] = dot(q, f->y, f->m);
    for (uint32_t i = 0; i < f->m; i++) f->y[i] -= f->g[t] * q[i];
    for (uint32_t j = 0; j < f->n_left; j++) {
        uint32_t k = f->left[j];
        double along = f->r[t][k] = dot(q, f->columns[k], f->m);
        for (uint32_t i = 0; i < f->m; i++) f->columns[k][i] -= along * q[i];
        measure(f, k);
    }
}

static void take_line(const struct sonde_paths_pursuit *f, struct sonde_paths_slot *s)
{
    double slopes[SONDE_PATHS_TERMS];
    s->n = 0;
    s->constant = f->mean_y;
    for (uint32_t t = f->n_chosen; t-- > 0;) {
        double g = f->g[t];
        for (uint32_t u = t + 1; u < f->n_chosen; u++) g -= f->r[t][f->chosen[u]] * slopes[u];
        slopes[t] = rounded(g / f->r[t][f->chosen[t]]);
        s->constant -= slopes[t] * f->means[f->chosen[t]];
        if (slopes[t] == 0) continue;
        s->choices[s->n] = (uint16_t)f->chosen[t];
        s->slopes[s->n++] = slopes[t];
    }
    s->constant = rounded(s->constant);
}

/* Reports whether a line is plausible. Whole differences have whole slopes; other lines fit only by chance. */
static bool is_plausible(const struct sonde_paths_pursuit *f, const struct sonde_paths_slot *s)
{
    bool is_whole = f->is_whole;
    for (uint32_t i = 0; i < s->n && is_whole; i++)
        if (s->slopes[i] != floor(s->slopes[i])) return false;
    return true;
}

/* Returns the number of cases, with all cases of the most frequent difference counted as one. If nearly all differences
 * are equal, as valid cases may require, the cases show little. */
static uint32_t count_different(const double *y, uint32_t m)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i + most < m; i++) { /* earlier ones were counted: too few are left to be more than `most` */
        uint32_t n = 0;
        for (uint32_t k = i; k < m; k++) n += y[k] == y[i];
        if (n > most) most = n;
    }
    return m - most + 1;
}

/* Searches for a line. Returns false if no line is exact for SPARE cases more than it has terms. */
static bool pursue(struct sonde_paths *p, struct sonde_paths_pursuit *f)
{
    double small = exact * exact * (1 + dot(f->y, f->y, f->m));
    uint32_t different = count_different(f->y, f->m);
    while (dot(f->y, f->y, f->m) > small) {
        uint32_t c = best_column(f);
        *p->work += (uint64_t)f->m * f->n / 4;
        if (c == UINT32_MAX || f->n_chosen == SONDE_PATHS_TERMS || f->n_chosen + SPARE >= different) return false;
        choose_column(f, c);
    }
    return f->n_chosen > 0;
}

static void fit(struct sonde_paths *p, uint32_t slot, uint32_t n)
{
    struct sonde_paths_slot *s = &p->slots[slot];
    s->fit_at = s->seen + s->seen / 3 + 2;
    if (!s->varies) {
        s->n = 0;
        s->constant = s->first;
        s->is_exact = p->is_stale = true;
        return;
    }
    if (!p->pursuit) p->pursuit = sonde_malloc(sizeof *p->pursuit);
    struct sonde_paths_pursuit *f = p->pursuit;
    begin_pursuit(p, f, slot, n);
    if (pursue(p, f)) {
        take_line(f, s);
        s->is_exact = is_plausible(f, s);
        uint32_t runs = p->runs < SONDE_PATHS_RUNS ? (uint32_t)p->runs : SONDE_PATHS_RUNS;
        for (uint32_t k = 0; k < runs && s->is_exact; k++)
            if (!isnan(p->by[k][slot])) s->is_exact = is_right(s, p->values[k], p->by[k][slot]);
        p->is_stale |= s->is_exact;
    }
}

/* ---- Learning */

/* Remembers the values of a case, and notes which choices have had more than one value. Choices that are not modelled
 * yet are 0 in earlier cases. */
static void remember_values(struct sonde_paths *p, double *to, const double *values, uint32_t n)
{
    bool is_first = p->runs == 0;
    for (uint32_t c = 0; c < n; c++) {
        double x = to[c] = isnan(values[c]) ? 0 : values[c];
        if (is_first) p->constants[c] = x;
        if (x == p->constants[c] || p->is_varying[c]) continue;
        p->is_varying[c] = true;
        uint32_t i = p->n_varying++;
        for (; i > 0 && p->varying[i - 1] > c; i--) p->varying[i] = p->varying[i - 1];
        p->varying[i] = c;
    }
}

static bool learn_one(struct sonde_paths *p, uint32_t slot, const double *values, double by, bool is_valid)
{
    struct sonde_paths_slot *s = &p->slots[slot];
    s->seen++;
    s->varies |= by != s->first;
    if (is_valid) {
        s->held++;
        p->is_stale |= !(s->signs & sign_of(by));
        s->signs |= sign_of(by);
    }
    *p->work += s->n + 1;
    if (!s->is_exact || is_right(s, values, by)) return false;
    s->is_exact = false;
    p->is_stale = true;
    s->fit_at = s->seen + (4u << s->wrongs);
    s->wrongs += s->wrongs < WRONGS;
    return true;
}

bool sonde_paths_learn(struct sonde_paths *p, const struct sonde_observation *o, const double *values, uint32_t n,
                       struct sonde_trail *path)
{
    *path = (struct sonde_trail){{0}};
    if (!o->n_compared) return false;
    /* A case that failed a check has passed the assumes before it, and only these matter for comparisons here. */
    bool is_wrong = false, is_valid = o->verdict == SONDE_VALID || o->verdict == SONDE_FAILED;
    struct counter counter = {0};
    /* Discarded cases show most, so all of them are remembered. */
    bool is_kept = !is_valid || p->valid++ % 4 == 0 || p->runs < SONDE_PATHS_RUNS / 2;
    uint32_t run = (uint32_t)(p->runs % SONDE_PATHS_RUNS);
    remember_values(p, p->values[run], values, n);
    p->runs += is_kept;
    for (uint32_t k = 0; k < p->n_slots; k++) p->by[run][k] = NAN;
    for (size_t i = 0; i < o->n_compared; i++) {
        uint32_t nth = count_one(&counter, &o->compared[i]);
        uint32_t slot = nth == NO_SLOT ? NO_SLOT : slot_for(p, &o->compared[i], nth);
        if (slot == NO_SLOT) continue;
        path->bits[slot / 64] |= UINT64_C(1) << slot % 64;
        p->by[run][slot] = o->compared[i].by;
        is_wrong |= learn_one(p, slot, values, o->compared[i].by, is_valid);
    }
    for (uint32_t k = 0; k < p->n_slots; k++) {
        const struct sonde_paths_slot *s = &p->slots[k];
        if (has(path, k) && !s->is_exact && s->signs != ANY && s->seen >= s->fit_at) fit(p, k, n);
    }
    return is_wrong;
}

/* ---- Judging */

enum sonde_paths_answer sonde_paths_judge(struct sonde_paths *p, const struct sonde_trail *path, const double *x,
                                          uint64_t *compared, uint64_t *open)
{
    for (uint32_t k = 0; k < p->n_slots; k++) {
        const struct sonde_paths_slot *s = &p->slots[k];
        if (!has(path, k)) continue;
        uint64_t bit = s->assume < 64 ? UINT64_C(1) << s->assume : 0;
        *p->work += 1 + s->n;
        if (compared) *compared |= bit;
        if (open && !s->is_exact && s->signs != ANY) *open |= bit;
        if (is_known(s) && !(sign_of(line_at(s, x)) & s->signs)) return SONDE_PATHS_LEAVES;
    }
    return SONDE_PATHS_KEEPS;
}

/* Reports whether a line is known and applies to x. With a path, the comparison must be on it. Without a path, it must
 * have been seen often enough, and x must have all its choices. */
static bool applies(const struct sonde_paths_slot *s, const struct sonde_trail *path, uint32_t slot, const double *x)
{
    if (!is_known(s)) return false;
    if (path) return has(path, slot);
    if (s->held < ENOUGH || !s->n) return false;
    for (uint32_t i = 0; i < s->n; i++)
        if (isnan(x[s->choices[i]])) return false;
    return true;
}

uint32_t sonde_paths_objections(struct sonde_paths *p, const double *x)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_slots; k++) {
        const struct sonde_paths_slot *s = &p->slots[k];
        *p->work += 1 + s->n;
        if (applies(s, NULL, k, x)) n += !(sign_of(line_at(s, x)) & s->signs);
    }
    return n;
}

static double slope_of(const struct sonde_paths_slot *s, uint32_t c)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->choices[i] == c) return s->slopes[i];
    return 0;
}

/* The difference by = rest + slope * x must have an allowed sign: it lies on one side of 0. If 0 is not allowed, it is
 * at least 1 away from 0, since numbers are taken as whole. */
bool sonde_paths_room(struct sonde_paths *p, const struct sonde_trail *path, const double *x, uint32_t c, double *lo,
                      double *hi)
{
    bool any = false;
    *lo = -INFINITY;
    *hi = INFINITY;
    for (uint32_t k = 0; k < p->n_slots; k++) {
        const struct sonde_paths_slot *s = &p->slots[k];
        double slope = applies(s, path, k, x) ? slope_of(s, c) : 0;
        *p->work += 1 + s->n;
        if (slope == 0 || s->signs == (LESS | GREATER)) continue;
        double rest = line_at(s, x) - slope * x[c], step = s->signs & EQUAL ? 0 : 1;
        bool is_above = s->signs & GREATER, is_below = s->signs & LESS;
        /* `by` must be at least step, or at most -step, or 0. */
        double least = (step - rest) / slope, most = (-step - rest) / slope;
        bool from = is_above || !is_below, to = is_below || !is_above;
        if (slope < 0) {
            bool turned = from;
            from = to;
            to = turned;
            double other = least;
            least = most;
            most = other;
        }
        if (from) *lo = fmax(*lo, least);
        if (to) *hi = fmin(*hi, most);
        any = true;
    }
    return any;
}

uint32_t sonde_paths_partner(struct sonde_paths *p, const struct sonde_trail *path, const double *x, uint32_t c,
                             uint64_t any, double *ratio)
{
    for (uint32_t k = 0; k < p->n_slots; k++) {
        const struct sonde_paths_slot *s = &p->slots[k];
        double slope = has(path, k) && is_known(s) && s->signs == EQUAL ? slope_of(s, c) : 0;
        for (uint32_t i = 0; slope != 0 && i < s->n; i++) {
            uint32_t at = (uint32_t)((any + i) % s->n);
            if (s->choices[at] == c || isnan(x[s->choices[at]])) continue;
            *ratio = -slope / s->slopes[at];
            return s->choices[at];
        }
    }
    return UINT32_MAX;
}

uint32_t sonde_paths_lines(const struct sonde_paths *p)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_slots; k++) n += p->slots[k].is_exact;
    return n;
}

static void find_matters(struct sonde_paths *p)
{
    memset(p->matters, 0, sizeof p->matters);
    for (uint32_t k = 0; k < p->n_slots; k++)
        for (uint32_t i = 0; is_known(&p->slots[k]) && i < p->slots[k].n; i++)
            p->matters[p->slots[k].choices[i]] = true;
    p->is_stale = false;
}

bool sonde_paths_matters(struct sonde_paths *p, uint32_t choice)
{
    if (p->is_stale) find_matters(p);
    return p->matters[choice];
}
