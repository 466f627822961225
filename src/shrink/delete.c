/* Passes that make the tape shorter by removing parts.
 *
 * They come first because every later pass is cheaper on a short tape. Lengths of lists and counted loops are lowered
 * too (sonde_edit_drop_items), so the generator could have drawn each candidate. */
#include "shrink/pass.h"

enum {
    /* with this many items or fewer, a free sequence is not shortened, and the first round deletes no item */
    SMALL = 3,
    HASTE = 6, /* the first round leaves a sequence after this many failures in a row, since values are smaller later */
    LARGE = 64,        /* in a sequence of this many items or more, runs are tried before single items */
    COARSEST = 32,     /* maximum number of parts into which a large sequence is divided */
    PATIENCE = 64,     /* after this many failures in a row, ever more items are skipped */
    MAX_PAIRED = 12,   /* in a sequence with more items, only adjacent pairs are tried */
    MAX_ADJACENT = 64, /* in a sequence with more items, no pairs are tried */
};

/* Tries the empty script, which gives 0 to every draw. For a property that always fails, this one call is enough. */
void sonde_pass_simplest(struct sonde_shrinker *s)
{
    sonde_edit_begin(s);
    s->script.n_choices = s->script.n_bytes = 0;
    s->script.n_spans = 1;
    s->script.spans[0].start = s->script.spans[0].end = 0;
    s->script.spans[0].next = 1;
    sonde_edit_try(s);
}

/* Removes elements that the generator drew and rejected (a set that had them already): without them it behaves the
 * same. */
void sonde_pass_delete_rejected(struct sonde_shrinker *s)
{
    sonde_edit_begin(s);
    for (uint32_t i = 0; i < s->best.n_spans; i++)
        if (s->best.spans[i].flags & SONDE_SPAN_REJECTED) sonde_edit_drop_span(s, i);
    if (s->has_drops) sonde_edit_try(s);
}

/* Tries to remove the items [from, to) of sequence q. Looks the sequences up in each call, since an accepted candidate
 * has changed them. Returns false if there is no such sequence or item any more. */
static bool drop(struct sonde_shrinker *s, uint32_t q, uint32_t from, uint32_t to)
{
    sonde_seqs(s);
    if (q >= s->n_seqs || to > s->seqs[q].n || from > to) return false;
    sonde_edit_begin(s);
    sonde_edit_drop_items(s, &s->seqs[q], from, to);
    return sonde_edit_try(s);
}

/* Returns the number of sequences of the best tape as it is now. */
static uint32_t count(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    return s->n_seqs;
}

/* Returns the number of items of sequence q as it is now; 0 if there is no such sequence. */
static uint32_t items(struct sonde_shrinker *s, uint32_t q)
{
    sonde_seqs(s);
    return q < s->n_seqs ? s->seqs[q].n : 0;
}

/* ---- Shorten: from below, because most counterexamples are small. Keeping exactly one item is left to `delete items`,
 * which tries each item. */

/* Reports whether sequence q may have no items. A loop whose count cannot be 0 would draw zeros instead of its items.
 * The passes for values try that. */
static bool may_be_empty(const struct sonde_shrinker *s, uint32_t q)
{
    uint64_t index;
    return s->seqs[q].kind != SONDE_SEQ_COUNTED || sonde_number_index(&s->best, s->seqs[q].length, 0, &index);
}

/* Finds a shorter prefix of a sequence: doubles its length, then bisects. */
static void shorten(struct sonde_shrinker *s, uint32_t q)
{
    uint32_t n = items(s, q), kept = 0, fails = 0;
    drop(s, q, n, n); /* lowers a length that exceeds the number of drawn items */
    n = items(s, q);
    for (kept = n && may_be_empty(s, q) ? 0 : 2; kept < n; kept = kept ? 2 * kept : 2) {
        if (drop(s, q, kept, n)) break;
        fails = kept;
    }
    if (kept >= n) return;
    while (kept - fails > 1 && fails > 0 && !s->stopped) {
        uint32_t middle = fails + (kept - fails) / 2;
        if (drop(s, q, middle, items(s, q))) kept = middle;
        else fails = middle;
    }
}

/* Free sequences of a few items are not shortened: the draws after them would get other values. */
void sonde_pass_shorten(struct sonde_shrinker *s)
{
    for (uint32_t q = 0; q < count(s); q++)
        if (!s->stopped && (s->seqs[q].kind != SONDE_SEQ_FREE || s->seqs[q].n > SMALL)) shorten(s, q);
}

/* ---- Delete items: from the end, because late parts depend on early ones. Runs grow while they can be removed. */

