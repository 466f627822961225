/* Mutation of single choices: neighbours, ends of the range, values of other choices with the same label, values that
 * the code compared, random values. Arithmetic is done on values, not on indices: the neighbour of -3 is -4, not the
 * next number in the order of simplicity. */
#include "base/mem.h"
#include "guide/mutate/mutate.h"
#include "guide/plain/number.h"

enum { WIDE = 255 }; /* in a domain with a larger maximum, half of the random values are special */

static bool is_number(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT || c->kind == SONDE_KIND_LENGTH
           || c->kind == SONDE_KIND_SIZE;
}

/* Returns an index one or two steps up or down, within the range. */
static uint64_t nudged(struct sonde_rng *rng, const struct sonde_choice *c)
{
    uint64_t x = sonde_rng_next(rng), step = 1 + (x & 1), offset = sonde_choice_offset(c);
    bool up = offset == 0 || (offset != c->max && x & 2);
    if (up) offset = c->max - offset < step ? c->max : offset + step;
    else offset = offset < step ? 0 : offset - step;
    return sonde_choice_at(c, offset);
}

/* Returns a length near the current one: a list with a thousand new elements has little in common with one of three. */
static uint64_t any_length(struct sonde_rng *rng, const struct sonde_choice *c)
{
    uint64_t top = 2 * c->index + 8;
    return sonde_rng_upto(rng, top < c->max ? top : c->max);
}

static uint64_t any_index(struct sonde_mutate *m, const struct sonde_tape *script, const struct sonde_choice *c)
{
    struct sonde_view view = {.point = c, .tape = script};
    if (c->kind == SONDE_KIND_LENGTH) return any_length(m->rng, c);
    if (c->kind == SONDE_KIND_DOUBLE || (c->max > WIDE && sonde_rng_upto(m->rng, 1)))
        return sonde_special_index(&m->special, m->rng, &view);
    return sonde_rng_upto(m->rng, c->max);
}

void sonde_mutate_assign(struct sonde_mutate *m, struct sonde_tape *script, uint32_t choice,
                         const struct sonde_tape *other, uint32_t by)
{
    struct sonde_choice *c = &script->choices[choice];
    const struct sonde_choice *o = &other->choices[by];
    bool fits;
    c->flags &= (uint8_t)~SONDE_CHOICE_HOLE;
    if (c->kind != SONDE_KIND_BLOB) {
        bool same = c->kind == o->kind && c->max == o->max && c->base == o->base && c->kind != SONDE_KIND_DOUBLE;
        c->index = same ? o->index : sonde_choice_index(script, c, sonde_choice_value(other, o), &fits);
        return;
    }
    if (o->kind != SONDE_KIND_BLOB) return;
    struct sonde_blob shape = sonde_choice_blob(script, c), from = sonde_choice_blob(other, o);
    uint32_t n = from.len < shape.max ? from.len : shape.max;
    m->symbols = sonde_grow(m->symbols, &m->cap_symbols, (size_t)n + shape.min, sizeof *m->symbols);
    sonde_blob_read(&from, m->symbols, n);
    while (n < shape.min) m->symbols[n++] = 0;
    c->base = sonde_tape_add_blob(script, &shape, m->symbols, n);
    c->index = n - shape.min;
}

/* Returns a choice of this label and kind in a tape; UINT32_MAX if there is none. Searches cyclically from a random
 * choice and takes the first that fits. */
static uint32_t like(struct sonde_rng *rng, const struct sonde_tape *tape, const struct sonde_choice *c)
{
    uint32_t n = tape->n_choices, start = n ? (uint32_t)sonde_rng_upto(rng, n - 1) : 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = start + k < n ? start + k : start + k - n;
        if (tape->choices[i].label == c->label && tape->choices[i].kind == c->kind && &tape->choices[i] != c) return i;
    }
    return UINT32_MAX;
}

/* Takes the value of another choice of the same label, in this or another tape; returns false if there is none. */
static bool take_seen(struct sonde_mutate *m, struct sonde_tape *script, uint32_t choice)
{
    const struct sonde_kept *kept = sonde_rng_upto(m->rng, 1) ? sonde_parents_any(m->parents, m->rng) : NULL;
    const struct sonde_tape *from = kept ? &kept->tape : script;
    uint32_t by = like(m->rng, from, &script->choices[choice]);
    if (by == UINT32_MAX) return false;
    sonde_mutate_assign(m, script, choice, from, by);
    return true;
}

static bool take_hint(struct sonde_mutate *m, const struct sonde_tape *script, struct sonde_choice *c)
{
    struct sonde_value v = sonde_choice_value(script, c);
    struct sonde_hint_number number;
    bool fits;
    if (v.type != SONDE_VALUE_INT && v.type != SONDE_VALUE_UINT) return false;
    if (!sonde_hints_number(m->hints, m->rng, v.as.u, &number)) return false;
    v.as.u = number.with_sign;
    uint64_t index = sonde_choice_index(script, c, v, &fits);
    if (!fits) {
        v.as.u = number.without;
        index = sonde_choice_index(script, c, v, &fits);
    }
    if (fits) c->index = index;
    return fits;
}

bool sonde_mutate_value(struct sonde_mutate *m, struct sonde_tape *script, uint32_t choice)
{
    struct sonde_choice *c = &script->choices[choice];
    if (c->kind == SONDE_KIND_LITERAL || (c->max == 0 && c->kind != SONDE_KIND_BLOB)) return false;
    if (c->kind == SONDE_KIND_BLOB) return sonde_mutate_blob(m, script, choice);
    c->flags &= (uint8_t)~SONDE_CHOICE_HOLE;
    uint64_t before = c->index;
    if (c->max == 1) {
        c->index ^= 1;
        /* Tells the replay that the choices after this one belonged to its old value (tape/script.h). */
        c->flags ^= SONDE_CHOICE_TURNED;
        return true;
    }
    switch (sonde_rng_upto(m->rng, m->hints->n_pairs ? 5 : 4)) {
    case 0: c->index = is_number(c) ? nudged(m->rng, c) : any_index(m, script, c); break;
    case 1:
        c->index = is_number(c) ? sonde_choice_at(c, sonde_rng_upto(m->rng, 1) ? c->max : 0) : any_index(m, script, c);
        break;
    case 2: take_seen(m, script, choice); break;
    case 5:
        if (take_hint(m, script, c)) break;
        /* fall through */
    default: c->index = any_index(m, script, c); break;
    }
    /* A hint or another tape may have given a length that is far off. */
    if (c->kind == SONDE_KIND_LENGTH && c->index > 2 * before + 8) c->index = any_length(m->rng, c);
    if (c->index == before) c->index = any_index(m, script, c);
    return c->index != before;
}
