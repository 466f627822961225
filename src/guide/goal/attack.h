/* An attack: a few hundred cases that try to give one comparison an outcome that it never had.
 *
 * The attack begins with a tape that makes the comparison. It changes each number of the tape by 1, one case for each,
 * and reads how the difference of the sides changes: the slope. The comparisons before the goal are rows, too: the
 * equalities of the path must stay. Where a change of one number alone leaves the path, numbers are changed together,
 * along directions that keep all equalities. Then come the solvers, each with a few cases: lines, curves, roots, bits.
 * A case that comes nearer is the new base of the lines.
 *
 * Example: if (a + 2*b == 700001) if (3*a - b == 90002). The goal is == of the second comparison, and the tape makes
 * the first one true. a + 1 and b + 1 lose the path. (a, b) + (-2, 1) keeps it, and changes the difference of the
 * second comparison by -7. So one division tells how many steps are needed. */
#ifndef SONDE_GUIDE_GOAL_ATTACK_H
#define SONDE_GUIDE_GOAL_ATTACK_H

#include "guide/goal/bits.h"
#include "guide/goal/curve.h"
#include "guide/goal/frontier.h"
#include "guide/goal/lines.h"
#include "guide/goal/numbers.h"
#include "guide/goal/root.h"

enum { SONDE_ATTACK_NUMBERS = 192, SONDE_ATTACK_PARTS = SONDE_LINES_EQUATIONS + 1 };

enum sonde_attack_phase {
    SONDE_ATTACK_OVER,
    SONDE_ATTACK_BASE,   /* run the tape of the goal */
    SONDE_ATTACK_PROBE,  /* one step along each axis */
    SONDE_ATTACK_KICK,   /* another input on the same path */
    SONDE_ATTACK_LINE,   /* solutions of the lines */
    SONDE_ATTACK_PAIR,   /* second differences */
    SONDE_ATTACK_VERIFY, /* one more point of the curve */
    SONDE_ATTACK_CURVE,  /* solutions of the curve */
    SONDE_ATTACK_ROOT,   /* along one number */
    SONDE_ATTACK_FLIP,   /* single bits */
    SONDE_ATTACK_JOINT,  /* sets of bits that keep the path */
    SONDE_ATTACK_BITS,   /* solutions of the bits */
    SONDE_ATTACK_PHASES
};

/* A direction: numbers that change together, each by a multiple of the step. */
struct sonde_axis {
    uint32_t n;
    struct {
        uint32_t number;
        int64_t by;
    } parts[SONDE_ATTACK_PARTS];
};

struct sonde_attack {
    enum sonde_attack_phase phase;
    uint32_t goal; /* index in the frontier */
    uint8_t want;
    uint8_t bytes;   /* width of the goal's sides; 0: doubles */
    bool kicks;      /* a kick is still to come */
    bool probes_all; /* every axis is probed, not only those that matter */
    bool has_directions;
    bool leaves;            /* some flip left the path */
    uint32_t at, tries;     /* position within the phase */
    uint32_t budget, bases; /* cases left; how often the base was replaced */
    struct sonde_tape tape; /* the base */
    struct sonde_number numbers[SONDE_ATTACK_NUMBERS];
    uint32_t n_numbers;
    struct sonde_axis axes[SONDE_LINES_AXES];       /* first the numbers, then the directions */
    bool moves[SONDE_LINES_AXES];                   /* a step changes a side of the goal */
    int8_t step[SONDE_LINES_AXES];                  /* of the probe: 1, -1, or 0 if there was none */
    struct sonde_comparison rows[SONDE_LINES_ROWS]; /* comparisons of the base, in the order of lines.rows */
    struct sonde_lines lines;
    struct sonde_curve curve;
    uint32_t curve_axes[SONDE_CURVE_AXES];
    int64_t trial[SONDE_CURVE_AXES];
    struct sonde_root root;
    struct sonde_bits bits;
    struct {
        uint32_t number;
        uint8_t bit;
    } flips[SONDE_BITS_FLIPS];
    uint32_t n_flips, bit_rows[SONDE_BITS_WORDS];
    uint64_t work; /* work done so far, in units of about 10 ns */
};

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
