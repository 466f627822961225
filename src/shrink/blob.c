/* Passes that lower blobs (strings and bytes): first fewer symbols, then simpler ones. Blobs with the same content are
 * also changed together, for properties that require two equal strings.
 *
 * The order per blob: shorten (from below, then halving), delete runs and single symbols, lower symbols, sort. All of
 * them treat symbols as numbers, in the index order of the alphabet. 'a' is 0, so every string shrinks towards a row
 * of 'a'. The later passes handle changes at two positions at once. */
#include "shrink/pass.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

enum {
    /* blobs of this length or more: runs are tried before single symbols; longer blobs: slow steps are skipped */
    MANY_SYMBOLS = 64,
    /* in a blob with more symbols, not all pairs are tried: the number of pairs grows with the square */
    MANY_PAIRED = 12,
    MOST_COUNTS = 4, /* number of first symbols of a blob that are tried as a length field */
    FINEST = 32,     /* number of parts into which a long blob is divided before single symbols are tried */
    PATIENCE = 96,   /* a pass gives up after this many calls without an improvement */
};

/* The blob that is being lowered. `old` and `new` point into s->symbols, which may move. refresh sets them again after
 * every accepted candidate; everything that was read before is stale then. */
struct work {
    uint32_t choice;
    bool twins; /* change all blobs that have the same content */
    struct sonde_blob blob;
    uint32_t *old, *new; /* the symbols of the blob; `new` is scratch for a candidate */
};

/* Reports whether two blobs have equal contents and equal domains: then one edit fits both. */
static bool same_blob(const struct sonde_tape *t, uint32_t i, uint32_t j)
{
    const struct sonde_choice *x = &t->choices[i], *y = &t->choices[j];
    if (y->kind != SONDE_KIND_BLOB || x->max != y->max) return false;
    struct sonde_blob a = sonde_choice_blob(t, x), b = sonde_choice_blob(t, y);
    if (a.len != b.len || a.alphabet.kind != b.alphabet.kind || a.alphabet.size != b.alphabet.size) return false;
    return memcmp(a.symbols, b.symbols, (size_t)a.len * sonde_alphabet_width(&a.alphabet)) == 0;
}

/* Reads the blob as it is now. Returns false if the choice is not a blob any more; then w->blob is empty and every
 * candidate for it is refused. */
static bool refresh(struct sonde_shrinker *s, struct work *w)
{
    w->blob = (struct sonde_blob){.min = UINT32_MAX};
    if (w->choice >= s->best.n_choices || s->best.choices[w->choice].kind != SONDE_KIND_BLOB) return false;
    w->blob = sonde_choice_blob(&s->best, &s->best.choices[w->choice]);
    s->symbols = sonde_grow(s->symbols, &s->symbols_cap, 2 * (size_t)w->blob.len + 2, sizeof *s->symbols);
    w->old = s->symbols;
    w->new = s->symbols + w->blob.len;
    sonde_blob_read(&w->blob, w->old, w->blob.len);
    return true;
}

/* Tries the first n symbols of w->new. All twins get the same symbols, so they stay equal. */
static bool try_symbols(struct sonde_shrinker *s, struct work *w, uint32_t n)
{
    if (n < w->blob.min) return false;
    sonde_edit_begin(s);
    for (uint32_t i = w->choice; i < s->best.n_choices; i++) {
        if (i == w->choice || (w->twins && same_blob(&s->best, w->choice, i))) sonde_edit_blob(s, i, w->new, n);
        if (!w->twins) break;
    }
    return sonde_edit_try(s) && refresh(s, w);
}

/* Tries the blob without its symbols [from, to). Nothing is copied for a blob that would be too short. No case runs
 * between such attempts, so no limit of time would end a million of them. */
static bool cut(struct sonde_shrinker *s, struct work *w, uint32_t from, uint32_t to)
{
    sonde_assert(from <= to && to <= w->blob.len);
    if (w->blob.len - (to - from) < w->blob.min) return false;
    memcpy(w->new, w->old, from * sizeof *w->new);
    memcpy(w->new + from, w->old + to, (w->blob.len - to) * sizeof *w->new);
    return try_symbols(s, w, w->blob.len - (to - from));
}

