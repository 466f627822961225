/* The byte form. See codec.h for the format and for the guarantees of each reader.
 *
 * One parser serves both readers. It never fails: it marks the bytes as damaged, repairs the value, and continues. The
 * strict reader stops at the first damage. At the end it encodes what it read, and rejects bytes that differ from the
 * result. So the format is canonical without a rule for each field.
 *
 * The encoder walks the tape twice: once to number the labels, once to write records. The decoder builds the script
 * with the calls that a case records with (tape.h), so the result is a proper tape whatever the bytes were. Labels,
 * points and symbols are scratch memory of one call; nothing is kept between calls. */
#include "tape/codec.h"

#include "base/hash.h"
#include "base/mem.h"
#include "tape/literal.h"
#include "tape/text.h"
#include "tape/walk.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const uint8_t magic[4] = {'s', 'o', 'n', 'd'};
enum { HEADER = sizeof magic + 1, CHECKSUM = 8 };
/* CLOSE is 0, so that the frequent record of a closed span is a single byte 0, without a label. */
enum record { CLOSE, OPEN, CHOICE, LIKE };
_Static_assert(LIKE < 4, "a record is named by the two lowest bits of its head");
_Static_assert(SONDE_KIND_COUNT <= 16, "a kind takes four bits of its byte, flags take the others");
/* The flag FREE is left out: it comes from hand-written tokens, and bytes are never written by hand. */
enum { SPAN_FLAGS = SONDE_SPAN_LIST | SONDE_SPAN_ELEMENT | SONDE_SPAN_REJECTED | SONDE_SPAN_HOLE | SONDE_SPAN_CALL };
/* A custom alphabet is scanned for each blob that uses it; these limits bound the cost of malicious bytes. */
enum { ALPHABET_MAX = 1 << 16, ALPHABET_WORK = 1 << 28 };

/* A choice without its content: kind, flags and domain. */
struct point {
    bool is_known;
    uint8_t kind, flags;
    uint64_t max, base;
    uint64_t bounds[2];      /* bits of lo and hi */
    struct sonde_blob shape; /* alphabet, min, max */
};

/* Doubles are compared by their bits: -0.0 and 0.0 are different bounds. NaN bounds never occur, because get_bounds
 * and the draws reject them. */
static bool is_same_point(const struct point *a, const struct point *b)
{
    if (!a->is_known || !b->is_known || a->kind != b->kind || a->flags != b->flags) return false;
    if (a->kind == SONDE_KIND_DOUBLE) return memcmp(a->bounds, b->bounds, sizeof a->bounds) == 0;
    if (a->kind != SONDE_KIND_BLOB) return a->max == b->max && a->base == b->base;
    if (a->shape.min != b->shape.min || a->shape.max != b->shape.max) return false;
    if (a->shape.alphabet.kind != b->shape.alphabet.kind) return false;
    return a->shape.alphabet.kind != SONDE_ALPHABET_CUSTOM
           || strcmp(a->shape.alphabet.text, b->shape.alphabet.text) == 0;
}

/* ---- Writing */

/* The state of a writer. `refs` and `texts` are complete before the first record is written. So `last` is allocated
 * only once, with one point per label. */
struct encoder {
    const struct sonde_tape *tape;
    const struct sonde_labels *labels;
    uint8_t *out;
    uint32_t n, cap;
    uint32_t *refs; /* hash table from the string of a label to its number + 1; open addressing */
    uint32_t mask;
    const char **texts; /* labels, by number */
    uint32_t n_texts, cap_texts;
    struct point *last; /* last[i] is the point of the last choice with label number i */
};

static void put_bytes(struct encoder *e, const void *data, size_t n)
{
    e->out = sonde_grow(e->out, &e->cap, (size_t)e->n + n, 1);
    if (n) memcpy(e->out + e->n, data, n);
    e->n += (uint32_t)n;
}

static void put_byte(struct encoder *e, unsigned byte)
{
    put_bytes(e, &(uint8_t){(uint8_t)byte}, 1);
}

