/* Passes that change the structure of a tape: lifting, emptying, joining, copying. Labels act as types: a span may
 * replace any other span of its label, because a generator that drew one could have drawn the other. The candidates of
 * these passes are guesses by that rule; the predicate decides. */
#include "shrink/pass.h"

enum {
    MAX_LIFTS = 16,  /* maximum number of descendants of a span that are tried */
    MAX_APART = 512, /* maximum number of spans between two lists that are joined, or between a span and its copy */
    NEAR = 3,        /* maximum number of candidates for each span, in `copy` and `absorb` */
};

/* ---- Lift: a span is replaced by one of its nearest descendants of the same label, as (+ a b) by a or by b. */

/* Tries the nearest descendants of a span; returns whether one helped. */
static bool lift_once(struct sonde_shrinker *s, uint32_t span)
{
    const struct sonde_tape *t = &s->best;
    unsigned tried = 0;
    for (uint32_t i = span + 1; i < t->spans[span].next && !sonde_is_past(s, tried, MAX_LIFTS) && !s->stopped;) {
        if (t->spans[i].label != t->spans[span].label) {
            i++;
            continue;
        }
        sonde_edit_begin(s);
        sonde_script_replace(&s->script, t, span, t, i);
        if (sonde_try(s, &s->script)) return true;
        tried++;
        i = t->spans[i].next;
    }
    return false;
}

/* (+ (* 2 3) 4) becomes (* 2 3), then 2. */
void sonde_pass_lift(struct sonde_shrinker *s)
{
    for (uint32_t i = 1; i < s->best.n_spans && !s->stopped; i++)
        while (i < s->best.n_spans && lift_once(s, i)) continue;
}

/* ---- Empty spans, the outer ones first: the spans inside an emptied one are gone. */

/* Reports whether emptying a span would change nothing. */
static bool is_simplest(const struct sonde_tape *t, uint32_t span)
{
    for (uint32_t i = t->spans[span].start; i < t->spans[span].end; i++) {
        if (t->choices[i].index) return false;
        if (t->choices[i].kind == SONDE_KIND_BLOB && sonde_choice_blob(t, &t->choices[i]).len) return false;
    }
    return true;
}

void sonde_pass_empty_spans(struct sonde_shrinker *s)
{
    for (uint32_t i = 1; i < s->best.n_spans && !s->stopped;) {
        const struct sonde_tape_span *p = &s->best.spans[i];
        if (p->end - p->start < 2) { /* a span of one choice is left to the pass `lower` */
            i++;
            continue;
        }
        if (is_simplest(&s->best, i)) {
            i = p->next;
            continue;
        }
        sonde_edit_begin(s);
        sonde_edit_empty_span(s, i);
        if (sonde_edit_try(s) && i < s->best.n_spans) i = s->best.spans[i].next;
        else i++;
    }
}

/* ---- Join lists: one list takes over the elements of another. */

/* Returns the outermost span that holds a but not b; a comes first. */
static uint32_t apart(const struct sonde_tape *t, uint32_t a, uint32_t b)
{
    /* so the loop ends at the latest below the root, which holds both */
    sonde_assert(t->spans[a].next <= b && b < t->n_spans);
    /* Climbs to the last ancestor that ends before b begins. */
    while (t->spans[t->spans[a].parent].next <= b) a = t->spans[a].parent;
    return a;
}

/* Tries to move the elements of list a to list b. With `drops`, list a is in an element of an outer list, and that
 * element is dropped. */
static bool join(struct sonde_shrinker *s, uint32_t a, uint32_t b, bool drops)
{
    const struct sonde_tape *t = &s->best;
    uint32_t holder = apart(t, a, b);
    if (drops && !(t->spans[holder].flags & SONDE_SPAN_ELEMENT)) return false;
    sonde_edit_begin(s);
    sonde_edit_move_elements(s, a, b);
    if (drops) sonde_edit_drop_span(s, holder);
    return sonde_edit_try(s);
}

/* Returns the next list of the same label that begins after `a` ends, or 0 if it lacks room for the elements of `a`.
 * Lists are joined pairwise, so no others need to be tried. */
static uint32_t partner(struct sonde_shrinker *s, uint32_t a)
{
    const struct sonde_tape *t = &s->best;
    uint32_t from = sonde_list_length(t, a);
    if (from == UINT32_MAX || t->spans[a].next == a + 1) return 0;
    for (uint32_t b = t->spans[a].next; b < t->n_spans && !sonde_is_past(s, b, (uint64_t)a + MAX_APART); b++) {
        uint32_t to = sonde_list_length(t, b);
        if (t->spans[b].label != t->spans[a].label || to == UINT32_MAX) continue;
        const struct sonde_choice *x = &t->choices[from], *y = &t->choices[to];
        uint64_t moved = x->base + x->index;
        return moved <= y->max - y->index ? b : 0;
    }
    return 0;
}

