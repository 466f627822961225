/* See fit.h. One walk over the recorded tape, with a reader of the script beside it, then one pass over unused parts
 * of the script. Time is linear, except for a factor of the depth of spans.
 *
 * The module reads two tapes and fills one struct; it knows neither cases nor verdicts. Parts to be described are first
 * collected as references (struct part), and written at the end. The reason: a `?` at the end of a span excuses draws
 * that were noted as missing before it. */
#include "tape/fit.h"

#include "tape/agree.h"
#include "base/mem.h"
#include "tape/literal.h"
#include "tape/script.h"
#include "tape/text.h"
#include "tape/walk.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A part of a tape that the description names. */
struct part {
    const struct sonde_tape *tape;
    uint32_t span;   /* the span that is named, or the span of the choice */
    uint32_t choice; /* the choice that is named; UINT32_MAX: the whole span */
};

/* A value of the script, and the draw that could not take it. */
struct changed {
    struct part asked, got;
};

/* The state of one comparison. `marks` has one entry per frame of `reader`: both grow in follow_open and shrink at
 * the close. */
struct follower {
    struct sonde_script_reader reader;
    const struct sonde_tape *script, *ran;
    const struct sonde_labels *labels;
    struct sonde_fit *fit;
    struct changed changed[SONDE_FIT_SHOWN];
    struct part unused[SONDE_FIT_SHOWN], missing[SONDE_FIT_SHOWN];
    uint32_t *marks; /* for each open span: number of missing parts when the span last used a value of the script */
    uint32_t depth, cap;
};

/* ---- Values */

/* Compares bits, except the payload of NaN: -0.0 differs from 0.0, because a property can distinguish them. */
static bool same_double(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) && signbit(a) == signbit(b);
    return a == b && signbit(a) == signbit(b);
}

static double to_double(struct sonde_value v)
{
    switch (v.type) {
    case SONDE_VALUE_INT: return (double)v.as.i;
    case SONDE_VALUE_UINT: return (double)v.as.u;
    case SONDE_VALUE_BOOL: return v.as.b;
    case SONDE_VALUE_DOUBLE: return v.as.d;
    case SONDE_VALUE_BLOB: break;
    }
    return NAN;
}

/* Returns the bits of an integer, and whether it is negative. */
static uint64_t to_bits(struct sonde_value v, bool *negative)
{
    *negative = v.type == SONDE_VALUE_INT && v.as.i < 0;
    if (v.type == SONDE_VALUE_BOOL) return v.as.b;
    return v.type == SONDE_VALUE_INT ? (uint64_t)v.as.i : v.as.u;
}

/* Kinds may differ: a script written by hand has literals, and a generator may have changed int to double since the
 * tape was made. The value counts. */
static bool same_number(struct sonde_value a, struct sonde_value b)
{
    bool a_negative, b_negative;
    if (a.type == SONDE_VALUE_DOUBLE || b.type == SONDE_VALUE_DOUBLE) return same_double(to_double(a), to_double(b));
    uint64_t x = to_bits(a, &a_negative), y = to_bits(b, &b_negative);
    return x == y && a_negative == b_negative;
}

/* Compares code points, because alphabets may have changed: 'b' has different symbols in "abc" and in printable
 * ASCII. */
static bool same_symbols(const struct sonde_blob *a, const struct sonde_blob *b)
{
    if (a->len != b->len) return false;
    for (uint32_t i = 0; i < a->len; i++) {
        uint32_t x = sonde_alphabet_code(&a->alphabet, sonde_blob_symbol(a, i));
        if (x != sonde_alphabet_code(&b->alphabet, sonde_blob_symbol(b, i))) return false;
    }
    return true;
}

static bool is_hex_of(const char *text, uint32_t n, const char *bytes, size_t n_bytes)
{
    if (n != 2 * n_bytes) return false;
    for (size_t i = 0; i < n_bytes; i++) {
        int high = sonde_hex_digit(text[2 * i]), low = sonde_hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0 || high * 16 + low != (unsigned char)bytes[i]) return false;
    }
    return true;
}

/* Returns whether a literal is the value of a blob. Bytes can be written as hex pairs or as themselves (literal.h);
 * both spellings are the same value. */
