/* Rewrites the conditions of assumes and checks so that they report a distance. This comment explains how, and why the
 * compiler is the judge.
 *
 * A guide searches better if it knows how far a condition was from holding: 7 < 5 is nearer to it than 700 < 5. In C
 * both are just false. So sonde cc rewrites the conditions of assumes and checks, after preprocessing, into expressions
 * with the same value that also compute a distance. Such a distance is a sonde_truth (sonde.h), after figure 3 of the
 * targeted paper.
 *
 *    written        sonde_assume(t, a < b)
 *    preprocessed   ((a < b) ? sonde_assumed_(t) : sonde_discard_((t), FILE, LINE, STRING))
 *    rewritten      sonde_assume_truth_((t), TRUTH OF a < b, FILE, LINE, STRING)
 *
 * After preprocessing a condition is what the compiler sees. It may come from any macro, and so may the assume around
 * it. This file has no C parser. It understands only the skeleton of a condition: && || ! ?: parentheses, relations,
 * and a % or & next to a relation. The operands between these are copied token by token, so that types, promotions and
 * side effects remain the compiler's business. Each operand is evaluated once, and only if C would evaluate it:
 *
 *    C     Each operand is stored in a variable of its type. C's operator on two such variables decides whether the
 *          relation holds; their values only give the distance.
 *    C++   Operands stay in one full expression, so that temporaries live as long as before. sonde_note_ returns its
 *          argument unchanged and records its value.
 *
 * Tokens alone are ambiguous: in `(T) & x` T may be a type or a variable, `a < b > c` may be a template. Only the
 * compiler knows. Therefore each construct is read in a way that compiles only if the reading is right: a type used as
 * an operand is an error. The caller (precond.c) has the compiler check the result. If that fails, markers give each
 * condition a separate location, so that errors name the conditions that the compiler rejects (objections.h). These
 * stay as written, so a wrong guess costs only the distance of one condition. Some constructs would compile, but with
 * another meaning. They are recognised and stay as written too:
 *
 *    in C, a compound literal: its lifetime would end with the block that the rewriting puts around it
 *    an assignment to a member: the member may be a bit-field, whose type cannot be named
 *    in C++, an object as operand of && || !, which may be overloaded (sonde_plain_ in sonde.h rejects it)
 *
 * An assume about `a && b` stores the truths of its parts in an array for sonde_assume_parts_, which counts each part
 * as a separate assume. A check becomes `sonde_measures_(t) ? REWRITTEN : AS_WRITTEN`: its distance is computed
 * only where the guide wants it.
 *
 * Example, in C. The rewritten form of sonde_check(t, a < b && ok(c)):
 *
 *     __extension__({ sonde_truth sonde_s1_ = __extension__({
 *         sonde_truth sonde_v2_ = RELATION;
 *         !sonde_holds(sonde_v2_) ? sonde_v2_ : sonde_truth_and_(sonde_v2_, CALL); });
 *     sonde_check_truth_((t), sonde_s1_, FILE, LINE, STRING); })
 *
 *    RELATION   stores a and b in two variables and relates them (relation_c)
 *    CALL       runs ok(c) between sonde_follow_ and sonde_follow_stop_, which observe how far ok gets
 *
 * CALL is evaluated only if RELATION holds, as in C. */
#include "rewrite.h"

#include "base/check.h"
#include "base/mem.h"
#include "lex.h"
#include "ranges.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* ---- One condition */

enum kind { ASSUME, CHECK, EXPECT };

/* A preprocessed assume, check or expect, as ranges of tokens; the end of each range is exclusive. In
 *
 *     ((a < b) ? (void)0 : sonde_falsify_((t), "x.c", 12, "a < b"))
 *
 * start is the first parenthesis, condition is `a`, test is `t` and where is the comma after `(t)`. */
struct condition {
    enum kind kind;
    uint32_t start, end;         /* the whole expression */
    uint32_t condition, after;   /* the condition, without its parentheses */
    uint32_t test, after_test;   /* the sonde * argument, without its parentheses */
    uint32_t where, after_where; /* the rest of the arguments, from the comma before it */
};

/* State of the rewriting of one source. The names in its output end with a number, so that none hides another.
 * sonde_v3_ is a variable; sonde_s1_, sonde_p1_, sonde_b1_ and sonde_h1_ belong to condition 1 (see put_measured). */
struct writer {
    const struct sonde_token *t;
    char **markers;
    struct text *out;
    bool is_cxx, is_unclear; /* is_unclear: this condition is given up and stays as written */
    bool is_top;             /* the next range is the whole condition of an assume, or a part of its conjunction */
    unsigned parts;          /* parts of that conjunction written so far */
    uint32_t line, marker;   /* source location of the output's end, as the compiler will compute it */
    uint32_t number;         /* of the line that names this condition; 0: tokens keep their lines */
    unsigned serial;         /* number in the last name made */
    unsigned id;             /* number of this condition */
    unsigned truths, boxes;  /* C++: elements of sonde_s and sonde_b in use */
};

static bool is(const struct writer *w, uint32_t i, const char *text)
{
    return sonde_token_is(&w->t[i], text);
}