/* Writes a number as LEB128: seven bits per byte, the lowest first. Most numbers of a tape are below 128. */
static void put_number(struct encoder *e, uint64_t x)
{
    for (; x >= 128; x >>= 7) put_byte(e, 128 | (unsigned)(x & 127));
    put_byte(e, (unsigned)x);
}

static void put_fixed(struct encoder *e, uint64_t x)
{
    for (unsigned i = 0; i < 8; i++) put_byte(e, (unsigned)(x >> (8 * i)) & 255);
}

/* Returns the number of a label, assigned at its first use. Labels are found by string, not by id: all ids that the
 * table does not know have the same string. */
static uint32_t reference(struct encoder *e, uint32_t id)
{
    const char *text = sonde_label_text(e->labels, id);
    uint32_t slot = (uint32_t)sonde_hash_text(0, text) & e->mask;
    for (; e->refs[slot]; slot = (slot + 1) & e->mask)
        if (strcmp(e->texts[e->refs[slot] - 1], text) == 0) return e->refs[slot] - 1;
    e->texts = sonde_grow(e->texts, &e->cap_texts, (size_t)e->n_texts + 1, sizeof *e->texts);
    e->texts[e->n_texts] = text;
    e->refs[slot] = ++e->n_texts;
    sonde_assert(2 * (uint64_t)e->n_texts <= (uint64_t)e->mask + 1
                 && !e->last); /* all labels are numbered before records are written */
    return e->n_texts - 1;
}

/* Numbers all labels in a first walk: their strings precede the records, in the order of first use. The table has two
 * slots for every use of a label, so it never grows. */
static void put_labels(struct encoder *e)
{
    uint64_t slots = 64, uses = (uint64_t)e->tape->n_choices + e->tape->n_spans;
    struct sonde_walk walk = sonde_walk_start(e->tape);
    while (slots < 2 * uses) slots *= 2;
    e->refs = sonde_calloc(slots, sizeof *e->refs);
    e->mask = (uint32_t)(slots - 1);
    for (enum sonde_step step; (step = sonde_walk_next(&walk)) != SONDE_STEP_END;) {
        if (step == SONDE_STEP_OPEN) reference(e, e->tape->spans[walk.span].label);
        if (step == SONDE_STEP_CHOICE) reference(e, e->tape->choices[walk.choice].label);
    }
    e->last = sonde_calloc(e->n_texts, sizeof *e->last);
    put_number(e, e->n_texts);
    for (uint32_t i = 0; i < e->n_texts; i++) put_bytes(e, e->texts[i], strlen(e->texts[i]) + 1);
}

/* Returns the point of a choice. A script may have been edited, so a blob's length widens its bounds if needed. */
static struct point point_of(const struct sonde_tape *tape, const struct sonde_choice *c)
{
    struct point p = {.is_known = true, .kind = c->kind, .flags = c->flags & 15, .max = c->max};
    if (c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT || c->kind == SONDE_KIND_LENGTH
        || c->kind == SONDE_KIND_CHANCE)
        p.base = c->base;
    /* A LITERAL has no domain yet. Its max is not written, so it must not distinguish two points. */
    if (c->kind == SONDE_KIND_LITERAL) p.max = 0;
    if (c->kind == SONDE_KIND_DOUBLE) memcpy(p.bounds, tape->bytes + c->base, sizeof p.bounds);
    if (c->kind != SONDE_KIND_BLOB) return p;
    p.shape = sonde_choice_blob(tape, c);
    if (p.shape.min > p.shape.len) p.shape.min = p.shape.len;
    if (p.shape.max < p.shape.len) p.shape.max = p.shape.len;
    return p;
}

