/* Prints the values of a tape as a tree or as paths, in the order of the draws. Spans are sorted by when they were
 * opened, and each records how many choices were made before. So one merge of the two arrays visits everything in
 * order, at any depth, without recursion. */
#include "report/values.h"

#include "base/buffer.h"
#include "base/map.h"
#include "base/mem.h"
#include "report/report.h"
#include "report/write.h"
#include "tape/label.h"
#include "tape/tape.h"
#include "tape/text.h"

#include <inttypes.h>
#include <string.h>

enum {
    LINE_WIDTH = 100, /* maximum width of a line in columns; longer lists are broken into lines */
    INDENT_MAX = 60,  /* maximum indent in columns; deeper parts of a tree are indented no further */
    INLINE_DEPTH = 4, /* maximum depth of nesting on one line; deeper nesting is hard to read there */
    VALUE_MAX = 2000, /* maximum number of characters of one value on a terminal */
    PATH_PARTS = 64   /* maximum number of parts of a path; of a deeper path only the last parts are printed */
};

static const struct sonde_tape_span *span_at(const struct sonde_values *v, uint32_t i)
{
    return &v->tape->spans[i];
}

static const char *label_of(const struct sonde_values *v, uint32_t id)
{
    return v->names ? sonde_label_text(v->names, id) : "?";
}

/* Returns the last string that a user's printer wrote for a span, or NULL. */
static const char *shown_text(const struct sonde_values *v, uint32_t span)
{
    for (size_t i = v->n_shown; i-- > 0;) {
        if (v->shown[i].span == span) return v->shown[i].text;
    }
    return NULL;
}

/* Returns whether a choice is internal, not a value that the property drew. */
static bool is_hidden(const struct sonde_values *v, const struct sonde_choice *c)
{
    if (c->kind == SONDE_KIND_SIZE) return c->index == 0;
    if (c->flags & SONDE_CHOICE_RULE) return true;
    return c->kind == SONDE_KIND_LENGTH
           || (c->kind == SONDE_KIND_LITERAL && !strcmp(label_of(v, c->label), SONDE_LABEL_LENGTH));
}

static bool is_rejected(const struct sonde_tape_span *s)
{
    return s->flags & SONDE_SPAN_REJECTED;
}

/* ---- The walk --------------------------------------------------------------------------------------------------*/

/* A position in the merge of two sorted arrays: spans [span, span_end) and choices [choice, choice_end). The next
 * item is either a span or a choice; a span that starts at the next choice comes first. */
struct walk {
    const struct sonde_values *values;
    uint32_t span, choice, span_end, choice_end;
};

/* Returns a walk over the content of a span. */
static struct walk walk_inside(const struct sonde_values *v, uint32_t span)
{
    const struct sonde_tape_span *s = span_at(v, span);
    return (struct walk){v, span + 1, s->start, s->next, s->end};
}

static bool walk_ended(const struct walk *w)
{
    return w->span >= w->span_end && w->choice >= w->choice_end;
}

/* Returns whether the next item is a span. */
static bool walk_at_span(const struct walk *w)
{
    if (w->span >= w->span_end) return false;
    return w->choice >= w->choice_end || span_at(w->values, w->span)->start <= w->choice;
}

/* Moves past the next item; with `over`, also past the content of a span. */
static void walk_on(struct walk *w, bool over)
{
    if (!walk_at_span(w)) {
        w->choice++;
    } else if (over) {
        const struct sonde_tape_span *s = span_at(w->values, w->span);
        w->span = s->next > w->span ? s->next : w->span + 1;
        if (s->end > w->choice) w->choice = s->end;
    } else {
        w->span++;
    }
}

/* Moves past items that a person should not see; stays if the next one is visible. */
static void walk_skip_hidden(struct walk *w)
{
    while (!walk_ended(w)) {
        if (walk_at_span(w) ? !is_rejected(span_at(w->values, w->span))
                            : !is_hidden(w->values, &w->values->tape->choices[w->choice])) {
            return;
        }
        walk_on(w, true);
    }
}

/* ---- On one line -----------------------------------------------------------------------------------------------*/

/* A line in the making, of at most `max` characters. */
struct line {
    char text[LINE_WIDTH + 1];
    size_t n, max;
};

/* Appends to the line. The line_add functions return whether the addition fits; if it does not, the caller drops the
 * line. */
