/* See learn_value.h. The order of values matters because relations (<, =, >) between draws are learned. Indices are in
 * the order of simplicity, not of size. */
#include "guide/rl/learn_value.h"

#include "tape/order.h"
#include "tape/tape.h"

int64_t sonde_learn_value(const struct sonde_tape *tape, const struct sonde_choice *point, uint64_t index)
{
    switch (point->kind) {
    case SONDE_KIND_INT: return sonde_int_value((int64_t)point->base, point->max, index);
    /* With the top bit flipped, the signed order is the order of the unsigned numbers. */
    case SONDE_KIND_UINT: return (int64_t)((point->base + index) ^ (UINT64_C(1) << 63));
    case SONDE_KIND_LENGTH: return (int64_t)(point->base + index);
    case SONDE_KIND_DOUBLE: return sonde_learn_double_key(sonde_double_value(sonde_choice_bounds(tape, point), index));
    default: return (int64_t)index;
    }
}

uint64_t sonde_learn_index(const struct sonde_tape *tape, const struct sonde_choice *point, int64_t value)
{
    switch (point->kind) {
    case SONDE_KIND_INT: return sonde_int_index((int64_t)point->base, point->max, value);
    case SONDE_KIND_UINT: return ((uint64_t)value ^ (UINT64_C(1) << 63)) - point->base;
    case SONDE_KIND_LENGTH: return (uint64_t)value - point->base;
    case SONDE_KIND_DOUBLE: return sonde_double_index(sonde_choice_bounds(tape, point), sonde_learn_key_double(value));
    default: return (uint64_t)value;
    }
}

/* Reports whether indices stand for 0, 1, -1, 2, -2, ... which they do only if the domain has both signs. */
static bool is_zigzag(const struct sonde_choice *point)
{
    int64_t lo = (int64_t)point->base;
    return point->kind == SONDE_KIND_INT && lo < 0 && (int64_t)((uint64_t)lo + point->max) > 0;
}

uint32_t sonde_learn_bucket(const struct sonde_choice *point, uint64_t index)
{
    if (point->max < SONDE_LEARN_NARROW) return (uint32_t)index;
    unsigned by = sonde_learn_stride(point->max);
    if (!is_zigzag(point)) return (sonde_learn_bits(index) + by - 1) / by;
    /* Each order of magnitude has a bucket for each sign. Odd buckets are positive, even ones negative, as long as the
     * indices alternate between the two sides. */
    uint32_t bucket = 2 * ((sonde_learn_bits((index + 1) / 2) + by - 1) / by) + (uint32_t)(index & 1);
    return bucket < SONDE_LEARN_NARROW ? bucket : SONDE_LEARN_NARROW - 1;
}
