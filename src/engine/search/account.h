/* Accounts for one case: counts it, judges it, and lets every guide learn from it.
 *
 * Order for each case: count (verdicts, cover checks, the sample for a rerun), then judge (what is new). Then teach
 * (the saved corpus, the guide, the relief), and share (with other jobs). A case whose worker died in sonde's own code
 * is only counted: what it was writing cannot be trusted. */
#ifndef SONDE_ENGINE_ACCOUNT_H
#define SONDE_ENGINE_ACCOUNT_H

#include "engine/search/search.h"

/* Accounts for the case that was just run, in whichever process; `author` is the guide that planned it, NULL for a
 * replay. Returns the reasons why it is of interest. */
uint32_t sonde_search_account(struct sonde_search *s, struct sonde_guide *author);
/* Accounts for a case that the supervisor ran outside of the loop, as a replay; also offers it to other jobs. */
void sonde_search_count(struct sonde_search *s);
/* Counts a case that was neither judged nor learned from. Its worker died in sonde's own code, perhaps by a thread of
 * the code under test. The guide's knowledge cannot be trusted, and is dropped. */
void sonde_search_count_torn(struct sonde_search *s);
/* Counts a case that was not valid, by its verdict. */
void sonde_search_count_other(struct sonde_search *s);
/* Keeps what a case shows that is not a test, if it failed in a new way or misused sonde. `when` says what sonde was
 * doing ("while files were imported"), and is static. */
void sonde_search_keep_finding(struct sonde_search *s, const char *when);

#endif
