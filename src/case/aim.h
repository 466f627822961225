/* The string that a case is meant to write (--import). sonde_put compares its output with this string, byte by byte,
 * and leaves the case at the first difference. So a run that goes wrong is not continued.
 *
 * The search for the right choices (import/retrace.h) needs two facts about a run. One is how much of the string had
 * been written when each choice was drawn. The other is the output that differs first. */
#ifndef SONDE_CASE_AIM_H
#define SONDE_CASE_AIM_H

#include <sonde.h>

enum { SONDE_AIM_WRONG = 128 };

/* One entry of the run's progress. The choices from the previous entry's `choices` up to this one's were drawn when
 * `at` bytes of the string were written. */
struct sonde_aim_mark {
    uint32_t choices, at;
};

enum { SONDE_AIM_EXPECTED = 256 };

/* A derivation of the string by a grammar: the alternatives taken and the numbers of repetitions, in the order of the
 * grammar's draws (grammar/parse.h). */
struct sonde_aim_derivation {
    uint32_t *decisions; /* owned by the aim, in its heap */
    uint32_t n, cap;
    uint32_t parsed; /* length of the longest beginning of the string with which some string of the grammar begins */
    bool is_parsed, is_whole;
    bool has_drawn;                    /* C functions draw some of the rules; the import searches for their choices */
    char expected[SONDE_AIM_EXPECTED]; /* if not is_whole: what the grammar allows after the parsed bytes */
};

/* The string, and how far the last run got in writing it. This struct, `text` and the marks are in memory that workers
 * and the supervisor share, like the case. */
struct sonde_aim {
    const char *text;
    uint32_t n;
    bool skips_space; /* white space is ignored in `text` and in the output */
    /* The members below describe the last run. */
    const sonde_text *of; /* the compared output, the first one given to sonde_put; only its address is used */
    uint32_t at;          /* number of bytes of `text` that were written correctly */
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

/* Returns the index of the next byte of `text`, from `at` on, that is not skipped as white space; n if there is
 * none. */
static inline uint32_t sonde_aim_skip(const struct sonde_aim *aim, uint32_t at)
{
    while (aim->skips_space && at < aim->n && sonde_aim_is_space(aim->text[at])) at++;
    return at;
}

#endif
