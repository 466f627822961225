/* Mutators that work on the span tree. Labels are types: a span fits wherever a span of the same label is.
 *
 * Each label is equally likely to be chosen, however often it occurs. A pair of states deserves as many tries as the
 * fifty numbers inside. */
#include "base/mem.h"
#include "guide/mutate/mutate.h"
#include "tape/script.h"

enum { ATTEMPTS = 8 }; /* number of random spans or pairs that are tried before a mutator gives up */

/* A label and the number of spans that have it. */
struct sonde_label_group {
    uint32_t label, n;
};

static uint32_t any(struct sonde_mutate *m, uint32_t n)
{
    return (uint32_t)sonde_rng_upto(m->rng, n - 1);
}

/* Probability that the mutation twin takes the largest two similar parts around a choice. */
static const double large_share = 0.9;
/* Probability that the mutation copy makes an inner part of two similar parts equal, instead of the whole parts. */
static const double equal_share = 0.5;
static const double some_share = 0.3; /* share of a part's choices that the mutation vary changes */

/* Returns a random span except the root, which is never changed as a whole. */
static uint32_t any_span(struct sonde_mutate *m, const struct sonde_tape *t)
{
    return 1 + any(m, t->n_spans - 1);
}

static uint32_t choices_in(const struct sonde_tape *t, uint32_t span)
{
    return t->spans[span].end - t->spans[span].start;
}

/* ---- Labels */

/* Counts the spans of each label into m->groups; returns the number of labels. Takes labels times spans steps; a
 * property has few labels. */
static uint32_t group_labels(struct sonde_mutate *m, const struct sonde_tape *t)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < t->n_spans; i++) {
        uint32_t g = 0, label = t->spans[i].label;
        while (g < n && m->groups[g].label != label) g++;
        if (g == n) {
            m->groups = sonde_grow(m->groups, &m->cap_groups, (size_t)n + 1, sizeof *m->groups);
            m->groups[n++] = (struct sonde_label_group){.label = label};
        }
        m->groups[g].n++;
    }
    return n;
}

/* Returns a random label that at least this many spans have; NULL if there is none. */
static const struct sonde_label_group *any_label(struct sonde_mutate *m, const struct sonde_tape *t, uint32_t at_least)
{
    uint32_t n = group_labels(m, t), fit = 0;
    for (uint32_t i = 0; i < n; i++)
        if (m->groups[i].n >= at_least) m->groups[fit++] = m->groups[i];
    return fit ? &m->groups[any(m, fit)] : NULL;
}

static uint32_t nth_of_label(const struct sonde_tape *t, uint32_t label, uint32_t nth)
{
    for (uint32_t i = 1; i < t->n_spans; i++)
        if (t->spans[i].label == label && nth-- == 0) return i;
    return SONDE_NO_SPAN;
}

/* Returns a random span of a label in a tape; SONDE_NO_SPAN if there is none. */
static uint32_t any_of_label(struct sonde_mutate *m, const struct sonde_tape *t, uint32_t label)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < t->n_spans; i++) n += t->spans[i].label == label;
    return n ? nth_of_label(t, label, any(m, n)) : SONDE_NO_SPAN;
}

static bool are_disjoint(const struct sonde_tape *t, uint32_t a, uint32_t b)
{
    return a < b ? t->spans[a].next <= b : t->spans[b].next <= a;
}

/* Two disjoint spans of one label; b is SONDE_NO_SPAN if none were found. */
struct pair {
    uint32_t a, b;
};

static struct pair any_pair(struct sonde_mutate *m, const struct sonde_tape *t)
{
    const struct sonde_label_group *g = any_label(m, t, 2);
    for (int i = 0; g && i < ATTEMPTS; i++) {
        uint32_t x = any(m, g->n), y = any(m, g->n - 1);
        struct pair p = {nth_of_label(t, g->label, x), nth_of_label(t, g->label, y + (y >= x))};
        if (are_disjoint(t, p.a, p.b)) return p;
    }
    return (struct pair){0, SONDE_NO_SPAN};
}

/* Returns the child of a span that contains a choice; the span itself if the choice is directly in it. */
static uint32_t part_holding(const struct sonde_tape *t, uint32_t span, uint32_t choice)
{
    uint32_t s = t->choices[choice].span;
    while (s != span && t->spans[s].parent != span) s = t->spans[s].parent;
    return s;
}

