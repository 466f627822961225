/* The tapes of one token: one, or several separated by ;, to be run in a row in one process. */
#ifndef SONDE_ENGINE_SCRIPTS_H
#define SONDE_ENGINE_SCRIPTS_H

#include "exec/worker.h"
#include "tape/text.h"

enum { SONDE_SCRIPTS_MAX = SONDE_RUNNER_SCRIPTS }; /* as many as a failure is ever kept with */

/* pointers[i] is &all[i]: runners want an array of pointers. n falls if a tape fails and the rest is not run. */
struct sonde_scripts {
    struct sonde_tape all[SONDE_SCRIPTS_MAX];
    const struct sonde_tape *pointers[SONDE_SCRIPTS_MAX];
    uint32_t n;
    const char *noun; /* what it is called: a token or a tape */
};

/* Returns the tapes of a token, to be freed by sonde_scripts_free; NULL if it cannot be read, and *error then says why, at a
 * byte of the token. */
struct sonde_scripts *sonde_scripts_read(struct sonde_labels *labels, const char *token,
                                         struct sonde_text_error *error);
void sonde_scripts_free(struct sonde_scripts *scripts);
/* Leaves open what follows the last choice, for tapes of a failure of that kind (NULL: of none). A failing case ends where it
 * fails; files of earlier versions have no ? at their end. */
void sonde_scripts_free_ends(struct sonde_scripts *scripts, const char *kind);

#endif
