/* Passes for numbers that mean a position or a count: indices into a list, ranks in a selection, positions and lengths
 * that user code drew. Removing an item changes the meaning of such numbers, so these passes adjust them.
 *
 * Which numbers point where is not known. A wrong guess only costs a call. */
#include "shrink/pass.h"

enum {
    MAX_NUMBERS = 4096,  /* at most this many choices before a sequence are searched for numbers to move */
    MAX_INDEXED = 256,   /* in a sequence with more items, indices are not adjusted */
    MAX_MOVED_ITEMS = 8, /* in a sequence with more items, only the first item is tried */
    MAX_MOVERS = 3,      /* maximum number of numbers that are tried before each sequence */
    MAX_COLUMNS = 8,     /* maximum number of columns of a matrix */
};

/* Sets a number in the script; returns false if the value is outside of the domain. */
static bool put(struct sonde_shrinker *s, uint32_t i, sonde_wide value)
{
    uint64_t index;
    if (!sonde_number_index(&s->best, i, value, &index)) return false;
    sonde_edit_set(s, i, index);
    return true;
}

/* ---- Delete items and lower the numbers that may point after them. */

/* Hypotheses about which numbers point into a sequence: all picks, all other numbers, everything, or one of four
 * sites. */
enum { PICKS, OTHERS, ALL, FIRST_SITE, MAX_POINTERS = FIRST_SITE + 4 };

/* The sites of the last hypotheses. */
struct pointers {
    uint32_t sites[MAX_POINTERS - FIRST_SITE];
    uint32_t n;
};

/* Reports whether a choice points into the sequence, under one hypothesis. */
static bool points(const struct pointers *p, unsigned which, const struct sonde_choice *c)
{
    bool is_pick = c->kind == SONDE_KIND_PICK || c->kind == SONDE_KIND_WEIGHTED;
    if (which >= FIRST_SITE) return c->site == p->sites[which - FIRST_SITE];
    return which == ALL || (which == PICKS) == is_pick;
}

/* Finds the sites of numbers with values in [from, to], except for the length of the sequence. */
static void find_pointers(struct sonde_shrinker *s, uint32_t length, uint32_t from, uint32_t to, struct pointers *p)
{
    const struct sonde_tape *t = &s->best;
    sonde_wide v;
    p->n = 0;
    for (uint32_t i = 0; i < t->n_choices; i++) {
        if (i == length || !sonde_number(t, i, &v) || v < (sonde_wide)from || v > (sonde_wide)to) continue;
        uint32_t k = 0;
        while (k < p->n && p->sites[k] != t->choices[i].site) k++;
        if (k < p->n) continue;
        if (p->n == MAX_POINTERS - FIRST_SITE) {
            sonde_leave_out(s);
            return;
        }
        p->sites[p->n++] = t->choices[i].site;
    }
}

/* Tries to remove the items [range[0], range[1]), and lowers the numbers that point after them under one hypothesis. */
static bool drop_pointed(struct sonde_shrinker *s, uint32_t q, const uint32_t range[2], const struct pointers *p,
                         unsigned which)
{
    sonde_wide v, from = range[0], to = range[1];
    bool followed = false;
    sonde_seqs(s);
    if (q >= s->n_seqs || range[1] > s->seqs[q].n) return false;
    sonde_edit_begin(s);
    for (uint32_t i = 0; i < s->best.n_choices; i++) {
        if (i == s->seqs[q].length || !sonde_number(&s->best, i, &v) || v < to || v > (sonde_wide)s->seqs[q].n)
            continue;
        if (points(p, which, &s->best.choices[i])) followed |= put(s, i, v - (to - from));
    }
    /* If no number changes, `delete items` has tried the same. */
    if (!followed) return false;
    sonde_edit_drop_items(s, &s->seqs[q], range[0], range[1]);
    return sonde_edit_try(s);
}

/* Tries to remove items under each hypothesis. If only one site has such numbers, the hypotheses by kind cover it, so
 * sites are not tried. */
static bool drop_indexed(struct sonde_shrinker *s, uint32_t q, uint32_t from, uint32_t to)
{
    struct pointers p;
    sonde_seqs(s);
    if (q >= s->n_seqs || to > s->seqs[q].n) return false;
    find_pointers(s, s->seqs[q].length, to, s->seqs[q].n, &p);
    unsigned ways = p.n > 1 ? FIRST_SITE + p.n : p.n ? FIRST_SITE : 0;
    for (unsigned which = 0; which < ways; which++)
        if (drop_pointed(s, q, (uint32_t[]){from, to}, &p, which)) return true;
    return false;
}