static bool literal_is_blob(const struct sonde_tape *script, const struct sonde_choice *from,
                            const struct sonde_blob *blob)
{
    uint32_t n;
    const char *text = sonde_literal_text(script, from, &n);
    char *drawn = sonde_malloc((size_t)blob->len * 4 + 1);
    size_t length = sonde_blob_text(blob, drawn);
    bool same = length == n && memcmp(drawn, text, n) == 0;
    if (!same && blob->alphabet.kind == SONDE_ALPHABET_BYTES) same = is_hex_of(text, n, drawn, length);
    sonde_free(drawn);
    return same;
}

/* Returns whether the draw took the value that the script has for it. */
static bool is_same(const struct follower *f, const struct sonde_choice *from, const struct sonde_choice *got)
{
    struct sonde_value value;
    if (got->kind == SONDE_KIND_BLOB) {
        struct sonde_blob blob = sonde_choice_blob(f->ran, got);
        if (from->kind == SONDE_KIND_LITERAL) return literal_is_blob(f->script, from, &blob);
        if (from->kind != SONDE_KIND_BLOB) return false;
        struct sonde_blob asked = sonde_choice_blob(f->script, from);
        return same_symbols(&asked, &blob);
    }
    if (from->kind == SONDE_KIND_BLOB) return false;
    if (from->kind != SONDE_KIND_LITERAL) value = sonde_choice_value(f->script, from);
    else if (!sonde_literal_value(f->script, from, &value)) return false;
    return same_number(value, sonde_choice_value(f->ran, got));
}

/* ---- Following */

/* Counts all missing parts and keeps up to SONDE_FIT_SHOWN of them. After pop_mark has lowered the count, later parts
 * overwrite the excused ones. */
static void note_missing(struct follower *f, uint32_t span, uint32_t choice)
{
    uint32_t n = f->fit->n_missing++;
    if (n < SONDE_FIT_SHOWN) f->missing[n] = (struct part){f->ran, span, choice};
}

/* Sets the mark of all open spans: a value used in a child is also progress in each span around it. */
static void note_use(struct follower *f)
{
    for (uint32_t i = 0; i < f->depth; i++) f->marks[i] = f->fit->n_missing;
}

static void push_mark(struct follower *f)
{
    f->marks = sonde_grow(f->marks, &f->cap, (size_t)f->depth + 1, sizeof *f->marks);
    f->marks[f->depth++] = f->fit->n_missing;
}

static uint32_t script_span(const struct follower *f)
{
    return f->reader.frames[f->reader.depth - 1].span;
}

/* Ends the innermost span. If the script has a ? in that span, draws after the last value that the span used are
 * excused. */
static void pop_mark(struct follower *f)
{
    sonde_assert(f->depth > 0);
    uint32_t span = script_span(f), mark = f->marks[--f->depth];
    if (span != SONDE_NO_SPAN && f->script->spans[span].flags & SONDE_SPAN_FREE) f->fit->n_missing = mark;
}

/* Returns whether a span has choices; a span without choices does not matter. */
static bool has_choices(const struct sonde_tape *tape, uint32_t span)
{
    const struct sonde_tape_span *s = &tape->spans[span];
    uint32_t end = s->next ? s->end : tape->n_choices;
    for (uint32_t i = s->start; i < end; i++)
        if (!(tape->choices[i].flags & SONDE_CHOICE_FORCED)) return true;
    return false;
}

static void follow_open(struct follower *f, uint32_t span)
{
    bool is_inside = script_span(f) != SONDE_NO_SPAN; /* else the enclosing span is free, or noted as a whole */
    f->reader.strayed = false;
    sonde_script_open(&f->reader, sonde_span_opener(&f->ran->spans[span]));
    if (is_inside && f->reader.strayed && has_choices(f->ran, span)) note_missing(f, span, UINT32_MAX);
    push_mark(f);
}

/* Compares one choice with the script. Compares nothing inside a span that the script lacks or leaves free: the span
 * was noted as a whole. */
static void follow_choice(struct follower *f, uint32_t at)
{
    const struct sonde_choice *got = &f->ran->choices[at];
    if (script_span(f) == SONDE_NO_SPAN) return;
    f->reader.strayed = false;
    const struct sonde_choice *from = sonde_script_next(&f->reader, got->label);
    if (f->reader.strayed) {
        if (!(got->flags & SONDE_CHOICE_FORCED)) note_missing(f, got->span, at);
        return;
    }
    note_use(f);
    if (!from || is_same(f, from, got)) return;
    uint32_t n = f->fit->n_changed++;
    struct part asked = {f->script, from->span, (uint32_t)(from - f->script->choices)};
    if (n < SONDE_FIT_SHOWN) f->changed[n] = (struct changed){asked, {f->ran, got->span, at}};
}

