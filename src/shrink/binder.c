/* Passes for terms: nested spans of one label, with numbers that count the spans between a variable and its binder.
 * When a span is replaced by one inside it, numbers that point out of the inner span are lowered too.
 *
 * This was written for lambda terms with de Bruijn indices. Lifting a body out of its binder lowers every index that
 * points beyond the binder by one. The passes know nothing of terms. They see nested spans of one label and try, for
 * each site of numbers, which numbers have to follow. */
#include "shrink/pass.h"

enum {
    MAX_LIFTS = 8,  /* maximum number of descendants of a span that are tried */
    MAX_SITES = 3,  /* maximum number of sites of numbers that are tried: a term has few kinds of indices */
    MAX_LIMITS = 6, /* maximum number of limits that are tried for each site */
    PATIENCE = 128, /* a pass gives up after this many calls without an improvement */
};

/* ---- Lift indexed */

/* A guess about which numbers go down by one: the numbers of one site beyond a limit. The limit applies to the value,
 * or to the distance from the end of the domain, which for an index grows with the depth. If an index counts from the
 * innermost binder, its value separates bound from free variables. If it counts from the outermost binder, the
 * distance does. */
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

/* Tries to replace a span by its descendant `by`, with the numbers of the rule one lower. For example, lambda x.
 * lambda y. x becomes lambda y. y: the index that pointed two binders up then points one up. */
static bool lift_by(struct sonde_shrinker *s, uint32_t span, uint32_t by, const struct rule *rule)
{
    const struct sonde_tape *t = &s->best;
    uint32_t to = t->spans[span].start, from = t->spans[by].start;
    bool followed = false;
    sonde_edit_begin(s);
    sonde_script_replace(&s->script, t, span, t, by);
    for (uint32_t i = from; i < t->spans[by].end; i++) {
        if (!applies(&t->choices[i], rule)) continue;
        /* holds because the content of `by` moved as a whole */
        sonde_assert(s->script.choices[to + i - from].site == rule->site);
        s->script.choices[to + i - from].index--;
        followed = true;
    }
    /* If no number changes, `lift` has tried the same. */
    return followed && sonde_try(s, &s->script);
}

/* Appends x unless the array holds it already or is full. Only values that occur make a difference as limits. */
static void add_unique(struct sonde_shrinker *s, uint64_t *all, unsigned *n, unsigned max, uint64_t x)
{
    for (unsigned i = 0; i < *n; i++)
        if (all[i] == x) return;
    if (*n == max) sonde_leave_out(s);
    else all[(*n)++] = x;
}

/* Tries all rules that the numbers of one site in the span allow. */
static bool lift_site(struct sonde_shrinker *s, uint32_t span, uint32_t by, uint32_t site)
{
    for (int from_end = 0; from_end < 2; from_end++) {
        uint64_t limits[MAX_LIMITS];
        unsigned n = 0;
        for (uint32_t i = s->best.spans[by].start; i < s->best.spans[by].end; i++) {
            const struct sonde_choice *c = &s->best.choices[i];
            if (c->site == site && c->index)
                add_unique(s, limits, &n, MAX_LIMITS, from_end ? c->max - c->index : c->index);
        }
        for (unsigned i = 0; i < n && !sonde_is_tired(s, PATIENCE); i++)
            if (lift_by(s, span, by, &(struct rule){site, from_end, limits[i]})) return true;
    }
    return false;
}

/* Tries the sites of the numbers in the inner span, at most MAX_SITES. */
static bool lift_indexed(struct sonde_shrinker *s, uint32_t span, uint32_t by)
{
    uint64_t sites[MAX_SITES];
    unsigned n = 0;
    sonde_wide v;
    for (uint32_t i = s->best.spans[by].start; i < s->best.spans[by].end; i++) {
        const struct sonde_choice *c = &s->best.choices[i];
        if (c->index && sonde_amount(&s->best, i, &v)) add_unique(s, sites, &n, MAX_SITES, c->site);
    }
    for (unsigned i = 0; i < n; i++)
        if (lift_site(s, span, by, (uint32_t)sites[i])) return true;
    return false;
}

static bool is_list(const struct sonde_tape *t, uint32_t span)
{
    return t->spans[span].flags & (SONDE_SPAN_LIST | SONDE_SPAN_ELEMENT);
}

/* Visits the nearest descendants of a span with the same label, until one helps; returns whether one did. Deeper
 * descendants are reached when their ancestor has been lifted. */
static bool each_nested(struct sonde_shrinker *s, uint32_t span,
                        bool (*visit)(struct sonde_shrinker *s, uint32_t span, uint32_t by))
{
    const struct sonde_tape *t = &s->best;
    unsigned tried = 0;
    for (uint32_t i = span + 1;
         i < t->spans[span].next && !sonde_is_past(s, tried, MAX_LIFTS) && !sonde_is_tired(s, PATIENCE);) {
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

/* A span is tried again while something helps: a lifted part may be lifted further. */
void sonde_pass_lift_indexed(struct sonde_shrinker *s)
{
    for (uint32_t i = 1; i < s->best.n_spans; i++)
        while (i < s->best.n_spans && each_nested(s, i, lift_indexed)) continue;
}

/* ---- Rotate: of three nested spans, the outer two are swapped. */

/* Tries `by` outside and `span` inside, around `inner`. */
static bool rotate_with(struct sonde_shrinker *s, uint32_t span, uint32_t by, uint32_t inner)
{
    const struct sonde_tape *t = &s->best;
    struct sonde_tape down, up;
    sonde_tape_init(&down);
    sonde_tape_init(&up);
    sonde_script_replace(&down, t, by, t, inner); /* in `down`, `span` is directly around `inner` */
    sonde_script_replace(&up, t, span, t, by);
    sonde_edit_begin(s);
    /* In `up` the subtree `by` is at index `span`, so `inner` has moved with it. */
    sonde_script_replace(&s->script, &up, span + (inner - by), &down, span);
    bool better = sonde_try(s, &s->script);
    sonde_tape_clear(&down);
    sonde_tape_clear(&up);
    return better;
}

/* Tries the nearest descendants of `by` with the same label as the third span. */
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
    if (!has_numbers(&s->best)) return; /* without numbers only the shape matters, and lifts have tried that */
    for (uint32_t i = 1; i < s->best.n_spans; i++)
        while (i < s->best.n_spans && each_nested(s, i, rotate)) continue;
}
