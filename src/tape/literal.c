/* See literal.h. Numbers are written in the shortest form that reads back as the same number. Both directions ignore
 * the locale: a program under test may have set a decimal comma.
 *
 * Writing goes through a sink (literal.h), which never allocates, so the same functions serve ordinary reports and
 * the handler of a fatal signal. The two spellings share put_simple and differ for strings. put_blob escapes by %XX
 * and can be read back; print_blob quotes as C does. */
#include "tape/literal.h"

#include "base/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing */

void sonde_put_text(struct sonde_sink *sink, const char *text)
{
    while (*text) sonde_put_char(sink, *text++);
}

/* Returns whether a character is written unescaped: it can be pasted between any quotes of any shell. The reader
 * accepts more (is_word_char in `text.c`). */
static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("_.+-", c));
}

/* Writes two digits always, because the bytes of a blob are not separated. */
static void put_hex(struct sonde_sink *sink, unsigned char byte)
{
    sonde_put_char(sink, "0123456789abcdef"[byte >> 4]);
    sonde_put_char(sink, "0123456789abcdef"[byte & 15]);
}

void sonde_put_escaped(struct sonde_sink *sink, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (is_plain(text[i])) {
            sonde_put_char(sink, text[i]);
        } else {
            sonde_put_char(sink, '%');
            put_hex(sink, (unsigned char)text[i]);
        }
    }
}

/* Writes a number with a dot as its decimal point. A locale may have any string there: all characters that a number of
 * the C locale cannot have belong to it. */
static void put_number(struct sonde_sink *sink, const char *text)
{
    bool in_point = false;
    for (; *text; text++) {
        bool of_number = (*text >= '0' && *text <= '9') || *text == 'e' || *text == '+' || *text == '-';
        if (of_number) sonde_put_char(sink, *text);
        else if (!in_point) sonde_put_char(sink, '.');
        in_point = !of_number;
    }
}

void sonde_put_double(struct sonde_sink *sink, double x)
{
    char text[64];
    if (signbit(x) && (isnan(x) || isinf(x) || x == 0)) sonde_put_char(sink, '-');
    if (isnan(x)) {
        sonde_put_text(sink, "nan");
    } else if (isinf(x)) {
        sonde_put_text(sink, "inf");
    } else if (x == 0) {
        sonde_put_text(sink, signbit(x) ? "0.0" : "0"); /* "-0" would be read as an integer */
    } else if (sink->in_handler) {
        /* snprintf may allocate and takes locks of the C library, which the signal may have interrupted. */
        sonde_write_decimal(x, text);
        sonde_put_text(sink, text);
    } else {
        /* 15 digits suffice for most doubles, 17 for all (DBL_DECIMAL_DIG): the first result that reads back is the
         * shortest. strtod and snprintf use the same locale, so the comparison holds in every locale. */
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, x);
            if (strtod(text, NULL) == x) break;
        }
        put_number(sink, text);
    }
}

void sonde_put_uint(struct sonde_sink *sink, uint64_t x)
{
    char digits[20];
    unsigned n = 0;
    do {
        digits[n++] = (char)('0' + x % 10);
    } while (x /= 10);
    while (n) sonde_put_char(sink, digits[--n]);
}

