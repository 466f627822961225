/* Which answer goes with which next bytes: a guide that answers draws so that the property writes a given text (--import).
 *
 * A generator that writes as it draws is read as a parser: at each draw the bytes that must be written next are known, and nearly
 * always they say what the answer is. Which answer that is differs from generator to generator and is learned, per site of a draw:
 *
 * - choices among alternatives: by what followed in the text when an answer led on: the next byte, the next word, the kinds of the next
 *   four words, the byte before. The most telling context that is known decides;
 * - numbers: read from the text, a few bytes on where the generator writes something before them;
 * - strings: copied from the text, up to the byte that the generator writes behind them;
 * - lengths of lists: none, one, or as many as there may be. The list that goes on where the text ends it is cut by retrace.c.
 *
 * The guide only guesses. What it gets wrong retrace.c finds out and puts right, and tells it. */
#ifndef SONDE_IMPORT_GUESS_H
#define SONDE_IMPORT_GUESS_H

#include "base/map.h"
#include "case/aim.h"

#include <sonde/extend.h>

struct sonde_guess;

/* In the current heap. `aim` is borrowed; its text may change between two runs. */
struct sonde_guess *sonde_guess_create(struct sonde_aim *aim);
void sonde_guess_free(struct sonde_guess *g);
/* Forgets all that was learned. */
void sonde_guess_forget(struct sonde_guess *g);
struct sonde_guide *sonde_guess_guide(struct sonde_guess *g);

/* An answer to a draw: an index of its domain; for a blob, the part of the text that it is a copy of. */
struct sonde_answer {
    uint64_t index;
    uint32_t from, n;
};

/* Where a choice was drawn. */
struct sonde_guess_at {
    uint32_t at;    /* bytes of the text that were written; or where the byte is that it stands for */
    uint32_t again; /* draws of the same site since something was written */
};
/* Of choice c of a tape, drawn when `written` bytes were; `since`: the first choice since something was written. */
struct sonde_guess_at sonde_guess_drawn(const struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c,
                                        uint32_t since, uint32_t written);

/* Answers that are tried of one choice, at most: as many as a byte has values. With 64, the one of 66 characters that is needed may not be
 * among them. */
enum { SONDE_ANSWERS = 256 };
/* Fills in answers to choice c of a tape, in the order in which they should be tried, without the one that the tape has; returns how many.
 * `m`: where the run was left. */
uint32_t sonde_guess_answers(const struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c,
                             struct sonde_guess_at spot, uint32_t m, struct sonde_answer out[SONDE_ANSWERS]);

/* Choice c led on, or it led astray. */
void sonde_guess_learn(struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c, struct sonde_guess_at spot,
                       bool led_on);
/* Looks at what the last run wrote for choice c, right or wrong. */
void sonde_guess_watch(struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c, struct sonde_guess_at spot);

/* How often changing the answers of a site was tried, and helped; the share of it, never 0. */
void sonde_guess_blame(struct sonde_guess *g, uint32_t site, bool helped);
double sonde_guess_blamed(const struct sonde_guess *g, uint32_t site);

#endif
