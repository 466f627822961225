/* Judges the evidence about a branch that valid cases reach and never take: what its comparison would need, and why it
 * does not get it. Pure functions. */
#ifndef SONDE_BLOCKERS_CAUSE_H
#define SONDE_BLOCKERS_CAUSE_H

#include "blockers/probe.h"

/* Returns the outcomes of the comparison in runs that did not take the branch, SONDE_SEEN_*. */
unsigned sonde_blocker_outcomes(const struct sonde_evidence *evidence);
/* Returns what a side of the comparison must be, to the other one, for an outcome that is not in `seen`: "==", ">=" and
 * the like. For a branch on > it returns ">=", which is weaker, if the sides were never equal. */
const char *sonde_blocker_relation(unsigned seen, bool is_second_side);
/* Returns the first cause that applies, as blockers.h lists them. */
enum sonde_blocker_cause sonde_blocker_cause(const struct sonde_evidence *evidence);

#endif
