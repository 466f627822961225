/* Passes for lists, counted loops, blobs and numbers that must agree about a length: the same items are removed from
 * all of them at once. Which of them belong together is not known: first all of one length are tried, then each pair
 * of neighbours.
 *
 * This is for generators such as "draw n, then n keys, then n values", where an assume or an assert requires equal
 * counts. The precondition discards a case in which only one of them is shorter, so `delete items` finds nothing. The
 * pass runs early only if a precondition has ended some run (s->discards); otherwise it mostly wastes calls. */
#include "shrink/pass.h"

#include "base/mem.h"

#include <string.h>

enum {
    MAX_HOLDERS = 32, /* maximum number of holders considered; must fit the 64 bits of `marked` */
    MAX_LENGTHS = 8,  /* maximum number of different lengths that are tried */
    PATIENCE = 48,    /* the pass gives up after this many calls without an improvement */
};

/* A thing with a number of parts: a sequence, a blob, or a number that may count the items of others. */
struct holder {
    enum { OF_PARTS, OF_SYMBOLS, OF_COUNTS } kind;
    uint32_t at;         /* index of the sequence in seqs, or of the choice */
    uint32_t start, end; /* range of choices */
    uint32_t n;
};

/* The holders of the best tape. They are stale as soon as a candidate is accepted, so every function returns then. */
struct holders {
    struct holder all[MAX_HOLDERS];
    uint32_t n;
};

static void add_holder(struct sonde_shrinker *s, struct holders *h, struct holder holder)
{
    if (h->n == MAX_HOLDERS) sonde_leave_out(s);
    else h->all[h->n++] = holder;
}

/* Gets the range of choices that the items of a sequence cover. */
static void item_range(struct sonde_shrinker *s, const struct sonde_seq *seq, uint32_t *start, uint32_t *end)
{
    *start = UINT32_MAX;
    *end = 0;
    for (uint32_t i = s->starts[seq->first]; i < s->starts[seq->first + seq->n]; i++) {
        const struct sonde_tape_span *p = &s->best.spans[s->pieces[i] & ~SONDE_PIECE_SPAN];
        bool is_span = s->pieces[i] & SONDE_PIECE_SPAN;
        uint32_t from = is_span ? p->start : s->pieces[i], to = is_span ? p->end : s->pieces[i] + 1;
        if (from < *start) *start = from;
        if (to > *end) *end = to;
    }
}

/* Collects all holders: sequences, blobs, and numbers that may count something that is not on the tape. */
static void find_holders(struct sonde_shrinker *s, struct holders *h)
{
    const struct sonde_tape *t = &s->best;
    sonde_wide v;
    h->n = 0;
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs; q++) {
        const struct sonde_seq *seq = &s->seqs[q];
        struct holder holder = {.kind = OF_PARTS, .at = q, .n = seq->n};
        if (seq->kind == SONDE_SEQ_FREE || seq->n == 0) continue;
        item_range(s, seq, &holder.start, &holder.end);
        add_holder(s, h, holder);
    }
    for (uint32_t i = 0; i < t->n_choices; i++) {
        struct holder holder = {.kind = OF_SYMBOLS, .at = i, .start = i, .end = i + 1};
        if (t->choices[i].kind == SONDE_KIND_BLOB) {
            holder.n = sonde_choice_blob(t, &t->choices[i]).len;
        } else if (sonde_amount(t, i, &v) && v > 1 && v < UINT32_MAX) {
            holder.kind = OF_COUNTS;
            holder.n = (uint32_t)v;
        }
        if (holder.n) add_holder(s, h, holder);
    }
}

/* Removes the symbols [from, to) of a blob; returns false if the blob would become too short. */
static bool cut_blob(struct sonde_shrinker *s, uint32_t choice, uint32_t from, uint32_t to)
{
    struct sonde_blob blob = sonde_choice_blob(&s->best, &s->best.choices[choice]);
    uint32_t n = 0;
    /* A blob at its minimum length cannot follow; the whole candidate is given up. */
    if (blob.len - (to - from) < blob.min) return false;
    s->symbols = sonde_grow(s->symbols, &s->symbols_cap, (size_t)blob.len + 1, sizeof *s->symbols);
    for (uint32_t i = 0; i < blob.len; i++)
        if (i < from || i >= to) s->symbols[n++] = sonde_blob_symbol(&blob, i);
    sonde_edit_blob(s, choice, s->symbols, n);
    return true;
}

