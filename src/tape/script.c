/* Follows a script by labels, and makes scripts by cutting and joining tapes. See script.h.
 *
 * The first half is the reader, which the case drives: begin, then open, next and close in the order of the run. It
 * owns a stack of frames, and for each part of the script a byte that records whether the part was used. The script
 * itself stays unchanged. The second half copies a tape with edits. Both work in the caller's heap and know nothing of
 * guides or cases.
 *
 * Each part of a script is used at most once, which keeps a list of equal elements in order. It also makes the cost
 * of a run linear: the marks `choice` and `child` only move forward over used parts. */
#include "tape/script.h"

#include "base/limit.h"
#include "base/mem.h"
#include "tape/label.h"
#include "tape/text.h"

#include <string.h>

/* A draw whose label the script lacks searches at most this many parts, so that a script with stale parts costs
 * linear time. */
enum { LOOK_AHEAD = SONDE_LIMIT(1024, 16) };

/* The next part nearly always follows the last one taken. An exception: if f(draw a, draw b) is evaluated in the
 * other order, `b` is taken first and `a` lies before it. So up to this many parts that were passed over are searched
 * first. */
enum { LOOK_BEHIND = SONDE_LIMIT(32, 1) };

void sonde_script_init(struct sonde_script_reader *reader)
{
    memset(reader, 0, sizeof *reader);
}

void sonde_script_clear(struct sonde_script_reader *reader)
{
    sonde_free(reader->frames);
    sonde_free(reader->used);
    sonde_script_init(reader);
}

static inline void push_frame(struct sonde_script_reader *r, uint32_t span)
{
    sonde_assert(span == SONDE_NO_SPAN || span < r->script->n_spans);
    if (r->depth == r->cap) r->frames = sonde_grow(r->frames, &r->cap, (size_t)r->depth + 1, sizeof *r->frames);
    struct sonde_script_frame *f = &r->frames[r->depth++];
    *f = (struct sonde_script_frame){.span = span};
    if (span == SONDE_NO_SPAN) return;
    f->end = r->script->spans[span].end;
    f->choice = f->after_choice = r->script->spans[span].start;
    f->child = f->after_child = span + 1;
}

/* Clears the marks, which takes time linear in the script even for a run that ends at its first draw. */
void sonde_script_begin_at(struct sonde_script_reader *reader, const struct sonde_tape *script, uint32_t span)
{
    size_t n = (size_t)script->n_choices + script->n_spans;
    reader->used = sonde_grow(reader->used, &reader->used_cap, n, 1);
    if (n) memset(reader->used, 0, n);
    reader->script = script;
    reader->depth = 0;
    reader->drawn = 0;
    reader->strayed = false;
    push_frame(reader, span);
}

/* Notes only the first deviation: later deviations mostly follow from it. */
static void stray(struct sonde_script_reader *r)
{
    if (r->strayed) return;
    r->strayed = true;
    r->first_stray = r->drawn;
}

/* ---- Spans */

static bool child_matches(const struct sonde_script_reader *r, uint32_t child, uint32_t label)
{
    const struct sonde_tape_span *s = &r->script->spans[child];
    bool matches = label == SONDE_ANY_ELEMENT ? s->flags & SONDE_SPAN_ELEMENT : s->label == label;
    return matches && !r->used[r->script->n_choices + child];
}

/* Searches in the order of likelihood: the few parts that were passed over, then the part after the last one taken,
 * then later parts. The first part with the label is taken, so that equal parts keep their order. */
static uint32_t find_child(const struct sonde_script_reader *r, struct sonde_script_frame *f, uint32_t label)
{
    const struct sonde_tape_span *spans = r->script->spans;
    uint32_t end = spans[f->span].next, looked = 0;
    if (f->child == f->after_child && f->child < end && child_matches(r, f->child, label)) return f->child;
    /* Moves past used parts for good, so that the next search begins there. */
    while (f->child < end && r->used[r->script->n_choices + f->child]) f->child = spans[f->child].next;
    for (uint32_t i = f->child; i < f->after_child && looked < LOOK_BEHIND; i = spans[i].next, looked++)
        if (child_matches(r, i, label)) return i;
    if (f->after_child < end && child_matches(r, f->after_child, label)) return f->after_child;
    looked = 0;
    for (uint32_t i = f->child; i < end && looked < LOOK_AHEAD; i = spans[i].next, looked++)
        if (child_matches(r, i, label)) return i;
    return SONDE_NO_SPAN;
}

