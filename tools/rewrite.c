/* sonde_assume(t, a < b && c) is, preprocessed, ((a < b && c) ? sonde_assumed_(t) : sonde_discard_((t), ...)). It becomes
 * sonde_assume_truth_((t), ..., ...) with a truth (sonde.h) in the middle: the distance of the targeted paper's figure 3.
 * A conjunction notes its parts on the way, and becomes sonde_assume_parts_: each part counts as an assume of its own.
 * Claims become both, and which one is evaluated is decided when they run: distances only where the guide wants them.
 *
 * The text is preprocessed, so a condition is what the compiler sees, whatever macros it came from and whatever macro the
 * assume came from. Of it only the skeleton is understood: && || ! ?: parentheses, relations, and % and & next to them.
 * What stands between is copied token by token, so that types, promotions and side effects are the compiler's business.
 *
 *   C     an operand is evaluated once, where C would, into a variable of its own type; the truth of a relation is
 *         that of C's own operator on these
 *   C++   operands stay in one expression, so that temporaries live as long as ever; a function that returns what it
 *         was given (sonde_note_) notes their value in passing
 *
 * Where tokens do not tell what is meant, the reading is one that only compiles if it is right: a type or a template in
 * place of an operand is an error. The caller has the compiler check the result, and finds out which conditions it
 * objects to; those stay as they were. What would compile and mean something else stays as it was too:
 *
 *   a compound literal, whose life would end with the block around its new place
 *   an assignment to a member, which may be a bit-field: its type cannot be named
 *   in C++, objects as operands of && || !, which may be overloaded (the header refuses them, see sonde_plain_)
 *
 * Example, in C. From sonde_assume(t, a < b && ok(c)) the text
 *
 *     __extension__({ sonde_truth sonde_s1_ = __extension__({
 *         sonde_truth sonde_v2_ = RELATION;
 *         !sonde_holds(sonde_v2_) ? sonde_v2_ : sonde_truth_and_(sonde_v2_, CALL); });
 *     sonde_assume_truth_((t), sonde_s1_, FILE, LINE, TEXT); })
 *
 * is made, where RELATION evaluates a and b into two variables and relates them, and CALL follows how
 * far ok(c) got before it said no. The second operand is evaluated only if the first holds, as in C. */
#include "rewrite.h"

#include "base/check.h"
#include "base/mem.h"
#include "lex.h"

#include <stdarg.h>
#include <stdio.h>
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
    char buffer[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    sonde_assert(n >= 0 && (size_t)n < sizeof buffer); /* what is long is put by put_n */
    put_n(t, buffer, (size_t)n);
}

/* ---- One condition */

enum kind { ASSUME, CHECK, EXPECT };

/* Where its parts are: ranges of tokens, without the second. */
struct place {
    enum kind kind;
    uint32_t start, end;         /* all of it */
    uint32_t condition, after;   /* without its parentheses */
    uint32_t test, after_test;   /* the case, likewise */
    uint32_t where, after_where; /* the rest of the arguments, from its comma */
};

struct writer {
    const struct sonde_token *tokens;
    char **markers;
    struct text *out;
    bool is_cxx, is_unclear;
    bool is_top;            /* what is written next is the whole condition of an assume, or a part of its conjunction */
    unsigned parts;         /* of that conjunction, so far */
    uint32_t line, marker;  /* where the text stands that is being written */
    unsigned serial;        /* of the last variable */
    unsigned id;            /* of this condition */
    unsigned truths, boxes; /* C++: how much of its arrays is in use */
};

static bool is(const struct writer *w, uint32_t i, const char *text)
{
    return sonde_token_is(&w->tokens[i], text);
}

static bool is_any(const struct writer *w, uint32_t i, const char *const *list)
{
    for (; *list; list++)
        if (is(w, i, *list)) return true;
    return false;
}

static void put_marker(struct writer *w, const struct sonde_token *t)
{
    const char *marker = w->markers[t->marker];
    put(w->out, "\n# %u ", (unsigned)t->line);
    put_n(w->out, marker, strlen(marker));
    put(w->out, "\n");
}

/* The tokens as they are, each at its own line. A token behind a directive (#pragma in the middle of a
 * condition) cannot be moved: the condition stays as it was. */
static void copy(struct writer *w, uint32_t a, uint32_t b)
{
    for (uint32_t i = a; i < b; i++) {
        const struct sonde_token *t = &w->tokens[i];
        if (t->follows_directive && i > a) w->is_unclear = true;
        if (t->line != w->line || t->marker != w->marker) put_marker(w, t);
        w->line = t->line;
        w->marker = t->marker;
        for (uint32_t k = 0; k < t->n; k++) w->line += t->at[k] == '\n';
        put(w->out, " ");
        put_n(w->out, t->at, t->n);
    }
}

