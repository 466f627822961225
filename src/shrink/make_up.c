/* A pass for numbers that are computed from others: a sum, a checksum, a total or a product over a payload. When the
 * payload loses items, or has lower ones, such a number ("follower") must change too. The pass finds the number and
 * the relation by trying. It removes half of the payload and subtracts the contribution of that half from a number
 * near it. If that keeps the failure, the rest of the payload is treated in the same way.
 *
 * A struct link (follower, relation) is a hypothesis. is_linked tests it with a few calls, and only if it holds does
 * the search over the body begin. The pass is late and only for properties with preconditions: without one nothing has
 * to add up. */
#include "shrink/pass.h"

#include "base/mem.h"

enum {
    NEAR = 2, /* numbers tried as followers before a body, and after it: a header or a checksum, mostly */
    /* maximum number of followers: numbers on both sides of a body, and both ends of a blob */
    MAX_FOLLOWERS = 2 * NEAR + 2,
    PATIENCE = 160,   /* the pass gives up after this many calls without an improvement */
    MAX_UNITS = 4096, /* a body with more units is left out */
};
#define NO_SYMBOL UINT32_MAX
/* The relation of a follower to a body. LENGTH: only the number of symbols counts. */
enum relation { SUM, XOR, NEGATIVE_SUM, PRODUCT, LENGTH, N_RELATIONS };

/* A number of the tape: a choice, or a symbol of a blob. */
struct slot {
    uint32_t choice, symbol;
};

/* A payload of units: a sequence (its items), or a blob (its symbols). */
struct body {
    bool is_blob;
    uint32_t at;         /* index of the sequence in seqs, or of the blob's choice */
    uint32_t n;          /* number of units */
    uint32_t start, end; /* range of choices */
};

/* Reads the value of a slot; returns false if there is no such number. */
static bool value_of(const struct sonde_tape *t, struct slot slot, sonde_wide *value)
{
    if (slot.choice >= t->n_choices) return false;
    if (slot.symbol == NO_SYMBOL) return sonde_amount(t, slot.choice, value);
    if (t->choices[slot.choice].kind != SONDE_KIND_BLOB) return false;
    struct sonde_blob blob = sonde_choice_blob(t, &t->choices[slot.choice]);
    if (slot.symbol >= blob.len) return false;
    *value = sonde_blob_symbol(&blob, slot.symbol);
    return true;
}

/* Gets the least and the greatest value of a slot. */
static void range_of(const struct sonde_tape *t, struct slot slot, sonde_wide *lo, sonde_wide *hi)
{
    *lo = 0;
    if (slot.symbol == NO_SYMBOL) sonde_amount_range(t, slot.choice, lo, hi);
    else *hi = sonde_choice_blob(t, &t->choices[slot.choice]).alphabet.size - 1;
}

/* Sets a slot of the script, whose blobs are still at the same offsets as in the best tape. Returns false if the value
 * does not fit. */
static bool put(struct sonde_shrinker *s, struct slot slot, sonde_wide value)
{
    if (slot.symbol == NO_SYMBOL) return sonde_edit_amount(s, slot.choice, value);
    sonde_tape_set_symbol(&s->script, &s->script.choices[slot.choice], slot.symbol, (uint32_t)value);
    return true;
}

/* Computes the new value of a follower when a part of the body changes from change[0] to change[1]. Sums wrap as
 * machine arithmetic does. Returns false if the follower cannot follow. */
static bool follow(const struct sonde_tape *t, struct slot slot, enum relation relation, const sonde_wide change[2],
                   sonde_wide *value)
{
    sonde_wide lo, hi, v, old = change[0], new = change[1];
    if (!value_of(t, slot, &v)) return false;
    range_of(t, slot, &lo, &hi);
    switch (relation) {
    case SUM:
    case LENGTH: v += new - old; break;
    case NEGATIVE_SUM: v -= new - old; break;
    case XOR: v ^= old ^ new; break;
    default:
        if (old == 0 || v % old != 0 || old == new) return false;
        v = v / old * new;
        if (v > hi || v < lo) return false;
    }
    if (relation == XOR && (v < lo || v > hi)) return false;
    /* C's remainder has the sign of the dividend; adding the width brings it into the range. */
    sonde_wide width = hi - lo + 1, r = (v - lo) % width;
    *value = lo + (r < 0 ? r + width : r);
    return true;
}

/* ---- Units */

/* Gets the choices [start, end) of a unit. A unit of a sequence may have several pieces: from the start of the first
 * to the end of the last. For a blob, the choice is the blob itself. */
