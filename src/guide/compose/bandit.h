/* Who gets the next cases: arms share a budget of cost by what each earned lately per cost.
 *
 * There are several currencies (new valid coverage, new inputs, a higher utility, ...), and no rate of exchange between
 * them that would hold for every property. So each is a contest of its own: an arm's part in it is its rate divided by
 * the best rate of any arm. Contests are weighted by how much they matter, and less if so little was earned in them
 * lately that the winner may have been lucky. The sum is the arm's score, and a high power of it its claim: who is a tenth
 * behind gets a thirtieth of what the leader gets.
 *
 * Nobody is judged by what is long past: with every turn, of whomever, what was earned and paid counts less. In place of
 * what is forgotten stands the best rate of all, for a few cases. So who has not been asked for a while looks better and
 * better until it is asked again, sooner if it is cheap; that is all the exploration there is. An arm that is learning has
 * a share in advance, most of it at the beginning, as long as there is something to gain: the less, the more of the leader's cases are
 * valid and new.
 *
 * Turns go by credit: what a turn costs is credited to all arms by their shares and taken from the one that had it; the
 * largest credit is next. So an arm that was expensive once is back as soon as its share rises. There is no chance
 * in it and no clock, so a seed reproduces a run.
 *
 * Example with one contest: arm A earned 6 per thousand of cost lately, arm B 3. A's part is 1, B's is a half
 * (a little more, since the doubt counts as if it had earned at the best rate). With a high power and
 * equal priors, B's claim is next to nothing beside A's, and grows as its record fades, until it is tried again. */
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
    double prior;    /* a factor of its claim */
    double learning; /* part of the share in advance that it has: from 1, when it begins to learn, to 0 */
    double share, credit, score;
    double advance; /* what of the share is for learning */
    struct sonde_bandit_sums {
        double cost, cases, news; /* news: cases that were valid and new */
        double earned[SONDE_BANDIT_CONTESTS];
    } lately, turn;
    uint64_t turns;
    double all_cost, all_earned[SONDE_BANDIT_CONTESTS]; /* of the whole run */
};

/* Invariants (sonde_bandit_check): shares of the arms that are in add up to 1; news <= cases; nothing
 * is negative or infinite but credits, which may be negative. */
struct sonde_bandit {
    struct sonde_bandit_arm arms[SONDE_BANDIT_ARMS];
    uint32_t n_arms, n_contests;
    double weights[SONDE_BANDIT_CONTESTS];
    double recent[SONDE_BANDIT_CONTESTS];                  /* earned by all arms, in the last few turns */
    double recall, fade, enough, power, benefit, practice; /* knobs */
};

extern const struct sonde_knob sonde_bandit_knobs[];

/* Without arms or contests; `options` as in the setup of a guide. */
void sonde_bandit_init(struct sonde_bandit *b, const char *options);

/* Harmless if it is in. Shares are divided anew at once. */
void sonde_bandit_join(struct sonde_bandit *b, uint32_t arm);
/* Its credit, or debt, goes to the others. */
void sonde_bandit_leave(struct sonde_bandit *b, uint32_t arm);
/* The arm to run next; at least one must be in. */
uint32_t sonde_bandit_next(const struct sonde_bandit *b);
/* A case of this arm was run; `is_news` if it was valid and new. */
void sonde_bandit_pay(struct sonde_bandit *b, uint32_t arm, double cost, bool is_news);
/* In any of the contests; `amount` is finite and not negative, in units that only this contest must
 * agree on. */
void sonde_bandit_earn(struct sonde_bandit *b, uint32_t arm, uint32_t contest, double amount);
/* The arm has had its turn: what it earned goes into its rates, and the shares are made anew. */
void sonde_bandit_end_turn(struct sonde_bandit *b, uint32_t arm);

/* The part of its weight that a contest has by now: from 0, if nothing was earned in it lately, towards 1. */
double sonde_bandit_part(const struct sonde_bandit *b, uint32_t contest);
/* What it counts by now. */
double sonde_bandit_weight(const struct sonde_bandit *b, uint32_t contest);

/* The shares of the arms that are in add up to 1; nothing is negative, infinite or NaN. */
SONDE_CHECKER(sonde_bandit_check, struct sonde_bandit);

/* The rates of an arm, for the next run. */
void sonde_bandit_save(const struct sonde_bandit *b, uint32_t arm, struct sonde_bytes *out);
/* After the arm and all contests are known. What makes no sense counts as 0; a reader that has ended
 * gives zeros. */
void sonde_bandit_load(struct sonde_bandit *b, uint32_t arm, struct sonde_reader *from);
/* Reads over the rates of an arm as they were saved when a case cost something else. */
void sonde_bandit_skip_old(const struct sonde_bandit *b, struct sonde_reader *from);

#endif