static void put_domain(struct encoder *e, const struct point *p)
{
    const struct sonde_alphabet *alphabet = &p->shape.alphabet;
    switch ((enum sonde_kind)p->kind) {
    case SONDE_KIND_INT:
        put_number(e, p->max);
        /* Zigzag: small negative bases such as -1 stay short. */
        put_number(e, (p->base << 1) ^ (0 - (p->base >> 63)));
        break;
    case SONDE_KIND_UINT:
    case SONDE_KIND_LENGTH:
        put_number(e, p->max);
        put_number(e, p->base);
        break;
    case SONDE_KIND_CHANCE:
        put_number(e, p->max);
        put_fixed(e, p->base);
        break;
    case SONDE_KIND_DOUBLE:
        put_fixed(e, p->bounds[0]);
        put_fixed(e, p->bounds[1]);
        break;
    case SONDE_KIND_BLOB:
        put_byte(e, (unsigned)alphabet->kind);
        if (alphabet->kind == SONDE_ALPHABET_CUSTOM) put_bytes(e, alphabet->text, strlen(alphabet->text) + 1);
        put_number(e, p->shape.min);
        put_number(e, p->shape.max);
        break;
    case SONDE_KIND_LITERAL:
    case SONDE_KIND_COUNT: break;
    default: put_number(e, p->max); break;
    }
}

/* Writes the index, or the symbols of a blob. An edited script may have an index beyond its max (a guide may write any
 * number there). It is written folded, as the reader would fold it; otherwise the strict reader would reject the
 * output. */
static void put_content(struct encoder *e, const struct sonde_choice *c, const struct point *p)
{
    if (c->kind == SONDE_KIND_LITERAL) {
        uint32_t n;
        const char *text = sonde_literal_text(e->tape, c, &n);
        put_number(e, n);
        put_bytes(e, text, n);
    } else if (c->kind == SONDE_KIND_BLOB) {
        bool is_narrow = sonde_alphabet_width(&p->shape.alphabet) == 1;
        put_number(e, p->shape.len);
        if (is_narrow) put_bytes(e, p->shape.symbols, p->shape.len);
        for (uint32_t i = 0; !is_narrow && i < p->shape.len; i++) put_number(e, sonde_blob_symbol(&p->shape, i));
    } else {
        put_number(e, c->index <= c->max ? c->index : c->index % (c->max + 1));
    }
}

/* Writes a choice. If the previous choice with the same label has the same kind and domain, it takes two bytes: label
 * and content. In loops this is nearly every choice. */
static void put_choice(struct encoder *e, const struct sonde_choice *c)
{
    uint32_t label = reference(e, c->label);
    struct point p = point_of(e->tape, c);
    bool is_like = is_same_point(&p, &e->last[label]);
    put_number(e, (uint64_t)label * 4 + (is_like ? LIKE : CHOICE));
    if (!is_like) {
        put_byte(e, p.kind | (unsigned)p.flags << 4);
        put_domain(e, &p);
        e->last[label] = p;
    }
    put_content(e, c, &p);
}

static void put_records(struct encoder *e)
{
    struct sonde_walk walk = sonde_walk_start(e->tape);
    for (;;) {
        switch (sonde_walk_next(&walk)) {
        case SONDE_STEP_OPEN:
            put_number(e, (uint64_t)reference(e, e->tape->spans[walk.span].label) * 4 + OPEN);
            put_byte(e, e->tape->spans[walk.span].flags & SPAN_FLAGS);
            break;
        case SONDE_STEP_CHOICE: put_choice(e, &e->tape->choices[walk.choice]); break;
        case SONDE_STEP_CLOSE: put_byte(e, CLOSE); break;
        case SONDE_STEP_END: return;
        }
    }
}

uint8_t *sonde_tape_encode(const struct sonde_tape *tape, const struct sonde_labels *labels, size_t *n)
{
    struct encoder e = {.tape = tape, .labels = labels};
    put_bytes(&e, magic, sizeof magic);
    put_byte(&e, SONDE_CODEC_VERSION);
    put_labels(&e);
    put_records(&e);
    put_fixed(&e, sonde_hash_bytes(SONDE_CODEC_VERSION, e.out, e.n));
    sonde_free(e.refs);
    sonde_free(e.texts);
    sonde_free(e.last);
    *n = e.n;
    return e.out;
}

