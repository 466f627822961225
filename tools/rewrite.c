/* sonde_assume(t, a < b && c) becomes sonde_assume_cc_(t, "a < b && c", ...), where ... is a truth (sonde.h): the
 * distance of the targeted paper's figure 3 instead of 0 or 1.
 *
 * Only the skeleton of a condition is understood: && || ! ?: parentheses and relations. What stands between them is
 * copied as it is, so that types, promotions, macros and side effects are the compiler's business: each operand is
 * evaluated once, where C would, into a variable of its own type, and the truth of a relation is that of C's own
 * operator on these. A condition with anything unclear in it (a comma or an assignment outside parentheses, a macro
 * whose expansion is not one closed expression, an odd token) stays as it was. Lines and their number stay, comments in a
 * condition become blanks. The caller has the compiler check the result, and keeps the original where it objects. */
#include "rewrite.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text that grows */

struct text {
    char *all;
    uint32_t n, cap;
};

static void put_n(struct text *t, const char *s, size_t n)
{
    t->all = sonde_grow(t->all, &t->cap, (size_t)t->n + n + 1, 1);
    memcpy(t->all + t->n, s, n);
    t->n += (uint32_t)n;
    t->all[t->n] = 0;
}

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    char buffer[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    put_n(t, buffer, (size_t)n);
}

/* ---- Skipping what is no code */

static const char *skip_quoted(const char *s)
{
    char quote = *s++;
    while (*s && *s != quote && *s != '\n') s += *s == '\\' && s[1] ? 2 : 1;
    return *s == quote ? s + 1 : s;
}

static const char *skip_comment(const char *s)
{
    if (s[1] == '/') {
        while (*s && *s != '\n') s += *s == '\\' && s[1] ? 2 : 1;
        return s;
    }
    const char *end = strstr(s + 2, "*/");
    return end ? end + 2 : s + strlen(s);
}

static bool is_comment(const char *s)
{
    return s[0] == '/' && (s[1] == '/' || s[1] == '*');
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- Tokens of a condition */

struct token {
    const char *at;
    uint32_t n;
    uint32_t match; /* of an opening bracket: its closing one */
};

enum { TOKENS_MAX = 1024, DEPTH_MAX = 64 };

struct condition {
    struct token tokens[TOKENS_MAX];
    uint32_t n;
    const char *macros;
    bool is_cxx;
    bool is_unclear;
    unsigned *serial; /* of the last variable */
    struct text *out;
};

static bool is(const struct token *t, const char *text)
{
    return t->n == strlen(text) && memcmp(t->at, text, t->n) == 0;
}

static uint32_t operator_length(const char *s)
{
    static const char *const long_ones[] = {"<<=", ">>=", "...", "->*", "<=>", "&&", "||", "==", "!=", "<=",
                                            ">=",  "<<",  ">>",  "->",  "++",  "--", "+=", "-=", "*=", "/=",
                                            "%=",  "&=",  "|=",  "^=",  "::",  ".*", "##", NULL};
    for (size_t i = 0; long_ones[i]; i++)
        if (strncmp(s, long_ones[i], strlen(long_ones[i])) == 0) return (uint32_t)strlen(long_ones[i]);
    return 1;
}

static uint32_t token_length(const char *s)
{
    const char *end = s;
    if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
        while (is_name(*end) || *end == '.' || *end == '\''
               || ((*end == '+' || *end == '-') && strchr("eEpP", end[-1])))
            end++;
        return (uint32_t)(end - s);
    }
    if (is_name(*s)) {
        while (is_name(*end)) end++;
        return (uint32_t)(end - s);
    }
    if (*s == '"' || *s == '\'') return (uint32_t)(skip_quoted(s) - s);
    return operator_length(s);
}

