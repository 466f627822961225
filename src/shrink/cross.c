/* Passes that change two places at once, where each change alone would lose the failure: equal numbers, numbers with a
 * fixed difference or sum, numbers that point at items, numbers that count what follows.
 *
 * Pairs are taken within a small window of neighbours, and most are given up after one call: if moving both by one
 * does not keep the failure, moving them by more rarely does. */
#include "shrink/pass.h"

#include <math.h>

#define LARGEST_WHOLE 0x1p51
enum { TINY = 2, TRADED = 16, CLOSE = 16, UNLIKELY = 1000, WINDOW = 3, MAX_GROUP = 4096, MAX_MOVED_ITEMS = 8, MAX_MOVERS = 3 };

/* A number to calculate with. Doubles count by their whole part; the fraction stays what it is. */
static bool is_number(const struct sonde_tape *t, uint32_t i, sonde_wide *value)
{
    if (i >= t->n_choices || t->choices[i].max == 0) return false;
    if (t->choices[i].kind == SONDE_KIND_DOUBLE) {
        double x = sonde_choice_value(t, &t->choices[i]).as.d;
        *value = fabs(x) < LARGEST_WHOLE ? (sonde_wide)x : 0;
        return fabs(x) < LARGEST_WHOLE;
    }
    return (t->choices[i].kind == SONDE_KIND_INT || t->choices[i].kind == SONDE_KIND_UINT) && sonde_number(t, i, value);
}

static void range_of(const struct sonde_tape *t, uint32_t i, sonde_wide *lo, sonde_wide *hi)
{
    if (t->choices[i].kind != SONDE_KIND_DOUBLE) {
        sonde_number_range(t, i, lo, hi);
        return;
    }
    struct sonde_double_bounds b = sonde_choice_bounds(t, &t->choices[i]);
    *lo = (sonde_wide)ceil(b.lo < -LARGEST_WHOLE ? -LARGEST_WHOLE : b.lo);
    *hi = (sonde_wide)floor(b.hi > LARGEST_WHOLE ? LARGEST_WHOLE : b.hi);
}

/* The next number after choice i that is not the simplest; UINT32_MAX if there is none. */
static uint32_t next_number(const struct sonde_tape *t, uint32_t i)
{
    sonde_wide v;
    for (i++; i < t->n_choices; i++)
        if (t->choices[i].index && is_number(t, i, &v)) return i;
    return UINT32_MAX;
}

static bool put(struct sonde_shrinker *s, uint32_t i, sonde_wide value)
{
    uint64_t index;
    bool fits;
    const struct sonde_choice *c = &s->best.choices[i];
    if (c->kind == SONDE_KIND_DOUBLE) {
        double x = sonde_choice_value(&s->best, c).as.d;
        struct sonde_value moved = {.type = SONDE_VALUE_DOUBLE, .as.d = (double)value + (x - trunc(x))};
        index = sonde_choice_index(&s->best, c, moved, &fits);
        if (!fits) return false;
    } else if (!sonde_number_index(&s->best, i, value, &index)) {
        return false;
    }
    sonde_edit_set(s, i, index);
    return true;
}

static uint64_t size_of(sonde_wide v)
{
    return (uint64_t)(v < 0 ? -v : v);
}

static sonde_wide sign_of(sonde_wide v)
{
    return v < 0 ? -1 : 1;
}

/* ---- Equal numbers. p->x is their value now, p->y the nearest to zero that they may have. */

static bool equal_hold(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide old = 0, v = p->y + sign_of(p->x) * (sonde_wide)m;
    bool fits = true;
    sonde_edit_begin(s);
    for (uint32_t i = p->a; i < s->best.n_choices; i++)
        if (is_number(&s->best, i, &old) && old == p->x) fits &= put(s, i, v);
    if (!fits || !sonde_edit_try(s)) return false;
    p->x = v;
    return true;
}

