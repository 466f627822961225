/* Truths: conditions with a distance, and the assumes that take them.
 *
 * The distance is that of "Flexible and Automatic Targeted Property-Based Testing" (DeVoe, Lampropoulos), figure 3:
 * a <= b has b - a, a < b has b - a - 1, a == b has -|a - b|; a conjunction has the least of its parts, a disjunction the
 * greatest; a negation turns the sign, and 0 into -1. The lemma that everything rests on: a distance is 0 or more exactly
 * when the condition is true. Two things differ from the paper for its sake. One of none is false (the paper has true,
 * which its lemma cannot bear). And a < b over doubles has b - a where it holds, which would be below 0 with the
 * paper's 1 taken off whenever the sides are nearer than that.
 *
 * Differences of integers are taken in 128 bits, so nothing overflows and the sign is exact; rounding the result to a
 * double makes no difference zero that is not, and keeps their order. What would be infinite is the largest double. */
#include "case/case.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LESS = 4, EQUAL = 2, GREATER = 1 };
static const double nearly = 4.9406564584124654e-324; /* as near as a strict relation comes without holding */

__extension__ typedef __int128 wide;

static bool is_pointer(sonde_boxed_ x)
{
    return x.kind == SONDE_BOX_TEXT_ || x.kind == SONDE_BOX_POINTER_;
}

static wide integer(sonde_boxed_ x)
{
    return x.kind == SONDE_BOX_INT_ ? (wide)x.as.i : (wide)x.as.u;
}

/* As C converts it. */
static double number(sonde_boxed_ x)
{
    return x.kind == SONDE_BOX_DOUBLE_ ? x.as.d : (double)integer(x);
}

static double bounded(double x)
{
    return x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : x;
}

/* From the amount by which b exceeds a; `step` is what a strict relation needs at least, 0 where there is no least. */
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
    if (isnan(x) || isnan(y)) return relation == (LESS | GREATER) ? 1 : -DBL_MAX;
    double excess = x == y ? 0 : bounded(y - x);
    if (excess == 0 && x != y) excess = x < y ? nearly : -nearly;
    return by_difference(relation, excess, 0);
}

/* How far a text is from another: symbols that must change, each by how much, or come or go. */
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
    return by_difference(relation, order < 0 ? apart : -apart, 1);
}

/* Addresses differ from run to run: only the truth may count. */
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
    wide excess = integer(b) - integer(a);
    /* A strict relation takes off its 1 before rounding: 2^60 + 1 and 2^60 round to one double. */
    if (relation == LESS) return (double)(excess - 1);
    if (relation == GREATER) return (double)(-excess - 1);
    return by_difference(relation, (double)excess, 1);
}

static sonde_truth truth(double d)
{
    return (sonde_truth){.distance = d, .held = d >= 0};
}

sonde_truth sonde_relate_(sonde_boxed_ a, unsigned relation, sonde_boxed_ b)
{
    return truth(distance(a, relation, b) + 0.0); /* no -0 */
}

/* The relation of C: what the usual conversions make of the sides is done already, by casts; where the distance and
 * C disagree (long double) only the truth counts. */
sonde_truth sonde_relate_as_(sonde_boxed_ a, unsigned relation, sonde_boxed_ b, bool holds)
{
    bool is_number = a.kind != SONDE_BOX_POINTER_ && b.kind != SONDE_BOX_POINTER_;
    sonde_truth x = is_number ? sonde_relate_(a, relation, b) : sonde_truth_of_(holds);
    return (x.distance >= 0) == holds ? x : sonde_truth_of_(holds);
}

sonde_boxed_ sonde_box_long_(long double value)
{
    return sonde_box_double_((double)value);
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
    return truth(x.distance == 0 ? -1 : -x.distance);
}

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
    return best;
}

void sonde_assume_truth_(sonde *t, sonde_truth truth, const char *file, int line, const char *condition)
{
    if (!t) sonde_case_misplaced(t, "sonde_assume_that", "");
    sonde_case_distance(t, truth.distance);
    if (truth.distance >= 0) {
        t->assumes_passed++;
        return;
    }
    sonde_case_rejected(t, truth, (struct sonde_rejection){.file = file, .line = line, .condition = condition});
}