/* ---- Reading. A range is tokens [a, b); what is in brackets is passed over. */

static uint32_t next(const struct writer *w, uint32_t i)
{
    return w->tokens[i].match > i ? w->tokens[i].match + 1 : i + 1;
}

/* Can an operand end here, so that an operator that follows has one on its left? Tells a binary
 * operator from a unary one: - behind an operand subtracts. A > may end a template, and then does end
 * an operand. */
static bool ends_operand(const struct writer *w, uint32_t i)
{
    static const char *const closing[] = {")", "]", "}", "++", "--", ">", NULL};
    static const char *const words[] = {"return",   "sizeof", "_Alignof", "alignof", "throw", "co_await",
                                        "co_yield", "new",    "delete",   "else",    "case",  NULL};
    const struct sonde_token *t = &w->tokens[i];
    if (sonde_token_is_name(t)) return !is_any(w, i, words);
    return sonde_token_is_literal(t) || is_any(w, i, closing);
}

static bool is_binary(const struct writer *w, uint32_t a, uint32_t i, uint32_t b)
{
    return i > a && i + 1 < b && ends_operand(w, i - 1);
}

/* The last of these between two operands; b if there is none. The last one, since these operators group
 * from the left: in a - b - c the second splits. */
static uint32_t find_last(const struct writer *w, uint32_t a, uint32_t b, const char *const *operators)
{
    uint32_t found = b;
    for (uint32_t i = a; i < b; i = next(w, i))
        if (is_any(w, i, operators) && is_binary(w, a, i, b)) found = i;
    return found;
}

/* The first of these anywhere; b if there is none. */
static uint32_t find(const struct writer *w, uint32_t a, uint32_t b, const char *const *list)
{
    for (uint32_t i = a; i < b; i = next(w, i))
        if (is_any(w, i, list)) return i;
    return b;
}

static const char *const assignments[] = {"=",  "+=", "-=",  "*=",  "/=",    "%=",       "&=",
                                          "|=", "^=", "<<=", ">>=", "throw", "co_yield", NULL};
static const char *const comma[] = {",", NULL}, *const question[] = {"?", NULL}, *const dots[] = {"...", NULL};
static const char *const ors[] = {"||", NULL}, *const ands[] = {"&&", NULL};
static const char *const bits[] = {"|", "^", NULL}, *const masks[] = {"&", NULL};
static const char *const equalities[] = {"==", "!=", NULL}, *const orders[] = {"<", "<=", ">", ">=", NULL};
static const char *const less[] = {"<", NULL}, *const greater[] = {">", ">>", NULL};
static const char *const sums[] = {"+", "-", "<<", ">>", "<=>", NULL}, *const products[] = {"*", "/", "%", NULL};

static bool is_paren(const struct writer *w, uint32_t a, uint32_t b)
{
    return b - a > 2 && is(w, a, "(") && w->tokens[a].match == b - 1 && !is(w, a + 1, "{");
}

/* Without the parentheses around it. */
static void strip(const struct writer *w, uint32_t *a, uint32_t *b)
{
    while (is_paren(w, *a, *b)) ++*a, --*b;
}

/* Words that can only be a type. */
static bool is_type(const struct writer *w, uint32_t a, uint32_t b)
{
    static const char *const types[] = {"char",   "short",    "int",        "long",   "unsigned", "signed", "float",
                                        "double", "_Bool",    "bool",       "void",   "struct",   "union",  "enum",
                                        "const",  "volatile", "__typeof__", "typeof", NULL};
    return a < b && (is_any(w, a, types) || is(w, b - 1, "*"));
}

/* The & of a cast address is none between operands. */
static uint32_t find_mask(const struct writer *w, uint32_t a, uint32_t b)
{
    uint32_t at = find_last(w, a, b, masks);
    if (at == b || !is(w, at - 1, ")")) return at;
    return is_type(w, w->tokens[at - 1].match + 1, at - 1) ? b : at;
}

/* A relation, a junction or a negation: 0 or 1. By tokens only, so it says no where it is not sure;
 * then the operand is taken for a number. */
static bool is_boolean(const struct writer *w, uint32_t a, uint32_t b)
{
    strip(w, &a, &b);
    if (a >= b || find(w, a, b, comma) < b || find(w, a, b, assignments) < b || find(w, a, b, question) < b)
        return false;
    if (find_last(w, a, b, ors) < b || find_last(w, a, b, ands) < b) return true;
    if (find_last(w, a, b, bits) < b || find_mask(w, a, b) < b) return false;
    if (w->is_cxx && find(w, a, b, greater) < b && find(w, a, b, less) < b) return false;
    if (find_last(w, a, b, equalities) < b || find_last(w, a, b, orders) < b) return true;
    return is(w, a, "!") && find_last(w, a, b, sums) == b && find_last(w, a, b, products) == b;
}

