/* Each case in a process of its own: the worker of the search is the supervisor of a worker that runs one case.
 *
 *     supervisor  --starts-->  worker of the search  --starts-->  a worker for each case
 *                              guides, corpus, counts             the property, then its end
 *
 * The case is in memory that all three share. A guide is asked in the process of the case, whose answers are
 * seen by the worker of the search because the guide lies in shared memory, too. */
#ifndef SONDE_ENGINE_APART_H
#define SONDE_ENGINE_APART_H

#include "engine/search/search.h"

/* From now on the cases of the search are run so. In the heap of the search, before its worker is started. */
void sonde_apart_begin(struct sonde_search *s);

#endif
