/* Judges the evidence about a branch that valid cases reach and never take: what its comparison would need, and why it
 * does not get it. Pure functions. */
#ifndef SONDE_BLOCKERS_CAUSE_H
#define SONDE_BLOCKERS_CAUSE_H

#include "blockers/probe.h"

/* The relation of one side of a comparison to the other one that no run had. */
struct sonde_blocker_need {
    const char *relation; /* "==", ">=" and the like. For a branch on > it is ">=", which is weaker, if the sides were
                             never equal. */
    const char *other;    /* the relation in the other order, if both are possible and it is not the same; else NULL */
    bool is_unsigned;     /* the relation is one of unsigned numbers */
};

/* Returns whether the comparison of a site had all outcomes that it can have, as signed and as unsigned numbers. */
bool sonde_blocker_is_complete(const struct sonde_probed *site);
/* Returns what the branch needs of one side. */
struct sonde_blocker_need sonde_blocker_need(const struct sonde_evidence *evidence, bool is_second_side);
/* Returns the first cause that applies, as blockers.h lists them. */
enum sonde_blocker_cause sonde_blocker_cause(const struct sonde_evidence *evidence);

#endif
