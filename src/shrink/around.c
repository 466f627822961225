/* Passes that replace what is around a part, and keep the part. They are about values with alternatives of different
 * shapes: an object around a value becomes an array around it, an absolute reference a relative one. */
#include "shrink/pass.h"

enum {
    NEAR = 4,          /* maximum number of candidates for each span in `rewrap` */
    MAX_APART = 512,   /* maximum number of spans between a span and the one whose outside it gets */
    LEVELS = 4,        /* maximum number of spans, each in the one before it, that `relabel` renames */
    LOWEST = 8,        /* number of lowest alternatives that `relabel` tries */
    ALTERNATIVES = 64, /* a number with this many values or more selects no alternative */
};

/* ---- Rewrap: a span gets the outside of another span. The outside is all but the nearest descendant of its label. */

/* Returns the next of the nearest descendants of a span that have its label, from span `from` on; 0: none. */
static uint32_t next_inner(const struct sonde_tape *t, uint32_t span, uint32_t from)
{
    for (uint32_t i = from; i < t->spans[span].next; i++)
        if (t->spans[i].label == t->spans[span].label) return i;
    return 0;
}

static uint32_t size(const struct sonde_tape *t, uint32_t span)
{
    return t->spans[span].end - t->spans[span].start;
}

/* Makes the script with the outside of `other`, which is around its first inner part, around `part` of `span`. */
static void wrap(struct sonde_shrinker *s, uint32_t span, uint32_t part, uint32_t other)
{
    const struct sonde_tape *t = &s->best;
    struct sonde_tape wrapped;
    sonde_tape_init(&wrapped);
    sonde_script_replace(&wrapped, t, next_inner(t, other, other + 1), t, part);
    sonde_edit_begin(s);
    sonde_script_replace(&s->script, t, span, &wrapped, other);
    sonde_tape_clear(&wrapped);
}

/* Returns the first of the spans [from, end) that has a smaller outside than `span` has around a part; 0: none. */
static uint32_t next_outside(const struct sonde_tape *t, uint32_t span, uint32_t part, uint32_t from, uint32_t end)
{
    uint32_t own = size(t, span) - size(t, part);
    for (uint32_t i = from; i < end; i++) {
        uint32_t inner = t->spans[i].label == t->spans[span].label && i != span ? next_inner(t, i, i + 1) : 0;
        if (inner && size(t, i) - size(t, inner) < own) return i;
    }
    return 0;
}

/* Tries the outsides of spans near this one, smaller ones than its own, around a part; returns whether one helped. */
static bool rewrap_part(struct sonde_shrinker *s, uint32_t span, uint32_t part)
{
    const struct sonde_tape *t = &s->best;
    uint32_t first = sonde_is_past(s, span, MAX_APART) ? span - MAX_APART + 1 : 1, tried = 0;
    uint32_t end = sonde_is_past(s, t->n_spans, (uint64_t)span + MAX_APART) ? span + MAX_APART : t->n_spans;
    uint32_t i = next_outside(t, span, part, first, end);
    while (i && !sonde_is_past(s, tried++, NEAR) && !s->stopped) {
        wrap(s, span, part, i);
        if (sonde_try(s, &s->script)) return true;
        i = next_outside(t, span, part, i + 1, end);
    }
    return false;
}

static bool rewrap_once(struct sonde_shrinker *s, uint32_t span)
{
    uint32_t part = next_inner(&s->best, span, span + 1);
    for (uint32_t tried = 0; part && !sonde_is_past(s, tried, NEAR) && !s->stopped; tried++) {
        if (rewrap_part(s, span, part)) return true;
        part = next_inner(&s->best, span, s->best.spans[part].next);
    }
    return false;
}

/* {"": [[1]]} becomes [[[1]]]. */
void sonde_pass_rewrap(struct sonde_shrinker *s)
{
    for (uint32_t i = 1; i < s->best.n_spans && !s->stopped; i++)
        while (i < s->best.n_spans && rewrap_once(s, i)) continue;
}