static uint32_t direct(const struct sonde_tape *script, uint32_t span, uint32_t p);

/* Returns whether a child lies between the last choice taken and the next one. */
static bool is_next_part(const struct sonde_tape *script, const struct sonde_script_frame *f, uint32_t child)
{
    uint32_t start = script->spans[child].start;
    return start >= f->after_choice && start <= direct(script, f->span, f->after_choice);
}

void sonde_script_open(struct sonde_script_reader *reader, uint32_t label)
{
    sonde_script_check(reader);
    struct sonde_script_frame *f = &reader->frames[reader->depth - 1];
    uint32_t child = f->span == SONDE_NO_SPAN ? SONDE_NO_SPAN : find_child(reader, f, label);
    /* After a turned choice, a child further on belongs to a later choice. Taking it would shift the rest of the
     * span by one. */
    if (child == SONDE_NO_SPAN || (f->turned && !is_next_part(reader->script, f, child))) {
        stray(reader);
        push_frame(reader, SONDE_NO_SPAN);
        return;
    }
    const struct sonde_tape_span *spans = reader->script->spans;
    sonde_assert(!reader->used[reader->script->n_choices + child]); /* each part is used at most once */
    reader->used[reader->script->n_choices + child] = 1;
    f->after_child = spans[child].next;
    if (f->child == child) f->child = f->after_child;
    /* A hole counts as used like any child, but provides no values. */
    push_frame(reader, spans[child].flags & SONDE_SPAN_HOLE ? SONDE_NO_SPAN : child);
}

uint32_t sonde_script_elements_left(const struct sonde_script_reader *reader)
{
    const struct sonde_tape *script = reader->script;
    uint32_t list = reader->frames[reader->depth - 1].span, n = 0;
    if (list == SONDE_NO_SPAN) return 0;
    for (uint32_t i = list + 1; i < script->spans[list].next; i = script->spans[i].next)
        n += child_matches(reader, i, SONDE_ANY_ELEMENT);
    return n;
}

/* ---- Choices */

#ifdef SONDE_CHECKED

static void check_frame(const struct sonde_script_reader *r, uint32_t i)
{
    const struct sonde_script_frame *f = &r->frames[i];
    if (f->span == SONDE_NO_SPAN) return;
    const struct sonde_tape_span *s = &r->script->spans[f->span];
    sonde_assert(f->span < r->script->n_spans);
    sonde_assert(s->start <= f->choice && f->choice <= s->end);
    sonde_assert(s->start <= f->after_choice && f->after_choice <= s->end);
    sonde_assert(f->span < f->child && f->child <= s->next);
    sonde_assert(f->span < f->after_child && f->after_child <= s->next);
    bool is_within = i == 0 || r->frames[i - 1].span == SONDE_NO_SPAN || s->parent == r->frames[i - 1].span;
    sonde_assert(is_within);
}

/* Checks the top frame only; the others were checked when they were on top. */
void sonde_script_check(const struct sonde_script_reader *reader)
{
    sonde_assert(reader->script && reader->depth > 0 && reader->depth <= reader->cap);
    check_frame(reader, reader->depth - 1);
}

#endif

/* Returns the first position at or after p that is a direct choice of the span: whole children are skipped. */
static uint32_t direct(const struct sonde_tape *script, uint32_t span, uint32_t p)
{
    uint32_t end = script->spans[span].end;
    while (p < end && script->choices[p].span != span) {
        uint32_t child = script->choices[p].span;
        while (script->spans[child].parent != span) child = script->spans[child].parent;
        p = script->spans[child].end;
    }
    return p;
}