/* Returns the number of items of sequence q as it is now; 0 if there is no such sequence. */
static uint32_t items(struct sonde_shrinker *s, uint32_t q)
{
    sonde_seqs(s);
    return q < s->n_seqs ? s->seqs[q].n : 0;
}

/* xs = [7, 8, 9], i = 2 becomes xs = [9], i = 0: items before the one that i points at are removed. */
void sonde_pass_delete_indexed(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs && !s->stopped; q++) {
        uint32_t i = items(s, q);
        if (i > MAX_INDEXED) {
            sonde_leave_out(s);
            i = 0;
        }
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

/* Tries to swap two neighbouring items, and the numbers that point at them under one hypothesis. */
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
    find_pointers(s, s->seqs[q].length, item, item + 1, &p);
    unsigned ways = p.n > 1 ? FIRST_SITE + p.n : p.n ? FIRST_SITE : 0;
    for (unsigned which = 0; which < ways; which++)
        if (swap_pointed(s, q, item, &p, which)) return;
}

/* [b, a] with i = 0 becomes [a, b] with i = 1. */
void sonde_pass_swap_indexed(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs && !s->stopped; q++) {
        if (sonde_is_past(s, items(s, q), MAX_MOVED_ITEMS + 1)) continue;
        for (uint32_t i = 0; i + 1 < items(s, q) && s->seqs[q].kind != SONDE_SEQ_FREE; i++) swap_indexed(s, q, i);
        sonde_seqs(s);
    }
}

/* ---- Delete an element of a selection (gen/permute.c). Each element draws a rank among the values that are still
 * free, so each domain is one smaller than the one before. Without one element, the later ones keep their values if
 * ranks from the removed rank on rise by one. */

/* Tries to remove one element of a selection. */
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
        /* Its domain grows by one too: one more rank is free now. */
        s->script.choices[p->start].max++;
        raised++;
    }
    if (!raised) return false;
    sonde_edit_drop_items(s, &s->seqs[q], item, item + 1);
    return sonde_edit_try(s);
}

/* Tries to swap the values of two neighbours of a selection, by changing their ranks. */
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

/* Removes elements, then sorts neighbours, in terms of ranks. */
void sonde_pass_delete_ranked(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs && !s->stopped; q++) {
        if (items(s, q) > MAX_INDEXED) {
            sonde_leave_out(s);
            continue;
        }
        for (uint32_t i = items(s, q); i-- > 0 && !s->stopped;) drop_rank(s, q, i);
        for (uint32_t i = items(s, q); i-- > 0 && !s->stopped;) swap_ranks(s, q, i);
        sonde_seqs(s);
    }
}

/* ---- Delete an item while a number before it moves by one: a position, or a count that was not recognised. */

/* Tries to remove an item and to add move.x to the number move.a. */
static bool drop_and_move(struct sonde_shrinker *s, uint32_t q, uint32_t item, struct sonde_probe move)
{
    sonde_wide v;
    sonde_seqs(s);
    if (q >= s->n_seqs || item >= s->seqs[q].n || move.a >= s->best.n_choices) return false;
    if (!sonde_number(&s->best, move.a, &v)) return false;
    sonde_edit_begin(s);
    if (!put(s, move.a, v + move.x)) return false;
    sonde_edit_drop_items(s, &s->seqs[q], item, item + 1);
    return sonde_edit_try(s);
}

/* Returns how many fewer choices a run makes when a number is lower by one; 0 if unknown. Finds out by a run with the
 * lower number, which may be known already (tried_length). */
static uint32_t step_of(struct sonde_shrinker *s, uint32_t mover)
{
    sonde_wide v;
    if (mover >= s->best.n_choices || !sonde_number(&s->best, mover, &v)) return 0;
    sonde_edit_begin(s);
    if (!put(s, mover, v - 1) || sonde_edit_try(s)) return 0;
    return s->tried_length < s->best.n_choices ? s->best.n_choices - s->tried_length : 0;
}

/* Items of a sequence: `count` runs of `length` items each, whose starts are `stride` apart. */
struct comb {
    uint32_t from, length, stride, count;
};

