/* From a text back to the choices: searches for the tape by which a property writes a given text (--import). */
#ifndef SONDE_IMPORT_RETRACE_H
#define SONDE_IMPORT_RETRACE_H

#include "import/moves.h"
#include "import/test.h"

enum { SONDE_RETRACE_CAN = 8, SONDE_RETRACE_WORD = 24 };

/* What came of it. `tape` is to be initialised by the caller. */
struct sonde_retraced {
    bool is_whole;    /* the tape writes the whole text */
    bool was_misused; /* the property misuses sonde, which ended it */
    bool has_failed;  /* a run did */
    uint32_t n;       /* bytes that the tape writes as they are in the text, before it goes astray or ends */
    uint32_t n_puts;  /* of the first run */
    uint64_t runs;
    uint32_t helped[SONDE_IMPORT_MOVES]; /* runs that got further by each move */
    struct sonde_tape tape;              /* of the whole text; or the choices that were drawn before what is wrong */
    /* What can stand where it goes astray: the beginnings of what was written there, and whether the text may end. */
    char can[SONDE_RETRACE_CAN][SONDE_RETRACE_WORD];
    uint32_t n_can;
    bool can_end;
};

/* Searches for the tape that writes test->aim's text. The guess is of the same aim; it keeps what it learned for the
 * next text. */
void sonde_retrace(const struct sonde_import_test *test, struct sonde_guess *guess, struct sonde_retraced *out);

#endif
