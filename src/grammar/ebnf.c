/* EBNF as the W3C writes it (in the definition of XML): name ::= elements, with | ? * + ( ), strings, #x41, and classes
 * such as [a-z#x41-#x5A] and [^<&]. Also {n}, {n,} and {n,m}. Rules may have numbers, as in [12] name ::= elements.
 * A comment that begins with @ is an annotation. */
#include "grammar/notation.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NONE = SONDE_SYNTAX_NONE;
enum { CODE_MAX = 0x10ffff, COUNT_MAX = 1 << 20 };

static const char name_characters[] = "_-.";

static void skip(struct sonde_build *b)
{
    while (b->at < b->n && !b->has_failed) {
        if (isspace((unsigned char)b->text[b->at])) {
            b->at++;
            continue;
        }
        if (b->text[b->at] != '/' || sonde_build_peek(b, 1) != '*') return;
        size_t end = b->at + 2;
        while (end + 1 < b->n && (b->text[end] != '*' || b->text[end + 1] != '/')) end++;
        if (end + 1 >= b->n) sonde_build_fail(b, b->at, "this comment is not closed");
        else if (sonde_build_peek(b, 2) == '@') sonde_build_annotate(b, b->at + 3, end - b->at - 3);
        b->at = end + 2;
    }
}

/* Begins a rule if one begins at the present offset: its number, its name, and ::=. */
static bool begins_rule(struct sonde_build *b)
{
    size_t before = b->at, at = b->at;
    if (b->text[at] == '[') {
        for (at++; at < b->n && isalnum((unsigned char)b->text[at]);) at++;
        if (at >= b->n || b->text[at] != ']') return false;
        for (at++; at < b->n && isspace((unsigned char)b->text[at]);) at++;
    }
    b->at = at;
    size_t n = sonde_build_name(b, name_characters), end = at + n;
    b->at = before;
    while (end < b->n && isspace((unsigned char)b->text[end])) end++;
    if (!n || b->n - end < 3 || memcmp(b->text + end, "::=", 3)) return false;
    sonde_build_begin(b, b->text + at, n, at, false);
    if (!b->has_failed) b->at = end + 3;
    return true;
}

static void read_string(struct sonde_build *b)
{
    size_t from = b->at + 1, end = from;
    char quote = b->text[b->at];
    while (end < b->n && b->text[end] != quote && b->text[end] != '\n') end++;
    if (end >= b->n || b->text[end] != quote) {
        sonde_build_fail(b, b->at,
                         "this string is not closed on its line; write the other kind of quotes around a quote");
        return;
    }
    uint32_t node = sonde_build_string(b, from, end - from, false);
    b->at = end + 1;
    sonde_build_add(b, node);
}

/* Reads the number of #x41 behind the x. */
static uint32_t read_code(struct sonde_build *b)
{
    b->at += 2;
    uint32_t code = sonde_build_number(b, 16, CODE_MAX);
    if (code > UINT8_MAX) b->g->is_unicode = true;
    return code;
}

/* Reads a character of a class: itself, or #x41. */
static uint32_t read_member(struct sonde_build *b)
{
    uint32_t c;
    struct sonde_syntax utf8 = {.is_unicode = true};
    if (sonde_build_peek(b, 0) == '#' && sonde_build_peek(b, 1) == 'x') return read_code(b);
    size_t n = sonde_syntax_decode(&utf8, b->text + b->at, b->n - b->at, &c);
    if (c > CODE_MAX) sonde_build_fail(b, b->at, "this class is not valid UTF-8; write bytes as #xFF");
    if (c >= 0x80) b->g->is_unicode = true;
    b->at += n;
    return c;
}

static int by_start(const void *a, const void *b)
{
    const struct sonde_syntax_range *x = a, *y = b;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Creates the class of all characters that XML allows and the ranges do not have. */
static uint32_t others(struct sonde_build *b, struct sonde_syntax_range *ranges, uint32_t n)
{
    static const struct sonde_syntax_range all[] = {
        {0x9, 0xa}, {0xd, 0xd}, {0x20, 0xd7ff}, {0xe000, 0xfffd}, {0x10000, CODE_MAX}};
    struct sonde_syntax_range *out = NULL;
    uint32_t n_out = 0, cap = 0;
    qsort(ranges, n, sizeof *ranges, by_start);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t lo = all[i].lo;
        for (uint32_t k = 0; k <= n && lo <= all[i].hi; k++) {
            bool is_last = k == n || ranges[k].lo > all[i].hi;
            uint32_t end = is_last ? all[i].hi + 1 : ranges[k].lo;
            out = sonde_grow(out, &cap, (size_t)n_out + 1, sizeof *out);
            if (end > lo) out[n_out++] = (struct sonde_syntax_range){lo, end - 1};
            if (is_last) break;
            if (ranges[k].hi >= lo) lo = ranges[k].hi + 1;
        }
    }
    if (!b->g->says_bytes) b->g->is_unicode = true;
    for (uint32_t i = 0; i < n_out && b->g->says_bytes; i++) {
        if (out[i].hi > UINT8_MAX) out[i].hi = UINT8_MAX;
        if (out[i].lo > UINT8_MAX) n_out = i;
    }
    uint32_t node = sonde_build_class(b, out, n_out);
    sonde_free(out);
    return node;
}