/* Returns a random choice, found by walking down the tree. All parts of a span are equally likely: a large part gets no
 * more tries than a small one. */
static uint32_t walk_to_choice(struct sonde_mutate *m, const struct sonde_tape *t)
{
    uint32_t span = 0;
    for (;;) {
        uint32_t parts = 0, found = UINT32_MAX, into = span;
        for (uint32_t i = t->spans[span].start; i < t->spans[span].end;) {
            uint32_t part = part_holding(t, span, i);
            if (any(m, ++parts) == 0) found = i, into = part;
            i = part == span ? i + 1 : t->spans[part].end;
        }
        if (into == span) return found;
        span = into;
    }
}

/* ---- Replacing */

static void take_scratch(struct sonde_mutate *m, struct sonde_tape *script)
{
    sonde_tape_swap(script, &m->scratch);
}

/* Reports whether there is a literal among these choices. A decoded tape has literals until it is run; they have no
 * domain in which to assign. */
static bool has_literals(const struct sonde_tape *t, uint32_t start, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (t->choices[start + i].kind == SONDE_KIND_LITERAL) return true;
    return false;
}

/* Replaces span `at` by span `by` of another tape. If their shapes are equal, values are assigned one by one and stay
 * within the domains of `at`. Otherwise the whole span is exchanged, and the replay corrects what does not fit. */
static void replace(struct sonde_mutate *m, struct sonde_tape *script, uint32_t at, const struct sonde_tape *other,
                    uint32_t by)
{
    uint32_t n = choices_in(script, at), to = script->spans[at].start, from = other->spans[by].start;
    bool same = script->spans[at].shape == other->spans[by].shape && n == choices_in(other, by)
                && !(script->spans[at].flags & SONDE_SPAN_HOLE) && !has_literals(script, to, n);
    if (same) {
        for (uint32_t i = 0; i < n; i++) sonde_mutate_assign(m, script, to + i, other, from + i);
        return;
    }
    sonde_script_replace(&m->scratch, script, at, other, by);
    take_scratch(m, script);
}

/* ---- Counterparts
 *
 * In two spans of one label, counterparts are the same child of the same child. Children are counted by label, as in
 * the replay. Shapes may differ elsewhere: in a pair of states, one atom may have become another kind. */

uint32_t sonde_mutate_like_child(const struct sonde_tape *t, uint32_t span, uint32_t parent)
{
    uint32_t nth = 0, label = t->spans[span].label;
    for (uint32_t i = t->spans[span].parent + 1; i < span; i = t->spans[i].next) nth += t->spans[i].label == label;
    for (uint32_t i = parent + 1; i < t->spans[parent].next; i = t->spans[i].next)
        if (t->spans[i].label == label && nth-- == 0) return i;
    return SONDE_NO_SPAN;
}

/* Returns the counterpart in p.b of a span in p.a; SONDE_NO_SPAN if there is none. */
static uint32_t counterpart(const struct sonde_tape *t, struct pair p, uint32_t span)
{
    if (span == p.a) return p.b;
    if (t->spans[p.a].shape == t->spans[p.b].shape) {
        uint32_t other = span - p.a + p.b;
        return other < t->spans[p.b].next && t->spans[other].label == t->spans[span].label ? other : SONDE_NO_SPAN;
    }
    uint32_t parent = counterpart(t, p, t->spans[span].parent);
    return parent == SONDE_NO_SPAN ? SONDE_NO_SPAN : sonde_mutate_like_child(t, span, parent);
}

/* Returns the counterpart in p.b of a choice in p.a; UINT32_MAX if there is none of its kind. */
static uint32_t counterpart_choice(const struct sonde_tape *t, struct pair p, uint32_t choice)
{
    const struct sonde_choice *c = &t->choices[choice];
    if (t->spans[p.a].shape == t->spans[p.b].shape && choices_in(t, p.a) == choices_in(t, p.b))
        return choice - t->spans[p.a].start + t->spans[p.b].start;
    uint32_t to = counterpart(t, p, c->span), nth = 0;
    if (to == SONDE_NO_SPAN) return UINT32_MAX;
    for (uint32_t i = t->spans[c->span].start; i < choice; i++)
        nth += t->choices[i].span == c->span && t->choices[i].label == c->label;
    for (uint32_t i = t->spans[to].start; i < t->spans[to].end; i++)
        if (t->choices[i].span == to && t->choices[i].label == c->label && nth-- == 0)
            return t->choices[i].kind == c->kind ? i : UINT32_MAX;
    return UINT32_MAX;
}

