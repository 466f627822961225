/* Passes that change two numbers at once, where each change alone would lose the failure. They handle equal numbers,
 * numbers with a fixed difference or sum, and numbers that compensate each other.
 *
 * Pairs are taken within a small window of neighbours, and most are given up after one call. If moving both by one
 * does not keep the failure, moving them by more rarely does. */
#include "shrink/pass.h"

#include <math.h>

enum {
    FINEST_PART = 1024, /* largest denominator of the fractions that shift_doubles tries */
    TINY = 2,    /* numbers up to this size are traded only with the next number, because there are many such numbers */
    TRADED = 16, /* numbers up to this size are traded only if the sum stays the same */
    CLOSE = 16,  /* maximum difference of two numbers that the first round moves together */
    UNLIKELY = 1000,  /* the first round does not pair smaller numbers: they are equal or close by chance */
    WINDOW = 3,       /* number of later numbers that a number is paired with */
    MAX_GROUP = 4096, /* a tape with more choices is not searched for groups, which takes quadratic time */
};

/* Returns the next number after choice i that is not the simplest, or UINT32_MAX if there is none. i may be UINT32_MAX:
 * i++ wraps to 0, the first choice. */
static uint32_t next_number(const struct sonde_tape *t, uint32_t i)
{
    sonde_wide v;
    for (i++; i < t->n_choices; i++)
        if (t->choices[i].index && sonde_amount(t, i, &v)) return i;
    return UINT32_MAX;
}

/* Magnitudes fit into 64 bits, because amounts come from 64-bit choices. */
static uint64_t size_of(sonde_wide v)
{
    return (uint64_t)(v < 0 ? -v : v);
}

static sonde_wide sign_of(sonde_wide v)
{
    return v < 0 ? -1 : 1;
}

/* ---- Equal numbers. p->x is their value now, p->y the allowed value nearest to zero. */

/* Tries a value m away from p->y for all amounts from p->a on that equal p->x. */
static bool equal_hold(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide old = 0, v = p->y + sign_of(p->x) * (sonde_wide)m;
    bool fits = true;
    sonde_edit_begin(s);
    for (uint32_t i = p->a; i < s->best.n_choices; i++)
        if (sonde_amount(&s->best, i, &old) && old == p->x) fits &= sonde_edit_amount(s, i, v);
    if (!fits || !sonde_edit_try(s)) return false;
    p->x = v;
    return true;
}

/* Finds the value nearest to zero that the domains of all amounts equal to x allow: a domain may lack 0. Returns
 * whether there are at least two such amounts. */
static bool lowest_common(const struct sonde_tape *t, uint32_t a, sonde_wide x, sonde_wide *lowest)
{
    sonde_wide v, lo, hi;
    unsigned n = 0;
    *lowest = 0;
    for (uint32_t i = a; i < t->n_choices; i++) {
        if (!sonde_amount(t, i, &v) || v != x) continue;
        sonde_amount_range(t, i, &lo, &hi);
        if (x > 0 && lo > *lowest) *lowest = lo;
        if (x < 0 && hi < *lowest) *lowest = hi;
        n++;
    }
    return n > 1;
}

static bool seen_before(const struct sonde_tape *t, uint32_t i, sonde_wide x)
{
    sonde_wide v;
    while (i-- > 0)
        if (sonde_amount(t, i, &v) && v == x) return true;
    return false;
}

/* x = 5000, y = 5000 with x == y as a precondition becomes x = y = 0. Linear searches for equal values make the pass
 * quadratic, so long tapes are left out. */
void sonde_pass_lower_equal(struct sonde_shrinker *s)
{
    if (s->best.n_choices > MAX_GROUP) {
        sonde_leave_out(s);
        return;
    }
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) {
        sonde_wide v, lowest;
        if (!sonde_amount(&s->best, i, &v) || s->best.choices[i].index == 0 || seen_before(&s->best, i, v)) continue;
        if (s->is_first_round && size_of(v) < UNLIKELY) continue; /* small numbers are often equal by chance */
        if (!lowest_common(&s->best, i, v, &lowest)) continue;
        struct sonde_probe p = {
            .holds = equal_hold, .a = i, .x = v, .y = lowest, .offset = (uint64_t)(lowest > 0 ? lowest : 0)};
        /* One step as a test: if moving all of them by one loses the failure, a search would cost much and find
         * little. */
        if (!equal_hold(s, &p, size_of(v - lowest) - 1)) continue;
        sonde_least(s, &p, size_of(p.x - lowest));
        for (uint32_t k = i; k < s->best.n_choices; k++) {
            if (!sonde_amount(&s->best, k, &v) || v != p.x) continue;
            sonde_mark(s, k, SONDE_MARK_SETTLED);
            sonde_keep_evidence(s, k, &p);
        }
    }
}

