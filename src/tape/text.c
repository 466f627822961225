/* See `text.h`: a writer that follows the walk over a tape, and a reader that makes a script of a token.
 *
 * The reader never recurses: the script's spans are its stack, with a small frame per open span. It reads each byte
 * once and stops at the first error, so any input costs linear time and bounded memory.
 *
 * The reader turns what the writer prints into a script that leads to the same run. The writer calls only
 * async-signal-safe functions, because signal handlers use it to write the input of a crashing case. */
#include "tape/text.h"

#include "base/mem.h"
#include "tape/literal.h"
#include "tape/runs.h"
#include "tape/walk.h"

#include <errno.h>
#include <string.h>

/* ---- Writing */

/* The state of a writer. `is_first` is about the innermost span; closing a span sets it to false, because the span
 * around it has content. */
struct writer {
    struct sonde_sink sink;
    const struct sonde_tape *tape;
    const struct sonde_labels *labels;
    bool is_first; /* nothing was written yet in the innermost span */
    bool has_runs; /* version 2 */
};

/* Writes one blank between items, none after an opening bracket. */
static void put_separator(struct writer *w)
{
    if (!w->is_first) sonde_put_char(&w->sink, ' ');
    w->is_first = false;
}

static void put_label(struct writer *w, const char *text)
{
    if (*text) sonde_put_escaped(&w->sink, text, strlen(text));
    else sonde_put_text(&w->sink, "%-"); /* an empty label must be visible, too */
}

static bool is_list(const struct sonde_tape *tape, uint32_t span)
{
    return (tape->spans[span].flags & SONDE_SPAN_LIST) != 0;
}

/* Returns the length of a list: its first choice, whether recorded or read from a token. NULL if the list has no
 * length. */
static const struct sonde_choice *length_of(const struct writer *w, uint32_t list)
{
    uint32_t first = w->tape->spans[list].start;
    if (first >= w->tape->n_choices) return NULL;
    const struct sonde_choice *c = &w->tape->choices[first];
    bool is_length =
        c->kind == SONDE_KIND_LENGTH
        || (c->kind == SONDE_KIND_LITERAL && strcmp(sonde_label_text(w->labels, c->label), SONDE_LABEL_LENGTH) == 0);
    return c->span == list && is_length && !(c->flags & SONDE_CHOICE_HOLE) ? c : NULL;
}

/* Returns whether a span is written without a label. Such spans are elements with the label of their list, and calls
 * with the label of their rule. */
static bool is_element(const struct writer *w, uint32_t span)
{
    const struct sonde_tape_span *s = &w->tape->spans[span];
    if (!(s->flags & SONDE_SPAN_ELEMENT) || !is_list(w->tape, s->parent)) return false;
    if (s->flags & SONDE_SPAN_CALL) return true;
    const char *list = sonde_label_text(w->labels, w->tape->spans[s->parent].label);
    const char *element = sonde_label_text(w->labels, s->label);
    size_t n = strlen(list);
    return strncmp(element, list, n) == 0 && strcmp(element + n, "[]") == 0;
}

/* Returns whether a span is a machine's call that an assume took back. It is not written: a run that follows the
 * token leaves it out. */
static bool is_taken_back(const struct writer *w, uint32_t span)
{
    const uint32_t taken_back = SONDE_SPAN_CALL | SONDE_SPAN_REJECTED;
    return (w->tape->spans[span].flags & taken_back) == taken_back;
}

/* Returns the number of elements that are written, without calls that were taken back. Other rejected elements count:
 * the reader cannot distinguish them from accepted elements. */
static uint64_t count_elements(const struct writer *w, uint32_t list, bool *some_are_taken_back)
{
    const struct sonde_tape *tape = w->tape;
    /* The tape of a crashed case still has open spans, whose `next` is 0. Such spans reach to the end of the tape,
     * and their siblings are found one by one. */
    uint32_t end = tape->spans[list].next ? tape->spans[list].next : tape->n_spans;
    uint64_t n = 0;
    for (uint32_t i = list + 1; i < end; i = tape->spans[i].next ? tape->spans[i].next : i + 1)
        if (tape->spans[i].parent == list && is_taken_back(w, i)) *some_are_taken_back = true;
        else if (tape->spans[i].parent == list) n += is_element(w, i);
    return n;
}

/* Writes the length only if the elements do not determine it. After many calls that were taken back a list is
 * shorter than its length. */