static bool tokenize(struct condition *c, const char *s, const char *end)
{
    uint32_t open[DEPTH_MAX], depth = 0;
    c->n = 0;
    while (s < end) {
        if (isspace((unsigned char)*s) || (*s == '\\' && s[1] == '\n')) {
            s++;
            continue;
        }
        if (is_comment(s)) {
            s = skip_comment(s);
            continue;
        }
        if (c->n == TOKENS_MAX || *s == '#' || *s == '\\' || *s == '@') return false;
        struct token *t = &c->tokens[c->n];
        *t = (struct token){.at = s, .n = token_length(s)};
        if (t->n == 1 && strchr("([{", *s)) {
            if (depth == DEPTH_MAX) return false;
            open[depth++] = c->n;
        } else if (t->n == 1 && strchr(")]}", *s)) {
            if (!depth) return false;
            c->tokens[open[--depth]].match = c->n;
        }
        s += t->n;
        c->n++;
    }
    return depth == 0 && c->n > 0;
}

/* ---- Macros: may a name stand in an operand? */

/* Is it one closed expression: a token, a call, or all in parentheses? */
static bool is_closed(const char *body, size_t n)
{
    while (n && isspace((unsigned char)*body)) body++, n--;
    while (n && isspace((unsigned char)body[n - 1])) n--;
    size_t start = 0;
    if (n > 1 && body[0] == '-' && isdigit((unsigned char)body[1])) start = 1;
    while (start < n && (is_name(body[start]) || (start && body[start] == '.'))) start++;
    if (start == n) return n > 0;
    if (body[start] != '(') return body[0] == '"' || body[0] == '\'';
    int depth = 0;
    for (size_t i = start; i < n; i++) {
        depth += (body[i] == '(') - (body[i] == ')');
        if (depth == 0) return i == n - 1;
    }
    return false;
}

static bool is_harmless(const struct condition *c, const struct token *t)
{
    char key[160];
    if (!c->macros || t->n > 128) return true;
    snprintf(key, sizeof key, "\n#define %.*s", (int)t->n, t->at);
    for (const char *found = c->macros; (found = strstr(found, key)); found++) {
        const char *body = found + strlen(key);
        if (is_name(*body)) continue;
        size_t n;
        if (*body == '(') body = strchr(body, ')') ? strchr(body, ')') + 1 : body;
        n = strcspn(body, "\n");
        return is_closed(body, n);
    }
    return true;
}

/* ---- Writing truths. A range is tokens [a, b). */

static void truth(struct condition *c, uint32_t a, uint32_t b);

/* The source as it is, with blanks for comments. */
static void copy(struct condition *c, uint32_t a, uint32_t b)
{
    const char *s = c->tokens[a].at, *end = c->tokens[b - 1].at + c->tokens[b - 1].n;
    while (s < end) {
        if (*s == '"' || *s == '\'') {
            const char *next = skip_quoted(s);
            put_n(c->out, s, (size_t)(next - s));
            s = next;
        } else if (is_comment(s)) {
            const char *next = skip_comment(s);
            for (; s < next; s++) put_n(c->out, *s == '\n' ? "\n" : " ", 1);
        } else put_n(c->out, s++, 1);
    }
}

/* Line ends between tokens that are not copied must not be lost. */
static void keep_lines(struct condition *c, uint32_t from, uint32_t to)
{
    if (from >= c->n || to >= c->n) return;
    for (const char *s = c->tokens[from].at; s < c->tokens[to].at; s++)
        if (*s == '\n') put_n(c->out, "\n", 1);
}

static uint32_t next_at_level(const struct condition *c, uint32_t i)
{
    return c->tokens[i].match ? c->tokens[i].match + 1 : i + 1;
}

/* The last token of these in the range, outside brackets; b if there is none. */
static uint32_t find_last(const struct condition *c, uint32_t a, uint32_t b, const char *const *operators)
{
    uint32_t found = b;
    for (uint32_t i = a; i < b; i = next_at_level(c, i))
        for (size_t k = 0; operators[k]; k++)
            if (i > a && i + 1 < b && is(&c->tokens[i], operators[k])) found = i;
    return found;
}

