/* How well a script fitted the run that followed it. Reported are values of the script that were not drawn, draws
 * that the script lacks, and values outside the domain of their draw.
 *
 * sonde_fit_judge finds these by following the script again, along the tape that the run recorded. So the run itself is
 * not slowed, and it may have happened in another process, even one that crashed.
 *
 * A script may leave parts open: `x=?`, `t{?}`, and a `?` at the end of a span. The latter stands for all draws
 * after the last value of the span. Such parts are never reported. Neither is the rest of a script whose run ended
 * early (by a check, an assume, a crash).
 *
 * Example: the script `x=60 y=1 z=2`, and a run that drew x from 0..50 and y, and then a new w. Changed: x ("x=60
 * does not fit 0..50 (9 was drawn)"). Unused: z ("z=2 was not drawn"). Missing: w ("w was not in the token"). */
#ifndef SONDE_TAPE_FIT_H
#define SONDE_TAPE_FIT_H

#include "tape/label.h"
#include "tape/tape.h"

enum { SONDE_FIT_TEXT = 600, SONDE_FIT_SHOWN = 3 }; /* SHOWN: how many findings of each kind are described */

/* The differences between a script and the run that followed it. */
struct sonde_fit {
    uint32_t n_changed;        /* values outside the domain of their draw */
    uint32_t n_unused;         /* number of values and whole spans that were not drawn */
    uint32_t n_missing;        /* number of draws and whole spans that the script lacks */
    char text[SONDE_FIT_TEXT]; /* "y=60 was not drawn; x was not in the token"; "" if all fitted */
};

/* Fills `fit`. `noun` is the word for the script in the description: "token" or "tape". Both tapes must have ended.
 * `script` may hold literals; `ran` is a recorded tape without literals. Allocates scratch memory from the current
 * heap and frees it; never fails. */
void sonde_fit_judge(struct sonde_fit *fit, const struct sonde_tape *script, const struct sonde_tape *ran,
                     const struct sonde_labels *labels, const char *noun);

/* Returns whether every value of the script was drawn unchanged. */
static inline bool sonde_fit_is_followed(const struct sonde_fit *fit)
{
    return fit->n_changed == 0 && fit->n_unused == 0;
}

/* Returns whether the script was followed and no draw was missing: it alone determined the run. */
static inline bool sonde_fit_is_whole(const struct sonde_fit *fit)
{
    return sonde_fit_is_followed(fit) && fit->n_missing == 0;
}
/* Writes at which draw two runs with the same choices differ, and how; returns false if they do not differ. */
bool sonde_fit_difference(const struct sonde_tape *first, const struct sonde_tape *second,
                          const struct sonde_labels *labels, char *out, size_t size);

#endif