/* Is a function called in it? */
static bool has_call(const struct writer *w, uint32_t a, uint32_t b)
{
    static const char *const words[] = {"sizeof", "_Alignof", "alignof", "__typeof__", "typeof", "_Generic", NULL};
    for (uint32_t i = a; i + 1 < b; i++)
        if (is(w, i + 1, "(") && ends_operand(w, i) && !sonde_token_is_literal(&w->tokens[i]) && !is_any(w, i, words)
            && !(is(w, i, ")") && is_type(w, w->tokens[i].match + 1, i)))
            return true;
    return false;
}

/* ---- Operands, in C */

static bool is_literal(const struct writer *w, uint32_t a, uint32_t b)
{
    static const char *const names[] = {"nullptr", "true", "false", "__null", NULL};
    if (is_paren(w, a, b)) return is_literal(w, a + 1, b - 1);
    if (b - a == 2 && is(w, a, "-")) return sonde_token_is_literal(&w->tokens[a + 1]);
    if (b - a == 5 && is(w, a, "(") && is(w, a + 1, "void")) return is(w, b - 1, "0"); /* (void *)0 */
    return b - a == 1 && (sonde_token_is_literal(&w->tokens[a]) || is_any(w, a, names));
}

static bool is_member(const struct writer *w, uint32_t i)
{
    return is(w, i, ".") || is(w, i, "->");
}

/* Its value in a variable of its type. A bit-field has a type that cannot be had, but what ? : makes of it can. */
static unsigned variable(struct writer *w, uint32_t a, uint32_t b)
{
    static const char *const changes[] = {"++", "--", NULL};
    uint32_t x = a, y = b;
    unsigned v = ++w->serial;
    strip(w, &x, &y);
    bool has_member = false;
    for (uint32_t i = x; i < y; i++) has_member = has_member || is_member(w, i);
    if (y - x > 2 && is_member(w, y - 2)) {
        put(w->out, "__typeof__(1 ? (");
        copy(w, a, b);
        put(w->out, ") : (");
        copy(w, a, b);
        put(w->out, "))");
    } else {
        bool changing = find(w, x, y, assignments) < y || find(w, x, y, comma) < y || find(w, x, y, changes) < y;
        if (has_member && changing) w->is_unclear = true;
        put(w->out, "__auto_type");
    }
    put(w->out, " sonde_v%u_ = (", v);
    copy(w, a, b);
    put(w->out, "); ");
    return v;
}

/* 0: neither an integer nor a floating-point number; its value says nothing about a distance. */
static void put_box(struct writer *w, unsigned v)
{
    put(w->out,
        "sonde_box_at_((const void *)&sonde_v%u_, sizeof sonde_v%u_, _Generic((sonde_v%u_), _Bool: 2, char: (char)-1 < 0 ? "
        "1 : 2, signed char: 1, short: 1, int: 1, long: 1, long long: 1, unsigned char: 2, unsigned short: 2, unsigned: "
        "2, unsigned long: 2, unsigned long long: 2, float: 3, double: 3, long double: 3, default: 0))",
        v, v, v);
}

/* A variable's name; literals keep their meaning (a null pointer, a constant) only where they stand. */
static void put_value(struct writer *w, unsigned v, uint32_t a, uint32_t b)
{
    if (is_literal(w, a, b)) copy(w, a, b);
    else put(w->out, " sonde_v%u_", v);
}

/* ---- Operands, in C++ */

static unsigned note(struct writer *w, uint32_t a, uint32_t b)
{
    unsigned box = w->boxes++;
    put(w->out, "sonde_note_(sonde_b%u_[%u], (", w->id, box);
    copy(w, a, b);
    put(w->out, "))");
    return box;
}

/* The value, and after it a box: literals are boxed apart. */
static unsigned noted_value(struct writer *w, uint32_t a, uint32_t b)
{
    if (!is_literal(w, a, b)) return note(w, a, b);
    copy(w, a, b);
    return w->boxes++;
}

static void box_literal(struct writer *w, unsigned box, uint32_t a, uint32_t b)
{
    if (!is_literal(w, a, b)) return;
    put(w->out, "sonde_b%u_[%u] = sonde_box_cc_(", w->id, box);
    copy(w, a, b);
    put(w->out, "), ");
}

/* ---- Relations */

/* Bits: 1 greater, 2 equal, 4 less; which of the three the operator allows. */
static unsigned relation_code(const struct writer *w, uint32_t at)
{
    return is(w, at, "<")    ? 4
           : is(w, at, "<=") ? 6
           : is(w, at, ">")  ? 1
           : is(w, at, ">=") ? 3
           : is(w, at, "==") ? 2
                             : 5;
}