/* Compares the recorded tape with the script. The walk and the reader advance together: one frame each for every open
 * span. */
static void follow(struct follower *f)
{
    struct sonde_walk walk = sonde_walk_start(f->ran);
    sonde_script_begin(&f->reader, f->script);
    push_mark(f);
    for (;;) {
        switch (sonde_walk_next(&walk)) {
        case SONDE_STEP_OPEN: follow_open(f, walk.span); break;
        case SONDE_STEP_CHOICE: follow_choice(f, walk.choice); break;
        case SONDE_STEP_CLOSE:
            pop_mark(f);
            sonde_script_close(&f->reader);
            break;
        case SONDE_STEP_END:
            pop_mark(f);
            sonde_assert(f->depth == 0 && f->reader.depth == 1); /* each opened span was closed by walk and reader */
            return;
        }
    }
}

static void note_unused(struct follower *f, uint32_t span, uint32_t choice)
{
    uint32_t n = f->fit->n_unused++;
    if (n < SONDE_FIT_SHOWN) f->unused[n] = (struct part){f->script, span, choice};
}

/* Notes the outermost unused parts: a span, or a choice of a span that was used. */
static void find_unused(struct follower *f)
{
    const struct sonde_tape *s = f->script;
    const uint8_t *used = f->reader.used, *used_spans = used + s->n_choices;
    /* The case sets this flag when the property ends early. */
    if (f->ran->spans[0].flags & SONDE_SPAN_FREE) return; /* the run ended before it reached the unused parts */
    for (uint32_t i = 1; i < s->n_spans; i++) {
        uint32_t parent = s->spans[i].parent;
        bool is_outermost = !used_spans[i] && (parent == 0 || used_spans[parent]);
        if (is_outermost && s->spans[i].start < s->spans[i].end) note_unused(f, i, UINT32_MAX);
    }
    for (uint32_t i = 0; i < s->n_choices; i++) {
        uint32_t span = s->choices[i].span;
        bool is_hole = s->spans[span].flags & SONDE_SPAN_HOLE; /* a hole may have a choice, too: the length of a list */
        if (!used[i] && !is_hole && (span == 0 || used_spans[span])) note_unused(f, span, i);
    }
}

/* ---- Describing */

struct words {
    struct sonde_sink sink;
    const struct sonde_labels *labels;
};

/* Writes short pieces only: numbers and fixed words. Labels of the user go through put_label. */
__attribute__((format(printf, 2, 3))) static void put(struct words *w, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sonde_put_text(&w->sink, text);
}

static void put_label(struct words *w, uint32_t label)
{
    enum { LONGEST = 60 }; /* characters of a label */
    const char *text = sonde_label_text(w->labels, label);
    size_t n = strlen(text);
    sonde_put_escaped(&w->sink, text, n < LONGEST ? n : LONGEST);
}

/* Returns the number of an element in its list. Takes time linear in the preceding siblings, which is enough for the
 * few parts of a report. */
static uint32_t element_number(const struct sonde_tape *tape, uint32_t span)
{
    uint32_t n = 0;
    for (uint32_t i = tape->spans[span].parent + 1; i < span; i++)
        n += tape->spans[i].parent == tape->spans[span].parent && tape->spans[i].flags & SONDE_SPAN_ELEMENT;
    return n;
}

/* Writes where a part is: tree.tree, xs[2].point. Writes only the innermost levels of a deep path. */
static void put_path(struct words *w, const struct sonde_tape *tape, uint32_t span)
{
    /* Deep recursions would fill the description with one path; six levels identify a part in practice. */
    enum { LEVELS = 6 };
    uint32_t path[LEVELS], n = 0;
    for (; span && n < LEVELS; span = tape->spans[span].parent) path[n++] = span;
    if (span) sonde_put_text(&w->sink, "... ");
    for (bool is_first = true; n-- > 0; is_first = false) {
        const struct sonde_tape_span *s = &tape->spans[path[n]];
        if (s->flags & SONDE_SPAN_ELEMENT) {
            put(w, "[%" PRIu32 "]", element_number(tape, path[n]));
            continue;
        }
        if (!is_first) sonde_put_char(&w->sink, '.');
        put_label(w, s->label);
    }
}