static bool line_add(struct line *line, const char *text)
{
    size_t n = strlen(text);
    if (line->n + n > line->max || strchr(text, '\n')) return false;
    memcpy(line->text + line->n, text, n + 1);
    line->n += n;
    return true;
}

static bool line_add_choice(struct line *line, const struct sonde_values *v, const struct sonde_choice *c)
{
    char text[LINE_WIDTH + 1];
    return sonde_choice_print(v->tape, c, text, sizeof text) < sizeof text && line_add(line, text);
}

/* Returns whether an element is one choice, one list or one shown span, and can be printed without a name. */
static bool is_single(const struct sonde_values *v, uint32_t element)
{
    struct walk w = walk_inside(v, element);
    walk_skip_hidden(&w);
    if (walk_ended(&w)) return false;
    bool is_simple = !walk_at_span(&w) || span_at(v, w.span)->flags & SONDE_SPAN_LIST || shown_text(v, w.span);
    walk_on(&w, true);
    walk_skip_hidden(&w);
    return is_simple && walk_ended(&w);
}

/* Returns whether the elements of a list are printed without names, as in [1, 2]. All of them must be single;
 * otherwise the list is printed as in [{x = 1, y = 2}, {x = 3}]. */
static bool has_singles(const struct sonde_values *v, uint32_t list)
{
    for (uint32_t k = list + 1; k < span_at(v, list)->next; k = span_at(v, k)->next) {
        const struct sonde_tape_span *s = span_at(v, k);
        if (!(s->flags & SONDE_SPAN_ELEMENT) || s->next <= k) return false;
        bool is_named = s->flags & SONDE_SPAN_CALL || shown_text(v, k);
        if (!is_rejected(s) && !is_named && !is_single(v, k)) return false;
    }
    return true;
}

static bool line_add_span(struct line *line, const struct sonde_values *v, uint32_t span, bool bare, unsigned depth);

/* Adds the next item of the walk, with its name or without. */
static bool line_add_item(struct line *line, const struct walk *w, bool named, bool bare, unsigned depth)
{
    const struct sonde_values *v = w->values;
    const struct sonde_choice *c = walk_at_span(w) ? NULL : &v->tape->choices[w->choice];
    if (named && !(line_add(line, label_of(v, c ? c->label : span_at(v, w->span)->label)) && line_add(line, " = "))) {
        return false;
    }
    return c ? line_add_choice(line, v, c) : line_add_span(line, v, w->span, bare, depth + 1);
}

/* Adds what precedes the content of a span: "{", for a list "[", for a call its name and "(". */
static bool line_add_opening(struct line *line, const struct sonde_values *v, uint32_t span)
{
    const struct sonde_tape_span *s = span_at(v, span);
    if (s->flags & SONDE_SPAN_CALL) return line_add(line, label_of(v, s->label)) && line_add(line, "(");
    return line_add(line, s->flags & SONDE_SPAN_LIST ? "[" : "{");
}

static bool line_add_closing(struct line *line, const struct sonde_tape_span *s)
{
    return line_add(line, s->flags & SONDE_SPAN_CALL ? ")" : s->flags & SONDE_SPAN_LIST ? "]" : "}");
}

/* Adds a span in its brackets; a bare element has no brackets. */
static bool line_add_span(struct line *line, const struct sonde_values *v, uint32_t span, bool bare, unsigned depth)
{
    const char *shown = shown_text(v, span);
    if (shown) return line_add(line, shown);
    if (depth > INLINE_DEPTH) return false;
    if (span_at(v, span)->flags & SONDE_SPAN_CALL) bare = false;
    bool is_list = span_at(v, span)->flags & SONDE_SPAN_LIST, bare_inside = is_list && has_singles(v, span);
    if (!bare && !line_add_opening(line, v, span)) return false;
    struct walk w = walk_inside(v, span);
    walk_skip_hidden(&w);
    for (bool first = true; !walk_ended(&w); first = false) {
        bool is_element = walk_at_span(&w) && span_at(v, w.span)->flags & SONDE_SPAN_ELEMENT;
        if (!first && !line_add(line, ", ")) return false;
        if (!line_add_item(line, &w, !bare && !is_element, bare_inside && is_element, depth)) return false;
        walk_on(&w, true);
        walk_skip_hidden(&w);
    }
    return bare || line_add_closing(line, span_at(v, span));
}

/* ---- As a tree -------------------------------------------------------------------------------------------------*/