static void write_length(struct writer *w, uint32_t list)
{
    const struct sonde_choice *length = length_of(w, list);
    struct sonde_value value = {.type = SONDE_VALUE_BLOB};
    if (!length) return;
    if (length->kind == SONDE_KIND_LENGTH) value = sonde_choice_value(w->tape, length);
    else sonde_literal_value(w->tape, length, &value);
    bool is_count = value.type == SONDE_VALUE_INT || value.type == SONDE_VALUE_UINT, some_are_taken_back = false;
    uint64_t n = count_elements(w, list, &some_are_taken_back);
    if (is_count && value.as.u == n) return;
    /* The number of elements that remain is a valid length, so the reader can count them. */
    if (some_are_taken_back && length->kind == SONDE_KIND_LENGTH && n >= length->base) return;
    put_separator(w);
    sonde_put_text(&w->sink, SONDE_LABEL_LENGTH "=");
    sonde_put_value(&w->sink, w->tape, length);
}

static void write_hole(struct writer *w)
{
    put_separator(w);
    sonde_put_char(&w->sink, '?');
}

static void write_open(struct writer *w, struct sonde_walk *walk)
{
    const struct sonde_tape_span *s = &w->tape->spans[walk->span];
    if (is_taken_back(w, walk->span)) {
        sonde_walk_skip(walk);
        return;
    }
    put_separator(w);
    if (!is_element(w, walk->span)) put_label(w, sonde_label_text(w->labels, s->label));
    sonde_put_char(&w->sink, is_list(w->tape, walk->span) ? '[' : '{');
    w->is_first = true;
    if (s->flags & SONDE_SPAN_HOLE) {
        write_hole(w);
        sonde_walk_skip(walk);
    } else if (is_list(w->tape, walk->span)) {
        write_length(w, walk->span);
    }
}

/* Writes the end of a span. A list without a length was read from a token that ended in `?`; it is written as it was
 * read. */
static void write_close(struct writer *w, uint32_t span)
{
    const struct sonde_tape_span *s = &w->tape->spans[span];
    if (is_taken_back(w, span)) return;
    bool has_free_length = is_list(w->tape, span) && !length_of(w, span);
    bool is_free = has_free_length || s->flags & SONDE_SPAN_FREE;
    if (is_free && !(s->flags & SONDE_SPAN_HOLE)) write_hole(w); /* a hole has its ? already */
    sonde_put_char(&w->sink, is_list(w->tape, span) ? ']' : '}');
    w->is_first = false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Writes the name of a machine's rule after its number: `rule=0-put`. The name is for people; a reader skips it. */
static void write_rule_name(struct writer *w, const struct sonde_choice *c)
{
    const struct sonde_tape_span *s = &w->tape->spans[c->span];
    const char *name = sonde_label_text(w->labels, s->label);
    bool is_rule = s->flags & SONDE_SPAN_CALL && c == &w->tape->choices[s->start] && c->kind == SONDE_KIND_WEIGHTED;
    if (!is_rule || !is_letter(*name)) return;
    sonde_put_char(&w->sink, '-');
    sonde_put_escaped(&w->sink, name, strlen(name));
}

/* Returns whether a reader of version 2 might take the string of a choice for bytes with runs. May return true for
 * other strings that have only the characters of runs. */
static bool resembles_runs(const struct writer *w, const struct sonde_choice *c)
{
    static const char characters[] = "0123456789abcdefx.";
    bool has_x = false;
    uint32_t n = 0, code;
    const char *text = NULL;
    struct sonde_blob blob = {0};
    if (c->kind == SONDE_KIND_LITERAL) text = sonde_literal_text(w->tape, c, &n);
    else blob = sonde_choice_blob(w->tape, c), n = blob.len;
    for (uint32_t i = 0; i < n; i++) {
        code = text ? (unsigned char)text[i] : sonde_alphabet_code(&blob.alphabet, sonde_blob_symbol(&blob, i));
        if (code == 0 || code >= 128 || !strchr(characters, (int)code)) return false;
        has_x |= code == 'x';
    }
    return has_x;
}

/* Writes a string with each x escaped, so that it is not read as bytes with runs. */
static void put_guarded(struct writer *w, const struct sonde_choice *c)
{
    uint32_t n;
    const char *text = c->kind == SONDE_KIND_LITERAL ? sonde_literal_text(w->tape, c, &n) : NULL;
    struct sonde_blob blob = {0};
    if (!text) blob = sonde_choice_blob(w->tape, c), n = blob.len;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t code =
            text ? (unsigned char)text[i] : sonde_alphabet_code(&blob.alphabet, sonde_blob_symbol(&blob, i));
        if (code == 'x') sonde_put_text(&w->sink, "%78");
        else sonde_put_char(&w->sink, (char)code);
    }
}

