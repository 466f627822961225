/* Implements sonde_json: documents with every form that RFC 8259 allows, so a parser must accept all of them. Parsers
 * may disagree about three things: numbers that no double holds, duplicate names, and escaped surrogates without a
 * partner.
 *
 * `depth` counts down with each array or object, and at 0 only scalars are left. This limits recursion for every tape,
 * even for a mutated one. White space is drawn around each value, name and colon, wherever the grammar has `ws`. */
#include "gen/text.h"

enum kind { NUMBER, LITERAL, STRING, ARRAY, OBJECT, KINDS };

static void put_value(struct sonde_gen_text *text, unsigned depth);

static void put_space(struct sonde_gen_text *text)
{
    static const char space[] = " \n\t\r";
    if (sonde_chance(text->t, "space", 0.1))
        sonde_gen_put(text, space + sonde_pick(text->t, "white", sizeof space - 1), 1);
}

/* Draws each digit separately: numbers of more than 64 bits are wanted, and the shrinker can drop single digits. */
static void put_digits(struct sonde_gen_text *text, const char *label, size_t min, size_t max)
{
    sonde_list digits = sonde_list_of(text->t, label, min, max);
    while (sonde_more(&digits)) sonde_gen_print(text, "%d", sonde_int(text->t, "digit", 0, 9));
}

static void put_number(struct sonde_gen_text *text)
{
    sonde *t = text->t;
    if (sonde_chance(t, "is_negative", 0.2)) sonde_gen_put(text, "-", 1);
    int first = sonde_int(t, "first", 0, 9);
    sonde_gen_print(text, "%d", first);
    if (first > 0) put_digits(text, "more", 0, 20); /* a number has no leading zero */
    if (sonde_chance(t, "has_fraction", 0.2)) {
        sonde_gen_put(text, ".", 1);
        put_digits(text, "fraction", 1, 20);
    }
    if (!sonde_chance(t, "has_exponent", 0.2)) return;
    /* Four digits of exponent are enough for numbers that overflow a double, and for numbers that underflow. */
    static const char *const signs[] = {"e", "E", "e-", "e+", "E-", "E+"};
    sonde_gen_print(text, "%s", sonde_element(t, "exponent_sign", signs));
    put_digits(text, "exponent", 1, 4);
}

/* Writes a character. Index 0 of "char" is a blank, which is the simplest printable character. `\u` covers lone
 * surrogates and NUL, which JSON may contain only in this form. */
static void put_character(struct sonde_gen_text *text)
{
    static const unsigned weights[] = {10, 2, 2, 2};
    static const char escapes[] = "\"\\/bfnrt";
    static const char *const wide[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\x7f"};
    sonde *t = text->t;
    switch (sonde_weighted(t, "kind", weights, sizeof weights / sizeof *weights)) {
    case 0: {
        int c = sonde_int(t, "char", ' ', '~');
        sonde_gen_print(text, c == '"' || c == '\\' ? "\\%c" : "%c", c);
        return;
    }
    case 1: sonde_gen_print(text, "\\%c", escapes[sonde_pick(t, "escape", sizeof escapes - 1)]); return;
    case 2: sonde_gen_print(text, "\\u%04x", (unsigned)sonde_int(t, "code", 0, 0xffff)); return;
    default: sonde_gen_print(text, "%s", sonde_element(t, "wide", wide)); return;
    }
}

/* Writes a name or a value. Names may repeat within an object, which RFC 8259 leaves to the parser. */
static void put_string(struct sonde_gen_text *text, const char *label)
{
    sonde_gen_put(text, "\"", 1);
    sonde_list characters = sonde_list_of(text->t, label, 0, 12);
    while (sonde_more(&characters)) put_character(text);
    sonde_gen_put(text, "\"", 1);
}

static void put_array(struct sonde_gen_text *text, unsigned depth)
{
    sonde_gen_put(text, "[", 1);
    sonde_list elements = sonde_list_of(text->t, "array", 0, 6);
    while (sonde_more(&elements)) {
        if (elements.i > 0) sonde_gen_put(text, ",", 1);
        put_value(text, depth);
    }
    /* Elements write white space themselves; an empty array gets its white space here. */
    if (elements.n == 0) put_space(text);
    sonde_gen_put(text, "]", 1);
}

static void put_object(struct sonde_gen_text *text, unsigned depth)
{
    sonde_gen_put(text, "{", 1);
    sonde_list members = sonde_list_of(text->t, "object", 0, 6);
    while (sonde_more(&members)) {
        if (members.i > 0) sonde_gen_put(text, ",", 1);
        put_space(text);
        put_string(text, "name");
        put_space(text);
        sonde_gen_put(text, ":", 1);
        put_value(text, depth);
    }
    if (members.n == 0) put_space(text);
    sonde_gen_put(text, "}", 1);
}

static void put_value(struct sonde_gen_text *text, unsigned depth)
{
    static const char *const literals[] = {"null", "false", "true"};
    sonde *t = text->t;
    sonde_open(t, "value");
    put_space(text);
    /* ARRAY and OBJECT are last in the enum, so that a smaller domain excludes them. */
    switch ((enum kind)sonde_pick(t, "kind", depth > 0 ? KINDS : ARRAY)) {
    case NUMBER: put_number(text); break;
    case LITERAL: sonde_gen_print(text, "%s", sonde_element(t, "literal", literals)); break;
    case STRING: put_string(text, "string"); break;
    case ARRAY: put_array(text, depth - 1); break;
    case OBJECT: put_object(text, depth - 1); break;
    case KINDS: break;
    }
    put_space(text);
    sonde_close(t, "value");
}

char *sonde_json(sonde *t, const char *label, unsigned depth)
{
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    put_value(&text, depth);
    return sonde_gen_end(&text);
}