static bool choice_matches(const struct sonde_script_reader *r, uint32_t p, uint32_t label)
{
    return r->script->choices[p].label == label && !r->used[p];
}

/* Like find_child, for the direct choices of the span. Usually no choice was passed over, and the first comparison
 * succeeds. */
static uint32_t find_choice(const struct sonde_script_reader *r, struct sonde_script_frame *f, uint32_t label)
{
    uint32_t end = r->script->spans[f->span].end, looked = 0, from = f->choice;
    f->choice = direct(r->script, f->span, from);
    if (from == f->after_choice && f->choice < end && choice_matches(r, f->choice, label)) return f->choice;
    while (f->choice < end && r->used[f->choice]) f->choice = direct(r->script, f->span, f->choice + 1);
    uint32_t p = f->choice;
    for (; p < f->after_choice && looked < LOOK_BEHIND; p = direct(r->script, f->span, p + 1), looked++)
        if (choice_matches(r, p, label)) return p;
    p = direct(r->script, f->span, f->after_choice);
    if (p < end && choice_matches(r, p, label)) return p;
    looked = 0;
    for (p = f->choice; p < end && looked < LOOK_AHEAD; p = direct(r->script, f->span, p + 1), looked++)
        if (choice_matches(r, p, label)) return p;
    return UINT32_MAX;
}

/* Drops obsolete children when the run takes choice p. Children that belonged to the old value of a turned choice must
 * not be mistaken for later ones. */
static void pass_over(struct sonde_script_reader *r, struct sonde_script_frame *f, uint32_t p)
{
    const struct sonde_tape_span *spans = r->script->spans;
    f->turned = false;
    for (uint32_t i = f->child; i < spans[f->span].next && spans[i].start <= p; i = spans[i].next)
        if (spans[i].start >= f->after_choice) r->used[r->script->n_choices + i] = 1;
}

const struct sonde_choice *sonde_script_next(struct sonde_script_reader *reader, uint32_t label)
{
    sonde_script_check(reader);
    struct sonde_script_frame *f = &reader->frames[reader->depth - 1];
    uint32_t p = f->span == SONDE_NO_SPAN ? UINT32_MAX : find_choice(reader, f, label);
    if (p == UINT32_MAX) stray(reader);
    reader->drawn++;
    if (p == UINT32_MAX) return NULL;
    if (f->turned) pass_over(reader, f, p);
    sonde_assert(p < reader->script->n_choices && !reader->used[p]);
    reader->used[p] = 1;
    f->after_choice = p + 1;
    if (f->choice == p) f->choice = p + 1;
    const struct sonde_choice *c = &reader->script->choices[p];
    f->turned = c->flags & SONDE_CHOICE_TURNED;
    return c->flags & SONDE_CHOICE_HOLE ? NULL : c;
}

bool sonde_script_same_bounds(const struct sonde_tape *a, const struct sonde_choice *x, const struct sonde_tape *b,
                              const struct sonde_choice *y)
{
    return memcmp(a->bytes + x->base, b->bytes + y->base, sizeof(struct sonde_double_bounds)) == 0;
}

/* The fast case is the common one: a replay by the same generator. Otherwise the value decides, so that x=3 means 3
 * in another range. */
uint64_t sonde_script_index(const struct sonde_script_reader *reader, const struct sonde_choice *from,
                            const struct sonde_tape *tape, const struct sonde_choice *point)
{
    if (sonde_script_is_same(reader, from, tape, point)) return from->index;
    struct sonde_value value;
    bool fits;
    if (from->kind == SONDE_KIND_BLOB) return 0;
    if (from->kind != SONDE_KIND_LITERAL) value = sonde_choice_value(reader->script, from);
    else if (!sonde_literal_value(reader->script, from, &value)) return 0;
    return sonde_choice_index(tape, point, value, &fits);
}

static bool same_alphabet(const struct sonde_alphabet *a, const struct sonde_alphabet *b)
{
    if (a->kind != b->kind || a->size != b->size) return false;
    return a->kind != SONDE_ALPHABET_CUSTOM || strcmp(a->text, b->text) == 0;
}