static void write_value(struct writer *w, const struct sonde_choice *c)
{
    bool is_blob = c->kind == SONDE_KIND_BLOB;
    if (w->has_runs && is_blob) {
        struct sonde_blob blob = sonde_choice_blob(w->tape, c);
        if (blob.alphabet.kind == SONDE_ALPHABET_BYTES) {
            sonde_runs_put(&w->sink, &blob);
            return;
        }
    }
    if (w->has_runs && (is_blob || c->kind == SONDE_KIND_LITERAL) && resembles_runs(w, c)) put_guarded(w, c);
    else sonde_put_value(&w->sink, w->tape, c);
}

static void write_choice(struct writer *w, const struct sonde_choice *c)
{
    const char *label = sonde_label_text(w->labels, c->label);
    bool in_list = is_list(w->tape, c->span), is_length = strcmp(label, SONDE_LABEL_LENGTH) == 0;
    if (in_list && is_length && c == &w->tape->choices[w->tape->spans[c->span].start]) return; /* see write_length */
    put_separator(w);
    if ((is_length && !in_list) || strcmp(label, SONDE_LABEL_SIZE) == 0) sonde_put_text(&w->sink, label);
    else put_label(w, label);
    sonde_put_char(&w->sink, '=');
    if (c->flags & SONDE_CHOICE_HOLE) sonde_put_char(&w->sink, '?');
    else {
        write_value(w, c);
        write_rule_name(w, c);
    }
}

static void write_tape(struct writer *w)
{
    struct sonde_walk walk = sonde_walk_start(w->tape);
    for (uint32_t i = 0; i < w->tape->n_choices && !w->has_runs; i++)
        w->has_runs = sonde_runs_has(w->tape, &w->tape->choices[i]);
    sonde_put_text(&w->sink, w->has_runs ? "s2:" : "s1:");
    w->is_first = true;
    for (;;) {
        switch (sonde_walk_next(&walk)) {
        case SONDE_STEP_OPEN: write_open(w, &walk); break;
        case SONDE_STEP_CHOICE: write_choice(w, &w->tape->choices[walk.choice]); break;
        case SONDE_STEP_CLOSE: write_close(w, walk.closed); break;
        case SONDE_STEP_END:
            if (w->tape->spans[0].flags & SONDE_SPAN_FREE) write_hole(w);
            return;
        }
    }
}

/* The sink is copied in and out so that the writer can be one struct; nothing is allocated. */
void sonde_put_tape(struct sonde_sink *sink, const struct sonde_tape *tape, const struct sonde_labels *labels)
{
    struct writer w = {.tape = tape, .labels = labels, .sink = *sink};
    write_tape(&w);
    *sink = w.sink;
}

char *sonde_tape_to_text(const struct sonde_tape *tape, const struct sonde_labels *labels)
{
    struct sonde_sink sink = {.size = 0};
    sonde_put_tape(&sink, tape, labels); /* no buffer yet: only measures the length */
    sink = (struct sonde_sink){.out = sonde_malloc(sink.n + 1), .size = sink.n};
    sonde_put_tape(&sink, tape, labels);
    sink.out[sink.n] = '\0';
    return sink.out;
}

/* ---- Reading */

/* Labels of tokens may fill at most this many entries of the label table; the rest is for the labels of properties. */
enum { LABELS_SHARE = SONDE_LABELS_MAX / 2 };

/* A span that is open while a token is read. */
struct frame {
    uint32_t span;
    uint32_t elements;      /* for a list: number of elements so far */
    uint32_t element_label; /* for a list: label of the elements; otherwise 0 */
    bool has_length;        /* for a list: the token states the length */
    bool is_empty;
    bool is_over; /* a ? was read: nothing may follow in this span */
};

/* The state of a reader. `word` has room for the whole token and two bytes more ("[]"), so appends to it are not
 * checked. `depth` is 1 while only the root is open. */