/* ---- Moving two numbers by the same amount. p->x is the distance of the nearer one from its goal. */

/* Tries to move both numbers towards zero, until the nearer one has m left. The difference stays the same; for
 * different signs, the sum does. */
static bool both_hold(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide a, b, d = p->x - (sonde_wide)m;
    if (d <= 0 || !sonde_amount(&s->best, p->a, &a) || !sonde_amount(&s->best, p->b, &b)) return false;
    sonde_edit_begin(s);
    if (!sonde_edit_amount(s, p->a, a - sign_of(a) * d) || !sonde_edit_amount(s, p->b, b - sign_of(b) * d)
        || !sonde_edit_try(s))
        return false;
    p->x = (sonde_wide)m;
    return true;
}

/* Returns the distance from v to zero, or to the end of the domain if that comes first. */
static uint64_t way_left(const struct sonde_tape *t, uint32_t i, sonde_wide v)
{
    sonde_wide lo, hi;
    sonde_amount_range(t, i, &lo, &hi);
    return size_of(lo > 0 ? v - lo : hi < 0 ? hi - v : v);
}

static void lower_pair(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    sonde_wide x, y;
    if (!sonde_amount(&s->best, a, &x) || !sonde_amount(&s->best, b, &y)) return;
    uint64_t m = way_left(&s->best, a, x), n = way_left(&s->best, b, y);
    if (n < m) m = n;
    if (m == 0 || x == y) return;
    if (s->is_first_round && (size_of(x - y) > CLOSE || m < UNLIKELY)) return; /* no sign that they belong together */
    struct sonde_probe p = {.holds = both_hold, .a = a, .b = b, .x = (sonde_wide)m};
    if (!both_hold(s, &p, m - 1)) return;
    sonde_least(s, &p, m - 1);
    sonde_keep_evidence(s, a, &p);
    sonde_mark(s, a, SONDE_MARK_SETTLED); /* b may still be lowered alone */
}

/* ---- Lowering one number and raising a later one. */

/* Tries size m for the first number, with the sum of both kept. */
static bool sum_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide a, b;
    if (!sonde_amount(&s->best, p->a, &a) || !sonde_amount(&s->best, p->b, &b)) return false;
    sonde_wide d = a - sign_of(a) * (sonde_wide)m;
    sonde_edit_begin(s);
    return sonde_edit_amount(s, p->a, a - d) && sonde_edit_amount(s, p->b, b + d) && sonde_edit_try(s);
}

/* Tries size m for the first number, with the second one at the end of its domain, p->x. Later passes lower the second.
 * For properties that do not depend on the sum, but allow one number to be lower if the other is higher. */
static bool traded_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide a, b;
    if (!sonde_amount(&s->best, p->a, &a) || !sonde_amount(&s->best, p->b, &b)) return false;
    sonde_edit_begin(s);
    return sonde_edit_amount(s, p->a, sign_of(a) * (sonde_wide)m) && sonde_edit_amount(s, p->b, p->x)
           && sonde_edit_try(s);
}

/* Lowers `a` and raises `b`, so that a + b stays the same. If the property depends on a limit instead of the sum,
 * traded_holds sets b to the end of its domain. */
