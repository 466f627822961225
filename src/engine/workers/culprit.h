/* Which of the last cases did it? A leak, a signal to the supervisor, a child that comes back or fails late are seen some cases after the one to
 * blame, and the worker has stopped for that. So the last cases, whose tapes the case remembers (of a leak: all since the last look), are
 * run again in fresh workers until one shows it; that one is then the case at hand, and counts as one more.
 *
 * Cost: for a signal or a child at most as many fresh workers as the case remembers tapes. For a leak among n
 * cases about 2 log2(n) questions to the tool, if one case leaks by itself; where it takes several together, the
 * last ones of them are kept as the finding. */
#ifndef SONDE_ENGINE_CULPRIT_H
#define SONDE_ENGINE_CULPRIT_H

#include "engine/search/search.h"
#include "engine/workers/single.h"

/* In the heap of the search, whose worker has ended. `death` is used for the workers that run cases again. */

/* Some case since the last look leaks, or one that an assume ended. Where there was none of these and no case leaks when run again, the
 * failure stands without its input, and is flaky. */
void sonde_culprit_leaks(struct sonde_search *s, struct sonde_death *death);
/* The same without isolation. */
void sonde_culprit_leaks_here(struct sonde_single *single);
/* A case has sent that signal to this process. Until it was heard here, other cases may have come: where none of the last does it
 * again, the failure stands without its input, and is flaky. */
void sonde_culprit_sent(struct sonde_search *s, struct sonde_death *death, int signal);
/* A child of a case came back, or failed a check, after the end of the case. Where the tape is no longer known, or does not lead to that
 * again, the failure stands without its input, and is flaky. */
void sonde_culprit_forked(struct sonde_search *s, struct sonde_death *death);
/* The same without isolation. */
void sonde_culprit_forked_here(struct sonde_single *single);
/* The case at hand had less time than it may take, and hung: runs it again with all of it. */
void sonde_culprit_run_again(struct sonde_search *s, struct sonde_death *death);

#endif