/* State while a tree is printed. */
struct tree {
    FILE *out;
    const struct sonde_values *values;
    unsigned indent;
    size_t lines, max_lines;
    uint32_t *ordinals; /* for each span that is an element of a list: its index in the list */
    uint32_t list;      /* the list for which has_singles was last called; elements of one list follow each other */
    bool bare;          /* the result of has_singles for `list` */
};

/* Returns whether an element is printed without names; caches has_singles for the list. */
static bool is_bare_element(struct tree *tree, uint32_t span)
{
    uint32_t list = span_at(tree->values, span)->parent;
    if (tree->list != list) tree->bare = has_singles(tree->values, list);
    tree->list = list;
    return tree->bare;
}

/* Starts a line at a depth of the tree; returns its column. */
static unsigned tree_line(struct tree *tree, uint32_t depth)
{
    unsigned column = tree->indent + (depth > INDENT_MAX / 2 ? INDENT_MAX : 2 * depth);
    fprintf(tree->out, "%*s", (int)column, "");
    tree->lines++;
    return column;
}

static bool tree_is_full(const struct tree *tree)
{
    return tree->max_lines && tree->lines >= tree->max_lines;
}

static void put_value(FILE *out, const struct sonde_values *v, const struct sonde_choice *c)
{
    char text[VALUE_MAX + 1], digits[SONDE_GROUPED];
    size_t n = sonde_choice_print(v->tape, c, text, sizeof text);
    sonde_write_line(out, text);
    if (n > VALUE_MAX) fprintf(out, "... (%s more characters)", sonde_grouped(n - VALUE_MAX, digits));
}