/* Finds a shorter prefix: doubles the length from the minimum, then bisects between the last length that did not help
 * and the first that did. Assumes that the property fails on a longer prefix if it fails on a shorter one. That is
 * mostly so; delete_runs does not need it. */
static void shorten(struct sonde_shrinker *s, struct work *w)
{
    uint32_t kept = w->blob.min, fails = kept;
    for (; kept < w->blob.len; kept = kept ? 2 * kept : 1) {
        if (cut(s, w, kept, w->blob.len)) break;
        fails = kept;
    }
    while (kept < w->blob.len + 1 && kept - fails > 1 && !s->stopped) {
        uint32_t middle = fails + (kept - fails) / 2;
        if (middle < w->blob.len && cut(s, w, middle, w->blob.len)) kept = middle;
        else fails = middle;
    }
}

/* Removes symbols from the end, of long blobs first in large parts, then one by one. After a symbol was removed, tries
 * runs of 2, 4, 8, ... before it. */
static void delete_runs(struct sonde_shrinker *s, struct work *w)
{
    for (uint32_t parts = 2; parts <= FINEST && w->blob.len >= MANY_SYMBOLS; parts *= 2) {
        uint32_t step = w->blob.len / parts;
        for (uint32_t i = w->blob.len; i >= step && !s->stopped; i = i - step < w->blob.len ? i - step : w->blob.len)
            cut(s, w, i - step, i);
    }
    uint32_t i = w->blob.len;
    while (i > 0 && !s->stopped) {
        i--;
        if (i >= w->blob.len || !cut(s, w, i, i + 1)) continue;
        for (uint32_t k = 2; i > 0; k *= 2) {
            if (k > i) k = i;
            if (i > w->blob.len || !cut(s, w, i - k, i)) break;
            i -= k;
        }
    }
}

/* ---- Symbols */

/* Tries m for all symbols in [p->a, p->b) that equal p->x, or for all of them if p->x is -1. */
static bool symbols_hold(struct sonde_shrinker *s, struct work *w, struct sonde_probe *p, uint64_t m)
{
    memcpy(w->new, w->old, w->blob.len * sizeof *w->new);
    for (uint32_t i = p->a; i < p->b && i < w->blob.len; i++)
        if (p->x < 0 || w->old[i] == p->x) w->new[i] = (uint32_t)m;
    if (!try_symbols(s, w, w->blob.len)) return false;
    /* The symbols have the value m now, so the next probe must look for it. */
    if (p->x >= 0) p->x = (sonde_wide)m;
    return true;
}

static bool symbol_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    return symbols_hold(s, (struct work *)(uintptr_t)p->more, p, m);
}

/* Lowers symbols: all to 0, then runs to 0, then one by one. If a symbol occurs again later, all these occurrences are
 * also lowered together. */
static void lower_symbols(struct sonde_shrinker *s, struct work *w)
{
    struct sonde_probe p = {.holds = symbol_holds, .more = w, .a = 0, .b = w->blob.len, .x = -1};
    if (w->blob.len > 1 && symbol_holds(s, &p, 0)) return;
    for (uint32_t parts = 2; parts <= FINEST && w->blob.len >= MANY_SYMBOLS / 4; parts *= 2) {
        uint32_t step = (w->blob.len + parts - 1) / parts;
        for (uint32_t i = 0; i < w->blob.len && !s->stopped; i += step) {
            p.a = i, p.b = i + step;
            symbol_holds(s, &p, 0);
        }
    }
    for (uint32_t i = 0; i < w->blob.len && !s->stopped; i++) {
        if (w->old[i] == 0) continue;
        /* One symbol alone first; if it occurs again, all occurrences from here on together. */
        p.a = i, p.b = i + 1, p.x = w->old[i], p.cautious = true;
        sonde_least(s, &p, w->old[i]);
        if (i >= w->blob.len || w->old[i] == 0) continue;
        bool repeats = false;
        for (uint32_t k = i + 1; k < w->blob.len; k++) repeats |= w->old[k] == w->old[i];
        p.b = w->blob.len, p.x = w->old[i];
        if (repeats) sonde_least(s, &p, w->old[i]);
    }
}

