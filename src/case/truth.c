/* Truths: conditions with a distance, and the assumes that take them.
 *
 * The distance follows "Flexible and Automatic Targeted Property-Based Testing" (DeVoe, Lampropoulos), figure 3:
 *   - a <= b has b - a, a < b has b - a - 1, a == b has -|a - b|;
 *   - a conjunction has the least distance of its parts, a disjunction the greatest;
 *   - a negation turns the sign, and 0 into -1.
 * The lemma: a distance is 0 or more exactly when the condition is true. To keep it, two rules differ from the paper.
 * sonde_any_of without parts is false; the paper has true, which contradicts its lemma. And a < b over doubles has b -
 * a if it holds. With the paper's - 1, that would be below 0 for sides less than 1 apart.
 *
 * Differences of integers are taken in 128 bits, so nothing overflows and the sign is exact. Rounding to a double turns
 * no nonzero difference into 0 and keeps their order. Infinite differences become the largest double.
 *
 * | section of the paper | function | difference |
 * | figure 3, relations | by_difference, distance | a < b over doubles; pointers have only truth |
 * | figure 3, and, or, not | sonde_all_of, sonde_any_of, sonde_truth_not_ | any of none is false |
 * | not in the paper | sonde_relate_mod_, sonde_relate_bits_, text_apart | remainders, masks, strings | */
#include "base/wide.h"
#include "case/case.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A relation is a set of orders: <= is LESS | EQUAL. sonde.h and `sonde cc` pass these values. */
enum { LESS = 4, EQUAL = 2, GREATER = 1 };
static const double nearly = 4.9406564584124654e-324; /* smallest distance by which a strict relation can fail */

static bool is_pointer(sonde_boxed_ x)
{
    return x.kind == SONDE_BOX_TEXT_ || x.kind == SONDE_BOX_POINTER_;
}

static sonde_wide integer(sonde_boxed_ x)
{
    return x.kind == SONDE_BOX_INT_ ? (sonde_wide)x.as.i : (sonde_wide)x.as.u;
}

/* Returns the boxed value as C converts it to a double. */
static double number(sonde_boxed_ x)
{
    return x.kind == SONDE_BOX_DOUBLE_ ? x.as.d : sonde_wide_double(integer(x));
}

/* Bounds a distance: differences of distances must stay numbers, and infinity minus infinity is NaN. */
static double bounded(double x)
{
    return x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : x;
}

/* Returns the distance of a relation. `excess` is b - a. `step` is the least difference for which a strict relation
 * holds, 0 if there is no least difference. */
static double by_difference(unsigned relation, double excess, double step)
{
    double apart = fabs(excess);
    switch (relation) {
    case EQUAL: return -apart;
    case LESS | GREATER: return apart > 0 ? apart : -1;
    case LESS | EQUAL: return excess;
    case GREATER | EQUAL: return -excess;
    case LESS: return step > 0 ? excess - step : excess > 0 ? excess : excess - nearly;
    default: return step > 0 ? -excess - step : excess < 0 ? -excess : -excess - nearly;
    }
}

static double relate_floating(sonde_boxed_ a, unsigned relation, sonde_boxed_ b)
{
    double x = number(a), y = number(b);
    /* NaN is unequal to everything and in no other relation; it has no meaningful distance. */
    if (isnan(x) || isnan(y)) return relation == (LESS | GREATER) ? 1 : -DBL_MAX;
    double excess = x == y ? 0 : bounded(y - x);
    /* Denormal differences can round to 0 when flush-to-zero is on. */
    if (excess == 0 && x != y) excess = x < y ? nearly : -nearly;
    return by_difference(relation, excess, 0);
}

/* Returns how far apart two strings are: the sum of the differences between bytes, plus 256 for each byte to add or
 * remove. */
static double text_apart(const char *a, const char *b)
{
    double apart = 0;
    size_t i = 0;
    for (; a[i] && b[i]; i++) apart += fabs((double)(unsigned char)a[i] - (double)(unsigned char)b[i]);
    return apart + 256 * (double)(strlen(a + i) + strlen(b + i));
}

static double relate_text(const char *a, unsigned relation, const char *b)
{
    int order = !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
    double apart = order == 0 ? 0 : a && b ? text_apart(a, b) : 1e6;
    /* 1e6 above is the distance of NULL: far from every string, but not infinitely far. */
    return by_difference(relation, order < 0 ? apart : -apart, 1);
}

/* Returns the distance of a relation between addresses: 1 or -1, because their difference varies from run to run. */
static double relate_addresses(uintptr_t a, unsigned relation, uintptr_t b)
{
    unsigned order = a < b ? LESS : a == b ? EQUAL : GREATER;
    return order & relation ? 1 : -1;
}