/* Writes a line marker that gives the next line the location of a token. */
static void put_marker(struct writer *w, const struct sonde_token *t)
{
    const char *marker = w->markers[t->marker];
    text_put(w->out, "\n# %u ", (unsigned)t->line);
    text_put_n(w->out, marker, strlen(marker));
    text_put(w->out, "\n");
}

/* Writes a line marker that names the condition. */
static void put_number(struct writer *w)
{
    text_put(w->out, "\n# %u \"" REWRITE_MARKER "\"\n", (unsigned)w->number);
}

/* Copies the tokens [a, b), each at its original line, so that messages and debug information stay right. With a number
 * all are at that line, also those after a token of several lines.
 * A token after a directive (a #pragma inside a condition) cannot be moved: the condition stays as written. */
static void copy(struct writer *w, uint32_t a, uint32_t b)
{
    for (uint32_t i = a; i < b; i++) {
        const struct sonde_token *t = &w->t[i];
        if (t->follows_directive && i > a) w->is_unclear = true;
        if (!w->number && (t->line != w->line || t->marker != w->marker)) put_marker(w, t);
        w->line = t->line;
        w->marker = t->marker;
        for (uint32_t k = 0; k < t->n; k++) w->line += t->at[k] == '\n';
        text_put(w->out, " ");
        text_put_n(w->out, t->at, t->n);
        if (w->number && w->line > t->line) put_number(w);
    }
}

/* ---- Reading */

/* Operators by precedence; see also range_assignments. */
static const char *const comma[] = {",", NULL}, *const question[] = {"?", NULL}, *const dots[] = {"...", NULL};
static const char *const ors[] = {"||", NULL}, *const ands[] = {"&&", NULL};
static const char *const bits[] = {"|", "^", NULL}, *const masks[] = {"&", NULL};
static const char *const equalities[] = {"==", "!=", NULL}, *const orders[] = {"<", "<=", ">", ">=", NULL};
static const char *const less[] = {"<", NULL}, *const greater[] = {">", ">>", NULL};
static const char *const sums[] = {"+", "-", "<<", ">>", "<=>", NULL}, *const products[] = {"*", "/", "%", NULL};

/* Returns the last binary & of the range; b if there is none. The & in `(char *)&x` is not binary: it follows a
 * cast. */
static uint32_t find_mask(const struct writer *w, uint32_t a, uint32_t b)
{
    uint32_t at = range_find_last(w->t, a, b, masks);
    if (at == b || !is(w, at - 1, ")")) return at;
    return range_is_type(w->t, w->t[at - 1].match + 1, at - 1) ? b : at;
}

/* Reports whether a range is 0 or 1 by its form: a relation, a junction (&&, ||) or a negation. Returns false in doubt,
 * since tokens alone decide; the range is then treated as a number. */
static bool is_boolean(const struct writer *w, uint32_t a, uint32_t b)
{
    range_strip(w->t, &a, &b);
    if (a >= b || range_find(w->t, a, b, comma) < b || range_find(w->t, a, b, range_assignments) < b
        || range_find(w->t, a, b, question) < b)
        return false;
    if (range_find_last(w->t, a, b, ors) < b || range_find_last(w->t, a, b, ands) < b) return true;
    if (range_find_last(w->t, a, b, bits) < b || find_mask(w, a, b) < b) return false;
    if (w->is_cxx && range_find(w->t, a, b, greater) < b && range_find(w->t, a, b, less) < b) return false;
    if (range_find_last(w->t, a, b, equalities) < b || range_find_last(w->t, a, b, orders) < b) return true;
    return is(w, a, "!") && range_find_last(w->t, a, b, sums) == b && range_find_last(w->t, a, b, products) == b;
}

/* ---- Operands, in C */

/* Reports whether a range is a literal or a null pointer, possibly with a minus sign or in parentheses. */
static bool is_literal(const struct writer *w, uint32_t a, uint32_t b)
{
    static const char *const names[] = {"nullptr", "true", "false", "__null", NULL};
    if (range_is_paren(w->t, a, b)) return is_literal(w, a + 1, b - 1);
    if (b - a == 2 && is(w, a, "-")) return sonde_token_is_literal(&w->t[a + 1]);
    if (b - a == 5 && is(w, a, "(") && is(w, a + 1, "void")) return is(w, b - 1, "0"); /* (void *)0 */
    return b - a == 1 && (sonde_token_is_literal(&w->t[a]) || token_is_any(w->t, a, names));
}

static bool is_member(const struct writer *w, uint32_t i)
{
    return is(w, i, ".") || is(w, i, "->");
}

/* Declares a variable with the value of an operand and returns the number in its name.
 *
 *     a + 1   ->   __auto_type sonde_v4_ = ( a + 1);
 *     s.flag  ->   __typeof__(1 ? ( s.flag) : ( s.flag)) sonde_v4_ = ( s.flag);
 *
 * The second form is for members, which may be bit-fields: __auto_type rejects these, but ?: promotes them to a type
 * that can be named. __typeof__ does not evaluate its operand. */
