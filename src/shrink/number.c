/* Numbers in a tape: which number a choice represents, and which index represents a number. A `number` is a choice
 * whose indices are ordered by value. An `amount` can be added (doubles by their whole part). All arithmetic is in 128
 * bits, so that the sum of two 64-bit values cannot overflow. */
#include "shrink/pass.h"

#include <math.h>

#define LARGEST_WHOLE 0x1p51 /* doubles of this size and above have no fraction worth keeping */

/* A pick counts as a number by its index: 0 is the simplest alternative. */
bool sonde_number(const struct sonde_tape *tape, uint32_t choice, sonde_wide *value)
{
    sonde_assert(choice < tape->n_choices);
    const struct sonde_choice *c = &tape->choices[choice];
    switch (c->kind) {
    case SONDE_KIND_INT: *value = sonde_int_value((int64_t)c->base, c->max, c->index); return true;
    case SONDE_KIND_UINT: *value = (sonde_wide)c->base + c->index; return true;
    case SONDE_KIND_PICK:
    case SONDE_KIND_WEIGHTED: *value = c->index; return true;
    default: return false;
    }
}

void sonde_number_range(const struct sonde_tape *tape, uint32_t choice, sonde_wide *lo, sonde_wide *hi)
{
    const struct sonde_choice *c = &tape->choices[choice];
    *lo = c->kind == SONDE_KIND_INT    ? (sonde_wide)(int64_t)c->base
          : c->kind == SONDE_KIND_UINT ? (sonde_wide)c->base
                                       : 0;
    *hi = *lo + c->max;
}

bool sonde_number_index(const struct sonde_tape *tape, uint32_t choice, sonde_wide value, uint64_t *index)
{
    const struct sonde_choice *c = &tape->choices[choice];
    sonde_wide lo, hi;
    sonde_number_range(tape, choice, &lo, &hi);
    if (value < lo || value > hi) return false;
    *index =
        c->kind == SONDE_KIND_INT ? sonde_int_index((int64_t)c->base, c->max, (int64_t)value) : (uint64_t)(value - lo);
    return true;
}

/* ---- Amounts */

bool sonde_amount(const struct sonde_tape *t, uint32_t i, sonde_wide *value)
{
    if (i >= t->n_choices || t->choices[i].max == 0) return false;
    if (t->choices[i].kind == SONDE_KIND_DOUBLE) {
        double x = sonde_choice_value(t, &t->choices[i]).as.d;
        *value = fabs(x) < LARGEST_WHOLE ? (int64_t)x : 0;
        return fabs(x) < LARGEST_WHOLE;
    }
    return t->choices[i].kind != SONDE_KIND_WEIGHTED && sonde_number(t, i, value);
}

/* Whole parts are limited to 2^51: a larger double has no fraction worth keeping. */
void sonde_amount_range(const struct sonde_tape *t, uint32_t i, sonde_wide *lo, sonde_wide *hi)
{
    if (t->choices[i].kind != SONDE_KIND_DOUBLE) {
        sonde_number_range(t, i, lo, hi);
        return;
    }
    struct sonde_double_bounds b = sonde_choice_bounds(t, &t->choices[i]);
    *lo = (int64_t)ceil(b.lo < -LARGEST_WHOLE ? -LARGEST_WHOLE : b.lo);
    *hi = (int64_t)floor(b.hi > LARGEST_WHOLE ? LARGEST_WHOLE : b.hi);
}

/* The fraction of a double stays: 2.5 lowered by one is 1.5. */
bool sonde_edit_amount(struct sonde_shrinker *s, uint32_t i, sonde_wide value)
{
    uint64_t index;
    bool fits;
    const struct sonde_choice *c = &s->best.choices[i];
    if (c->kind == SONDE_KIND_DOUBLE) {
        double x = sonde_choice_value(&s->best, c).as.d;
        struct sonde_value moved = {.type = SONDE_VALUE_DOUBLE, .as.d = sonde_wide_double(value) + (x - trunc(x))};
        index = sonde_choice_index(&s->best, c, moved, &fits);
        if (!fits) return false;
    } else if (!sonde_number_index(&s->best, i, value, &index)) {
        return false;
    }
    sonde_edit_set(s, i, index);
    return true;
}
