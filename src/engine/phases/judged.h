/* Decides whether a stored failure that passes is fixed. The engine asks for each stored tape before the store moves
 * its file.
 *
 * program/witness.h decides by the head of the tape file. This code adds the facts of the run, the search near a
 * schedule of another build, and the counts for the report. */
#ifndef SONDE_ENGINE_JUDGED_H
#define SONDE_ENGINE_JUDGED_H

#include "engine/phases/phases.h"
#include "program/witness.h"

/* Fills `w` for a failure that this run has shown, with this claim and tape. */
void sonde_engine_witness(struct sonde_engine *e, const struct sonde_claim *claim, const struct sonde_tape *tape,
                          struct sonde_witness *w);
/* Returns whether this run could have shown the failure of a file whose tape was just run, and passed. */
enum sonde_sight sonde_engine_sight(struct sonde_engine *e, const struct sonde_stored *found,
                                    struct sonde_obstacle *why);
/* Returns whether the tape of the last case has a schedule with a switch in it: without one, steps are not counted. */
bool sonde_engine_counts_steps(const struct sonde_engine *e);
/* Runs other schedules of the last input, and returns whether one fails; that one is then the last case. The first n -
 * 1 scripts run before each schedule, as they did before the input. */
bool sonde_engine_search_near(struct sonde_engine *e, const struct sonde_tape *const *scripts, uint32_t n);

/* Counts a stored failure, or a regression, that passed and could not be judged. */
void sonde_engine_count_unjudged(struct sonde_engine *e, const struct sonde_obstacle *why);
void sonde_engine_count_unjudged_regression(struct sonde_engine *e, const struct sonde_obstacle *why);

#endif