static unsigned variable(struct writer *w, uint32_t a, uint32_t b)
{
    static const char *const changes[] = {"++", "--", NULL};
    uint32_t x = a, y = b;
    unsigned v = ++w->serial;
    range_strip(w->t, &x, &y);
    bool has_member = false;
    for (uint32_t i = x; i < y; i++) has_member = has_member || is_member(w, i);
    if (y - x > 2 && is_member(w, y - 2)) {
        text_put(w->out, "__typeof__(1 ? (");
        copy(w, a, b);
        text_put(w->out, ") : (");
        copy(w, a, b);
        text_put(w->out, "))");
    } else {
        bool changing = range_find(w->t, x, y, range_assignments) < y || range_find(w->t, x, y, comma) < y
                        || range_find(w->t, x, y, changes) < y;
        if (has_member && changing) w->is_unclear = true;
        text_put(w->out, "__auto_type");
    }
    text_put(w->out, " sonde_v%u_ = (", v);
    copy(w, a, b);
    text_put(w->out, "); ");
    return v;
}

/* Writes a sonde_boxed_ with the value of variable v and its kind: 1 signed, 2 unsigned, 3 floating. Kind 0 is anything
 * else, a pointer or a struct, whose value gives no distance. */
static void put_box(struct writer *w, unsigned v)
{
    text_put(
        w->out,
        "sonde_box_at_((const void *)&sonde_v%u_, sizeof sonde_v%u_, _Generic((sonde_v%u_), _Bool: 2, char: (char)-1 < 0 ? "
        "1 : 2, signed char: 1, short: 1, int: 1, long: 1, long long: 1, unsigned char: 2, unsigned short: 2, unsigned: "
        "2, unsigned long: 2, unsigned long long: 2, float: 3, double: 3, long double: 3, default: 0))",
        v, v, v);
}

/* Writes the name of a variable, or the literal that it was made from. A literal would lose its meaning in a variable:
 * a 0 is a null pointer only as a literal. */
static void put_value(struct writer *w, unsigned v, uint32_t a, uint32_t b)
{
    if (is_literal(w, a, b)) copy(w, a, b);
    else text_put(w->out, " sonde_v%u_", v);
}

/* ---- Operands, in C++ */

/* Wraps an operand in sonde_note_, which returns it unchanged. Returns the index in sonde_b that receives its value. */
static unsigned note(struct writer *w, uint32_t a, uint32_t b)
{
    unsigned box = w->boxes++;
    text_put(w->out, "sonde_note_(sonde_b%u_[%u], (", w->id, box);
    copy(w, a, b);
    text_put(w->out, "))");
    return box;
}

/* Like note, but copies a literal bare, for the reason given at put_value. box_literal then fills its element. */
static unsigned noted_value(struct writer *w, uint32_t a, uint32_t b)
{
    if (!is_literal(w, a, b)) return note(w, a, b);
    copy(w, a, b);
    return w->boxes++;
}

/* Stores the value of a literal in its element of sonde_b; writes nothing for other operands. */
static void box_literal(struct writer *w, unsigned box, uint32_t a, uint32_t b)
{
    if (!is_literal(w, a, b)) return;
    text_put(w->out, "sonde_b%u_[%u] = sonde_box_cc_(", w->id, box);
    copy(w, a, b);
    text_put(w->out, "), ");
}

/* ---- Relations */

/* Returns which orders of the two sides satisfy the operator, as bits: 1 greater, 2 equal, 4 less. `<=` is 6. */
static unsigned relation_code(const struct writer *w, uint32_t at)
{
    return is(w, at, "<")    ? 4
           : is(w, at, "<=") ? 6
           : is(w, at, ">")  ? 1
           : is(w, at, ">=") ? 3
           : is(w, at, "==") ? 2
                             : 5;
}

/* Writes the truth of a relation whose operator is token `at`:
 *
 *     a < b   ->   __extension__({ __auto_type sonde_v2_ = (a); __auto_type sonde_v3_ = (b);
 *                      sonde_relate_as_(BOX of v2, 4u, BOX of v3, ( sonde_v2_ < sonde_v3_) ? 1 : 0); })
 *
 * The last argument decides whether the relation holds. */
static void relation_c(struct writer *w, uint32_t a, uint32_t at, uint32_t b)
{
    text_put(w->out, "__extension__({ ");
    unsigned l = variable(w, a, at), r = variable(w, at + 1, b);
    text_put(w->out, "sonde_relate_as_(");
    put_box(w, l);
    text_put(w->out, ", %uu, ", relation_code(w, at));
    put_box(w, r);
    text_put(w->out, ", (");
    put_value(w, l, a, at);
    copy(w, at, at + 1);
    put_value(w, r, at + 1, b);
    text_put(w->out, ") ? 1 : 0); })");
}

/* Writes the truth of a relation for C++, as one expression: the operator, then the boxes of its operands.
 *
 *     a < 5   ->   (sonde_h1_ = sonde_plain_(sonde_note_(sonde_b1_[0], (a)) < 5), sonde_b1_[1] = sonde_box_cc_(5),
 *                      sonde_relate_as_(sonde_b1_[0], 4u, sonde_b1_[1], sonde_h1_)) */
static void relation_cxx(struct writer *w, uint32_t a, uint32_t at, uint32_t b)
{
    text_put(w->out, "(sonde_h%u_ = sonde_plain_(", w->id);
    unsigned l = noted_value(w, a, at);
    copy(w, at, at + 1);
    text_put(w->out, " ");
    unsigned r = noted_value(w, at + 1, b);
    text_put(w->out, "), ");
    box_literal(w, l, a, at);
    box_literal(w, r, at + 1, b);
    text_put(w->out, "sonde_relate_as_(sonde_b%u_[%u], %uu, sonde_b%u_[%u], sonde_h%u_))", w->id, l,
             relation_code(w, at), w->id, r, w->id);
}