static void unit_range(struct sonde_shrinker *s, const struct body *b, uint32_t unit, uint32_t *start, uint32_t *end)
{
    *start = b->at;
    *end = b->at + 1;
    if (b->is_blob) return;
    const struct sonde_seq *seq = &s->seqs[b->at];
    uint32_t first = s->pieces[s->starts[seq->first + unit]], last = s->pieces[s->starts[seq->first + unit + 1] - 1];
    *start = first & SONDE_PIECE_SPAN ? s->best.spans[first & ~SONDE_PIECE_SPAN].start : first;
    *end = last & SONDE_PIECE_SPAN ? s->best.spans[last & ~SONDE_PIECE_SPAN].end : last + 1;
}

/* Counts the symbols in units [range[0], range[1]): of the blobs in them, or of the blob itself. */
static sonde_wide count_symbols(struct sonde_shrinker *s, const struct body *b, const uint32_t range[2])
{
    sonde_wide total = 0;
    uint32_t start, end;
    if (b->is_blob) return range[1] - range[0];
    for (uint32_t unit = range[0]; unit < range[1]; unit++) {
        unit_range(s, b, unit, &start, &end);
        for (uint32_t i = start; i < end; i++)
            if (s->best.choices[i].kind == SONDE_KIND_BLOB)
                total += sonde_choice_blob(&s->best, &s->best.choices[i]).len;
    }
    return total;
}

/* Returns the contribution of units [range[0], range[1]): their sum, product, XOR or length. */
static sonde_wide contribution(struct sonde_shrinker *s, const struct body *b, const uint32_t range[2],
                               enum relation relation)
{
    sonde_wide total = relation == PRODUCT, v;
    uint32_t start, end;
    if (relation == LENGTH) return count_symbols(s, b, range);
    for (uint32_t unit = range[0]; unit < range[1]; unit++) {
        unit_range(s, b, unit, &start, &end);
        for (uint32_t i = start; i < end; i++) {
            if (!value_of(&s->best, (struct slot){i, b->is_blob ? unit : NO_SYMBOL}, &v)) continue;
            if (relation == PRODUCT) total = total < INT32_MAX ? total * v : total;
            else if (relation == XOR) total ^= v;
            else total += v;
        }
    }
    return total;
}

/* Drops units from the script. Call it after values were put: a blob is read from the script, not from the best
 * tape. */
static bool drop_units(struct sonde_shrinker *s, const struct body *b, const uint32_t range[2])
{
    if (!b->is_blob) {
        sonde_edit_drop_items(s, &s->seqs[b->at], range[0], range[1]);
        return true;
    }
    struct sonde_blob blob = sonde_choice_blob(&s->script, &s->script.choices[b->at]); /* includes changed symbols */
    uint32_t n = 0;
    if (blob.len - (range[1] - range[0]) < blob.min) return false;
    s->symbols = sonde_grow(s->symbols, &s->symbols_cap, (size_t)blob.len + 1, sizeof *s->symbols);
    for (uint32_t i = 0; i < blob.len; i++)
        if (i < range[0] || i >= range[1]) s->symbols[n++] = sonde_blob_symbol(&blob, i);
    sonde_edit_blob(s, b->at, s->symbols, n);
    return true;
}

/* ---- Candidates */

/* A hypothesis: the number `follower` is computed from the body by `relation`. */
struct link {
    struct slot follower;
    enum relation relation;
};

/* Lowers the numbers outside of a body that equal its number of units, since they may count them. Returns whether
 * there are any. */
static bool lower_counts(struct sonde_shrinker *s, const struct body *b, const struct link *link, uint32_t gone)
{
    sonde_wide v;
    bool found = false;
    for (uint32_t i = 0; i < s->best.n_choices; i++) {
        bool is_beside = (i < b->start || i >= b->end) && i != link->follower.choice;
        if (!is_beside || !sonde_amount(&s->best, i, &v) || v != (sonde_wide)b->n) continue;
        if (!b->is_blob && i == s->seqs[b->at].length) continue;
        found |= sonde_edit_amount(s, i, v - gone);
    }
    return found;
}

/* Tries to remove units, with the follower changed: first alone, then also with numbers lowered that may count
 * units. */
static bool try_without(struct sonde_shrinker *s, const struct body *b, const struct link *link,
                        const uint32_t range[2])
{
    sonde_wide gone = contribution(s, b, range, link->relation), neutral = link->relation == PRODUCT, value;
    if (gone == neutral || !follow(&s->best, link->follower, link->relation, (sonde_wide[]){gone, neutral}, &value))
        return false;
    sonde_edit_begin(s);
    if (put(s, link->follower, value) && drop_units(s, b, range) && sonde_edit_try(s)) return true;
    sonde_edit_begin(s);
    return lower_counts(s, b, link, range[1] - range[0]) && put(s, link->follower, value) && drop_units(s, b, range)
           && sonde_edit_try(s);
}

/* Tries to remove units while a number of another unit goes to the end of its domain: one unit may hold the value of
 * two. */
