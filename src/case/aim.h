/* The string that a case is meant to write (--import). sonde_put compares what it is given with this string, byte by
 * byte, and leaves the case at the first difference. So a run that goes astray costs no more than its beginning.
 *
 * Two facts about a run are kept here for the search for the right choices. One is how much of the string had been
 * written when each choice was drawn. The other is what was written where it first differs. */
#ifndef SONDE_CASE_AIM_H
#define SONDE_CASE_AIM_H

#include <sonde.h>

enum { SONDE_AIM_WRONG = 128 };

/* Progress at one moment. Choices below index `choices` that no earlier entry covers were drawn when `at` bytes of the
 * string were written. */
struct sonde_aim_mark {
    uint32_t choices, at;
};

enum { SONDE_AIM_EXPECTED = 256 };

/* How a grammar derives the string: what it decides, in the order in which it decides it (grammar/parse.h). */
struct sonde_aim_derivation {
    uint32_t *decisions; /* in the heap of the aim */
    uint32_t n, cap;
    uint32_t parsed; /* number of bytes with which the grammar may begin a string */
    bool is_parsed, is_whole;
    bool has_drawn;                    /* C functions draw some of the rules: their choices are searched for */
    char expected[SONDE_AIM_EXPECTED]; /* if not is_whole: what may follow the parsed bytes */
};

/* The string and the progress of the last run towards it. This struct, `text` and the marks are in memory that workers
 * and the supervisor share, as the case is. */
struct sonde_aim {
    const char *text;
    uint32_t n;
    bool skips_space; /* white space is ignored in `text` and in the output */
    /* The members below describe the last run. */
    const sonde_text *of; /* the compared output, the first one given to sonde_put; only its address is used */
    uint32_t at;          /* how many bytes of `text` were written correctly */
    uint32_t n_puts;
    bool differs; /* the case was left because of a difference; else it ended by itself */
    char wrong[SONDE_AIM_WRONG];
    uint32_t n_wrong; /* length of `wrong`, which holds the first bytes that were written instead of `text` */
    struct sonde_aim_mark *marks;
    uint32_t n_marks, cap_marks;

    /* If the property draws the string from a grammar, it is parsed instead of searched for. A run that meets a grammar
     * sets `grammar` and `parse`, and leaves the case. Between two runs, parse(aim) then finds the derivation. */
    const void *grammar;
    void (*parse)(struct sonde_aim *aim);
    struct sonde_aim_derivation derivation;
};

/* Resets the state before each run. */
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

/* Returns the index of the first byte from `at` on that is compared; n if there is none. */
static inline uint32_t sonde_aim_skip(const struct sonde_aim *aim, uint32_t at)
{
    while (aim->skips_space && at < aim->n && sonde_aim_is_space(aim->text[at])) at++;
    return at;
}

#endif