/* Tries the sorted order at once, then swaps neighbours, as in arrange.c. Long blobs stay as they are. */
static void sort_symbols(struct sonde_shrinker *s, struct work *w)
{
    memcpy(w->new, w->old, w->blob.len * sizeof *w->new);
    for (uint32_t i = 1; i < w->blob.len && w->blob.len <= MANY_SYMBOLS; i++) {
        uint32_t x = w->new[i], j = i;
        for (; j > 0 && w->new[j - 1] > x; j--) w->new[j] = w->new[j - 1];
        w->new[j] = x;
    }
    if (try_symbols(s, w, w->blob.len)) return;
    for (uint32_t i = 1; i < w->blob.len && w->blob.len <= MANY_SYMBOLS; i++)
        for (uint32_t j = i; j > 0 && j < w->blob.len && w->old[j - 1] > w->old[j]; j--) {
            memcpy(w->new, w->old, w->blob.len * sizeof *w->new);
            w->new[j - 1] = w->old[j];
            w->new[j] = w->old[j - 1];
            if (!try_symbols(s, w, w->blob.len)) break;
        }
}

static void lower_blob(struct sonde_shrinker *s, uint32_t choice, bool twins)
{
    struct work w = {.choice = choice, .twins = twins};
    if (!refresh(s, &w) || w.blob.len == 0) return;
    shorten(s, &w);
    delete_runs(s, &w);
    lower_symbols(s, &w);
    sort_symbols(s, &w);
}

/* Reports whether a later blob has the same content: the first of the twins does the work for all. */
static bool has_twin(const struct sonde_tape *t, uint32_t choice)
{
    for (uint32_t i = choice + 1; i < t->n_choices; i++)
        if (same_blob(t, choice, i)) return true;
    return false;
}

void sonde_pass_lower_blobs(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) {
        if (s->best.choices[i].kind != SONDE_KIND_BLOB) continue;
        lower_blob(s, i, false);
        if (i < s->best.n_choices && s->best.choices[i].kind == SONDE_KIND_BLOB && has_twin(&s->best, i))
            lower_blob(s, i, true);
    }
}

/* ---- One symbol in all blobs at once, for strings that must agree in part. */

/* Tries to replace the symbol p->x by m in all blobs; p->a is the first blob that has the symbol. If p->b is set,
 * symbols m become p->x in turn. Needs at least two such blobs: lower_symbols handles one. */
static bool renamed_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    unsigned blobs = 0;
    sonde_edit_begin(s);
    for (uint32_t i = p->a; i < s->best.n_choices; i++) {
        if (s->best.choices[i].kind != SONDE_KIND_BLOB) continue;
        struct sonde_blob blob = sonde_choice_blob(&s->best, &s->best.choices[i]);
        bool has = false;
        for (uint32_t k = 0; k < blob.len; k++) {
            uint32_t symbol = sonde_blob_symbol(&blob, k);
            if (symbol != p->x && !(p->b && symbol == m)) continue;
            sonde_tape_set_symbol(&s->script, &s->script.choices[i], k, (uint32_t)(symbol == m ? p->x : (sonde_wide)m));
            has = true;
        }
        blobs += has;
    }
    if (blobs < 2 || !sonde_edit_try(s)) return false;
    p->x = (sonde_wide)m;
    return true;
}

/* "x=1;y=x" becomes "a=1;b=a": both strings must name the same thing. Each symbol is lowered, then swapped with 0. */
void sonde_pass_rename_symbols(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) {
        struct work w = {.choice = i};
        if (s->best.choices[i].kind != SONDE_KIND_BLOB || !refresh(s, &w)) continue;
        for (uint32_t k = 0; k < w.blob.len && k < MANY_SYMBOLS; k++) {
            struct sonde_probe p = {.holds = renamed_holds, .a = i, .x = w.old[k]};
            if (w.old[k] == 0) continue;
            sonde_least(s, &p, w.old[k]);
            if (!refresh(s, &w)) break;
            p = (struct sonde_probe){.a = i, .b = 1, .x = k < w.blob.len ? w.old[k] : 0};
            if (p.x > 0 && renamed_holds(s, &p, 0) && !refresh(s, &w)) break;
        }
    }
}

