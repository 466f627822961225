/* Several searches, one report.
 *
 * Numbers are added, failures of one identity become one with all its hits, counts of different inputs are those
 * of the united set, coverage is translated by the names of features, since each search gave its own ids. Guides
 * are not merged: what the first one learned is what is reported and kept. */
#ifndef SONDE_ENGINE_MERGE_H
#define SONDE_ENGINE_MERGE_H

#include "engine/search/search.h"

/* Adds up what another search showed, whose heap may go afterwards: all of it is copied. Label texts are taken over. */
void sonde_search_merge(struct sonde_search *s, const struct sonde_search *other);

#endif
