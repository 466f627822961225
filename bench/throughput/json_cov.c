/* See subjects.h. */
#include "throughput/subjects.h"

#include <string.h>

enum { DEEPEST = 16 };

struct reader {
    struct json_room *room;
    const char *at, *end;
    int depth;
};

/* ---- Room */

static struct json *new_value(struct reader *r, enum json_kind kind)
{
    if (r->room->n_values == JSON_VALUES) return NULL;
    struct json *v = &r->room->values[r->room->n_values++];
    *v = (struct json){.kind = kind};
    return v;
}

static bool put(struct reader *r, unsigned byte)
{
    if (r->room->n_bytes == JSON_BYTES) return false;
    r->room->bytes[r->room->n_bytes++] = (char)byte;
    return true;
}

/* ---- Characters */

static int peek(const struct reader *r)
{
    return r->at < r->end ? (unsigned char)*r->at : -1;
}

static bool take(struct reader *r, int c)
{
    if (peek(r) != c) return false;
    r->at++;
    return true;
}

static void skip_space(struct reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r') r->at++;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static int hex_digit(int c)
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* ---- Strings */

static bool put_code_point(struct reader *r, uint32_t c)
{
    if (c < 0x80) return put(r, c);
    if (c < 0x800) return put(r, 0xc0 | c >> 6) && put(r, 0x80 | (c & 63));
    if (c < 0x10000) return put(r, 0xe0 | c >> 12) && put(r, 0x80 | (c >> 6 & 63)) && put(r, 0x80 | (c & 63));
    return put(r, 0xf0 | c >> 18) && put(r, 0x80 | (c >> 12 & 63)) && put(r, 0x80 | (c >> 6 & 63))
           && put(r, 0x80 | (c & 63));
}

static bool read_hex(struct reader *r, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(peek(r));
        if (digit < 0) return false;
        *unit = *unit << 4 | (uint32_t)digit;
        r->at++;
    }
    return true;
}

/* Two units make one code point beyond the first 2^16. */
static bool read_unicode(struct reader *r)
{
    uint32_t high, low;
    if (!read_hex(r, &high)) return false;
    if (high < 0xd800 || high > 0xdfff) return put_code_point(r, high);
    if (high >= 0xdc00) return false;
    if (!take(r, '\\') || !take(r, 'u') || !read_hex(r, &low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return false;
    return put_code_point(r, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
}

static bool read_escape(struct reader *r)
{
    int c = peek(r);
    if (c < 0) return false;
    r->at++;
    switch (c) {
    case '"':
    case '\\':
    case '/': return put(r, (unsigned)c);
    case 'b': return put(r, '\b');
    case 'f': return put(r, '\f');
    case 'n': return put(r, '\n');
    case 'r': return put(r, '\r');
    case 't': return put(r, '\t');
    case 'u': return read_unicode(r);
    default: return false;
    }
}

/* A character of more than one byte, which must be in its shortest form and no half of a pair. */
static bool read_wide(struct reader *r, int first)
{
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4) return false;
    uint32_t c = (uint32_t)first & (0x3fu >> more);
    for (int i = 0; i < more; i++) {
        int next = peek(r);
        if (next < 0x80 || next > 0xbf) return false;
        c = c << 6 | ((uint32_t)next & 63);
        r->at++;
    }
    if (more == 2 && (c < 0x800 || (c >= 0xd800 && c <= 0xdfff))) return false;
    if (more == 3 && (c < 0x10000 || c > 0x10ffff)) return false;
    return put_code_point(r, c);
}

static struct json *read_string(struct reader *r)
{
    struct json *v = new_value(r, JSON_STRING);
    if (!v) return NULL;
    size_t start = r->room->n_bytes;
    r->at++;
    while (!take(r, '"')) {
        int c = peek(r);
        if (c < ' ') return NULL; /* also at the end */
        r->at++;
        if (c == '\\') {
            if (!read_escape(r)) return NULL;
        } else if (c >= 0x80) {
            if (!read_wide(r, c)) return NULL;
        } else if (!put(r, (unsigned)c)) return NULL;
    }
    v->text = r->room->bytes + start;
    v->n = r->room->n_bytes - start;
    return v;
}

/* ---- Numbers and words */

static bool skip_digits(struct reader *r)
{
    if (!is_digit(peek(r))) return false;
    while (is_digit(peek(r))) r->at++;
    return true;
}

static struct json *read_number(struct reader *r)
{
    struct json *v = new_value(r, JSON_NUMBER);
    if (!v) return NULL;
    v->text = r->at;
    take(r, '-');
    if (take(r, '0')) {
        if (is_digit(peek(r))) return NULL;
    } else if (!skip_digits(r)) return NULL;
    if (take(r, '.') && !skip_digits(r)) return NULL;
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+')) take(r, '-');
        if (!skip_digits(r)) return NULL;
    }
    v->n = (size_t)(r->at - v->text);
    return v;
}

static struct json *read_word(struct reader *r)
{
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i].word);
        if ((size_t)(r->end - r->at) < n || memcmp(r->at, words[i].word, n) != 0) continue;
        r->at += n;
        return new_value(r, words[i].kind);
    }
    return NULL;
}

