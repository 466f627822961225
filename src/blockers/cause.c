/* See cause.h. */
#include "blockers/cause.h"

#include <string.h>

enum { SIGNED = SONDE_IS_LESS | SONDE_IS_GREATER, UNSIGNED = SONDE_IS_BELOW | SONDE_IS_ABOVE };

/* Returns outcomes of unsigned numbers by the names of signed ones. */
static unsigned as_signed(unsigned seen)
{
    return (seen & SONDE_IS_EQUAL) | (seen & UNSIGNED) * SONDE_IS_LESS / SONDE_IS_BELOW;
}

static bool has_both_sides(unsigned seen, bool is_unsigned)
{
    return ((is_unsigned ? as_signed(seen) : seen) & SIGNED) == SIGNED;
}

/* Returns the outcome of unsigned numbers that one constant side leaves no room for. */
static unsigned impossible(const struct sonde_probed *s)
{
    for (unsigned side = 0; side < 2; side++) {
        uint64_t constant = sonde_compared_unsigned(s->first[side], s->bytes);
        if (!s->is_same[side]) continue;
        if (constant == 0) return side ? SONDE_IS_BELOW : SONDE_IS_ABOVE;
        if (constant == sonde_compared_unsigned(UINT64_MAX, s->bytes)) return side ? SONDE_IS_ABOVE : SONDE_IS_BELOW;
    }
    return 0;
}

/* The cases of a switch are equalities. */
bool sonde_blocker_is_complete(const struct sonde_probed *s)
{
    bool is_signed = (s->seen & SONDE_IS_EQUAL) && has_both_sides(s->seen, false);
    return is_signed && (s->is_switch || has_both_sides(s->seen | impossible(s), true));
}

/* Returns whether the draws have the order of unsigned numbers in the comparison: a side is a draw that is never
 * negative. A difference of draws, for example, is not in their order. */
static bool is_in_unsigned_order(const struct sonde_evidence *v)
{
    return v->is_copied && !v->has_sign;
}

static const char *relation(unsigned seen, bool is_second_side)
{
    bool is_less = seen & (is_second_side ? SONDE_IS_GREATER : SONDE_IS_LESS);
    bool is_greater = seen & (is_second_side ? SONDE_IS_LESS : SONDE_IS_GREATER);
    bool is_equal = seen & SONDE_IS_EQUAL;
    if (is_less && is_greater) return "==";
    if (is_less) return is_equal ? ">" : ">=";
    if (is_greater) return is_equal ? "<" : "<=";
    return "!=";
}

/* A run that took the branch may have had any outcome. Values on one side, in either order, are what an equality needs,
 * and a comparison in that order. */
struct sonde_blocker_need sonde_blocker_need(const struct sonde_evidence *v, bool is_second_side)
{
    unsigned seen = v->is_taken || v->is_guarded ? v->site->seen : v->seen, known = seen | impossible(v->site);
    const char *of[2] = {relation(seen, is_second_side), relation(as_signed(seen), is_second_side)};
    bool is_open[2] = {has_both_sides(known, false), has_both_sides(known, true)};
    bool order = is_open[0] != is_open[1] ? is_open[0]
                 : is_open[0]             ? is_in_unsigned_order(v)
                                          : v->is_unsigned && v->is_copied;
    bool is_either = !is_open[0] && !is_open[1] && strcmp(of[0], of[1]) != 0;
    return (struct sonde_blocker_need){of[order], is_either ? of[!order] : NULL, order};
}

enum sonde_blocker_cause sonde_blocker_cause(const struct sonde_evidence *v)
{
    if (v->is_taken) return SONDE_BLOCKER_MISSED;
    if (v->is_guarded) return SONDE_BLOCKER_ASSUME;
    if (v->n_discarded) return SONDE_BLOCKER_OPEN; /* any of these might get there */
    if (v->n_movers == 0) return SONDE_BLOCKER_CONSTANT;
    if (v->n_movers == 1 && v->is_copied && v->lacks) return SONDE_BLOCKER_RANGE;
    /* Values on both sides, in the order of the draws: one between them may take the branch. Equal sides are not
     * enough: they did not. */
    return has_both_sides(v->seen, is_in_unsigned_order(v)) ? SONDE_BLOCKER_OPEN : SONDE_BLOCKER_RANGE;
}
