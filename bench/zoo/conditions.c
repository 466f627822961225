/* Preconditions of the zoo: over scalars, over sequences, and those on structure that the parts offer. See grammar.h. */
#include "zoo/grammar.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SONDE_PRINTF(3, 4) static void set(struct zoo_atom *a, char *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t size = out == a->loop ? sizeof a->loop : sizeof a->condition;
    int n = vsnprintf(out, size, format, args);
    if (n < 0 || (size_t)n >= size) abort();
    va_end(args);
}

static void name(struct zoo_atom *a, const char *class, const char *kind)
{
    a->class = class;
    a->kind = kind;
}

/* Never two of these in one expression: compilers evaluate its parts in different orders. The same holds for every draw of the grammar. */
static int value_of(struct zoo_subject *z, const struct zoo_scalar *s)
{
    return zoo_between(&z->rng, s->lo, s->hi);
}

/* ---- Over scalars */

/* Three that may coincide: `third` is NULL if it would be one of the others. */
struct operands {
    const struct zoo_scalar *a, *b, *c;
};

static void linear(struct zoo_subject *z, struct zoo_atom *x, struct operands o)
{
    static const char *const less[] = {"<", "<=", ">"}, *const bounds[] = {"<", ">=", "<="},
                             *const offsets[] = {"", " + 1", " - 2"}, *const then[] = {"<", "==", ">="};
    static const int near[] = {0, 1, 3};
    const char *a = o.a->expr, *b = o.b->expr;
    int k = zoo_between(&z->rng, 1, 3), l = zoo_between(&z->rng, 1, 3), m = zoo_between(&z->rng, -5, 20);
    int of_a = value_of(z, o.a), of_b = value_of(z, o.b), of_c = o.c ? value_of(z, o.c) : 0;
    switch (zoo_below(&z->rng, 6)) {
    case 0: name(x, "linear", "less"), set(x, x->condition, "%s %s %s", a, ZOO_PICK(&z->rng, less), b); break;
    case 1: name(x, "linear", "offset"), set(x, x->condition, "%s == %s%s", a, b, ZOO_PICK(&z->rng, offsets)); break;
    case 2:
        name(x, "linear", "weighed");
        set(x, x->condition, "%d * %s + %s %s %d * %s + %d", k, a, b, ZOO_PICK(&z->rng, bounds), l, o.c ? o.c->expr : a,
            m);
        break;
    case 3:
        name(x, "linear", "sum-of-two");
        if (o.c) set(x, x->condition, "%s + %s == %s", a, b, o.c->expr);
        else set(x, x->condition, "%s + %s == %d", a, b, of_a + of_b);
        break;
    case 4:
        name(x, "linear", "implied");
        if (o.c) set(x, x->condition, "(%s != %d || %s %s %s)", o.c->expr, of_c, a, ZOO_PICK(&z->rng, then), b);
        else set(x, x->condition, "%s <= %s", a, b);
        break;
    default: name(x, "linear", "near"), set(x, x->condition, "distance(%s, %s) <= %d", a, b, ZOO_PICK(&z->rng, near));
    }
}

static void nonlinear(struct zoo_subject *z, struct zoo_atom *x, struct operands o)
{
    static const char *const order[] = {"<", ">"}, *const divisors[] = {"== 1", "> 3", "== 5", "> 12"};
    static const int parts[] = {2, 10, 50};
    const char *a = o.a->expr, *b = o.b->expr;
    long of_a = value_of(z, o.a), of_b = value_of(z, o.b), product = of_a * of_b;
    long radius = (of_a * of_a + of_b * of_b) / ZOO_PICK(&z->rng, parts);
    switch (zoo_below(&z->rng, 5)) {
    case 0:
        name(x, "nonlinear", "product");
        set(x, x->condition, "(long)%s * %s %s %ld", a, b, ZOO_PICK(&z->rng, order), product > 2 ? product : 2);
        break;
    case 1:
        name(x, "nonlinear", "product-is");
        if (o.c) set(x, x->condition, "(long)%s * %s == %s", a, b, o.c->expr);
        else set(x, x->condition, "(long)%s * %s == %ld", a, b, product);
        break;
    case 2:
        z->needs_gcd = true;
        name(x, "nonlinear", "gcd"), set(x, x->condition, "gcd(%s, %s) %s", a, b, ZOO_PICK(&z->rng, divisors));
        break;
    case 3: name(x, "nonlinear", "divides"), set(x, x->condition, "%s > 1 && %s %% %s == 0", b, a, b); break;
    default:
        name(x, "nonlinear", "circle");
        set(x, x->condition, "(long)%s * %s + (long)%s * %s <= %ld", a, a, b, b, radius > 4 ? radius : 4);
    }
}