static void relation_c(struct writer *w, uint32_t a, uint32_t at, uint32_t b)
{
    put(w->out, "__extension__({ ");
    unsigned l = variable(w, a, at), r = variable(w, at + 1, b);
    put(w->out, "sonde_relate_as_(");
    put_box(w, l);
    put(w->out, ", %uu, ", relation_code(w, at));
    put_box(w, r);
    put(w->out, ", (");
    put_value(w, l, a, at);
    copy(w, at, at + 1);
    put_value(w, r, at + 1, b);
    put(w->out, ") ? 1 : 0); })");
}

static void relation_cxx(struct writer *w, uint32_t a, uint32_t at, uint32_t b)
{
    put(w->out, "(sonde_h%u_ = sonde_plain_(", w->id);
    unsigned l = noted_value(w, a, at);
    copy(w, at, at + 1);
    put(w->out, " ");
    unsigned r = noted_value(w, at + 1, b);
    put(w->out, "), ");
    box_literal(w, l, a, at);
    box_literal(w, r, at + 1, b);
    put(w->out, "sonde_relate_as_(sonde_b%u_[%u], %uu, sonde_b%u_[%u], sonde_h%u_))", w->id, l, relation_code(w, at),
        w->id, r, w->id);
}

/* A % B == C and (A & B) == C; `inner` is the % or &, [x, y) the left side without parentheses. Without a right side (at
 * is b) the value itself is the truth: A % B != 0. */
struct inner {
    uint32_t x, at, y;
};

static void inner_c(struct writer *w, struct inner in, uint32_t at, uint32_t b)
{
    bool is_mask = is(w, in.at, "&"), tests = at == b;
    put(w->out, "__extension__({ ");
    unsigned l = variable(w, in.x, in.at), r = variable(w, in.at + 1, in.y), v = ++w->serial, c = 0;
    put(w->out, "__auto_type sonde_v%u_ = sonde_v%u_", v, l);
    copy(w, in.at, in.at + 1);
    put(w->out, " sonde_v%u_; ", r);
    if (!tests) c = variable(w, at + 1, b);
    put(w->out, "sonde_relate_%s_(", is_mask ? "bits" : "mod");
    bool is_left = is_mask && is_literal(w, in.x, in.at); /* the mask */
    put_box(w, !is_mask || !tests ? v : is_left ? r : l);
    put(w->out, ", ");
    put_box(w, is_left ? l : r);
    put(w->out, ", %uu, ", tests ? 0 : relation_code(w, at));
    if (tests) put_box(w, v);
    else put_box(w, c);
    put(w->out, ", (sonde_v%u_", v);
    if (!tests) {
        copy(w, at, at + 1);
        put_value(w, c, at + 1, b);
    }
    put(w->out, ") ? 1 : 0); })");
}

static void inner_cxx(struct writer *w, struct inner in, uint32_t at, uint32_t b)
{
    bool is_mask = is(w, in.at, "&"), tests = at == b;
    unsigned v = w->boxes++, c = v;
    put(w->out, "(sonde_h%u_ = sonde_plain_(sonde_note_(sonde_b%u_[%u], ", w->id, w->id, v);
    unsigned l = note(w, in.x, in.at);
    copy(w, in.at, in.at + 1);
    put(w->out, " ");
    unsigned r = note(w, in.at + 1, in.y);
    put(w->out, ")");
    if (!tests) {
        copy(w, at, at + 1);
        put(w->out, " ");
        c = noted_value(w, at + 1, b);
    }
    put(w->out, "), ");
    if (!tests) box_literal(w, c, at + 1, b);
    bool is_left = is_mask && is_literal(w, in.x, in.at); /* the mask */
    put(w->out, "sonde_relate_%s_(sonde_b%u_[%u], ", is_mask ? "bits" : "mod", w->id,
        !is_mask || !tests ? v
        : is_left          ? r
                           : l);
    put(w->out, "sonde_b%u_[%u], %uu, ", w->id, is_left ? l : r, tests ? 0 : relation_code(w, at));
    put(w->out, "sonde_b%u_[%u], sonde_h%u_))", w->id, c, w->id);
}

/* The % or & that makes the whole of a range; in.at is in.y if there is none. Only where the whole of a
 * side is A % B or A & B, whatever parentheses are around it. */
static struct inner find_inner(const struct writer *w, uint32_t a, uint32_t b)
{
    struct inner in = {.x = a, .y = b};
    strip(w, &in.x, &in.y);
    uint32_t x = in.x, y = in.y, mask = find_mask(w, x, y);
    in.at = y;
    if (find(w, x, y, comma) < y || find(w, x, y, assignments) < y || find(w, x, y, question) < y
        || find_last(w, x, y, ors) < y || find_last(w, x, y, ands) < y || find_last(w, x, y, bits) < y)
        return in;
    if (mask < y) in.at = mask;
    else if (find_last(w, x, y, equalities) == y && find_last(w, x, y, orders) == y && find_last(w, x, y, sums) == y) {
        uint32_t last = find_last(w, x, y, products);
        if (last < y && is(w, last, "%")) in.at = last;
    }
    return in;
}

