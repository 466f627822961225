/* Finds which of the last cases caused a problem that shows only some cases later. Such problems are a leak, a signal
 * to the supervisor, and a child process that returns or fails late. The worker has stopped because of the problem.
 * The last cases run again in fresh workers until a case shows it.
 *
 * The case remembers the tapes of the last cases; for a leak, all tapes since the last leak check are kept. The case
 * that shows the problem becomes the current case, and its new run is counted as one more case.
 *
 * Cost: for a signal or a child, at most one fresh worker per remembered tape. For a leak among n cases, about 2
 * log2(n) leak checks, if one case leaks alone. If only several cases together leak, the last of these are kept as the
 * finding. */
#ifndef SONDE_ENGINE_CULPRIT_H
#define SONDE_ENGINE_CULPRIT_H

#include "engine/search/search.h"
#include "engine/workers/single.h"

/* These functions are called in the heap of the search, after its worker has ended. `death` records how workers that
 * run cases again have died. */

/* Finds the case that leaked since the last leak check. If no case leaks when run again, but an assume ended some of
 * the cases, these are taken to have leaked, and nothing is reported. Otherwise the leak is reported without its input,
 * as flaky. */
void sonde_culprit_leaks(struct sonde_search *s, struct sonde_death *death);
/* Finds the leaking case without isolation, in this process. */
void sonde_culprit_leaks_here(struct sonde_single *single);
/* Finds the case that sent that signal to this process. Other cases may have run before the signal arrived. If none of
 * the last cases sends it again, the failure is reported without its input, as flaky. */
void sonde_culprit_sent(struct sonde_search *s, struct sonde_death *death, int signal);
/* Finds the case whose child returned, or failed a check, after the case had ended. If its tape is no longer known, or
 * does not show that again, the failure is reported without its input, as flaky. */
void sonde_culprit_forked(struct sonde_search *s, struct sonde_death *death);
/* Finds the case of a late child without isolation, in this process. */
void sonde_culprit_forked_here(struct sonde_single *single);
/* Runs the current case again with the full time limit, because it hung when it had less time than a case may take. */
void sonde_culprit_run_again(struct sonde_search *s, struct sonde_death *death);

#endif
