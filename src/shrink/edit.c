/* Editing a copy of the best tape. Values are changed in place; parts to remove are only marked, and one walk then
 * removes them all. So a candidate costs linear time however many parts it loses.
 *
 * Order of calls: begin, any number of edits, try. Edits of values and drops may be mixed in any order, because drops
 * only mark. permute and move_elements rebuild the script, so they must come before any drop. */
#include "shrink/pass.h"

#include "base/mem.h"

#include <string.h>

void sonde_edit_begin(struct sonde_shrinker *s)
{
    size_t n = (size_t)s->best.n_choices + s->best.n_spans;
    sonde_tape_copy(&s->script, &s->best);
    s->dropped = sonde_grow(s->dropped, &s->dropped_cap, n + 1, 1);
    /* There is one mark per choice, then one per span, of the tape that was just copied. */
    memset(s->dropped, 0, n);
    s->has_drops = false;
}

void sonde_edit_set(struct sonde_shrinker *s, uint32_t choice, uint64_t index)
{
    sonde_assert(choice < s->script.n_choices);
    s->script.choices[choice].index = index;
}

/* Writes a new record at the end of the side buffer. The old record stays, since other choices may refer to it. */
void sonde_edit_blob(struct sonde_shrinker *s, uint32_t choice, const uint32_t *symbols, uint32_t len)
{
    struct sonde_blob shape = sonde_choice_blob(&s->best, &s->best.choices[choice]);
    sonde_assert(len >= shape.min);
    uint32_t at = sonde_tape_add_blob(&s->script, &shape, symbols, len);
    s->script.choices[choice].base = at;
    s->script.choices[choice].index = len - shape.min;
}

/* For a blob, sets the shortest allowed length and all symbols to 0: NULL means zeros. */
void sonde_edit_simplest(struct sonde_shrinker *s, uint32_t choice)
{
    if (s->best.choices[choice].kind != SONDE_KIND_BLOB) sonde_edit_set(s, choice, 0);
    else sonde_edit_blob(s, choice, NULL, sonde_choice_blob(&s->best, &s->best.choices[choice]).min);
}

/* The choice must not be a list element. Once it is removed, later draws of its label read the choices after it. */
void sonde_edit_drop_choice(struct sonde_shrinker *s, uint32_t choice)
{
    sonde_assert(choice < s->script.n_choices);
    s->dropped[choice] = 1;
    s->has_drops = true;
}

void sonde_edit_empty_span(struct sonde_shrinker *s, uint32_t span)
{
    const struct sonde_tape_span *p = &s->script.spans[span];
    memset(s->dropped + p->start, 1, p->end - p->start);
    /* Descendants directly follow their span, up to `next`. */
    memset(s->dropped + s->script.n_choices + span + 1, 1, p->next - span - 1);
    s->has_drops = true;
}

void sonde_edit_drop_span(struct sonde_shrinker *s, uint32_t span)
{
    sonde_assert(span > 0 && span < s->script.n_spans); /* span 0 is the whole case, which stays */
    const struct sonde_tape_span *p = &s->script.spans[span];
    uint8_t *mark = &s->dropped[s->script.n_choices + span];
    /* The span was dropped with an ancestor, whose list has been adjusted. */
    if (*mark) return;
    sonde_edit_empty_span(s, span);
    *mark = 1;
    if (!(p->flags & SONDE_SPAN_ELEMENT) || p->flags & SONDE_SPAN_REJECTED) return;
    uint32_t length = sonde_list_length(&s->script, p->parent);
    if (length != UINT32_MAX && s->script.choices[length].index > 0) s->script.choices[length].index--;
}

/* Removes the marked parts from the script. First counts how many parts are kept before each position. That count is
 * the new index of the part at this position, and the new end of a span that ends there. So one table serves
 * all references. */
