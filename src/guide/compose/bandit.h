/* Who gets the next cases: arms share a budget of cost by what each earned lately per cost.
 *
 * There are several currencies (new valid coverage, new inputs, a higher utility, ...), and no rate of exchange between
 * them that would hold for every property. So each is a contest of its own: an arm's score in it is its rate divided by
 * the best rate of any arm. Contests are weighted by how much they matter, and less if so little was earned in them
 * lately that the winner may have been lucky. The cube of the weighted score is the arm's claim; a floor keeps
 * everyone in play, since what pays changes in the course of a run.
 *
 * Shares are kept by strides: an arm pays for what it uses, divided by its share, and who has paid least is next. There
 * is no chance in it and no clock, so a seed reproduces a run. */
#ifndef SONDE_GUIDE_COMPOSE_BANDIT_H
#define SONDE_GUIDE_COMPOSE_BANDIT_H

#include "base/bytes.h"
#include "base/check.h"

#include <sonde/extend.h>

#include <stdbool.h>
#include <stdint.h>

enum { SONDE_BANDIT_ARMS = 8, SONDE_BANDIT_CONTESTS = 8 };

struct sonde_bandit_arm {
    bool is_in;
    double prior; /* how far it is trusted before it has earned anything, and a little afterwards */
    double floor; /* its least share */
    double share, paid;
    double cost, earned[SONDE_BANDIT_CONTESTS]; /* lately */
    double slot_cost, slot_earned[SONDE_BANDIT_CONTESTS];
    uint64_t slots;
    double all_cost, all_earned[SONDE_BANDIT_CONTESTS]; /* of the whole run */
};

struct sonde_bandit {
    struct sonde_bandit_arm arms[SONDE_BANDIT_ARMS];
    uint32_t n_arms, n_contests;
    double weights[SONDE_BANDIT_CONTESTS];
    double memory, enough, spark; /* knobs */
};

extern const struct sonde_knob sonde_bandit_knobs[];

/* Without arms or contests; `options` as in the setup of a guide. */
void sonde_bandit_init(struct sonde_bandit *b, const char *options);

/* Arms are numbered in the order in which they are added; they join with what the one that has paid least has paid. */
void sonde_bandit_join(struct sonde_bandit *b, uint32_t arm);
void sonde_bandit_leave(struct sonde_bandit *b, uint32_t arm);
/* The arm to run next; at least one must be in. */
uint32_t sonde_bandit_next(const struct sonde_bandit *b);
void sonde_bandit_pay(struct sonde_bandit *b, uint32_t arm, double cost);
void sonde_bandit_earn(struct sonde_bandit *b, uint32_t arm, uint32_t contest, double amount);
/* The arm has had its turn: what it earned goes into its rates, and the shares are made anew. */
void sonde_bandit_end_turn(struct sonde_bandit *b, uint32_t arm);

/* The shares of the arms that are in add up to 1; none is below its floor; nothing is negative, infinite or NaN. */
SONDE_CHECKER(sonde_bandit_check, struct sonde_bandit);

/* The rates of an arm, for the next run. */
void sonde_bandit_save(const struct sonde_bandit *b, uint32_t arm, struct sonde_bytes *out);
void sonde_bandit_load(struct sonde_bandit *b, uint32_t arm, struct sonde_reader *from);

#endif
