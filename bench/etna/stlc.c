/* The workload STLC: the simply typed lambda calculus with booleans, de Bruijn indices and parallel reduction, with ten mutants of
 * shifting and substitution. A term that has a type keeps it. */
#include "etna/etna.h"

typedef const struct etna_term *term;
typedef const struct etna_type *type;

enum { STEPS = 40, DEEPEST = 5, DEEPEST_TYPE = 2, VARS = 5 };

/* ---- Types */

static const struct etna_type boolean;

struct context {
    type type;
    const struct context *outer;
};

static bool is_same_type(type a, type b)
{
    if (!a->from || !b->from) return !a->from && !b->from;
    return is_same_type(a->from, b->from) && is_same_type(a->to, b->to);
}

/* NULL if it has none. */
static type type_of(const struct context *context, term e)
{
    switch (e->kind) {
    case ETNA_VAR:
        for (int i = e->n; context && i > 0; i--) context = context->outer;
        return context && e->n >= 0 ? context->type : NULL;
    case ETNA_BOOL: return &boolean;
    case ETNA_ABS: {
        const struct context inner = {e->type, context};
        type body = type_of(&inner, e->body);
        return body ? etna_function(e->type, body) : NULL;
    }
    default: {
        type function = type_of(context, e->body), operand = function ? type_of(context, e->operand) : NULL;
        if (!operand || !function->from || !is_same_type(function->from, operand)) return NULL;
        return function->to;
    }
    }
}

/* ---- Substitution */

static term var(int n)
{
    return etna_term((struct etna_term){.kind = ETNA_VAR, .n = n});
}

static term abstraction(type t, term body)
{
    return etna_term((struct etna_term){.kind = ETNA_ABS, .type = t, .body = body});
}

static term application(term body, term operand)
{
    return etna_term((struct etna_term){.kind = ETNA_APP, .body = body, .operand = operand});
}

static bool is_free(int n, int cut)
{
    if (MUTANT(shift_var_none)) return false;
    if (MUTANT(shift_var_all)) return true;
    return MUTANT(shift_var_leq) ? n > cut : n >= cut;
}

/* Adds `by` to the free variables. */
static term shift(int by, int cut, term e)
{
    switch (e->kind) {
    case ETNA_VAR: return is_free(e->n, cut) ? var(e->n + by) : e;
    case ETNA_BOOL: return e;
    case ETNA_ABS: return abstraction(e->type, shift(by, MUTANT(shift_abs_no_incr) ? cut : cut + 1, e->body));
    default: return application(shift(by, cut, e->body), shift(by, cut, e->operand));
    }
}

static term substitute(int n, term s, term e)
{
    switch (e->kind) {
    case ETNA_VAR:
        if (MUTANT(subst_var_all)) return s;
        return e->n == n && !MUTANT(subst_var_none) ? s : e;
    case ETNA_BOOL: return e;
    case ETNA_ABS: {
        term inner = MUTANT(subst_abs_no_shift) ? s : shift(1, 0, s);
        return abstraction(e->type, substitute(MUTANT(subst_abs_no_incr) ? n : n + 1, inner, e->body));
    }
    default: return application(substitute(n, s, e->body), substitute(n, s, e->operand));
    }
}

/* The body of an abstraction with its variable replaced. */
static term substitute_top(term s, term e)
{
    if (MUTANT(substTop_no_shift)) return substitute(0, s, e);
    term body = substitute(0, shift(1, 0, s), e);
    return MUTANT(substTop_no_shift_back) ? body : shift(-1, 0, body);
}

/* ---- Reduction: all redexes at once; NULL if there is none */

static term step(term e)
{
    if (e->kind == ETNA_ABS) {
        term body = step(e->body);
        return body ? abstraction(e->type, body) : NULL;
    }
    if (e->kind != ETNA_APP) return NULL;
    bool is_redex = e->body->kind == ETNA_ABS;
    term function = is_redex ? e->body->body : e->body, body = step(function), operand = step(e->operand);
    if (!is_redex && !body && !operand) return NULL;
    if (!body) body = function;
    if (!operand) operand = e->operand;
    return is_redex ? substitute_top(operand, body) : application(body, operand);
}

/* The normal form; NULL if it takes more than 40 steps, or more memory than there is. */
static term normal_form(term e)
{
    for (int i = 0; i < STEPS && !etna_is_full(); i++) {
        term next = step(e);
        if (!next) return e;
        e = next;
    }
    return NULL;
}

/* ---- Properties. As published, a term without a result keeps its type. */

static bool has_type(term e, type want)
{
    if (!e || etna_is_full()) return true;
    type got = type_of(NULL, e);
    return etna_is_full() || (got && is_same_type(got, want));
}

static bool single_preserve(const struct etna_input *in)
{
    type want = type_of(NULL, in->term);
    return has_type(step(in->term), want);
}

static bool multi_preserve(const struct etna_input *in)
{
    type want = type_of(NULL, in->term);
    return has_type(normal_form(in->term), want);
}

static bool is_valid(const struct etna_property *property, const struct etna_input *in)
{
    (void)property;
    return type_of(NULL, in->term) != NULL;
}

/* ---- The naive generator: any term */

static type draw_type(sonde *t, int depth)
{
    sonde_span(t, "type");
    if (depth == DEEPEST_TYPE || !sonde_bool(t, "function")) return &boolean;
    type from = draw_type(t, depth + 1);
    return etna_function(from, draw_type(t, depth + 1));
}

static term draw_term(sonde *t, int depth)
{
    sonde_span(t, "term");
    switch (sonde_pick(t, "kind", depth == DEEPEST ? 2 : 4)) {
    case 0: return etna_term((struct etna_term){.kind = ETNA_BOOL, .n = sonde_bool(t, "boolean")});
    case 1: return var(sonde_int(t, "variable", 0, VARS - 1));
    case 2: {
        type of = draw_type(t, 0);
        return abstraction(of, draw_term(t, depth + 1));
    }
    default: {
        term body = draw_term(t, depth + 1);
        return application(body, draw_term(t, depth + 1));
    }
    }
}

static void draw(sonde *t, const struct etna_property *property, struct etna_input *in)
{
    (void)property;
    in->term = draw_term(t, 0);
    sonde_assume(t, type_of(NULL, in->term) != NULL);
}

static const struct etna_property properties[] = {
    {"SinglePreserve", 0, 0, 0, 0, single_preserve},
    {"MultiPreserve", 0, 0, 0, 0, multi_preserve},
    {0},
};

const struct etna_workload etna_stlc = {"STLC", properties, draw, is_valid};