/* Of one scalar; where there is only one, all that is left. */
static void bits_of_one(struct zoo_subject *z, struct zoo_atom *x, const char *a)
{
    static const int masks[] = {3, 5, 7, 12, 15, 96}, moduli[] = {3, 7, 10, 16};
    int mask = ZOO_PICK(&z->rng, masks), modulus = ZOO_PICK(&z->rng, moduli);
    switch (zoo_below(&z->rng, 4)) {
    case 0:
        name(x, "bits", "popcount");
        set(x, x->condition, "__builtin_popcount((unsigned)%s) == %d", a, zoo_between(&z->rng, 1, 4));
        break;
    case 1:
        name(x, "bits", "mask"), set(x, x->condition, "(%s & %d) == %d", a, mask, mask & zoo_below(&z->rng, 128));
        break;
    case 2:
        name(x, "bits", "modulus"), set(x, x->condition, "%s %% %d == %d", a, modulus, zoo_below(&z->rng, modulus));
        break;
    default: z->needs_square = true, name(x, "nonlinear", "square"), set(x, x->condition, "is_square(%s)", a);
    }
}

static void bits_of_two(struct zoo_subject *z, struct zoo_atom *x, struct operands o)
{
    static const int moduli[] = {3, 7, 10, 16, 31, 64};
    int modulus = ZOO_PICK(&z->rng, moduli), factor = zoo_between(&z->rng, 1, 9), rest = zoo_below(&z->rng, modulus);
    if (zoo_percent(&z->rng, 50)) {
        name(x, "bits", "modulus-of-two");
        set(x, x->condition, "(%s + %d * %s) %% %d == %d", o.a->expr, factor, o.b->expr, modulus, rest);
    } else {
        name(x, "bits", "xor");
        if (o.c) set(x, x->condition, "(%s ^ %s) == %s", o.a->expr, o.b->expr, o.c->expr);
        else set(x, x->condition, "((%s ^ %s) & 15) == %d", o.a->expr, o.b->expr, zoo_below(&z->rng, 16));
    }
}

static const struct zoo_scalar *wide_scalar(struct zoo_subject *z, const struct zoo_scalar *but)
{
    const struct zoo_scalar *found[ZOO_SCALARS];
    int n = 0;
    for (unsigned i = 0; i < z->n_scalars; i++)
        if (&z->scalars[i] != but && z->scalars[i].hi - z->scalars[i].lo >= 3) found[n++] = &z->scalars[i];
    return n ? found[zoo_below(&z->rng, n)] : NULL;
}

static struct zoo_atom over_scalars(struct zoo_subject *z)
{
    struct zoo_atom x = {0};
    struct operands o = {.a = wide_scalar(z, NULL)};
    if (!o.a) o.a = &z->scalars[zoo_below(&z->rng, (int)z->n_scalars)];
    o.b = wide_scalar(z, o.a);
    o.c = &z->scalars[zoo_below(&z->rng, (int)z->n_scalars)];
    if (o.c == o.a || o.c == o.b) o.c = NULL;
    x.parts = o.a->parts | (o.b ? o.b->parts : 0) | (o.c ? o.c->parts : 0);
    int how = zoo_below(&z->rng, 17);
    if (!o.b || how < 4) bits_of_one(z, &x, o.a->expr);
    else if (how < 10) linear(z, &x, o);
    else if (how < 14) nonlinear(z, &x, o);
    else if (how < 16) bits_of_two(z, &x, o);
    else if (o.c)
        name(&x, "order", "chain"),
            set(&x, x.condition, "%s < %s && %s < %s", o.a->expr, o.b->expr, o.b->expr, o.c->expr);
    else name(&x, "order", "chain"), set(&x, x.condition, "%s < %s", o.a->expr, o.b->expr);
    return x;
}