static void read_class(struct sonde_build *b)
{
    size_t from = b->at++;
    struct sonde_syntax_range *ranges = NULL;
    uint32_t n = 0, cap = 0;
    bool is_complement = sonde_build_peek(b, 0) == '^';
    b->at += is_complement;
    while (b->at < b->n && b->text[b->at] != ']' && b->text[b->at] != '\n' && !b->has_failed) {
        size_t at = b->at;
        uint32_t lo = read_member(b), hi = lo;
        if (sonde_build_peek(b, 0) == '-' && sonde_build_peek(b, 1) && sonde_build_peek(b, 1) != ']') {
            b->at++;
            hi = read_member(b);
            if (lo > hi) sonde_build_fail(b, at, "this range runs backwards");
        }
        ranges = sonde_grow(ranges, &cap, (size_t)n + 1, sizeof *ranges);
        ranges[n++] = (struct sonde_syntax_range){lo, hi};
    }
    if (sonde_build_peek(b, 0) != ']') sonde_build_fail(b, from, "this class is not closed on its line; ] is missing");
    else if (!n) sonde_build_fail(b, from, "this class is empty");
    if (!b->has_failed) {
        b->at++;
        sonde_build_add(b, is_complement ? others(b, ranges, n) : sonde_build_class(b, ranges, n));
    }
    sonde_free(ranges);
}

/* Reads {n}, {n,} or {n,m} behind an element. */
static void read_braces(struct sonde_build *b)
{
    size_t from = b->at++;
    uint32_t min = sonde_build_number(b, 10, COUNT_MAX), max = min;
    if (sonde_build_peek(b, 0) == ',') {
        b->at++;
        max = isdigit(sonde_build_peek(b, 0)) ? sonde_build_number(b, 10, COUNT_MAX) : NONE;
    }
    if (b->has_failed) return;
    if (sonde_build_peek(b, 0) != '}') sonde_build_expected(b, "}");
    else if (min > max) sonde_build_fail(b, from, "in {n,m}, n must not exceed m");
    b->at++;
    sonde_build_repeat_last(b, min, max);
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
    case '|': sonde_build_bar(b); return;
    case '(': sonde_build_open(b, ')'); return;
    case ')':
        node = sonde_build_close(b, ')');
        b->min = b->max = 1;
        sonde_build_add(b, node);
        return;
    case '"':
    case '\'': read_string(b); return;
    case '[': read_class(b); return;
    case '?': b->at++, sonde_build_repeat_last(b, 0, 1); return;
    case '*': b->at++, sonde_build_repeat_last(b, 0, NONE); return;
    case '+': b->at++, sonde_build_repeat_last(b, 1, NONE); return;
    case '{': read_braces(b); return;
    case '-':
        sonde_build_fail(b, b->at, "exceptions (A - B) are not supported; write what remains, such as a class [^...]");
        return;
    default: break;
    }
    if (c == '#' && sonde_build_peek(b, 1) == 'x') {
        uint32_t code = read_code(b);
        sonde_build_add(b, sonde_build_literal(b, &code, 1, false));
    } else if (c == '/') sonde_build_fail(b, b->at, "alternatives are separated by | in EBNF, not by /");
    else sonde_build_expected(b, "an element: a rule name, \"string\", #x41, [a-z] or (");
}

void sonde_ebnf_read(struct sonde_build *b)
{
    for (;;) {
        skip(b);
        if (b->has_failed) return;
        if (b->at >= b->n) break;
        if (begins_rule(b)) continue;
        if (b->rule == NONE) {
            sonde_build_expected(b, "a rule: name ::= elements");
            return;
        }
        read_element(b);
    }
    sonde_build_end(b);
}