uint32_t sonde_script_symbols(const struct sonde_script_reader *reader, const struct sonde_choice *from,
                              const struct sonde_alphabet *alphabet, uint32_t *symbols, uint32_t max)
{
    if (from->kind == SONDE_KIND_LITERAL) return sonde_literal_symbols(reader->script, from, alphabet, symbols, max);
    if (from->kind != SONDE_KIND_BLOB) return 0;
    struct sonde_blob blob = sonde_choice_blob(reader->script, from);
    /* Characters that the draw's alphabet lacks are left out, not folded: a word without one letter is closer to the
     * original than a wrong word. */
    uint32_t n = 0;
    if (same_alphabet(&blob.alphabet, alphabet)) return sonde_blob_read(&blob, symbols, max);
    for (uint32_t i = 0; i < blob.len && n < max; i++) {
        symbols[n] = sonde_alphabet_symbol(alphabet, sonde_alphabet_code(&blob.alphabet, sonde_blob_symbol(&blob, i)));
        n += symbols[n] < alphabet->size;
    }
    return n;
}

/* ---- Editing. One walk copies a tape in order and applies a sorted list of edits. */

/* One edit of a tape that is copied. */
struct edit {
    enum { DROP, REPLACE, BEFORE, LAST } how;
    uint32_t at; /* index of the edited span in the copied tape; for LAST, index of the parent */
    const struct sonde_tape *other;
    uint32_t by;
};

/* A span that is open both in the copied tape and in the copy. */
struct open_span {
    uint32_t from, to;
    uint32_t length_at; /* index of the choice in the copy that holds the list's length; UINT32_MAX: none */
};

/* The state of a copy. `open[0]` is span 0 on both sides. Every choice of `from` before `at` was copied or left out.
 * `edit` is the first edit that the walk has not reached. A LAST edit is applied when its parent closes, others when
 * their span would open. */
struct copier {
    struct sonde_tape *to;
    const struct sonde_tape *from;
    const struct edit *edits;      /* sorted by `at`; the spans of two edits do not overlap */
    uint32_t n_edits, edit;        /* edit: index of the next edit to apply that is not LAST */
    uint32_t drop_start, drop_end; /* range of choices to leave out */
    struct open_span *open;
    uint32_t depth, cap;
    uint32_t at; /* index of the next choice of `from` */
};

/* Adjusts a list's length when an element is added or dropped. A rejected element never counted; a list whose length
 * is a literal or is missing has nothing to adjust. */
static void adjust_length(struct copier *k, uint32_t element_flags, int by)
{
    const struct open_span *list = &k->open[k->depth - 1];
    if (!(element_flags & SONDE_SPAN_ELEMENT) || element_flags & SONDE_SPAN_REJECTED) return;
    if (list->length_at == UINT32_MAX) return;
    sonde_assert(list->length_at < k->to->n_choices && k->to->choices[list->length_at].kind == SONDE_KIND_LENGTH);
    struct sonde_choice *length = &k->to->choices[list->length_at];
    if (by < 0 && length->index > 0) length->index--;
    if (by > 0 && length->index < length->max) length->index++;
}

static void copy_choices(struct copier *k, uint32_t end)
{
    struct open_span *top = &k->open[k->depth - 1];
    for (; k->at < end; k->at++) {
        if (k->at >= k->drop_start && k->at < k->drop_end) continue;
        struct sonde_choice c = k->from->choices[k->at];
        c.span = top->to;
        uint32_t at = sonde_tape_add(k->to, &c);
        if (c.kind == SONDE_KIND_LENGTH && top->length_at == UINT32_MAX) top->length_at = at;
    }
}

/* Appends the side bytes of another tape; returns the distance by which offsets into these bytes move. */
static uint32_t import_bytes(struct sonde_tape *to, const struct sonde_tape *other)
{
    return other->n_bytes ? sonde_tape_add_bytes(to, other->bytes, other->n_bytes) : 0;
}

static bool has_side_record(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_BLOB || c->kind == SONDE_KIND_DOUBLE || c->kind == SONDE_KIND_LITERAL;
}