/* ---- Over sequences */

static void each(struct zoo_atom *x, const struct zoo_sequence *q, int from)
{
    set(x, x->loop, "for (int i = %d; i < %s; i++)", from, q->length);
    snprintf(x->rounds, sizeof x->rounds, "%s", q->length);
}

static void each_pair(struct zoo_atom *x, const struct zoo_sequence *q)
{
    each(x, q, 0);
    set(x, x->loop, "for (int i = 0; i < %s; i++) for (int k = 0; k < i; k++)", q->length);
}

static void orders(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_sequence *q)
{
    const char *s = q->array;
    int span = q->hi - q->lo, part = zoo_below(&z->rng, 3);
    each(x, q, 1);
    switch (zoo_below(&z->rng, 6)) {
    case 0: name(x, "order", "sorted"), set(x, x->condition, "%s[i - 1] <= %s[i]", s, s); break;
    case 1: name(x, "order", "falling"), set(x, x->condition, "%s[i - 1] >= %s[i]", s, s); break;
    case 2: name(x, "order", "strict"), set(x, x->condition, "%s[i - 1] < %s[i]", s, s); break;
    case 3:
        name(x, "order", "zigzag");
        set(x, x->condition, "(i %% 2 ? %s[i - 1] < %s[i] : %s[i - 1] > %s[i])", s, s, s, s);
        break;
    case 4:
        name(x, "order", "one-peak");
        set(x, x->condition, "%s[i - 1] < %s[i] || i == %s - 1 || %s[i] > %s[i + 1]", s, s, q->length, s, s);
        break;
    default:
        x->loop[0] = x->rounds[0] = '\0';
        name(x, "order", "spread");
        set(x, x->setup,
            "int lo = 1 << 30, hi = -(1 << 30); for (int i = 0; i < %s; i++) { if (%s[i] < lo) lo = %s[i]; if (%s[i] > hi) hi = %s[i]; }",
            q->length, s, s, s, s);
        int limit = span * (part == 0 ? 2 : part == 1 ? 4 : 8) / 10;
        set(x, x->condition, "hi - lo %s %d", zoo_percent(&z->rng, 70) ? "<=" : ">=", limit > 1 ? limit : 1);
    }
}

static void sums(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_sequence *q)
{
    static const int moduli[] = {2, 3, 7, 16, 100, 256};
    const char *s = q->array, *n = q->length;
    int middle = (q->lo + q->hi) * (q->shortest + q->longest) / 4, wide = (middle < 0 ? -middle : middle) / 4 + 2;
    int modulus = ZOO_PICK(&z->rng, moduli), size = q->hi - q->lo + 1;
    set(x, x->setup, "int sum = 0; for (int i = 0; i < %s; i++) sum += %s[i];", n, s);
    switch (zoo_below(&z->rng, 6)) {
    case 0: name(x, "sum", "sum"), set(x, x->condition, "sum == %d", middle + zoo_between(&z->rng, -wide, wide)); break;
    case 1:
        name(x, "sum", "sum-modulus"), set(x, x->condition, "sum %% %d == %d", modulus, zoo_below(&z->rng, modulus));
        break;
    case 2: {
        const struct zoo_scalar *field = &z->scalars[zoo_below(&z->rng, (int)z->n_scalars)];
        x->parts |= field->parts;
        name(x, "sum", "sum-field"), set(x, x->condition, "sum == %s", field->expr);
        break;
    }
    case 3:
        name(x, "sum", "checksum");
        set(x, x->condition, "%s > 1 && ((sum - %s[%s - 1]) %% %d + %d) %% %d == %s[%s - 1] - %d", n, s, n, size, size,
            size, s, n, q->lo);
        break;
    case 4:
        name(x, "sum", "xor-checksum");
        set(x, x->setup, "int sum = 0; for (int i = 0; i < %s; i++) sum ^= %s[i];", n, s);
        set(x, x->condition, "%s > 1 && sum == 0", n);
        break;
    default:
        name(x, "sum", "count");
        set(x, x->setup, "int count = 0; for (int i = 0; i < %s; i++) count += %s[i] > %d;", n, s,
            q->lo + (q->hi - q->lo) / 2);
        set(x, x->condition, "count == %d",
            zoo_between(&z->rng, 1,
                        q->longest > 6   ? 5
                        : q->longest > 2 ? q->longest - 1
                                         : 1));
    }
}

