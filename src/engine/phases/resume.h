/* What the search learned goes from one run to the next: tapes worth beginning with, and what the guide knows.
 *
 * What is kept when: with --fuzz always; with --fresh, or with a given seed, never, since a run that reproduces
 * must neither read nor change what is there; else if the search took more than a second, or had inherited
 * something. Of several jobs all tapes are kept, but what the guide of the first learned alone. */
#ifndef SONDE_ENGINE_RESUME_H
#define SONDE_ENGINE_RESUME_H

#include "engine/phases/phases.h"

/* Before the search: has it begin with what earlier runs left in the store. */
void sonde_engine_recall(struct sonde_engine *e);
/* Brings to the store what the snapshot of a search holds. */
void sonde_engine_keep(struct sonde_engine *e, const struct sonde_search *search);
/* The same for a search that has ended: all that it leaves. */
void sonde_engine_keep_all(struct sonde_engine *e, struct sonde_search *search);
/* After all searches: takes out of the store what none of them needed, where that is much. */
void sonde_engine_prune(struct sonde_engine *e);
void sonde_engine_free_legacy(struct sonde_engine *e);

#endif