static void compact(struct sonde_shrinker *s)
{
    struct sonde_tape *t = &s->script;
    uint32_t n = t->n_choices, m = t->n_spans, kept = 0;
    s->shift = sonde_grow(s->shift, &s->shift_cap, (size_t)n + m + 2, sizeof *s->shift);
    uint32_t *choice_at = s->shift, *span_at = s->shift + n + 1;
    for (uint32_t i = 0; i < n; i++) {
        choice_at[i] = kept;
        kept += !s->dropped[i];
    }
    choice_at[n] = kept;
    kept = 0;
    for (uint32_t i = 0; i < m; i++) {
        span_at[i] = kept;
        kept += !s->dropped[n + i];
    }
    span_at[m] = kept;
    for (uint32_t i = 0; i < n; i++) {
        if (s->dropped[i]) continue;
        struct sonde_choice c = t->choices[i];
        c.span = span_at[c.span];
        t->choices[choice_at[i]] = c;
    }
    for (uint32_t i = 0; i < m; i++) {
        if (s->dropped[n + i]) continue;
        struct sonde_tape_span p = t->spans[i];
        p.parent = span_at[p.parent];
        p.start = choice_at[p.start];
        p.end = choice_at[p.end];
        p.next = span_at[p.next];
        t->spans[span_at[i]] = p;
    }
    t->n_choices = choice_at[n];
    t->n_spans = span_at[m];
    sonde_assert(t->n_spans > 0 && t->spans[0].end == t->n_choices && t->spans[0].next == t->n_spans);
    s->has_drops = false;
}

/* Compacts the script once, after all edits: they use the indices of the best tape. */
bool sonde_edit_try(struct sonde_shrinker *s)
{
    if (s->has_drops) compact(s);
    return sonde_try(s, &s->script);
}

/* ---- Rearranging. */

/* A run of choices together with a run of spans: [choice, choice_end) and [span, span_end) of the best tape. */
struct block {
    uint32_t choice, choice_end, span, span_end;
};

/* Appends a block of `best` to the script, whose parts up to here are final. Notes the new index of each span in
 * order_span, for reconnect. */
static void append_block(struct sonde_shrinker *s, struct block b)
{
    struct sonde_tape *t = &s->script;
    uint32_t choices = t->n_choices - b.choice, spans = t->n_spans - b.span; /* differences may wrap around */
    sonde_assert(b.choice <= b.choice_end && b.span <= b.span_end);
    /* sonde_edit_begin gave the script as much room as `best` has */
    sonde_assert(t->n_choices + (b.choice_end - b.choice) <= t->cap_choices);
    sonde_assert(t->n_spans + (b.span_end - b.span) <= t->cap_spans);
    for (uint32_t i = b.span; i < b.span_end; i++) {
        struct sonde_tape_span p = s->best.spans[i];
        s->order_span[i] = i + spans;
        p.start += choices;
        p.end += choices;
        p.next += spans;
        t->spans[t->n_spans++] = p;
    }
    for (uint32_t i = b.choice; i < b.choice_end; i++) t->choices[t->n_choices++] = s->best.choices[i];
}

/* Replaces the old indices of parents and owners by the new ones, after all blocks were appended. */
static void reconnect(struct sonde_shrinker *s)
{
    struct sonde_tape *t = &s->script;
    for (uint32_t i = 1; i < t->n_spans; i++) t->spans[i].parent = s->order_span[t->spans[i].parent];
    for (uint32_t i = 0; i < t->n_choices; i++) t->choices[i].span = s->order_span[t->choices[i].span];
}

static struct block block_of(const struct sonde_tape *t, uint32_t span)
{
    const struct sonde_tape_span *p = &t->spans[span];
    return (struct block){p->start, p->end, span, p->next};
}

/* Empties the script for append_block. It keeps its arrays and side bytes; choices and spans are written again. */
static void start_over(struct sonde_shrinker *s)
{
    s->order_span = sonde_grow(s->order_span, &s->order_span_cap, (size_t)s->best.n_spans + 1, sizeof *s->order_span);
    s->script.n_choices = s->script.n_spans = 0;
}

