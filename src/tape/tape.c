/* See tape.h: growth, order, hash, values.
 *
 * Callers write in the order of a run: begin, then open, add and close, then end, which closes all open spans and
 * computes shapes. After that a tape is only read, or copied with edits (script.c). Numbers in the side buffer are
 * loaded by memcpy, because records there are not aligned. */
#include "tape/tape.h"

#include "base/hash.h"
#include "base/mem.h"
#include "tape/blob.h"

#include <math.h>
#include <string.h>

void sonde_tape_init(struct sonde_tape *tape)
{
    memset(tape, 0, sizeof *tape);
}

void sonde_tape_clear(struct sonde_tape *tape)
{
    sonde_free(tape->choices);
    sonde_free(tape->spans);
    sonde_free(tape->bytes);
    sonde_tape_init(tape);
}

/* Never shrinks the arrays. sonde_grow doubles them, so an append takes constant time on average. */
void sonde_tape_reserve(struct sonde_tape *tape, uint32_t choices, uint32_t spans, uint32_t bytes)
{
    tape->choices = sonde_grow(tape->choices, &tape->cap_choices, choices, sizeof *tape->choices);
    tape->spans = sonde_grow(tape->spans, &tape->cap_spans, spans, sizeof *tape->spans);
    tape->bytes = sonde_grow(tape->bytes, &tape->cap_bytes, bytes, 1);
}

/* Reuses the arrays of `to` if they are large enough, so copying into a used tape does not allocate. */
void sonde_tape_copy(struct sonde_tape *to, const struct sonde_tape *from)
{
    sonde_tape_reserve(to, from->n_choices, from->n_spans, from->n_bytes);
    if (from->n_choices) memcpy(to->choices, from->choices, from->n_choices * sizeof *to->choices);
    if (from->n_spans) memcpy(to->spans, from->spans, from->n_spans * sizeof *to->spans);
    if (from->n_bytes) memcpy(to->bytes, from->bytes, from->n_bytes);
    to->n_choices = from->n_choices;
    to->n_spans = from->n_spans;
    to->n_bytes = from->n_bytes;
}

/* Avoids a copy: the shrinker swaps the best tape with the tape just tried. */
void sonde_tape_swap(struct sonde_tape *a, struct sonde_tape *b)
{
    struct sonde_tape t = *a;
    *a = *b;
    *b = t;
}

/* ---- Writing */

/* `end` and `next` are unknown until the span is closed. They are 0 until then, which marks an open span. */
uint32_t sonde_tape_open(struct sonde_tape *tape, uint32_t parent, uint32_t label, uint32_t flags)
{
    uint32_t i = tape->n_spans;
    if (i == tape->cap_spans)
        tape->spans = sonde_grow(tape->spans, &tape->cap_spans, (size_t)i + 1, sizeof *tape->spans);
    sonde_assert(i == 0 || parent < i); /* the parent was opened before the span */
    struct sonde_tape_span *s = &tape->spans[i];
    s->label = label;
    s->parent = parent;
    s->start = tape->n_choices;
    s->end = s->next = s->shape = 0;
    s->flags = flags;
    s->depth = i ? tape->spans[parent].depth + 1 : 0;
    tape->n_spans++;
    return i;
}

uint32_t sonde_tape_add(struct sonde_tape *tape, const struct sonde_choice *choice)
{
    uint32_t i = tape->n_choices;
    sonde_assert(choice->kind < SONDE_KIND_COUNT);
    if (i == tape->cap_choices)
        tape->choices = sonde_grow(tape->choices, &tape->cap_choices, (size_t)i + 1, sizeof *tape->choices);
    tape->choices[i] = *choice;
    tape->n_choices++;
    return i;
}

/* Appends zeros if data is NULL. May move the side buffer, which invalidates pointers into it (a blob's symbols). */
uint32_t sonde_tape_add_bytes(struct sonde_tape *tape, const void *data, uint32_t n)
{
    uint32_t at = tape->n_bytes;
    tape->bytes = sonde_grow(tape->bytes, &tape->cap_bytes, (size_t)at + n, 1);
    if (n && data) memcpy(tape->bytes + at, data, n);
    else if (n) memset(tape->bytes + at, 0, n);
    tape->n_bytes += n;
    return at;
}