/* ---- Two symbols of one blob at once: both are lowered by the same amount, or two pairs of neighbours are swapped,
 * as in nested brackets. */

static bool lower_two(struct sonde_shrinker *s, struct work *w, uint32_t i, uint32_t j, uint32_t by)
{
    if (w->old[i] < by || w->old[j] < by) return false;
    memcpy(w->new, w->old, w->blob.len * sizeof *w->new);
    w->new[i] -= by;
    w->new[j] -= by;
    return try_symbols(s, w, w->blob.len);
}

static bool swap_two(struct sonde_shrinker *s, struct work *w, uint32_t i, uint32_t j)
{
    /* "(]" to "[)": both pairs must change in one step, or the brackets do not match. */
    if (j + 1 >= w->blob.len || j < i + 2 || w->old[i + 1] >= w->old[i]) return false;
    memcpy(w->new, w->old, w->blob.len * sizeof *w->new);
    w->new[i] = w->old[i + 1], w->new[i + 1] = w->old[i];
    w->new[j] = w->old[j + 1], w->new[j + 1] = w->old[j];
    return try_symbols(s, w, w->blob.len);
}

/* Lowers symbol i with each later one: as far as both can be lowered, or by the difference to a lower symbol of the
 * blob. */
static void change_two(struct sonde_shrinker *s, struct work *w, uint32_t i)
{
    for (uint32_t j = i + 1; j < w->blob.len && i < w->blob.len && !sonde_is_tired(s, PATIENCE); j++) {
        if (swap_two(s, w, i, j) || lower_two(s, w, i, j, w->old[i] < w->old[j] ? w->old[i] : w->old[j])) continue;
        for (uint32_t k = 0; k < w->blob.len && i < w->blob.len && j < w->blob.len; k++)
            if (w->old[k] < w->old[i] && lower_two(s, w, i, j, w->old[i] - w->old[k])) break;
    }
}

/* Long blobs are left out: the number of pairs grows with the square. */
void sonde_pass_two_symbols(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) {
        struct work w = {.choice = i};
        if (s->best.choices[i].kind != SONDE_KIND_BLOB || !refresh(s, &w) || w.blob.len < 2) continue;
        for (uint32_t k = 0; k < w.blob.len && !sonde_is_past(s, w.blob.len, MANY_PAIRED + 1); k++)
            if (w.old[k]) change_two(s, &w, k);
    }
}

/* ---- Cuts at two positions: a pair of symbols, or a symbol and another symbol or number that counts it. */

/* Removes two symbols that need not be neighbours: "(a)" becomes "a". */
static bool cut_two(struct sonde_shrinker *s, struct work *w, uint32_t i, uint32_t j)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < w->blob.len; k++)
        if (k != i && k != j) w->new[n++] = w->old[k];
    return try_symbols(s, w, n);
}

static void cut_pairs(struct sonde_shrinker *s, struct work *w)
{
    for (uint32_t j = w->blob.len; j-- > 1 && !s->stopped;)
        for (uint32_t i = j; i-- > 0 && j < w->blob.len;) {
            if (s->stopped || (sonde_is_past(s, w->blob.len, MANY_PAIRED + 1) && i + 1 < j)) break;
            cut_two(s, w, i, j);
        }
}

/* Tries m for the symbol at p->a, which may count the symbols after it. As many symbols as it is lowered by are cut
 * from the end. */
static bool counted_holds(struct sonde_shrinker *s, struct sonde_probe *p, uint64_t m)
{
    struct work *w = (struct work *)(uintptr_t)p->more;
    uint32_t gone = w->old[p->a] - (uint32_t)m;
    if (m >= w->old[p->a] || gone >= w->blob.len - p->a) return false;
    memcpy(w->new, w->old, w->blob.len * sizeof *w->new);
    w->new[p->a] = (uint32_t)m;
    return try_symbols(s, w, w->blob.len - gone);
}