/* The left side of A % B == C or (A & B) == C, without parentheses: [x, y), with the % or & at `at`. Relating
 * A % B to C as plain numbers would miss that remainders wrap around, and that masks compare bits. */
struct inner {
    uint32_t x, at, y;
};

/* Writes the truth of such a condition; `at` is the == or !=. With at == b there is no right side, and A % B or A & B
 * holds if it is not 0.
 *
 *     x % 8 == 3   ->   __extension__({ __auto_type sonde_v2_ = (x); __auto_type sonde_v3_ = (8);
 *                           __auto_type sonde_v4_ = sonde_v2_ % sonde_v3_; __auto_type sonde_v5_ = (3);
 *                           sonde_relate_mod_(BOX of v4, BOX of v3, 2u, BOX of v5, ( sonde_v4_ == 3) ? 1 : 0); })
 *
 * sonde_relate_bits_ takes a value and a mask instead. The operand that is a literal is the mask, else the right
 * one. */
static void inner_c(struct writer *w, struct inner in, uint32_t at, uint32_t b)
{
    bool is_mask = is(w, in.at, "&"), tests = at == b;
    text_put(w->out, "__extension__({ ");
    unsigned l = variable(w, in.x, in.at), r = variable(w, in.at + 1, in.y), v = ++w->serial, c = 0;
    text_put(w->out, "__auto_type sonde_v%u_ = sonde_v%u_", v, l);
    copy(w, in.at, in.at + 1);
    text_put(w->out, " sonde_v%u_; ", r);
    if (!tests) c = variable(w, at + 1, b);
    text_put(w->out, "sonde_relate_%s_(", is_mask ? "bits" : "mod");
    bool is_left = is_mask && is_literal(w, in.x, in.at); /* the left operand is the mask */
    put_box(w, !is_mask || !tests ? v : is_left ? r : l);
    text_put(w->out, ", ");
    put_box(w, is_left ? l : r);
    text_put(w->out, ", %uu, ", tests ? 0 : relation_code(w, at));
    if (tests) put_box(w, v);
    else put_box(w, c);
    text_put(w->out, ", (sonde_v%u_", v);
    if (!tests) {
        copy(w, at, at + 1);
        put_value(w, c, at + 1, b);
    }
    text_put(w->out, ") ? 1 : 0); })");
}

/* Writes the truth of such a condition for C++, as one expression. */
static void inner_cxx(struct writer *w, struct inner in, uint32_t at, uint32_t b)
{
    bool is_mask = is(w, in.at, "&"), tests = at == b;
    unsigned v = w->boxes++, c = v;
    text_put(w->out, "(sonde_h%u_ = sonde_plain_(sonde_note_(sonde_b%u_[%u], ", w->id, w->id, v);
    unsigned l = note(w, in.x, in.at);
    copy(w, in.at, in.at + 1);
    text_put(w->out, " ");
    unsigned r = note(w, in.at + 1, in.y);
    text_put(w->out, ")");
    if (!tests) {
        copy(w, at, at + 1);
        text_put(w->out, " ");
        c = noted_value(w, at + 1, b);
    }
    text_put(w->out, "), ");
    if (!tests) box_literal(w, c, at + 1, b);
    bool is_left = is_mask && is_literal(w, in.x, in.at); /* the left operand is the mask */
    text_put(w->out, "sonde_relate_%s_(sonde_b%u_[%u], ", is_mask ? "bits" : "mod", w->id,
             !is_mask || !tests ? v
             : is_left          ? r
                                : l);
    text_put(w->out, "sonde_b%u_[%u], %uu, ", w->id, is_left ? l : r, tests ? 0 : relation_code(w, at));
    text_put(w->out, "sonde_b%u_[%u], sonde_h%u_))", w->id, c, w->id);
}

/* Finds the % or & that splits a whole range: the range is A % B or A & B, with or without parentheses around it. Sets
 * in.at to in.y if there is none. */
static struct inner find_inner(const struct writer *w, uint32_t a, uint32_t b)
{
    struct inner in = {.x = a, .y = b};
    range_strip(w->t, &in.x, &in.y);
    uint32_t x = in.x, y = in.y, mask = find_mask(w, x, y);
    in.at = y;
    if (range_find(w->t, x, y, comma) < y || range_find(w->t, x, y, range_assignments) < y
        || range_find(w->t, x, y, question) < y || range_find_last(w->t, x, y, ors) < y
        || range_find_last(w->t, x, y, ands) < y || range_find_last(w->t, x, y, bits) < y)
        return in;
    if (mask < y) in.at = mask;
    else if (range_find_last(w->t, x, y, equalities) == y && range_find_last(w->t, x, y, orders) == y
             && range_find_last(w->t, x, y, sums) == y) {
        uint32_t last = range_find_last(w->t, x, y, products);
        if (last < y && is(w, last, "%")) in.at = last;
    }
    return in;
}