/* Tries to remove the items of a comb and to lower the number `mover` by one. */
static bool drop_and_lower(struct sonde_shrinker *s, uint32_t q, uint32_t mover, struct comb c)
{
    sonde_wide v;
    sonde_seqs(s);
    if (q >= s->n_seqs || mover >= s->best.n_choices || !sonde_number(&s->best, mover, &v)) return false;
    if (c.from + (uint64_t)c.stride * (c.count - 1) + c.length > s->seqs[q].n) return false;
    sonde_edit_begin(s);
    if (!put(s, mover, v - 1)) return false;
    for (uint32_t i = 0, at = c.from; i < c.count; i++, at += c.stride)
        sonde_edit_drop_items(s, &s->seqs[q], at, at + c.length);
    return sonde_edit_try(s);
}

/* Removes columns, for a number that counts the items of each group, such as the columns of a matrix. */
static void drop_columns(struct sonde_shrinker *s, uint32_t q, uint32_t mover, uint32_t groups)
{
    sonde_wide v;
    for (uint32_t i = 0; mover < s->best.n_choices && q < s->n_seqs && !s->stopped; i++) {
        /* a sequence of another kind has a length, which would have to change, too */
        bool is_plain = s->seqs[q].kind == SONDE_SEQ_FREE;
        if (!is_plain || !sonde_number(&s->best, mover, &v) || v <= i || v > MAX_COLUMNS) return;
        struct comb column = {i, 1, (uint32_t)v, groups};
        if (drop_and_lower(s, q, mover, column)) i--; /* i-- may wrap around; i++ undoes that */
    }
}

/* Removes groups, for a number that counts groups of items, such as the rows of a matrix. Tries each group. Also tries
 * the same number of items after the first item, in case both ends are needed. */
static void drop_groups(struct sonde_shrinker *s, uint32_t q, uint32_t mover)
{
    uint32_t step = step_of(s, mover);
    if (step < 2) return;
    for (uint32_t i = 0; i < items(s, q) && !s->stopped;)
        if (!drop_and_lower(s, q, mover, (struct comb){i, step, 0, 1})) i += step;
    while (drop_and_lower(s, q, mover, (struct comb){1, step, 0, 1})) continue;
    drop_columns(s, q, mover, step);
}

/* Finds the numbers before a sequence that are not its length, the nearest first. Returns how many. */
static uint32_t movers(struct sonde_shrinker *s, const struct sonde_seq *seq, uint32_t found[MAX_MOVERS])
{
    uint32_t n = 0;
    uint32_t piece = s->pieces[s->starts[seq->first]];
    sonde_wide v;
    uint32_t start = piece & SONDE_PIECE_SPAN ? s->best.spans[piece & ~SONDE_PIECE_SPAN].start : piece;
    for (uint32_t i = start; i-- > 0 && n < MAX_MOVERS && start - i < MAX_NUMBERS;)
        if (i != seq->length && s->best.choices[i].kind != SONDE_KIND_WEIGHTED && sonde_number(&s->best, i, &v))
            found[n++] = i;
    return n;
}

/* Tries to remove an item while the number `mover` goes down or up by one. */
static bool move_with(struct sonde_shrinker *s, uint32_t q, uint32_t item, uint32_t mover)
{
    if (drop_and_move(s, q, item, (struct sonde_probe){.a = mover, .x = -1})) return true;
    /* The tape stays smaller with a larger number elsewhere only if the number of items is recorded. */
    if (s->seqs[q].kind == SONDE_SEQ_FREE) return false;
    return drop_and_move(s, q, item, (struct sonde_probe){.a = mover, .x = +1});
}

/* For "draw rows and columns, then rows * columns numbers". Removes a row and lowers the number of rows, or removes a
 * column and lowers the number of columns. */
void sonde_pass_delete_and_move(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs && !s->stopped; q++) {
        uint32_t found[MAX_MOVERS];
        uint32_t n = items(s, q) ? movers(s, &s->seqs[q], found) : 0;
        for (uint32_t i = items(s, q); i-- > 0 && n && !s->stopped;) {
            bool is_long = items(s, q) > MAX_MOVED_ITEMS || (q < s->n_seqs && s->seqs[q].kind == SONDE_SEQ_FREE);
            /* only the first item of a long sequence is tried */
            if (is_long && !s->is_thorough) i = 0;
            for (uint32_t k = 0; k < n && is_long; k++) drop_groups(s, q, found[k]);
            for (uint32_t k = 0; k < n && q < s->n_seqs; k++)
                if (move_with(s, q, i, found[k])) break;
        }
        sonde_seqs(s);
    }
}