static void relation(struct writer *w, uint32_t a, uint32_t at, uint32_t b)
{
    struct inner in = find_inner(w, a, at);
    bool equates = is(w, at, "==") || is(w, at, "!=");
    if (equates && in.at < in.y) (w->is_cxx ? inner_cxx : inner_c)(w, in, at, b);
    else (w->is_cxx ? relation_cxx : relation_c)(w, a, at, b);
}

/* ---- What is not understood: its truth, how far from 0 it is, and how far a function got that was called. */

/* For anything else: how far a number is from 0, or how far a called function got. */
static void leaf(struct writer *w, uint32_t a, uint32_t b, bool is_operand)
{
    bool follows = has_call(w, a, b);
    const char *function = follows ? "sonde_followed_" : "sonde_truth_number_";
    if (w->is_cxx) {
        unsigned box = w->boxes++;
        put(w->out, "(%ssonde_h%u_ = sonde_%s_(sonde_b%u_[%u], (", follows ? "sonde_follow_(), " : "", w->id,
            is_operand ? "plain_test" : "test", w->id, box);
        copy(w, a, b);
        put(w->out, ")), %s(sonde_b%u_[%u], sonde_h%u_))", function, w->id, box, w->id);
        return;
    }
    put(w->out, "__extension__({ %s", follows ? "sonde_follow_(); " : "");
    unsigned v = variable(w, a, b);
    put(w->out, "%s%s(", follows ? "sonde_follow_stop_(); " : "", function);
    put_box(w, v);
    put(w->out, ", sonde_v%u_ ? 1 : 0); })", v);
}

/* ---- Truths. is_operand: of && || !, where in C++ no objects may be. */

static void truth(struct writer *w, uint32_t a, uint32_t b, bool is_operand);

static void junction(struct writer *w, uint32_t a, uint32_t at, uint32_t b)
{
    bool all = is(w, at, "&&"), is_top = w->is_top && all;
    unsigned v = w->is_cxx ? w->truths++ : ++w->serial;
    char name[48];
    snprintf(name, sizeof name, w->is_cxx ? "sonde_s%u_[%u]" : "sonde_v%u_", w->is_cxx ? w->id : v, v);
    if (w->is_cxx) put(w->out, "(%ssonde_holds(%s = ", all ? "!" : "", name);
    else put(w->out, "__extension__({ sonde_truth %s = ", name);
    w->is_top = is_top;
    truth(w, a, at, true);
    if (w->is_cxx) put(w->out, ") ? %s : ", name);
    else put(w->out, "; %ssonde_holds(%s) ? %s : ", all ? "!" : "", name, name);
    put(w->out, "sonde_truth_%s_(%s, ", all ? "and" : "or", name);
    w->is_top = is_top;
    truth(w, at + 1, b, true);
    put(w->out, w->is_cxx ? "))" : "); })");
}

/* The colon that belongs to a question mark; b if there is none. */
static uint32_t find_colon(const struct writer *w, uint32_t mark, uint32_t b)
{
    uint32_t depth = 0;
    for (uint32_t i = mark + 1; i < b; i = next(w, i)) {
        if (is(w, i, "?")) depth++;
        else if (is(w, i, ":") && depth-- == 0) return i;
    }
    return b;
}

/* a ?: b has its value, not its truth, from a. */
static void choice(struct writer *w, uint32_t a, uint32_t mark, uint32_t b)
{
    uint32_t colon = find_colon(w, mark, b);
    if (mark == a || colon <= mark + 1 || colon + 1 >= b) {
        leaf(w, a, b, true);
        return;
    }
    put(w->out, "(sonde_holds(");
    truth(w, a, mark, false);
    put(w->out, ") ? ");
    truth(w, mark + 1, colon, true);
    put(w->out, " : ");
    truth(w, colon + 1, b, true);
    put(w->out, ")");
}

