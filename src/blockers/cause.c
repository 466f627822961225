/* See cause.h. */
#include "blockers/cause.h"

/* A run that took the branch may have had any outcome. */
unsigned sonde_blocker_outcomes(const struct sonde_evidence *v)
{
    return v->is_taken || v->is_guarded ? v->site->seen : v->seen;
}

const char *sonde_blocker_relation(unsigned seen, bool is_second_side)
{
    bool is_less = seen & (is_second_side ? SONDE_SEEN_GREATER : SONDE_SEEN_LESS);
    bool is_greater = seen & (is_second_side ? SONDE_SEEN_LESS : SONDE_SEEN_GREATER);
    bool is_equal = seen & SONDE_SEEN_EQUAL;
    if (is_less && is_greater) return "==";
    if (is_less) return is_equal ? ">" : ">=";
    if (is_greater) return is_equal ? "<" : "<=";
    return "!=";
}

enum sonde_blocker_cause sonde_blocker_cause(const struct sonde_evidence *v)
{
    const unsigned both = SONDE_SEEN_LESS | SONDE_SEEN_GREATER;
    if (v->is_taken) return SONDE_BLOCKER_MISSED;
    if (v->is_guarded) return SONDE_BLOCKER_ASSUME;
    if (v->n_discarded) return SONDE_BLOCKER_OPEN; /* any of these might get there */
    if (v->n_movers == 0) return SONDE_BLOCKER_CONSTANT;
    if (v->n_movers == 1 && v->is_copied && v->lacks) return SONDE_BLOCKER_RANGE;
    /* Values on both sides: one between them may take the branch. Equal sides are not enough: they did not. */
    return (v->seen & both) == both ? SONDE_BLOCKER_OPEN : SONDE_BLOCKER_RANGE;
}
