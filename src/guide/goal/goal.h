/* The guide `goal`, for guides that use it as a part. */
#ifndef SONDE_GUIDE_GOAL_GOAL_H
#define SONDE_GUIDE_GOAL_GOAL_H

#include <sonde/extend.h>

/* Reports whether a guide `goal` has anything to do: an attack, a goal, or a case of another guide to look at. Its very
 * first case counts, too, since it shows what there is. Without all of these, the guide makes random cases. */
bool sonde_goal_is_busy(const struct sonde_guide *guide);
/* Reports whether it raises a utility, and its last try did, too. */
bool sonde_goal_rises(const struct sonde_guide *guide);
/* Allows more attacks on each goal. Call it when the guide is not busy and the run has become much longer. */
void sonde_goal_retry(struct sonde_guide *guide);

#endif
