/* The state of an attack (attack.h), and its parts. A function that plans writes the next case of its phase. It returns
 * false if there is none, after it has entered another phase. `goal` is the comparison in the log of the case, or NULL
 * if the case did not make it. */
#ifndef SONDE_GUIDE_GOAL_ATTACK_PARTS_H
#define SONDE_GUIDE_GOAL_ATTACK_PARTS_H

#include "guide/seen.h"
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
    SONDE_ATTACK_COPY,   /* one side put where the other one was drawn */
    SONDE_ATTACK_PROBE,  /* one step along each axis */
    SONDE_ATTACK_LINE,   /* solutions of the lines */
    SONDE_ATTACK_GROW,   /* symbols written twice: a number as text gets one more digit */
    SONDE_ATTACK_PAIR,   /* second differences */
    SONDE_ATTACK_VERIFY, /* one more point of the curve */
    SONDE_ATTACK_CURVE,  /* solutions of the curve */
    SONDE_ATTACK_SCAN,   /* all values of single numbers */
    SONDE_ATTACK_FLIP,   /* single bits */
    SONDE_ATTACK_TABLE,  /* solutions by choosing a value of each number */
    SONDE_ATTACK_JOINT,  /* sets of bits that keep the path */
    SONDE_ATTACK_BITS,   /* solutions of the bits */
    SONDE_ATTACK_SAMPLE, /* other inputs on the same path */
    SONDE_ATTACK_PHASES
};

/* Facts about a row, by probes. */
enum {
    SONDE_ROW_FIRST = 1,   /* the first side changes */
    SONDE_ROW_SECOND = 2,  /* the second side changes */
    SONDE_ROW_LESS = 4,    /* the first side may be less, ... */
    SONDE_ROW_GREATER = 8, /* ... or greater: the goal's comparison is made all the same */
    SONDE_ROW_LAST = 16    /* the base makes no later comparison at this location */
};

/* A direction: numbers that change together, each by a multiple of the step. */
struct sonde_axis {
    uint32_t n;
    struct {
        uint32_t number;
        int64_t by;
    } parts[SONDE_ATTACK_PARTS];
};

enum { SONDE_TABLE_OPTIONS = 1024, SONDE_TABLE_ROWS = 16 };

/* The table (attack_table.c). An option is another value of one number, or a number with one bit flipped. */
struct sonde_attack_table {
    uint32_t n, scanned;
    struct sonde_attack_option {
        uint32_t number, known; /* known: the rows, as bits, that the case had */
        uint64_t at;
        bool is_bit;
    } options[SONDE_TABLE_OPTIONS];
    int64_t changes[SONDE_TABLE_OPTIONS][SONDE_TABLE_ROWS]; /* of the rows' differences */
};

/* Samples (attack_sample.c). */
struct sonde_attack_sample {
    struct sonde_tape tape;      /* the case that was run last */
    uint32_t tries;              /* earlier attacks on the same outcome */
    uint32_t left, rounds;       /* samples left; how often the attack began again from a nearer sample */
    uint32_t mends;              /* cases that mended this sample */
    uint32_t broken;             /* row that the last case broke; SONDE_LINES_ROWS: none */
    struct sonde_comparison was; /* that row in the last case */
    uint32_t axis, along;        /* number that the sample changed; number that the root is looked for along */
    bool has_root, is_nearer;    /* is_nearer: a sample of this round came nearer */
    double distance;             /* of the tape of the attack */
    struct sonde_root root;
    /* The base before this one, with as many numbers, and how far it was from the outcome. */
    struct sonde_number last[SONDE_ATTACK_NUMBERS];
    double last_miss, miss; /* of that base, and of this one */
    bool has_last;
};

