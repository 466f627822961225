/* The atoms that faults are made of: values, relations, shapes, sequences. Which of them make a fault is decided by an input in which
 * they hold together (calibrate.c), so each fault can be reached. See grammar.h. */
#include "zoo/grammar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SET(field, ...) snprintf((field), sizeof(field), __VA_ARGS__)

static void each(struct zoo_atom *x, const struct zoo_sequence *q, int from)
{
    SET(x->loop, "for (int i = %d; i < %s; i++)", from, q->length);
}

static const struct zoo_scalar *scalar_of(struct zoo_subject *z, bool is_shape)
{
    const struct zoo_scalar *found[ZOO_SCALARS];
    int n = 0;
    for (unsigned i = 0; i < z->n_scalars; i++)
        if (z->scalars[i].is_shape == is_shape) found[n++] = &z->scalars[i];
    return n ? found[zoo_below(&z->rng, n)] : NULL;
}

static const struct zoo_sequence *any_sequence(struct zoo_subject *z)
{
    return z->n_sequences ? &z->sequences[zoo_below(&z->rng, (int)z->n_sequences)] : NULL;
}

/* ---- A value */

static void value_of_scalar(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_scalar *s)
{
    static const int moduli[] = {3, 5, 8, 11}, tops[] = {5, 10, 30}, bands[] = {5, 20, 60};
    int span = s->hi - s->lo, k = zoo_between(&z->rng, s->lo, s->hi), modulus = ZOO_PICK(&z->rng, moduli);
    int top = span / ZOO_PICK(&z->rng, tops), band = span / ZOO_PICK(&z->rng, bands), how = zoo_below(&z->rng, 4);
    if (how == 0 && span <= 1100) x->kind = "is", SET(x->condition, "%s == %d", s->expr, k);
    else if (how == 1 && span >= 6)
        x->kind = "modulus", SET(x->condition, "%s %% %d == %d", s->expr, modulus, zoo_below(&z->rng, modulus));
    else if (how == 2 && span >= 3) x->kind = "top", SET(x->condition, "%s > %d", s->expr, s->hi - (top > 1 ? top : 1));
    else x->kind = "band", SET(x->condition, "%s >= %d && %s < %d", s->expr, k, s->expr, k + (band > 1 ? band : 1));
}

static void value_of_element(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_sequence *q)
{
    static const int tops[] = {5, 10, 20};
    char compared[32];
    int k =
        q->alphabet ? q->alphabet[zoo_below(&z->rng, (int)strlen(q->alphabet))] : zoo_between(&z->rng, q->lo, q->hi);
    int at = zoo_below(&z->rng, q->longest > 4 ? 4 : q->longest > 0 ? q->longest : 1);
    int above = q->hi - (q->hi - q->lo) / ZOO_PICK(&z->rng, tops);
    if (q->hi - q->lo <= 300 || zoo_percent(&z->rng, 30)) SET(compared, "== %d", k);
    else SET(compared, "> %d", above);
    switch (zoo_below(&z->rng, 3)) {
    case 0:
        x->kind = "element", SET(x->condition, "%s > %d && %s[%d] %s", q->length, at, q->array, at, compared);
        break;
    case 1:
        x->kind = "last", SET(x->condition, "%s > 0 && %s[%s - 1] %s", q->length, q->array, q->length, compared);
        break;
    default: each(x, q, 0), x->kind = "some", SET(x->condition, "%s[i] %s", q->array, compared);
    }
}

static bool add_value(struct zoo_subject *z, struct zoo_atom *x)
{
    const struct zoo_scalar *s = scalar_of(z, false);
    const struct zoo_sequence *q = any_sequence(z);
    x->class = "value";
    if (s && (!q || zoo_percent(&z->rng, 50))) value_of_scalar(z, x, s);
    else if (q) value_of_element(z, x, q);
    else return false;
    return true;
}

/* ---- A relation */

static void relate_elements(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_sequence *q)
{
    const char *s = q->array;
    int back = zoo_between(&z->rng, 1, 3);
    switch (zoo_below(&z->rng, 5)) {
    case 0: each(x, q, back), x->kind = "repeat", SET(x->condition, "%s[i] == %s[i - %d]", s, s, back); break;
    case 1:
        x->kind = "first-last";
        SET(x->condition, "%s > 2 && %s[0] %s %s[%s - 1]", q->length, s, zoo_percent(&z->rng, 50) ? "==" : "> 1 +", s,
            q->length);
        break;
    case 2:
        each(x, q, 1), x->kind = "double", SET(x->condition, "%s[i] == 2 * %s[i - 1] && %s[i] != 0", s, s, s);
        break;
    case 3: each(x, q, 2), x->kind = "index", SET(x->condition, "%s[i] == i", s); break;
    default: each(x, q, 2), x->kind = "sum-of-two-before", SET(x->condition, "%s[i] == %s[i - 1] + %s[i - 2]", s, s, s);
    }
}

static void relate_scalars(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_scalar *a,
                           const struct zoo_scalar *b)
{
    static const int tenths[] = {4, 7, 9};
    long far_a = labs(a->lo) > labs(a->hi) ? labs(a->lo) : labs(a->hi),
         far_b = labs(b->lo) > labs(b->hi) ? labs(b->lo) : labs(b->hi);
    long product = far_a * far_b * ZOO_PICK(&z->rng, tenths) / 10,
         gap = (long)(a->hi - b->lo) * ZOO_PICK(&z->rng, tenths) / 10;
    switch (zoo_below(&z->rng, 4)) {
    case 0: x->kind = "equal", SET(x->condition, "%s == %s", a->expr, b->expr); break;
    case 1: x->kind = "offset", SET(x->condition, "%s == %s + %d", a->expr, b->expr, zoo_between(&z->rng, 1, 5)); break;
    case 2:
        x->kind = "product", SET(x->condition, "(long)%s * %s > %ld", a->expr, b->expr, product > 1 ? product : 1);
        break;
    default: x->kind = "gap", SET(x->condition, "%s - %s > %ld", a->expr, b->expr, gap > 1 ? gap : 1);
    }
}