static bool lowest_common(const struct sonde_tape *t, uint32_t a, sonde_wide x, sonde_wide *lowest)
{
    sonde_wide v, lo, hi;
    unsigned n = 0;
    *lowest = 0;
    for (uint32_t i = a; i < t->n_choices; i++) {
        if (!is_number(t, i, &v) || v != x) continue;
        range_of(t, i, &lo, &hi);
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
        if (is_number(t, i, &v) && v == x) return true;
    return false;
}

void sonde_pass_lower_equal(struct sonde_shrinker *s)
{
    if (s->best.n_choices > MAX_GROUP) return;
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) {
        sonde_wide v, lowest;
        if (!is_number(&s->best, i, &v) || s->best.choices[i].index == 0 || seen_before(&s->best, i, v)) continue;
        if (s->is_first_round && size_of(v) < UNLIKELY) continue; /* small ones are equal by chance */
        if (!lowest_common(&s->best, i, v, &lowest)) continue;
        struct sonde_probe p = {.holds = equal_hold, .a = i, .x = v, .y = lowest};
        if (!equal_hold(s, &p, size_of(v - lowest) - 1)) continue;
        sonde_least(s, &p, size_of(p.x - lowest));
        for (uint32_t k = i; k < s->best.n_choices; k++)
            if (is_number(&s->best, k, &v) && v == p.x) sonde_settle(s, k);
    }
}

/* ---- Two numbers by the same amount. p->x is the distance that the nearer one has left to go. */

static bool both_hold(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide a, b, d = p->x - (sonde_wide)m;
    if (d <= 0 || !is_number(&s->best, p->a, &a) || !is_number(&s->best, p->b, &b)) return false;
    sonde_edit_begin(s);
    if (!put(s, p->a, a - sign_of(a) * d) || !put(s, p->b, b - sign_of(b) * d) || !sonde_edit_try(s)) return false;
    p->x = (sonde_wide)m;
    return true;
}

static uint64_t way_left(const struct sonde_tape *t, uint32_t i, sonde_wide v)
{
    sonde_wide lo, hi;
    range_of(t, i, &lo, &hi);
    return size_of(lo > 0 ? v - lo : hi < 0 ? hi - v : v);
}

static void lower_pair(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    sonde_wide x, y;
    if (!is_number(&s->best, a, &x) || !is_number(&s->best, b, &y)) return;
    uint64_t m = way_left(&s->best, a, x), n = way_left(&s->best, b, y);
    if (n < m) m = n;
    if (m == 0 || x == y) return;
    if (s->is_first_round && (size_of(x - y) > CLOSE || m < UNLIKELY)) return; /* nothing speaks for it yet */
    struct sonde_probe p = {.holds = both_hold, .a = a, .b = b, .x = (sonde_wide)m};
    if (!both_hold(s, &p, m - 1)) return;
    sonde_least(s, &p, m - 1);
    sonde_settle(s, a); /* b may have more to give on its own */
}

/* ---- Lower one, raise a later one. p->x is the size of the first. */

static bool sum_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide a, b;
    if (!is_number(&s->best, p->a, &a) || !is_number(&s->best, p->b, &b)) return false;
    sonde_wide d = a - sign_of(a) * (sonde_wide)m;
    sonde_edit_begin(s);
    return put(s, p->a, a - d) && put(s, p->b, b + d) && sonde_edit_try(s);
}

/* What is not a sum may still let one go down for another: try that with the other at its end, to be lowered later. */
static bool traded_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    sonde_wide a, b;
    if (!is_number(&s->best, p->a, &a) || !is_number(&s->best, p->b, &b)) return false;
    sonde_edit_begin(s);
    return put(s, p->a, sign_of(a) * (sonde_wide)m) && put(s, p->b, p->x) && sonde_edit_try(s);
}

static void redistribute(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    sonde_wide x, y, lo, hi;
    if (!is_number(&s->best, a, &x) || !is_number(&s->best, b, &y) || s->best.choices[a].index == 0) return;
    range_of(&s->best, b, &lo, &hi);
    sonde_wide room = x > 0 ? hi - y : y - lo; /* as far as b can follow */
    uint64_t m = size_of(x);
    if (room <= 0 || m == 0 || (m <= TINY && b != next_number(&s->best, a))) return;
    struct sonde_probe p = {.holds = sum_holds, .a = a, .b = b, .x = y < 0 ? lo : hi};
    if (room < (sonde_wide)m) p.guess = m - (uint64_t)room;
    if (!sum_holds(s, &p, m - 1)) {
        p.holds = traded_holds;
        p.guess = 0;
        if (m <= TRADED || !traded_holds(s, &p, m - 1)) return;
    }
    sonde_least(s, &p, m - 1);
    sonde_settle(s, a);
    if (p.holds == sum_holds) sonde_settle(s, b);
}

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

/* All numbers of one site by the value that the first of them has, so that it becomes 0. */
static void translate(struct sonde_shrinker *s, uint32_t first)
{
    sonde_wide origin, v;
    unsigned moved = 0;
    bool fits = true;
    if (!is_number(&s->best, first, &origin)) return;
    sonde_edit_begin(s);
    for (uint32_t i = 0; i < s->best.n_choices; i++) {
        if (s->best.choices[i].site != s->best.choices[first].site || !is_number(&s->best, i, &v)) continue;
        fits &= put(s, i, v - origin);
        moved++;
    }
    if (fits && moved > 2) sonde_edit_try(s); /* two are a pair */
}