static bool has_any(const struct condition *c, uint32_t a, uint32_t b, const char *const *operators)
{
    for (uint32_t i = a; i < b; i = next_at_level(c, i))
        for (size_t k = 0; operators[k]; k++)
            if (is(&c->tokens[i], operators[k])) return true;
    return false;
}

static const char *const joined[] = {"&&", "||", NULL};

static void opaque(struct condition *c, uint32_t a, uint32_t b)
{
    put(c->out, "sonde_truth_of_((");
    copy(c, a, b);
    put(c->out, ") ? true : false)");
}

static void junction(struct condition *c, uint32_t a, uint32_t at, uint32_t b)
{
    unsigned v = ++*c->serial;
    bool all = is(&c->tokens[at], "&&");
    put(c->out, "__extension__({ sonde_truth sonde_v%u_ = ", v);
    truth(c, a, at);
    put(c->out, "; sonde_holds(sonde_v%u_) %c= %d ? sonde_v%u_ : ", v, '!', all ? 1 : 0, v);
    put(c->out, all ? "sonde_truth_and_(sonde_v%u_, " : "sonde_truth_or_(sonde_v%u_, ", v);
    keep_lines(c, at - 1, at + 1);
    truth(c, at + 1, b);
    put(c->out, "); })");
}

/* Numbers, characters and null pointers keep their meaning only where they stand. */
static bool is_literal(const struct condition *c, uint32_t a, uint32_t b)
{
    const struct token *t = &c->tokens[a];
    if (b - a == 2 && is(t, "-")) return isdigit((unsigned char)t[1].at[0]);
    if (b - a != 1) return false;
    return isdigit((unsigned char)*t->at) || strchr("'\".", *t->at) || is(t, "NULL") || is(t, "nullptr")
           || is(t, "true") || is(t, "false");
}

static unsigned operand(struct condition *c, uint32_t a, uint32_t b)
{
    if (is_literal(c, a, b)) return 0;
    unsigned v = ++*c->serial;
    put(c->out, "%s sonde_v%u_ = (", c->is_cxx ? "auto &&" : "__auto_type", v);
    copy(c, a, b);
    put(c->out, "); ");
    return v;
}

static void name(struct condition *c, unsigned v, uint32_t a, uint32_t b)
{
    if (v) put(c->out, "sonde_v%u_", v);
    else copy(c, a, b);
}

static void relation(struct condition *c, uint32_t a, uint32_t at, uint32_t b)
{
    char op[4] = "";
    memcpy(op, c->tokens[at].at, c->tokens[at].n);
    put(c->out, "__extension__({ ");
    unsigned l = operand(c, a, at);
    keep_lines(c, at - 1, at + 1);
    unsigned r = operand(c, at + 1, b);
    put(c->out, "sonde_relate_as_(");
    for (int side = 0; side < 2; side++) {
        put(c->out, "SONDE_BOX_CC_(SONDE_COMMON_(");
        name(c, l, a, at);
        put(c->out, ", ");
        name(c, r, at + 1, b);
        put(c->out, ", ");
        if (side == 0) name(c, l, a, at);
        else name(c, r, at + 1, b);
        put(c->out, side ? ")), (" : ")), (unsigned)SONDE_RELATION_(%s), ", op);
    }
    name(c, l, a, at);
    put(c->out, " %s ", op);
    name(c, r, at + 1, b);
    put(c->out, ") ? true : false); })");
}

