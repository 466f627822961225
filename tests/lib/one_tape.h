/* An empty tape that the tests of a program share, made again for each of them. */
#ifndef SONDE_TESTS_ONE_TAPE_H
#define SONDE_TESTS_ONE_TAPE_H

#include "tape/tape.h"

static struct sonde_tape tape;

static inline int open_tape(void **state)
{
    (void)state;
    sonde_tape_init(&tape);
    sonde_tape_begin(&tape);
    return 0;
}

static inline int close_tape(void **state)
{
    (void)state;
    sonde_tape_clear(&tape);
    return 0;
}

#endif