static bool try_raised(struct sonde_shrinker *s, const struct body *b, const struct link *link, const uint32_t range[2])
{
    sonde_wide was = contribution(s, b, range, link->relation), is = link->relation == PRODUCT, v, lo, hi, value;
    uint32_t raised = range[0] > 0 ? range[0] - 1 : range[1], start, end;
    if (raised >= b->n || b->is_blob || link->relation == LENGTH) return false;
    unit_range(s, b, raised, &start, &end);
    struct slot slot = {start, NO_SYMBOL};
    while (slot.choice < end && !value_of(&s->best, slot, &v)) slot.choice++;
    if (slot.choice == end) return false;
    range_of(&s->best, slot, &lo, &hi);
    if (link->relation == PRODUCT) was *= v, is *= hi;
    else if (link->relation == XOR) was ^= v, is ^= hi;
    else was += v, is += hi;
    if (!follow(&s->best, link->follower, link->relation, (sonde_wide[]){was, is}, &value)) return false;
    sonde_edit_begin(s);
    return put(s, slot, hi) && put(s, link->follower, value) && drop_units(s, b, range) && sonde_edit_try(s);
}

/* Tries the slot (p->a, p->b) at distance m from its lowest value, with the follower of the link p->more changed. */
static bool followed_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    const struct link *link = p->more;
    struct slot slot = {p->a, p->b};
    sonde_wide v, lo, hi, value;
    if (!value_of(&s->best, slot, &v)) return false;
    range_of(&s->best, slot, &lo, &hi);
    sonde_wide lower = v < 0 ? -(sonde_wide)m : (lo > 0 ? lo : 0) + (sonde_wide)m;
    if (!follow(&s->best, link->follower, link->relation, (sonde_wide[]){v, lower}, &value)) return false;
    sonde_edit_begin(s);
    return put(s, slot, lower) && put(s, link->follower, value) && sonde_edit_try(s);
}

/* Lowers a slot together with its follower; returns whether that helped. For LENGTH there is nothing to lower, since
 * only the number of symbols counts. */
static bool lower_followed(struct sonde_shrinker *s, struct slot slot, const struct link *link)
{
    sonde_wide v, lo, hi;
    uint64_t before = s->generation;
    if (!value_of(&s->best, slot, &v)) return false;
    if (slot.choice == link->follower.choice && slot.symbol == link->follower.symbol) return false;
    if (link->relation == LENGTH) return false;
    range_of(&s->best, slot, &lo, &hi);
    uint64_t m = (uint64_t)(v < 0 ? -v : lo > 0 ? v - lo : v);
    struct sonde_probe p = {
        .holds = followed_holds, .more = link, .a = slot.choice, .b = slot.symbol, .cautious = true};
    if (m) sonde_least(s, &p, m);
    return s->generation != before;
}

/* ---- A body and its follower */

/* Fills *b with the body of a number; returns false if there is none. Numbers below n_seqs are sequences, the others
 * choices that must be blobs, so that one loop covers both. */
static bool is_body(struct sonde_shrinker *s, uint32_t number, struct body *b)
{
    sonde_seqs(s);
    *b = (struct body){.at = number};
    if (number < s->n_seqs) {
        const struct sonde_seq *seq = &s->seqs[number];
        uint32_t end;
        b->n = seq->kind == SONDE_SEQ_FREE ? 0 : seq->n;
        if (b->n > MAX_UNITS) sonde_leave_out(s);
        if (b->n == 0 || b->n > MAX_UNITS) return false;
        unit_range(s, b, 0, &b->start, &end);
        unit_range(s, b, b->n - 1, &end, &b->end);
        return true;
    }
    b->is_blob = true;
    b->start = b->at = number - s->n_seqs;
    b->end = b->start + 1;
    if (b->at >= s->best.n_choices || s->best.choices[b->at].kind != SONDE_KIND_BLOB) return false;
    b->n = sonde_choice_blob(&s->best, &s->best.choices[b->at]).len;
    if (b->n > MAX_UNITS) sonde_leave_out(s);
    return b->n > 0 && b->n <= MAX_UNITS;
}

/* Finds possible followers: numbers next to a body, and the first and last symbol of a blob. Returns how many. */
static unsigned find_followers(const struct sonde_tape *t, const struct body *b, struct slot out[MAX_FOLLOWERS])
{
    unsigned n = 0, before = 0, after = 0;
    sonde_wide v;
    for (uint32_t i = b->end; i < t->n_choices && after < NEAR; i++)
        if (sonde_amount(t, i, &v)) out[n++] = (struct slot){i, NO_SYMBOL}, after++;
    for (uint32_t i = b->start; i-- > 0 && before < NEAR;)
        if (sonde_amount(t, i, &v)) out[n++] = (struct slot){i, NO_SYMBOL}, before++;
    if (b->is_blob && b->n > 1) {
        out[n++] = (struct slot){b->at, b->n - 1};
        out[n++] = (struct slot){b->at, 0};
    }
    return n;
}