/* [[1], [2]] becomes [[1, 2]]. */
void sonde_pass_join_lists(struct sonde_shrinker *s)
{
    for (uint32_t a = 1; a < s->best.n_spans && !s->stopped; a++) {
        uint32_t b = partner(s, a);
        while (b && !s->stopped && (join(s, a, b, true) || join(s, a, b, false)))
            b = a < s->best.n_spans ? partner(s, a) : 0;
    }
}

/* ---- Copy: a span takes over the content of another span of its label that begins with a simpler alternative. */

/* Reports whether span a can replace span b, and begins with a simpler alternative. */
static bool is_simpler(const struct sonde_tape *t, uint32_t a, uint32_t b)
{
    const struct sonde_tape_span *p = &t->spans[a], *q = &t->spans[b];
    if (p->label != q->label || p->end - p->start < 2 || q->end - q->start < 2) return false;
    return t->choices[p->start].index < t->choices[q->start].index;
}

/* Begins at the last span, and tries only few candidates: most copies change nothing that matters. */
void sonde_pass_copy(struct sonde_shrinker *s)
{
    for (uint32_t i = 1; i < s->best.n_spans && !s->stopped; i++) {
        const struct sonde_tape *t = &s->best;
        unsigned tried = 0;
        uint32_t end = sonde_is_past(s, t->n_spans, (uint64_t)i + MAX_APART) ? i + MAX_APART : t->n_spans;
        for (uint32_t k = end; k-- > 1 && !sonde_is_past(s, tried, NEAR) && !s->stopped;) {
            bool nested = (k < i && t->spans[k].next > i) || (k > i && k < t->spans[i].next);
            if (nested || !is_simpler(t, k, i)) continue;
            sonde_edit_begin(s);
            sonde_script_replace(&s->script, t, i, t, k);
            tried++;
            if (sonde_try(s, &s->script)) break;
        }
    }
}

/* ---- Absorb: a node takes over the values of a descendant of its label, and that descendant is dropped with its list
 * element. The other descendants stay, unlike in a lift. */

/* Returns the next choice at or after i that is directly in a span, or the end of the span if there is none. */
static uint32_t next_direct(const struct sonde_tape *t, uint32_t span, uint32_t i)
{
    while (i < t->spans[span].end && t->choices[i].span != span) i++;
    return i;
}

/* Tries to copy the values of `from` to `span`, as long as label and kind agree, and drops the element of `from`. */
static bool absorb(struct sonde_shrinker *s, uint32_t span, uint32_t from)
{
    const struct sonde_tape *t = &s->best;
    uint32_t element = from, i = next_direct(t, span, t->spans[span].start);
    while (element > span && !(t->spans[element].flags & SONDE_SPAN_ELEMENT)) element = t->spans[element].parent;
    if (element <= span) return false;
    sonde_edit_begin(s);
    for (uint32_t k = next_direct(t, from, t->spans[from].start); k < t->spans[from].end && i < t->spans[span].end;) {
        if (t->choices[i].label != t->choices[k].label || t->choices[i].kind != t->choices[k].kind) break;
        s->script.choices[i].index = t->choices[k].index;
        s->script.choices[i].base = t->choices[k].base;
        s->script.choices[i].max = t->choices[k].max;
        i = next_direct(t, span, i + 1);
        k = next_direct(t, from, k + 1);
    }
    sonde_edit_drop_span(s, element);
    return sonde_edit_try(s);
}

/* A tree with root 9 and a child 3 becomes a tree with root 3 without that child. */
void sonde_pass_absorb(struct sonde_shrinker *s)
{
    for (uint32_t i = 1; i < s->best.n_spans && !s->stopped; i++) {
        unsigned tried = 0;
        for (uint32_t k = i + 1;
             i < s->best.n_spans && k < s->best.spans[i].next && !sonde_is_past(s, tried, NEAR) && !s->stopped;) {
            const struct sonde_tape_span *p = &s->best.spans[k];
            if (p->label != s->best.spans[i].label || p->flags & SONDE_SPAN_LIST) {
                k++;
                continue;
            }
            k = p->next;
            tried++;
            if (absorb(s, i, (uint32_t)(p - s->best.spans))) break;
        }
    }
}
