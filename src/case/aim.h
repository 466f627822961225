/* A text that a case is meant to write (--import): sonde_put compares what it is given with it, byte by byte, and leaves the case at the first
 * that differs, so that a run which goes astray costs no more than its beginning. What the search for the right choices needs to know
 * of a run is noted here: how far the text had been written when each choice was drawn, and what was written where it differs. */
#ifndef SONDE_CASE_AIM_H
#define SONDE_CASE_AIM_H

#include <sonde.h>

enum { SONDE_AIM_WRONG = 128 };

/* Choices below `choices` that no earlier entry covers were drawn when `at` bytes of the text were written. */
struct sonde_aim_mark {
    uint32_t choices, at;
};

/* Lies where workers and the supervisor see it, as the case does; `text` and the marks too. */
struct sonde_aim {
    const char *text;
    uint32_t n;
    bool skips_space; /* white space does not count, on either side */
    /* Of the last run. */
    const sonde_text *of; /* the text that it compares: the first that something was put to; only its address counts */
    uint32_t at;          /* bytes that were written as they should be */
    uint32_t n_puts;
    bool differs; /* the case was left because of it, else it has ended by itself */
    char wrong[SONDE_AIM_WRONG];
    uint32_t n_wrong; /* what it put in the place of what is there, the beginning of it */
    struct sonde_aim_mark *marks;
    uint32_t n_marks, cap_marks;
};

/* Before each run. */
static inline void sonde_aim_begin(struct sonde_aim *aim)
{
    aim->of = NULL;
    aim->at = aim->n_puts = aim->n_wrong = aim->n_marks = 0;
    aim->differs = false;
}

static inline bool sonde_aim_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The first byte from `at` on that counts; n if there is none. */
static inline uint32_t sonde_aim_skip(const struct sonde_aim *aim, uint32_t at)
{
    while (aim->skips_space && at < aim->n && sonde_aim_is_space(aim->text[at])) at++;
    return at;
}

#endif