static void uniques(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_sequence *q)
{
    const char *s = q->array;
    switch (zoo_below(&z->rng, 3)) {
    case 0: each_pair(x, q), name(x, "unique", "distinct"), set(x, x->condition, "%s[i] != %s[k]", s, s); break;
    case 1:
        each(x, q, 1), name(x, "unique", "neighbours-differ"), set(x, x->condition, "%s[i] != %s[i - 1]", s, s);
        break;
    default:
        if (q->lo > 0 || q->hi > 60 || q->hi < q->shortest) {
            each_pair(x, q), name(x, "unique", "distinct"), set(x, x->condition, "%s[i] != %s[k]", s, s);
            break;
        }
        each(x, q, 0), name(x, "unique", "permutation");
        set(x, x->setup, "unsigned long long seen = 0;");
        set(x, x->condition, "(unsigned)%s[i] < (unsigned)%s && !(seen >> %s[i] & 1) && (seen |= 1ull << %s[i])", s,
            q->length, s, s);
    }
}

static void relations(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_sequence *q)
{
    static const char *const below[] = {"<", "<=", "!="};
    static const int parts[] = {4, 8, 16};
    const char *s = q->array;
    const struct zoo_scalar *field = &z->scalars[zoo_below(&z->rng, (int)z->n_scalars)];
    int near = (q->hi - q->lo) / ZOO_PICK(&z->rng, parts);
    each(x, q, 0);
    switch (zoo_below(&z->rng, 5)) {
    case 0:
        x->loop[0] = x->rounds[0] = '\0';
        name(x, "linear", "length-field"), set(x, x->condition, "%s > 0 && %s[0] == %s", q->length, s, q->length);
        break;
    case 1: name(x, "linear", "palindrome"), set(x, x->condition, "%s[i] == %s[%s - 1 - i]", s, s, q->length); break;
    case 2:
        each(x, q, 1);
        name(x, "linear", "neighbours-near"),
            set(x, x->condition, "distance(%s[i], %s[i - 1]) <= %d", s, s, near > 1 ? near : 1);
        break;
    case 3:
        x->parts |= field->parts;
        name(x, "linear", "elements-below"),
            set(x, x->condition, "%s[i] %s %s", s, ZOO_PICK(&z->rng, below), field->expr);
        break;
    default:
        name(x, "balance", "prefix-sums"), set(x, x->setup, "int sum = 0;");
        set(x, x->condition, "(sum += %s[i] >= %d ? 1 : -1) >= 0", s, (q->lo + q->hi + 1) / 2);
    }
}

static void on_text(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_sequence *q)
{
    char literal[4] = "";
    int n = q->shortest > 3 ? 3 : q->shortest > 0 ? q->shortest : 1;
    n = zoo_between(&z->rng, 1, n);
    for (int i = 0; i < n; i++) literal[i] = q->alphabet[zoo_below(&z->rng, (int)strlen(q->alphabet))];
    name(x, "literal", "prefix-text"), set(x, x->condition, "strncmp(%s, \"%s\", %d) == 0", q->array, literal, n);
}

