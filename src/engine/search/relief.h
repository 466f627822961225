/* Does the search find other inputs? Asked whenever the number of valid cases has doubled. A guide that has found none since is
 * relieved by one that remembers what was tried. If that finds none either, the guide of the run gets the rest of it: that no
 * input came up does not mean that there is none, so the run does not end here.
 *
 * Example: a property of a few hundred possible inputs under a guide that forgets. At 1,000 valid cases 400 were
 * different, at 2,000 still 400: relief comes, by a guide that never repeats an input. It may come to the end of the space,
 * and only then the property holds for all inputs. */
#ifndef SONDE_ENGINE_RELIEF_H
#define SONDE_ENGINE_RELIEF_H

#include "engine/search/search.h"

/* Whether it is to be looked at: not where inputs are told apart otherwise, or the run has another end. */
bool sonde_relief_is_possible(const struct sonde_search *s);
/* Cases before the next look. */
uint64_t sonde_relief_after(const struct sonde_search *s);
/* Relieves the guide if it is time to look and nothing new came. */
void sonde_relief_look(struct sonde_search *s);

#endif