void sonde_edit_permute(struct sonde_shrinker *s, const uint32_t *spans, const uint32_t *order, uint32_t n)
{
    const struct sonde_tape *b = &s->best;
    struct block gap = {0, 0, 0, 0};
    start_over(s);
    for (uint32_t i = 0; i < n; i++) {
        struct block here = block_of(b, spans[i]), there = block_of(b, spans[order[i]]);
        /* The parts between the permuted spans stay where they are. */
        gap.choice_end = here.choice;
        gap.span_end = here.span;
        append_block(s, gap);
        append_block(s, there);
        /* the position of a span decides its label, and whether it is an element */
        uint32_t place = s->order_span[there.span];
        s->script.spans[place].label = b->spans[here.span].label;
        s->script.spans[place].flags = b->spans[here.span].flags;
        gap.choice = here.choice_end;
        gap.span = here.span_end;
    }
    gap.choice_end = b->n_choices;
    gap.span_end = b->n_spans;
    append_block(s, gap);
    sonde_assert(s->script.n_choices == b->n_choices
                 && s->script.n_spans == b->n_spans); /* every part was copied exactly once */
    /* Ancestors are in the first gap, which did not move, and hold as much as before. */
    reconnect(s);
}

/* Appends four blocks: up to the length of `a`; up to the length of `b`, without the elements of `a`; those elements;
 * the rest. Then corrects the spans around the old position and the new one, up to a span that holds both. */
void sonde_edit_move_elements(struct sonde_shrinker *s, uint32_t a, uint32_t b)
{
    const struct sonde_tape *t = &s->best;
    const struct sonde_tape_span *p = &t->spans[a], *q = &t->spans[b];
    uint32_t moved_choices = p->end - p->start - 1, moved_spans = p->next - a - 1, count = 0;
    for (uint32_t i = a + 1; i < p->next; i = t->spans[i].next) count += !(t->spans[i].flags & SONDE_SPAN_REJECTED);
    start_over(s);
    append_block(s, (struct block){0, p->start + 1, 0, a + 1});
    append_block(s, (struct block){p->end, q->start + 1, p->next, b + 1});
    uint32_t first = s->script.n_spans;
    append_block(s, (struct block){p->start + 1, p->end, a + 1, p->next});
    append_block(s, (struct block){q->start + 1, t->n_choices, b + 1, t->n_spans});
    reconnect(s);
    struct sonde_tape *c = &s->script;
    uint32_t length = q->start - moved_choices;
    sonde_assert(c->n_choices == t->n_choices && c->n_spans == t->n_spans);
    sonde_assert(p->next <= b && c->choices[length].kind == SONDE_KIND_LENGTH);
    for (uint32_t i = length + 1; i <= length + moved_choices; i++)
        if (c->choices[i].span == a) c->choices[i].span = s->order_span[b];
    for (uint32_t i = first; i < first + moved_spans; i++)
        if (c->spans[i].parent == a) c->spans[i].parent = s->order_span[b];
    /* Spans that held the elements before now end earlier; spans that hold them now grow by as much. */
    for (uint32_t i = a;; i = t->spans[i].parent) {
        if (t->spans[i].next > b) break;
        c->spans[i].end -= moved_choices;
        c->spans[i].next -= moved_spans;
        if (i == 0) break;
    }
    for (uint32_t i = b; t->spans[i].next > b && i > a; i = t->spans[i].parent) {
        c->spans[s->order_span[i]].end += moved_choices;
        c->spans[s->order_span[i]].next += moved_spans;
    }
    c->choices[p->start].index = 0;
    c->choices[length].index += count;
}

/* A higher index is refused here: the order of tapes would refuse it too, but only after a copy. */
bool sonde_try_index(struct sonde_shrinker *s, uint32_t choice, uint64_t index)
{
    if (choice >= s->best.n_choices || index >= s->best.choices[choice].index) return false;
    sonde_edit_begin(s);
    sonde_edit_set(s, choice, index);
    return sonde_edit_try(s);
}

bool sonde_try_number(struct sonde_shrinker *s, uint32_t choice, sonde_wide value)
{
    uint64_t index;
    if (choice >= s->best.n_choices || !sonde_number_index(&s->best, choice, value, &index)) return false;
    return sonde_try_index(s, choice, index);
}