struct reader {
    const char *text;
    size_t n, at;
    struct sonde_tape *script;
    struct sonde_labels *labels;
    struct frame *frames;
    uint32_t depth, cap;
    char *word; /* the last word read, with its escapes decoded */
    size_t word_n;
    bool has_runs; /* version 2: bytes may be written with runs */
    struct sonde_text_error *error;
    struct sonde_labels *new_labels; /* during the first pass: collects the labels that `labels` lacks */
};

/* Sets *r->error and returns false. Never overwrites an earlier error, because every caller stops reading. */
static bool fail(struct reader *r, size_t at, const char *reason)
{
    *r->error = (struct sonde_text_error){.at = at, .reason = reason};
    return false;
}

static struct frame *top(struct reader *r)
{
    sonde_assert(r->depth > 0);
    return &r->frames[r->depth - 1];
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Accepts more than the writer's plain characters: bytes of UTF-8 are accepted unescaped, since people type them. */
static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (unsigned char)c >= 128
           || (c && strchr("_.+-%", c));
}

static bool is_at(const struct reader *r, char c)
{
    return r->at < r->n && r->text[r->at] == c;
}

/* Appends the next characters to the word; returns false with an error if an escape is invalid. */
static bool read_word(struct reader *r)
{
    while (r->at < r->n && is_word_char(r->text[r->at])) {
        if (r->text[r->at] != '%') {
            r->word[r->word_n++] = r->text[r->at++];
            continue;
        }
        int high = r->at + 1 < r->n ? sonde_hex_digit(r->text[r->at + 1]) : -1;
        int low = r->at + 2 < r->n ? sonde_hex_digit(r->text[r->at + 2]) : -1;
        /* "%-" is an empty word (see put_label); it may appear anywhere and adds nothing. */
        if (r->at + 1 < r->n && r->text[r->at + 1] == '-') {
            r->at += 2; /* adds nothing */
        } else if (high < 0 || low < 0) {
            return fail(r, r->at, "a % needs two hexadecimal digits after it");
        } else {
            r->word[r->word_n++] = (char)(high * 16 + low);
            r->at += 3;
        }
    }
    return true;
}

/* Returns the id of the word as a label, or 0 with an error. */
static uint32_t intern_word(struct reader *r, size_t at)
{
    if (r->word_n > SONDE_LABEL_LENGTH_MAX) return fail(r, at, "this label is too long (more than 4096 bytes)");
    if (memchr(r->word, '\0', r->word_n)) return fail(r, at, "a label cannot hold a NUL byte");
    /* In the first pass nothing is added to `labels`; known labels and new ones together must stay within the share. */
    uint32_t id = r->new_labels ? sonde_label_find_n(r->labels, r->word, r->word_n) : 0;
    if (!id) id = sonde_label_intern_n(r->new_labels ? r->new_labels : r->labels, r->word, r->word_n);
    bool are_too_many = r->new_labels && r->labels->n + r->new_labels->n > LABELS_SHARE;
    if (!id || are_too_many) return fail(r, at, "there are too many different labels");
    return id;
}

static bool add_literal(struct reader *r, uint32_t label, uint8_t flags, const char *text, size_t n)
{
    struct sonde_tape *script = r->script;
    if (script->n_choices >= SONDE_READ_CHOICES_MAX) return fail(r, r->at, "there are too many values");
    size_t room = SONDE_READ_BYTES_MAX - sizeof(uint32_t);
    if (script->n_bytes > room || n > room - script->n_bytes) return fail(r, r->at, "the values are too long");
    struct sonde_choice c = {.kind = SONDE_KIND_LITERAL, .flags = flags, .label = label, .span = top(r)->span};
    c.site = sonde_site(label, script->spans[c.span].label, SONDE_KIND_LITERAL);
    c.base = sonde_tape_add_literal(script, text, (uint32_t)n);
    sonde_tape_add(script, &c);
    return true;
}

/* Adds a literal with the current word. The length of a list is first added with an empty word, which close_list
 * replaces. */
static bool add_choice(struct reader *r, uint32_t label, uint8_t flags)
{
    return add_literal(r, label, flags, r->word, r->word_n);
}

static bool push(struct reader *r, uint32_t label, uint32_t flags)
{
    if (r->depth > SONDE_READ_DEPTH_MAX) return fail(r, r->at, "the spans are nested too deeply");
    if (r->script->n_spans >= SONDE_READ_SPANS_MAX) return fail(r, r->at, "there are too many spans");
    uint32_t span = sonde_tape_open(r->script, r->depth ? top(r)->span : 0, label, flags);
    r->frames = sonde_grow(r->frames, &r->cap, (size_t)r->depth + 1, sizeof *r->frames);
    r->frames[r->depth++] = (struct frame){.span = span, .is_empty = true};
    return true;
}

