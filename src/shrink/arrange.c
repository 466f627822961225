/* Passes that reorder parts: where the order does not matter to the failure, the simpler part comes first. They move
 * items of one span or one choice each, and symbols of blobs.
 *
 * None of these passes makes the tape shorter. They make it smaller in the order of tapes, so that equivalent
 * counterexamples lead to the same result. Three passes: sort (siblings, cheap), swap blocks and swap parts
 * (late). */
#include "shrink/pass.h"

#include "base/mem.h"

#include <string.h>

enum {
    MAX_SORTED = 1024, /* a sequence with more items is not sorted */
    MAX_SWAPPED = 32,  /* in a sequence with more items, items are not moved one by one */
    /* in a row with more items, blocks are not swapped: the number of pairs of blocks grows with the cube */
    MAX_BLOCKS = 24,
    PATIENCE = 64, /* a pass gives up after this many calls without an improvement */
    NEAR = 3,      /* number of later draws of its span that are examined as partners of a draw */
};

/* ---- Sort */

/* Compares two runs of choices in the order of tapes: index by index from the left, and the shorter first on a tie. */
static int compare_ranges(const struct sonde_tape *t, uint32_t a, uint32_t b, const uint32_t n[2])
{
    for (uint32_t i = 0; i < n[0] && i < n[1]; i++) {
        const struct sonde_choice *x = &t->choices[a + i], *y = &t->choices[b + i];
        if (x->index != y->index) return x->index < y->index ? -1 : 1;
        if (x->kind != SONDE_KIND_BLOB || y->kind != SONDE_KIND_BLOB) continue;
        struct sonde_blob p = sonde_choice_blob(t, x), q = sonde_choice_blob(t, y);
        for (uint32_t k = 0; k < p.len && k < q.len; k++) {
            uint32_t u = sonde_blob_symbol(&p, k), v = sonde_blob_symbol(&q, k);
            if (u != v) return u < v ? -1 : 1;
        }
    }
    if (n[0] != n[1]) return n[0] < n[1] ? -1 : 1;
    return 0;
}

static int compare_pieces(const struct sonde_tape *t, uint32_t a, uint32_t b)
{
    if (!(a & SONDE_PIECE_SPAN)) return compare_ranges(t, a, b, (uint32_t[]){1, 1});
    const struct sonde_tape_span *x = &t->spans[a & ~SONDE_PIECE_SPAN], *y = &t->spans[b & ~SONDE_PIECE_SPAN];
    return compare_ranges(t, x->start, y->start, (uint32_t[]){x->end - x->start, y->end - y->start});
}

/* Returns the pieces of a sequence if each of its items is a single piece and all pieces are of one kind; else NULL.
 * The array belongs to the shrinker and is stale after an accepted candidate. */
static const uint32_t *single_pieces(struct sonde_shrinker *s, uint32_t q)
{
    sonde_seqs(s);
    if (q >= s->n_seqs) return NULL;
    const struct sonde_seq *seq = &s->seqs[q];
    if (seq->n > MAX_SORTED) sonde_leave_out(s);
    if (seq->n < 2 || seq->n > MAX_SORTED) return NULL;
    for (uint32_t i = 0; i < seq->n; i++)
        if (s->starts[seq->first + i + 1] - s->starts[seq->first + i] != 1) return NULL;
    const uint32_t *pieces = &s->pieces[s->starts[seq->first]];
    for (uint32_t i = 1; i < seq->n; i++)
        if ((pieces[i] ^ pieces[0]) & SONDE_PIECE_SPAN) return NULL;
    return pieces;
}

/* Tries the pieces in another order. Spans move as blocks (sonde_edit_permute); single choices swap their values and
 * keep their spans. */
static bool try_order(struct sonde_shrinker *s, const uint32_t *pieces, const uint32_t *order, uint32_t n)
{
    sonde_edit_begin(s);
    if (pieces[0] & SONDE_PIECE_SPAN) {
        uint32_t *spans = sonde_calloc(n, sizeof *spans);
        for (uint32_t i = 0; i < n; i++) spans[i] = pieces[i] & ~SONDE_PIECE_SPAN;
        sonde_edit_permute(s, spans, order, n);
        sonde_free(spans);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t span = s->script.choices[pieces[i]].span;
            s->script.choices[pieces[i]] = s->best.choices[pieces[order[i]]];
            s->script.choices[pieces[i]].span = span;
        }
    }
    return sonde_edit_try(s);
}