static void tree_choice(struct tree *tree, const struct sonde_choice *c)
{
    tree_line(tree, span_at(tree->values, c->span)->depth);
    sonde_write_line(tree->out, label_of(tree->values, c->label));
    fputs(" = ", tree->out);
    put_value(tree->out, tree->values, c);
    const uint8_t *others = tree->values->others_fail;
    unsigned n = others ? others[c - tree->values->tape->choices] : 0;
    if (n && n == c->max) fputs("  (or any other value)", tree->out);
    else if (n) fprintf(tree->out, "  (%u other value%s fail%s too)", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
    fputc('\n', tree->out);
}

/* Ends a line, whose name is printed already, with a string that may have several lines. */
static void tree_text(struct tree *tree, const char *text, unsigned column)
{
    size_t n = strlen(text);
    while (n && text[n - 1] == '\n') n--;
    if (memchr(text, '\n', n)) fprintf(tree->out, " =\n%*s", (int)column + 2, "");
    else fputs(" = ", tree->out);
    sonde_write_plain(tree->out, text, n, column + 2);
    fputc('\n', tree->out);
    for (size_t i = 0; i < n; i++) tree->lines += text[i] == '\n';
}

/* Returns whether every element of a list is exactly one choice. Such a list is printed like an array, over as
 * many lines as it needs. */
static bool is_plain_list(const struct sonde_values *v, uint32_t span)
{
    if (!(span_at(v, span)->flags & SONDE_SPAN_LIST)) return false;
    for (uint32_t k = span + 1; k < span_at(v, span)->next; k++) {
        const struct sonde_tape_span *s = span_at(v, k);
        if (s->parent != span || shown_text(v, k)) return false;
        if (!is_rejected(s) && (s->next != k + 1 || s->end != s->start + 1)) return false;
    }
    for (uint32_t i = span_at(v, span)->start; i < span_at(v, span)->end; i++) {
        const struct sonde_choice *c = &v->tape->choices[i];
        if (c->span == span && !is_hidden(v, c)) return false; /* a value that was drawn between the elements */
    }
    return true;
}

/* Prints a list of plain values, broken into lines. */
static void tree_plain_list(struct tree *tree, uint32_t span, unsigned column)
{
    const struct sonde_values *v = tree->values;
    char text[VALUE_MAX + 1];
    size_t at = column + strlen(label_of(v, span_at(v, span)->label)) + 4;
    fputs(" = [", tree->out);
    const char *before = "";
    for (uint32_t k = span + 1; k < span_at(v, span)->next && !tree_is_full(tree); k++) {
        if (is_rejected(span_at(v, k))) continue;
        const struct sonde_choice *c = &v->tape->choices[span_at(v, k)->start];
        size_t n = sonde_choice_print(v->tape, c, text, sizeof text);
        fputs(before, tree->out);
        if (*before && at + n + 3 > LINE_WIDTH) {
            fputc('\n', tree->out);
            at = tree_line(tree, span_at(v, span)->depth + 1);
        } else if (*before) {
            at += (size_t)fprintf(tree->out, " ");
        }
        put_value(tree->out, v, c);
        at += n + 1;
        before = ",";
    }
    fputs("]\n", tree->out);
}

/* Prints the line of a span. Returns whether the line includes the content of the span. */
static bool tree_span(struct tree *tree, uint32_t span)
{
    const struct sonde_values *v = tree->values;
    const struct sonde_tape_span *s = span_at(v, span);
    const char *shown = shown_text(v, span);
    char digits[SONDE_GROUPED];
    struct line line = {.n = 0};
    if (is_rejected(s)) return true;
    unsigned column = tree_line(tree, s->depth - 1);
    bool is_element = s->flags & SONDE_SPAN_ELEMENT, is_list = s->flags & SONDE_SPAN_LIST;
    if (is_element) fprintf(tree->out, "[%" PRIu32 "]", tree->ordinals[span]);
    else sonde_write_line(tree->out, label_of(v, s->label));
    if (shown) return tree_text(tree, shown, column), true;
    size_t used = column + strlen(label_of(v, s->label)) + 3;
    line.max = used < LINE_WIDTH ? LINE_WIDTH - used : 0;
    if ((is_element || is_list) && line_add_span(&line, v, span, is_element && is_bare_element(tree, span), 0)) {
        fputs(" = ", tree->out);
        sonde_write_line(tree->out, line.text);
        fputc('\n', tree->out);
        return true;
    }
    if (is_plain_list(v, span)) return tree_plain_list(tree, span, column), true;
    if (is_list) {
        uint32_t n = 0;
        for (uint32_t k = span + 1; k < s->next; k = span_at(v, k)->next) {
            n += span_at(v, k)->flags & SONDE_SPAN_ELEMENT && !is_rejected(span_at(v, k));
        }
        fprintf(tree->out, ": %s element%s", sonde_grouped(n, digits), n == 1 ? "" : "s");
    }
    if (s->flags & SONDE_SPAN_CALL) fprintf(tree->out, " = %s", label_of(v, s->label));
    fputc('\n', tree->out);
    return false;
}

/* Returns an array, indexed by span, with the index of each element in its list; rejected elements do not count.
 * The caller frees it. */
static uint32_t *number_elements(const struct sonde_tape *tape)
{
    uint32_t *ordinals = sonde_calloc(tape->n_spans + 1, sizeof *ordinals);
    uint32_t *counts = sonde_calloc(tape->n_spans + 1, sizeof *counts);
    for (uint32_t k = 1; k < tape->n_spans; k++) {
        const struct sonde_tape_span *s = &tape->spans[k];
        if (s->flags & SONDE_SPAN_ELEMENT && !is_rejected(s)) ordinals[k] = counts[s->parent]++;
    }
    sonde_free(counts);
    return ordinals;
}

void sonde_values_tree(FILE *out, const struct sonde_values *values, unsigned indent, size_t max_lines)
{
    struct tree tree = {.out = out, .values = values, .indent = indent, .max_lines = max_lines};
    if (!values->tape || !values->tape->n_spans) return;
    const char *whole = shown_text(values, 0);
    if (whole) {
        tree_line(&tree, 0);
        sonde_write_plain(out, whole, strlen(whole), indent);
        fputc('\n', out);
        return;
    }
    tree.ordinals = number_elements(values->tape);
    struct walk w = walk_inside(values, 0);
    for (walk_skip_hidden(&w); !walk_ended(&w) && !tree_is_full(&tree); walk_skip_hidden(&w)) {
        if (!walk_at_span(&w)) {
            tree_choice(&tree, &values->tape->choices[w.choice]);
            walk_on(&w, false);
        } else {
            walk_on(&w, tree_span(&tree, w.span));
        }
    }
    if (!walk_ended(&w)) {
        char digits[SONDE_GROUPED];
        tree_line(&tree, 0);
        fprintf(out, "... and %s more choices\n", sonde_grouped(values->tape->n_choices - w.choice, digits));
    } else if (tree.lines == 0) {
        tree_line(&tree, 0);
        fputs("(nothing was drawn)\n", out);
    }
    sonde_free(tree.ordinals);
}

void sonde_report_values(FILE *out, const struct sonde_tape *tape, const struct sonde_labels *names)
{
    sonde_values_tree(out, &(struct sonde_values){.tape = tape, .names = names}, 0, 0);
}

/* ---- As paths --------------------------------------------------------------------------------------------------*/

/* Counts children of a parent that have the same label; returns the number of this one, from 1. */
static uint32_t count_sibling(struct sonde_map *siblings, uint32_t parent, uint32_t label)
{
    return ++*sonde_map_at(siblings, (uint64_t)parent << 32 | label);
}

/* State while paths are made. */
struct paths {
    const struct sonde_values *values;
    struct sonde_map siblings; /* number of siblings so far, by parent and label */
    /* for each span: if it is an element, its index from 0; else its number among namesakes, from 1 */
    uint32_t *ordinals;
};

/* Writes an escaped label, and its number if it is not the first of its name. */
static void put_label_part(FILE *out, const char *label, uint32_t ordinal)
{
    for (; *label; label++) {
        if (strchr(".[]#\\", *label)) fputc('\\', out);
        fputc(*label, out);
    }
    if (ordinal > 1) fprintf(out, "#%" PRIu32, ordinal);
}

/* Writes a path. Spans are collected from the innermost outwards, then written in the reverse order. */
static void put_path(const struct paths *p, FILE *out, uint32_t span, const struct sonde_choice *c, uint32_t ordinal)
{
    const struct sonde_values *v = p->values;
    uint32_t parts[PATH_PARTS], n = 0;
    while (span != 0 && n < PATH_PARTS) {
        parts[n++] = span;
        span = span_at(v, span)->parent;
    }
    if (span != 0) fputs("...", out);
    bool is_first = span == 0;
    while (n-- > 0) {
        const struct sonde_tape_span *s = span_at(v, parts[n]);
        if (s->flags & SONDE_SPAN_ELEMENT) {
            fprintf(out, "[%" PRIu32 "]", p->ordinals[parts[n]]);
            if (s->flags & SONDE_SPAN_CALL) fputc('.', out), put_label_part(out, label_of(v, s->label), 0);
        } else {
            if (!is_first) fputc('.', out);
            put_label_part(out, label_of(v, s->label), p->ordinals[parts[n]]);
        }
        is_first = false;
    }
    if (c && !is_first) fputc('.', out);
    if (c) put_label_part(out, label_of(v, c->label), ordinal);
}

/* Calls leaf() for the next item of the walk; returns its result. */
static bool call_leaf(struct paths *p, const struct walk *w, bool (*leaf)(void *to, const struct sonde_leaf *leaf),
                      void *to)
{
    const struct sonde_values *v = p->values;
    bool at_span = walk_at_span(w);
    const struct sonde_choice *c = at_span ? NULL : &v->tape->choices[w->choice];
    uint32_t ordinal = at_span ? 0 : count_sibling(&p->siblings, c->span, c->label);
    struct sonde_buffer path;
    put_path(p, sonde_buffer_open(&path), at_span ? w->span : c->span, c, ordinal);
    bool continues =
        leaf(to, &(struct sonde_leaf){sonde_buffer_close(&path), c, at_span ? shown_text(v, w->span) : NULL});
    sonde_buffer_clear(&path);
    return continues;
}

void sonde_values_each(const struct sonde_values *values, bool (*leaf)(void *to, const struct sonde_leaf *leaf),
                       void *to)
{
    const struct sonde_tape *tape = values->tape;
    if (!tape || !tape->n_spans) return;
    const char *whole = shown_text(values, 0);
    if (whole) {
        leaf(to, &(struct sonde_leaf){"", NULL, whole});
        return;
    }
    struct paths p = {.values = values, .ordinals = number_elements(tape)};
    struct walk w = walk_inside(values, 0);
    for (walk_skip_hidden(&w); !walk_ended(&w); walk_skip_hidden(&w)) {
        bool is_leaf = true;
        if (walk_at_span(&w)) {
            const struct sonde_tape_span *s = span_at(values, w.span);
            if (!(s->flags & SONDE_SPAN_ELEMENT)) p.ordinals[w.span] = count_sibling(&p.siblings, s->parent, s->label);
            is_leaf = shown_text(values, w.span) != NULL;
        }
        if (is_leaf && !call_leaf(&p, &w, leaf, to)) break;
        walk_on(&w, is_leaf);
    }
    sonde_map_clear(&p.siblings);
    sonde_free(p.ordinals);
}
