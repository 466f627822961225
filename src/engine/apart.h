/* Each case in a process of its own: the worker of the search is the supervisor of a worker that runs one case. */
#ifndef SONDE_ENGINE_APART_H
#define SONDE_ENGINE_APART_H

#include "engine/search.h"

/* From now on the cases of the search are run so. In the heap of the search, before its worker is started. */
void sonde_apart_begin(struct sonde_search *s);

#endif
