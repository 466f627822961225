/* Searches for the tape by which a property writes a given file, the target (--import). */
#ifndef SONDE_IMPORT_RETRACE_H
#define SONDE_IMPORT_RETRACE_H

#include "import/moves.h"
#include "import/test.h"

enum {
    SONDE_RETRACE_CAN = 8,   /* words that the report of a failed import lists, at most */
    SONDE_RETRACE_WORD = 24, /* bytes of such a word, with its NUL */
};

/* The result of a search. The caller initialises `tape`, and clears it. */
struct sonde_retraced {
    bool is_whole;    /* the tape writes the whole target */
    bool was_misused; /* the property misuses sonde, which ended the search */
    bool has_failed;  /* the property failed in some run */
    uint32_t n;       /* bytes that the tape writes correctly, before the first wrong byte or its end */
    uint32_t n_puts;  /* calls of sonde_put in the first run */
    uint64_t runs;
    uint32_t helped[SONDE_IMPORT_MOVES]; /* runs that got further by each move */
    struct sonde_tape tape;              /* of the whole target, or the choices before the first wrong byte */
    /* Words that runs wrote at the first wrong byte instead, and whether a run ended there. */
    char can[SONDE_RETRACE_CAN][SONDE_RETRACE_WORD];
    uint32_t n_can;
    bool can_end;
};

/* Searches for the tape that writes the target of test->aim. The guess has the same aim; it keeps what it learned for
 * the next target. */
void sonde_retrace(const struct sonde_import_test *test, struct sonde_guess *guess, struct sonde_retraced *out);

#endif