/* Returns the largest span around a choice that has a partner, with that partner. A partner is another span of its
 * label and shape, or else a sibling of its label: equal parts of equal wholes belong together. The search goes
 * outwards, so the last span found is the largest. Among several partners, reservoir sampling takes one. */
static struct pair largest_pair(struct sonde_mutate *m, const struct sonde_tape *t, uint32_t choice)
{
    struct pair best = {0, SONDE_NO_SPAN};
    for (uint32_t a = t->choices[choice].span; a != 0; a = t->spans[a].parent) {
        uint32_t found = 0, siblings = 0;
        struct pair sibling = best;
        for (uint32_t b = 1; b < t->n_spans; b++) {
            if (t->spans[b].label != t->spans[a].label || !are_disjoint(t, a, b)) continue;
            if (t->spans[b].shape == t->spans[a].shape) {
                if (any(m, ++found) == 0) best = (struct pair){a, b};
            } else if (t->spans[b].parent == t->spans[a].parent && any(m, ++siblings) == 0)
                sibling = (struct pair){a, b};
        }
        if (!found) best = sibling;
    }
    return best;
}

/* Makes a part of one span equal to its counterpart in the partner. */
static bool equalize(struct sonde_mutate *m, struct sonde_tape *script)
{
    if (script->n_spans < 2) return false;
    uint32_t span = any_span(m, script);
    if (choices_in(script, span) == 0) return false;
    struct pair p = largest_pair(m, script, script->spans[span].start);
    if (p.b == SONDE_NO_SPAN || span < p.a || span >= script->spans[p.a].next) return false;
    uint32_t other = counterpart(script, p, span);
    if (other == SONDE_NO_SPAN) return false;
    replace(m, script, span, script, other);
    return true;
}

static bool are_like_siblings(const struct sonde_tape *t, struct pair p)
{
    return t->spans[p.a].shape == t->spans[p.b].shape && t->spans[p.a].parent == t->spans[p.b].parent;
}

/* Siblings of one shape are made equal part by part. Copied as a whole they would lose every difference. The
 * differences make a pair of states interesting, and take longest to find again. */
bool sonde_mutate_copy(struct sonde_mutate *m, struct sonde_tape *script)
{
    if (sonde_rng_unit(m->rng) < equal_share && equalize(m, script)) return true;
    struct pair p = any_pair(m, script);
    if (p.b == SONDE_NO_SPAN || choices_in(script, p.a) + choices_in(script, p.b) == 0) return false;
    if (are_like_siblings(script, p)) return equalize(m, script);
    replace(m, script, p.a, script, p.b);
    return true;
}

/* Finds a span of a label in another tape or in this one; returns the tape. If it is this tape, a copy is returned,
 * which stays unchanged while the script changes. */
static const struct sonde_tape *donor(struct sonde_mutate *m, const struct sonde_tape *script, uint32_t label,
                                      uint32_t *by)
{
    const struct sonde_kept *kept = sonde_rng_upto(m->rng, 1) ? sonde_parents_any(m->parents, m->rng) : NULL;
    if (kept) {
        *by = any_of_label(m, &kept->tape, label);
        if (*by != SONDE_NO_SPAN) return &kept->tape;
    }
    sonde_tape_copy(&m->source, script);
    *by = any_of_label(m, &m->source, label);
    return &m->source;
}

/* Replaces an inner span of p.a and its counterpart in p.b by the same other span. */
static bool twin_spans(struct sonde_mutate *m, struct sonde_tape *script, struct pair p)
{
    uint32_t inner = script->spans[p.a].next - p.a - 1, by;
    if (inner == 0) return false;
    uint32_t one = p.a + 1 + any(m, inner), other = counterpart(script, p, one);
    if (other == SONDE_NO_SPAN) return false;
    const struct sonde_tape *from = donor(m, script, script->spans[one].label, &by);
    /* the later span first, so that the index of the earlier one stays right */
    replace(m, script, one < other ? other : one, from, by);
    replace(m, script, one < other ? one : other, from, by);
    return true;
}

