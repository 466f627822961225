/* Values that the code under test compared something with: a dictionary that fills itself. Numbers come in pairs,
 * because where one side stands in the input, the other is what the code would like to see there.
 *
 * Example: the code compares the first four bytes of a file with a constant. A run with the bytes 00 01 02 03
 * shows the pair (their number, the constant). A mutator that finds one side in a blob, in either byte order,
 * puts the other in its place, and the next run is past that comparison: no guessing of 2^32 values. */
#ifndef SONDE_GUIDE_MUTATE_HINTS_H
#define SONDE_GUIDE_MUTATE_HINTS_H

#include <sonde/extend.h>

enum { SONDE_HINTS = 256, SONDE_HINT_TEXTS = 64, SONDE_HINT_TEXT = 32 };

struct sonde_hints {
    struct sonde_hint pairs[SONDE_HINTS];
    /* What a part of the input was compared with, and what else was compared, which may be about nothing in the input:
     * much of it must not hide the others. */
    struct sonde_hint_words {
        struct {
            uint8_t n;
            char text[SONDE_HINT_TEXT];
        } texts[SONDE_HINT_TEXTS];
        uint32_t n; /* ever; the later ones overwrite */
    } wanted, others;
    uint32_t n_pairs; /* likewise */
    /* The pairs by their hash: 1 + the first of each chain, and 1 + the one behind it. */
    uint16_t first_of[SONDE_HINTS], behind[SONDE_HINTS];
    uint32_t lessons;
    /* Of the tape that is being mutated: they are about the values that it has. Borrowed from the corpus, which may
     * drop the tape at the next case it learns from: set for one call of sonde_mutate, NULL between. */
    const struct sonde_hint *own;
    uint32_t n_own;
};

/* `tape` is the input that was run. */
void sonde_hints_learn(struct sonde_hints *hints, const struct sonde_coverage_view *view,
                       const struct sonde_tape *tape);
/* A number to try. The width of a comparison is known, but not whether the code took the number as signed; so there are
 * two readings. */
struct sonde_hint_number {
    uint64_t with_sign, without;
};
/* Finds a number to try instead of `value`: one that was compared with it, else one equal or next to a side of any
 * comparison. Returns false if nothing was ever compared. */
bool sonde_hints_number(const struct sonde_hints *hints, struct sonde_rng *rng, uint64_t value,
                        struct sonde_hint_number *other);
/* A text, or the bytes of a number, into out[SONDE_HINT_TEXT]; returns its length, 0 if nothing is known. */
size_t sonde_hints_text(const struct sonde_hints *hints, struct sonde_rng *rng, char *out);

/* A number as bytes, and the bytes to put in its place. */
struct sonde_hint_swap {
    uint8_t from[8], to[8];
    uint32_t n;
};
/* Draws a comparison and one way to write its two sides as bytes. Returns false if nothing was ever compared. Another
 * call draws another comparison or another way to write it. */
bool sonde_hints_swap(const struct sonde_hints *hints, struct sonde_rng *rng, struct sonde_hint_swap *swap);

#endif
