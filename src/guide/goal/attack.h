/* An attack: a few hundred cases that try to give one comparison an outcome that it never had.
 *
 * The attack begins with a tape that makes the comparison. It changes each number of the tape by 1, one case for each,
 * and reads how the difference of the sides changes: the slope. The comparisons before the goal are rows, too: the
 * equalities of the path must stay. Where a change of one number alone leaves the path, numbers are changed together,
 * along directions that keep all equalities. Then come the solvers, each with a few cases: lines, curves, tables,
 * bits, and samples. A case that comes nearer is the new base of the lines.
 *
 * Example: if (a + 2*b == 700001) if (3*a - b == 90002). The goal is == of the second comparison, and the tape makes
 * the first one true. a + 1 and b + 1 lose the path. (a, b) + (-2, 1) keeps it, and changes the difference of the
 * second comparison by -7. So one division tells how many steps are needed. */
#ifndef SONDE_GUIDE_GOAL_ATTACK_H
#define SONDE_GUIDE_GOAL_ATTACK_H

#include "guide/goal/attack_parts.h"

void sonde_attack_init(struct sonde_attack *attack);
void sonde_attack_clear(struct sonde_attack *attack);
/* Begins an attack on an outcome of a goal. */
void sonde_attack_begin(struct sonde_attack *attack, const struct sonde_frontier *frontier, uint32_t goal,
                        uint8_t want);
/* Writes the next case; returns false if the attack is over. */
bool sonde_attack_plan(struct sonde_attack *attack, struct sonde_rng *rng, struct sonde_tape *script);
/* Learns from the case that was planned; the frontier has read its log. Returns whether it has the outcome. */
bool sonde_attack_learn(struct sonde_attack *attack, struct sonde_frontier *frontier, const struct sonde_run *run);

#endif
