/* A pass for values that are names of something else: keys, nodes, handles. It only matters which names are equal, or
 * how they relate (two keys of one bucket). So a name is changed wherever it is drawn: in all choices of one site, or
 * of one domain.
 *
 * In a small domain every lower value is tried: names have no order that a search could use. */
#include "shrink/pass.h"

#include "base/mem.h"

enum {
    MAX_NAMED = 512, /* a tape with more choices is left out */
    MAX_NAMES = 64,  /* maximum number of different names; if there are more different values, they are hardly names */
    SCANNED = 64,    /* number of lower names that are tried one by one */
    STEPS = 16,      /* number of names that are tried just below a larger name */
    PATIENCE = 192,  /* the pass gives up after this many calls without an improvement */
};

/* The choices of the best tape that draw from one set of names, and these names (indices) in the order of their first
 * occurrence. names[k] occurs counts[k] times, first at choice at[k]. Stale after every success. */
struct family {
    uint32_t first;
    bool is_domain; /* the family is all choices with this domain; else all choices of this site */
    uint32_t n;     /* number of choices */
    uint64_t names[MAX_NAMES];
    uint32_t counts[MAX_NAMES], at[MAX_NAMES]; /* how often each name occurs, and its first choice */
    uint32_t n_names;
};

/* Reports whether a choice may draw names. Doubles have too many values for names, booleans too few. */
static bool is_named(const struct sonde_choice *c)
{
    return c->max > 0 && (c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT || c->kind == SONDE_KIND_PICK);
}

/* Reports whether choice i belongs to the family. */
static bool is_in(const struct sonde_tape *t, const struct family *f, uint32_t i)
{
    const struct sonde_choice *x = &t->choices[f->first], *y = &t->choices[i];
    if (!is_named(y)) return false;
    return f->is_domain ? x->kind == y->kind && x->base == y->base && x->max == y->max : x->site == y->site;
}

/* Fills *f with the family of choice `first`. Returns false if that is not the first of its family, or there is
 * nothing to rename. */
static bool find_family(struct sonde_shrinker *s, uint32_t first, bool is_domain, struct family *f)
{
    const struct sonde_tape *t = &s->best;
    bool has_sites = false;
    *f = (struct family){.first = first, .is_domain = is_domain};
    if (first >= t->n_choices || !is_named(&t->choices[first])) return false;
    for (uint32_t i = 0; i < first; i++)
        if (is_in(t, f, i)) return false;
    for (uint32_t i = first; i < t->n_choices; i++) {
        if (!is_in(t, f, i)) continue;
        uint32_t k = 0;
        while (k < f->n_names && f->names[k] != t->choices[i].index) k++;
        if (k == MAX_NAMES) {
            sonde_leave_out(s);
            return false;
        }
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

/* Tries to replace every name f->names[k] by renamed[k]. */
static bool try_names(struct sonde_shrinker *s, const struct family *f, const uint64_t *renamed)
{
    sonde_edit_begin(s);
    for (uint32_t i = f->first; i < s->best.n_choices; i++) {
        if (!is_in(&s->best, f, i)) continue;
        uint32_t k = 0;
        while (k < f->n_names && f->names[k] != s->best.choices[i].index) k++;
        sonde_assert(k < f->n_names); /* holds because the family was read from the best tape as it is now */
        if (renamed[k] > s->best.choices[i].max) return false;
        sonde_edit_set(s, i, renamed[k]);
    }
    return sonde_edit_try(s);
}

/* Tries to replace the name with index `name` with the name `by`. With `swaps` the two are exchanged, so that different
 * names stay different. */
static bool try_rename(struct sonde_shrinker *s, const struct family *f, uint32_t name, uint64_t by, bool swaps)
{
    uint64_t renamed[MAX_NAMES] = {0};
    for (uint32_t k = 0; k < f->n_names; k++)
        renamed[k] = k == name ? by : swaps && f->names[k] == by ? f->names[name] : f->names[k];
    return try_names(s, f, renamed);
}

/* Tries the names 0, 1, 2, ... in the order of their first occurrence, as a person would. This one call is mostly
 * enough. */
static bool try_first_names(struct sonde_shrinker *s, const struct family *f)
{
    uint64_t renamed[MAX_NAMES] = {0};
    for (uint32_t k = 0; k < f->n_names; k++) renamed[k] = k;
    return try_names(s, f, renamed);
}

/* Reports whether any choice of the family has a name. */
static bool is_used(const struct family *f, uint64_t name)
{
    for (uint32_t k = 0; k < f->n_names; k++)
        if (f->names[k] == name) return true;
    return false;
}

/* Lowers all names by the same amount, so that their differences stay. Indices of one sign are one apart, or two around
 * zero. */
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

/* Reports whether a search has lowered exactly the choices of one name. A number of another family that has the same
 * value by chance was lowered too, and may have ended the search. */
static bool is_settled(struct sonde_shrinker *s, const struct family *f, uint32_t k)
{
    sonde_wide name, v;
    uint32_t n = 0;
    if (!sonde_is_marked(s, f->at[k], SONDE_MARK_SETTLED) || !sonde_amount(&s->best, f->at[k], &name)) return false;
    for (uint32_t i = 0; i < s->best.n_choices; i++) n += sonde_amount(&s->best, i, &v) && v == name;
    return n == f->counts[k];
}

/* Tries every lower name for one name. Unused names are tried only if several choices share the name: `lower` handles a
 * single choice. */
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

/* Improves one family once; returns whether it did. For families of two choices, other passes do
 * more. */
static bool improve(struct sonde_shrinker *s, uint32_t first, bool is_domain)
{
    struct family f;
    if (!find_family(s, first, is_domain, &f)) return false;
    bool is_pair = f.n == 2; /* cross.c handles pairs */
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