/* ---- Reading */

/* The state of a reader. `at <= n` always holds: every getter checks before it advances. `span` is an open span of
 * `script`. `is_over` ends the loop of read_body; `is_damaged` alone ends it only for the strict reader. */
struct decoder {
    const uint8_t *data;
    size_t n, at;
    bool is_strict;
    bool is_damaged; /* some bytes were invalid */
    bool is_over;    /* the bytes ended inside a record, or a limit was reached */
    struct sonde_tape *script;
    struct sonde_labels *labels;
    uint32_t span;      /* innermost open span */
    struct point *last; /* last[i] is the point of the last choice with label number i */
    uint32_t *ids;
    uint32_t n_ids, cap_ids;
    uint32_t *symbols;
    uint32_t cap_symbols;
    size_t alphabet_work;
};

/* Marks the end of the input; returns false so that callers can write `return end_here(d)`. */
static bool end_here(struct decoder *d)
{
    d->is_damaged = d->is_over = true;
    return false;
}

/* Notes damage if a condition on the bytes does not hold; returns the condition. */
static bool expect(struct decoder *d, bool holds)
{
    if (!holds) d->is_damaged = true;
    return holds;
}

static uint8_t get_byte(struct decoder *d)
{
    if (d->at < d->n) return d->data[d->at++];
    end_here(d);
    return 0;
}

/* Reads a number. At most ten bytes hold 64 bits. A longer number is damage, but its first 64 bits are used, so that
 * decode_any still gets a value. */
static uint64_t get_number(struct decoder *d)
{
    uint64_t x = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = get_byte(d);
        if (shift < 64) x |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128)) return x;
    }
    d->is_damaged = true;
    return x;
}

static uint64_t get_fixed(struct decoder *d)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < 8; i++) x |= (uint64_t)get_byte(d) << (8 * i);
    return x;
}

/* Returns a NUL-terminated string, not copied; NULL if there is none. */
static const char *get_text(struct decoder *d)
{
    const char *text = (const char *)d->data + d->at;
    const char *end = d->at < d->n ? memchr(text, '\0', d->n - d->at) : NULL;
    if (!end) {
        end_here(d);
        return NULL;
    }
    d->at += (size_t)(end - text) + 1;
    return text;
}

/* Returns the id of a label, or 0, which no draw asks for, if the table is full. */
static uint32_t intern(struct decoder *d, const char *text)
{
    /* The lenient reader may fill only half of the label table: fuzzers feed millions of inputs, and properties need
     * room for labels, too. */
    size_t n = strlen(text);
    uint32_t id = sonde_label_find_n(d->labels, text, n);
    if (!id && (d->is_strict || d->labels->n < SONDE_LABELS_MAX / 2)) id = sonde_label_intern_n(d->labels, text, n);
    expect(d, id != 0);
    return id;
}

static void get_labels(struct decoder *d)
{
    uint64_t n = get_number(d);
    /* The count is not trusted. The loop below ends where the bytes end, so a wrong count is harmless. */
    if (!expect(d, n <= SONDE_LABELS_MAX)) n = SONDE_LABELS_MAX;
    for (uint64_t i = 0; i < n; i++) {
        const char *text = get_text(d);
        if (!text || (d->is_strict && d->is_damaged)) break;
        d->ids = sonde_grow(d->ids, &d->cap_ids, (size_t)d->n_ids + 1, sizeof *d->ids);
        d->ids[d->n_ids++] = intern(d, text);
    }
    d->last = sonde_calloc(d->n_ids, sizeof *d->last);
}

/* Reads an alphabet. Its characters point into `data`, which outlives the call; add_blob copies them into the
 * script. */
