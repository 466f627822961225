/* Does the search find other inputs? Looked at whenever the number of valid cases has doubled. A guide that has found none since is
 * given relief by one that remembers what was tried; if that finds none either, there is no sense in going on.
 *
 * Example: a property of a few hundred possible inputs under a guide that forgets. At 1,000 valid cases 400 were
 * different, at 2,000 still 400: relief comes, by a guide that never repeats an input. If at 4,000 there are still
 * 400, the search ends, and the report says that no other input was found. */
#ifndef SONDE_ENGINE_RELIEF_H
#define SONDE_ENGINE_RELIEF_H

#include "engine/search.h"

/* Whether it is to be looked at: not where inputs are told apart otherwise, or the run has another end. */
bool sonde_relief_is_possible(const struct sonde_search *s);
/* Cases before the next look. */
uint64_t sonde_relief_after(const struct sonde_search *s);
/* True if there is nobody left who could find another input. */
bool sonde_relief_is_vain(struct sonde_search *s);

#endif
