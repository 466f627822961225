/* Several searches, one report. */
#ifndef SONDE_ENGINE_MERGE_H
#define SONDE_ENGINE_MERGE_H

#include "engine/search.h"

/* Adds up what another search showed, whose heap may go afterwards: all of it is copied. Label texts are taken over. */
void sonde_search_merge(struct sonde_search *s, const struct sonde_search *other);

#endif