static uint32_t next_sibling(const struct sonde_tape *t, uint32_t span)
{
    uint32_t next = t->spans[span].next;
    bool fits = next < t->spans[t->spans[span].parent].next && t->spans[next].label == t->spans[span].label;
    return fits ? next : SONDE_NO_SPAN;
}

static bool has_siblings(const struct sonde_tape *t, uint32_t span)
{
    if (t->spans[span].flags & SONDE_SPAN_ELEMENT || next_sibling(t, span) != SONDE_NO_SPAN) return true;
    for (uint32_t i = t->spans[span].parent + 1; i < span; i = t->spans[i].next)
        if (t->spans[i].label == t->spans[span].label) return true;
    return false;
}

static bool twin_at_large(struct sonde_mutate *m, struct sonde_tape *script)
{
    if (script->n_choices == 0) return false;
    uint32_t at = sonde_rng_upto(m->rng, 1) ? any(m, script->n_choices) : walk_to_choice(m, script);
    if (at == UINT32_MAX) return false;
    struct pair p = largest_pair(m, script, at);
    if (p.b == SONDE_NO_SPAN) return false;
    if (sonde_rng_unit(m->rng) < m->twinspan && twin_spans(m, script, p)) return true;
    uint32_t other = counterpart_choice(script, p, at);
    if (other == UINT32_MAX || !sonde_mutate_value(m, script, at)) return false;
    sonde_mutate_assign(m, script, other, script, at);
    return true;
}

/* Sets a choice and its counterpart, in two spans of one label and shape, to the same new value. So related values move
 * together, and differences elsewhere stay. */
bool sonde_mutate_twin(struct sonde_mutate *m, struct sonde_tape *script)
{
    if (sonde_rng_unit(m->rng) < large_share && twin_at_large(m, script)) return true;
    for (int i = 0; i < ATTEMPTS / 2; i++) {
        struct pair p = any_pair(m, script);
        if (p.b == SONDE_NO_SPAN) return false;
        uint32_t n = choices_in(script, p.a);
        if (n == 0 || script->spans[p.a].shape != script->spans[p.b].shape || n != choices_in(script, p.b)) continue;
        if (sonde_rng_unit(m->rng) < m->twinspan && twin_spans(m, script, p)) return true;
        uint32_t k = any(m, n);
        if (!sonde_mutate_value(m, script, script->spans[p.a].start + k)) continue;
        sonde_mutate_assign(m, script, script->spans[p.b].start + k, script, script->spans[p.a].start + k);
        return true;
    }
    return false;
}

bool sonde_mutate_splice(struct sonde_mutate *m, struct sonde_tape *script)
{
    const struct sonde_label_group *g = any_label(m, script, 1);
    for (int i = 0; g && i < ATTEMPTS / 2; i++) {
        const struct sonde_kept *kept = sonde_parents_any(m->parents, m->rng);
        uint32_t by = kept ? any_of_label(m, &kept->tape, g->label) : SONDE_NO_SPAN;
        if (by == SONDE_NO_SPAN) continue;
        replace(m, script, nth_of_label(script, g->label, any(m, g->n)), &kept->tape, by);
        return true;
    }
    return false;
}

/* Replaces a span by one of its descendants of the same label: a tree becomes its subtree. */
bool sonde_mutate_descendant(struct sonde_mutate *m, struct sonde_tape *script)
{
    for (int i = 0; script->n_spans > 1 && i < ATTEMPTS; i++) {
        uint32_t by = any_span(m, script), at = 0, found = 0;
        for (uint32_t a = script->spans[by].parent; a != 0; a = script->spans[a].parent)
            if (script->spans[a].label == script->spans[by].label && any(m, ++found) == 0) at = a;
        if (!found) continue;
        sonde_script_replace(&m->scratch, script, at, script, by);
        take_scratch(m, script);
        return true;
    }
    return false;
}

