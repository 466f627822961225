/* Hints: values that the code under test compared, a dictionary that fills itself. Numbers come in pairs: if the input
 * contains one side of a comparison, the code probably wants the other side there.
 *
 * Example: the code compares the first four bytes of a file with a constant. A case with the bytes 00 01 02 03
 * shows the pair (their number, the constant). A mutator that finds one side in a blob, in either byte order,
 * replaces it by the other. The next case passes that comparison, without guessing among 2^32 values. */
#ifndef SONDE_GUIDE_MUTATE_HINTS_H
#define SONDE_GUIDE_MUTATE_HINTS_H

#include <sonde/extend.h>

enum {
    SONDE_HINTS = 256,     /* number of pairs of numbers that are held */
    SONDE_HINT_TEXTS = 64, /* number of strings that are held of each kind: `wanted` and `others` */
    SONDE_HINT_TEXT = 32   /* maximum number of bytes of a string; longer strings are not held */
};

/* The hints of a search. */
struct sonde_hints {
    struct sonde_hint pairs[SONDE_HINTS];
    /* `wanted`: strings that a part of the input was compared with. `others`: all other compared strings, which may
     * have nothing to do with the input. They are separate so that many others do not displace the wanted ones. */
    struct sonde_hint_words {
        struct {
            uint8_t n;
            char text[SONDE_HINT_TEXT];
        } texts[SONDE_HINT_TEXTS];
        uint32_t n; /* number of strings ever added; later ones overwrite the oldest */
    } wanted, others;
    uint32_t n_pairs; /* number of pairs ever added; later ones overwrite the oldest */
    /* Hash chains of pairs. first_of: index + 1 of the first pair of each chain. chain_next: index + 1 of the next
     * pair, 0 at the end. */
    uint16_t first_of[SONDE_HINTS], chain_next[SONDE_HINTS];
    uint32_t lessons;
    /* Pairs about values that the tape being mutated contains. They are borrowed from the corpus, which may drop the
     * tape when the guide learns from the next case. So they are set for one call of sonde_mutate, and NULL between
     * calls. */
    const struct sonde_hint *own;
    uint32_t n_own;
};

/* Adds the comparisons of a case. `tape` is the input that was run. */
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
/* Writes a string, or the bytes of a number, to out[SONDE_HINT_TEXT]; returns its length, 0 if nothing is known. */
size_t sonde_hints_text(const struct sonde_hints *hints, struct sonde_rng *rng, char *out);

/* A number as bytes, and the bytes that shall replace it. */
struct sonde_hint_swap {
    uint8_t from[8], to[8];
    uint32_t n;
};
/* Draws a comparison and one way to write its two sides as bytes. Returns false if nothing was ever compared. Another
 * call draws another comparison or another way to write it. */
bool sonde_hints_swap(const struct sonde_hints *hints, struct sonde_rng *rng, struct sonde_hint_swap *swap);

#endif
