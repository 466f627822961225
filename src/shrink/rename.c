/* Values that stand for something else: keys, names, nodes, handles. What matters of them is which are equal, or how they
 * relate (two keys of one bucket), so a value is changed wherever it is drawn: all choices of one site, or of one domain.
 *
 * Where a domain is small every lower value is tried; there is no order among names that a search could use. */
#include "shrink/pass.h"

#include "base/mem.h"

enum { MAX_NAMED = 512, MAX_NAMES = 64, SCANNED = 64, STEPS = 16, PATIENCE = 192 };

/* The choices that draw from one set of names, and the names (indices) in the order of their first
 * occurrence. names[k] occurs counts[k] times, first at choice at[k]. Of the best tape; stale after
 * every success. */
struct family {
    uint32_t first;
    bool is_domain; /* choices of every site with this domain; else of this site */
    uint32_t n;     /* choices */
    uint64_t names[MAX_NAMES];
    uint32_t counts[MAX_NAMES], at[MAX_NAMES]; /* how often, and where first */
    uint32_t n_names;
};

/* Doubles and booleans are no names: the one has too many values, the other too few. */
static bool is_named(const struct sonde_choice *c)
{
    return c->max > 0 && (c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT || c->kind == SONDE_KIND_PICK);
}

static bool is_in(const struct sonde_tape *t, const struct family *f, uint32_t i)
{
    const struct sonde_choice *x = &t->choices[f->first], *y = &t->choices[i];
    if (!is_named(y)) return false;
    return f->is_domain ? x->kind == y->kind && x->base == y->base && x->max == y->max : x->site == y->site;
}

/* False if choice `first` is not the first of its family, or there is nothing to rename. */
static bool find_family(const struct sonde_tape *t, uint32_t first, bool is_domain, struct family *f)
{
    bool has_sites = false;
    *f = (struct family){.first = first, .is_domain = is_domain};
    if (first >= t->n_choices || !is_named(&t->choices[first])) return false;
    for (uint32_t i = 0; i < first; i++)
        if (is_in(t, f, i)) return false;
    for (uint32_t i = first; i < t->n_choices; i++) {
        if (!is_in(t, f, i)) continue;
        uint32_t k = 0;
        while (k < f->n_names && f->names[k] != t->choices[i].index) k++;
        /* So many different values are no names. */
        if (k == MAX_NAMES) return false;
        if (k == f->n_names) {
            f->at[k] = i;
            f->names[f->n_names++] = t->choices[i].index;
        }
        f->counts[k]++;
        f->n++;
        has_sites |= t->choices[i].site != t->choices[first].site;
    }
    return f->n > 1 && (!is_domain || has_sites);
}

/* Every name takes the one that stands in its place. */
static bool try_names(struct sonde_shrinker *s, const struct family *f, const uint64_t *renamed)
{
    sonde_edit_begin(s);
    for (uint32_t i = f->first; i < s->best.n_choices; i++) {
        if (!is_in(&s->best, f, i)) continue;
        uint32_t k = 0;
        while (k < f->n_names && f->names[k] != s->best.choices[i].index) k++;
        sonde_assert(k < f->n_names); /* the family is of the best tape as it is now */
        if (renamed[k] > s->best.choices[i].max) return false;
        sonde_edit_set(s, i, renamed[k]);
    }
    return sonde_edit_try(s);
}

/* With `swaps` the other name takes the place of this one, so different ones stay different. */
static bool try_rename(struct sonde_shrinker *s, const struct family *f, uint32_t name, uint64_t by, bool swaps)
{
    uint64_t renamed[MAX_NAMES] = {0};
    for (uint32_t k = 0; k < f->n_names; k++)
        renamed[k] = k == name ? by : swaps && f->names[k] == by ? f->names[name] : f->names[k];
    return try_names(s, f, renamed);
}

/* 0, 1, 2, ... in the order in which they occur. What a person would do: the first name that occurs is
 * 0, the next 1, and so on. One call that mostly settles it. */
static bool try_first_names(struct sonde_shrinker *s, const struct family *f)
{
    uint64_t renamed[MAX_NAMES] = {0};
    for (uint32_t k = 0; k < f->n_names; k++) renamed[k] = k;
    return try_names(s, f, renamed);
}

/* By any choice of the family. */
static bool is_used(const struct family *f, uint64_t name)
{
    for (uint32_t k = 0; k < f->n_names; k++)
        if (f->names[k] == name) return true;
    return false;
}

/* All by the same amount, so that their differences stay. Indices of one sign are one apart, or two around zero. */
static bool shift_names(struct sonde_shrinker *s, const struct family *f)
{
    uint64_t renamed[MAX_NAMES] = {0}, least = f->names[0];
    for (uint32_t k = 1; k < f->n_names; k++)
        if (f->names[k] < least) least = f->names[k];
    for (uint64_t by = least; by > 0 && !s->stopped; by /= 2) {
        for (uint32_t k = 0; k < f->n_names; k++) renamed[k] = f->names[k] - by;
        if (try_names(s, f, renamed)) return true;
    }
    return false;
}

/* Whether a search has lowered just these choices: where a number of another family has their value by chance it went along, and may
 * be what ended the search. */
static bool is_settled(struct sonde_shrinker *s, const struct family *f, uint32_t k)
{
    sonde_wide name, v;
    uint32_t n = 0;
    if (!sonde_is_marked(s, f->at[k], SONDE_MARK_SETTLED) || !sonde_amount(&s->best, f->at[k], &name)) return false;
    for (uint32_t i = 0; i < s->best.n_choices; i++) n += sonde_amount(&s->best, i, &v) && v == name;
    return n == f->counts[k];
}

/* One name, by every lower one. Those that nobody has are for choices that share the name: a single one is `lower`. */
static bool rename_one(struct sonde_shrinker *s, const struct family *f, uint32_t k)
{
    uint64_t old = f->names[k];
    bool is_shared = f->counts[k] > 1 && !is_settled(s, f, k);
    for (uint64_t by = 0; by < old && by < SCANNED && !sonde_is_tired(s, PATIENCE); by++) {
        bool swaps = is_used(f, by);
        if ((swaps && try_rename(s, f, k, by, true)) || (is_shared && try_rename(s, f, k, by, false))) return true;
    }
    if (old < SCANNED || !is_shared) return false;
    for (uint64_t step = 1; step <= STEPS && !sonde_is_tired(s, PATIENCE); step++)
        if (try_rename(s, f, k, old - step, false)) return true;
    return try_rename(s, f, k, old / 2, false);
}

/* Families of two choices are pairs, for which other passes do more. */
static bool improve(struct sonde_shrinker *s, uint32_t first, bool is_domain)
{
    struct family f;
    if (!find_family(&s->best, first, is_domain, &f)) return false;
    bool is_pair = f.n == 2; /* of different ones: cross.c */
    if (!is_pair && (try_first_names(s, &f) || (f.n_names > 1 && shift_names(s, &f)))) return true;
    for (uint32_t k = 0; k < f.n_names && !sonde_is_tired(s, PATIENCE); k++)
        if (f.names[k] > 0 && rename_one(s, &f, k)) return true;
    return false;
}

void sonde_pass_rename(struct sonde_shrinker *s)
{
    if (s->best.n_choices > MAX_NAMED) {
        sonde_leave_out(s);
        return;
    }
    for (uint32_t i = 0; i < s->best.n_choices; i++)
        for (int is_domain = 0; is_domain < 2; is_domain++)
            while (!sonde_is_tired(s, PATIENCE) && improve(s, i, is_domain)) continue;
}