static void redistribute(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    sonde_wide x, y, lo, hi;
    if (!sonde_amount(&s->best, a, &x) || !sonde_amount(&s->best, b, &y) || s->best.choices[a].index == 0) return;
    sonde_amount_range(&s->best, b, &lo, &hi);
    sonde_wide room = x > 0 ? hi - y : y - lo; /* how far b can be raised */
    uint64_t m = size_of(x);
    /* Trading tiny numbers gains little, and there are many. */
    if (room <= 0 || m == 0 || (m <= TINY && b != next_number(&s->best, a))) return;
    struct sonde_probe p = {.holds = sum_holds, .a = a, .b = b, .x = y < 0 ? lo : hi};
    if (room < (sonde_wide)m) p.guess = m - (uint64_t)room;
    if (!sum_holds(s, &p, m - 1)) {
        p.holds = traded_holds;
        p.guess = 0;
        if (m <= TRADED || !traded_holds(s, &p, m - 1)) return;
    }
    sonde_least(s, &p, m - 1);
    sonde_keep_evidence(s, a, &p);
    sonde_mark(s, a, SONDE_MARK_SETTLED);
    if (p.holds == sum_holds) sonde_mark(s, b, SONDE_MARK_SETTLED);
}

/* Visits each number with the next few that are not 0. Numbers near each other on the tape were drawn together. */
static void each_pair(struct sonde_shrinker *s, unsigned window,
                      void (*visit)(struct sonde_shrinker *s, uint32_t a, uint32_t b))
{
    for (uint32_t a = next_number(&s->best, UINT32_MAX); a != UINT32_MAX && !s->stopped; a = next_number(&s->best, a)) {
        uint32_t b = a;
        for (unsigned k = 0; k < window && s->best.choices[a].index; k++) {
            b = next_number(&s->best, b);
            if (b == UINT32_MAX) break;
            visit(s, a, b);
            if (a >= s->best.n_choices) return;
        }
    }
}

/* Tries the numbers p->x * m and p->y * m. */
static bool scaled_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide v;
    if (!sonde_amount(&s->best, p->a, &v) || !sonde_amount(&s->best, p->b, &v)) return false;
    sonde_edit_begin(s);
    return sonde_edit_amount(s, p->a, p->x * (sonde_wide)m) && sonde_edit_amount(s, p->b, p->y * (sonde_wide)m)
           && sonde_edit_try(s);
}

/* Divides two numbers by the same factor. */
static void scale(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    sonde_wide x, y;
    if (!sonde_amount(&s->best, a, &x) || !sonde_amount(&s->best, b, &y) || x == 0 || y == 0) return;
    /* Both numbers stay integers. */
    uint64_t common = sonde_gcd(size_of(x), size_of(y));
    struct sonde_probe p = {
        .holds = scaled_holds, .a = a, .b = b, .x = x / (sonde_wide)common, .y = y / (sonde_wide)common};
    if (common > 1 && scaled_holds(s, &p, common - 1)) sonde_least(s, &p, common - 1);
}

/* Sets every number from p->a on that is a multiple of p->y to that multiple of m; on success p->y is m. */
static bool multiples_hold(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide v;
    bool fits = true;
    if (m == 0) return false; /* other passes try 0, and 0 has no multiples */
    sonde_edit_begin(s);
    for (uint32_t i = p->a; i < s->best.n_choices; i++)
        if (sonde_amount(&s->best, i, &v) && v % p->y == 0) fits &= sonde_edit_amount(s, i, v / p->y * (sonde_wide)m);
    if (!fits || !sonde_edit_try(s)) return false;
    p->y = (sonde_wide)m;
    return true;
}

/* Divides a number and all later multiples of the smaller one of a pair by the same factor. There must be three of
 * them: for two there is `scale`. One of the two must divide the other: common factors are too many. Equal numbers
 * move together elsewhere. */
static void scale_all(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    sonde_wide x, y;
    unsigned n = 0;
    if (!sonde_amount(&s->best, a, &x) || !sonde_amount(&s->best, b, &y) || x == 0 || y == 0) return;
    uint64_t m = size_of(x) < size_of(y) ? size_of(x) : size_of(y);
    if (m <= TINY || x == y || x % (sonde_wide)m || y % (sonde_wide)m || s->best.n_choices > MAX_GROUP) return;
    struct sonde_probe p = {.holds = multiples_hold, .a = a, .y = (sonde_wide)m};
    for (uint32_t i = a; i < s->best.n_choices && n < 3; i++)
        n += sonde_amount(&s->best, i, &x) && x != 0 && x % p.y == 0;
    if (n == 3 && multiples_hold(s, &p, m - 1)) sonde_least(s, &p, m - 1);
}

/* x = 600, y = 400 with 2x == 3y becomes 3 and 2; 378, 756, 378 with x == z and y == 2x may become 7, 14, 7. */
void sonde_pass_scale(struct sonde_shrinker *s)
{
    each_pair(s, WINDOW, scale);
    each_pair(s, WINDOW, scale_all);
}

