/* A scheduler (multi-armed bandit) that decides which guide makes the next cases. Each arm is a guide. Arms share a
 * budget of cost by what each earned recently per unit of cost.
 *
 * Arms earn in several contests: new valid coverage, new inputs, a higher utility, and others. No exchange rate between
 * contests holds for every property, so contests are judged separately. An arm's part in a contest is its rate divided
 * by the best rate of any arm. Each contest has a weight. The weight counts less if so little was earned recently that
 * the winner may have been lucky. The weighted sum, plus an equal amount for all arms, is the arm's score. A high power
 * of the score is its claim. An arm whose score is a tenth lower gets a thirtieth of the leader's share.
 *
 * Old results fade: with every turn of any arm, earnings and costs of all arms count less. A few cases at the best rate
 * of all arms fill in for the faded record. So an arm that did not run for a while looks better and better until it
 * runs again, sooner if it is cheap. There is no other exploration. An arm that is learning gets a share in advance,
 * most of it at the beginning. That share shrinks as more of the leader's cases are valid and new, because then there
 * is less to gain.
 *
 * Turns are given by credit. The cost of a turn is credited to all arms by their shares and debited to the arm that had
 * the turn. The arm with the largest credit is next. So an arm that was expensive once returns as soon as its share
 * rises. The scheduler uses neither chance nor clock, so a seed reproduces a run.
 *
 * Example with one contest: arm A recently earned 6 per thousand of cost, arm B 3. A's part is 1. B's part is a half,
 * or a little more, because the filled-in cases count at the best rate. With a high power and equal priors, B's claim
 * is almost nothing compared with A's. It grows as B's record fades, until B is tried again. */
#ifndef SONDE_GUIDE_COMPOSE_BANDIT_H
#define SONDE_GUIDE_COMPOSE_BANDIT_H

#include "base/bytes.h"
#include "base/check.h"

#include <sonde/extend.h>

#include <stdbool.h>
#include <stdint.h>

enum { SONDE_BANDIT_ARMS = 8, SONDE_BANDIT_CONTESTS = 8 };

/* One arm. Members without a comment are explained at the top of this file. */
struct sonde_bandit_arm {
    bool is_in;
    double prior; /* a factor of the arm's claim */
    /* factor of the arm's share in advance; falls from 1, when the arm begins to learn, to 0 */
    double learning;
    double share, credit, score;
    double advance; /* the part of `share` that is for learning */
    struct sonde_bandit_sums {
        double cost, cases, news; /* news: number of cases that were valid and new */
        double earned[SONDE_BANDIT_CONTESTS];
    } lately, turn; /* lately: fading sums over all turns; turn: sums of the current turn */
    uint64_t turns;
    double all_cost, all_earned[SONDE_BANDIT_CONTESTS]; /* sums over the whole run */
};

/* All arms and contests. Invariants (sonde_bandit_check): shares of the arms that are in add up to 1; news <= cases;
 * only credits may be negative; nothing is infinite. */
struct sonde_bandit {
    struct sonde_bandit_arm arms[SONDE_BANDIT_ARMS];
    uint32_t n_arms, n_contests;
    double weights[SONDE_BANDIT_CONTESTS];
    double recent[SONDE_BANDIT_CONTESTS]; /* for each contest, what all arms earned in the last few turns */
    double recall, practice;              /* knobs */
};

extern const struct sonde_knob sonde_bandit_knobs[];

/* Initialises a bandit without arms or contests, and reads its knobs. `options` is the string in the setup of a guide.
 * There is nothing to free. */
void sonde_bandit_init(struct sonde_bandit *b, const char *options);

/* Adds an arm and recomputes the shares; does nothing if the arm is in. */
void sonde_bandit_join(struct sonde_bandit *b, uint32_t arm);
/* Removes an arm; its credit or debt is divided among the others. */
void sonde_bandit_leave(struct sonde_bandit *b, uint32_t arm);
/* Returns the arm to run next; at least one arm must be in. */
uint32_t sonde_bandit_next(const struct sonde_bandit *b);
/* Counts a case of this arm and its cost; `is_news` if the case was valid and new. */
void sonde_bandit_pay(struct sonde_bandit *b, uint32_t arm, double cost, bool is_news);
/* Counts earnings of an arm in a contest. `amount` is finite and not negative. Its unit matters only within the
 * contest. */
void sonde_bandit_earn(struct sonde_bandit *b, uint32_t arm, uint32_t contest, double amount);
/* Forgets what all arms earned and cost in earlier turns; credits stay. */
void sonde_bandit_forget(struct sonde_bandit *b);
/* Ends the turn of an arm: adds its earnings to its rates and recomputes all shares. */
void sonde_bandit_end_turn(struct sonde_bandit *b, uint32_t arm);

/* Returns the part of its weight that a contest has now: 0 if nothing was earned in it recently, up to 1. */
double sonde_bandit_part(const struct sonde_bandit *b, uint32_t contest);
/* Returns the weight of a contest times sonde_bandit_part. */
double sonde_bandit_weight(const struct sonde_bandit *b, uint32_t contest);

/* Asserts that the shares of the arms that are in add up to 1, and that nothing is negative, infinite or NaN. */
SONDE_CHECKER(sonde_bandit_check, struct sonde_bandit);

/* Appends the rates of an arm to `out`, for the next run. */
void sonde_bandit_save(const struct sonde_bandit *b, uint32_t arm, struct sonde_bytes *out);
/* Reads the rates of an arm that sonde_bandit_save wrote. Arm and contests must have been set. Values that make no
 * sense count as 0, and a reader at its end gives zeros. */
void sonde_bandit_load(struct sonde_bandit *b, uint32_t arm, struct sonde_reader *from);

#endif
