/* ABNF as RFC 5234 defines it and RFCs print it, with case-sensitive strings (RFC 7405).
 *
 * RFCs indent their grammars in several ways. Indentation is not needed here: inside a rule no name is followed by =.
 * So a name and = begin the next rule wherever they are. Page breaks of an RFC (a line that ends with [Page N], and the
 * heading after it) are skipped. Comments that begin with ;@ are annotations. */
#include "grammar/notation.h"

#include "base/mem.h"

#include <ctype.h>
#include <string.h>

static const uint32_t NONE = SONDE_SYNTAX_NONE;
enum { CODE_MAX = 0x10ffff, COUNT_MAX = 1 << 20 };

static const char name_characters[] = "-";

/* Returns the end of the line at offset `at`. */
static size_t line_end(const struct sonde_build *b, size_t at)
{
    while (at < b->n && b->text[at] != '\n') at++;
    return at;
}

/* Returns whether the line from `at` on ends with [Page N]. */
static bool is_footer(const struct sonde_build *b, size_t at)
{
    size_t end = line_end(b, at);
    while (end > at && isspace((unsigned char)b->text[end - 1])) end--;
    if (end == at || b->text[end - 1] != ']') return false;
    size_t from = end - 1;
    while (from > at && isdigit((unsigned char)b->text[from - 1])) from--;
    return from - at >= 6 && !memcmp(b->text + from - 6, "[Page ", 6);
}

/* Returns whether the line from `at` on is the heading of a page: RFC, a number, a title and a year. */
static bool is_heading(const struct sonde_build *b, size_t at)
{
    size_t end = line_end(b, at);
    if (end - at < 8 || memcmp(b->text + at, "RFC ", 4) || !isdigit((unsigned char)b->text[at + 4])) return false;
    while (end > at && isspace((unsigned char)b->text[end - 1])) end--;
    for (size_t i = 1; i <= 4; i++)
        if (!isdigit((unsigned char)b->text[end - i])) return false;
    return true;
}

/* Skips white space, comments and page breaks; follows annotations. */
static void skip(struct sonde_build *b)
{
    while (b->at < b->n && !b->has_failed) {
        unsigned char c = (unsigned char)b->text[b->at];
        bool begins_line = b->at == 0 || b->text[b->at - 1] == '\n' || b->text[b->at - 1] == '\f';
        if (begins_line && (is_footer(b, b->at) || is_heading(b, b->at))) b->at = line_end(b, b->at);
        else if (c == ';') {
            size_t end = line_end(b, b->at);
            if (sonde_build_peek(b, 1) == '@') sonde_build_annotate(b, b->at + 2, end - b->at - 2);
            b->at = end;
        } else if (isspace(c)) b->at++;
        else return;
    }
}

/* Begins a rule if one begins at the present offset. */
static bool begins_rule(struct sonde_build *b)
{
    size_t at = b->at, n;
    bool in_brackets = sonde_build_peek(b, 0) == '<';
    b->at += in_brackets;
    n = sonde_build_name(b, name_characters);
    size_t name = b->at, equals = name + n;
    b->at = at;
    if (in_brackets && n && equals < b->n && b->text[equals] == '>') equals++;
    else if (in_brackets) return false;
    while (equals < b->n && isspace((unsigned char)b->text[equals])) equals++;
    if (!n || equals >= b->n || b->text[equals] != '=') return false;
    bool is_added = equals + 1 < b->n && b->text[equals + 1] == '/';
    sonde_build_begin(b, b->text + name, n, name, is_added);
    if (!b->has_failed) b->at = equals + 1 + is_added;
    return true;
}

static void read_string(struct sonde_build *b, bool is_caseless)
{
    size_t from = b->at + 1, end = from;
    while (end < b->n && b->text[end] != '"' && b->text[end] != '\n') end++;
    if (end >= b->n || b->text[end] != '"') {
        sonde_build_fail(b, b->at, "this string is not closed on its line; write a quote as %%x22");
        return;
    }
    uint32_t node = sonde_build_string(b, from, end - from, is_caseless);
    b->at = end + 1;
    sonde_build_add(b, node);
}

static uint32_t read_code(struct sonde_build *b, unsigned base)
{
    return sonde_build_number(b, base, CODE_MAX);
}

/* Reads %x41, %x41-5A and %x41.42.43 from the base's letter on. */
static void read_value(struct sonde_build *b, unsigned base)
{
    size_t from = b->at++;
    uint32_t first = read_code(b, base);
    if (sonde_build_peek(b, 0) == '-') {
        b->at++;
        uint32_t last = read_code(b, base);
        if (first > last) sonde_build_fail(b, from, "this range runs backwards");
        if (last > UINT8_MAX) b->g->is_unicode = true;
        sonde_build_add(b, sonde_build_class(b, &(struct sonde_syntax_range){first, last}, 1));
        return;
    }
    uint32_t *codes = NULL, n = 0, cap = 0;
    for (;; first = read_code(b, base)) {
        codes = sonde_grow(codes, &cap, (size_t)n + 1, sizeof *codes);
        codes[n++] = first;
        if (first > UINT8_MAX) b->g->is_unicode = true;
        if (sonde_build_peek(b, 0) != '.' || b->has_failed) break;
        b->at++;
    }
    sonde_build_add(b, sonde_build_literal(b, codes, n, false));
    sonde_free(codes);
}

static void read_percent(struct sonde_build *b)
{
    b->at++;
    switch (tolower(sonde_build_peek(b, 0))) {
    case 'x': read_value(b, 16); return;
    case 'd': read_value(b, 10); return;
    case 'b': read_value(b, 2); return;
    case 's':
    case 'i':
        if (sonde_build_peek(b, 1) != '"') break;
        b->at++;
        read_string(b, tolower((unsigned char)b->text[b->at - 1]) == 'i');
        return;
    default: break;
    }
    sonde_build_expected(b, "x, d, b, s\" or i\" after %");
}