/* Of two sequences of one length. */
static bool two_sequences(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_sequence *q)
{
    static const char *const by[] = {"<=", "<", ">", "!="};
    for (unsigned i = 0; i < z->n_sequences; i++) {
        const struct zoo_sequence *o = &z->sequences[i];
        if (o == q || o->is_for_bugs || strcmp(o->length, q->length) != 0) continue;
        if (zoo_percent(&z->rng, 50)) {
            each(x, q, 0), name(x, "linear", "pairwise");
            set(x, x->condition, "%s[i] %s %s[i]", q->array, ZOO_PICK(&z->rng, by), o->array);
        } else {
            each_pair(x, q), name(x, "unique", "distinct-pairs");
            set(x, x->condition, "%s[i] != %s[k] || %s[i] != %s[k]", q->array, q->array, o->array, o->array);
        }
        return true;
    }
    return false;
}

static const struct zoo_sequence *free_sequence(struct zoo_subject *z)
{
    const struct zoo_sequence *found[ZOO_SEQUENCES];
    int n = 0;
    for (unsigned i = 0; i < z->n_sequences; i++)
        if (!z->sequences[i].is_for_bugs) found[n++] = &z->sequences[i];
    return n ? found[zoo_below(&z->rng, n)] : NULL;
}

static struct zoo_atom over_sequence(struct zoo_subject *z, const struct zoo_sequence *q)
{
    struct zoo_atom x = {.parts = q->parts};
    int how = zoo_below(&z->rng, 21);
    if (how < 2 && two_sequences(z, &x, q)) return x;
    if (q->alphabet && how < 7) on_text(z, &x, q);
    else if (how < 9) orders(z, &x, q);
    else if (how < 13) uniques(z, &x, q);
    else if (how < 17 && !q->alphabet) sums(z, &x, q);
    else if (!q->alphabet) relations(z, &x, q);
    else if (how < 19) orders(z, &x, q);
    else
        each(&x, q, 0), name(&x, "linear", "palindrome"),
            set(&x, x.condition, "%s[i] == %s[%s - 1 - i]", q->array, q->array, q->length);
    return x;
}

/* ---- Which ones */

/* One of those that the parts offer, which is then no longer offered. */
static struct zoo_atom take_offered(struct zoo_subject *z)
{
    int sum = 0;
    for (unsigned i = 0; i < z->n_offered; i++) sum += z->offered[i].weight;
    int at = zoo_below(&z->rng, sum);
    unsigned i = 0;
    while (at >= z->offered[i].weight) at -= z->offered[i++].weight;
    struct zoo_atom taken = z->offered[i];
    memmove(&z->offered[i], &z->offered[i + 1], (z->n_offered - i - 1) * sizeof *z->offered);
    z->n_offered--;
    return taken;
}

void zoo_add_conditions(struct zoo_subject *z)
{
    static const int many[] = {0, 1, 1, 1, 2, 2, 3}, few[] = {0, 0, 1, 2};
    bool is_bound = z->n_required > 0 || z->assumes_calls;
    int n = is_bound ? ZOO_PICK(&z->rng, few) : ZOO_PICK(&z->rng, many);
    bool had_pair = false;
    while (n-- > 0) {
        struct zoo_atom *x = &z->required[z->n_required++];
        const struct zoo_sequence *q = free_sequence(z);
        bool offers = z->n_offered > 0 && !had_pair;
        if (offers && zoo_percent(&z->rng, 65)) *x = take_offered(z);
        else if (q && (zoo_percent(&z->rng, 45) || z->n_scalars < 2)) *x = over_sequence(z, q);
        else *x = over_scalars(z);
        had_pair |= strcmp(x->class, "pair") == 0; /* two relations of one pair mostly exclude each other */
    }
    z->style = zoo_percent(&z->rng, 50) ? ZOO_FUNCTION : zoo_percent(&z->rng, 50) ? ZOO_AND : ZOO_EACH;
    z->is_early = z->n_parts > 1 && zoo_percent(&z->rng, 50);
}