/* Removes one of the symbols after symbol i, but not the last, and lowers symbol i by one. Only where symbol i is about
 * as large as the number of symbols after it. */
static void cut_one_counted(struct sonde_shrinker *s, struct work *w, uint32_t i)
{
    enum { NEAR = 2 }; /* how far the count may be from that number: it may count itself, or not a checksum */
    for (uint32_t j = w->blob.len; j-- > i + 1 && !s->stopped;) {
        uint32_t after = w->blob.len - i - 1;
        if (w->old[i] + NEAR < after || w->old[i] > after + NEAR || !w->old[i]) return;
        if (j + 1 >= w->blob.len || sonde_is_past(s, w->blob.len, MANY_PAIRED + 1)) continue;
        memcpy(w->new, w->old, j * sizeof *w->new);
        memcpy(w->new + j, w->old + j + 1, (w->blob.len - j - 1) * sizeof *w->new);
        w->new[i]--;
        try_symbols(s, w, w->blob.len - 1);
    }
}

static void cut_counted(struct sonde_shrinker *s, struct work *w)
{
    for (uint32_t i = 0; i < MOST_COUNTS && i < w->blob.len && !s->stopped; i++) {
        /* Only the first MOST_COUNTS symbols: formats have length fields at the front. */
        struct sonde_probe p = {.holds = counted_holds, .more = w, .a = i, .cautious = true};
        if (w->old[i] > 0 && counted_holds(s, &p, w->old[i] - 1)) sonde_least(s, &p, w->old[i]);
        cut_one_counted(s, w, i);
    }
}

/* Shortens the blob together with a number drawn before it that is about as large as the blob is long. */
static void cut_with_number(struct sonde_shrinker *s, struct work *w)
{
    enum { NEAR = 4 }; /* how far the number may be from the length */
    sonde_wide v;
    uint64_t index;
    for (uint32_t i = 0; i < w->choice && i < s->best.n_choices && !s->stopped; i++) {
        if (!sonde_number(&s->best, i, &v) || v < (sonde_wide)w->blob.len - NEAR || v > (sonde_wide)w->blob.len + NEAR)
            continue;
        while (w->blob.len > w->blob.min && sonde_number(&s->best, i, &v)
               && sonde_number_index(&s->best, i, v - 1, &index)) {
            sonde_edit_begin(s);
            sonde_edit_set(s, i, index);
            sonde_edit_blob(s, w->choice, w->old, w->blob.len - 1);
            if (!sonde_edit_try(s) || !refresh(s, w)) break;
        }
    }
}

/* Lowers symbols that cannot be lowered by one: lowers each by more than one, together with its later occurrences.
 * Marks site and symbol, so that each symbol costs this search only once, however often the pass runs. */
static void lower_stubborn(struct sonde_shrinker *s, struct work *w)
{
    for (uint32_t i = 0; i < w->blob.len && !s->stopped; i++) {
        uint64_t key = sonde_mix(s->best.choices[w->choice].site + ((uint64_t)w->old[i] << 33));
        uint64_t *slot = &s->marks[key % SONDE_MARKS];
        struct sonde_probe p = {
            .holds = symbol_holds, .more = w, .a = i, .b = w->blob.len, .x = w->old[i], .sparse = true};
        if (w->old[i] < 2 || (*slot == key && !s->is_thorough)) continue;
        *slot = key;
        sonde_least(s, &p, w->old[i]);
    }
}

/* The steps are ordered by cost. */
void sonde_pass_cut_blobs(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) {
        struct work w = {.choice = i};
        if (s->best.choices[i].kind != SONDE_KIND_BLOB || !refresh(s, &w)) continue;
        if (w.blob.len > MANY_SYMBOLS) {
            sonde_leave_out(s);
            continue;
        }
        lower_stubborn(s, &w);
        cut_pairs(s, &w);
        cut_counted(s, &w);
        cut_with_number(s, &w);
    }
}