/* Writes the truth of a relation. An equality whose left side is A % B or A & B needs that operation's operands. */
static void relation(struct writer *w, uint32_t a, uint32_t at, uint32_t b)
{
    struct inner in = find_inner(w, a, at);
    bool equates = is(w, at, "==") || is(w, at, "!=");
    if (equates && in.at < in.y) (w->is_cxx ? inner_cxx : inner_c)(w, in, at, b);
    else (w->is_cxx ? relation_cxx : relation_c)(w, a, at, b);
}

/* ---- Everything else */

/* Writes the truth of a range that is not understood. Its distance is how far the value is from 0, or, if the range
 * calls a function, how far that function got. */
static void leaf(struct writer *w, uint32_t a, uint32_t b, bool is_operand)
{
    bool follows = range_has_call(w->t, a, b);
    const char *function = follows ? "sonde_followed_" : "sonde_truth_number_";
    if (w->is_cxx) {
        unsigned box = w->boxes++;
        text_put(w->out, "(%ssonde_h%u_ = sonde_%s_(sonde_b%u_[%u], (", follows ? "sonde_follow_(), " : "", w->id,
                 is_operand ? "plain_test" : "test", w->id, box);
        copy(w, a, b);
        text_put(w->out, ")), %s(sonde_b%u_[%u], sonde_h%u_))", function, w->id, box, w->id);
        return;
    }
    text_put(w->out, "__extension__({ %s", follows ? "sonde_follow_(); " : "");
    unsigned v = variable(w, a, b);
    text_put(w->out, "%s%s(", follows ? "sonde_follow_stop_(); " : "", function);
    put_box(w, v);
    text_put(w->out, ", sonde_v%u_ ? 1 : 0); })", v);
}

/* ---- Truths. Each function writes an expression of type sonde_truth for a range. is_operand: the range is an operand
 * of && || !, so in C++ it must not be an object. */
static void truth(struct writer *w, uint32_t a, uint32_t b, bool is_operand);

/* Writes the truth of `A && B` or `A || B`; `at` is the operator. B is evaluated only if A does not decide, as in C.
 * The parts of an assume's conjunction are to be noted (is_top) on both sides of an &&, but not below an ||. */
static void junction(struct writer *w, uint32_t a, uint32_t at, uint32_t b)
{
    bool all = is(w, at, "&&"), is_top = w->is_top && all;
    unsigned v = w->is_cxx ? w->truths++ : ++w->serial;
    char name[48];
    snprintf(name, sizeof name, w->is_cxx ? "sonde_s%u_[%u]" : "sonde_v%u_", w->is_cxx ? w->id : v, v);
    if (w->is_cxx) text_put(w->out, "(%ssonde_holds(%s = ", all ? "!" : "", name);
    else text_put(w->out, "__extension__({ sonde_truth %s = ", name);
    w->is_top = is_top;
    truth(w, a, at, true);
    if (w->is_cxx) text_put(w->out, ") ? %s : ", name);
    else text_put(w->out, "; %ssonde_holds(%s) ? %s : ", all ? "!" : "", name, name);
    text_put(w->out, "sonde_truth_%s_(%s, ", all ? "and" : "or", name);
    w->is_top = is_top;
    truth(w, at + 1, b, true);
    text_put(w->out, w->is_cxx ? "))" : "); })");
}

/* Writes the truth of `A ? B : C`. The GNU form `A ?: B` is a leaf: its value comes from A, and A may be evaluated only
 * once. */
static void choice(struct writer *w, uint32_t a, uint32_t mark, uint32_t b)
{
    uint32_t colon = range_find_colon(w->t, mark, b);
    if (mark == a || colon <= mark + 1 || colon + 1 >= b) {
        leaf(w, a, b, true);
        return;
    }
    text_put(w->out, "(sonde_holds(");
    truth(w, a, mark, false);
    text_put(w->out, ") ? ");
    truth(w, mark + 1, colon, true);
    text_put(w->out, " : ");
    truth(w, colon + 1, b, true);
    text_put(w->out, ")");
}

/* Narrows a range to an inner one that is true exactly if the range is; returns false if there is none. Such a range is
 * (_Bool)(x), (int)(a < b) or __builtin_expect(a < b, 1). */
static bool find_inside(const struct writer *w, uint32_t *a, uint32_t *b)
{
    static const char *const integers[] = {"int", "long", "unsigned", "short", "char", "signed", NULL};
    uint32_t x = *a, y = *b - 1;
    if (y - x > 3 && is(w, x, "__builtin_expect") && is(w, x + 1, "(") && w->t[x + 1].match == y) {
        uint32_t end = range_find(w->t, x + 2, y, comma);
        if (end == y || !is_boolean(w, x + 2, end)) return false;
        *a = x + 2, *b = end;
        return true;
    }
    if (y - x < 4 || !is(w, x, "(")) return false;
    uint32_t close = w->t[x].match;
    if (close + 1 >= y || !is(w, close + 1, "(") || w->t[close + 1].match != y || is(w, close + 2, "{")) return false;
    bool is_bool = close == x + 2 && (is(w, x + 1, "_Bool") || (w->is_cxx && is(w, x + 1, "bool")));
    bool is_integer = close > x + 1;
    for (uint32_t i = x + 1; i < close; i++) is_integer = is_integer && token_is_any(w->t, i, integers);
    if (!(is_bool && !w->is_cxx) && !((is_bool || is_integer) && is_boolean(w, close + 2, y))) return false;
    *a = close + 2, *b = y;
    return true;
}