static void choice(struct condition *c, uint32_t a, uint32_t mark, uint32_t b)
{
    uint32_t colon = b, depth = 0;
    for (uint32_t i = mark + 1; i < b && colon == b; i = next_at_level(c, i)) {
        if (is(&c->tokens[i], "?")) depth++;
        else if (is(&c->tokens[i], ":") && depth-- == 0) colon = i;
    }
    if (colon == b || colon == mark + 1 || mark == a || colon + 1 >= b) {
        c->is_unclear = true;
        return;
    }
    put(c->out, "(sonde_holds(");
    truth(c, a, mark);
    put(c->out, ") ? ");
    keep_lines(c, mark - 1, mark + 1);
    truth(c, mark + 1, colon);
    put(c->out, " : ");
    keep_lines(c, colon - 1, colon + 1);
    truth(c, colon + 1, b);
    put(c->out, ")");
}

static uint32_t find_first(const struct condition *c, uint32_t a, uint32_t b, const char *what)
{
    for (uint32_t i = a; i < b; i = next_at_level(c, i))
        if (is(&c->tokens[i], what)) return i;
    return b;
}

static void truth(struct condition *c, uint32_t a, uint32_t b)
{
    static const char *const ors[] = {"||", NULL}, *const ands[] = {"&&", NULL}, *const bits[] = {"|", "^", "&", NULL};
    static const char *const equalities[] = {"==", "!=", NULL}, *const orders[] = {"<", "<=", ">", ">=", NULL};
    static const char *const *const levels[] = {ors, ands};
    uint32_t at;
    if (a >= b || c->is_unclear) {
        c->is_unclear = true;
        return;
    }
    if ((at = find_first(c, a, b, "?")) < b) {
        choice(c, a, at, b);
        return;
    }
    for (int i = 0; i < 2; i++) {
        if ((at = find_last(c, a, b, levels[i])) == b) continue;
        if (is(&c->tokens[at], "&&") && has_any(c, at + 1, at + 2, joined)) c->is_unclear = true;
        junction(c, a, at, b);
        return;
    }
    if (is(&c->tokens[a], "(") && c->tokens[a].match == b - 1 && b - a > 2 && !is(&c->tokens[a + 1], "{")) {
        keep_lines(c, a, a + 1);
        truth(c, a + 1, b - 1);
        keep_lines(c, b - 2, b - 1);
        return;
    }
    bool has_bits =
        find_last(c, a, b, bits) < b; /* a unary & or a type's * is no operator between operands, but rare */
    if (!has_bits && (at = find_last(c, a, b, equalities)) < b) relation(c, a, at, b);
    else if (!has_bits && (at = find_last(c, a, b, orders)) < b) relation(c, a, at, b);
    else if (is(&c->tokens[a], "!") && b - a > 1
             && (b - a == 2 || (is(&c->tokens[a + 1], "(") && c->tokens[a + 1].match == b - 1))) {
        put(c->out, "sonde_truth_not_(");
        keep_lines(c, a, a + 1);
        truth(c, a + 1, b);
        put(c->out, ")");
    } else opaque(c, a, b);
}

/* ---- One assume */

/* As # would write it. */
static void put_words(struct text *out, const char *s, const char *end)
{
    bool blank = false, any = false;
    put(out, "\"");
    while (s < end) {
        if (is_comment(s)) {
            s = skip_comment(s);
            blank = true;
        } else if (isspace((unsigned char)*s) || (*s == '\\' && s[1] == '\n')) {
            blank = true;
            s++;
        } else {
            const char *next = *s == '"' || *s == '\'' ? skip_quoted(s) : s + 1;
            bool quoted = next > s + 1;
            if (blank && any) put(out, " ");
            for (; s < next; s++) put(out, *s == '"' || (*s == '\\' && quoted) ? "\\%c" : "%c", *s);
            blank = false;
            any = true;
        }
    }
    put(out, "\"");
}