/* Computes shapes: a span's hash covers its label, its choices in order, then its children from last to first. How
 * choices and children interleave does not count: spans with equal labels in equal order practically never differ in
 * how they interleave. */
void sonde_tape_end(struct sonde_tape *tape)
{
    for (uint32_t i = tape->n_spans; i-- > 0;) {
        struct sonde_tape_span *s = &tape->spans[i];
        if (s->next == 0) sonde_tape_close(tape, i);
        s->shape = s->label * UINT32_C(0x9e3779b1) + 1;
    }
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        uint32_t *shape = &tape->spans[c->span].shape;
        *shape = (*shape ^ c->label) * UINT32_C(0x85ebca6b) + c->kind;
        *shape ^= *shape >> 15;
    }
    for (uint32_t i = tape->n_spans; i-- > 1;) {
        const struct sonde_tape_span *s = &tape->spans[i];
        uint32_t *shape = &tape->spans[s->parent].shape;
        *shape = (*shape ^ s->shape) * UINT32_C(0xc2b2ae35);
        *shape ^= *shape >> 16;
    }
    sonde_tape_check(tape);
}

/* ---- Reading */

static bool is_blob(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_BLOB;
}

/* Returns the length of a blob in symbols. Does not build a struct sonde_blob, because sonde_tape_size needs the length
 * of every blob of every candidate. */
static uint32_t blob_length(const struct sonde_tape *tape, const struct sonde_choice *c)
{
    return sonde_load32(tape->bytes + c->base + BLOB_LEN);
}

static struct sonde_alphabet custom_alphabet(const uint8_t *text)
{
    uint32_t size = sonde_load32(text - sizeof size);
    return (struct sonde_alphabet){.kind = SONDE_ALPHABET_CUSTOM, .size = size, .text = (const char *)text};
}

struct sonde_blob sonde_choice_blob(const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    sonde_assert(choice->kind == SONDE_KIND_BLOB && choice->base + BLOB_SYMBOLS <= tape->n_bytes);
    const uint8_t *p = tape->bytes + choice->base;
    uint32_t alphabet = sonde_load32(p + BLOB_ALPHABET);
    struct sonde_blob blob = {.len = sonde_load32(p + BLOB_LEN),
                              .min = sonde_load32(p + BLOB_MIN),
                              .max = sonde_load32(p + BLOB_MAX)};
    blob.symbols = p + BLOB_SYMBOLS;
    blob.alphabet = alphabet < ALPHABET_TEXT ? sonde_alphabet_make((enum sonde_alphabet_kind)alphabet, NULL)
                                             : custom_alphabet(tape->bytes + (alphabet - ALPHABET_TEXT));
    return blob;
}

