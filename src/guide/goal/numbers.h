/* A tape as a list of numbers that can be changed one by one: integers, picks, booleans, lengths, the symbols of
 * strings, doubles. */
#ifndef SONDE_GUIDE_GOAL_NUMBERS_H
#define SONDE_GUIDE_GOAL_NUMBERS_H

#include "tape/tape.h"

enum sonde_number_part {
    SONDE_NUMBER_VALUE,  /* the value of an integer choice; the index of another one */
    SONDE_NUMBER_SYMBOL, /* the code of a symbol of a blob */
    SONDE_NUMBER_LENGTH, /* the length of a blob */
    SONDE_NUMBER_REAL    /* the value of a DOUBLE choice */
};

struct sonde_number {
    uint32_t choice;
    uint32_t symbol; /* SYMBOL: its position */
    enum sonde_number_part part;
    uint64_t base;       /* the least value, as its low 64 bits */
    uint64_t at, max;    /* distance from the least value, and the greatest distance; not for REAL */
    double real, lo, hi; /* REAL: value and bounds */
};

/* Reads at most `max` numbers; returns how many. Leaves out choices with one value, sizes and infinite doubles. */
uint32_t sonde_numbers_read(const struct sonde_tape *tape, struct sonde_number *out, uint32_t max);
/* Reads one number of a choice; `symbol` is for SYMBOL alone. Returns false if the choice has no such number, or none
 * that sonde_numbers_read returns. */
bool sonde_number_read(const struct sonde_tape *tape, uint32_t choice, enum sonde_number_part part, uint32_t symbol,
                       struct sonde_number *out);
/* Sets a number of a script to another distance from its least value; `script` is a copy of the tape that was read.
 * Returns false and leaves the script unchanged if there is no such value. Not for REAL. */
bool sonde_number_put(struct sonde_tape *script, const struct sonde_number *number, uint64_t at);
/* Sets a REAL number; returns false if the value is out of bounds. */
bool sonde_number_put_real(struct sonde_tape *script, const struct sonde_number *number, double value);

enum { SONDE_SPLICE_MOST = 8 };

/* A change of a blob: n symbols instead of at most n_old ones from `at` on. */
struct sonde_splice {
    uint32_t at, n_old, n;
    uint32_t symbols[SONDE_SPLICE_MOST];
};
/* Changes a blob, and moves the symbols after the change. Returns false if the length would be out of range, a symbol
 * is not of the alphabet, or the blob is long. */
bool sonde_numbers_splice(struct sonde_tape *script, uint32_t choice, const struct sonde_splice *splice);

#endif
