/* Finds the sequences in a tape: lists, and loops of user code (draw n, then n times something). A list records its
 * length. The length of a loop is inferred: a number that equals how often some labels follow it in the same span. A
 * wrong guess costs a call, but never leads to a wrong result.
 *
 * The result is s->seqs, each with n items; item i owns the pieces [starts[first + i], starts[first + i + 1]). Pieces
 * are spans (SONDE_PIECE_SPAN) or single choices. sonde_seqs computes them again when `best` has changed. */
#include "shrink/pass.h"

#include "base/mem.h"

enum {
    MAX_CLASSES = 128, /* maximum number of different labels that are counted in a span */
    LEAST_LOOP = 2,    /* minimum number of rounds of a loop: a loop of one round cannot be recognised */
};

/* Appends a piece to the current item. */
static void add_piece(struct sonde_shrinker *s, uint32_t piece)
{
    s->pieces = sonde_grow(s->pieces, &s->cap_pieces, (size_t)s->n_pieces + 1, sizeof *s->pieces);
    s->pieces[s->n_pieces++] = piece;
}

/* Starts a new item with the next piece; after the last item, ends it. */
static void add_start(struct sonde_shrinker *s)
{
    s->starts = sonde_grow(s->starts, &s->cap_starts, (size_t)s->n_starts + 1, sizeof *s->starts);
    s->starts[s->n_starts++] = s->n_pieces;
}

/* Adds a sequence; call it after all its items were added. */
static void add_seq(struct sonde_shrinker *s, const struct sonde_seq *seq)
{
    sonde_assert(seq->first + seq->n + 1 == s->n_starts); /* one start for each item, and the end of the last item */
    s->seqs = sonde_grow(s->seqs, &s->cap_seqs, (size_t)s->n_seqs + 1, sizeof *s->seqs);
    s->seqs[s->n_seqs++] = *seq;
}

/* Adds a list. Rejected elements are not items: they do not count in the length, and `delete rejected` removes them. */
static void add_list(struct sonde_shrinker *s, uint32_t span)
{
    const struct sonde_tape *t = &s->best;
    struct sonde_seq seq = {.kind = SONDE_SEQ_LIST, .owner = span, .length = sonde_list_length(t, span)};
    if (seq.length == UINT32_MAX) return;
    seq.first = s->n_starts;
    for (uint32_t i = span + 1; i < t->spans[span].next; i = t->spans[i].next) {
        if (t->spans[i].flags & SONDE_SPAN_REJECTED) continue;
        add_start(s);
        add_piece(s, i | SONDE_PIECE_SPAN);
        seq.n++;
    }
    add_start(s);
    add_seq(s, &seq);
}

/* A piece and its label. */
struct part {
    uint32_t piece, label;
};

/* The parts that a span directly holds, in order. classes[k] counts the parts of one label. */
struct parts {
    struct part *all;
    uint32_t n, cap;
    /* Labels, of choices or of spans, and how often each occurs. Labels beyond MAX_CLASSES are ignored. */
    struct class
    {
        uint32_t label, is_span, count, first; /* first: index into `all` of the first part */
        bool is_used;                          /* a sequence has these parts already */
    } classes[MAX_CLASSES];
    uint32_t n_classes;
    bool has_more; /* labels were ignored */
};

static void add_part(struct parts *parts, uint32_t piece, uint32_t label)
{
    uint32_t is_span = piece & SONDE_PIECE_SPAN, i = 0;
    while (i < parts->n_classes && (parts->classes[i].label != label || parts->classes[i].is_span != is_span)) i++;
    parts->has_more |= i == MAX_CLASSES;
    if (i == parts->n_classes && i < MAX_CLASSES)
        parts->classes[parts->n_classes++] = (struct class){.label = label, .is_span = is_span, .first = parts->n};
    if (i < parts->n_classes) parts->classes[i].count++;
    parts->all = sonde_grow(parts->all, &parts->cap, (size_t)parts->n + 1, sizeof *parts->all);
    parts->all[parts->n++] = (struct part){piece, label};
}

/* Collects the parts of a span. A child that begins at the index of the next choice comes before that choice, which
 * then belongs to the child. */
static void take_parts(struct parts *parts, const struct sonde_tape *t, uint32_t span)
{
    const struct sonde_tape_span *p = &t->spans[span];
    parts->n = parts->n_classes = 0;
    uint32_t child = span + 1;
    for (uint32_t i = p->start; i < p->end || child < p->next;) {
        if (child < p->next && t->spans[child].start <= i) {
            add_part(parts, child | SONDE_PIECE_SPAN, t->spans[child].label);
            i = t->spans[child].end;
            child = t->spans[child].next;
        } else {
            add_part(parts, i, t->choices[i].label);
            i++;
        }
    }
}

static bool is_of(const struct part *part, const struct class *class)
{
    return part->label == class->label && (part->piece & SONDE_PIECE_SPAN) == class->is_span;
}

/* Returns the index of the n-th part of a class. Linear; called once per loop. */
static uint32_t nth(const struct parts *parts, const struct class *class, uint32_t n)
{
    uint32_t i = class->first;
    for (uint32_t seen = 0; i < parts->n; i++)
        if (is_of(&parts->all[i], class) && ++seen == n) break;
    return i;
}

/* Reports whether a part after the last occurrence of the lead still belongs to the last round of the loop. */
static bool ends_round(const struct parts *parts, const struct class *lead, uint32_t last, uint32_t part)
{
    for (uint32_t c = 0; c < parts->n_classes; c++) {
        const struct class *class = &parts->classes[c];
        bool is_inside = class->count == lead->count && class->first >= lead->first && class->first < last;
        if (is_inside && is_of(&parts->all[part], class)) return true;
    }
    return false;
}