/* Tries to swap two neighbouring pieces. */
static bool try_swap(struct sonde_shrinker *s, const uint32_t *pieces, uint32_t i)
{
    const uint32_t pair[2] = {pieces[i], pieces[i + 1]};
    return try_order(s, pair, (uint32_t[]){1, 0}, 2);
}

/* A stable sort: equal parts keep their order, so if the best tape is sorted, the candidate equals it. */
static void insertion_sort(const struct sonde_tape *t, const uint32_t *pieces, uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = i;
        for (; j > 0 && compare_pieces(t, pieces[order[j - 1]], pieces[i]) > 0; j--) order[j] = order[j - 1];
        order[j] = i;
    }
}

/* Tries the sorted order at once. If that loses the failure, tries single steps of an insertion sort: an item moves
 * left as far as the failure remains. */
static void sort_sequence(struct sonde_shrinker *s, uint32_t q)
{
    const uint32_t *pieces = single_pieces(s, q);
    if (!pieces) return;
    uint32_t n = s->seqs[q].n;
    uint32_t *order = sonde_calloc(n, sizeof *order);
    insertion_sort(&s->best, pieces, order, n);
    bool sorted = try_order(s, pieces, order, n);
    sonde_free(order);
    if (sorted || sonde_is_past(s, n, MAX_SWAPPED + 1)) return;
    for (uint32_t i = 1; i < n && !s->stopped; i++)
        for (uint32_t j = i; j-- > 0;) {
            /* The pieces are read again in each step: an accepted candidate has made the old ones stale. */
            pieces = single_pieces(s, q);
            if (!pieces || s->seqs[q].n != n) return;
            if (compare_pieces(&s->best, pieces[j], pieces[j + 1]) <= 0 || !try_swap(s, pieces, j)) break;
        }
}

/* Reports whether two choices draw from the same domain. Otherwise the value of one may be impossible for the other. */
static bool same_domain(const struct sonde_tape *t, const struct sonde_choice *x, const struct sonde_choice *y)
{
    if (y->kind != x->kind || y->max != x->max) return false;
    if (x->kind != SONDE_KIND_DOUBLE) return y->base == x->base;
    struct sonde_double_bounds p = sonde_choice_bounds(t, x), q = sonde_choice_bounds(t, y);
    return p.lo == q.lo && p.hi == q.hi;
}

/* Swaps two draws of one span from the same domain if the first is larger than the second. */
static void swap_values(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i + 1 < s->best.n_choices && !s->stopped; i++) {
        const struct sonde_tape *t = &s->best;
        const struct sonde_choice *x = &t->choices[i], *y = NULL;
        if (x->index == 0 || x->kind == SONDE_KIND_BLOB) continue;
        uint32_t j = i, end = t->spans[x->span].end;
        /* Draws that belong together are near each other; trying all pairs would take quadratic time. */
        for (unsigned near = 0; ++j < end && !sonde_is_past(s, near, NEAR);) {
            y = &t->choices[j];
            if (y->span != x->span) continue;
            if (same_domain(t, x, y)) break;
            near++;
        }
        if (j >= end || y->span != x->span || !same_domain(t, x, y) || y->index >= x->index) continue;
        sonde_edit_begin(s);
        sonde_edit_set(s, i, y->index);
        sonde_edit_set(s, j, x->index);
        sonde_edit_try(s);
    }
}

/* [3, 1, 2] becomes [1, 2, 3]; x = 5, y = 2 becomes x = 2, y = 5 if both have the same domain. */
void sonde_pass_sort(struct sonde_shrinker *s)
{
    swap_values(s);
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs && !s->stopped; q++) {
        sort_sequence(s, q);
        sonde_seqs(s);
    }
}

/* ---- Swap blocks: two adjacent runs of items, or two single items anywhere. */

/* Fills the order [0, i) [j, k) [i, j) [k, n), with at[] = {i, j, k}: swaps the blocks [i, j) and [j, k). */
static void block_order(uint32_t *order, uint32_t n, const uint32_t at[3])
{
    uint32_t m = 0;
    for (uint32_t x = 0; x < at[0]; x++) order[m++] = x;
    for (uint32_t x = at[1]; x < at[2]; x++) order[m++] = x;
    for (uint32_t x = at[0]; x < at[1]; x++) order[m++] = x;
    for (uint32_t x = at[2]; x < n; x++) order[m++] = x;
}