static void put_name(struct words *w, struct part part)
{
    put_path(w, part.tape, part.span);
    if (part.choice == UINT32_MAX) return;
    const char *label = sonde_label_text(w->labels, part.tape->choices[part.choice].label);
    bool is_list = part.tape->spans[part.span].flags & SONDE_SPAN_LIST;
    if (is_list && strcmp(label, SONDE_LABEL_LENGTH) == 0) {
        sonde_put_text(&w->sink, ".length");
        return;
    }
    if (part.span) sonde_put_char(&w->sink, '.');
    /* The label #size of sonde is not escaped: `#` would become %23, which people do not write. */
    if (strcmp(label, SONDE_LABEL_SIZE) == 0) sonde_put_text(&w->sink, label);
    else put_label(w, part.tape->choices[part.choice].label);
}

/* Writes at most LONGEST characters of a value. */
static void put_cut(struct words *w, const char *text, size_t n)
{
    enum { LONGEST = 40 };
    for (size_t i = 0; i < n && i < LONGEST; i++) sonde_put_char(&w->sink, text[i]);
    if (n > LONGEST) sonde_put_text(&w->sink, "...");
}

/* Writes "x=60", "tree{...}" or "xs[...]" in the spelling of tokens, so that the user finds the part in the token. */
static void put_asked(struct words *w, struct part part)
{
    char text[64];
    put_name(w, part);
    if (part.choice == UINT32_MAX) {
        sonde_put_text(&w->sink, part.tape->spans[part.span].flags & SONDE_SPAN_LIST ? "[...]" : "{...}");
        return;
    }
    const struct sonde_choice *c = &part.tape->choices[part.choice];
    struct sonde_sink value = {.out = text, .size = sizeof text};
    if (c->flags & SONDE_CHOICE_HOLE) sonde_put_char(&value, '?');
    else sonde_put_value(&value, part.tape, c);
    sonde_put_char(&w->sink, '=');
    put_cut(w, text, value.n < sizeof text ? value.n : sizeof text);
}

/* Writes what the draw could have taken: "does not fit 0..100". The order of the questions matters: a string or a
 * bool is judged by its kind before the literal is tried as a number. */
static void put_reason(struct words *w, const struct sonde_tape *script, const struct sonde_choice *asked,
                       const struct sonde_tape *ran, const struct sonde_choice *got)
{
    struct sonde_value ignored;
    bool is_truth = got->kind == SONDE_KIND_BOOL || got->kind == SONDE_KIND_CHANCE;
    bool is_number = asked->kind != SONDE_KIND_LITERAL || sonde_literal_value(script, asked, &ignored);
    if (got->kind == SONDE_KIND_BLOB) {
        struct sonde_blob blob = sonde_choice_blob(ran, got);
        put(w, " has characters that the draw does not allow, or a length outside %" PRIu32 "..%" PRIu32, blob.min,
            blob.max);
    } else if (is_truth) {
        sonde_put_text(&w->sink, got->max ? " is neither yes nor no" : " is not possible here");
    } else if (!is_number) {
        sonde_put_text(&w->sink, " is not a number");
    } else if (got->kind == SONDE_KIND_INT) {
        put(w, " does not fit %" PRId64 "..%" PRId64, (int64_t)got->base, (int64_t)(got->base + got->max));
    } else if (got->kind == SONDE_KIND_DOUBLE) {
        struct sonde_double_bounds bounds = sonde_choice_bounds(ran, got);
        put(w, " does not fit %g..%g", bounds.lo, bounds.hi);
    } else {
        bool has_base = got->kind == SONDE_KIND_UINT || got->kind == SONDE_KIND_LENGTH;
        uint64_t least = has_base ? got->base : 0;
        put(w, " does not fit %" PRIu64 "..%" PRIu64, least, least + got->max);
    }
}