void sonde_put_int(struct sonde_sink *sink, int64_t x)
{
    if (x < 0) sonde_put_char(sink, '-');
    /* The number is negated as unsigned: -INT64_MIN does not exist. */
    sonde_put_uint(sink, x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
}

static void put_simple(struct sonde_sink *sink, struct sonde_value v, bool for_people)
{
    switch (v.type) {
    case SONDE_VALUE_INT: sonde_put_int(sink, v.as.i); break;
    case SONDE_VALUE_UINT: sonde_put_uint(sink, v.as.u); break;
    case SONDE_VALUE_DOUBLE: sonde_put_double(sink, v.as.d); break;
    case SONDE_VALUE_BOOL:
        /* A token has yes or no, which are short and not mistaken for a string. */
        if (for_people) sonde_put_text(sink, v.as.b ? "true" : "false");
        else sonde_put_text(sink, v.as.b ? "yes" : "no");
        break;
    case SONDE_VALUE_BLOB: break;
    }
}

/* Symbols are written as characters, not as numbers, so that a token keeps its meaning under another alphabet. */
static void put_blob(struct sonde_sink *sink, const struct sonde_blob *blob)
{
    bool is_bytes = blob->alphabet.kind == SONDE_ALPHABET_BYTES;
    for (uint32_t i = 0; i < blob->len; i++) {
        uint32_t code = sonde_alphabet_code(&blob->alphabet, sonde_blob_symbol(blob, i));
        char utf8[4];
        if (is_bytes) put_hex(sink, (unsigned char)code);
        else sonde_put_escaped(sink, utf8, sonde_utf8_encode(code, utf8));
    }
}

/* Writes a value so that it can be read back; sonde_put_shown is for people. */
void sonde_put_value(struct sonde_sink *sink, const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    if (choice->kind == SONDE_KIND_LITERAL) {
        uint32_t n;
        const char *text = sonde_literal_text(tape, choice, &n);
        sonde_put_escaped(sink, text, n);
    } else if (choice->kind == SONDE_KIND_BLOB) {
        struct sonde_blob blob = sonde_choice_blob(tape, choice);
        put_blob(sink, &blob);
    } else {
        put_simple(sink, sonde_choice_value(tape, choice), false);
    }
}

/* ---- For people */

/* Returns whether a terminal shows the character as nothing, or obeys it: controls, joiners, direction marks. */
static bool is_hidden(uint32_t code)
{
    return code < 32 || (code >= 127 && code < 160) || code == 0xad || (code >= 0x200b && code <= 0x200f)
           || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f)
           || (code >= 0xd800 && code < 0xf900) || code == 0xfeff || (code >= 0xfff0 && code <= 0xfffb)
           || (code & 0xfffe) == 0xfffe || code >= 0xe0000;
}

/* Writes a byte as in a C string, in octal, whose length is fixed. */
static void put_octal(struct sonde_sink *sink, unsigned char byte)
{
    sonde_put_char(sink, '\\');
    for (int shift = 6; shift >= 0; shift -= 3) sonde_put_char(sink, (char)('0' + ((byte >> shift) & 7)));
}

/* Writes a character as in a C string. Hidden characters are written byte by byte in octal. */
static void put_quotable(struct sonde_sink *sink, uint32_t code)
{
    static const char named[] = "\"\"\\\\\aa\bb\ff\nn\rr\tt\vv";
    char utf8[4];
    for (const char *p = named; *p; p += 2) {
        if (code != (unsigned char)p[0]) continue;
        sonde_put_char(sink, '\\');
        sonde_put_char(sink, p[1]);
        return;
    }
    unsigned n = sonde_utf8_encode(code, utf8);
    for (unsigned i = 0; i < n; i++) {
        if (is_hidden(code)) put_octal(sink, (unsigned char)utf8[i]);
        else sonde_put_char(sink, utf8[i]);
    }
}

void sonde_put_quoted(struct sonde_sink *sink, const char *text, size_t n)
{
    uint32_t code;
    sonde_put_char(sink, '"');
    for (size_t i = 0; i < n;) {
        unsigned length = sonde_utf8_decode(text + i, n - i, &code);
        if (length == 1 && code >= 0x80) put_octal(sink, (unsigned char)text[i]);
        else put_quotable(sink, code);
        i += length;
    }
    sonde_put_char(sink, '"');
}

uint32_t sonde_run_at(const struct sonde_blob *blob, uint32_t i)
{
    uint32_t n = 1;
    while (i + n < blob->len && sonde_blob_symbol(blob, i + n) == sonde_blob_symbol(blob, i)) n++;
    return n;
}

/* Writes the first 64 bytes. A long run of equal bytes counts as one byte and is written as `01 x 254`, which is
 * easier to read. */