/* The first choice of its site? */
static bool is_first(const struct sonde_tape *t, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (t->choices[k].site == t->choices[i].site) return false;
    return true;
}

void sonde_pass_lower_pairs(struct sonde_shrinker *s)
{
    each_pair(s, WINDOW, lower_pair);
    for (uint32_t i = 0; i < s->best.n_choices && i < MAX_GROUP && !s->stopped && !s->is_first_round; i++)
        if (s->best.choices[i].index && is_first(&s->best, i)) translate(s, i);
}

void sonde_pass_redistribute(struct sonde_shrinker *s)
{
    each_pair(s, WINDOW, redistribute);
}

/* ---- Merge: one takes the sum, the other goes with its element. */

static uint32_t element_of(const struct sonde_tape *t, uint32_t choice)
{
    uint32_t span = t->choices[choice].span;
    while (span && !(t->spans[span].flags & SONDE_SPAN_ELEMENT)) span = t->spans[span].parent;
    return span;
}

/* Into the range, as machine arithmetic wraps. */
static sonde_wide wrap(const struct sonde_tape *t, uint32_t i, sonde_wide v)
{
    sonde_wide lo, hi;
    range_of(t, i, &lo, &hi);
    sonde_wide width = hi - lo + 1, r = (v - lo) % width;
    return lo + (r < 0 ? r + width : r);
}

static bool merge_into(struct sonde_shrinker *s, uint32_t gone, uint32_t kept)
{
    sonde_wide x, y;
    uint32_t span = element_of(&s->best, gone);
    if (!is_number(&s->best, gone, &x) || !is_number(&s->best, kept, &y)) return false;
    sonde_edit_begin(s);
    put(s, kept, wrap(&s->best, kept, x + y));
    if (span && element_of(&s->best, kept) != span) sonde_edit_drop_span(s, span);
    else sonde_edit_set(s, gone, 0);
    return sonde_edit_try(s);
}

static void merge(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    if (s->best.choices[b].index == 0) return;
    if (!merge_into(s, a, b)) merge_into(s, b, a);
}

void sonde_pass_merge(struct sonde_shrinker *s)
{
    each_pair(s, 1, merge);
}

/* ---- Delete items, and let numbers that may point behind them follow. Which numbers point is not known: all picks,
 * all other numbers, everything, or one site. */

enum { PICKS, OTHERS, ALL, FIRST_SITE, MAX_POINTERS = FIRST_SITE + 4 };

struct pointers {
    uint32_t sites[MAX_POINTERS - FIRST_SITE];
    uint32_t n;
};

static bool points(const struct pointers *p, unsigned which, const struct sonde_choice *c)
{
    bool is_pick = c->kind == SONDE_KIND_PICK || c->kind == SONDE_KIND_WEIGHTED;
    if (which >= FIRST_SITE) return c->site == p->sites[which - FIRST_SITE];
    return which == ALL || (which == PICKS) == is_pick;
}

/* Sites with values in [from, to]. */
static void find_pointers(const struct sonde_tape *t, uint32_t length, uint32_t from, uint32_t to, struct pointers *p)
{
    sonde_wide v;
    p->n = 0;
    for (uint32_t i = 0; i < t->n_choices && p->n < MAX_POINTERS - FIRST_SITE; i++) {
        if (i == length || !sonde_number(t, i, &v) || v < (sonde_wide)from || v > (sonde_wide)to) continue;
        uint32_t k = 0;
        while (k < p->n && p->sites[k] != t->choices[i].site) k++;
        if (k == p->n) p->sites[p->n++] = t->choices[i].site;
    }
}

static bool drop_pointed(struct sonde_shrinker *s, uint32_t q, const uint32_t range[2], const struct pointers *p,
                         unsigned which)
{
    sonde_wide v, from = range[0], to = range[1];
    bool followed = false;
    sonde_seqs(s);
    if (q >= s->n_seqs || range[1] > s->seqs[q].n) return false;
    sonde_edit_begin(s);
    for (uint32_t i = 0; i < s->best.n_choices; i++) {
        if (i == s->seqs[q].length || !sonde_number(&s->best, i, &v) || v < to || v > (sonde_wide)s->seqs[q].n) continue;
        if (points(p, which, &s->best.choices[i])) followed |= put(s, i, v - (to - from));
    }
    if (!followed) return false;
    sonde_edit_drop_items(s, &s->seqs[q], range[0], range[1]);
    return sonde_edit_try(s);
}