/* ---- Moving two doubles by the same amount, including fractions, so that the first becomes as simple as possible. */

/* Tries the first double at `target`, and the second one moved by the same amount. */
static bool shift_to(struct sonde_shrinker *s, uint32_t a, uint32_t b, double target)
{
    const struct sonde_tape *t = &s->best;
    double x = sonde_choice_value(t, &t->choices[a]).as.d, y = sonde_choice_value(t, &t->choices[b]).as.d;
    struct sonde_value first = {.type = SONDE_VALUE_DOUBLE, .as.d = target};
    struct sonde_value second = {.type = SONDE_VALUE_DOUBLE, .as.d = y + (target - x)};
    bool fits, both_fit;
    uint64_t index = sonde_choice_index(t, &t->choices[a], first, &fits);
    if (!fits || index >= t->choices[a].index) return false;
    sonde_edit_begin(s);
    sonde_edit_set(s, a, index);
    sonde_edit_set(s, b, sonde_choice_index(t, &t->choices[b], second, &both_fit));
    return both_fit && sonde_edit_try(s);
}

/* Tries 0, then the nearest whole numbers, halves, quarters and so on, on both sides of the present value. */
static void shift_doubles(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    const struct sonde_tape *t = &s->best;
    if (t->choices[a].kind != SONDE_KIND_DOUBLE || t->choices[b].kind != SONDE_KIND_DOUBLE) return;
    double x = sonde_choice_value(t, &t->choices[a]).as.d;
    /* The comparison is written so that NaN returns here, too. From 2^40 on a fraction would be lost. */
    if (!(fabs(x) < 0x1p40) || shift_to(s, a, b, 0)) return;
    for (double part = 1; part <= FINEST_PART && x * part != trunc(x * part); part *= 2)
        if (shift_to(s, a, b, trunc(x * part) / part) || shift_to(s, a, b, (trunc(x * part) + (x < 0 ? -1 : 1)) / part))
            return;
}

void sonde_pass_shift_doubles(struct sonde_shrinker *s)
{
    each_pair(s, WINDOW, shift_doubles);
}

/* Subtracts the value of the first number of a site from all numbers of the site, so that the first becomes 0. For
 * points in a plane or times on an axis, where only relative positions matter. */
static void translate(struct sonde_shrinker *s, uint32_t first)
{
    sonde_wide origin, v;
    unsigned moved = 0;
    bool fits = true;
    if (!sonde_amount(&s->best, first, &origin)) return;
    sonde_edit_begin(s);
    for (uint32_t i = 0; i < s->best.n_choices; i++) {
        if (s->best.choices[i].site != s->best.choices[first].site || !sonde_amount(&s->best, i, &v)) continue;
        fits &= sonde_edit_amount(s, i, v - origin);
        moved++;
    }
    if (fits && moved > 2) sonde_edit_try(s); /* lower_pair handles two */
}

/* Reports whether a choice is the first of its site. */
static bool is_first(const struct sonde_tape *t, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (t->choices[k].site == t->choices[i].site) return false;
    return true;
}

void sonde_pass_lower_pairs(struct sonde_shrinker *s)
{
    each_pair(s, WINDOW, lower_pair);
    if (s->best.n_choices > MAX_GROUP) sonde_leave_out(s);
    for (uint32_t i = 0; i < s->best.n_choices && i < MAX_GROUP && !s->stopped && !s->is_first_round; i++)
        if (s->best.choices[i].index && is_first(&s->best, i)) translate(s, i);
}

/* x = 70, y = 30 with x + y == 100 becomes x = 0, y = 100: early choices count more in the order of tapes. */
void sonde_pass_redistribute(struct sonde_shrinker *s)
{
    each_pair(s, WINDOW, redistribute);
}

/* ---- Merge: one number becomes the sum, the other is removed with its element. */

/* Reports whether a choice selects an alternative: alternatives have no sum. */
static bool is_pick(const struct sonde_tape *t, uint32_t i)
{
    return t->choices[i].kind == SONDE_KIND_PICK;
}