static void print_bytes(struct sonde_sink *sink, const struct sonde_blob *blob)
{
    enum { SHOWN = 64 }; /* bytes, or runs of bytes */
    sonde_put_char(sink, '(');
    sonde_put_uint(sink, blob->len);
    sonde_put_text(sink, blob->len == 1 ? " byte)" : " bytes)");
    uint32_t i = 0;
    for (uint32_t shown = 0; i < blob->len && shown < SHOWN; shown++) {
        uint32_t n = sonde_run_at(blob, i);
        sonde_put_char(sink, ' ');
        put_hex(sink, (unsigned char)sonde_blob_symbol(blob, i));
        if (n >= SONDE_RUN_LONG) sonde_put_text(sink, " x "), sonde_put_uint(sink, n);
        i += n >= SONDE_RUN_LONG ? n : 1;
    }
    if (i < blob->len) sonde_put_text(sink, " ...");
}

static void print_blob(struct sonde_sink *sink, const struct sonde_blob *blob)
{
    if (blob->alphabet.kind == SONDE_ALPHABET_BYTES) {
        print_bytes(sink, blob);
        return;
    }
    sonde_put_char(sink, '"');
    for (uint32_t i = 0; i < blob->len; i++)
        put_quotable(sink, sonde_alphabet_code(&blob->alphabet, sonde_blob_symbol(blob, i)));
    sonde_put_char(sink, '"');
}

/* Returns whether a literal has digits only, but is not written like a number: `007`, or 50 digits. It is rather a
 * string or bytes, of which a number would show nothing. */
static bool has_only_digits(const char *text, uint32_t n, struct sonde_value value)
{
    for (uint32_t i = 0; i < n; i++)
        if (text[i] < '0' || text[i] > '9') return false;
    return (n > 1 && *text == '0') || value.type == SONDE_VALUE_DOUBLE;
}

/* A literal has no kind yet. It is shown as a number or bool if it can be read as one, otherwise as a string. */
static void print_literal(struct sonde_sink *sink, const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    uint32_t n;
    struct sonde_value value;
    const char *text = sonde_literal_text(tape, choice, &n);
    if (sonde_literal_value(tape, choice, &value) && !has_only_digits(text, n, value)) {
        put_simple(sink, value, true);
        return;
    }
    sonde_put_quoted(sink, text, n);
}

void sonde_put_shown(struct sonde_sink *sink, const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    if (choice->flags & SONDE_CHOICE_HOLE) {
        sonde_put_char(sink, '?');
    } else if (choice->kind == SONDE_KIND_LITERAL) {
        print_literal(sink, tape, choice);
    } else if (choice->kind == SONDE_KIND_BLOB) {
        struct sonde_blob blob = sonde_choice_blob(tape, choice);
        print_blob(sink, &blob);
    } else {
        put_simple(sink, sonde_choice_value(tape, choice), true);
    }
}

size_t sonde_choice_print(const struct sonde_tape *tape, const struct sonde_choice *choice, char *out, size_t size)
{
    struct sonde_sink sink = {.out = out, .size = size};
    sonde_put_shown(&sink, tape, choice);
    if (size) out[sink.n < size ? sink.n : size - 1] = '\0';
    return sink.n;
}

/* ---- Reading */

const char *sonde_literal_text(const struct sonde_tape *script, const struct sonde_choice *literal, uint32_t *n)
{
    memcpy(n, script->bytes + literal->base, sizeof *n);
    return (const char *)script->bytes + literal->base + sizeof *n;
}

uint32_t sonde_tape_add_literal(struct sonde_tape *script, const char *text, uint32_t n)
{
    uint32_t at = sonde_tape_add_bytes(script, &n, sizeof n);
    sonde_tape_add_bytes(script, text, n);
    return at;
}

/* A string that is not NUL-terminated. */
struct words {
    const char *at, *end;
};

static bool is_word(struct words w, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(w.end - w.at) == n && memcmp(w.at, word, n) == 0;
}

/* Reads the whole string as an integer; returns false if it is not an integer or is too large. Hexadecimal needs a
 * digit after 0x. */
