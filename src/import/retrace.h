/* Searches for the tape by which a property writes a given file, the target (--import). */
#ifndef SONDE_IMPORT_RETRACE_H
#define SONDE_IMPORT_RETRACE_H

#include "import/moves.h"
#include "import/test.h"

enum {
    SONDE_RETRACE_CAN = 8,   /* maximum number of words that the report of a failed import lists */
    SONDE_RETRACE_WORD = 24, /* size of such a word in bytes, including its NUL */
};

/* The result of a search for a tape. The caller initialises `tape`, and clears it. */
struct sonde_retraced {
    bool is_whole;    /* the tape writes the whole target */
    bool was_misused; /* the property misuses sonde, which ended the search */
    bool has_failed;  /* the property failed in some run */
    uint32_t n;       /* number of right bytes that the tape writes before the first wrong byte, or before it ends */
    uint32_t n_puts;  /* number of calls of sonde_put in the first run */
    uint64_t runs;
    uint32_t helped[SONDE_IMPORT_MOVES]; /* for each kind of move, how many runs wrote more right bytes because of it */
    /* the tape that writes the whole target; if none was found, the choices before the first wrong byte */
    struct sonde_tape tape;
    /* Words that runs wrote at the position of the first wrong byte, and whether a run ended there. */
    char can[SONDE_RETRACE_CAN][SONDE_RETRACE_WORD];
    uint32_t n_can;
    bool can_end;
};

/* Searches for the tape that writes the target of test->aim. The guess must have the same aim; what it learns is kept
 * for the next target. */
void sonde_retrace(const struct sonde_import_test *test, struct sonde_guess *guess, struct sonde_retraced *out);

#endif