/* Reports whether `!` applies to the whole rest of the range. In `!a + b` and `!a & b` it does not. */
static bool is_negation(const struct writer *w, uint32_t a, uint32_t b)
{
    return b - a > 1 && is(w, a, "!") && range_find_last(w->t, a, b, sums) == b
           && range_find_last(w->t, a, b, products) == b && find_mask(w, a, b) == b
           && range_find_last(w->t, a, b, bits) == b;
}

/* Reports whether && is the loosest operator of the range. */
static bool is_conjunction(const struct writer *w, uint32_t a, uint32_t b)
{
    if (range_find(w->t, a, b, comma) < b || range_find(w->t, a, b, range_assignments) < b
        || range_find(w->t, a, b, dots) < b)
        return false;
    return range_find(w->t, a, b, question) == b && range_find_last(w->t, a, b, ors) == b
           && range_find_last(w->t, a, b, ands) < b;
}

/* Writes one part of an assume's conjunction and stores its truth, so that the part counts as a separate assume. */
static void part(struct writer *w, uint32_t a, uint32_t b, bool is_operand)
{
    w->is_top = false;
    text_put(w->out, "(sonde_p%u_[%u] = ", w->id, w->parts++);
    truth(w, a, b, is_operand);
    text_put(w->out, ")");
}

/* Writes the truth of a range. Splits it at its loosest operator, by C's precedence: comma and assignment, ?:, ||, &&,
 * | and ^, &, equality, order, unary !. In C++ a range with both < and > may hold a template: < is then not an
 * operator.
 *
 * An empty range means that the tokens were misread: the condition is given up. */
static void truth(struct writer *w, uint32_t a, uint32_t b, bool is_operand)
{
    uint32_t at;
    if (a >= b) {
        w->is_unclear = true;
        return;
    }
    if (range_is_paren(w->t, a, b)) {
        truth(w, a + 1, b - 1, is_operand);
        return;
    }
    if (w->is_top && !is_conjunction(w, a, b)) {
        part(w, a, b, is_operand);
        return;
    }
    bool is_odd = range_find(w->t, a, b, comma) < b || range_find(w->t, a, b, range_assignments) < b
                  || range_find(w->t, a, b, dots) < b;
    bool is_template = w->is_cxx && range_find(w->t, a, b, less) < b && range_find(w->t, a, b, greater) < b;
    if (is_odd) leaf(w, a, b, is_operand);
    else if ((at = range_find(w->t, a, b, question)) < b) choice(w, a, at, b);
    else if ((at = range_find_last(w->t, a, b, ors)) < b || (at = range_find_last(w->t, a, b, ands)) < b)
        junction(w, a, at, b);
    else if (range_find_last(w->t, a, b, bits) < b) leaf(w, a, b, is_operand);
    else if (find_mask(w, a, b) < b) {
        struct inner in = find_inner(w, a, b);
        if (in.at < in.y) (w->is_cxx ? inner_cxx : inner_c)(w, in, b, b);
        else leaf(w, a, b, is_operand);
    } else if ((at = range_find_last(w->t, a, b, equalities)) < b) relation(w, a, at, b);
    else if (!is_template && (at = range_find_last(w->t, a, b, orders)) < b) relation(w, a, at, b);
    else if (is_negation(w, a, b)) {
        text_put(w->out, "sonde_truth_not_(");
        truth(w, a + 1, b, true);
        text_put(w->out, ")");
    } else if (find_inside(w, &a, &b)) truth(w, a, b, is_operand);
    else if (find_inner(w, a, b).at < b) (w->is_cxx ? inner_cxx : inner_c)(w, find_inner(w, a, b), b, b);
    else leaf(w, a, b, is_operand);
}

/* ---- Finding conditions. The functions recognise what the macros of sonde.h expand to, and must change with them. */

/* Reports whether the tokens from i on are these. */
static bool match_all(const struct writer *w, uint32_t i, uint32_t n, const char *const *texts)
{
    for (uint32_t k = 0; texts[k]; k++)
        if (i + k >= n || !is(w, i + k, texts[k])) return false;
    return true;
}

/* Reads the arguments ((T), FILE, LINE, STRING) after the name at i into p->test and p->where. Returns false if they
 * are something else. */
static bool read_arguments(const struct writer *w, uint32_t i, uint32_t n, struct condition *p)
{
    static const char *const opening[] = {"(", "(", NULL};
    if (!match_all(w, i + 1, n, opening)) return false;
    p->test = i + 3;
    p->after_test = w->t[i + 2].match;
    p->where = p->after_test + 1;
    p->after_where = w->t[i + 1].match;
    return p->where < p->after_where && is(w, p->where, ",");
}

/* Reads ((CONDITION) ? ... : name(...)), where `mark` is the question mark and i the name. Returns false if the tokens
 * are something else. */
static bool read_choice(const struct writer *w, uint32_t mark, uint32_t i, uint32_t n, struct condition *p)
{
    if (mark < 3 || !is(w, mark - 1, ")") || !read_arguments(w, i, n, p)) return false;
    p->after = mark - 1;
    p->condition = w->t[mark - 1].match + 1;
    if (p->condition < 2 || !is(w, p->condition - 2, "(")) return false;
    p->start = p->condition - 2;
    p->end = w->t[p->start].match + 1;
    return p->end == p->after_where + 2 && p->condition < p->after;
}

