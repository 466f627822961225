/* Failed checks as strings: the condition as the user wrote it, and the whole failure in one line. */
#include "case/case.h"

#include <string.h>

/* Returns the closing quote of the string that begins at `at`, or the terminating NUL if the string is not closed. */
static const char *skip_quoted(const char *at)
{
    char quote = *at++;
    for (; *at && *at != quote; at++)
        if (*at == '\\' && at[1]) at++;
    return at;
}

/* Returns the end of the bracket that opens at `at`; NULL if the bracket does not close. */
static const char *closing(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        if (*at == '"' || *at == '\'') {
            at = skip_quoted(at);
            if (!*at) return NULL;
        } else if (strchr("([{", *at)) {
            depth++;
        } else if (strchr(")]}", *at) && --depth == 0) {
            return at;
        }
    }
    return NULL;
}

/* Returns whether a side, given without its outer brackets, needs them. It does if a reader might confuse an operator
 * outside inner brackets with the relation. */
static bool needs_brackets(const char *at, const char *end)
{
    bool is_after_operand = false;
    for (; at < end; at++) {
        const char *close = strchr("([{", *at) ? closing(at) : NULL;
        if (close) at = close;
        else if (*at == '"' || *at == '\'') at = skip_quoted(at);
        bool is_arrow = *at == '-' && at[1] == '>';
        if (is_arrow) at++;
        else if (strchr("=<>|^?:,", *at) || (*at == '!' && at[1] == '=') || (*at == '&' && is_after_operand))
            return true;
        if (*at != ' ') is_after_operand = close || is_arrow || (!strchr("+-*/%~!&", *at));
    }
    return false;
}

/* The macros print `(a) == (b)`. The brackets of a side are dropped if every operator in it that is outside inner
 * brackets binds more tightly than a relation. */
const char *sonde_claim_condition(const struct sonde_claim *c, char *out, size_t size)
{
    const char *text = c->condition, *left = *text == '(' ? closing(text) : NULL;
    const char *right = left ? strchr(left, ' ') : NULL;
    if (right) right = strchr(right + 1, '(');
    if (!c->has_sides || !right || closing(right) != text + strlen(text) - 1) {
        snprintf(out, size, "%s", text);
        return out;
    }
    int a = needs_brackets(text + 1, left) ? 0 : 1, b = needs_brackets(right + 1, closing(right)) ? 0 : 1;
    snprintf(out, size, "%.*s%.*s%.*s", (int)(left - text) + 1 - 2 * a, text + a, (int)(right - left) - 1, left + 1,
             (int)strlen(right) - 2 * b, right + b);
    return out;
}

/* Reports, the store and the identity of a failure use this string, so stored failures depend on its form. */
const char *sonde_claim_describe(const struct sonde_claim *c, char *out, size_t size)
{
    const char *const parts[] = {c->condition[0] ? " does not hold" : "",
                                 c->has_sides ? ": got " : "",
                                 c->has_sides ? c->got : "",
                                 c->has_sides ? ", want " : "",
                                 c->has_sides ? c->want : "",
                                 c->condition[0] && c->message[0] ? "; " : "",
                                 c->message};
    if (c->kind == SONDE_CLAIM_DIFFERENCE) { /* its message says all */
        snprintf(out, size, "%s", c->message);
        return out;
    }
    sonde_claim_condition(c, out, size / 2); /* cut a long condition: the sides and the message are worth more */
    size_t n = strlen(out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && n + 1 < size; i++) {
        int written = snprintf(out + n, size - n, "%s", parts[i]);
        n += (size_t)written < size - n ? (size_t)written : size - n - 1;
    }
    return out;
}

/* The relation is the first one with spaces around it outside brackets and strings. sonde_claim_condition puts any
 * other in brackets. */
const char *sonde_condition_sides(const char *condition, size_t *n_left, const char **right)
{
    static const struct {
        const char *relation, *words;
    } table[] = {{" == ", ""},          {" != ", "other than "}, {" <= ", "at most "},
                 {" >= ", "at least "}, {" < ", "less than "},   {" > ", "more than "}};
    for (const char *at = condition; *at; at++) {
        for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
            if (strncmp(at, table[i].relation, strlen(table[i].relation)) != 0) continue;
            *n_left = (size_t)(at - condition);
            *right = at + strlen(table[i].relation);
            return table[i].words;
        }
        const char *close = strchr("([{", *at) ? closing(at) : NULL;
        if (close) at = close;
        else if (*at == '"' || *at == '\'') at = skip_quoted(at);
        if (!*at) break;
    }
    return NULL;
}