/* Moves the reference to a custom alphabet, which is an offset into the side buffer. Two choices may share one record,
 * so the new value is computed from the record as it was, not from the copy. */
static void relocate_blob(struct sonde_tape *tape, const struct sonde_tape *other, uint64_t base, uint32_t shift)
{
    enum { ALPHABET = 12, TEXT = 16 }; /* layout: see blob.h */
    uint32_t reference;
    memcpy(&reference, other->bytes + base + ALPHABET, sizeof reference);
    if (reference < TEXT) return;
    reference += shift;
    memcpy(tape->bytes + base + shift + ALPHABET, &reference, sizeof reference);
}

/* Appends a whole span of some tape under the innermost open span. */
static void copy_subtree(struct copier *k, const struct sonde_tape *other, uint32_t by, uint32_t label, uint32_t flags)
{
    sonde_assert(by < other->n_spans && k->depth > 0);
    const struct sonde_tape_span *s = &other->spans[by];
    uint32_t shift = other == k->from ? 0 : import_bytes(k->to, other);
    /* Differences between indices in `to` and indices in `other`. */
    uint32_t spans = k->to->n_spans - by, choices = k->to->n_choices - s->start; /* wrap-around is fine */
    for (uint32_t i = by; i < s->next; i++) {
        uint32_t parent = i == by ? k->open[k->depth - 1].to : other->spans[i].parent + spans;
        uint32_t copy = sonde_tape_open(k->to, parent, other->spans[i].label, other->spans[i].flags);
        k->to->spans[copy].start = other->spans[i].start + choices;
        k->to->spans[copy].end = other->spans[i].end + choices;
        k->to->spans[copy].next = other->spans[i].next + spans;
        if (i == by) k->to->spans[copy].label = label, k->to->spans[copy].flags = flags;
    }
    for (uint32_t i = s->start; i < s->end; i++) {
        struct sonde_choice c = other->choices[i];
        c.span += spans;
        if (shift && has_side_record(&c)) c.base += shift;
        sonde_tape_add(k->to, &c);
        if (shift && c.kind == SONDE_KIND_BLOB) relocate_blob(k->to, other, other->choices[i].base, shift);
    }
}

static void copy_whole(struct copier *k, const struct edit *e)
{
    /* An inserted part keeps its label and flags; a replacement takes the label and flags of the part that it
     * replaces. */
    copy_subtree(k, e->other, e->by, e->other->spans[e->by].label, e->other->spans[e->by].flags);
    adjust_length(k, e->other->spans[e->by].flags, +1);
}

static void close_top(struct copier *k)
{
    struct open_span *top = &k->open[k->depth - 1];
    copy_choices(k, k->from->spans[top->from].end);
    for (uint32_t i = 0; i < k->n_edits; i++)
        if (k->edits[i].how == LAST && k->edits[i].at == top->from) copy_whole(k, &k->edits[i]);
    sonde_tape_close(k->to, top->to);
    k->depth--;
}

static void open_copy(struct copier *k, uint32_t span)
{
    const struct sonde_tape_span *s = &k->from->spans[span];
    uint32_t parent = k->depth ? k->open[k->depth - 1].to : 0;
    uint32_t to = sonde_tape_open(k->to, parent, s->label, s->flags);
    k->open = sonde_grow(k->open, &k->cap, (size_t)k->depth + 1, sizeof *k->open);
    k->open[k->depth++] = (struct open_span){.from = span, .to = to, .length_at = UINT32_MAX};
}

/* Applies the edits at a span; returns whether they replaced or dropped the span itself. */
static bool apply(struct copier *k, uint32_t span)
{
    const struct sonde_tape_span *s = &k->from->spans[span];
    for (; k->edit < k->n_edits && k->edits[k->edit].at <= span; k->edit++) {
        const struct edit *e = &k->edits[k->edit];
        if (e->at != span || e->how == LAST) continue;
        if (e->how == BEFORE) {
            copy_whole(k, e);
            continue;
        }
        if (e->how == DROP) adjust_length(k, s->flags, -1);
        else copy_subtree(k, e->other, e->by, s->label, s->flags);
        k->at = s->end;
        k->edit++;
        return true;
    }
    return false;
}