/* The inside of (bool)(...), of (int)(a < b), and of __builtin_expect(a < b, 1): as true as the whole. */
static bool find_inside(const struct writer *w, uint32_t *a, uint32_t *b)
{
    static const char *const integers[] = {"int", "long", "unsigned", "short", "char", "signed", NULL};
    uint32_t x = *a, y = *b - 1;
    if (y - x > 3 && is(w, x, "__builtin_expect") && is(w, x + 1, "(") && w->tokens[x + 1].match == y) {
        uint32_t end = find(w, x + 2, y, comma);
        if (end == y || !is_boolean(w, x + 2, end)) return false;
        *a = x + 2, *b = end;
        return true;
    }
    if (y - x < 4 || !is(w, x, "(")) return false;
    uint32_t close = w->tokens[x].match;
    if (close + 1 >= y || !is(w, close + 1, "(") || w->tokens[close + 1].match != y || is(w, close + 2, "{"))
        return false;
    bool is_bool = close == x + 2 && (is(w, x + 1, "_Bool") || (w->is_cxx && is(w, x + 1, "bool")));
    bool is_integer = close > x + 1;
    for (uint32_t i = x + 1; i < close; i++) is_integer = is_integer && is_any(w, i, integers);
    if (!(is_bool && !w->is_cxx) && !((is_bool || is_integer) && is_boolean(w, close + 2, y))) return false;
    *a = close + 2, *b = y;
    return true;
}

static bool is_negation(const struct writer *w, uint32_t a, uint32_t b)
{
    return b - a > 1 && is(w, a, "!") && find_last(w, a, b, sums) == b && find_last(w, a, b, products) == b
           && find_mask(w, a, b) == b && find_last(w, a, b, bits) == b;
}

/* Is it a && b, once what is in parentheses is looked into? */
static bool is_conjunction(const struct writer *w, uint32_t a, uint32_t b)
{
    if (find(w, a, b, comma) < b || find(w, a, b, assignments) < b || find(w, a, b, dots) < b) return false;
    return find(w, a, b, question) == b && find_last(w, a, b, ors) == b && find_last(w, a, b, ands) < b;
}

/* One part of the conjunction that an assume is about: noted, so that it counts as an assume of its own. */
static void part(struct writer *w, uint32_t a, uint32_t b, bool is_operand)
{
    w->is_top = false;
    put(w->out, "(sonde_p%u_[%u] = ", w->id, w->parts++);
    truth(w, a, b, is_operand);
    put(w->out, ")");
}

/* By precedence, the loosest operator first. */
static void truth(struct writer *w, uint32_t a, uint32_t b, bool is_operand)
{
    uint32_t at;
    if (a >= b) {
        w->is_unclear = true;
        return;
    }
    if (is_paren(w, a, b)) {
        truth(w, a + 1, b - 1, is_operand);
        return;
    }
    if (w->is_top && !is_conjunction(w, a, b)) {
        part(w, a, b, is_operand);
        return;
    }
    bool is_odd = find(w, a, b, comma) < b || find(w, a, b, assignments) < b || find(w, a, b, dots) < b;
    bool is_template = w->is_cxx && find(w, a, b, less) < b && find(w, a, b, greater) < b;
    if (is_odd) leaf(w, a, b, is_operand);
    else if ((at = find(w, a, b, question)) < b) choice(w, a, at, b);
    else if ((at = find_last(w, a, b, ors)) < b || (at = find_last(w, a, b, ands)) < b) junction(w, a, at, b);
    else if (find_last(w, a, b, bits) < b) leaf(w, a, b, is_operand);
    else if (find_mask(w, a, b) < b) {
        struct inner in = find_inner(w, a, b);
        if (in.at < in.y) (w->is_cxx ? inner_cxx : inner_c)(w, in, b, b);
        else leaf(w, a, b, is_operand);
    } else if ((at = find_last(w, a, b, equalities)) < b) relation(w, a, at, b);
    else if (!is_template && (at = find_last(w, a, b, orders)) < b) relation(w, a, at, b);
    else if (is_negation(w, a, b)) {
        put(w->out, "sonde_truth_not_(");
        truth(w, a + 1, b, true);
        put(w->out, ")");
    } else if (find_inside(w, &a, &b)) truth(w, a, b, is_operand);
    else if (find_inner(w, a, b).at < b) (w->is_cxx ? inner_cxx : inner_c)(w, find_inner(w, a, b), b, b);
    else leaf(w, a, b, is_operand);
}

/* ---- Finding them */

static bool match_all(const struct writer *w, uint32_t i, uint32_t n, const char *const *texts)
{
    for (uint32_t k = 0; texts[k]; k++)
        if (i + k >= n || !is(w, i + k, texts[k])) return false;
    return true;
}

/* The arguments (T), FILE, LINE, TEXT after the name at i. */
static bool read_arguments(const struct writer *w, uint32_t i, uint32_t n, struct place *p)
{
    static const char *const opening[] = {"(", "(", NULL};
    if (!match_all(w, i + 1, n, opening)) return false;
    p->test = i + 3;
    p->after_test = w->tokens[i + 2].match;
    p->where = p->after_test + 1;
    p->after_where = w->tokens[i + 1].match;
    return p->where < p->after_where && is(w, p->where, ",");
}