static bool read_magnitude(struct words w, uint64_t *out)
{
    unsigned base = 10;
    if (w.end - w.at > 2 && w.at[0] == '0' && (w.at[1] == 'x' || w.at[1] == 'X')) base = 16, w.at += 2;
    if (w.at == w.end) return false;
    *out = 0;
    for (; w.at < w.end; w.at++) {
        int digit = sonde_hex_digit(*w.at);
        if (digit < 0 || (unsigned)digit >= base) return false;
        if (__builtin_mul_overflow(*out, base, out) || __builtin_add_overflow(*out, (unsigned)digit, out)) return false;
    }
    return true;
}

static bool read_double(struct words w, double *out)
{
    /* strtod would also accept "nan(123)", hexadecimal floats and the locale's decimal point; tokens have one
     * spelling everywhere. */
    if (is_word(w, "nan")) *out = NAN;
    else if (is_word(w, "inf") || is_word(w, "infinity")) *out = INFINITY;
    else return w.at < w.end && sonde_read_decimal(w.at, (size_t)(w.end - w.at), out) == (size_t)(w.end - w.at);
    return true;
}

static bool read_truth(struct words w, struct sonde_value *value)
{
    bool yes = is_word(w, "yes") || is_word(w, "true");
    if (!yes && !is_word(w, "no") && !is_word(w, "false")) return false;
    *value = (struct sonde_value){.type = SONDE_VALUE_BOOL, .as.b = yes};
    return true;
}

/* Returns the length of a number without the name after it, as in `0-put`. */
static uint32_t length_without_name(const char *text, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && text[i] >= '0' && text[i] <= '9') i++;
    bool has_name = i > 0 && i + 1 < n && text[i] == '-' && (text[i + 1] < '0' || text[i + 1] > '9');
    return has_name ? i : n;
}

/* A string that is neither a bool nor a number can only be the content of a blob. */
bool sonde_literal_value(const struct sonde_tape *script, const struct sonde_choice *literal, struct sonde_value *value)
{
    uint32_t n;
    uint64_t size;
    double x;
    const char *text = sonde_literal_text(script, literal, &n);
    struct words w = {text, text + length_without_name(text, n)};
    if (read_truth(w, value)) return true;
    bool negative = n > 0 && *text == '-';
    if (n > 0 && (*text == '-' || *text == '+')) w.at++;
    /* Integers first: 1e3 and 0.5 fall through to double, and so do integers beyond 64 bits. */
    if (read_magnitude(w, &size) && size <= (uint64_t)INT64_MAX + negative) {
        *value = (struct sonde_value){.type = SONDE_VALUE_INT, .as.i = (int64_t)(negative ? 0 - size : size)};
    } else if (!negative && read_magnitude(w, &size)) {
        *value = (struct sonde_value){.type = SONDE_VALUE_UINT, .as.u = size};
    } else if (read_double(w, &x)) {
        *value = (struct sonde_value){.type = SONDE_VALUE_DOUBLE, .as.d = negative ? -x : x};
    } else {
        return false;
    }
    return true;
}

/* Returns whether a string is pairs of hexadecimal digits. The bytes of any other string are taken unchanged. */
static bool is_hex(const char *text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (sonde_hex_digit(text[i]) < 0) return false;
    return n % 2 == 0;
}

/* Characters that the alphabet lacks are left out; `max` bounds the result. */
uint32_t sonde_literal_symbols(const struct sonde_tape *script, const struct sonde_choice *literal,
                               const struct sonde_alphabet *alphabet, uint32_t *symbols, uint32_t max)
{
    uint32_t n, count = 0;
    const char *text = sonde_literal_text(script, literal, &n);
    bool is_bytes = alphabet->kind == SONDE_ALPHABET_BYTES, hex = is_bytes && is_hex(text, n);
    for (uint32_t i = 0; i < n && count < max;) {
        uint32_t code, symbol;
        if (hex) {
            code = (uint32_t)(sonde_hex_digit(text[i]) * 16 + sonde_hex_digit(text[i + 1]));
            i += 2;
        } else if (is_bytes) {
            code = (unsigned char)text[i++];
        } else {
            i += sonde_utf8_decode(text + i, n - i, &code);
        }
        symbol = sonde_alphabet_symbol(alphabet, code);
        if (symbol < alphabet->size) symbols[count++] = symbol;
    }
    return count;
}