/* Gets the range of units that may be removed: all but the follower itself. */
static void units_beside(const struct body *b, const struct link *link, uint32_t range[2])
{
    bool is_inside = b->is_blob && link->follower.choice == b->at;
    range[0] = is_inside && link->follower.symbol == 0;
    range[1] = b->n - (is_inside && link->follower.symbol > 0);
}

/* Tests a hypothesis: removes half of the units, or lowers one of them. Returns whether that kept the failure; then
 * the best tape has changed. */
static bool is_linked(struct sonde_shrinker *s, const struct body *b, const struct link *link)
{
    uint32_t range[2], start, end;
    units_beside(b, link, range);
    if (range[0] >= range[1]) return false;
    uint32_t middle = range[0] + (range[1] - range[0]) / 2;
    if (try_without(s, b, link, (uint32_t[]){middle, range[1]})) return true;
    if (middle > range[0] && try_without(s, b, link, (uint32_t[]){range[0], middle})) return true;
    if (try_raised(s, b, link, (uint32_t[]){middle, range[1]})) return true;
    unit_range(s, b, range[0], &start, &end);
    sonde_wide v;
    for (uint32_t i = start; i < end; i++) {
        struct slot slot = {i, b->is_blob ? range[0] : NO_SYMBOL};
        if (value_of(&s->best, slot, &v) && v != 0) return lower_followed(s, slot, link);
    }
    return false;
}

/* Updates the position of a follower at the end of its blob, after the blob became shorter. */
static void refresh(const struct body *b, struct link *link)
{
    if (b->is_blob && link->follower.choice == b->at && link->follower.symbol > 0) link->follower.symbol = b->n - 1;
}

/* Removes ever smaller runs of units from the end, as the deleting passes do. */
static void drop_all(struct sonde_shrinker *s, uint32_t number, struct body *b, struct link *link)
{
    uint32_t range[2];
    for (uint32_t step = b->n; step > 0; step /= 2)
        for (uint32_t end = b->n; end > 0 && !sonde_is_tired(s, PATIENCE); end = end > step ? end - step : 0) {
            units_beside(b, link, range);
            uint32_t to = end < range[1] ? end : range[1], from = to > range[0] + step ? to - step : range[0];
            uint32_t choices = s->best.n_choices;
            const uint32_t gone[2] = {from, to};
            if (from >= to || !(try_without(s, b, link, gone) || try_raised(s, b, link, gone))) continue;
            /* Choices after the body have moved forward by the number of removed choices. */
            bool is_later = link->follower.choice > b->start && link->follower.symbol == NO_SYMBOL;
            if (is_later) link->follower.choice -= choices - s->best.n_choices;
            if (!is_body(s, number, b)) return;
            refresh(b, link);
        }
}

/* Lowers each value of the body, and the follower with it: [40, 2], sum 42 becomes [0, 0], sum 0. */
static void lower_all(struct sonde_shrinker *s, const struct body *b, const struct link *link)
{
    for (uint32_t i = b->start; i < b->end; i++)
        for (uint32_t k = 0; k < (b->is_blob ? b->n : 1); k++)
            if (!s->stopped) lower_followed(s, (struct slot){i, b->is_blob ? k : NO_SYMBOL}, link);
}

/* Tries all followers and relations of one body; returns true after the first link that holds. */
static bool make_up(struct sonde_shrinker *s, uint32_t number)
{
    struct body b;
    struct slot followers[MAX_FOLLOWERS];
    unsigned n = is_body(s, number, &b) ? find_followers(&s->best, &b, followers) : 0;
    for (unsigned i = 0; i < n; i++)
        for (int relation = 0; relation < N_RELATIONS && !sonde_is_tired(s, PATIENCE); relation++) {
            struct link link = {followers[i], (enum relation)relation};
            uint32_t choices = s->best.n_choices;
            if (!is_linked(s, &b, &link)) continue;
            bool is_later = link.follower.choice > b.start && link.follower.symbol == NO_SYMBOL;
            if (is_later) link.follower.choice -= choices - s->best.n_choices;
            if (!is_body(s, number, &b)) return true;
            refresh(&b, &link);
            drop_all(s, number, &b, &link);
            if (is_body(s, number, &b)) lower_all(s, &b, &link);
            return true;
        }
    return false;
}

/* Tries every body with every number near it. */
void sonde_pass_make_up(struct sonde_shrinker *s)
{
    if (!s->discards) return; /* numbers have to add up only for a precondition */
    sonde_seqs(s);
    for (uint32_t number = 0; number < s->n_seqs + s->best.n_choices && !sonde_is_tired(s, PATIENCE); number++) {
        make_up(s, number);
        sonde_seqs(s);
    }
}