/* ((CONDITION) ? ... : name(...)): `mark` is the question mark, i the name. */
static bool read_choice(const struct writer *w, uint32_t mark, uint32_t i, uint32_t n, struct place *p)
{
    if (mark < 3 || !is(w, mark - 1, ")") || !read_arguments(w, i, n, p)) return false;
    p->after = mark - 1;
    p->condition = w->tokens[mark - 1].match + 1;
    if (p->condition < 2 || !is(w, p->condition - 2, "(")) return false;
    p->start = p->condition - 2;
    p->end = w->tokens[p->start].match + 1;
    return p->end == p->after_where + 2 && p->condition < p->after;
}

static bool read_assume(const struct writer *w, uint32_t i, uint32_t n, struct place *p)
{
    static const char *const between[] = {":", "sonde_discard_", NULL};
    p->kind = ASSUME;
    if (i == 0 || i + 1 >= n || !is(w, i - 1, "?") || !is(w, i + 1, "(")) return false;
    uint32_t after = w->tokens[i + 1].match + 1;
    return match_all(w, after, n, between) && read_choice(w, i - 1, after + 1, n, p);
}

static bool read_check(const struct writer *w, uint32_t i, uint32_t n, struct place *p)
{
    static const char *const before[] = {"?", "(", "void", ")", "0", ":", NULL};
    p->kind = CHECK;
    return i > 6 && match_all(w, i - 6, n, before) && read_choice(w, i - 6, i, n, p);
}

/* sonde_expected_((T), (CONDITION) ? true : false, FILE, LINE, TEXT) */
static bool read_expect(const struct writer *w, uint32_t i, uint32_t n, struct place *p)
{
    static const char *const opening[] = {",", "(", NULL};
    p->kind = EXPECT;
    if (!read_arguments(w, i, n, p) || !match_all(w, p->where, n, opening)) return false;
    p->start = i;
    p->end = p->after_where + 1;
    p->condition = p->where + 2;
    p->after = w->tokens[p->where + 1].match;
    p->where = find(w, p->after + 1, p->after_where, comma);
    return is(w, p->after + 1, "?") && p->where < p->after_where && p->condition < p->after;
}

static bool read_place(const struct writer *w, uint32_t i, uint32_t n, struct place *p)
{
    if (w->tokens[i].n < 14 || *w->tokens[i].at != 's') return false;
    if (is(w, i, "sonde_assumed_")) return read_assume(w, i, n, p);
    if (is(w, i, "sonde_falsify_")) return read_check(w, i, n, p);
    return is(w, i, "sonde_expected_") && read_expect(w, i, n, p);
}

/* They follow each other among n tokens, and the parts of each lie in it. */
static void places_check(const struct place *all, uint32_t n_places, uint32_t n)
{
    for (uint32_t i = 0; i < n_places; i++) {
        const struct place *p = &all[i];
        sonde_assert(p->end <= n && (i + 1 == n_places || p->end <= p[1].start));
        sonde_assert(p->start < p->condition && p->condition < p->after && p->after < p->end);
        sonde_assert(p->start < p->test && p->test <= p->after_test && p->after_test < p->where);
        sonde_assert(p->where < p->after_where && p->after_where < p->end);
    }
}

/* In order; what lies inside of another is left out: it is copied with it. Sorted by where they begin.
 * A condition in a condition (an assume in a statement expression) is copied with the outer one. */
static uint32_t find_places(const struct writer *w, uint32_t n, struct place **all)
{
    uint32_t count = 0, cap = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct place p;
        if (!read_place(w, i, n, &p)) continue;
        while (count && (*all)[count - 1].start > p.start) count--;
        if (count && (*all)[count - 1].end > p.start) continue;
        *all = sonde_grow(*all, &cap, (size_t)count + 1, sizeof **all);
        (*all)[count++] = p;
    }
    places_check(*all, count, n);
    return count;
}

/* ---- Writing them */

static bool has_compound_literal(const struct writer *w, const struct place *p)
{
    for (uint32_t i = p->condition + 1; i < p->after; i++)
        if (is(w, i, "{") && is(w, i - 1, ")")) return true;
    return false;
}

/* That a claim holds says little where it can only just hold. */
static bool has_margin(const struct writer *w, uint32_t a, uint32_t b)
{
    static const char *const telling[] = {"<", "<=", ">", ">=", "!=", NULL};
    bool negates = false, equates = false;
    for (uint32_t i = a; i < b; i++) {
        if (is_any(w, i, telling) && is_binary(w, a, i, b)) return true;
        negates = negates || is(w, i, "!");
        equates = equates || is(w, i, "==");
    }
    return negates && equates;
}

static bool is_worthwhile(const struct writer *w, const struct place *p)
{
    if (!w->is_cxx && has_compound_literal(w, p)) return false;
    if (p->kind == ASSUME) return true;
    bool is_name = p->after_test == p->test + 1 && sonde_token_is_name(&w->tokens[p->test]);
    return is_name && has_margin(w, p->condition, p->after);
}