static bool add_relation(struct zoo_subject *z, struct zoo_atom *x)
{
    const struct zoo_sequence *q = any_sequence(z);
    x->class = "relation";
    if (q && (z->n_scalars < 2 || zoo_percent(&z->rng, 60))) {
        relate_elements(z, x, q);
        return true;
    }
    if (z->n_scalars < 2) return false;
    int a = zoo_below(&z->rng, (int)z->n_scalars), b = zoo_below(&z->rng, (int)z->n_scalars - 1);
    relate_scalars(z, x, &z->scalars[a], &z->scalars[b + (b >= a)]);
    return true;
}

/* ---- A shape, a sequence */

static bool add_shape(struct zoo_subject *z, struct zoo_atom *x)
{
    const struct zoo_scalar *s = scalar_of(z, true);
    if (!s) return false;
    int k = s->usual >= 0 ? s->usual + zoo_below(&z->rng, 3) : zoo_between(&z->rng, s->lo, s->hi);
    x->class = "shape", x->kind = "count";
    SET(x->condition, "%s %s %d", s->expr, zoo_percent(&z->rng, 50) ? "==" : ">=", k > s->lo ? k : s->lo);
    return true;
}

static void element_class(struct zoo_subject *z, char *out, size_t size, const struct zoo_sequence *q)
{
    int span = q->hi - q->lo;
    if (q->alphabet)
        snprintf(out, size, "%s[i] == '%c'", q->array, q->alphabet[zoo_below(&z->rng, (int)strlen(q->alphabet))]);
    else if (span <= 12) snprintf(out, size, "%s[i] == %d", q->array, zoo_between(&z->rng, q->lo, q->hi));
    else switch (zoo_below(&z->rng, 3)) {
        case 0: snprintf(out, size, "%s[i] %% 4 == %d", q->array, zoo_below(&z->rng, 4)); break;
        case 1: snprintf(out, size, "%s[i] > %d", q->array, q->lo + span * 2 / 3); break;
        default: snprintf(out, size, "%s[i] < %d", q->array, q->lo + span / 4);
        }
}

/* Elements of 2 to 4 classes, one after the other, with others between them. */
static void state_machine(struct zoo_subject *z, struct zoo_atom *x, const struct zoo_sequence *q)
{
    int states = zoo_between(&z->rng, 2, 4), n;
    char class[2 * ZOO_NAME];
    n = SET(x->setup, "int state = 0; for (int i = 0; i < %s; i++) switch (state) {", q->length);
    for (int i = 0; i < states; i++) {
        element_class(z, class, sizeof class, q);
        n += snprintf(x->setup + n, sizeof x->setup - (size_t)n, " case %d: state += %s; break;", i, class);
    }
    snprintf(x->setup + n, sizeof x->setup - (size_t)n, " }");
    x->kind = "state-machine", SET(x->condition, "state == %d", states);
}

static bool add_sequence(struct zoo_subject *z, struct zoo_atom *x)
{
    static const char *const by[] = {">", "<", "=="};
    const struct zoo_sequence *q = any_sequence(z);
    if (!q) return false;
    char class[2 * ZOO_NAME];
    int how = zoo_below(&z->rng, 4), n = zoo_between(&z->rng, 2, 4);
    x->class = "sequence";
    if (how < 2) state_machine(z, x, q);
    else if (how == 2) {
        element_class(z, class, sizeof class, q);
        x->kind = "run", SET(x->condition, "most >= %d", n);
        SET(x->setup,
            "int run = 0, most = 0; for (int i = 0; i < %s; i++) { run = %s ? run + 1 : 0; if (run > most) most = run; }",
            q->length, class);
    } else {
        x->kind = "rise", SET(x->condition, "most >= %d", n + 1);
        SET(x->setup,
            "int run = 1, most = 1; for (int i = 1; i < %s; i++) { run = %s[i] %s %s[i - 1] ? run + 1 : 1; if (run > most) most = run; }",
            q->length, q->array, ZOO_PICK(&z->rng, by), q->array);
    }
    return true;
}

/* ---- All of them */

static bool is_known(const struct zoo_subject *z, const struct zoo_atom *x)
{
    for (unsigned i = 0; i < z->n_atoms; i++)
        if (strcmp(z->atoms[i].condition, x->condition) == 0 && strcmp(z->atoms[i].setup, x->setup) == 0) return true;
    return false;
}

void zoo_add_atoms(struct zoo_subject *z)
{
    static bool (*const add[])(struct zoo_subject *, struct zoo_atom *) = {add_value, add_relation, add_shape,
                                                                           add_sequence};
    static const int noises[] = {0, 0, 0, 0, 0, 0, 0, 10, 60, 400};
    for (int tries = 0; tries < 300 && z->n_atoms < ZOO_ATOMS; tries++) {
        struct zoo_atom *x = &z->atoms[z->n_atoms];
        *x = (struct zoo_atom){0};
        if (add[zoo_below(&z->rng, 4)](z, x) && !is_known(z, x)) z->n_atoms++;
    }
    z->bug_style = zoo_percent(&z->rng, 20) ? ZOO_NESTED : (enum zoo_bug_style)zoo_below(&z->rng, ZOO_BUG_STYLES);
    z->is_measured = zoo_percent(&z->rng, 15);
    z->noise = ZOO_PICK(&z->rng, noises);
}