static uintptr_t address(sonde_boxed_ x)
{
    return is_pointer(x) ? (uintptr_t)x.as.p : (uintptr_t)x.as.u;
}

static double distance(sonde_boxed_ a, unsigned relation, sonde_boxed_ b)
{
    if (a.kind == SONDE_BOX_TEXT_ && b.kind == SONDE_BOX_TEXT_) return relate_text(a.as.p, relation, b.as.p);
    if (is_pointer(a) || is_pointer(b)) return relate_addresses(address(a), relation, address(b));
    if (a.kind == SONDE_BOX_DOUBLE_ || b.kind == SONDE_BOX_DOUBLE_) return relate_floating(a, relation, b);
    sonde_wide excess = integer(b) - integer(a);
    /* For a strict relation, 1 is subtracted before rounding: 2^60 + 1 and 2^60 round to one double. */
    if (relation == LESS) return sonde_wide_double(excess - 1);
    if (relation == GREATER) return sonde_wide_double(-excess - 1);
    return by_difference(relation, sonde_wide_double(excess), 1);
}

/* ---- Comparisons */

_Thread_local sonde *sonde_comparing;

uint32_t sonde_case_calls(void)
{
    return sonde_comparing ? ++sonde_comparing->n_calls : 0;
}

/* Records which side is greater and by how much, which the distance of an equality does not show. Returns the number of
 * the comparison. */
static uint32_t note_equality(unsigned relation, sonde_boxed_ a, sonde_boxed_ b, const void *place)
{
    bool are_numbers = !is_pointer(a) && !is_pointer(b);
    if (relation != EQUAL || !are_numbers || !sonde_comparing) return 0;
    bool are_doubles = a.kind == SONDE_BOX_DOUBLE_ || b.kind == SONDE_BOX_DOUBLE_;
    double by = are_doubles ? number(a) - number(b) : sonde_wide_double(integer(a) - integer(b));
    uint32_t call = sonde_case_calls();
    struct sonde_compared sides = {.place = (uintptr_t)place, .by = by};
    if (!are_doubles) sides.a = a.as.u, sides.b = b.as.u, sides.bytes = sizeof sides.a;
    if (isfinite(by)) sonde_case_compared(sides);
    return call;
}

/* Assigns the comparisons of the condition to the assume that is counted next. Other comparisons since the last assume
 * belong to no assume. */
static void take_compared(sonde *t, uint32_t call)
{
    for (uint32_t i = t->n_taken; i < t->n_compared; i++)
        if (call && t->compared[i].call == call) t->compared[i].assume = t->assumes_passed;
}

static sonde_truth truth(double d)
{
    return (sonde_truth){.distance = d, .held = d >= 0};
}

/* Returns the value as a double, which is precise enough for a distance. */
static sonde_boxed_ as_double(sonde_boxed_ x)
{
    return x.kind == SONDE_BOX_LONG_DOUBLE_ ? sonde_box_double_(x.as.d) : x;
}

sonde_truth sonde_relate_(sonde_boxed_ a, unsigned relation, sonde_boxed_ b)
{
    a = as_double(a);
    b = as_double(b);
    sonde_truth x = truth(distance(a, relation, b) + 0.0); /* no -0 */
    x.call_ = note_equality(relation, a, b, __builtin_return_address(0));
    return x;
}

/* ---- Relations of C, for conditions that `sonde cc` rewrites. The caller passes the
 * truth that C computed. If the distance disagrees with it (a float, a long double), the distance is ignored. */

/* Returns a truth with this distance, unless the distance disagrees with `holds`, the truth that the compiled code
 * computed. */
static sonde_truth agreed(double d, bool holds)
{
    d += 0.0;
    return (d >= 0) == holds ? truth(d) : sonde_truth_of_(holds);
}

static bool is_integer(sonde_boxed_ x)
{
    return x.kind == SONDE_BOX_INT_ || x.kind == SONDE_BOX_UINT_ || x.kind == SONDE_BOX_BOOL_;
}

static bool is_number(sonde_boxed_ x)
{
    return is_integer(x) || x.kind == SONDE_BOX_DOUBLE_;
}

/* The macros of `sonde cc` pass `what`: 0 not a number, 1 signed, 2 unsigned, 3 floating. A value of unknown type
 * becomes a pointer, which has only a truth. */