/* ---- Arrays and objects */

static struct json *read_value(struct reader *r);

static bool has_text(const struct json *v, const char *text, size_t n)
{
    return v->n == n && memcmp(v->text, text, n) == 0;
}

static bool has_member(const struct json *object, const struct json *name)
{
    for (const struct json *v = object->first; v; v = v->next)
        if (has_text(v->name, name->text, name->n)) return true;
    return false;
}

static struct json *read_member(struct reader *r, const struct json *object)
{
    skip_space(r);
    if (peek(r) != '"') return NULL;
    struct json *name = read_string(r);
    if (!name || has_member(object, name)) return NULL;
    skip_space(r);
    if (!take(r, ':')) return NULL;
    struct json *v = read_value(r);
    if (v) v->name = name;
    return v;
}

/* Array or object, from behind its first bracket. */
static struct json *read_all(struct reader *r, enum json_kind kind, int close)
{
    struct json *v = new_value(r, kind);
    if (!v || ++r->depth > DEEPEST) return NULL;
    struct json **last = &v->first;
    skip_space(r);
    while (!take(r, close)) {
        if (v->first && !take(r, ',')) return NULL;
        *last = kind == JSON_OBJECT ? read_member(r, v) : read_value(r);
        if (!*last) return NULL;
        last = &(*last)->next;
        skip_space(r);
    }
    r->depth--;
    return v;
}

static struct json *read_value(struct reader *r)
{
    skip_space(r);
    int c = peek(r);
    if (c == '"') return read_string(r);
    if (c == '-' || is_digit(c)) return read_number(r);
    if (take(r, '[')) return read_all(r, JSON_ARRAY, ']');
    if (take(r, '{')) return read_all(r, JSON_OBJECT, '}');
    return read_word(r);
}

const struct json *json_parse(struct json_room *room, const char *text, size_t n)
{
    struct reader r = {.room = room, .at = text, .end = text + n};
    room->n_values = room->n_bytes = 0;
    const struct json *v = read_value(&r);
    skip_space(&r);
    return r.at == r.end ? v : NULL;
}

/* ---- Printing */

struct writer {
    char *out;
    size_t n, size;
};

static void write_char(struct writer *w, char c)
{
    if (w->n < w->size) w->out[w->n] = c;
    w->n++;
}

static void write_text(struct writer *w, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) write_char(w, text[i]);
}

static void write_escaped(struct writer *w, char c)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt", hex[] = "0123456789abcdef";
    const char *found = c ? strchr(plain, c) : NULL;
    write_char(w, '\\');
    if (found) {
        write_char(w, letters[found - plain]);
        return;
    }
    write_text(w, "u00", 3);
    write_char(w, hex[c >> 4 & 15]);
    write_char(w, hex[c & 15]);
}

static void write_string(struct writer *w, const struct json *v)
{
    write_char(w, '"');
    for (size_t i = 0; i < v->n; i++) {
        unsigned char c = (unsigned char)v->text[i];
        if (c < ' ' || c == '"' || c == '\\') write_escaped(w, (char)c);
        else write_char(w, (char)c);
    }
    write_char(w, '"');
}

static void write_value(struct writer *w, const struct json *v);

static void write_all(struct writer *w, const struct json *v, char open, char close)
{
    write_char(w, open);
    for (const struct json *part = v->first; part; part = part->next) {
        if (part != v->first) write_char(w, ',');
        if (part->name) {
            write_string(w, part->name);
            write_char(w, ':');
        }
        write_value(w, part);
    }
    write_char(w, close);
}

static void write_value(struct writer *w, const struct json *v)
{
    switch (v->kind) {
    case JSON_NULL: write_text(w, "null", 4); break;
    case JSON_FALSE: write_text(w, "false", 5); break;
    case JSON_TRUE: write_text(w, "true", 4); break;
    case JSON_NUMBER: write_text(w, v->text, v->n); break;
    case JSON_STRING: write_string(w, v); break;
    case JSON_ARRAY: write_all(w, v, '[', ']'); break;
    case JSON_OBJECT: write_all(w, v, '{', '}'); break;
    }
}

size_t json_print(const struct json *value, char *out, size_t size)
{
    struct writer w = {.out = out, .size = size};
    write_value(&w, value);
    return w.n;
}

/* ---- Comparing */

bool json_equal(const struct json *a, const struct json *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == JSON_NUMBER || a->kind == JSON_STRING) return has_text(a, b->text, b->n);
    const struct json *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) {
        if (x->name && !json_equal(x->name, y->name)) return false;
        if (!json_equal(x, y)) return false;
    }
    return !x && !y;
}