static void get_alphabet(struct decoder *d, struct point *p)
{
    uint8_t kind = get_byte(d);
    const char *text = NULL;
    if (!expect(d, kind <= SONDE_ALPHABET_CUSTOM)) kind %= SONDE_ALPHABET_CUSTOM + 1;
    if (kind == SONDE_ALPHABET_CUSTOM) {
        text = get_text(d);
        if (!expect(d, text && *text && strlen(text) <= ALPHABET_MAX)) kind = SONDE_ALPHABET_PRINTABLE, text = NULL;
    }
    p->shape.alphabet = sonde_alphabet_make((enum sonde_alphabet_kind)kind, text);
}

static void get_bounds(struct decoder *d, struct point *p)
{
    struct sonde_double_bounds b;
    _Static_assert(sizeof b == sizeof p->bounds, "bounds are two doubles");
    for (unsigned i = 0; i < 2; i++) p->bounds[i] = get_fixed(d);
    memcpy(&b, p->bounds, sizeof b);
    /* A draw has either two finite bounds or none at all; half-open ranges do not exist in tapes. */
    bool is_range = isfinite(b.lo) && isfinite(b.hi) && b.lo <= b.hi,
         is_any = isinf(b.lo) && isinf(b.hi) && b.lo < b.hi;
    if (!expect(d, is_range || is_any)) b = (struct sonde_double_bounds){-INFINITY, INFINITY};
    memcpy(p->bounds, &b, sizeof b);
    p->max = sonde_double_max(b);
}

/* Lowers a number that is too large to the limit, which gives the nearest domain that a draw could have. */
static uint64_t at_most(struct decoder *d, uint64_t x, uint64_t limit)
{
    return expect(d, x <= limit) ? x : limit;
}

/* Reads a domain, as put_domain writes it. The result is always a domain that a draw could have: its end does not
 * overflow, and bounds are in order. */
static void get_domain(struct decoder *d, struct point *p)
{
    uint64_t x;
    switch ((enum sonde_kind)p->kind) {
    case SONDE_KIND_INT:
        p->max = get_number(d);
        x = get_number(d);
        p->base = (x >> 1) ^ (0 - (x & 1));
        p->max = at_most(d, p->max, (uint64_t)INT64_MAX - p->base);
        break;
    case SONDE_KIND_UINT:
    case SONDE_KIND_LENGTH:
        p->max = get_number(d);
        p->base = get_number(d);
        p->max = at_most(d, p->max, UINT64_MAX - p->base);
        break;
    case SONDE_KIND_CHANCE:
        p->max = get_number(d);
        p->base = get_fixed(d);
        break;
    case SONDE_KIND_DOUBLE: get_bounds(d, p); break;
    case SONDE_KIND_BLOB:
        get_alphabet(d, p);
        p->shape.min = (uint32_t)at_most(d, get_number(d), UINT32_MAX);
        p->shape.max = (uint32_t)at_most(d, get_number(d), UINT32_MAX);
        if (!expect(d, p->shape.min <= p->shape.max)) p->shape.max = p->shape.min;
        break;
    case SONDE_KIND_LITERAL:
    case SONDE_KIND_COUNT: break;
    default: p->max = get_number(d); break;
    }
}

static bool has_room(struct decoder *d, uint64_t bytes)
{
    return d->script->n_bytes + bytes <= SONDE_READ_BYTES_MAX || end_here(d);
}

/* Reads a blob. Memory and time are limited before anything is allocated: a few bytes can announce 2^32 symbols. A
 * blob that is cut short keeps its first symbols. */
