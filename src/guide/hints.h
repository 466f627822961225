/* Values that the code under test compared something with: a dictionary that fills itself. Numbers come in pairs, because
 * where one side stands in the input, the other is what the code would like to see there. */
#ifndef SONDE_GUIDE_HINTS_H
#define SONDE_GUIDE_HINTS_H

#include <sonde/extend.h>

enum { SONDE_HINTS = 256, SONDE_HINT_TEXTS = 64, SONDE_HINT_TEXT = 32 };

struct sonde_hints {
    struct sonde_hint pairs[SONDE_HINTS];
    struct {
        uint8_t n;
        char text[SONDE_HINT_TEXT];
    } texts[SONDE_HINT_TEXTS];
    uint32_t n_pairs, n_texts; /* ever; the later ones overwrite */
};

void sonde_hints_learn(struct sonde_hints *hints, const struct sonde_coverage_view *view);
/* A number to try where `value` stands: what it was compared with if it was, else any side of any comparison. False if
 * nothing is known. */
bool sonde_hints_number(const struct sonde_hints *hints, struct sonde_rng *rng, uint64_t value, uint64_t *other);
/* A text, or the bytes of a number, into out[SONDE_HINT_TEXT]; returns its length, 0 if nothing is known. */
size_t sonde_hints_text(const struct sonde_hints *hints, struct sonde_rng *rng, char *out);

#endif
