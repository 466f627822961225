/* What a run comes to, once its cases are run and its failures confirmed: an outcome, a status, and what is odd about it.
 *
 * Judgements come first, because they may add a failure, a misuse or a warning; then the outcome, which is read off. */
#ifndef SONDE_ENGINE_VERDICT_H
#define SONDE_ENGINE_VERDICT_H

#include "engine/phases/phases.h"

void sonde_verdict_judge_unique(struct sonde_engine *e);
void sonde_verdict_judge_machines(struct sonde_engine *e);

enum sonde_outcome sonde_verdict_outcome(struct sonde_engine *e);
enum sonde_status sonde_verdict_status(enum sonde_outcome outcome);
/* Into e->message. */
void sonde_verdict_explain_giving_up(struct sonde_engine *e);
/* Where it passed. */
void sonde_verdict_warn_of_few(struct sonde_engine *e);

#endif