static bool get_blob(struct decoder *d, struct point *p, struct sonde_choice *c)
{
    struct sonde_blob *shape = &p->shape;
    unsigned width = sonde_alphabet_width(&shape->alphabet);
    size_t text = shape->alphabet.text ? strlen(shape->alphabet.text) + 1 : 0;
    uint32_t n = (uint32_t)at_most(d, get_number(d), shape->max);
    if (!expect(d, n <= d->n - d->at)) n = (uint32_t)(d->n - d->at); /* a symbol takes at least one byte */
    if (d->is_over || !has_room(d, (uint64_t)n * width + text + 64)) return false;
    d->alphabet_work += text;
    if (d->alphabet_work > ALPHABET_WORK) return end_here(d);
    d->symbols = sonde_grow(d->symbols, &d->cap_symbols, n, sizeof *d->symbols);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t symbol = width == 1 ? get_byte(d) : get_number(d);
        if (d->is_over) n = i;                    /* keeps the symbols read so far */
        expect(d, symbol < shape->alphabet.size); /* add_blob folds a wrong symbol */
        d->symbols[i] = (uint32_t)symbol;
    }
    if (!expect(d, n >= shape->min)) shape->min = n;
    sonde_assert(shape->min <= n && n <= shape->max);
    c->base = sonde_tape_add_blob(d->script, shape, d->symbols, n);
    c->max = shape->max - shape->min;
    c->index = n - shape->min;
    return true;
}

static bool get_literal(struct decoder *d, struct sonde_choice *c)
{
    uint64_t wanted = get_number(d);
    size_t n = (size_t)at_most(d, wanted, d->n - d->at);
    if (d->is_over || !has_room(d, n + sizeof(uint32_t))) return false;
    c->base = sonde_tape_add_literal(d->script, (const char *)d->data + d->at, (uint32_t)n);
    d->at += n;
    return true;
}

/* Reads the content; returns false if it does not make a choice. */
static bool get_content(struct decoder *d, struct point *p, struct sonde_choice *c)
{
    if (p->kind == SONDE_KIND_BLOB) return get_blob(d, p, c);
    if (p->kind == SONDE_KIND_LITERAL) return get_literal(d, c);
    uint64_t index = get_number(d);
    if (d->is_over) return false;
    c->max = p->max;
    c->base = p->base;
    c->index = expect(d, index <= p->max) ? index : index % (p->max + 1);
    if (p->kind != SONDE_KIND_DOUBLE) return true;
    if (!has_room(d, sizeof p->bounds)) return false;
    c->base = sonde_tape_add_bytes(d->script, p->bounds, sizeof p->bounds);
    return true;
}

static void get_choice(struct decoder *d, uint32_t label, bool is_like)
{
    struct point p = d->last[label];
    if (!is_like) {
        uint8_t kind = get_byte(d);
        p = (struct point){.is_known = true, .kind = kind & 15, .flags = kind >> 4};
        if (!expect(d, p.kind < SONDE_KIND_COUNT)) p.kind %= SONDE_KIND_COUNT;
        get_domain(d, &p);
        if (d->is_over) return;
        d->last[label] = p;
    }
    if (!expect(d, p.is_known)) return;
    if (d->script->n_choices >= SONDE_READ_CHOICES_MAX) {
        end_here(d);
        return;
    }
    struct sonde_choice c = {.kind = p.kind, .flags = p.flags, .label = d->ids[label], .span = d->span};
    /* The size of a case is drawn before any span opens, so its site has no span, wherever the record lies. */
    uint32_t span_label = p.kind == SONDE_KIND_SIZE ? 0 : d->script->spans[d->span].label;
    c.site = sonde_site(c.label, span_label, (enum sonde_kind)p.kind);
    if (get_content(d, &p, &c)) sonde_tape_add(d->script, &c);
}

/* Opens a span. A span beyond a limit is left out, and its choices go to the span around it. Its CLOSE then closes
 * another span too early, which is damage like any other. */
static void get_open(struct decoder *d, uint32_t label)
{
    uint8_t flags = get_byte(d);
    bool fits = d->script->spans[d->span].depth < SONDE_READ_DEPTH_MAX && d->script->n_spans < SONDE_READ_SPANS_MAX;
    expect(d, (flags & ~SPAN_FLAGS) == 0);
    if (expect(d, fits) && !d->is_over)
        d->span = sonde_tape_open(d->script, d->span, d->ids[label], flags & SPAN_FLAGS);
}