static bool drop_indexed(struct sonde_shrinker *s, uint32_t q, uint32_t from, uint32_t to)
{
    struct pointers p;
    sonde_seqs(s);
    if (q >= s->n_seqs || to > s->seqs[q].n) return false;
    find_pointers(&s->best, s->seqs[q].length, to, s->seqs[q].n, &p);
    unsigned ways = p.n > 1 ? FIRST_SITE + p.n : p.n ? FIRST_SITE : 0;
    for (unsigned which = 0; which < ways; which++)
        if (drop_pointed(s, q, (uint32_t[]){from, to}, &p, which)) return true;
    return false;
}

static uint32_t items(struct sonde_shrinker *s, uint32_t q)
{
    sonde_seqs(s);
    return q < s->n_seqs ? s->seqs[q].n : 0;
}

void sonde_pass_delete_indexed(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs && !s->stopped; q++) {
        uint32_t i = items(s, q);
        while (i > 0 && !s->stopped) {
            i--;
            if (i >= items(s, q) || !drop_indexed(s, q, i, i + 1)) continue;
            for (uint32_t k = 2; i > 0; k *= 2) {
                if (k > i) k = i;
                if (!drop_indexed(s, q, i - k, i)) break;
                i -= k;
            }
        }
        sonde_seqs(s);
    }
}

/* Two neighbours change places, and so do the numbers that may point at them. */
static bool swap_pointed(struct sonde_shrinker *s, uint32_t q, uint32_t item, const struct pointers *p, unsigned which)
{
    sonde_wide v;
    uint64_t index;
    sonde_seqs(s);
    const struct sonde_seq *seq = &s->seqs[q];
    sonde_edit_begin(s);
    if (seq->kind == SONDE_SEQ_LIST) {
        const uint32_t *piece = &s->pieces[s->starts[seq->first + item]];
        sonde_edit_permute(s, (uint32_t[]){piece[0] & ~SONDE_PIECE_SPAN, piece[1] & ~SONDE_PIECE_SPAN},
                           (uint32_t[]){1, 0}, 2);
    }
    for (uint32_t i = 0; i < s->script.n_choices; i++) {
        if (i == seq->length || !sonde_number(&s->script, i, &v) || !points(p, which, &s->script.choices[i])) continue;
        if (v != (sonde_wide)item && v != (sonde_wide)item + 1) continue;
        sonde_wide other = v == (sonde_wide)item ? v + 1 : v - 1;
        if (sonde_number_index(&s->script, i, other, &index)) sonde_edit_set(s, i, index);
    }
    return sonde_edit_try(s);
}

static void swap_indexed(struct sonde_shrinker *s, uint32_t q, uint32_t item)
{
    struct pointers p;
    find_pointers(&s->best, s->seqs[q].length, item, item + 1, &p);
    unsigned ways = p.n > 1 ? FIRST_SITE + p.n : p.n ? FIRST_SITE : 0;
    for (unsigned which = 0; which < ways; which++)
        if (swap_pointed(s, q, item, &p, which)) return;
}

void sonde_pass_swap_indexed(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs && !s->stopped; q++) {
        if (items(s, q) > MAX_MOVED_ITEMS) continue;
        for (uint32_t i = 0; i + 1 < items(s, q) && s->seqs[q].kind != SONDE_SEQ_FREE; i++) swap_indexed(s, q, i);
        sonde_seqs(s);
    }
}

/* ---- Delete an element of a selection. Each draws a rank among what is still free (its domain is one smaller than that
 * of the one before), so without one of them the later ones mean the same values if their ranks rise by one. */

static bool drop_rank(struct sonde_shrinker *s, uint32_t q, uint32_t item)
{
    const struct sonde_tape *t = &s->best;
    sonde_seqs(s);
    if (q >= s->n_seqs || item >= s->seqs[q].n || s->seqs[q].kind != SONDE_SEQ_LIST) return false;
    const uint32_t *spans = &s->pieces[s->starts[s->seqs[q].first]];
    uint32_t gone = t->spans[spans[item] & ~SONDE_PIECE_SPAN].start, raised = 0;
    sonde_edit_begin(s);
    for (uint32_t i = item; i < s->seqs[q].n; i++) {
        const struct sonde_tape_span *p = &t->spans[spans[i] & ~SONDE_PIECE_SPAN];
        if (p->end != p->start + 1 || t->choices[p->start].max != t->choices[gone].max - (i - item)) return false;
        if (i == item || t->choices[p->start].index < t->choices[gone].index) continue;
        sonde_edit_set(s, p->start, t->choices[p->start].index + 1);
        s->script.choices[p->start].max++;
        raised++;
    }
    if (!raised) return false;
    sonde_edit_drop_items(s, &s->seqs[q], item, item + 1);
    return sonde_edit_try(s);
}

