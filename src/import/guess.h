/* A guide for --import: it chooses the values of draws so that the property writes a given file, the target.
 *
 * A generator that writes while it draws can be used as a parser. At each draw the bytes that must be written next are
 * known, and nearly always they determine the value of the draw (its "answer"). How bytes determine a value differs
 * between generators, so the guide learns it for each site of a draw:
 *
 *   - choices among alternatives: by the context in the target where an answer was right before, which is the next
 *     byte, the next word, or the kinds of the next three words. The most specific known context counts most;
 *   - numbers: read from the target, a few bytes further on if the generator writes something before them;
 *   - strings: copied from the target, up to the byte that the generator writes after them;
 *   - lengths of lists: none, one, or as many as possible. If the list ends earlier in the target, retrace.c shortens
 *     it.
 *
 * The guide only guesses. retrace.c detects wrong guesses, corrects them and reports them to the guide. */
#ifndef SONDE_IMPORT_GUESS_H
#define SONDE_IMPORT_GUESS_H

#include "base/map.h"
#include "case/aim.h"

#include <sonde/extend.h>

struct sonde_guess;

/* Returns a new guess, allocated in the current heap; free it with sonde_guess_free. `aim` is borrowed as long as the
 * guess exists; the target in it may change between two runs. */
struct sonde_guess *sonde_guess_create(struct sonde_aim *aim);
/* Frees a guess and its guide. */
void sonde_guess_free(struct sonde_guess *g);
/* Forgets all that was learned. */
void sonde_guess_forget(struct sonde_guess *g);
/* Returns the guide that makes the guesses; the guess owns it. */
struct sonde_guide *sonde_guess_guide(struct sonde_guess *g);

/* An answer to a draw: an index of its domain, or for a blob the bytes [from, from + n) of the target. */
struct sonde_answer {
    uint64_t index;
    uint32_t from, n;
};

/* The position in the target at which a choice was drawn. */
struct sonde_guess_at {
    /* number of bytes of the target written before the draw, or the position of the byte that the choice represents */
    uint32_t at;
    uint32_t again; /* number of earlier draws with the same label and kind since bytes were last written */
};
/* Returns the position of choice c of a tape, drawn after `written` bytes. `since` is the first choice that was drawn
 * after bytes were last written. */
struct sonde_guess_at sonde_guess_drawn(const struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c,
                                        uint32_t since, uint32_t written);

/* Maximum number of values that are tried for one choice: as many as a byte can have. With 64, the right one of 66
 * characters may be missing. */
enum { SONDE_ANSWERS = 256 };
/* Fills `out` with values for choice c of a tape, in the order in which to try them, without its present value.
 * Returns how many. `m` is the position of the first wrong byte of the run. */
uint32_t sonde_guess_answers(const struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c,
                             struct sonde_guess_at spot, uint32_t m, struct sonde_answer out[SONDE_ANSWERS]);

/* Teaches the guess that the value of choice c was right (`was_right`) or wrong. */
void sonde_guess_learn(struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c, struct sonde_guess_at spot,
                       bool was_right);
/* Teaches the guess which bytes the last run wrote for choice c, whether these were right or wrong. */
void sonde_guess_watch(struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c, struct sonde_guess_at spot);

/* Counts an attempt to change an answer at a site, and whether the attempt helped. */
void sonde_guess_blame(struct sonde_guess *g, uint32_t site, bool helped);
/* Returns the share of the attempts at a site that helped, never 0. */
double sonde_guess_blamed(const struct sonde_guess *g, uint32_t site);

#endif