/* Adds bytes that are written with runs as the hexadecimal digits they stand for. Their number is checked before
 * memory is taken for them. */
static bool add_runs(struct reader *r, uint32_t label, const char *text, size_t n, size_t length)
{
    if (length > SONDE_READ_BYTES_MAX) return fail(r, r->at, "the values are too long");
    char *digits = sonde_malloc(length);
    sonde_runs_expand(text, n, digits);
    bool ok = add_literal(r, label, 0, digits, length);
    sonde_free(digits);
    return ok;
}

static bool read_value(struct reader *r, uint32_t label)
{
    uint8_t flags = 0;
    size_t start = r->at;
    r->word_n = 0;
    if (is_at(r, '?')) flags = SONDE_CHOICE_HOLE, r->at++;
    else if (!read_word(r)) return false;
    if (r->at < r->n && !is_space(r->text[r->at]) && !is_at(r, '}') && !is_at(r, ']'))
        return fail(r, r->at, "this character cannot be part of a value; write it as % and two hexadecimal digits");
    size_t runs = r->has_runs ? sonde_runs_length(r->text + start, r->at - start) : 0;
    return runs ? add_runs(r, label, r->text + start, r->at - start, runs) : add_choice(r, label, flags);
}

/* Opens a list. Its length comes before its elements, which have not been counted yet: close_list sets it. */
static bool open_list(struct reader *r, uint32_t label, size_t at)
{
    memcpy(r->word + r->word_n, "[]", 2); /* the word is still the list's label */
    r->word_n += 2;
    uint32_t element_label = intern_word(r, at);
    if (!element_label || !push(r, label, SONDE_SPAN_LIST)) return false;
    top(r)->element_label = element_label;
    memcpy(r->word, SONDE_LABEL_LENGTH, strlen(SONDE_LABEL_LENGTH));
    r->word_n = strlen(SONDE_LABEL_LENGTH);
    uint32_t length = intern_word(r, at);
    if (!length) return false;
    while (r->at < r->n && is_space(r->text[r->at])) r->at++;
    if (r->n - r->at >= 2 && memcmp(r->text + r->at, "#=", 2) == 0) {
        r->at += 2;
        top(r)->has_length = true;
        return read_value(r, length);
    }
    r->word_n = 0;
    return add_choice(r, length, 0);
}

static void close_list(struct reader *r)
{
    struct frame *f = top(r);
    char digits[16];
    if (f->has_length) return;
    struct sonde_choice *length = &r->script->choices[r->script->spans[f->span].start];
    if (f->is_over) length->flags = SONDE_CHOICE_HOLE;
    else
        length->base = sonde_tape_add_literal(r->script, digits,
                                              (uint32_t)snprintf(digits, sizeof digits, "%u", (unsigned)f->elements));
}

static bool read_close(struct reader *r)
{
    struct frame *f = top(r);
    bool list = f->element_label != 0;
    if (r->depth == 1) return fail(r, r->at, "there is no open span or list to close here");
    /* The messages name the missing bracket, because the cursor is at a wrong bracket. */
    if (list && !is_at(r, ']')) return fail(r, r->at, "this list must be closed by ]");
    if (!list && !is_at(r, '}')) return fail(r, r->at, "this span must be closed by }");
    if (list) close_list(r);
    sonde_tape_close(r->script, f->span);
    r->depth--;
    r->at++;
    return true;
}

static bool read_element(struct reader *r)
{
    struct frame *f = top(r);
    if (!f->element_label) return fail(r, r->at, "a { without a label is allowed only in a list");
    f->elements++;
    r->at++;
    return push(r, f->element_label, SONDE_SPAN_ELEMENT);
}

