/* Passes for terms: spans of one label that hold one another, and numbers in them that count how many lie between (the
 * indices of bound variables). When a span gives way to one inside it, numbers that point out of that follow.
 *
 * Written for lambda terms with de Bruijn indices: lifting a body out of its binder needs every index
 * that points beyond the binder to go down by one. The pass knows no terms; it sees spans of one label
 * inside one another and tries, for each site of numbers, which of them may follow. */
#include "shrink/pass.h"

enum { MAX_LIFTS = 8, MAX_SITES = 3, MAX_LIMITS = 6, PATIENCE = 128 };

/* ---- Lift indexed */

/* Numbers of one site, those from a limit on, go down by one: by value, or by how far they are from the end of their domain
 * (which for an index grows with the depth). For an index that counts from the innermost binder,
 * `limit` separates bound from free; for one that counts from the outside, the distance from the end of
 * its domain does. */
struct rule {
    uint32_t site;
    bool from_end;
    uint64_t limit;
};

static bool applies(const struct sonde_choice *c, const struct rule *rule)
{
    if (c->site != rule->site || c->index == 0) return false;
    return rule->from_end ? c->max - c->index <= rule->limit : c->index >= rule->limit;
}

/* lambda x. lambda y. x becomes lambda y. y if the index that pointed two binders up points one up now. */
static bool lift_by(struct sonde_shrinker *s, uint32_t span, uint32_t by, const struct rule *rule)
{
    const struct sonde_tape *t = &s->best;
    uint32_t to = t->spans[span].start, from = t->spans[by].start;
    bool followed = false;
    sonde_edit_begin(s);
    sonde_script_replace(&s->script, t, span, t, by);
    for (uint32_t i = from; i < t->spans[by].end; i++) {
        if (!applies(&t->choices[i], rule)) continue;
        sonde_assert(s->script.choices[to + i - from].site == rule->site); /* the content moved as a whole */
        s->script.choices[to + i - from].index--;
        followed = true;
    }
    /* Without a number that follows, this is what `lift` has tried. */
    return followed && sonde_try(s, &s->script);
}

/* Few different limits are tried: those values that occur are the only ones that make a difference. */
static bool add_unique(uint64_t *all, unsigned *n, unsigned max, uint64_t x)
{
    for (unsigned i = 0; i < *n; i++)
        if (all[i] == x) return false;
    if (*n == max) return false;
    all[(*n)++] = x;
    return true;
}

/* All that the numbers of one site in the span allow. */
static bool lift_site(struct sonde_shrinker *s, uint32_t span, uint32_t by, uint32_t site)
{
    for (int from_end = 0; from_end < 2; from_end++) {
        uint64_t limits[MAX_LIMITS];
        unsigned n = 0;
        for (uint32_t i = s->best.spans[by].start; i < s->best.spans[by].end; i++) {
            const struct sonde_choice *c = &s->best.choices[i];
            if (c->site == site && c->index)
                add_unique(limits, &n, MAX_LIMITS, from_end ? c->max - c->index : c->index);
        }
        for (unsigned i = 0; i < n && !sonde_is_tired(s, PATIENCE); i++)
            if (lift_by(s, span, by, &(struct rule){site, from_end, limits[i]})) return true;
    }
    return false;
}

/* At most MAX_SITES sites of numbers: a term has few kinds of indices. */
static bool lift_indexed(struct sonde_shrinker *s, uint32_t span, uint32_t by)
{
    uint64_t sites[MAX_SITES];
    unsigned n = 0;
    sonde_wide v;
    for (uint32_t i = s->best.spans[by].start; i < s->best.spans[by].end; i++) {
        const struct sonde_choice *c = &s->best.choices[i];
        if (c->index && sonde_amount(&s->best, i, &v)) add_unique(sites, &n, MAX_SITES, c->site);
    }
    for (unsigned i = 0; i < n; i++)
        if (lift_site(s, span, by, (uint32_t)sites[i])) return true;
    return false;
}

static bool is_list(const struct sonde_tape *t, uint32_t span)
{
    return t->spans[span].flags & (SONDE_SPAN_LIST | SONDE_SPAN_ELEMENT);
}

/* Each span with its nearest descendants of the same label; answers whether one helped. Nearest
 * descendants only: what lies deeper is reached when its ancestor has been lifted. */
static bool each_nested(struct sonde_shrinker *s, uint32_t span,
                        bool (*visit)(struct sonde_shrinker *s, uint32_t span, uint32_t by))
{
    const struct sonde_tape *t = &s->best;
    unsigned tried = 0;
    for (uint32_t i = span + 1; i < t->spans[span].next && tried < MAX_LIFTS && !sonde_is_tired(s, PATIENCE);) {
        if (t->spans[i].label != t->spans[span].label || is_list(t, i)) {
            i++;
            continue;
        }
        if (visit(s, span, i)) return true;
        tried++;
        i = t->spans[i].next;
    }
    return false;
}

/* While something helps at a span it is asked again: what was lifted may be lifted further. */
void sonde_pass_lift_indexed(struct sonde_shrinker *s)
{
    for (uint32_t i = 1; i < s->best.n_spans; i++)
        while (i < s->best.n_spans && each_nested(s, i, lift_indexed)) continue;
}

/* ---- Rotate: of three spans inside one another, the outer two change places. */

static bool rotate_with(struct sonde_shrinker *s, uint32_t span, uint32_t by, uint32_t inner)
{
    const struct sonde_tape *t = &s->best;
    struct sonde_tape down, up;
    sonde_tape_init(&down);
    sonde_tape_init(&up);
    sonde_script_replace(&down, t, by, t, inner); /* the outer one around the inner one */
    sonde_script_replace(&up, t, span, t, by);
    sonde_edit_begin(s);
    /* In `up` the subtree `by` stands at `span`, so `inner` has moved with it. */
    sonde_script_replace(&s->script, &up, span + (inner - by), &down, span);
    bool better = sonde_try(s, &s->script);
    sonde_tape_clear(&down);
    sonde_tape_clear(&up);
    return better;
}

/* All descendants of `by` of the same label may be the third one. */
static bool rotate(struct sonde_shrinker *s, uint32_t span, uint32_t by)
{
    const struct sonde_tape *t = &s->best;
    for (uint32_t i = by + 1; i < t->spans[by].next && !sonde_is_tired(s, PATIENCE);) {
        if (t->spans[i].label != t->spans[span].label || is_list(t, i)) {
            i++;
            continue;
        }
        if (rotate_with(s, span, by, i)) return true;
        i = t->spans[i].next;
    }
    return false;
}

static bool has_numbers(const struct sonde_tape *t)
{
    sonde_wide v;
    for (uint32_t i = 0; i < t->n_choices; i++)
        if (t->choices[i].index && sonde_amount(t, i, &v)) return true;
    return false;
}

void sonde_pass_rotate(struct sonde_shrinker *s)
{
    if (!has_numbers(&s->best)) return; /* nothing that says where it belongs: lifts have tried the shapes */
    for (uint32_t i = 1; i < s->best.n_spans; i++)
        while (i < s->best.n_spans && each_nested(s, i, rotate)) continue;
}