/* Removes large runs of items from a long sequence, so that delete_finely has less to do. */
static void delete_coarsely(struct sonde_shrinker *s, uint32_t q)
{
    uint32_t n = items(s, q);
    for (uint32_t parts = 2; parts <= COARSEST && n >= LARGE && !s->stopped; parts *= 2) {
        uint32_t step = n / parts, i = items(s, q);
        while (i >= step && !s->stopped) {
            drop(s, q, i - step, i);
            i -= step;
            if (i > items(s, q)) i = items(s, q);
        }
    }
}

/* Removes items one by one from the end; after a success, tries 2, 4, 8 more at once. */
static void delete_finely(struct sonde_shrinker *s, uint32_t q)
{
    uint32_t i = items(s, q), failures = 0;
    while (i > 0 && !s->stopped) {
        if (!drop(s, q, i - 1, i)) {
            /* After many failures, skip ever more items: the calls are better spent elsewhere. */
            failures++;
            uint32_t step = sonde_is_past(s, failures, PATIENCE) ? 1 + failures / PATIENCE : 1;
            if (s->is_first_round && failures >= HASTE) return;
            i -= i < step ? i : step;
            continue;
        }
        failures = 0;
        i--;
        for (uint32_t k = 2; i > 0; k *= 2) {
            if (k > i) k = i;
            if (!drop(s, q, i - k, i)) break;
            i -= k;
        }
        if (i > items(s, q)) i = items(s, q);
    }
}

void sonde_pass_delete_items(struct sonde_shrinker *s)
{
    for (uint32_t q = 0; q < count(s); q++) {
        if (s->stopped || (s->is_first_round && s->seqs[q].n <= SMALL)) continue;
        delete_coarsely(s, q);
        delete_finely(s, q);
    }
}

/* ---- Removing two items at once that need not be adjacent: two brackets, or a write and its read. */

/* Tries to remove two items. The later one comes first, so that both indices refer to the sequence as it was. */
static bool drop_two(struct sonde_shrinker *s, uint32_t q, uint32_t i, uint32_t j)
{
    sonde_seqs(s);
    sonde_assert(q < s->n_seqs && i < j && j < s->seqs[q].n);
    sonde_edit_begin(s);
    struct sonde_seq seq = s->seqs[q];
    sonde_edit_drop_items(s, &seq, j, j + 1);
    sonde_edit_drop_items(s, &seq, i, i + 1);
    if (seq.length != UINT32_MAX) { /* each of the two drops has set the length as if it were the only drop */
        uint64_t both = s->script.choices[seq.length].index;
        if (both > 0) sonde_edit_set(s, seq.length, both - 1);
    }
    return sonde_edit_try(s);
}

/* Tries to remove an item from sequence q and from all later lists with the same content. Lists that must be equal lose
 * the same item at once. */
static bool drop_in_twins(struct sonde_shrinker *s, uint32_t q, uint32_t item)
{
    const struct sonde_tape *t = &s->best;
    unsigned twins = 0;
    sonde_seqs(s);
    if (sonde_is_past(s, s->n_seqs, MAX_ADJACENT + 1)) return false;
    if (q >= s->n_seqs || item >= s->seqs[q].n || s->seqs[q].kind != SONDE_SEQ_LIST) return false;
    uint64_t hash = sonde_span_hash(t, s->seqs[q].owner);
    sonde_edit_begin(s);
    for (uint32_t r = q; r < s->n_seqs; r++) {
        const struct sonde_seq *seq = &s->seqs[r];
        if (seq->kind != SONDE_SEQ_LIST || seq->n != s->seqs[q].n) continue;
        if (r != q && (seq->owner < t->spans[s->seqs[q].owner].next || sonde_span_hash(t, seq->owner) != hash))
            continue;
        sonde_edit_drop_items(s, seq, item, item + 1);
        twins++;
    }
    return twins > 1 && sonde_edit_try(s);
}

void sonde_pass_delete_pairs(struct sonde_shrinker *s)
{
    for (uint32_t q = 0; q < count(s); q++) {
        if (sonde_is_past(s, items(s, q), MAX_ADJACENT + 1)) continue;
        for (uint32_t i = items(s, q); i-- > 0 && !s->stopped;) drop_in_twins(s, q, i);
        for (uint32_t j = items(s, q); j-- > 1 && !s->stopped;)
            for (uint32_t i = j; i-- > 0;) {
                bool is_far = sonde_is_past(s, items(s, q), MAX_PAIRED + 1) && i + 1 < j;
                if (is_far || j >= items(s, q)) break;
                drop_two(s, q, i, j);
            }
    }
}