/* Where the bracket at s closes; NULL if it does not. *comma is the first comma inside, outside inner brackets. */
static const char *closing(const char *s, const char **comma)
{
    int depth = 0;
    *comma = NULL;
    while (*s) {
        if (is_comment(s)) s = skip_comment(s);
        else if (*s == '"' || *s == '\'') s = skip_quoted(s);
        else {
            depth += (strchr("([{", *s) != NULL) - (strchr(")]}", *s) != NULL);
            if (depth == 0) return s;
            if (depth == 1 && *s == ',' && !*comma) *comma = s;
            s++;
        }
    }
    return NULL;
}

static bool is_clear(const struct condition *c)
{
    static const char *const odd[] = {",",  "=",   "+=",  "-=",  "*=",  "/=", "%=",    "&=",     "|=",
                                      "^=", "<<=", ">>=", "<=>", "...", "##", "throw", "lambda", NULL};
    if (has_any(c, 0, c->n, odd)) return false;
    for (uint32_t i = 0; i < c->n; i++)
        if (is_name(*c->tokens[i].at) && !is_harmless(c, &c->tokens[i])) return false;
    return true;
}

/* Writes the assume that begins at s, and returns where it ends; NULL, and nothing written, if it is to stay. */
static const char *one_assume(struct condition *c, struct text *out, const char *s)
{
    const char *open = s + strlen("sonde_assume"), *comma, *start = open;
    while (isspace((unsigned char)*open)) open++;
    if (*open != '(') return NULL;
    const char *end = closing(open, &comma);
    if (!end || !comma || !tokenize(c, comma + 1, end) || !is_clear(c)) return NULL;
    uint32_t before = out->n;
    c->out = out;
    c->is_unclear = false;
    put(out, "sonde_assume_cc_");
    put_n(out, start, (size_t)(comma + 1 - start));
    put(out, " ");
    put_words(out, comma + 1, end);
    put(out, ", ");
    for (const char *p = comma + 1; p < c->tokens[0].at; p++)
        if (*p == '\n') put(out, "\n");
    truth(c, 0, c->n);
    for (const char *p = c->tokens[c->n - 1].at; p < end; p++)
        if (*p == '\n') put(out, "\n");
    put(out, ")");
    if (!c->is_unclear) return end + 1;
    out->n = before;
    return NULL;
}

static unsigned count_lines(const char *s, const char *end)
{
    unsigned n = 0;
    for (; s < end; s++) n += *s == '\n';
    return n;
}

/* A directive with its continuation lines. */
static const char *skip_directive(const char *s)
{
    while (*s && *s != '\n') {
        if (is_comment(s)) s = skip_comment(s);
        else s += *s == '\\' && s[1] ? 2 : 1;
    }
    return s;
}

char *sonde_rewrite(const char *text, const char *macros, bool is_cxx)
{
    struct text out = {0};
    struct condition *c = sonde_calloc(1, sizeof *c);
    unsigned serial = 0;
    bool changed = false, starts_line = true;
    *c = (struct condition){.macros = macros, .is_cxx = is_cxx, .serial = &serial};
    for (const char *s = text; *s;) {
        const char *next = s + 1;
        if (is_comment(s)) next = skip_comment(s);
        else if (starts_line && *s == '#') next = skip_directive(s);
        else if (*s == '"' || *s == '\'') next = skip_quoted(s);
        else if (is_name(*s)) {
            while (is_name(*next)) next++;
            if (next - s == (ptrdiff_t)strlen("sonde_assume") && strncmp(s, "sonde_assume", 12) == 0) {
                uint32_t before = out.n;
                const char *end = one_assume(c, &out, s);
                if (end && count_lines(out.all + before, out.all + out.n) == count_lines(s, end)) {
                    changed = true;
                    s = end;
                    continue;
                }
                out.n = before;
            }
        }
        if (!isspace((unsigned char)*s)) starts_line = false;
        put_n(&out, s, (size_t)(next - s));
        if (memchr(s, '\n', (size_t)(next - s))) starts_line = true;
        s = next;
    }
    sonde_free(c);
    if (changed) return out.all;
    sonde_free(out.all);
    return NULL;
}
