/* See number.h. Used by guides that compute with values (`target`, `rl`): distances and steps are
 * numbers, indices are not. */
#include "guide/plain/number.h"

#include <math.h>

/* Numbers beyond 2^53 are rounded: distances and slopes need no more. */
double sonde_choice_number(const struct sonde_tape *tape, const struct sonde_choice *c)
{
    if (c->kind == SONDE_KIND_BLOB || c->kind == SONDE_KIND_LITERAL) return NAN;
    struct sonde_value v = sonde_choice_value(tape, c);
    switch (v.type) {
    case SONDE_VALUE_INT: return (double)v.as.i;
    case SONDE_VALUE_UINT: return (double)v.as.u;
    case SONDE_VALUE_BOOL: return v.as.b;
    /* NaN would make every sum NaN. */
    case SONDE_VALUE_DOUBLE: return isnan(v.as.d) ? 0 : v.as.d;
    default: return NAN;
    }
}

/* Leaves the index unchanged if the number does not fit. For integers, a fraction is cut off. In both cases the
 * choice is not a hole any more. */
bool sonde_choice_set_number(struct sonde_tape *tape, uint32_t choice, double value)
{
    struct sonde_choice *c = &tape->choices[choice];
    struct sonde_value v = sonde_choice_value(tape, c);
    bool fits;
    c->flags &= (uint8_t)~SONDE_CHOICE_HOLE;
    switch (v.type) {
    case SONDE_VALUE_INT:
        /* Converting a double outside of the type's range is undefined behaviour. */
        if (!(value >= -0x1p63 && value < 0x1p63)) return false;
        v.as.i = (int64_t)value;
        break;
    case SONDE_VALUE_UINT:
        if (!(value >= 0 && value < 0x1p64)) return false;
        v.as.u = (uint64_t)value;
        break;
    case SONDE_VALUE_BOOL:
        if (value != 0 && value != 1) return false;
        v.as.b = value != 0;
        break;
    case SONDE_VALUE_DOUBLE: v.as.d = value; break;
    default: return false;
    }
    uint64_t index = sonde_choice_index(tape, c, v, &fits);
    if (fits) c->index = index;
    return fits;
}

uint64_t sonde_choice_offset(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_INT ? (uint64_t)sonde_int_value((int64_t)c->base, c->max, c->index) - c->base
                                     : c->index;
}

uint64_t sonde_choice_at(const struct sonde_choice *c, uint64_t offset)
{
    sonde_assert(offset <= c->max);
    return c->kind == SONDE_KIND_INT ? sonde_int_index((int64_t)c->base, c->max, (int64_t)(c->base + offset)) : offset;
}

/* Moves by value, not by index: a step of 8 in a signed domain is 8, not eight indices in the order 0, 1, -1, ... */
void sonde_choice_move(struct sonde_tape *tape, uint32_t choice, double by)
{
    struct sonde_choice *c = &tape->choices[choice];
    c->flags &= (uint8_t)~SONDE_CHOICE_HOLE;
    if (c->kind == SONDE_KIND_DOUBLE) {
        struct sonde_double_bounds b = sonde_choice_bounds(tape, c);
        double value = sonde_double_value(b, c->index) + by;
        if (!isnan(value)) c->index = sonde_double_index(b, fmin(fmax(value, b.lo), b.hi));
        return;
    }
    uint64_t at = sonde_choice_offset(c), step = fabs(by) < 0x1p64 ? (uint64_t)fabs(by) : UINT64_MAX;
    /* A step below one would not move an integer at all. */
    if (step == 0) step = 1;
    if (by > 0) at = c->max - at < step ? c->max : at + step;
    else at = at < step ? 0 : at - step;
    c->index = sonde_choice_at(c, at);
}