/* Reads label=value, label{ or label[. Only sonde's labels start with '#'; in users' labels it is escaped. */
static bool read_labelled(struct reader *r)
{
    size_t at = r->at;
    bool is_own = is_at(r, '#');
    r->word_n = 0;
    if (is_own) r->word[r->word_n++] = r->text[r->at++];
    if (!is_own && !is_word_char(r->text[r->at]))
        return fail(r, r->at, "a label was expected; write other characters as % and two hexadecimal digits");
    if (!read_word(r)) return false;
    bool is_length = is_own && r->word_n == 1;
    uint32_t label = intern_word(r, at);
    if (!label) return false;
    if (is_at(r, '=')) {
        if (is_length && top(r)->element_label) return fail(r, at, "the length must come first in its list, and once");
        r->at++;
        return read_value(r, label);
    }
    if (is_own || (!is_at(r, '{') && !is_at(r, '[')))
        return fail(r, r->at, is_own ? "a = must follow here" : "a =, { or [ must follow the label");
    if (r->text[r->at++] == '[') return open_list(r, label, at);
    return push(r, label, 0);
}

static bool read_hole(struct reader *r)
{
    struct frame *f = top(r);
    if (f->is_empty && !f->has_length && r->depth > 1) r->script->spans[f->span].flags |= SONDE_SPAN_HOLE;
    r->script->spans[f->span].flags |= SONDE_SPAN_FREE;
    f->is_over = true;
    r->at++;
    return true;
}

static bool read_item(struct reader *r)
{
    char c = r->text[r->at];
    if (c == '}' || c == ']') return read_close(r);
    if (top(r)->is_over) return fail(r, r->at, "only the end of its span can follow a ?");
    if (c == '?') return read_hole(r);
    top(r)->is_empty = false;
    return c == '{' ? read_element(r) : read_labelled(r);
}

/* Returns the length of the version at the start of a string: an s, a number and a colon, which no label looks like. 0:
 * there is none. */
static size_t version_length(const char *text, size_t n)
{
    size_t at = 1;
    if (n == 0 || text[0] != 's') return 0;
    while (at < n && text[at] >= '0' && text[at] <= '9') at++;
    return at > 1 && at < n && text[at] == ':' ? at + 1 : 0;
}

bool sonde_text_has_version(const char *text, size_t n)
{
    return version_length(text, n) > 0;
}

/* Reads the version. A missing version means 1: people write tokens by hand. */
static bool read_version(struct reader *r)
{
    size_t length = version_length(r->text + r->at, r->n - r->at);
    r->has_runs = false;
    if (length == 0) return true;
    char version = r->text[r->at + 1];
    if (length != 3 || (version != '1' && version != '2'))
        return fail(r, r->at, "it was made by a newer version of sonde");
    r->has_runs = version == '2';
    r->at += length;
    return true;
}

static bool read_tape(struct reader *r)
{
    while (r->at < r->n && is_space(r->text[r->at])) r->at++;
    if (!read_version(r)) return false;
    for (;;) {
        while (r->at < r->n && is_space(r->text[r->at])) r->at++;
        if (r->at == r->n) break;
        if (!read_item(r)) return false;
    }
    if (r->depth == 1) return true;
    return fail(r, r->n,
                top(r)->element_label ? "a list is not closed: a ] is missing"
                                      : "a span is not closed: a } is missing");
}

/* Empties the script first, so that it holds only the result of this pass. */
static bool read_all(struct reader *r)
{
    sonde_tape_begin(r->script);
    r->at = 0;
    r->depth = 0;
    r->frames = sonde_grow(r->frames, &r->cap, 1, sizeof *r->frames);
    r->frames[r->depth++] = (struct frame){0};
    return read_tape(r);
}

/* Reads twice. The first time, labels go to a separate table, so that an invalid token adds no labels. */
int sonde_tape_from_text(struct sonde_tape *script, struct sonde_labels *labels, const char *text, size_t n,
                         struct sonde_text_error *error)
{
    struct sonde_text_error ignored;
    struct sonde_labels new_labels;
    struct reader r = {.text = text, .n = n, .script = script, .labels = labels, .error = error ? error : &ignored};
    *r.error = (struct sonde_text_error){0};
    bool ok = n <= SONDE_READ_BYTES_MAX || fail(&r, 0, "this token is too long (more than 64 MiB)");
    if (ok) {
        r.word = sonde_malloc(n + 2);
        r.new_labels = &new_labels;
        sonde_labels_init(&new_labels);
        ok = read_all(&r);
        sonde_labels_clear(&new_labels);
        r.new_labels = NULL;
        ok = ok && read_all(&r);
        sonde_free(r.word);
        sonde_free(r.frames);
    }
    if (!ok) sonde_tape_begin(script);
    sonde_tape_end(script);
    return ok ? 0 : -EINVAL;
}
