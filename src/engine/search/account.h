/* Accounts for one case: counts it, judges it, and lets every guide learn from it.
 *
 * Order for each case: count it (verdicts, cover checks, the sample for a rerun), then judge what is new. Then the
 * saved corpus and the guides learn from it, and other jobs get its tape. A case whose worker died in sonde's own code
 * is only counted: the data that the worker was writing cannot be trusted. */
#ifndef SONDE_ENGINE_ACCOUNT_H
#define SONDE_ENGINE_ACCOUNT_H

#include "engine/search/search.h"

/* Accounts for the case that was just run, in this process or another; `author` is the guide that planned it, NULL for
 * a replay. Returns the reasons why it is of interest. */
uint32_t sonde_search_account(struct sonde_search *s, struct sonde_guide *author);
/* Accounts for a case that the supervisor ran outside of the loop, as a replay; also offers it to other jobs. */
void sonde_search_count(struct sonde_search *s);
/* Counts a case whose worker died in sonde's own code, perhaps because of a thread of the code under test. The case is
 * neither judged nor learned from. Drops all that the guides have learned, because their data may be damaged. */
void sonde_search_count_torn(struct sonde_search *s);
/* Counts a case that was not valid, by its verdict. */
void sonde_search_count_other(struct sonde_search *s);
/* Records the failure or misuse that a run outside of the search showed, if it is new. `when` says what sonde was
 * doing ("while files were imported"), and is static. */
void sonde_search_keep_finding(struct sonde_search *s, const char *when);

#endif