/* Reads ((CONDITION) ? sonde_assumed_(T) : sonde_discard_((T), FILE, LINE, STRING)); i is sonde_assumed_. */
static bool read_assume(const struct writer *w, uint32_t i, uint32_t n, struct condition *p)
{
    static const char *const between[] = {":", "sonde_discard_", NULL};
    p->kind = ASSUME;
    if (i == 0 || i + 1 >= n || !is(w, i - 1, "?") || !is(w, i + 1, "(")) return false;
    uint32_t after = w->t[i + 1].match + 1;
    return match_all(w, after, n, between) && read_choice(w, i - 1, after + 1, n, p);
}

/* Reads ((CONDITION) ? (void)0 : sonde_falsify_((T), FILE, LINE, STRING)); i is sonde_falsify_. */
static bool read_check(const struct writer *w, uint32_t i, uint32_t n, struct condition *p)
{
    static const char *const before[] = {"?", "(", "void", ")", "0", ":", NULL};
    p->kind = CHECK;
    return i > 6 && match_all(w, i - 6, n, before) && read_choice(w, i - 6, i, n, p);
}

/* Reads sonde_expected_((T), (CONDITION) ? true : false, FILE, LINE, STRING); i is sonde_expected_. */
static bool read_expect(const struct writer *w, uint32_t i, uint32_t n, struct condition *p)
{
    static const char *const opening[] = {",", "(", NULL};
    p->kind = EXPECT;
    if (!read_arguments(w, i, n, p) || !match_all(w, p->where, n, opening)) return false;
    p->start = i;
    p->end = p->after_where + 1;
    p->condition = p->where + 2;
    p->after = w->t[p->where + 1].match;
    p->where = range_find(w->t, p->after + 1, p->after_where, comma);
    return is(w, p->after + 1, "?") && p->where < p->after_where && p->condition < p->after;
}

/* Reads the condition that token i belongs to, if token i is one of the three names. The shortest has 14 characters:
 * the first line rejects nearly every token cheaply. */
static bool read_condition(const struct writer *w, uint32_t i, uint32_t n, struct condition *p)
{
    if (w->t[i].n < 14 || *w->t[i].at != 's') return false;
    if (is(w, i, "sonde_assumed_")) return read_assume(w, i, n, p);
    if (is(w, i, "sonde_falsify_")) return read_check(w, i, n, p);
    return is(w, i, "sonde_expected_") && read_expect(w, i, n, p);
}

/* Asserts that conditions do not overlap, and that the ranges of a condition lie inside the condition. */
static void conditions_check(const struct condition *all, uint32_t n_conditions, uint32_t n)
{
    for (uint32_t i = 0; i < n_conditions; i++) {
        const struct condition *p = &all[i];
        sonde_assert(p->end <= n && (i + 1 == n_conditions || p->end <= p[1].start));
        sonde_assert(p->start < p->condition && p->condition < p->after && p->after < p->end);
        sonde_assert(p->start < p->test && p->test <= p->after_test && p->after_test < p->where);
        sonde_assert(p->where < p->after_where && p->after_where < p->end);
    }
}

/* Finds the conditions among n tokens, in order. The caller frees *all; returns their number. Of nested conditions (an
 * assume in a statement expression) only the outer one is kept: the inner one is copied with it, unchanged. */
static uint32_t find_conditions(const struct writer *w, uint32_t n, struct condition **all)
{
    uint32_t count = 0, cap = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct condition p;
        if (!read_condition(w, i, n, &p)) continue;
        while (count && (*all)[count - 1].start > p.start) count--;
        if (count && (*all)[count - 1].end > p.start) continue;
        *all = sonde_grow(*all, &cap, (size_t)count + 1, sizeof **all);
        (*all)[count++] = p;
    }
    conditions_check(*all, count, n);
    return count;
}

/* ---- Writing conditions */

/* Reports whether a condition has a compound literal: `(T){...}`. */
static bool has_compound_literal(const struct writer *w, const struct condition *p)
{
    for (uint32_t i = p->condition + 1; i < p->after; i++)
        if (is(w, i, "{") && is(w, i - 1, ")")) return true;
    return false;
}

/* Reports whether a check can hold by more or less. `a == b` cannot: it holds with distance 0 or not at all, so its
 * distance would not lead a guide towards a failure. `a < b` and `!(a == b)` can. */
static bool has_margin(const struct writer *w, uint32_t a, uint32_t b)
{
    static const char *const telling[] = {"<", "<=", ">", ">=", "!=", NULL};
    bool negates = false, equates = false;
    for (uint32_t i = a; i < b; i++) {
        if (token_is_any(w->t, i, telling) && range_is_binary(w->t, a, i, b)) return true;
        negates = negates || is(w, i, "!");
        equates = equates || is(w, i, "==");
    }
    return negates && equates;
}

/* Reports whether to rewrite a condition at all. The case argument of a check is written
 * three times, so it must be a plain name, without side effects. */
