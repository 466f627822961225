/* One case more: it is counted, judged, and everyone learns from it.
 *
 * Order for each case: count (verdicts, claims of cover, the sample for a rerun), judge (what is new), teach (the
 * harvest, the guide, the relief), share (with other jobs). A case whose worker died in sonde's own code is only
 * counted: what it was writing cannot be trusted. */
#ifndef SONDE_ENGINE_ACCOUNT_H
#define SONDE_ENGINE_ACCOUNT_H

#include "engine/search/search.h"

/* Adds up the case that was just run, by whoever; `author` is the guide that chose it, NULL if it was a replay. Answers why it is
 * of interest. */
uint32_t sonde_search_account(struct sonde_search *s, struct sonde_guide *author);
/* The same for a case that was run outside of the loop, by the supervisor; it is offered to other jobs, too. */
void sonde_search_count(struct sonde_search *s);
/* Counts a case that was neither judged nor learned from: a worker died at it in sonde's own code, perhaps by a thread of the code
 * under test. What the guide knew cannot be trusted, and is given up. */
void sonde_search_count_torn(struct sonde_search *s);
/* Counts only how it failed. */
void sonde_search_count_other(struct sonde_search *s);
/* After a case that was not a test: one that failed in a new way, or misused sonde, is kept like any other finding. `when` says what sonde
 * was doing ("while files were imported"), and is static. */
void sonde_search_meet(struct sonde_search *s, const char *when);

#endif