sonde_boxed_ sonde_box_at_(const void *value, size_t bytes, int what)
{
    union {
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
        uint8_t u1;
        uint16_t u2;
        uint32_t u4;
        uint64_t u8;
        float f;
        double d;
        long double l;
    } x = {.u8 = 0};
    if (what == 0 || bytes > sizeof x || (what < 3 && bytes > 8)) return sonde_box_pointer_(NULL);
    memcpy(&x, value, bytes);
    sonde_boxed_ box;
    if (what == 3) box = sonde_box_double_(bytes == sizeof x.f ? (double)x.f : bytes == sizeof x.d ? x.d : (double)x.l);
    else if (what == 2) box = sonde_box_uint_(bytes == 1 ? x.u1 : bytes == 2 ? x.u2 : bytes == 4 ? x.u4 : x.u8);
    else box = sonde_box_int_(bytes == 1 ? x.i1 : bytes == 2 ? x.i2 : bytes == 4 ? x.i4 : x.i8);
    box.bytes = (uint32_t)bytes;
    return box;
}

/* Returns the value after C's integer promotion: types narrower than int become int. */
static sonde_boxed_ promoted(sonde_boxed_ x)
{
    if (x.bytes >= sizeof(int) || !x.bytes || !is_integer(x)) return x;
    sonde_boxed_ wider = sonde_box_int_((long long)integer(x));
    wider.bytes = sizeof(int);
    return wider;
}

/* Applies C's usual arithmetic conversions: an unsigned type at least as wide as the other type wins. */
static void convert(sonde_boxed_ *a, sonde_boxed_ *b)
{
    *a = promoted(*a);
    *b = promoted(*b);
    for (int side = 0; side < 2; side++) {
        sonde_boxed_ *from = side ? a : b, to = side ? *b : *a;
        if (from->kind != SONDE_BOX_INT_ || to.kind != SONDE_BOX_UINT_ || to.bytes < from->bytes) continue;
        from->kind = SONDE_BOX_UINT_;
        if (to.bytes < 8) from->as.u &= (UINT64_C(1) << 8 * to.bytes) - 1;
    }
}

sonde_truth sonde_relate_as_(sonde_boxed_ a, unsigned relation, sonde_boxed_ b, bool holds)
{
    if (!is_number(a) || !is_number(b)) return sonde_truth_of_(holds);
    convert(&a, &b);
    sonde_truth x = agreed(distance(a, relation, b), holds);
    x.call_ = note_equality(relation, a, b, __builtin_return_address(0));
    return x;
}

/* Returns the distance between remainders. Numbers that differ by the modulus have the same remainder, so the shorter
 * direction counts. */
static double apart_mod(sonde_wide a, sonde_wide b, sonde_wide modulus)
{
    sonde_wide apart = a < b ? b - a : a - b, m = modulus < 0 ? -modulus : modulus;
    return sonde_wide_double(m > apart && m - apart < apart ? m - apart : apart);
}

sonde_truth sonde_relate_mod_(sonde_boxed_ rest, sonde_boxed_ modulus, unsigned relation, sonde_boxed_ want, bool holds)
{
    if (!is_integer(rest) || !is_integer(modulus) || !(is_integer(want) || !relation)) return sonde_truth_of_(holds);
    /* There is no relation: the condition is `x % m` itself. */
    if (!relation) want = sonde_box_int_(0);
    convert(&rest, &want);
    double apart = apart_mod(integer(rest), integer(want), integer(modulus));
    sonde_truth x = agreed(by_difference(relation ? relation : LESS | GREATER, apart, 1), holds);
    x.call_ = note_equality(relation, rest, want, __builtin_return_address(0));
    return x;
}

/* Returns by how much a number that has no bit of the mask must change to have one. */
static double to_next_bit(uint64_t value, uint64_t mask)
{
    double least = DBL_MAX;
    for (uint64_t left = mask; left; left &= left - 1) {
        uint64_t bit = left & (~left + 1), below = value & (bit - 1);
        least = fmin(least, fmin((double)(bit - below), (double)below + 1));
    }
    return least;
}

/* The distance is the number of bits that differ. A mask of the lowest bits is treated as a modulus that is a power of
 * two. */
sonde_truth sonde_relate_bits_(sonde_boxed_ value, sonde_boxed_ mask, unsigned relation, sonde_boxed_ want, bool holds)
{
    if (!is_integer(value) || !is_integer(mask) || (relation && !is_integer(want))) return sonde_truth_of_(holds);
    uint64_t m = mask.as.u, v = value.as.u;
    if (!relation) return agreed(v & m ? __builtin_popcountll(v & m) : m ? -to_next_bit(v, m) : -1, holds);
    convert(&value, &want);
    double apart = __builtin_popcountll(value.as.u ^ want.as.u);
    if ((m & (m + 1)) == 0 && m + 1) apart = apart_mod(integer(value), integer(want), (sonde_wide)m + 1);
    sonde_truth x = agreed(by_difference(relation, apart, 1), holds);
    x.call_ = note_equality(relation, value, want, __builtin_return_address(0));
    return x;
}