static void put_call(struct writer *w, const struct place *p, const char *function, const char *truth_name)
{
    put(w->out, "%s((", function);
    copy(w, p->test, p->after_test);
    if (w->parts > 1) put(w->out, "), sonde_p%u_, %u", w->id, w->parts);
    else put(w->out, "), %s", truth_name);
    copy(w, p->where, p->after_where);
    put(w->out, ")");
}

static bool is_conjunction_in(const struct writer *w, uint32_t a, uint32_t b)
{
    while (is_paren(w, a, b)) a++, b--;
    return is_conjunction(w, a, b);
}

/* { the truth; what is said about it } */
static void put_measured(struct writer *w, const struct place *p)
{
    static const char *const functions[] = {"sonde_assume_truth_", "sonde_check_truth_", "sonde_expect_truth_"};
    char name[48];
    struct text inside = {0}, *outside = w->out;
    w->id = ++w->serial;
    w->boxes = 0;
    w->truths = 1;
    snprintf(name, sizeof name, w->is_cxx ? "sonde_s%u_[0]" : "sonde_s%u_", w->id);
    w->out = &inside;
    w->parts = 0;
    w->is_top = p->kind == ASSUME && is_conjunction_in(w, p->condition, p->after);
    truth(w, p->condition, p->after, false);
    w->is_top = false;
    w->out = outside;
    put(outside, "__extension__({ ");
    if (w->parts > 1)
        put(outside, "sonde_truth sonde_p%u_[%u] = {%s}; ", w->id, w->parts, w->is_cxx ? "" : "[0] = {.held = 0}");
    if (w->is_cxx)
        put(outside,
            "sonde_truth sonde_s%u_[%u] = {}; sonde_boxed_ sonde_b%u_[%u] = {}; bool sonde_h%u_ = "
            "false; (void)sonde_h%u_; sonde_s%u_[0] = ",
            w->id, w->truths, w->id, w->boxes + 1, w->id, w->id, w->id);
    else if (w->parts > 1) put(outside, "(void)");
    else put(outside, "sonde_truth %s = ", name);
    put_n(outside, inside.all ? inside.all : "", inside.n);
    put(outside, w->is_cxx ? ", " : "; ");
    put_call(w, p, w->parts > 1 ? "sonde_assume_parts_" : functions[p->kind], name);
    put(outside, "; })");
    sonde_free(inside.all);
}

static void put_place(struct writer *w, const struct place *p)
{
    put(w->out, "(");
    if (p->kind != ASSUME) {
        put(w->out, "sonde_measures_(");
        copy(w, p->test, p->after_test);
        put(w->out, ") ? ");
    }
    put_measured(w, p);
    if (p->kind != ASSUME) {
        put(w->out, " : ");
        copy(w, p->start, p->end);
    }
    put(w->out, ")");
}

/* What was written is taken back if something turned out unclear on the way. */
static bool try_place(struct writer *w, const struct place *p)
{
    uint32_t before = w->out->n;
    w->line = w->tokens[p->start].line;
    w->marker = w->tokens[p->start].marker;
    w->is_unclear = !is_worthwhile(w, p);
    if (!w->is_unclear) put_place(w, p);
    if (!w->is_unclear) {
        put_marker(w, &w->tokens[p->end - 1]); /* what follows stands where it stood */
        return true;
    }
    w->out->n = before;
    return false;
}

/* `skips` says which of the conditions to leave alone, by their number among those that can be
 * rewritten: so the same numbers mean the same conditions in every attempt. NULL if nothing changed. */
char *sonde_rewrite(const char *text, bool is_cxx, const bool *skips, uint32_t *n)
{
    struct sonde_tokens tokens;
    struct text out = {0};
    struct place *places = NULL;
    *n = 0;
    bool changed = false;
    if (sonde_lex(&tokens, text)) {
        struct writer w = {.tokens = tokens.all, .markers = tokens.markers, .out = &out, .is_cxx = is_cxx};
        uint32_t n_places = find_places(&w, tokens.n, &places);
        const char *done = text;
        for (uint32_t i = 0; i < n_places; i++) {
            const struct sonde_token *first = &tokens.all[places[i].start], *last = &tokens.all[places[i].end - 1];
            put_n(&out, done, (size_t)(first->at - done));
            done = first->at;
            bool skip = skips && skips[*n];
            uint32_t before = out.n;
            if (!try_place(&w, &places[i])) continue;
            ++*n;
            if (skip) out.n = before;
            else {
                done = last->at + last->n;
                changed = true;
            }
        }
        put_n(&out, done, strlen(done));
    }
    sonde_lex_clear(&tokens);
    sonde_free(places);
    if (changed) return out.all;
    sonde_free(out.all);
    return NULL;
}