/* Walks the spans in the order in which they opened. A span is closed when the next span lies after it; then its
 * remaining choices are copied. So choices and spans interleave as before. */
static void copy_with_edits(struct copier *k)
{
    const struct sonde_tape *from = k->from;
    sonde_assert(k->to != from);
    for (uint32_t i = 1; i < k->n_edits; i++) sonde_assert(k->edits[i - 1].at < k->edits[i].at);
    k->to->n_choices = k->to->n_spans = k->to->n_bytes = 0;
    import_bytes(k->to, from);
    open_copy(k, 0);
    for (uint32_t i = 1; i < from->n_spans;) {
        while (from->spans[k->open[k->depth - 1].from].next <= i) close_top(k);
        copy_choices(k, from->spans[i].start);
        if (apply(k, i)) i = from->spans[i].next;
        else open_copy(k, i++);
    }
    while (k->depth) close_top(k);
    sonde_assert(k->at == from->n_choices); /* each choice was copied, or left out on purpose */
    sonde_free(k->open);
    sonde_tape_end(k->to);
}

void sonde_script_without(struct sonde_tape *to, const struct sonde_tape *from, const uint32_t *spans, uint32_t n)
{
    struct edit *edits = sonde_calloc(n, sizeof *edits);
    for (uint32_t i = 0; i < n; i++) edits[i] = (struct edit){.how = DROP, .at = spans[i]};
    copy_with_edits(&(struct copier){.to = to, .from = from, .edits = edits, .n_edits = n});
    sonde_free(edits);
}

void sonde_script_replace(struct sonde_tape *to, const struct sonde_tape *from, uint32_t at,
                          const struct sonde_tape *other, uint32_t by)
{
    struct edit e = {.how = REPLACE, .at = at, .other = other, .by = by};
    copy_with_edits(&(struct copier){.to = to, .from = from, .edits = &e, .n_edits = 1});
}

void sonde_script_insert(struct sonde_tape *to, const struct sonde_tape *from, uint32_t parent, uint32_t before,
                         const struct sonde_tape *other, uint32_t by)
{
    struct edit e = {.how = LAST, .at = parent, .other = other, .by = by};
    if (before != SONDE_NO_SPAN) e.how = BEFORE, e.at = before;
    copy_with_edits(&(struct copier){.to = to, .from = from, .edits = &e, .n_edits = 1});
}

/* Both copies come from `from`, so neither sees the other's change. Only the contents move: labels and flags stay
 * where they are. */
void sonde_script_swap(struct sonde_tape *to, const struct sonde_tape *from, uint32_t a, uint32_t b)
{
    uint32_t first = a < b ? a : b, second = a < b ? b : a;
    struct edit edits[2] = {{.how = REPLACE, .at = first, .other = from, .by = second},
                            {.how = REPLACE, .at = second, .other = from, .by = first}};
    copy_with_edits(&(struct copier){.to = to, .from = from, .edits = edits, .n_edits = 2});
}

void sonde_script_without_choices(struct sonde_tape *to, const struct sonde_tape *from, uint32_t start, uint32_t end)
{
    copy_with_edits(&(struct copier){.to = to, .from = from, .drop_start = start, .drop_end = end});
}

void sonde_script_prefix(struct sonde_tape *to, const struct sonde_tape *from, uint32_t n)
{
    sonde_script_without_choices(to, from, n, from->n_choices);
}

uint32_t sonde_list_length(const struct sonde_tape *tape, uint32_t list)
{
    const struct sonde_tape_span *s = &tape->spans[list];
    if (!(s->flags & SONDE_SPAN_LIST) || s->start == s->end) return UINT32_MAX;
    const struct sonde_choice *c = &tape->choices[s->start];
    return c->span == list && c->kind == SONDE_KIND_LENGTH ? s->start : UINT32_MAX;
}