/* Tries the symbols of a blob in another order. No check is needed: all symbols are from this blob. */
static bool try_symbols(struct sonde_shrinker *s, uint32_t choice, const uint32_t *order, uint32_t n)
{
    struct sonde_blob blob = sonde_choice_blob(&s->best, &s->best.choices[choice]);
    uint32_t symbols[MAX_BLOCKS];
    for (uint32_t i = 0; i < n; i++) symbols[i] = sonde_blob_symbol(&blob, order[i]);
    sonde_edit_begin(s);
    sonde_edit_blob(s, choice, symbols, n);
    return sonde_edit_try(s);
}

/* Tries the values of n consecutive draws in another order. */
static bool try_values(struct sonde_shrinker *s, uint32_t first, const uint32_t *order, uint32_t n)
{
    sonde_edit_begin(s);
    for (uint32_t i = 0; i < n; i++) sonde_edit_set(s, first + i, s->best.choices[first + order[i]].index);
    return sonde_edit_try(s);
}

/* The parts to reorder. If `pieces` is NULL, they are the symbols of the blob `choice`, or consecutive draws that begin
 * with `choice`. */
struct row {
    const uint32_t *pieces;
    uint32_t choice;
};

static bool try_row(struct sonde_shrinker *s, struct row row, const uint32_t *order, uint32_t n)
{
    if (row.pieces) return try_order(s, row.pieces, order, n);
    if (s->best.choices[row.choice].kind == SONDE_KIND_BLOB) return try_symbols(s, row.choice, order, n);
    return try_values(s, row.choice, order, n);
}

/* Tries larger moves first: there are few of them, and one that succeeds saves many small ones. All rows of the pass
 * share the limit of PATIENCE calls. */
static bool swap_blocks(struct sonde_shrinker *s, struct row row, uint32_t n)
{
    uint32_t order[MAX_BLOCKS];
    for (uint32_t size = n; size > 1; size--) /* size of both blocks together, beginning with the whole row */
        for (uint32_t i = 0; i + size <= n; i++)
            for (uint32_t j = i + 1; j < i + size; j++) {
                if (sonde_is_tired(s, PATIENCE)) return false;
                block_order(order, n, (uint32_t[]){i, j, i + size});
                if (try_row(s, row, order, n)) return true;
            }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 2; j < n; j++) {
            if (sonde_is_tired(s, PATIENCE)) return false;
            for (uint32_t x = 0; x < n; x++) order[x] = x == i ? j : x == j ? i : x;
            if (try_row(s, row, order, n)) return true;
        }
    return false;
}

static bool swap_in_sequence(struct sonde_shrinker *s, uint32_t q)
{
    const uint32_t *pieces = single_pieces(s, q);
    if (!pieces) return false;
    if (s->seqs[q].n > MAX_BLOCKS) {
        sonde_leave_out(s);
        return false;
    }
    return swap_blocks(s, (struct row){.pieces = pieces}, s->seqs[q].n);
}

static bool swap_in_blob(struct sonde_shrinker *s, uint32_t choice)
{
    if (s->best.choices[choice].kind != SONDE_KIND_BLOB) return false;
    uint32_t n = sonde_choice_blob(&s->best, &s->best.choices[choice]).len;
    if (n > MAX_BLOCKS) sonde_leave_out(s);
    return n <= MAX_BLOCKS && swap_blocks(s, (struct row){.choice = choice}, n);
}

/* Returns how many consecutive draws, from this one on, have the same span, site and domain. */
static uint32_t row_length(const struct sonde_tape *t, uint32_t first)
{
    uint32_t n = 1;
    const struct sonde_choice *x = &t->choices[first];
    while (first + n < t->n_choices && t->choices[first + n].span == x->span && t->choices[first + n].site == x->site
           && same_domain(t, x, &t->choices[first + n]))
        n++;
    return n;
}

/* Swaps blocks in rows of more than two draws; `sort` handles two. */
static bool swap_in_rows(struct sonde_shrinker *s)
{
    for (uint32_t i = 0, n; i < s->best.n_choices; i += n) {
        n = s->best.choices[i].kind == SONDE_KIND_BLOB ? 1 : row_length(&s->best, i);
        if (n > MAX_BLOCKS) sonde_leave_out(s);
        if (n > 2 && n <= MAX_BLOCKS && swap_blocks(s, (struct row){.choice = i}, n)) return true;
    }
    return false;
}