/* Closes a span. A surplus CLOSE is ignored: only sonde_tape_end closes span 0. */
static void get_close(struct decoder *d)
{
    if (!expect(d, d->span != 0)) return;
    sonde_assert(d->span < d->script->n_spans && d->script->spans[d->span].next == 0);
    sonde_tape_close(d->script, d->span);
    d->span = d->script->spans[d->span].parent;
}

static void get_record(struct decoder *d)
{
    uint64_t head = get_number(d), label = head >> 2;
    enum record what = (enum record)(head & 3);
    if (what == CLOSE) {
        expect(d, label == 0);
        get_close(d);
        return;
    }
    /* Wrong label numbers wrap around, so that a fuzzer that changes a byte gets another label rather than a hole. */
    expect(d, label < d->n_ids);
    if (d->n_ids == 0) return;
    label %= d->n_ids;
    if (what == OPEN) get_open(d, (uint32_t)label);
    else get_choice(d, (uint32_t)label, what == LIKE);
}

/* Reads a body; returns whether it was undamaged. */
static bool read_body(struct decoder *d)
{
    sonde_tape_begin(d->script);
    if (!expect(d, d->n <= SONDE_READ_BYTES_MAX)) d->n = SONDE_READ_BYTES_MAX;
    get_labels(d);
    while (d->at < d->n && !d->is_over && !(d->is_strict && d->is_damaged)) get_record(d);
    expect(d, d->span == 0);
    sonde_tape_end(d->script);
    sonde_free(d->ids);
    sonde_free(d->last);
    sonde_free(d->symbols);
    return !d->is_damaged;
}

/* Returns whether the bytes begin as an encoding of any version; callers check the version byte themselves. */
static bool has_magic(const uint8_t *data, size_t n)
{
    return n >= HEADER && memcmp(data, magic, sizeof magic) == 0;
}

/* Returns whether the bytes are the encoding of what was read from them. Damage that the parser does not notice,
 * such as an overlong number, fails this comparison. That proves that the format is canonical. */
static bool is_own_encoding(const struct sonde_tape *script, const struct sonde_labels *labels, const uint8_t *data,
                            size_t n)
{
    size_t n_again;
    uint8_t *again = sonde_tape_encode(script, labels, &n_again);
    bool is_same = n_again == n && memcmp(again, data, n) == 0;
    sonde_free(again);
    return is_same;
}

static bool is_checksum_right(const uint8_t *data, size_t n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < CHECKSUM; i++) sum |= (uint64_t)data[n - CHECKSUM + i] << (8 * i);
    return sum == sonde_hash_bytes(SONDE_CODEC_VERSION, data, n - CHECKSUM);
}

int sonde_tape_decode(struct sonde_tape *script, struct sonde_labels *labels, const uint8_t *data, size_t n)
{
    int result = -EINVAL;
    if (has_magic(data, n) && data[sizeof magic] > SONDE_CODEC_VERSION) {
        result = -ENOTSUP;
    } else if (has_magic(data, n) && data[sizeof magic] == SONDE_CODEC_VERSION && n >= HEADER + CHECKSUM
               && is_checksum_right(data, n)) {
        struct decoder d = {.data = data + HEADER, .n = n - HEADER - CHECKSUM, .is_strict = true};
        d.script = script;
        d.labels = labels;
        if (read_body(&d) && is_own_encoding(script, labels, data, n)) result = 0;
    }
    /* A failed read leaves an empty tape, never half a tape: callers continue with the script even after a warning. */
    if (result == 0) return 0;
    sonde_tape_begin(script);
    sonde_tape_end(script);
    return result;
}

void sonde_tape_decode_any(struct sonde_tape *script, struct sonde_labels *labels, const uint8_t *data, size_t n)
{
    struct decoder d = {.data = data, .n = n, .script = script, .labels = labels};
    if (has_magic(data, n)) {
        d.data += HEADER;
        d.n -= HEADER;
        d.n -= d.n < CHECKSUM ? d.n : CHECKSUM;
    }
    read_body(&d);
}
