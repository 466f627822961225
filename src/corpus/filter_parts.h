/* The interface between filter.c and the filters that compare candidates with the tapes selected so far: `sequence` and
 * `choices`. A filter makes a *form* of each tape, one block of memory, and compares forms. */
#ifndef SONDE_CORPUS_FILTER_PARTS_H
#define SONDE_CORPUS_FILTER_PARTS_H

#include "tape/tape.h"

/* A measure of how similar candidates are to the selected tapes. */
struct sonde_measure {
    void *(*create)(void);
    void (*destroy)(void *measure);
    /* Returns the form of a tape; the caller frees it with sonde_free. The tape is not kept. */
    void *(*form)(void *measure, const struct sonde_tape *tape);
    /* Returns how similar a form is to all selected ones. Results are comparable only until the next tape is
     * selected. */
    double (*similarity)(void *measure, const void *form);
    /* Notes that this form was selected. It is borrowed until `destroy`. */
    void (*selected)(void *measure, const void *form);
};

extern const struct sonde_measure sonde_measure_sequence, sonde_measure_choices;

#endif