/* [2, 3, 0, 1] becomes [0, 1, 2, 3] where an intermediate step of sorting would lose the failure. */
void sonde_pass_swap_blocks(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs; q++) {
        while (swap_in_sequence(s, q)) continue;
        sonde_seqs(s);
    }
    for (uint32_t i = 0; i < s->best.n_choices; i++)
        while (i < s->best.n_choices && swap_in_blob(s, i)) continue;
    while (swap_in_rows(s)) continue;
}

/* ---- Swap parts: the contents of two lists or two blobs, wherever they are and whatever their labels. */

static bool swap_blobs(struct sonde_shrinker *s, uint32_t i, uint32_t j)
{
    const uint32_t choices[2] = {i, j};
    sonde_edit_begin(s);
    for (int k = 0; k < 2; k++) {
        struct sonde_blob to = sonde_choice_blob(&s->best, &s->best.choices[choices[k]]);
        struct sonde_blob from = sonde_choice_blob(&s->best, &s->best.choices[choices[!k]]);
        /* Each must be able to hold the content of the other. */
        if (from.len < to.min || from.len > to.max || from.alphabet.size != to.alphabet.size) return false;
        s->symbols = sonde_grow(s->symbols, &s->symbols_cap, (size_t)from.len + 1, sizeof *s->symbols);
        sonde_blob_read(&from, s->symbols, from.len);
        sonde_edit_blob(s, choices[k], s->symbols, from.len);
    }
    return sonde_edit_try(s);
}

/* Relabels a list that moved to another position in the script. Its length and its elements get the labels of `was`,
 * the list of the best tape that was at this position. */
static void relabel(struct sonde_shrinker *s, uint32_t place, uint32_t was)
{
    const struct sonde_tape *t = &s->best;
    struct sonde_tape *script = &s->script;
    uint32_t length = sonde_list_length(script, place), old = sonde_list_length(t, was);
    if (length == UINT32_MAX || old == UINT32_MAX) return;
    script->choices[length].label = t->choices[old].label;
    if (t->spans[was].next == was + 1) return;
    for (uint32_t i = place + 1; i < script->spans[place].next; i = script->spans[i].next)
        script->spans[i].label = t->spans[was + 1].label;
}

/* Tries to swap the contents of two lists. */
static bool swap_lists(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    const struct sonde_tape *t = &s->best;
    /* Nested lists cannot be swapped, and lists of equal contents need not be. */
    if (t->spans[a].next > b || sonde_span_hash(t, a) == sonde_span_hash(t, b)) return false;
    uint32_t shift = (t->spans[b].next - b) - (t->spans[a].next - a); /* the difference may wrap around */
    struct sonde_tape half;
    sonde_tape_init(&half);
    sonde_script_replace(&half, t, b, t, a);
    sonde_edit_begin(s);
    sonde_script_replace(&s->script, &half, a, t, b);
    sonde_tape_clear(&half);
    relabel(s, a, a);
    relabel(s, b + shift, b);
    return sonde_edit_try(s);
}

static bool is_list(const struct sonde_tape *t, uint32_t span)
{
    return t->spans[span].flags & SONDE_SPAN_LIST;
}

/* f([1, 2], []) becomes f([], [1, 2]): the first of two arguments is the simpler one. */
void sonde_pass_swap_parts(struct sonde_shrinker *s)
{
    for (uint32_t i = 1; i < s->best.n_spans; i++)
        for (uint32_t j = i + 1; i < s->best.n_spans && j < s->best.n_spans && is_list(&s->best, i); j++)
            if (is_list(&s->best, j) && !sonde_is_tired(s, PATIENCE)) swap_lists(s, i, j);
    for (uint32_t i = 0; i < s->best.n_choices; i++)
        for (uint32_t j = i + 1; j < s->best.n_choices && !sonde_is_tired(s, PATIENCE); j++) {
            bool are_blobs = s->best.choices[i].kind == SONDE_KIND_BLOB && s->best.choices[j].kind == SONDE_KIND_BLOB;
            if (are_blobs) swap_blobs(s, i, j);
        }
}