/* Adds the i-th part of each later loop of the same count to the i-th item of a counted loop: n, n keys, n values. */
static void add_later(struct sonde_shrinker *s, const struct parts *parts, uint32_t *cursors, uint32_t count,
                      uint32_t last)
{
    for (uint32_t c = 0; c < parts->n_classes; c++) {
        const struct class *class = &parts->classes[c];
        if (class->count != count || class->first <= last || cursors[c] >= parts->n) continue;
        add_piece(s, parts->all[cursors[c]].piece);
        do cursors[c]++;
        while (cursors[c] < parts->n && !is_of(&parts->all[cursors[c]], class));
    }
}

/* Adds a loop; its items reach from each occurrence of the class `lead` to the next. */
static void add_loop(struct sonde_shrinker *s, const struct parts *parts, const struct class *lead,
                     struct sonde_seq *seq)
{
    uint32_t last = nth(parts, lead, lead->count), cursors[MAX_CLASSES], part = lead->first;
    bool is_counted = seq->kind == SONDE_SEQ_COUNTED;
    for (uint32_t c = 0; c < parts->n_classes; c++) cursors[c] = parts->classes[c].first;
    seq->first = s->n_starts;
    for (uint32_t i = 0; i < seq->n; i++) {
        sonde_assert(part < parts->n && is_of(&parts->all[part], lead)); /* each item begins with the lead */
        add_start(s);
        do add_piece(s, parts->all[part++].piece);
        while (part < parts->n
               && (part < last ? !is_of(&parts->all[part], lead) : part > last && ends_round(parts, lead, last, part)));
        if (is_counted) add_later(s, parts, cursors, lead->count, last);
    }
    add_start(s);
    add_seq(s, seq);
}

/* Adds the loops of a span whose count was drawn first. */
static void add_counted(struct sonde_shrinker *s, uint32_t span, struct parts *parts)
{
    for (uint32_t i = 0; i < parts->n_classes; i++) {
        const struct class *number = &parts->classes[i];
        uint32_t choice = parts->all[number->first].piece;
        sonde_wide n;
        if (number->is_span || number->count != 1 || !sonde_number(&s->best, choice, &n) || n < LEAST_LOOP) continue;
        for (uint32_t j = i + 1; j < parts->n_classes; j++) {
            struct class *c = &parts->classes[j];
            if (c->count != n || c->is_used) continue;
            struct sonde_seq seq = {.kind = SONDE_SEQ_COUNTED, .owner = span, .length = choice, .n = (uint32_t)n};
            add_loop(s, parts, c, &seq);
            for (uint32_t k = j; k < parts->n_classes; k++)
                if (parts->classes[k].count == n) parts->classes[k].is_used = true;
            break;
        }
    }
}

/* Adds at most one loop without a count per span: the first repeated label begins each item. */
static void add_free(struct sonde_shrinker *s, uint32_t span, const struct parts *parts)
{
    for (uint32_t i = 0; i < parts->n_classes; i++) {
        const struct class *c = &parts->classes[i];
        if (c->is_used || c->count < LEAST_LOOP) continue;
        struct sonde_seq seq = {.kind = SONDE_SEQ_FREE, .owner = span, .length = UINT32_MAX};
        seq.n = c->is_span ? c->count : c->count - 1; /* the last of the choices is the flag that ended the loop */
        add_loop(s, parts, c, &seq);
        return;
    }
}

/* Visits the spans in order. A list gives one sequence; another span gives its counted loops, then at most one free
 * loop. */
void sonde_seqs(struct sonde_shrinker *s)
{
    if (s->seqs_generation == s->generation + 1) return;
    const struct sonde_tape *t = &s->best;
    struct parts parts = {.n = 0};
    s->seqs_generation = s->generation + 1;
    s->n_seqs = s->n_pieces = s->n_starts = 0;
    for (uint32_t i = 0; i < t->n_spans; i++) {
        const struct sonde_tape_span *p = &t->spans[i];
        if (p->flags & SONDE_SPAN_LIST) {
            add_list(s, i);
            continue;
        }
        if (p->end - p->start < LEAST_LOOP && p->next - i <= LEAST_LOOP) continue;
        take_parts(&parts, t, i);
        add_counted(s, i, &parts);
        add_free(s, i, &parts);
    }
    if (parts.has_more) sonde_leave_out(s);
    sonde_free(parts.all);
}

/* Only marks the items, so that several sequences can lose items in one candidate. */
void sonde_edit_drop_items(struct sonde_shrinker *s, const struct sonde_seq *seq, uint32_t from, uint32_t to)
{
    sonde_assert(from <= to && to <= seq->n);
    sonde_assert(s->seqs_generation == s->generation + 1); /* the sequences were found in the best tape as it is now */
    for (uint32_t i = s->starts[seq->first + from]; i < s->starts[seq->first + to]; i++) {
        if (s->pieces[i] & SONDE_PIECE_SPAN) sonde_edit_drop_span(s, s->pieces[i] & ~SONDE_PIECE_SPAN);
        else sonde_edit_drop_choice(s, s->pieces[i]);
    }
    uint32_t left = seq->n - (to - from);
    uint64_t index = 0;
    if (seq->kind == SONDE_SEQ_LIST) { /* the length becomes exact: a loop that ended early did not use all of it */
        uint64_t least = s->script.choices[seq->length].base;
        sonde_edit_set(s, seq->length, left > least ? left - least : 0);
    }
    if (seq->kind == SONDE_SEQ_COUNTED && sonde_number_index(&s->script, seq->length, left, &index))
        sonde_edit_set(s, seq->length, index);
}