struct sonde_attack {
    const struct sonde_seen *known; /* inputs of earlier cases of this guide; NULL: not known */
    enum sonde_attack_phase phase;
    uint32_t goal; /* index in the frontier */
    uint8_t want;
    uint8_t bytes;   /* width of the goal's sides; 0: doubles */
    bool probes_all; /* every axis is probed, not only those that matter */
    bool has_directions;
    bool leaves;            /* some flip left the path */
    uint32_t at, tries;     /* position within the phase */
    uint32_t budget, bases; /* cases left; how often the base was replaced */
    uint32_t grown, symbol; /* symbols that were added; the symbol to add next */
    struct sonde_tape tape; /* the base */
    struct sonde_number numbers[SONDE_ATTACK_NUMBERS];
    uint32_t n_numbers;
    struct sonde_axis axes[SONDE_LINES_AXES];       /* first the numbers, then the directions */
    bool moves[SONDE_LINES_AXES];                   /* a step changes a side of the goal */
    int8_t step[SONDE_LINES_AXES];                  /* of the probe: 1, -1, or 0 if there was none */
    struct sonde_comparison rows[SONDE_LINES_ROWS]; /* comparisons of the base, in the order of lines.rows */
    uint8_t facts[SONDE_LINES_ROWS];                /* what probes showed of a row: SONDE_ROW_ bits */
    struct sonde_lines lines;
    struct sonde_curve curve;
    uint32_t curve_axes[SONDE_CURVE_AXES];
    int64_t trial[SONDE_CURVE_AXES];
    struct sonde_bits bits;
    struct {
        uint32_t number;
        uint8_t bit;
    } flips[SONDE_BITS_FLIPS];
    uint32_t n_flips, bit_rows[SONDE_BITS_WORDS];
    struct sonde_attack_table table;
    bool is_scanned[SONDE_ATTACK_NUMBERS]; /* the table has all its values */
    bool has_flips;                        /* the table has bits */
    struct sonde_attack_sample sample;
    uint64_t work; /* work done so far, in units of about 10 ns */
};

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

/* Writes the tape with a number that equals one side set to the other side; returns false if there is none. */
bool sonde_attack_copy_number(const struct sonde_tape *tape, const struct sonde_comparison *c, struct sonde_rng *rng,
                              struct sonde_tape *script);
/* Writes the base of an attack with one side of the goal copied to the other, a number or a string. */
bool sonde_attack_copy_goal(const struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script);
bool sonde_attack_plan_copy(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script);

bool sonde_attack_plan_probe(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script);
/* Learns from a probe. is_on_path: it made the goal's comparison after the same equalities. */
void sonde_attack_learn_probe(struct sonde_attack *a, const struct sonde_frontier *f,
                              const struct sonde_comparison *goal, bool is_on_path);
/* Learns from a case that made the goal's comparison on the path: the outcomes of other rows that it had are free. */
void sonde_attack_learn_free(struct sonde_attack *a, const struct sonde_frontier *f);
/* Narrows the outcomes of rows to sides that are not negative, or takes that back. Unsigned comparisons of numbers that
 * wrap around look like signed ones that allow less. */
void sonde_attack_narrow(struct sonde_attack *a, bool is_narrow);

bool sonde_attack_plan_flip(struct sonde_attack *a, struct sonde_tape *script);
void sonde_attack_learn_flip(struct sonde_attack *a, const struct sonde_frontier *f,
                             const struct sonde_comparison *goal);
/* Begins with sets of bits that keep the path, if some flip left it. */
void sonde_attack_begin_joint(struct sonde_attack *a);
bool sonde_attack_plan_joint(struct sonde_attack *a, struct sonde_tape *script);
void sonde_attack_learn_joint(struct sonde_attack *a, const struct sonde_comparison *goal);
bool sonde_attack_plan_bits(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script);

/* Reports whether several symbols of strings move the goal. */
bool sonde_attack_has_digits(const struct sonde_attack *a);
bool sonde_attack_plan_scan(struct sonde_attack *a, struct sonde_tape *script);
/* Enters the case of an option into the table. */
void sonde_attack_learn_option(struct sonde_attack *a, const struct sonde_frontier *f,
                               const struct sonde_comparison *goal, struct sonde_attack_option option);
bool sonde_attack_plan_table(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script);

bool sonde_attack_plan_sample(struct sonde_attack *a, struct sonde_rng *rng, struct sonde_tape *script);
void sonde_attack_learn_sample(struct sonde_attack *a, const struct sonde_frontier *f, const struct sonde_run *run,
                               const struct sonde_comparison *goal);
/* Reads the numbers of the base again, after it has changed. */
void sonde_attack_read_numbers(struct sonde_attack *a);

#endif
