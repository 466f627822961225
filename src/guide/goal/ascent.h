/* Raises utilities (sonde_target). A utility is a function of the numbers of a tape. An ascent begins with the tape of
 * the greatest value. It looks for the maximum along each number (peak.h). That is a sweep. Then it continues in the
 * direction of the whole sweep, and along pairs of numbers. It ends when none of these gains anything.
 *
 * The distances of checks from failing (SONDE_WANT_MARGINS) are utilities, too.
 *
 * Later ascents begin with random tapes, which may lead to other tops, unless another guide has found a better tape.
 * After an ascent the utility rests for as many cases of the run as the ascent took. The rest doubles with each ascent
 * that gains nothing.
 *
 * Example: a utility is x * y, and an assume demands x + y <= 100. From x = 10 and y = 20, the peak along x is 80,
 * where 81 is discarded. Along y there is nothing to gain. Along x and -y together it is 50 and 50. */
#ifndef SONDE_GUIDE_GOAL_ASCENT_H
#define SONDE_GUIDE_GOAL_ASCENT_H

#include "guide/goal/numbers.h"
#include "guide/goal/peak.h"
#include "guide/guides.h"

enum { SONDE_ASCENT_UTILITIES = 16, SONDE_ASCENT_NUMBERS = 192, SONDE_ASCENT_AROUND = 5 };

struct sonde_utility {
    uint32_t label;
    double best, other_value;
    struct sonde_kept *nearest, *other; /* the tape of `best`, and a random one */
    uint64_t met, cost, due;            /* cases of the last ascent; clock at which the next one may begin */
    unsigned failures;                  /* ascents in a row that gained nothing */
    bool is_margin;                     /* of a check, not set by the user */
    bool varies;                        /* it had different values */
    bool is_new;                        /* `best` is by another guide, and no ascent began there */
};

enum sonde_ascent_stage { SONDE_ASCENT_OVER, SONDE_ASCENT_SINGLE, SONDE_ASCENT_SWEEP, SONDE_ASCENT_PAIR };

struct sonde_ascent {
    struct sonde_corpus *corpus;
    struct sonde_utility utilities[SONDE_ASCENT_UTILITIES];
    uint32_t n_utilities;
    uint64_t clock, cases; /* cases of the run; of the ascents */
    /* The running ascent. */
    enum sonde_ascent_stage stage;
    uint32_t utility;                   /* its index */
    double reached;                     /* the best value when it began */
    double started;                     /* the value of the first base */
    uint64_t began;                     /* value of `cases` */
    struct sonde_tape base, top, start; /* top: best of this line; start: where the sweep began */
    double value;                       /* of the base */
    struct sonde_number numbers[SONDE_ASCENT_NUMBERS];
    uint32_t n_numbers, at; /* at: position in the stage */
    bool moves[SONDE_ASCENT_NUMBERS];
    double steps[SONDE_ASCENT_NUMBERS]; /* the first step along each number */
    double around[SONDE_ASCENT_AROUND]; /* the values a step around the base, along a pair of numbers */
    uint32_t pair[2], n_around;
    bool is_first;            /* the first sweep */
    double swept, rounded;    /* the value when this sweep began, and this round of sweeps and pairs */
    bool has_line, is_around; /* a line is followed; a parabola is measured */
    struct sonde_peak peak;
    double by[SONDE_ASCENT_NUMBERS]; /* the line: change of each number for a step of 1 */
};

void sonde_ascent_init(struct sonde_ascent *ascent, struct sonde_corpus *corpus);
void sonde_ascent_clear(struct sonde_ascent *ascent);
bool sonde_ascent_is_busy(const struct sonde_ascent *ascent);
/* Reports whether an ascent of a user's utility runs or is due, and the last one of that utility gained something. */
bool sonde_ascent_rises(const struct sonde_ascent *ascent);
/* Writes the next case; returns false if there is none. */
bool sonde_ascent_plan(struct sonde_ascent *ascent, struct sonde_rng *rng, struct sonde_tape *script);
/* Learns from a case of any guide. is_own: sonde_ascent_plan made it. */
void sonde_ascent_learn(struct sonde_ascent *ascent, const struct sonde_run *run, bool is_own, struct sonde_rng *rng);
/* Counts the case that was planned as one without a value, because it ended its process. */
void sonde_ascent_lose(struct sonde_ascent *ascent);

#endif