/* Writes "x=60 does not fit 0..50 (10 was drawn)". */
static void put_changed(struct words *w, const struct changed *c)
{
    char drawn[64];
    const struct sonde_choice *asked = &c->asked.tape->choices[c->asked.choice];
    const struct sonde_choice *got = &c->got.tape->choices[c->got.choice];
    put_asked(w, c->asked);
    put_reason(w, c->asked.tape, asked, c->got.tape, got);
    size_t n = sonde_choice_print(c->got.tape, got, drawn, sizeof drawn);
    sonde_put_text(&w->sink, " (");
    put_cut(w, drawn, n < sizeof drawn ? n : sizeof drawn - 1);
    sonde_put_text(&w->sink, " was drawn)");
}

static void put_more(struct words *w, uint32_t n)
{
    if (n > SONDE_FIT_SHOWN) put(w, ", and %" PRIu32 " more", n - SONDE_FIT_SHOWN);
}

/* Returns how many of n findings are described: the counters may exceed the arrays. */
static uint32_t shown(uint32_t n)
{
    return n < SONDE_FIT_SHOWN ? n : SONDE_FIT_SHOWN;
}

/* Describes changed values, then values that were not drawn, then draws without a value. Each kind has a few
 * examples and the number of further ones. */
static void write_text(struct follower *f, const char *noun)
{
    struct sonde_fit *fit = f->fit;
    struct words w = {.sink = {.out = fit->text, .size = sizeof fit->text}, .labels = f->labels};
    for (uint32_t i = 0; i < shown(fit->n_changed); i++) {
        if (w.sink.n) sonde_put_text(&w.sink, "; ");
        put_changed(&w, &f->changed[i]);
    }
    put_more(&w, fit->n_changed);
    for (uint32_t i = 0; i < shown(fit->n_unused); i++) {
        if (w.sink.n) sonde_put_text(&w.sink, i ? ", " : "; ");
        put_asked(&w, f->unused[i]);
    }
    put_more(&w, fit->n_unused);
    if (fit->n_unused) sonde_put_text(&w.sink, fit->n_unused > 1 ? " were not drawn" : " was not drawn");
    for (uint32_t i = 0; i < shown(fit->n_missing); i++) {
        if (w.sink.n) sonde_put_text(&w.sink, i ? ", " : "; ");
        put_name(&w, f->missing[i]);
    }
    put_more(&w, fit->n_missing);
    if (fit->n_missing) put(&w, " %s not in the %s", fit->n_missing > 1 ? "were" : "was", noun);
    fit->text[w.sink.n < sizeof fit->text ? w.sink.n : sizeof fit->text - 1] = '\0';
}

void sonde_fit_judge(struct sonde_fit *fit, const struct sonde_tape *script, const struct sonde_tape *ran,
                     const struct sonde_labels *labels, const char *noun)
{
    struct follower f = {.script = script, .ran = ran, .labels = labels, .fit = fit};
    *fit = (struct sonde_fit){0};
    sonde_script_init(&f.reader);
    follow(&f);
    find_unused(&f);
    write_text(&f, noun);
    sonde_script_clear(&f.reader);
    sonde_free(f.marks);
}

/* ---- Comparing two runs with the same choices */

/* Returns how two choices differ, in words; NULL if they do not. Compares label, kind and domain only: the indices are
 * the same by construction. */
static const char *difference_of(const struct sonde_choice *a, const struct sonde_choice *b)
{
    if (a->label != b->label || a->kind != b->kind) return "a different draw was made instead";
    if (a->max != b->max || (a->kind != SONDE_KIND_BLOB && a->kind != SONDE_KIND_DOUBLE && a->base != b->base))
        return "its range was different";
    return NULL;
}

bool sonde_fit_difference(const struct sonde_tape *a, const struct sonde_tape *b, const struct sonde_labels *labels,
                          char *out, size_t size)
{
    for (uint32_t i = 0, k = 0;; i++, k++) {
        i = sonde_tape_skip_taken_back(a, i);
        k = sonde_tape_skip_taken_back(b, k);
        if (i >= a->n_choices && k >= b->n_choices) return false;
        const char *what = k >= b->n_choices   ? "the second run ended before it"
                           : i >= a->n_choices ? "the first run had ended before it"
                                               : difference_of(&a->choices[i], &b->choices[k]);
        if (!what) continue;
        const struct sonde_choice *c = i < a->n_choices ? &a->choices[i] : &b->choices[k];
        uint32_t at = i < a->n_choices ? i : k;
        snprintf(out, size, "draw %u (\"%.80s\") differed: %s", at + 1, sonde_label_text(labels, c->label), what);
        return true;
    }
}
