/* Shared by the files of an attack (attack.h). A function that plans writes the next case of its phase. It returns
 * false if there is none, after it has entered another phase. `goal` is the comparison in the log of the case, or NULL
 * if the case did not make it. */
#ifndef SONDE_GUIDE_GOAL_ATTACK_PARTS_H
#define SONDE_GUIDE_GOAL_ATTACK_PARTS_H

#include "guide/goal/attack.h"

void sonde_attack_enter(struct sonde_attack *a, enum sonde_attack_phase phase);

/* Returns the difference of whole numbers that has the wanted outcome and is nearest to 0. */
int64_t sonde_attack_wanted(const struct sonde_attack *a);
/* Returns the difference of the sides, sign-extended from their width; not for doubles. */
int64_t sonde_attack_gap(const struct sonde_comparison *c);
/* Returns how far a comparison is from the wanted outcome, with its sign. */
double sonde_attack_miss(const struct sonde_attack *a, const struct sonde_comparison *c);

/* Writes the base with a step along each axis; returns false if nothing changes or a number leaves its range. */
bool sonde_attack_write(const struct sonde_attack *a, const int64_t *steps, struct sonde_tape *script);
/* Writes the base with a step along one axis. */
bool sonde_attack_write_one(const struct sonde_attack *a, uint32_t axis, int64_t step, struct sonde_tape *script);
/* Makes the case that was run the new base, and enters the phase of probes. is_whole: all its numbers are probed. */
void sonde_attack_rebase(struct sonde_attack *a, const struct sonde_frontier *f, const struct sonde_run *run,
                         const struct sonde_comparison *goal, bool is_whole);
/* Reports whether an equality before the goal depends on an axis. */
bool sonde_attack_is_bound(const struct sonde_attack *a, uint32_t axis);

bool sonde_attack_plan_probe(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script);
void sonde_attack_learn_probe(struct sonde_attack *a, const struct sonde_frontier *f,
                              const struct sonde_comparison *goal);

bool sonde_attack_plan_flip(struct sonde_attack *a, struct sonde_tape *script);
void sonde_attack_learn_flip(struct sonde_attack *a, const struct sonde_frontier *f,
                             const struct sonde_comparison *goal);
bool sonde_attack_plan_joint(struct sonde_attack *a, struct sonde_tape *script);
void sonde_attack_learn_joint(struct sonde_attack *a, const struct sonde_comparison *goal);
bool sonde_attack_plan_bits(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script);

#endif
