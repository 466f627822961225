/* Finds out why valid cases never take a branch that they reach: --blockers.
 *
 * Inputs of the search are run again, with every comparison recorded. For each branch (branches.h), inputs that make
 * its comparison are changed (probe.h). The results show the cause, the first of these that applies:
 *
 * - missed: a valid input takes the branch, and the search did not try it;
 * - assume: an input takes the branch with an assume lifted;
 * - constant: no change of a draw changes the compared values;
 * - range: draws change them, but at the ends of the ranges the comparison comes out the same way;
 * - open: draws change them, and nothing is known that prevents it. */
#ifndef SONDE_BLOCKERS_BLOCKERS_H
#define SONDE_BLOCKERS_BLOCKERS_H

#include "engine/workers/single.h"

/* Fills in the blockers of the report. Called after the search of `single`, outside of every heap. A failure that a
 * changed input shows is recorded like any finding of the search. */
void sonde_blockers_find(struct sonde_single *single, struct sonde_report *report);
/* Frees the blockers of the report. */
void sonde_blockers_free(struct sonde_report *report);

#endif