/* Reads <...>: the name of a rule, or words for people. */
static void read_prose(struct sonde_build *b)
{
    size_t from = b->at + 1, end = from;
    while (end < b->n && b->text[end] != '>' && b->text[end] != '\n') end++;
    if (end >= b->n || b->text[end] != '>') {
        sonde_build_fail(b, b->at, "expected > on the same line");
        return;
    }
    b->at = from;
    size_t name = sonde_build_name(b, name_characters);
    bool is_name = name > 0 && name == end - from;
    uint32_t node = is_name ? sonde_build_refer(b, sonde_build_rule(b, b->text + from, name, from))
                            : sonde_build_prose(b, b->text + from, end - from);
    b->at = end + 1;
    sonde_build_add(b, node);
}

/* Reads 3, 3*, *5, 3*5 or *, before the element that it repeats. */
static void read_repetition(struct sonde_build *b)
{
    size_t from = b->at;
    if (b->repeat_at != SIZE_MAX) {
        sonde_build_expected(b, "the element that is repeated");
        return;
    }
    b->min = isdigit(sonde_build_peek(b, 0)) ? sonde_build_number(b, 10, COUNT_MAX) : 0;
    b->max = b->min;
    if (sonde_build_peek(b, 0) == '*') {
        b->at++;
        b->max = isdigit(sonde_build_peek(b, 0)) ? sonde_build_number(b, 10, COUNT_MAX) : NONE;
    }
    if (b->min > b->max) sonde_build_fail(b, from, "in n*m, n must not exceed m");
    b->repeat_at = from;
}

static void read_element(struct sonde_build *b)
{
    unsigned char c = sonde_build_peek(b, 0);
    size_t n = sonde_build_name(b, name_characters);
    uint32_t node;
    if (n) {
        node = sonde_build_refer(b, sonde_build_rule(b, b->text + b->at, n, b->at));
        b->at += n;
        sonde_build_add(b, node);
        return;
    }
    switch (c) {
    case '/': sonde_build_bar(b); return;
    case '(': sonde_build_open(b, ')'); return;
    case '[': sonde_build_open(b, ']'); return;
    case ')':
        node = sonde_build_close(b, ')');
        sonde_build_add(b, node);
        return;
    case ']':
        /* A repetition before [ ] is kept: 2[x] is two optional elements. */
        node = sonde_build_close(b, ']');
        if (!b->has_failed) {
            uint32_t min = b->min, max = b->max;
            b->min = 0;
            b->max = 1;
            sonde_build_add(b, node);
            sonde_build_repeat_last(b, min, max);
        }
        return;
    case '"': read_string(b, true); return;
    case '%': read_percent(b); return;
    case '<': read_prose(b); return;
    case '#':
        sonde_build_fail(b, b->at, "the list operator # is not part of RFC 5234; write 1#x as x *(\",\" x)");
        return;
    default: break;
    }
    if (c == '*' || isdigit(c)) read_repetition(b);
    else if (c == '|') sonde_build_fail(b, b->at, "alternatives are separated by / in ABNF, not by |");
    else sonde_build_expected(b, "an element: a rule name, \"string\", %x41, ( or [");
}

void sonde_abnf_read(struct sonde_build *b)
{
    for (;;) {
        skip(b);
        if (b->has_failed) return;
        if (b->at >= b->n) break;
        if (begins_rule(b)) continue;
        if (b->rule == NONE) {
            sonde_build_expected(b, "a rule: name = elements");
            return;
        }
        read_element(b);
    }
    sonde_build_end(b);
}

void sonde_abnf_core(struct sonde_build *b)
{
    static const char *const core[][2] = {
        {"ALPHA", "%x41-5A / %x61-7A"},
        {"BIT", "%x30-31"},
        {"CHAR", "%x01-7F"},
        {"CR", "%x0D"},
        {"CRLF", "%x0D.0A"},
        {"CTL", "%x00-1F / %x7F"},
        {"DIGIT", "%x30-39"},
        {"DQUOTE", "%x22"},
        {"HEXDIG", "%x30-39 / \"A\" / \"B\" / \"C\" / \"D\" / \"E\" / \"F\""},
        {"HTAB", "%x09"},
        {"LF", "%x0A"},
        {"LWSP", "*(WSP / CRLF WSP)"},
        {"OCTET", "%x00-FF"},
        {"SP", "%x20"},
        {"VCHAR", "%x21-7E"},
        {"WSP", "%x20 / %x09"},
    };
    struct sonde_syntax *g = b->g;
    uint32_t start = g->start;
    bool is_unicode = g->is_unicode;
    for (bool is_changed = true; is_changed && !b->has_failed;) {
        is_changed = false; /* LWSP uses others */
        for (size_t i = 0; i < sizeof core / sizeof *core; i++) {
            uint32_t rule = sonde_syntax_find(g, core[i][0], strlen(core[i][0]));
            if (rule == NONE || g->rules[rule].body != NONE) continue;
            char text[128];
            int n = snprintf(text, sizeof text, "%s = %s", core[i][0], core[i][1]);
            struct sonde_build inner = {
                .g = g, .text = text, .n = (size_t)n, .rule = NONE, .repeat_at = SIZE_MAX, .error = b->error};
            uint32_t at = g->rules[rule].at;
            sonde_abnf_read(&inner);
            g->rules[rule].at = at;
            g->rules[rule].is_core = true;
            b->has_failed |= inner.has_failed;
            sonde_free(inner.frames);
            is_changed = true;
        }
    }
    g->start = start;
    g->is_unicode = is_unicode;
}