/* Returns symbol i. Three bytes hold every code point; a fourth would only make Unicode strings a third larger. */
static uint32_t load_symbol(const uint8_t *symbols, unsigned width, uint32_t i)
{
    const uint8_t *p = symbols + (size_t)i * width;
    return width == 1 ? p[0] : (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

static void store_symbol(uint8_t *symbols, unsigned width, uint32_t i, uint32_t symbol)
{
    uint8_t *p = symbols + (size_t)i * width;
    p[0] = (uint8_t)symbol;
    if (width == 1) return;
    p[1] = (uint8_t)(symbol >> 8);
    p[2] = (uint8_t)(symbol >> 16);
}

uint32_t sonde_blob_symbol(const struct sonde_blob *blob, uint32_t i)
{
    sonde_assert(i < blob->len);
    return load_symbol(blob->symbols, sonde_alphabet_width(&blob->alphabet), i);
}

uint32_t sonde_blob_read(const struct sonde_blob *blob, uint32_t *symbols, uint32_t max)
{
    uint32_t n = blob->len < max ? blob->len : max;
    unsigned width = sonde_alphabet_width(&blob->alphabet);
    for (uint32_t i = 0; i < n; i++) symbols[i] = load_symbol(blob->symbols, width, i);
    return n;
}

/* Returns the reference of an alphabet. The characters of a custom alphabet are stored once for nearby blobs that
 * use it. Only alphabets are searched: equal bytes elsewhere, such as a blob's content, may be changed by the
 * shrinker. */
static uint32_t alphabet_reference(struct sonde_tape *tape, const struct sonde_alphabet *alphabet)
{
    /* Generators draw strings of one alphabet in a row. Searching the whole tape would take quadratic time for many
     * blobs. */
    enum { NEAR = 32 };
    if (alphabet->kind != SONDE_ALPHABET_CUSTOM) return (uint32_t)alphabet->kind;
    /* Characters that lie in this tape already (a blob copied within it) are named by their offset. For every other
     * address the difference wraps around, so one comparison decides. */
    uintptr_t own = (uintptr_t)alphabet->text - (uintptr_t)tape->bytes;
    if (own < tape->n_bytes) return (uint32_t)own + ALPHABET_TEXT;
    for (uint32_t i = tape->n_choices, looked = 0; i-- > 0 && looked < NEAR; looked++) {
        if (!is_blob(&tape->choices[i])) continue;
        uint32_t known = sonde_load32(tape->bytes + tape->choices[i].base + BLOB_ALPHABET);
        if (known < ALPHABET_TEXT) continue;
        if (strcmp((const char *)tape->bytes + (known - ALPHABET_TEXT), alphabet->text) == 0) return known;
    }
    sonde_tape_add_bytes(tape, &alphabet->size, sizeof alphabet->size);
    return sonde_tape_add_bytes(tape, alphabet->text, (uint32_t)strlen(alphabet->text) + 1) + ALPHABET_TEXT;
}

/* Avoids a division, which would be measurable for every string, when there is nothing to fold. */
static uint32_t folded(uint32_t symbol, uint32_t size)
{
    return symbol < size ? symbol : symbol % size;
}

/* Adds the alphabet first: new characters must lie before the record. Symbols beyond the alphabet are folded into
 * it. */
uint32_t sonde_tape_add_blob(struct sonde_tape *tape, const struct sonde_blob *shape, const uint32_t *symbols,
                             uint32_t len)
{
    unsigned width = sonde_alphabet_width(&shape->alphabet);
    sonde_assert(shape->alphabet.size > 0);
    uint32_t header[4] = {len, shape->min, shape->max, alphabet_reference(tape, &shape->alphabet)};
    uint32_t at = sonde_tape_add_bytes(tape, header, sizeof header);
    sonde_tape_add_bytes(tape, NULL, len * width);
    uint8_t *to = tape->bytes + at + BLOB_SYMBOLS;
    for (uint32_t i = 0; symbols && i < len; i++) store_symbol(to, width, i, folded(symbols[i], shape->alphabet.size));
    return at;
}

void sonde_tape_set_symbol(struct sonde_tape *tape, const struct sonde_choice *choice, uint32_t i, uint32_t symbol)
{
    struct sonde_blob blob = sonde_choice_blob(tape, choice);
    sonde_assert(i < blob.len);
    uint8_t *symbols = tape->bytes + choice->base + BLOB_SYMBOLS;
    store_symbol(symbols, sonde_alphabet_width(&blob.alphabet), i, symbol % blob.alphabet.size);
}

size_t sonde_blob_text(const struct sonde_blob *blob, char *out)
{
    size_t n = 0;
    uint32_t n_plain, width = sonde_alphabet_width(&blob->alphabet);
    const char *plain = sonde_alphabet_plain(&blob->alphabet, &n_plain);
    for (uint32_t i = 0; i < blob->len; i++) {
        uint32_t symbol = load_symbol(blob->symbols, width, i);
        if (symbol < n_plain) out[n++] = plain[symbol];
        else if (blob->alphabet.kind == SONDE_ALPHABET_BYTES) out[n++] = (char)symbol;
        else n += sonde_utf8_encode(sonde_alphabet_code(&blob->alphabet, symbol), out + n);
    }
    out[n] = '\0';
    return n;
}

/* Choices and symbols count alike, so that a string of n characters is not smaller than n draws. */
uint64_t sonde_tape_size(const struct sonde_tape *tape)
{
    uint64_t size = tape->n_choices;
    for (uint32_t i = 0; i < tape->n_choices; i++)
        if (is_blob(&tape->choices[i])) size += blob_length(tape, &tape->choices[i]);
    return size;
}

/* Compares lengths, then symbols: the order in which blobs shrink. */
static int compare_blobs(const struct sonde_tape *a, const struct sonde_choice *x, const struct sonde_tape *b,
                         const struct sonde_choice *y)
{
    struct sonde_blob p = sonde_choice_blob(a, x), q = sonde_choice_blob(b, y);
    if (p.len != q.len) return p.len < q.len ? -1 : 1;
    for (uint32_t i = 0; i < p.len; i++) {
        uint32_t s = sonde_blob_symbol(&p, i), t = sonde_blob_symbol(&q, i);
        if (s != t) return s < t ? -1 : 1;
    }
    return 0;
}

/* Compares sizes first, then the number of choices. So a blob of n symbols, though a single choice, is not smaller than
 * n separate draws. */
int sonde_tape_compare(const struct sonde_tape *a, const struct sonde_tape *b)
{
    uint64_t m = sonde_tape_size(a), n = sonde_tape_size(b);
    if (m != n) return m < n ? -1 : 1;
    if (a->n_choices != b->n_choices) return a->n_choices < b->n_choices ? -1 : 1;
    for (uint32_t i = 0; i < a->n_choices; i++) {
        const struct sonde_choice *x = &a->choices[i], *y = &b->choices[i];
        if (x->index != y->index) return x->index < y->index ? -1 : 1;
        if (is_blob(x) != is_blob(y)) return is_blob(x) ? 1 : -1;
        int order = is_blob(x) ? compare_blobs(a, x, b, y) : 0;
        if (order) return order;
    }
    return 0;
}

/* Hashes the symbols alone. Length and alphabet follow from the index and from the site, which callers hash if
 * needed. */
static uint64_t hash_blob(uint64_t hash, const struct sonde_tape *tape, const struct sonde_choice *c)
{
    struct sonde_blob blob = sonde_choice_blob(tape, c);
    return sonde_hash_bytes(hash, blob.symbols, (size_t)blob.len * sonde_alphabet_width(&blob.alphabet));
}

/* Returns a hash of choices [start, end). Every case is hashed, so each step is as short as possible; mixing is left to
 * the end. */
static uint64_t hash_choices(const struct sonde_tape *tape, uint32_t start, uint32_t end)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    /* A tape that never had a choice has no array. */
    const struct sonde_choice *first = end ? tape->choices + start : NULL, *stop = end ? tape->choices + end : NULL;
    const struct sonde_choice *c = first;
    uint64_t even = sonde_mix(end - start + 1), odd = factor; /* two chains of hashes, computed in parallel */
    for (; stop - c >= 2; c += 2) {
        even = (((even << 5) | (even >> 59)) ^ c[0].index) * factor;
        odd = (((odd << 5) | (odd >> 59)) ^ c[1].index) * factor;
    }
    uint64_t hash = sonde_mix(odd) + (c < stop ? (even ^ c->index) * factor : even);
    for (c = first; tape->n_bytes && c < stop; c++)
        if (is_blob(c)) hash = hash_blob(hash, tape, c);
    return sonde_mix(hash);
}

uint64_t sonde_tape_hash(const struct sonde_tape *tape)
{
    return hash_choices(tape, 0, tape->n_choices);
}

/* Positions do not count, so equal parts of a tape have equal hashes; the shrinker and the mutators look for these. */
uint64_t sonde_span_hash(const struct sonde_tape *tape, uint32_t span)
{
    return hash_choices(tape, tape->spans[span].start, tape->spans[span].end);
}

/* ---- Values */

struct sonde_double_bounds sonde_choice_bounds(const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    struct sonde_double_bounds bounds;
    sonde_assert(choice->kind == SONDE_KIND_DOUBLE && choice->base + sizeof bounds <= tape->n_bytes);
    memcpy(&bounds, tape->bytes + choice->base, sizeof bounds);
    return bounds;
}

/* Returns whether a chance has probability 1. Then its only value is true, although its index is 0. */
static bool is_certain(const struct sonde_choice *c)
{
    double p;
    memcpy(&p, &c->base, sizeof p);
    return c->kind == SONDE_KIND_CHANCE && p == 1;
}

struct sonde_value sonde_choice_value(const struct sonde_tape *tape, const struct sonde_choice *c)
{
    struct sonde_value v = {.type = SONDE_VALUE_UINT};
    switch ((enum sonde_kind)c->kind) {
    case SONDE_KIND_INT:
        v.type = SONDE_VALUE_INT;
        v.as.i = sonde_int_value((int64_t)c->base, c->max, c->index);
        break;
    case SONDE_KIND_BOOL:
    case SONDE_KIND_CHANCE:
        v.type = SONDE_VALUE_BOOL;
        v.as.b = c->index != 0 || is_certain(c);
        break;
    case SONDE_KIND_DOUBLE:
        v.type = SONDE_VALUE_DOUBLE;
        v.as.d = sonde_double_value(sonde_choice_bounds(tape, c), c->index);
        break;
    case SONDE_KIND_BLOB: v.type = SONDE_VALUE_BLOB; break;
    case SONDE_KIND_UINT:
    case SONDE_KIND_LENGTH: v.as.u = c->base + c->index; break;
    case SONDE_KIND_PICK:
    case SONDE_KIND_WEIGHTED:
    case SONDE_KIND_SIZE:
    case SONDE_KIND_LITERAL:
    case SONDE_KIND_COUNT: v.as.u = c->index; break;
    }
    return v;
}

/* Returns the absolute value as an integer, and its sign in *negative. */
static uint64_t magnitude(struct sonde_value v, bool *negative)
{
    *negative = false;
    switch (v.type) {
    case SONDE_VALUE_INT: *negative = v.as.i < 0; return *negative ? 0 - (uint64_t)v.as.i : (uint64_t)v.as.i;
    case SONDE_VALUE_UINT: return v.as.u;
    case SONDE_VALUE_BOOL: return v.as.b;
    case SONDE_VALUE_DOUBLE: break;
    case SONDE_VALUE_BLOB: return 0;
    }
    if (isnan(v.as.d)) return 0;
    *negative = v.as.d < 0;
    double size = fabs(v.as.d);
    return size < 0x1p64 ? (uint64_t)size : UINT64_MAX;
}

/* Returns the nearest double, which is exact up to 2^53. */
static double as_double(struct sonde_value v)
{
    if (v.type == SONDE_VALUE_DOUBLE) return v.as.d;
    bool negative;
    double size = (double)magnitude(v, &negative);
    return negative ? -size : size;
}

/* Returns an offset folded into [0, max], by modulo: neighbours stay neighbours, except at the wrap. max + 1 cannot
 * overflow: no offset exceeds UINT64_MAX. */
static uint64_t fold(uint64_t offset, uint64_t max)
{
    return offset <= max ? offset : offset % (max + 1);
}

/* Folds by the distance from the lowest value, so that neighbours outside the domain become neighbours inside it. */
static uint64_t int_index(const struct sonde_choice *point, struct sonde_value v, bool *fits)
{
    bool negative;
    uint64_t size = magnitude(v, &negative);
    uint64_t top = (uint64_t)INT64_MAX + negative; /* the largest magnitude of an int64_t of this sign */
    uint64_t value = size > top ? top : size;
    if (negative) value = 0 - value;
    uint64_t offset = value - point->base; /* distance from the lowest value */
    int64_t lo = (int64_t)point->base, hi = (int64_t)(point->base + point->max);
    *fits = size <= top && (int64_t)value >= lo && (int64_t)value <= hi;
    uint64_t index = sonde_int_index(lo, point->max, (int64_t)(point->base + fold(offset, point->max)));
    sonde_assert(index <= point->max);
    return index;
}

/* The inverse of sonde_choice_value within the domain. Values outside the domain are folded, and *fits is false, so a
 * script still serves a draw whose domain has changed. */
uint64_t sonde_choice_index(const struct sonde_tape *tape, const struct sonde_choice *point, struct sonde_value value,
                            bool *fits)
{
    bool negative;
    uint64_t size = magnitude(value, &negative), base = 0;
    switch ((enum sonde_kind)point->kind) {
    case SONDE_KIND_INT: return int_index(point, value, fits);
    case SONDE_KIND_DOUBLE: {
        struct sonde_double_bounds bounds = sonde_choice_bounds(tape, point);
        double x = as_double(value);
        *fits = isinf(bounds.lo) || (x >= bounds.lo && x <= bounds.hi);
        return sonde_double_index(bounds, x);
    }
    case SONDE_KIND_BOOL:
    case SONDE_KIND_CHANCE: *fits = size <= 1 && !negative; return fold(size != 0, point->max);
    case SONDE_KIND_UINT:
    case SONDE_KIND_LENGTH: base = point->base; break;
    default: break;
    }
    *fits = !negative && size >= base && size - base <= point->max;
    return size < base ? 0 : fold(size - base, point->max);
}