/* Returns the innermost list element that holds a choice, or 0 if there is none. */
static uint32_t element_of(const struct sonde_tape *t, uint32_t choice)
{
    uint32_t span = t->choices[choice].span;
    while (span && !(t->spans[span].flags & SONDE_SPAN_ELEMENT)) span = t->spans[span].parent;
    return span;
}

/* Wraps v into the domain of a choice, as machine arithmetic does. Sums of hashes and checksums wrap in the code under
 * test; here they wrap in the domain. */
static sonde_wide wrap(const struct sonde_tape *t, uint32_t i, sonde_wide v)
{
    sonde_wide lo, hi;
    sonde_amount_range(t, i, &lo, &hi);
    sonde_wide width = hi - lo + 1, r = (v - lo) % width;
    return lo + (r < 0 ? r + width : r);
}

/* Sets *y to the sum x + *y, wrapped into the domain. */
static bool sum(const struct sonde_tape *t, uint32_t kept, sonde_wide x, sonde_wide *y)
{
    *y = wrap(t, kept, x + *y);
    return true;
}

/* Sets *y to the product x * *y, for a precondition on a product. Returns false if the product is outside of the
 * domain, or a factor is trivial or 2^31 or larger. */
static bool product(const struct sonde_tape *t, uint32_t kept, sonde_wide x, sonde_wide *y)
{
    sonde_wide lo, hi;
    sonde_amount_range(t, kept, &lo, &hi);
    if (size_of(x) < 2 || size_of(*y) < 2 || size_of(x) > INT32_MAX || size_of(*y) > INT32_MAX) return false;
    *y *= x;
    return *y >= lo && *y <= hi;
}

/* Tries `kept` with the sum or product of both numbers, and without `gone`: its element is dropped, or its value is
 * 0. */
static bool merge_into(struct sonde_shrinker *s, uint32_t gone, uint32_t kept,
                       bool (*join)(const struct sonde_tape *t, uint32_t kept, sonde_wide x, sonde_wide *y))
{
    sonde_wide x, y;
    uint32_t span = element_of(&s->best, gone);
    if (!sonde_amount(&s->best, gone, &x) || !sonde_amount(&s->best, kept, &y)) return false;
    if (!join(&s->best, kept, x, &y)) return false;
    sonde_edit_begin(s);
    sonde_edit_amount(s, kept, y);
    if (span && element_of(&s->best, kept) != span) sonde_edit_drop_span(s, span);
    else sonde_edit_set(s, gone, 0);
    return sonde_edit_try(s);
}

static void merge(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    if (s->best.choices[b].index == 0 || is_pick(&s->best, a) || is_pick(&s->best, b)) return;
    if (!merge_into(s, a, b, sum) && !merge_into(s, b, a, sum) && s->discards && !merge_into(s, a, b, product))
        merge_into(s, b, a, product);
}

/* Tries to drop an item and add its numbers to the next item of the same shape, each up to the end of its domain. So
 * two elements become one: [3, 4] becomes [7]. */
static bool merge_items(struct sonde_shrinker *s, uint32_t gone, uint32_t kept)
{
    const struct sonde_tape *t = &s->best;
    const struct sonde_tape_span *p = &t->spans[gone], *q = &t->spans[kept];
    if (p->shape != q->shape || p->end - p->start != q->end - q->start) return false;
    sonde_edit_begin(s);
    for (uint32_t i = 0; i < p->end - p->start; i++) {
        sonde_wide x, y, lo, hi;
        if (!sonde_amount(t, p->start + i, &x) || !sonde_amount(t, q->start + i, &y)) continue;
        sonde_amount_range(t, q->start + i, &lo, &hi);
        sonde_edit_amount(s, q->start + i, x + y < lo ? lo : x + y > hi ? hi : x + y);
    }
    sonde_edit_drop_span(s, gone);
    return sonde_edit_try(s);
}

/* Neighbours only: numbers that are added up were mostly drawn one after the other. */
void sonde_pass_merge(struct sonde_shrinker *s)
{
    each_pair(s, 1, merge);
    for (uint32_t i = 1; i < s->best.n_spans && !s->stopped; i++) {
        uint32_t next = s->best.spans[i].next;
        bool is_element = s->best.spans[i].flags & SONDE_SPAN_ELEMENT;
        if (is_element && next < s->best.n_spans && s->best.spans[next].parent == s->best.spans[i].parent)
            merge_items(s, i, next);
    }
}
