/* Compares the draws of two runs of one tape, in two versions of a program. The runs agree if they drew the same
 * values; the ranges of the draws may differ. */
#ifndef SONDE_TAPE_AGREE_H
#define SONDE_TAPE_AGREE_H

#include "tape/label.h"
#include "tape/tape.h"

/* A run, and whether it ended before it could make all of its draws: by a check, an assume, a limit, a crash. */
struct sonde_agreed {
    const struct sonde_tape *tape;
    bool is_cut;
};

/* The first draw in which two runs differ: its index in each tape, and a description of the difference for people. */
struct sonde_disagreement {
    uint32_t in_first, in_second;
    char text[256];
};

/* Returns whether two runs made the same draws with the same values; if not, fills *where. Draws that one run lacks do
 * not count if it was cut short. Calls of machines that were taken back are left out. */
bool sonde_tape_agrees(struct sonde_agreed first, struct sonde_agreed second, const struct sonde_labels *labels,
                       struct sonde_disagreement *where);
/* Returns the index of the first choice, from i on, outside all calls of machines that were taken back; n_choices if
 * there is none. */
uint32_t sonde_tape_skip_taken_back(const struct sonde_tape *tape, uint32_t i);

#endif