/* The condition x means x != 0. */
sonde_truth sonde_truth_number_(sonde_boxed_ value, bool holds)
{
    if (!is_number(value)) return sonde_truth_of_(holds);
    return agreed(distance(value, LESS | GREATER, sonde_box_int_(0)), holds);
}

sonde_truth sonde_truth_and_(sonde_truth a, sonde_truth b)
{
    return sonde_all_of((const sonde_truth[]){a, b}, 2);
}

sonde_truth sonde_truth_or_(sonde_truth a, sonde_truth b)
{
    return sonde_any_of((const sonde_truth[]){a, b}, 2);
}

sonde_truth sonde_truth_of_(bool holds)
{
    return truth(holds ? 1 : -1);
}

sonde_truth sonde_truth_same_(sonde_truth x)
{
    return x;
}

sonde_truth sonde_truth_not_(sonde_truth x)
{
    sonde_truth opposite = truth(x.distance == 0 ? -1 : -x.distance);
    opposite.call_ = x.call_;
    return opposite;
}

/* `held` counts the parts that held. Of two conditions with equal distances, the one with more such parts is nearer to
 * the goal. */
sonde_truth sonde_all_of(const sonde_truth *parts, size_t n)
{
    sonde_truth all = {.distance = n ? parts[0].distance : 1};
    for (size_t i = 0; i < n; i++) {
        if (parts[i].distance < all.distance) all.distance = parts[i].distance;
        all.held += parts[i].held;
    }
    return all;
}

sonde_truth sonde_any_of(const sonde_truth *parts, size_t n)
{
    sonde_truth best = truth(-1);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || parts[i].distance > best.distance) best = parts[i];
    best.call_ = 0; /* refers to no comparison, because no single one decides the result */
    return best;
}

void sonde_assume_truth_(sonde *t, sonde_truth truth, const char *file, int line, const char *condition)
{
    if (!t) sonde_case_misplaced(t, "sonde_assume_that", "");
    sonde_case_distance(t, truth.distance);
    take_compared(t, truth.call_);
    t->n_taken = t->n_compared;
    if (truth.distance >= 0) {
        t->assumes_passed++;
        return;
    }
    struct sonde_rejection where = {.file = file, .line = line, .condition = condition};
    if (!t->lifts) sonde_case_rejected(t, truth, where);
    if (!t->lifted.line) t->lifted = where;
}

void sonde_assume_parts_(sonde *t, const sonde_truth *parts, unsigned n, const char *file, int line,
                         const char *condition)
{
    unsigned i = 0;
    for (; t && i + 1 < n && parts[i].distance >= 0; i++) {
        sonde_case_distance(t, parts[i].distance);
        take_compared(t, parts[i].call_);
        t->assumes_passed++;
    }
    sonde_assume_truth_(t, parts[i], file, line, condition);
}

/* ---- Checks that measure how far they are from failing */

/* Distances of checks cost time in every case; only guides that want margins pay for them. */
bool sonde_measures_(sonde *t)
{
    return t && t->guide && t->guide->wants & SONDE_WANT_MARGINS;
}

/* Records the least margin of this case for each condition; a margin below 0 is a failure. */
static void keep_margin(sonde *t, double margin, const char *place)
{
    t->n_compared = t->n_taken; /* drops comparisons made by a check: they belong to no assume */
    uint32_t id = t->owner == sonde_this_thread() ? sonde_label_id(t->labels, place) : 0;
    if (!id) return;
    for (uint32_t i = 0; i < t->n_margins; i++) {
        if (t->margins[i].label != id) continue;
        if (-margin > t->margins[i].value) t->margins[i].value = -margin;
        return;
    }
    if (t->n_margins == SONDE_CASE_TARGETS) return;
    t->margins[t->n_margins++] = (struct sonde_target_value){.label = id, .value = -margin};
}

void sonde_check_truth_(sonde *t, sonde_truth truth, const char *file, int line, const char *condition)
{
    keep_margin(t, truth.distance, condition);
    if (truth.distance < 0) sonde_falsify_(t, file, line, condition);
}

bool sonde_expect_truth_(sonde *t, sonde_truth truth, const char *file, int line, const char *condition)
{
    keep_margin(t, truth.distance, condition);
    return truth.distance >= 0 || sonde_unexpected_(t, file, line, condition);
}