/* ---- Relabel: a lower alternative, whose spans have other labels. The spans of the old one get these labels, so that
 * the parts which both have are kept. A run without that shows the labels. */

/* Returns the first child of `span` that has this label; 0: none. */
static uint32_t child_of(const struct sonde_tape *t, uint32_t span, uint32_t label)
{
    for (uint32_t i = span + 1; i < t->spans[span].next; i = t->spans[i].next)
        if (t->spans[i].label == label) return i;
    return 0;
}

/* Returns the largest child of span a whose label no child of span b of the other tape has; 0: none. */
static uint32_t odd_child(const struct sonde_tape *t, uint32_t a, const struct sonde_tape *other, uint32_t b)
{
    uint32_t best = 0;
    for (uint32_t i = a + 1; i < t->spans[a].next; i = t->spans[i].next)
        if (!child_of(other, b, t->spans[i].label) && (!best || size(t, i) > size(t, best))) best = i;
    return best;
}

/* Gives a span of the script another label. If a descendant has that label, only it is kept, in place of the span. */
static void give_label(struct sonde_shrinker *s, uint32_t span, uint32_t label)
{
    uint32_t part = span + 1;
    while (part < s->script.spans[span].next && s->script.spans[part].label != label) part++;
    if (part < s->script.spans[span].next) {
        struct sonde_tape before;
        sonde_tape_init(&before);
        sonde_tape_copy(&before, &s->script);
        sonde_script_replace(&s->script, &before, span, &before, part);
        sonde_tape_clear(&before);
    }
    s->script.spans[span].label = label;
}

/* Renames the first span of the script, in span a, that has another label in span b of the last run. Returns whether
 * there is one. Spans that are too deep are left out. */
static bool rename_span(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    const struct sonde_tape *t = &s->script, *ran = &s->actual;
    for (int level = 0;; level++) {
        uint32_t mine = odd_child(t, a, ran, b), theirs = odd_child(ran, b, t, a);
        if (mine && theirs && level >= LEVELS) {
            sonde_leave_out(s);
            break;
        }
        if (mine && theirs) {
            give_label(s, mine, ran->spans[theirs].label);
            return true;
        }
        if (a + 1 >= t->spans[a].next) break;
        a++; /* the first child */
        b = child_of(ran, b, t->spans[a].label);
        if (!b) break;
    }
    return false;
}

/* Tries a lower alternative for a choice, with as many spans renamed as helps. Returns whether the next alternative is
 * worth a try: not if this one helped. */
static bool relabel(struct sonde_shrinker *s, uint32_t choice, uint64_t index)
{
    uint32_t span = s->best.choices[choice].span;
    sonde_edit_begin(s);
    sonde_edit_set(s, choice, index);
    for (int level = 0; level <= LEVELS && !s->stopped; level++) {
        if (sonde_try_once(s, &s->script)) return false;
        if (!s->was_run && !sonde_rerun(s, &s->script)) return false;
        if (span >= s->actual.n_spans || s->actual.spans[span].start != s->best.spans[span].start) return true;
        if (!rename_span(s, span, span)) return true;
    }
    sonde_leave_out(s); /* the last names that it gave were not tried */
    return true;
}

/* URI{scheme=a host=b} becomes relative{host=b}. */
void sonde_pass_relabel(struct sonde_shrinker *s)
{
    for (uint32_t i = 1; i < s->best.n_spans && !s->stopped; i++) {
        uint32_t choice = s->best.spans[i].start - 1; /* before the span, so that it may decide about it */
        if (s->best.spans[i].start == 0 || s->best.choices[choice].span != s->best.spans[i].parent) continue;
        const struct sonde_choice c = s->best.choices[choice];
        bool is_pick = c.kind == SONDE_KIND_PICK || c.kind == SONDE_KIND_WEIGHTED;
        if (c.kind == SONDE_KIND_BLOB || c.kind == SONDE_KIND_LENGTH || (!is_pick && c.max >= ALTERNATIVES)) continue;
        uint64_t index = 0;
        while (index < c.index && !sonde_is_past(s, index, LOWEST) && !s->stopped && relabel(s, choice, index)) index++;
    }
}