bool sonde_mutate_regenerate(struct sonde_mutate *m, struct sonde_tape *script)
{
    for (int i = 0; script->n_spans > 1 && i < ATTEMPTS; i++) {
        uint32_t at = any_span(m, script);
        if (choices_in(script, at) == 0) continue;
        script->spans[at].flags |= SONDE_SPAN_HOLE;
        return true;
    }
    return false;
}

/* ---- Lists, and other siblings of one label */

/* Adds an element at the end, which will be drawn; returns false if the list has its maximal length. */
static bool lengthen(struct sonde_tape *script, uint32_t list)
{
    uint32_t length = sonde_list_length(script, list);
    if (length == UINT32_MAX || script->choices[length].index >= script->choices[length].max) return false;
    script->choices[length].index++;
    return true;
}

static bool change_list(struct sonde_mutate *m, struct sonde_tape *script, uint32_t element)
{
    uint32_t parent = script->spans[element].parent, next = next_sibling(script, element), by;
    const struct sonde_tape *from;
    switch (sonde_rng_upto(m->rng, 4)) {
    case 0: sonde_script_without(&m->scratch, script, &element, 1); break;
    case 1: sonde_script_insert(&m->scratch, script, parent, element, script, element); break;
    case 2:
        sonde_script_insert(&m->scratch, script, parent, element, script, element);
        m->scratch.spans[element].flags |= SONDE_SPAN_HOLE;
        break;
    case 3:
        from = donor(m, script, script->spans[element].label, &by);
        sonde_script_insert(&m->scratch, script, parent, element, from, by);
        break;
    default:
        if (next == SONDE_NO_SPAN) return lengthen(script, parent);
        sonde_script_swap(&m->scratch, script, element, next);
        break;
    }
    take_scratch(m, script);
    return true;
}

bool sonde_mutate_list(struct sonde_mutate *m, struct sonde_tape *script)
{
    for (int i = 0; script->n_spans > 1 && i < ATTEMPTS; i++) {
        uint32_t span = any_span(m, script);
        if (has_siblings(script, span)) return change_list(m, script, span);
        if (script->spans[span].flags & SONDE_SPAN_LIST && lengthen(script, span)) return true;
    }
    return false;
}

/* ---- Choices, found through spans */

static uint32_t any_choice(struct sonde_mutate *m, const struct sonde_tape *t)
{
    return sonde_rng_upto(m->rng, 1) ? any(m, t->n_choices) : walk_to_choice(m, t);
}

bool sonde_mutate_leaf(struct sonde_mutate *m, struct sonde_tape *script)
{
    for (int i = 0; script->n_choices > 0 && i < ATTEMPTS; i++) {
        uint32_t at = any_choice(m, script);
        if (at != UINT32_MAX && sonde_mutate_value(m, script, at)) return true;
    }
    return false;
}

/* Changes the first choice of a span, which decides the form of the span. The replay carries over the parts that fit
 * the new form. */
bool sonde_mutate_constructor(struct sonde_mutate *m, struct sonde_tape *script)
{
    enum { FORMS = 64 }; /* a choice among more alternatives is hardly a choice between forms */
    for (int i = 0; script->n_spans > 1 && i < ATTEMPTS; i++) {
        uint32_t at = any_span(m, script);
        if (choices_in(script, at) == 0) continue;
        struct sonde_choice *c = &script->choices[script->spans[at].start];
        bool is_form = c->kind == SONDE_KIND_PICK || c->kind == SONDE_KIND_WEIGHTED || c->kind == SONDE_KIND_BOOL
                       || c->kind == SONDE_KIND_CHANCE;
        if (c->span != at || !is_form || c->max == 0 || c->max > FORMS) continue;
        c->index = (c->index + 1 + sonde_rng_upto(m->rng, c->max - 1)) % (c->max + 1);
        return true;
    }
    return false;
}

bool sonde_mutate_vary(struct sonde_mutate *m, struct sonde_tape *script)
{
    for (int i = 0; script->n_spans > 1 && i < ATTEMPTS; i++) {
        uint32_t at = any_span(m, script);
        if (choices_in(script, at) < 2) continue;
        bool changed = false;
        for (uint32_t k = script->spans[at].start; k < script->spans[at].end; k++)
            if (sonde_rng_unit(m->rng) < some_share) changed |= sonde_mutate_value(m, script, k);
        if (changed) return true;
    }
    return false;
}