/* Two neighbours of a selection in the other order, as ranks. */
static void swap_ranks(struct sonde_shrinker *s, uint32_t q, uint32_t item)
{
    const struct sonde_tape *t = &s->best;
    sonde_seqs(s);
    if (q >= s->n_seqs || item + 1 >= s->seqs[q].n || s->seqs[q].kind != SONDE_SEQ_LIST) return;
    const uint32_t *spans = &s->pieces[s->starts[s->seqs[q].first]];
    const struct sonde_tape_span *p = &t->spans[spans[item] & ~SONDE_PIECE_SPAN];
    const struct sonde_tape_span *r = &t->spans[spans[item + 1] & ~SONDE_PIECE_SPAN];
    if (p->end != p->start + 1 || r->end != r->start + 1) return;
    const struct sonde_choice *a = &t->choices[p->start], *b = &t->choices[r->start];
    if (b->max != a->max - 1 || b->index >= a->index) return;
    sonde_edit_begin(s);
    sonde_edit_set(s, p->start, b->index);
    sonde_edit_set(s, r->start, a->index - 1);
    sonde_edit_try(s);
}

void sonde_pass_delete_ranked(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs && !s->stopped; q++) {
        for (uint32_t i = items(s, q); i-- > 0 && !s->stopped;) drop_rank(s, q, i);
        for (uint32_t i = items(s, q); i-- > 0 && !s->stopped;) swap_ranks(s, q, i);
        sonde_seqs(s);
    }
}

/* ---- Delete an item while a number before it moves by one: a position, or a count that was not recognised. */

static bool drop_and_move(struct sonde_shrinker *s, uint32_t q, uint32_t item, struct sonde_probe move)
{
    sonde_wide v;
    sonde_seqs(s);
    if (q >= s->n_seqs || item >= s->seqs[q].n || !is_number(&s->best, move.a, &v)) return false;
    sonde_edit_begin(s);
    if (!put(s, move.a, v + move.x)) return false;
    sonde_edit_drop_items(s, &s->seqs[q], item, item + 1);
    return sonde_edit_try(s);
}

/* Numbers before a sequence that are not its length, the nearest first. */
static uint32_t movers(struct sonde_shrinker *s, const struct sonde_seq *seq, uint32_t found[MAX_MOVERS])
{
    uint32_t n = 0, start = s->best.spans[seq->owner].start;
    uint32_t piece = s->pieces[s->starts[seq->first]];
    sonde_wide v;
    start = piece & SONDE_PIECE_SPAN ? s->best.spans[piece & ~SONDE_PIECE_SPAN].start : piece;
    for (uint32_t i = start; i-- > 0 && n < MAX_MOVERS && start - i < MAX_GROUP;)
        if (i != seq->length && is_number(&s->best, i, &v)) found[n++] = i;
    return n;
}

static bool move_with(struct sonde_shrinker *s, uint32_t q, uint32_t item, uint32_t mover)
{
    if (drop_and_move(s, q, item, (struct sonde_probe){.a = mover, .x = -1})) return true;
    /* Only where the number of items is recorded does their end make room for a larger number elsewhere. */
    if (s->seqs[q].kind == SONDE_SEQ_FREE) return false;
    return drop_and_move(s, q, item, (struct sonde_probe){.a = mover, .x = +1});
}

void sonde_pass_delete_and_move(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs && !s->stopped; q++) {
        uint32_t found[MAX_MOVERS];
        uint32_t n = items(s, q) ? movers(s, &s->seqs[q], found) : 0;
        for (uint32_t i = items(s, q); i-- > 0 && n && !s->stopped;) {
            bool is_long = items(s, q) > MAX_MOVED_ITEMS || (q < s->n_seqs && s->seqs[q].kind == SONDE_SEQ_FREE);
            if (is_long) i = 0; /* of those only the first */
            for (uint32_t k = 0; k < n && q < s->n_seqs; k++)
                if (move_with(s, q, i, found[k])) break;
        }
        sonde_seqs(s);
    }
}
