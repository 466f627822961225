/* Fits how one number of the input moves the difference of two compared sides, and solves for equal sides. Pure
 * functions: no case is run.
 *
 * A number that is one side of a comparison moves the difference by its own change. If it is a byte or a bit-field of a
 * larger number, the change counts times a power of two. Differences count modulo the width of the sides. A remainder,
 * such as a check digit, moves modulo a smaller number. That number is the greatest common divisor of the changes that
 * the line does not explain.
 *
 * Example: the code compares the CRC of a packet with its last two bytes, high byte first. The last byte moves the
 * difference by -1, the one before it by -256. If the difference is 1000 and the bytes are 2 and 10, they must become 5
 * and 242: 522 + 1000 = 1522. */
#ifndef SONDE_GUIDE_GOAL_SLOPE_H
#define SONDE_GUIDE_GOAL_SLOPE_H

#include <sonde/extend.h>

enum {
    SONDE_SLOPE_PROBES = 16, /* of one number; of a smaller domain, all other values */
    SONDE_SLOPE_PARTS = 8
};

/* The effect of a change of the number. */
struct sonde_slope_probe {
    uint64_t step;  /* change of the number, modulo 2^64 */
    uint64_t apart; /* first side minus second side afterwards */
};

/* The line of one number: the difference moves by step << shift, or by its negation. */
struct sonde_slope {
    uint64_t modulus; /* 0: the width of the sides */
    uint8_t shift;
    bool is_negative;
};

enum sonde_slope_state { SONDE_SLOPE_NONE, SONDE_SLOPE_MORE, SONDE_SLOPE_FOUND };

/* Fits a line to n probes with different steps. The sides have `bytes` bytes and were `apart` before. `values` is the
 * number of other values that there are to probe. Returns SONDE_SLOPE_MORE if another probe is needed. */
enum sonde_slope_state sonde_slope_fit(const struct sonde_slope_probe *probes, uint32_t n, uint64_t values,
                                       uint64_t apart, uint8_t bytes, struct sonde_slope *out);

/* A number as a part of one side. */
struct sonde_slope_part {
    uint64_t at, max; /* distance from the least value, and the greatest distance */
    struct sonde_slope slope;
};

/* Sets `at` of the parts so that the sides are equal. The parts have the same sign and different shifts, in descending
 * order; a part with a modulus is alone. Returns false if the ranges of the parts do not allow it. Then the parts are
 * unchanged. */
bool sonde_slope_solve(struct sonde_slope_part *parts, uint32_t n, uint64_t apart, uint8_t bytes,
                       struct sonde_rng *rng);

#endif
