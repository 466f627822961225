/* How a script fitted the run that followed it: what it names and nobody drew, what was drawn and it does not name, and
 * the values that their draws could not take.
 *
 * Found by following the script once more, along the tape that the run recorded. So it costs a run nothing, and the run
 * may have been that of another process, which may have died of it.
 *
 * What a script leaves open is excused where it says so: `x=?`, `t{?}`, and a `?` at the end of a span for whatever is
 * drawn in it after the last value that the script has for it. A run that was left early (by a claim, an assume, a
 * crash) did not come to the rest of its script, which is excused too.
 *
 * Example: the script `x=60 y=1 z=2`, and a run that drew x from 0..50 and y, and then a new w. Changed: x ("x=60
 * does not fit 0..50 (9 was drawn)"); unused: z ("z=2 was not drawn"); missing: w ("w was not in the token"). */
#ifndef SONDE_TAPE_FIT_H
#define SONDE_TAPE_FIT_H

#include "tape/label.h"
#include "tape/tape.h"

enum { SONDE_FIT_TEXT = 600, SONDE_FIT_SHOWN = 3 }; /* SHOWN: how many of each kind are written down */

struct sonde_fit {
    uint32_t n_changed;        /* values that did not fit the domain of their draw */
    uint32_t n_unused;         /* values and whole spans that were not drawn */
    uint32_t n_missing;        /* draws and whole spans that the script does not have */
    char text[SONDE_FIT_TEXT]; /* "y=60 was not drawn; x was not in the token"; "" if all fitted */
};

/* `noun` is what the script is called in the text: "token" or "tape". Both tapes must have been ended.
 * `script` may hold literals; `ran` is a recorded tape and holds none. Allocates scratch memory from
 * the current heap and frees it; nothing fails. */
void sonde_fit_judge(struct sonde_fit *fit, const struct sonde_tape *script, const struct sonde_tape *ran,
                     const struct sonde_labels *labels, const char *noun);

/* Every value that the script has was drawn, as it is. */
static inline bool sonde_fit_is_followed(const struct sonde_fit *fit)
{
    return fit->n_changed == 0 && fit->n_unused == 0;
}

/* Followed, and nothing was drawn that the script does not have: the run was decided by the script
 * alone. */
static inline bool sonde_fit_is_whole(const struct sonde_fit *fit)
{
    return sonde_fit_is_followed(fit) && fit->n_missing == 0;
}
/* Writes how two runs that got the same answers differ: at which draw, and in what; false if they do not. */
bool sonde_fit_difference(const struct sonde_tape *first, const struct sonde_tape *second,
                          const struct sonde_labels *labels, char *out, size_t size);

#endif