static bool is_worthwhile(const struct writer *w, const struct condition *p)
{
    if (!w->is_cxx && has_compound_literal(w, p)) return false;
    if (p->kind == ASSUME) return true;
    bool is_name = p->after_test == p->test + 1 && sonde_token_is_name(&w->t[p->test]);
    return is_name && has_margin(w, p->condition, p->after);
}

/* Writes the call that takes the truth, or the parts of a conjunction, and the location of the condition. */
static void put_call(struct writer *w, const struct condition *p, const char *function, const char *truth_name)
{
    text_put(w->out, "%s((", function);
    copy(w, p->test, p->after_test);
    if (w->parts > 1) text_put(w->out, "), sonde_p%u_, %u", w->id, w->parts);
    else text_put(w->out, "), %s", truth_name);
    copy(w, p->where, p->after_where);
    text_put(w->out, ")");
}

static bool is_conjunction_in(const struct writer *w, uint32_t a, uint32_t b)
{
    while (range_is_paren(w->t, a, b)) a++, b--;
    return is_conjunction(w, a, b);
}

/* Writes the rewritten form of a condition: a statement expression that declares variables, computes the truth and
 * passes it on. For condition 1 the declared names are:
 *
 *    sonde_s1_    the truth; in C++ an array, with the left sides of junctions after it
 *    sonde_p1_    the truths of an assume's parts, if it is a conjunction
 *    sonde_b1_    C++: boxes with the values of operands
 *    sonde_h1_    C++: whether the relation just evaluated holds
 *
 * The sizes of these arrays are known only after the truth is written, so the truth goes to a separate string first. */
static void put_measured(struct writer *w, const struct condition *p)
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
    text_put(outside, "__extension__({ ");
    if (w->parts > 1)
        text_put(outside, "sonde_truth sonde_p%u_[%u] = {%s}; ", w->id, w->parts, w->is_cxx ? "" : "[0] = {.held = 0}");
    if (w->is_cxx)
        text_put(outside,
                 "sonde_truth sonde_s%u_[%u] = {}; sonde_boxed_ sonde_b%u_[%u] = {}; bool sonde_h%u_ = "
                 "false; (void)sonde_h%u_; sonde_s%u_[0] = ",
                 w->id, w->truths, w->id, w->boxes + 1, w->id, w->id, w->id);
    else if (w->parts > 1) text_put(outside, "(void)");
    else text_put(outside, "sonde_truth %s = ", name);
    text_put_n(outside, inside.all ? inside.all : "", inside.n);
    text_put(outside, w->is_cxx ? ", " : "; ");
    put_call(w, p, w->parts > 1 ? "sonde_assume_parts_" : functions[p->kind], name);
    text_put(outside, "; })");
    sonde_free(inside.all);
}

/* Writes a condition: an assume rewritten, a check as a choice between its rewritten form and its original. */
static void put_condition(struct writer *w, const struct condition *p)
{
    text_put(w->out, "(");
    if (p->kind != ASSUME) {
        text_put(w->out, "sonde_measures_(");
        copy(w, p->test, p->after_test);
        text_put(w->out, ") ? ");
    }
    put_measured(w, p);
    if (p->kind != ASSUME) {
        text_put(w->out, " : ");
        copy(w, p->start, p->end);
    }
    text_put(w->out, ")");
}

/* Writes a condition and returns true; or returns false with the output as before, if the condition is not worth it or
 * turned out unclear. Ends with a marker, so that the tokens after it keep their line. */
static bool try_condition(struct writer *w, const struct condition *p)
{
    uint32_t before = w->out->n;
    w->line = w->t[p->start].line;
    w->marker = w->t[p->start].marker;
    w->is_unclear = !is_worthwhile(w, p);
    if (w->number) put_number(w);
    if (!w->is_unclear) put_condition(w, p);
    if (!w->is_unclear) {
        put_marker(w, &w->t[p->end - 1]);
        return true;
    }
    w->out->n = before;
    return false;
}

/* Skipped conditions are still written and then dropped: so condition i is the same one in every attempt of the caller,
 * whatever is skipped. */
char *sonde_rewrite(const char *text, bool is_cxx, bool is_marked, const bool *skips, uint32_t *n)
{
    struct sonde_tokens tokens;
    struct text out = {0};
    struct condition *conditions = NULL;
    *n = 0;
    bool changed = false;
    if (sonde_lex(&tokens, text)) {
        struct writer w = {.t = tokens.all, .markers = tokens.markers, .out = &out, .is_cxx = is_cxx};
        uint32_t n_conditions = find_conditions(&w, tokens.n, &conditions);
        const char *done = text;
        for (uint32_t i = 0; i < n_conditions; i++) {
            const struct sonde_token *first = &tokens.all[conditions[i].start],
                                     *last = &tokens.all[conditions[i].end - 1];
            text_put_n(&out, done, (size_t)(first->at - done));
            done = first->at;
            bool skip = skips && skips[*n];
            uint32_t before = out.n;
            w.number = is_marked ? *n + 1 : 0;
            if (!try_condition(&w, &conditions[i])) continue;
            ++*n;
            if (skip) out.n = before;
            else {
                done = last->at + last->n;
                changed = true;
            }
        }
        text_put_n(&out, done, strlen(done));
    }
    sonde_lex_clear(&tokens);
    sonde_free(conditions);
    if (changed) return out.all;
    sonde_free(out.all);
    return NULL;
}
