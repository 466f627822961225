/* After the search, or while it goes on: what was found is run again, shrunk, shown and kept.
 *
 * For each failure: a smaller tape of it that came later is tried first; then the tape alone in a fresh worker;
 * if that holds, with the cases that ran before it in its worker, thinned out to those that are needed; if that
 * holds, too, it is flaky. Else it is shrunk, its values are tried for being free, it is run once more with notes
 * and output on, and what that run showed is reported and stored. */
#ifndef SONDE_ENGINE_CONFIRM_H
#define SONDE_ENGINE_CONFIRM_H

#include "engine/phases/phases.h"

/* Tells of a failure as it was found, and keeps it; called while the search goes on. */
void sonde_engine_found(struct sonde_engine *e, const struct sonde_search *search, const struct sonde_found *found);
/* Confirms, shrinks, shows and keeps one, while its search may go on; it is copied. */
void sonde_engine_settle(struct sonde_engine *e, const struct sonde_search *search, const struct sonde_found *found);
/* Confirms, shrinks, shows and keeps everything that was found and not yet settled. */
void sonde_engine_confirm(struct sonde_engine *e);
/* Fewer valid inputs were different than the options ask for. */
void sonde_engine_report_unique(struct sonde_engine *e);
/* Writes down what the input of --replay showed, if it did not fail. */
void sonde_engine_show_replay(struct sonde_engine *e);
/* Before the search is cleared: failures borrow its tapes. */
void sonde_engine_free_failures(struct sonde_engine *e);

#endif
