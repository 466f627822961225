/* See ranges.h. */
#include "ranges.h"

#include <stddef.h>

const char *const range_assignments[] = {"=",  "+=", "-=",  "*=",  "/=",    "%=",       "&=",
                                         "|=", "^=", "<<=", ">>=", "throw", "co_yield", NULL};

static bool is(const struct sonde_token *t, uint32_t i, const char *text)
{
    return sonde_token_is(&t[i], text);
}

bool token_is_any(const struct sonde_token *t, uint32_t i, const char *const *list)
{
    for (; *list; list++)
        if (is(t, i, *list)) return true;
    return false;
}

uint32_t token_next(const struct sonde_token *t, uint32_t i)
{
    return t[i].match > i ? t[i].match + 1 : i + 1;
}

bool token_ends_operand(const struct sonde_token *t, uint32_t i)
{
    static const char *const closing[] = {")", "]", "}", "++", "--", ">", NULL};
    static const char *const words[] = {"return",   "sizeof", "_Alignof", "alignof", "throw", "co_await",
                                        "co_yield", "new",    "delete",   "else",    "case",  NULL};
    if (sonde_token_is_name(&t[i])) return !token_is_any(t, i, words);
    return sonde_token_is_literal(&t[i]) || token_is_any(t, i, closing);
}

bool range_is_binary(const struct sonde_token *t, uint32_t a, uint32_t i, uint32_t b)
{
    return i > a && i + 1 < b && token_ends_operand(t, i - 1);
}

uint32_t range_find_last(const struct sonde_token *t, uint32_t a, uint32_t b, const char *const *operators)
{
    uint32_t found = b;
    for (uint32_t i = a; i < b; i = token_next(t, i))
        if (token_is_any(t, i, operators) && range_is_binary(t, a, i, b)) found = i;
    return found;
}

uint32_t range_find(const struct sonde_token *t, uint32_t a, uint32_t b, const char *const *list)
{
    for (uint32_t i = a; i < b; i = token_next(t, i))
        if (token_is_any(t, i, list)) return i;
    return b;
}

uint32_t range_find_colon(const struct sonde_token *t, uint32_t mark, uint32_t b)
{
    uint32_t depth = 0;
    for (uint32_t i = mark + 1; i < b; i = token_next(t, i)) {
        if (is(t, i, "?")) depth++;
        else if (is(t, i, ":") && depth-- == 0) return i;
    }
    return b;
}

bool range_is_paren(const struct sonde_token *t, uint32_t a, uint32_t b)
{
    return b - a > 2 && is(t, a, "(") && t[a].match == b - 1 && !is(t, a + 1, "{");
}

void range_strip(const struct sonde_token *t, uint32_t *a, uint32_t *b)
{
    while (range_is_paren(t, *a, *b)) ++*a, --*b;
}

bool range_is_type(const struct sonde_token *t, uint32_t a, uint32_t b)
{
    static const char *const types[] = {"char",   "short",    "int",        "long",   "unsigned", "signed", "float",
                                        "double", "_Bool",    "bool",       "void",   "struct",   "union",  "enum",
                                        "const",  "volatile", "__typeof__", "typeof", NULL};
    return a < b && (t[a].names_type || token_is_any(t, a, types) || is(t, b - 1, "*"));
}

bool range_has_call(const struct sonde_token *t, uint32_t a, uint32_t b)
{
    static const char *const words[] = {"sizeof", "_Alignof", "alignof", "__typeof__", "typeof", "_Generic", NULL};
    for (uint32_t i = a; i + 1 < b; i++)
        if (is(t, i + 1, "(") && token_ends_operand(t, i) && !sonde_token_is_literal(&t[i])
            && !token_is_any(t, i, words) && !(is(t, i, ")") && range_is_type(t, t[i].match + 1, i)))
            return true;
    return false;
}