/* Tries to remove the items [range[0], range[1]) from every marked holder. */
static bool drop_alike(struct sonde_shrinker *s, const struct holders *h, uint64_t marked, const uint32_t range[2])
{
    sonde_seqs(s);
    /* Values are edited first and items are dropped last: dropping only marks, but edits of values use indices of the
     * tape as it is. */
    sonde_edit_begin(s);
    for (uint32_t i = 0; i < h->n; i++) {
        const struct holder *holder = &h->all[i];
        if (!(marked >> i & 1)) continue;
        if (holder->kind == OF_SYMBOLS && !cut_blob(s, holder->at, range[0], range[1])) return false;
        if (holder->kind == OF_COUNTS && !sonde_edit_amount(s, holder->at, holder->n - (range[1] - range[0])))
            return false;
    }
    for (uint32_t i = 0; i < h->n; i++)
        if (marked >> i & 1 && h->all[i].kind == OF_PARTS)
            sonde_edit_drop_items(s, &s->seqs[h->all[i].at], range[0], range[1]);
    return sonde_edit_try(s);
}

/* Returns the set of holders of length n that do not overlap, or 0 if there are fewer than two. Includes numbers only
 * if `counts` is set. Nested holders (a list in an item of another) must not both lose items: their ranges would
 * overlap. A number that is the length of a marked sequence is left out, since dropping items lowers it anyway. */
static uint64_t of_length(const struct sonde_shrinker *s, const struct holders *h, uint32_t n, bool counts)
{
    uint64_t marked = 0;
    unsigned holders = 0, numbers = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct holder *x = &h->all[i];
        bool is_apart = x->n == n && (counts || x->kind != OF_COUNTS);
        for (uint32_t k = 0; k < i && is_apart; k++) {
            const struct holder *y = &h->all[k];
            if (marked >> k & 1) is_apart = x->end <= y->start || y->end <= x->start;
            if (marked >> k & 1 && y->kind == OF_PARTS)
                is_apart &= s->seqs[y->at].length != x->at || x->kind != OF_COUNTS;
        }
        if (!is_apart) continue;
        marked |= UINT64_C(1) << i;
        holders += x->kind != OF_COUNTS;
        numbers += x->kind == OF_COUNTS;
    }
    bool is_enough = holders > 1 || (holders == 1 && numbers > 0);
    return is_enough && (!counts || numbers > 0) ? marked : 0;
}

/* Tries to remove ever smaller runs of items, from the end. Returns true after one success: holders are stale then. */
static bool drop_runs(struct sonde_shrinker *s, const struct holders *h, uint64_t marked, uint32_t n)
{
    for (uint32_t step = n; step > 0; step /= 2)
        for (uint32_t end = n; end >= step && !sonde_is_tired(s, PATIENCE); end -= step)
            if (drop_alike(s, h, marked, (uint32_t[]){end - step, end})) return true;
    return false;
}

/* Tries each pair of neighbours among the marked holders: of three lists of one length, only two may be related. */
static bool drop_neighbours(struct sonde_shrinker *s, const struct holders *h, uint64_t marked, uint32_t n)
{
    uint32_t last = UINT32_MAX;
    /* Fewer than three bits are set: the caller has tried both together. */
    if (!(marked & (marked - 1) & ((marked & (marked - 1)) - 1))) return false;
    for (uint32_t i = 0; i < h->n; i++) {
        if (!(marked >> i & 1)) continue;
        if (last != UINT32_MAX && drop_runs(s, h, UINT64_C(1) << last | UINT64_C(1) << i, n)) return true;
        last = i;
    }
    return false;
}

/* Removes one run of items. Returns true on success; the caller repeats, since the holders are stale then. */
static bool drop_once(struct sonde_shrinker *s)
{
    struct holders h;
    uint32_t seen[MAX_LENGTHS], lengths = 0;
    find_holders(s, &h);
    for (uint32_t i = 0; i < h.n && !sonde_is_tired(s, PATIENCE); i++) {
        uint32_t n = h.all[i].n, k = 0;
        while (k < lengths && seen[k] != n) k++;
        if (h.all[i].kind == OF_COUNTS || k < lengths) continue;
        if (lengths == MAX_LENGTHS) {
            sonde_leave_out(s);
            break;
        }
        seen[lengths++] = n;
        /* First without numbers: lowering a number that equals the length by chance would spoil the candidate. */
        for (int counts = 0; counts < 2; counts++) {
            uint64_t marked = of_length(s, &h, n, counts);
            if (marked && (drop_runs(s, &h, marked, n) || drop_neighbours(s, &h, marked, n))) return true;
        }
    }
    return false;
}

static void drop_while(struct sonde_shrinker *s)
{
    while (!sonde_is_tired(s, PATIENCE) && drop_once(s)) continue;
}

/* Runs early if a precondition discards: it may require equal lengths. */
void sonde_pass_delete_alike(struct sonde_shrinker *s)
{
    if (s->discards) drop_while(s);
}

/* Runs late if no precondition discards, for checks that compare the lengths themselves. */
void sonde_pass_delete_alike_late(struct sonde_shrinker *s)
{
    if (!s->discards) drop_while(s);
}
